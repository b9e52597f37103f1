"""A recorded function: a program that is called with arrays, one state or many.

Room: compiled; may import algorithms and above.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import ArrayLike
from typing_extensions import override

from rbd import native
from rbd.compiled.status import raise_status
from rbd.errors import ArgumentError, ShapeError
from rbd.scalars.arrays import Array
from rbd.scalars.program import Port, Program

if TYPE_CHECKING:
    from rbd.native.kernel import NativeKernel
    from rbd.scalars.listing import Count

Result = Array | tuple[Array, ...]


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

    def __init__(self, program: Program, defaults: Mapping[str, Array] | None = None) -> None:
        """Wrap `program`; `defaults` are values of inputs that calls may leave out."""
        self._program = program
        self._defaults = dict(defaults or {})
        self._kernel: NativeKernel | None = None

    @property
    def program(self) -> Program:
        """The recorded program."""
        return self._program

    def compile(self) -> RecordedFunction:
        """Make the machine code now rather than at the first call; return this function."""
        if self._kernel is None and native.available():
            self._kernel = native.compile_program(self._program)
        return self

    def __call__(
        self, *arrays: ArrayLike, out: Array | Sequence[Array] | None = None, threads: int = 1, **named: ArrayLike
    ) -> Result:
        """Compute the outputs: one array, or a tuple of them if the function has several.

        Inputs go by position or by name. `out` is filled when given: one C-contiguous float64 array per output.
        Raises ShapeError, NotFiniteError and SingularError (naming what failed, and the row of a batch); the rows of
        `out` that failed are untouched then.
        """
        inputs = self._inputs(arrays, named)
        lead = _leading_shape(self._program.inputs, inputs)
        outputs = _outputs(self._program.outputs, lead, out)
        if self.compile()._kernel is None:
            self._interpret_rows(inputs, lead, outputs)
        else:
            self._run(inputs, lead, outputs, threads)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def interpret(self, *arrays: ArrayLike, **named: ArrayLike) -> Result:
        """Compute the outputs with the interpreter: the same bits as machine code, slowly."""
        inputs = self._inputs(arrays, named)
        lead = _leading_shape(self._program.inputs, inputs)
        outputs = _outputs(self._program.outputs, lead, None)
        self._interpret_rows(inputs, lead, outputs)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def count(self) -> Count:
        """Return how many operations the function takes: `.total`, and a `.breakdown` by kind."""
        return self._program.count()

    def to_c(self, name: str) -> str:
        """Return self-contained C source of a function `name` that computes the same bits; see `rbd.export.c`."""
        from rbd.export import c_source  # export stands below this room and is asked for here alone

        return c_source(self._program, name)

    def to_sympy(self) -> Mapping[str, object]:
        """Return the outputs as SymPy expressions of symbols named after the inputs: q_0, v_1, ..."""
        from rbd.export import sympy_expressions  # export stands below this room and is asked for here alone

        return sympy_expressions(self._program)

    @override
    def __str__(self) -> str:
        return str(self._program)

    @override
    def __repr__(self) -> str:
        inputs = ", ".join(port.name for port in self._program.inputs)
        return f"<recorded {self._program.name}({inputs}), {self.count().total} operations>"

    # --- inside -------------------------------------------------------------------------------------------------------

    def _inputs(self, arrays: Sequence[ArrayLike], named: Mapping[str, ArrayLike]) -> list[Array]:
        """Return the inputs in order as float64 arrays; raise when one is missing or unknown."""
        ports = self._program.inputs
        names = [port.name for port in ports]
        unknown = [name for name in named if name not in names[len(arrays) :]]
        if unknown or len(arrays) > len(ports):
            what = unknown[0] if unknown else f"{len(arrays)} positional arguments"
            raise ArgumentError(
                f"{self._program.name} takes {', '.join(names)}; got {what}", argument=what, value=None, allowed=names
            )
        given: dict[str, ArrayLike] = {**self._defaults, **dict(zip(names, arrays, strict=False)), **named}
        missing = [name for name in names if name not in given]
        if missing:
            raise ArgumentError(f"{self._program.name} needs {missing[0]}", argument=missing[0], value=None)
        return [_as_input(given[port.name], port) for port in ports]

    def _run(self, inputs: list[Array], lead: tuple[int, ...], outputs: list[Array], threads: int) -> None:
        kernel, program = self._kernel, self._program
        if kernel is None:
            return
        if not lead:
            status = kernel.run(inputs, outputs)
            if status:
                raise_status(program, status, inputs)
            return
        rows = [_as_rows(array, port, lead) for array, port in zip(inputs, program.inputs, strict=True)]
        strides = [0 if a.ndim == len(p.shape) else p.size for a, p in zip(rows, program.inputs, strict=True)]
        row, status = kernel.run_batch(rows, strides, outputs, int(np.prod(lead)), threads)
        if status:
            raise_status(program, status, rows, row)

    def _interpret_rows(self, inputs: list[Array], lead: tuple[int, ...], outputs: list[Array]) -> None:
        program = self._program
        rows = [_as_rows(array, port, lead) for array, port in zip(inputs, program.inputs, strict=True)]
        flat = [out.reshape(-1, *port.shape) for out, port in zip(outputs, program.outputs, strict=True)]
        for k in range(int(np.prod(lead))):
            mine = [a if a.ndim == len(p.shape) else a[k] for a, p in zip(rows, program.inputs, strict=True)]
            values, status = program.interpret_flat([float(x) for array in mine for x in array.reshape(-1)])
            if status:
                raise_status(program, status, rows, k if lead else None)
            start = 0
            for target, port in zip(flat, program.outputs, strict=True):
                target[k] = np.array(values[start : start + port.size]).reshape(port.shape)
                start += port.size


def _as_input(value: ArrayLike, port: Port) -> Array:
    """Return an input as a C-contiguous float64 array whose last axes are the port's."""
    array = np.asarray(value)
    if array.dtype != np.float64:
        if array.dtype.kind not in "iuf":
            raise ShapeError(f"{port.name} has dtype {array.dtype}, needs real numbers", argument=port.name)
        array = array.astype(np.float64)
    own = len(port.shape)
    if array.ndim < own or array.shape[array.ndim - own :] != port.shape:
        raise ShapeError(
            f"{port.name} has shape {array.shape}, needs {port.shape} or batch axes before that",
            argument=port.name,
            expected=port.shape,
            actual=array.shape,
        )
    return np.ascontiguousarray(array) if array.ndim else array


def _leading_shape(ports: Sequence[Port], inputs: Sequence[Array]) -> tuple[int, ...]:
    """Return the common batch shape; raise ShapeError when the batch axes of the inputs do not fit each other."""
    leads = [array.shape[: array.ndim - len(port.shape)] for array, port in zip(inputs, ports, strict=True)]
    try:
        return np.broadcast_shapes(*leads)
    except ValueError:
        shapes = ", ".join(f"{port.name} {lead}" for port, lead in zip(ports, leads, strict=True))
        raise ShapeError(f"the batch axes do not fit each other: {shapes}", argument=ports[0].name) from None


def _as_rows(array: Array, port: Port, lead: tuple[int, ...]) -> Array:
    """Return an input as rows: one for all when it has no batch axes, else one per member of the batch."""
    own = array.shape[array.ndim - len(port.shape) :]
    if array.ndim == len(port.shape):
        return array
    return np.ascontiguousarray(np.broadcast_to(array, lead + own)).reshape(-1, *own)


def _outputs(ports: Sequence[Port], lead: tuple[int, ...], out: Array | Sequence[Array] | None) -> list[Array]:
    """Return the arrays results go to: new ones, or `out` when it fits."""
    if out is None:
        return [np.empty(lead + port.shape) for port in ports]
    given = [out] if isinstance(out, np.ndarray) else list(out)
    if len(given) != len(ports):
        raise ShapeError(f"out holds {len(given)} arrays, needs {len(ports)}", argument="out", expected=len(ports))
    for array, port in zip(given, ports, strict=True):
        shape, good = lead + port.shape, array.flags.c_contiguous and array.flags.writeable
        if array.dtype != np.float64 or array.shape != shape or not good:
            raise ShapeError(
                f"out for {port.name} must be a writeable C-contiguous float64 array of shape {shape}",
                argument="out",
                expected=shape,
                actual=array.shape,
            )
    return given
