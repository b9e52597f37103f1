"""A recorded function: a program that is called with arrays, one state or many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import override

from rbd import native
from rbd.algorithms.spaces import Space, check_space
from rbd.arguments import require_choice
from rbd.compiled.charts import Charts
from rbd.compiled.evaluation import Evaluation, Result
from rbd.program.differentiate import Directions, Mode, derivative, sparsity
from rbd.program.outline import Source
from rbd.program.program import Program
from rbd.progress import Listener, require_progress
from rbd.scalars.arrays import Array

if TYPE_CHECKING:
    from rbd.native.entry import Guard
    from rbd.program.listing import Count

PATIENCE = 10
"""Calls for one state before a builtin is made, which takes the time of many calls."""


@final
class RecordedFunction:
    """A function of a state, recorded for one mechanism: call it with arrays.

    Every input may have leading batch axes, which broadcast against each other; results have them too. The first call
    compiles the function to machine code; without llvmlite it runs interpreted. Results are the same to the last bit
    for one state, for batches, and for any number of threads.

    >>> import numpy as np, rbd
    >>> mechanism = rbd.robots.double_pendulum()
    >>> height = rbd.record(lambda state: rbd.center_of_mass(state).components[2], mechanism)
    >>> q, v = np.zeros((5, 2)), np.zeros(2)
    >>> height(q, v).shape
    (5,)
    """

    def __init__(
        self,
        program: Program | Source,
        defaults: Mapping[str, Array] | None = None,
        charts: Charts | None = None,
    ) -> None:
        """Wrap a program, recorded or found; `defaults` are values of inputs that calls may leave out.

        `charts` say how the input q moves along velocities.
        """
        self._charts = charts
        self._source = Source.of(program) if isinstance(program, Program) else program
        self._evaluation = Evaluation(self._source, defaults or {})
        self._fast: Callable[..., Any] | None = None

    @property
    def program(self) -> Program:
        """The recorded program; it is recorded now if its machine code was found on disk.

        That raises StaleStateError when the mechanism was edited since.
        """
        return self._source.program

    @property
    def evaluation(self) -> Evaluation:
        """What evaluates the function, without builtins; for rbd's own use."""
        return self._evaluation

    def compile(self, *, progress: bool | Listener = False) -> RecordedFunction:
        """Make the machine code now rather than in the first calls; return this function.

        `progress=True` shows a bar if that takes compiling; a function of (steps done, steps) is called instead.
        """
        require_progress(progress)
        if native.available():
            self._evaluation.executable.progress = progress
            self._fast = self.builtin()
        return self

    def __call__(
        self, *arrays: ArrayLike, out: Array | Sequence[Array] | None = None, threads: int = 1, **named: ArrayLike
    ) -> Result:
        """Compute the outputs: one array, or a tuple of them if the function has several.

        Inputs go by position or by name. `out` is filled when given: one C-contiguous float64 array per output.
        Raises ShapeError, NotFiniteError and SingularError (naming what failed, and the row of a batch); the rows of
        `out` that failed are untouched then.
        """
        return self.call(arrays, named, out, threads)

    def call(
        self,
        arrays: Sequence[ArrayLike],
        named: Mapping[str, ArrayLike],
        out: Array | Sequence[Array] | None = None,
        threads: int = 1,
    ) -> Result:
        """Compute the outputs for inputs by position and by name; what calling the function does."""
        if named or type(threads) is not int or threads != 1:
            return self._evaluation(*arrays, out=out, threads=threads, **named)
        fast = self._fast
        if fast is None:
            return self._first_calls(arrays, out)
        result: Result = fast(*arrays) if out is None else fast(*arrays, out=out)
        return result

    def interpret(self, *arrays: ArrayLike, **named: ArrayLike) -> Result:
        """Compute the outputs with the interpreter: the same bits as machine code, slowly."""
        return self._evaluation.interpret(*arrays, **named)

    def count(self) -> Count:
        """Return how many operations the function takes: `.total`, and a `.breakdown` by kind."""
        return self.program.count()

    def derivative(
        self, of: str, wrt: str, *, space: Space = "tangent", mode: Mode | None = None, sparse: bool = False
    ) -> RecordedFunction:
        """Return the function of the same inputs that gives the derivative of output `of` by input `wrt`.

        Its shape is that of the output, then that of the input. By "q", the last axis counts the nv velocities along
        which the configuration moves, unless `space` is "coordinates": then it counts the entries of q, as the
        function uses them. `mode` is "forward" or "reverse", the cheaper one when not given; `sparse` gives the vector
        of the entries that may differ from zero, row by row, as `sparsity` has them. A function's only output is called
        "result". Raises ArgumentError for other names and spaces, ScalarError where there is no derivative.

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
        return RecordedFunction(program, self._evaluation.defaults, self._charts)

    def sparsity(self, of: str, wrt: str, *, space: Space = "tangent") -> NDArray[np.bool_]:
        """Return where a derivative may differ from zero: a row per entry of `of`, a column per entry or velocity."""
        return sparsity(self.program, of, wrt, directions=self._directions(wrt, space))

    def _directions(self, wrt: str, space: Space) -> Directions | None:
        check_space(space)
        require_choice(wrt, [port.name for port in self._source.outline.inputs], "wrt", "input")
        moves = wrt == "q" and space == "tangent" and self._charts is not None
        return self._charts.directions if moves and self._charts is not None else None

    def to_c(self, name: str) -> str:
        """Return self-contained C source of a function `name` that computes the same bits; see `rbd.export.c`."""
        from rbd.export import c_source  # rarely wanted: `import rbd` stays light

        return c_source(self.program, name)

    def to_sympy(self) -> Mapping[str, object]:
        """Return the outputs as SymPy expressions of symbols named after the inputs: q_0, v_1, ..."""
        from rbd.export import sympy_expressions

        return sympy_expressions(self.program)

    @override
    def __str__(self) -> str:
        return str(self.program)

    @override
    def __repr__(self) -> str:
        outline = self._source.outline
        inputs = ", ".join(port.name for port in outline.inputs)
        size = f"{self.count().total} operations" if self._source.is_recorded else "found on disk"
        return f"<recorded {outline.name}({inputs}), {size}>"

    # --- inside -------------------------------------------------------------------------------------------------------

    def _first_calls(self, arrays: Sequence[ArrayLike], out: Array | Sequence[Array] | None) -> Result:
        """Evaluate; when one state is asked for again and again, make a builtin for the calls to come."""
        result = self._evaluation(*arrays, out=out)
        if self.is_warm:
            self._fast = self.builtin()
        return result

    @property
    def is_warm(self) -> bool:
        """Whether machine code has run so often for one state that a builtin is worth making."""
        return self._evaluation.single_calls >= PATIENCE

    def builtin(
        self,
        fallback: Callable[..., object] | None = None,
        name: str = "",
        documentation: str = "",
        guard: Guard | None = None,
    ) -> Callable[..., Any]:
        """Return a builtin that computes one state; see `rbd.native.entry`. `fallback` takes all other calls."""
        return self._evaluation.executable.builtin(fallback or self._evaluation, name, documentation, guard)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the program; machine code is made anew, or found on disk."""
        return RecordedFunction, (self.program, self._evaluation.defaults, self._charts)
