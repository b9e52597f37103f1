"""Intrinsics: operations of several results with control flow at run time, and calls of them.

An `Intrinsic` describes a function in the subset of `parser.py`, whose one parameter is a workspace. It returns 0, or
the number (from 1) of the caller's label that says what is wrong. Sizes and tables are known when a call is recorded:
they travel as one tuple, `sizes`.

The modules that parse and analyse functions, or run them on other scalars, are imported at their first use: functions
of floats run without them, and so does machine code from the disk cache.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, chain, groupby, pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast, final

import attrs
from typing_extensions import override

from rbd.errors import ArgumentError, RbdError, ScalarError, ShapeError, SingularError
from rbd.intrinsics.workspace import Role, Workspace, WorkspaceLayout, evaluate_extent, result_entries
from rbd.lazy_property import lazy_property
from rbd.scalars import is_float, to_float
from rbd.scalars.protocol import Scalar, Vector
from rbd.scalars.registry import dominant_family

if TYPE_CHECKING:
    from rbd.intrinsics.tree import ModuleConstant, Routine
    from rbd.scalars.family import ScalarFamily


NamedSizes: TypeAlias = "dict[str, int | tuple[int, ...]]"
"""Sizes and tables by name."""
OperationBound: TypeAlias = Callable[..., int]
"""Maps sizes to an upper bound of a number of operations."""


def must_be_positive(label: str) -> RbdError:
    """Return the error of a value that must be positive, named by `label`."""
    return SingularError(f"{label} must be positive", what=label)


@final
@attrs.frozen(eq=False, slots=False)
class Intrinsic:
    """A restricted function with the sizes of its arrays, a constant of a module; see `docs/guide/engine.md`.

    Two programs that call the same intrinsic share the constant; pickled programs find it by its name.
    """

    name: str
    """An identifier, unique among all intrinsics; also the name of the function in C."""
    workspace: type[Workspace]
    """The sizes and arrays."""
    function: Callable[..., int]
    """The algorithm: a function of the workspace, or of one of its base classes."""
    operations: OperationBound
    """An upper bound of the number of arithmetic operations and comparisons of floats, as a function of the sizes. A
    fused multiply-add counts as two."""
    inlined: bool = False
    """Batches inline its operations, except those on entries that are still zero. It must have uniform control flow and
    consist of `fma`, with at most a sign before a factor, and of `+ 0.0`, which stands last in all it stores;
    entries are stored as they are; 0.0 is the only constant."""
    specialised: bool = False
    """Whether machine code has a function for each tuple of sizes and tables, with loops over known ranges unrolled."""
    guarded: bool = False
    """Whether machine code skips a call whose last operand is zero; then the function returns 0 and writes nothing.
    With uniform control flow it runs for all lanes, and writes zeros in those whose last operand is zero."""
    labels: int | str = 0
    """Number of labels that a caller gives, the largest status: a number, or an expression of sizes."""
    error: Callable[[str], RbdError] = must_be_positive
    """From a label to the error of its status."""
    derivative: Callable[..., Any] | None = None
    """Jacobian-vector product (JVP), the rule of forward mode: from (sizes, labels, operands, results, tangents of the
    operands), all recorded scalars, to the tangents of the results. None: it cannot be differentiated."""
    adjoint: Callable[..., Any] | None = None
    """Vector-Jacobian product (VJP), the rule of reverse mode: from (sizes, labels, operands, results, cotangents of
    the results) to cotangents of the operands. None: `derivative` is called for each operand."""

    def __attrs_post_init__(self) -> None:
        """Register the intrinsic."""
        if not (self.name.isidentifier() and self.name.isascii()):
            raise ArgumentError(f"{self.name!r} cannot name an intrinsic", argument="name", value=self.name)
        known = INTRINSICS.setdefault(self.name, self)
        if known._origin != self._origin:
            raise ArgumentError(f"there is another intrinsic {self.name!r}", argument="name", value=self.name)
        if known.function is not self.function or known.workspace is not self.workspace:
            INTRINSICS[self.name] = self  # its module, or a cell of a notebook, was run again

    @property
    def _origin(self) -> list[tuple[str, object]]:
        """Module and qualified name of the function and of the workspace."""
        return [(each.__module__, getattr(each, "__qualname__", None)) for each in (self.function, self.workspace)]

    @lazy_property
    def routine(self) -> Routine:
        """The function as a checked tree; ScalarError names file and line of what is not allowed."""
        from rbd.intrinsics.inlinability import inlining_fault
        from rbd.intrinsics.parser import parse

        routine = parse(self.function)
        bases = [each.workspace for each in routine.signature if each.workspace in self.workspace.__mro__]
        if not len(bases) == len(routine.signature) == 1 or routine.returns != "int":
            actual = [parameter.kind for parameter in routine.signature]
            needed = self.workspace.__name__
            message = f"{self.name}: the function takes {actual} and returns {routine.returns}, needs {needed} and int"
            raise ArgumentError(message, argument="function", value=self.function, allowed=needed)
        fault = inlining_fault(routine) if self.inlined else ""
        if fault:
            message = f"{self.name}: a function with {fault} cannot be inlined; write inlined=False"
            raise ArgumentError(message, argument="inlined", value=True, allowed=False)
        return routine

    @lazy_property
    def _constants(self) -> tuple[ModuleConstant, ...]:
        """The numbers of modules that the function and those it calls read."""
        return tuple(constant for routine in self.routine.closure() for constant in routine.constants)

    def _require_constants(self) -> None:
        """Raise ScalarError if a number of a module has changed since the function was parsed."""
        changed = [each for each in self._constants if each.is_changed] if "routine" in self.__dict__ else []
        if changed:
            name, value = changed[0].name, changed[0].value
            message = f"{self.name}: {name} was {value} when the intrinsic was first used; numbers of its module stay"
            raise ScalarError(message, scalar=changed[0].module.get(name))

    @property
    def layout(self) -> WorkspaceLayout:
        """The declarations of the workspace."""
        return self.workspace.layout

    @lazy_property
    def has_uniform_control_flow(self) -> bool:
        """Whether all lanes run together: no branch depends on a float of one lane, and it cannot fail."""
        from rbd.intrinsics.dependence_analysis import branches_on_floats

        return not branches_on_floats(self.routine) and self.labels == 0

    @lazy_property
    def depends_on_comparisons(self) -> bool:
        """Whether results depend on comparisons of floats."""
        from rbd.intrinsics.dependence_analysis import compares_floats

        return compares_floats(self.routine) or self.labels != 0

    @lazy_property
    def written_operands(self) -> frozenset[str]:
        """The operands that the function overwrites."""
        from rbd.intrinsics.dependence_analysis import written_parameters

        workspace, written = self.routine.signature[0].name, written_parameters(self.routine)
        return frozenset(name for name in self.layout.names("operand") if f"{workspace}_{name}" in written)

    @lazy_property
    def digest(self) -> str:
        """A sha256 over the workspace and the checked trees of all functions, including constants of modules."""
        texts = [repr((routine.name, routine.parameters, routine.body)) for routine in self.routine.closure()]
        arrays = f"Layout(sizes={self.layout.sizes}, arrays={self.layout.arrays})"
        return hashlib.sha256("\n".join([arrays, *texts]).encode()).hexdigest()

    def operation_count(self, sizes: Sequence[int]) -> int:
        """Return the maximum number of operations for these sizes."""
        return self.operations(*sizes[: len(self.layout.sizes)])

    def label_count(self, sizes: Sequence[int]) -> int:
        """Return the number of labels for these sizes."""
        return evaluate_extent(self.labels, self.layout.sizes_by_name(sizes))

    def sizes_of(self, named: NamedSizes) -> tuple[int, ...]:
        """Return sizes and tables, one after the other."""
        sizes, tables = cast("Mapping[str, int]", named), cast("Mapping[str, tuple[int, ...]]", named)
        return *(sizes[name] for name in self.layout.sizes), *self.layout.concatenate("table", tables)

    def lengths(self, sizes: Sequence[int]) -> Lengths:
        """Return the lengths of all arrays for these sizes."""
        known = self.layout.sizes_by_name(sizes)
        return Lengths(*(self.layout.lengths(role, known) for role in ROLES[1:]))

    def call_arguments(self, sizes: Sequence[int], integer_format: str, *arrays: Sequence[str]) -> list[str]:
        """Return the arguments of the translated function: its ints, by `integer_format`, and its arrays.

        `arrays` are texts of the arrays: tables, operands, results, work arrays of floats, of ints.
        """
        names = chain(*map(self.layout.names, ROLES))
        known = {name: integer_format.format(value) for name, value in self.layout.integer_arguments(sizes).items()}
        known.update(zip(names, chain(*arrays), strict=True))
        return [known[field.name] for field in self.routine.signature[0].fields]

    @override
    def __repr__(self) -> str:
        return f"<Intrinsic {self.name}>"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by name; the module that defines it is imported when needed."""
        return _intrinsic_named, (self.name, self.function.__module__)

    # ---------------------------------------------------------------- running

    def __call__(self, sizes: Sequence[int], operands: Sequence[Scalar], labels: Sequence[str] = ()) -> Vector:
        """Return the results, one after the other, for all entries of the operands, one after the other.

        Floats run the function; recorded scalars record a call of it; every other family runs it as long as its
        comparisons are decided. Raises what `error` makes of a label, ScalarError for families that cannot be compared.
        """
        expected = sum(self.lengths(sizes).operands), self.label_count(sizes)
        if (len(operands), len(labels)) != expected:
            counts = len(operands), len(labels)
            message = (
                f"{self.name} takes {expected[0]} operands and {expected[1]} labels, got {counts[0]} and {counts[1]}"
            )
            raise ArgumentError(message, argument="operands", value=counts, allowed=expected)
        dominating = dominant_family((operands,))
        if dominating is None or all(map(is_float, operands)):
            return self._checked(self.run_on_floats(sizes, [to_float(x) for x in operands]), labels)
        self._require_constants()
        family, member = dominating
        return family.intrinsic(self, tuple(sizes), tuple(operands), tuple(labels), member)

    def call(self, sizes: Sequence[int], operands: Mapping[str, Iterable[Scalar]]) -> dict[str, Vector]:
        """Return the results by name, for operands by name: a call without labels.

        Other names are ignored. Raises ArgumentError if an operand is missing, ShapeError for wrong lengths.
        """
        arrays = {name: tuple(entries) for name, entries in operands.items()}
        flat = self.layout.concatenate("operand", arrays)
        names, lengths = self.layout.names("operand"), self.layout.lengths("operand", self.layout.sizes_by_name(sizes))
        for name, length in zip(names, lengths, strict=True):
            if len(arrays[name]) != length:
                message = f"{self.name}: {name} must have {length} entries, not {len(arrays[name])}"
                raise ShapeError(message, argument=name, expected=(length,), actual=(len(arrays[name]),))
        return self.layout.split("result", sizes, self(sizes, flat))

    def run_on_floats(
        self, sizes: Sequence[int], operands: Sequence[float], zero: float = 0.0
    ) -> tuple[list[float], int]:
        """Return the results and the status for floats: the reference of machine code and of C."""
        self._require_constants()
        workspace = self.workspace(sizes, operands, zero)
        status = self.function(workspace)
        return result_entries(workspace), status

    def run_on_family(
        self,
        family: ScalarFamily[Any],
        sizes: tuple[int, ...],
        operands: Vector,
        labels: tuple[str, ...],
        member: Scalar,
    ) -> Vector:
        """Return the results for scalars of a family whose comparisons are decided."""
        from rbd.intrinsics.comparable import Comparable, ComparisonContext

        inside = ComparisonContext(family, member, self.name)
        wrapped = [cast("float", inside.wrap(x)) for x in operands]
        results, status = self.run_on_floats(sizes, wrapped, cast("float", inside.wrap(0)))
        values = [cast("Any", x).value if isinstance(x, Comparable) else inside.value(x) for x in cast("Any", results)]
        return self._checked((values, status), labels)

    def _checked(self, result: tuple[Sequence[Scalar], int], labels: Sequence[str]) -> Vector:
        results, status = result
        if status:
            raise self.error(labels[status - 1])
        return tuple(results)


@final
@attrs.frozen
class Lengths:
    """Lengths of an intrinsic's arrays."""

    operands: tuple[int, ...]
    results: tuple[int, ...]
    work_floats: tuple[int, ...]
    work_ints: tuple[int, ...]


@final
@attrs.frozen
class IntrinsicCall:
    """One call of an intrinsic in a program; `label_count` labels of the program from `first_label` on are its own."""

    intrinsic: Intrinsic
    sizes: tuple[int, ...]
    """Its sizes, then its tables, one after the other."""
    first_label: int
    label_count: int

    @property
    def lengths(self) -> Lengths:
        """The lengths of all arrays."""
        return self.intrinsic.lengths(self.sizes)

    @property
    def tables(self) -> dict[str, tuple[int, ...]]:
        """The tables."""
        return self.intrinsic.layout.tables(self.sizes)

    @property
    def zeroed_work(self) -> list[range]:
        """The entries of the work arrays, floats and then ints, that are zero at the beginning."""
        arrays, lengths = self.intrinsic.layout.arrays, self.lengths
        names = [*self.intrinsic.layout.names("floats"), *self.intrinsic.layout.names("ints")]
        bounds = pairwise(accumulate((*lengths.work_floats, *lengths.work_ints), initial=0))
        places = {name: range(start, stop) for name, (start, stop) in zip(names, bounds, strict=True)}
        runs = groupby(places, key=lambda name: arrays[name].zeroed)
        parts = [list(run) for zeroed, run in runs if zeroed]
        return [range(places[part[0]].start, places[part[-1]].stop) for part in parts]

    @property
    def operations(self) -> int:
        """The maximum number of operations."""
        return self.intrinsic.operation_count(self.sizes)

    def has_label(self, number: int) -> bool:
        """Return whether label `number` of the program belongs to this call."""
        return self.first_label <= number < self.first_label + self.label_count

    @property
    def key(self) -> str:
        """The key of the call; calls with equal keys have equal results."""
        intrinsic, lengths = self.intrinsic, attrs.astuple(self.lengths)
        lanes = intrinsic.has_uniform_control_flow, intrinsic.inlined, intrinsic.guarded, intrinsic.specialised
        code = intrinsic.digest, *lanes, self.operations
        return repr((intrinsic.name, code, self.sizes, lengths, self.first_label, self.label_count))


ROLES: Final[tuple[Role, ...]] = ("table", "operand", "result", "floats", "ints")
"""Roles of arrays, in the order of arguments of a call."""

INTRINSICS: Final[dict[str, Intrinsic]] = {}
"""All intrinsics by name."""


def _intrinsic_named(name: str, module: str) -> Intrinsic:
    """Return an intrinsic by name, importing what defines it."""
    if name not in INTRINSICS:
        __import__(module)
    return INTRINSICS[name]
