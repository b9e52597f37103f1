"""Workspaces: the arrays of an intrinsic, declared once with their shapes.

    class Program(Workspace):
        n: int
        hessian = operand("n", "n")
        point = result("n")
        order = ints("n")

Sizes are annotated, arrays assigned. Extents are Python expressions of sizes and whole numbers; arrays of two extents
are matrices, reached as `w.hessian[i][j]`, of which `w.hessian[i]` is a row. A subclass has what its bases have, one
base after the other, and functions that take a base take it as well. Functions in the subset of intrinsics see a
workspace as one parameter; translators pass the sizes and arrays that are used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate, chain, islice, pairwise, repeat
from types import CodeType
from typing import TYPE_CHECKING, ClassVar, Final, Literal, Protocol, TypeAlias, TypeVar, cast, final, overload

import attrs

from rbd.errors import ArgumentError
from rbd.intrinsics.language import Floats, Ints, Rows

if TYPE_CHECKING:
    from rbd.intrinsics.tree import Kind

Role: TypeAlias = Literal["table", "operand", "result", "floats", "ints"]
"""Purpose of an array: "floats" and "ints" are work arrays of that kind. Digests of programs contain these words."""
_T = TypeVar("_T")


@final
@attrs.frozen
class ArrayDeclaration:
    """Declaration of an array: its role and its extents."""

    role: Role
    shape: tuple[str, ...]
    zeroed: bool = True
    """Whether entries of an array to work in are zero at the beginning."""

    @property
    def kind(self) -> Kind:
        """The kind of the array in the language."""
        return "ints" if self.role in ("table", "ints") else "rows" if len(self.shape) == 2 else "floats"

    def extents(self, sizes: Mapping[str, int]) -> list[int]:
        """Return the extents for given sizes."""
        return [evaluate_extent(extent, sizes) for extent in self.shape]


class _Declared(Protocol):
    @overload
    def __call__(self, length: str, /) -> Floats: ...
    @overload
    def __call__(self, rows: str, columns: str, /) -> Rows: ...


def _declaration_of_role(role: Role, *, zeroed: bool = True) -> Callable[..., ArrayDeclaration]:
    return lambda *shape: ArrayDeclaration(role, shape, zeroed)


UNWRITTEN: Final = math.nan
"""Initial entries, in Python, of arrays that are not made zero."""

operand: Final = cast("_Declared", _declaration_of_role("operand"))
"""Declare an operand: a copy that may be overwritten."""
result: Final = cast("_Declared", _declaration_of_role("result"))
"""Declare a result; results and work arrays are zero at the beginning."""
floats: Final = cast("_Declared", _declaration_of_role("floats"))
"""Declare a work array of floats."""
scratch: Final = cast("_Declared", _declaration_of_role("floats", zeroed=False))
"""Declare a work array of floats whose entries are written before they are read.

Neither machine code of all lanes at once nor C makes them zero.
"""
ints: Final = cast("Callable[[str], Ints]", _declaration_of_role("ints"))
"""Declare a work array of integers."""
table: Final = cast("Callable[[str], Ints]", _declaration_of_role("table"))
"""Declare an array of integers that is known when a call is recorded."""


@final
@attrs.frozen
class WorkspaceLayout:
    """Declarations of a workspace."""

    sizes: tuple[str, ...] = ()
    arrays: Mapping[str, ArrayDeclaration] = attrs.field(factory=dict[str, ArrayDeclaration])

    @classmethod
    def merged(cls, layouts: Iterable[WorkspaceLayout]) -> WorkspaceLayout:
        """Return the declarations of several workspaces, each once, one workspace after the other.

        Raises ArgumentError for an array that two of them declare in different ways.
        """
        sizes, arrays = dict[str, None](), dict[str, ArrayDeclaration]()
        for layout in layouts:
            sizes.update(dict.fromkeys(layout.sizes))
            for name, array in layout.arrays.items():
                if arrays.setdefault(name, array) != array:
                    raise ArgumentError(f"two bases declare {name!r} in different ways", argument=name, value=array)
        return cls(tuple(sizes), arrays)

    def sizes_by_name(self, sizes: Sequence[int]) -> dict[str, int]:
        """Return the sizes by name; `sizes` may end with tables."""
        return dict(zip(self.sizes, sizes, strict=False))

    def lengths(self, role: Role, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """Return the lengths of the arrays of a role."""
        return tuple(math.prod(self.arrays[name].extents(sizes)) for name in self.names(role))

    def names(self, role: Role) -> list[str]:
        """Return the names of the arrays of a role."""
        return [name for name, array in self.arrays.items() if array.role == role]

    def split(self, role: Role, sizes: Sequence[int], flat: Sequence[_T]) -> dict[str, tuple[_T, ...]]:
        """Return the entries of each array of a role, from those of all, one after the other."""
        stops = accumulate(self.lengths(role, self.sizes_by_name(sizes)), initial=0)
        parts = (tuple(flat[start:stop]) for start, stop in pairwise(stops))
        return dict(zip(self.names(role), parts, strict=True))

    def tables(self, sizes: Sequence[int]) -> dict[str, tuple[int, ...]]:
        """Return the tables, which follow the sizes."""
        return self.split("table", sizes, sizes[len(self.sizes) :])

    def concatenate(self, role: Role, arrays: Mapping[str, Iterable[_T]]) -> tuple[_T, ...]:
        """Return the entries of all arrays of a role, one after the other; raise ArgumentError if one is missing."""
        names = self.names(role)
        missing = [name for name in names if name not in arrays]
        if missing:
            raise ArgumentError(f"{missing[0]!r} is missing; needs {names}", argument=missing[0], allowed=names)
        return tuple(chain.from_iterable(arrays[name] for name in names))

    @property
    def fields(self) -> dict[str, Kind]:
        """The parameters of translated functions, with their kinds."""
        ints: dict[str, Kind] = dict.fromkeys((*self.sizes, *self.strides), "int")
        return {**ints, **{name: array.kind for name, array in self.arrays.items()}}

    def stride(self, matrix: str) -> str:
        """Return the name of the distance of a matrix's rows: a size, or one of its own."""
        width = self.arrays[matrix].shape[1]
        return width if width in self.sizes else f"{matrix}_stride"

    @property
    def strides(self) -> dict[str, str]:
        """The strides that are not sizes: names and expressions."""
        matrices = [(self.stride(name), array.shape[1]) for name, array in self.arrays.items() if array.kind == "rows"]
        return {name: width for name, width in matrices if name not in self.sizes}

    def integer_arguments(self, sizes: Sequence[int]) -> dict[str, int]:
        """Return the int arguments of translated functions: sizes and strides."""
        known = self.sizes_by_name(sizes)
        return {**known, **{name: evaluate_extent(width, known) for name, width in self.strides.items()}}


class Workspace:
    """Named sizes and arrays, as one parameter of restricted functions."""

    layout: ClassVar[WorkspaceLayout] = WorkspaceLayout()

    def __init_subclass__(cls) -> None:
        """Collect the declarations; raise ArgumentError for shapes with names that are not sizes."""
        inherited = WorkspaceLayout.merged(base.layout for base in cls.__bases__ if issubclass(base, Workspace))
        own = {name: value for name, value in vars(cls).items() if isinstance(value, ArrayDeclaration)}
        sizes = (*inherited.sizes, *(name for name, kind in cls.__annotations__.items() if kind in ("int", int)))
        for name, array in own.items():
            delattr(cls, name)
            unknown = {word for extent in array.shape for word in _code(extent).co_names}.difference(sizes)
            if unknown or len(array.shape) not in (1, 2):
                message = f"{cls.__name__}.{name}: a shape is one or two extents made of {sizes}"
                raise ArgumentError(message, argument=name, value=array.shape, allowed=sizes)
        cls.layout = WorkspaceLayout(sizes, {**inherited.arrays, **own})

    def __init__(self, sizes: Sequence[int], operands: Sequence[float], zero: float = 0.0) -> None:
        """Make the arrays from sizes followed by tables, and all entries of the operands."""
        known = self.layout.sizes_by_name(sizes)
        sources = {"operand": iter(operands), "table": iter(sizes[len(known) :]), "ints": repeat(0)}
        for name, array in self.layout.arrays.items():
            source, extents = sources.get(array.role, repeat(zero if array.zeroed else UNWRITTEN)), array.extents(known)
            rows = [list(islice(source, extents[-1])) for _ in range(extents[0] if array.kind == "rows" else 1)]
            setattr(self, name, rows if array.kind == "rows" else rows[0])
        for name, size in known.items():
            setattr(self, name, size)


def result_entries(workspace: Workspace) -> list[float]:
    """Return the entries of all results, one after the other."""
    arrays = [
        (workspace.layout.arrays[name].kind, getattr(workspace, name)) for name in workspace.layout.names("result")
    ]
    return [x for kind, array in arrays for row in (array if kind == "rows" else [array]) for x in row]


def evaluate_extent(expression: str | int, sizes: Mapping[str, int]) -> int:
    """Return the value of an expression of sizes, Python source written in a class body of this program."""
    return int(eval(_code(str(expression)), {"__builtins__": {}}, dict(sizes)))


@cache
def _code(expression: str) -> CodeType:
    return compile(expression, "<shape>", "eval")
