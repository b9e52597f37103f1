"""Recording of functions of a state."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias, cast

from rbd.arguments import require_callable, require_kind, whole_number
from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.named_outputs import named_outputs
from rbd.array_functions.recording_spec import RecordingSpec
from rbd.array_functions.velocity_map import VelocityMap
from rbd.errors import ArgumentError
from rbd.indexing.layout import layout_of
from rbd.mechanism import Mechanism
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.recorder.record_program import Arguments, record_program
from rbd.recorder.recording_cache import load_or_record
from rbd.scalar_states.parameter_arrays import ParameterName, parameter_array
from rbd.scalars.arrays import pack

InputShape: TypeAlias = int | tuple[int, ...]
_RESERVED_NAMES: Final = {"self", "state", "q", "v", "out", "threads", "status"}
"""Names of arguments of every recorded function."""


def record(function: Callable[..., object], mechanism: Mechanism, **inputs: InputShape) -> RecordedFunction:
    """Record `function(state, ...)` for `mechanism`: run it once on recorded scalars, and return its program.

    `inputs` maps the names of the function's other arguments to lengths or shapes; they are arrays of recorded
    scalars. The function may call all queries and algorithms of rbd, functions of `rbd.scalars`, and NumPy's
    functions of arrays (see `docs/guide/recording.md`). It may return a scalar, an array, a framed value (its
    components; for a Transform its homogeneous matrix), or a dict, a tuple of arrays, a NamedTuple or one of rbd's
    classes of results, such as `StepDerivatives` or `DynamicsResult`: these have one output per part, named after
    keys, indices (`result_0`) or fields. Tuples and lists of scalars or framed values of one kind, and lists of arrays
    of one shape, are one array. It must not branch on values: RecordingError names the line. Parameters of the
    mechanism are constants with their current values. No input is called `function`, `mechanism`, `state`, `q`, `v`,
    `out`, `threads` or `status`.

    Call the result with q, v and the inputs, in this order. Raises ArgumentError for functions with other parameters,
    ArgumentError or ScalarError for other results, RecordingLimitError above a million operations, and what the
    function raises.

    >>> import numpy as np, rbd
    >>> mechanism = rbd.robots.double_pendulum()
    >>> def power(state, tau):
    ...     return sum(t * rate for t, rate in zip(tau, state.v))
    >>> recorded = rbd.record(power, mechanism, tau=mechanism.nv)
    >>> float(recorded([0.1, 0.2], [1.0, 2.0], [3.0, 4.0]))
    11.0
    """
    require_callable(function, "function", "a function of a state")
    for name in sorted(_RESERVED_NAMES.intersection(inputs)):
        message = f"no input of a recorded function can have the name {name!r}; rename the argument of the function"
        raise ArgumentError(message, argument=name, value=inputs[name])
    require_kind(mechanism, Mechanism, operation="rbd.record", argument="mechanism")
    _require_parameters(function, inputs)
    program = program_of_function(function, mechanism, inputs, getattr(function, "__name__", "function"))
    return RecordedFunction(program, velocity_map=VelocityMap.of(mechanism))


def _require_parameters(function: Callable[..., object], inputs: Mapping[str, object]) -> None:
    """Raise ArgumentError unless `function` takes a state and the inputs by name."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # builtins may have none
        return
    try:
        signature.bind(None, **inputs)
    except TypeError as error:
        wanted = ", ".join(["state", *inputs])
        message = f"function is called as function({wanted}), but has the parameters {signature}: {error}"
        message = f"{message}; {_advice(signature)}"
        raise ArgumentError(message, argument="function", value=function, allowed=f"({wanted})") from None


def _advice(signature: inspect.Signature) -> str:
    """Return advice on recording a callback of a simulation, or a function of more inputs."""
    if [*signature.parameters][:2] == ["t", "state"]:
        return "the state comes first: record lambda state, t: control(t, state), with t=()"
    return "rbd.record takes a length or a shape for each of its inputs, as in rbd.record(function, mechanism, tau=7)"


def program_of_function(
    function: Callable[..., object],
    mechanism: Mechanism,
    inputs: Mapping[str, InputShape],
    name: str,
    *,
    parameters: Sequence[ParameterName] = (),
    regroup: bool = False,
    with_velocity: bool = True,
) -> Program:
    """Return the program of a function of a state, called `name` if that is an identifier.

    Its inputs are q, v unless `with_velocity` is False, `inputs`, then `parameters`. `regroup` as in `ScalarState`.
    """
    return record_program(
        function,
        mechanism,
        name if name.isidentifier() else "function",
        _arguments(inputs),
        named_outputs,
        parameters=parameters,
        regroup=regroup,
        with_velocity=with_velocity,
    )


def load_or_record_spec(
    spec: RecordingSpec, mechanism: Mechanism, name: str, parameters: Sequence[ParameterName] = ()
) -> RecordedFunction:
    """Return the recorded function of a specification: inputs q, v if it depends on v, its arguments, the parameters.

    `name` contains all options of a function of rbd, since it is a key of the disk cache.
    """
    what = repr((name, spec.coordinates, tuple(spec.inputs), spec.regroup, tuple(parameters)))
    lazy_program = load_or_record(mechanism, what, lambda current: _program_of_spec(spec, current, name, parameters))
    return RecordedFunction(lazy_program, {key: parameter_array(mechanism, key) for key in parameters})


def record_spec(spec: RecordingSpec, mechanism: Mechanism, name: str) -> RecordedFunction:
    """Return the recorded function of a specification with code of users, which is not cached."""
    return RecordedFunction(_program_of_spec(spec, mechanism, name, ()))


def _program_of_spec(
    spec: RecordingSpec, mechanism: Mechanism, name: str, parameters: Sequence[ParameterName]
) -> Program:
    return program_of_function(
        spec.function,
        mechanism,
        spec.shapes(mechanism.nq, mechanism.nv, layout_of(mechanism).ns),
        re.sub(r"\W+", "_", name),
        parameters=parameters,
        regroup=spec.regroup,
        with_velocity=spec.coordinates == "qv",
    )


def _arguments(shapes: Mapping[str, InputShape]) -> Arguments:
    """Return a function that adds arguments of these lengths or shapes to a graph."""
    return lambda graph: ((), {name: _argument(graph, name, shape) for name, shape in shapes.items()})


def _argument(graph: Graph, name: str, shape: InputShape) -> object:
    """Return an input as an argument of the function: an array of scalars, or a scalar for the shape ()."""
    full = _checked_shape(name, shape)
    scalars = graph.input(name, full)
    return pack(scalars).reshape(full) if full else scalars  # an empty array has floats


def _checked_shape(name: str, shape: object) -> tuple[int, ...]:
    """Return a length or a shape as a shape; raise ArgumentError for other values."""
    lengths = cast("Sequence[object]", shape) if isinstance(shape, (tuple, list)) else (shape,)
    return tuple(whole_number(length, f"{name} (a length or a shape)", 0) for length in lengths)
