"""Recorded functions: programs called with arrays, for one state or many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import override

from rbd import native
from rbd.algorithms.derivatives.space import Space, check_space
from rbd.arguments import constructing_call, require_choice
from rbd.array_functions.evaluation import Evaluation, Result
from rbd.array_functions.row_status import RowStatus
from rbd.array_functions.velocity_map import VelocityMap
from rbd.program.differentiate import Directions, Mode, derivative, sparsity
from rbd.program.lazy_program import LazyProgram
from rbd.program.program import Program
from rbd.progress import Listener, require_progress
from rbd.scalars.arrays import Array

if TYPE_CHECKING:
    from rbd.program.listing import Count

CALLS_BEFORE_BUILTIN = 10
"""Number of calls for one state or small batches after which a builtin is made, which takes as long as many calls."""
_MAX_LISTED_LINES = 60
"""Maximum number of printed lines of a listing."""


@constructing_call("rbd.record(function, mechanism)")
@final
class RecordedFunction:
    """A function of a state, recorded for one mechanism and called with arrays.

    Inputs may have leading batch axes, which are broadcast; results have them too. Where all inputs with batch axes are
    in column order, as `numpy.asfortranarray` returns them, results are. The first call compiles the function
    to machine code; without llvmlite it is interpreted. Results are bitwise equal for one state, for batches, and for
    any number of threads.

    >>> import numpy as np, rbd
    >>> mechanism = rbd.robots.double_pendulum()
    >>> height = rbd.record(lambda state: rbd.center_of_mass(state).components[2], mechanism)
    >>> q, v = np.zeros((5, 2)), np.zeros(2)
    >>> height(q, v).shape
    (5,)
    """

    def __init__(
        self,
        program: Program | LazyProgram,
        defaults: Mapping[str, Array] | None = None,
        velocity_map: VelocityMap | None = None,
    ) -> None:
        """Wrap a program, recorded or from the disk cache; `defaults` are values of optional inputs.

        `velocity_map` gives derivatives by the input q along velocities.
        """
        self._velocity_map = velocity_map
        lazy_program = LazyProgram.of(program) if isinstance(program, Program) else program
        self.evaluation = Evaluation(lazy_program, defaults or {})
        """Its evaluation on array-likes, without builtins; `outline`, `defaults` and `executable` are its parts."""
        self.outline = self.evaluation.outline
        self.defaults = self.evaluation.defaults
        self.executable = self.evaluation.executable
        self._builtin: Callable[..., Any] | None = None

    @property
    def program(self) -> Program:
        """The recorded program, which is recorded now if only its machine code was cached on disk.

        Raises StaleStateError if the mechanism was edited since.
        """
        return self.evaluation.lazy_program.program

    def compile(self, *, progress: bool | Listener = False) -> RecordedFunction:
        """Compile now instead of in the first call; return this function.

        `progress=True` shows a progress bar of the compilation; a function is called with (steps done, steps).
        """
        require_progress(progress)
        if native.available():
            self.executable.compile(progress=progress)
            self._builtin = self.builtin()
        return self

    def __call__(
        self,
        *arrays: ArrayLike,
        out: Array | Sequence[Array] | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **named: ArrayLike,
    ) -> Result:
        """Compute the outputs: one array, or a tuple of them if the function has several.

        Inputs are positional or keyword arguments. `out` is a buffer for the results: one float64 array per output,
        C-contiguous or in column order. Raises ShapeError, NotFiniteError and SingularError (naming the cause, and the
        row of a batch), and leaves the failed rows of `out` unchanged. With `status`, failed rows raise no error; see
        `RowStatus`.
        """
        return self.call(arrays, named, out, threads, status)

    def call(
        self,
        arrays: Sequence[ArrayLike],
        named: Mapping[str, ArrayLike],
        out: Array | Sequence[Array] | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
    ) -> Result:
        """Compute the outputs for positional and keyword inputs; `__call__` calls this."""
        if named or status is not None or type(threads) is not int or threads != 1:
            return self.evaluation(*arrays, out=out, threads=threads, status=status, **named)
        builtin = self._builtin
        if builtin is None:
            return self._first_calls(arrays, out)
        result: Result = builtin(*arrays) if out is None else builtin(*arrays, out=out)
        return result

    def _first_calls(self, arrays: Sequence[ArrayLike], out: Array | Sequence[Array] | None) -> Result:
        """Evaluate; after many calls for one state or small batches, make a builtin for later calls."""
        result = self.evaluation(*arrays, out=out)
        if self.is_warm:
            self._builtin = self.builtin()
        return result

    @property
    def is_warm(self) -> bool:
        """Whether machine code has run often enough to make a builtin."""
        return self.executable.native_calls >= CALLS_BEFORE_BUILTIN

    def builtin(self) -> Callable[..., Any]:
        """Return a builtin for one state or small batches; the evaluation itself if it checks values of parameters."""
        return self.evaluation if self.evaluation.has_checks else self.executable.make_builtin(self.evaluation)

    def interpret(self, *arrays: ArrayLike, **named: ArrayLike) -> Result:
        """Compute the outputs with the interpreter: bitwise equal to machine code, but slow."""
        return self.evaluation.interpret(*arrays, **named)

    def count(self) -> Count:
        """Return the operation count of the function: `.total`, and a `.breakdown` by kind."""
        return self.program.count()

    def derivative(
        self, of: str, wrt: str, *, space: Space = "tangent", mode: Mode | None = None, sparse: bool = False
    ) -> RecordedFunction:
        """Return the derivative of output `of` by input `wrt`, a function of the same inputs.

        Its shape is that of the output followed by that of the input. For the "q" of a function from `rbd.record`, the
        last axis has nv entries (derivatives along velocities), or nq entries if `space` is "coordinates" (derivatives
        by the entries of q). Functions made of a program do not know which velocities q has: for them both
        spaces mean the entries of q.
        `mode` is "forward" or "reverse", by default the cheaper one. With `sparse` it returns a vector of the
        structural nonzeros, row by row, in the order of `sparsity`. A single output has the name "result". Raises
        ArgumentError for other names and spaces, ScalarError if there is no derivative.

        >>> import rbd
        >>> mechanism = rbd.robots.double_pendulum()
        >>> energy = rbd.record(rbd.gravitational_potential_energy, mechanism)
        >>> slope = energy.derivative("result", "q")
        >>> torques = rbd.gravity_torques(rbd.MechanismState(mechanism, [0.3, 0.4]))
        >>> bool(abs(slope([0.3, 0.4], [0.0, 0.0]) - torques).max() < 1e-12)
        True
        """
        directions = self._directions(wrt, space)
        program = derivative(self.program, of, wrt, directions=directions, mode=mode, sparse=sparse)
        return RecordedFunction(program, self.defaults, self._velocity_map)

    def sparsity(self, of: str, wrt: str, *, space: Space = "tangent") -> NDArray[np.bool_]:
        """Return the sparsity pattern of a derivative: a row per entry of `of`, a column per entry or velocity."""
        return sparsity(self.program, of, wrt, directions=self._directions(wrt, space))

    def _directions(self, wrt: str, space: Space) -> Directions | None:
        check_space(space)
        require_choice(wrt, [port.name for port in self.outline.inputs], "wrt", "input")
        if wrt != "q" or space != "tangent" or self._velocity_map is None:
            return None
        return self._velocity_map.matrix

    def to_c(self, name: str) -> str:
        """Return self-contained C source of a function `name` with bitwise equal results; see `rbd.export.c`."""
        from rbd.export import c_source  # rarely used: keeps `import rbd` fast

        return c_source(self.program, name)

    def to_sympy(self) -> Mapping[str, object]:
        """Return the outputs as SymPy expressions of symbols named after the inputs: q_0, v_1, ..."""
        from rbd.export import sympy_expressions

        return sympy_expressions(self.program)

    @override
    def __str__(self) -> str:
        lines = str(self.program).splitlines()
        if len(lines) <= _MAX_LISTED_LINES:
            return "\n".join(lines)
        left = len(lines) - _MAX_LISTED_LINES + 1
        return "\n".join(
            [*lines[: _MAX_LISTED_LINES - 1], f"... and {left} more lines; print(recorded.program) shows them"]
        )

    @override
    def __repr__(self) -> str:
        inputs = ", ".join(port.name for port in self.outline.inputs)
        size = f"{self.count().total} operations" if self.evaluation.lazy_program.is_recorded else "found on disk"
        return f"<recorded {self.outline.name}({inputs}), {size}>"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the program; machine code is compiled again, or found on disk."""
        return RecordedFunction, (self.program, self.defaults, self._velocity_map)
