"""Recording of functions of a state."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

import attrs
import numpy as np
from numpy.typing import NDArray

from rbd.algorithms.results.dynamics_result import DynamicsResult
from rbd.algorithms.results.solution import SOLVED_ARRAYS
from rbd.arguments import require_callable, require_kind, whole_number
from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.recording_spec import RecordingSpec
from rbd.array_functions.velocity_map import VelocityMap
from rbd.errors import ArgumentError
from rbd.indexing.layout import layout_of
from rbd.indexing.parameter_arrays import ParameterName, current_values
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.recorder.record_program import Arguments, record_program
from rbd.recorder.recording_cache import load_or_record
from rbd.scalars.arrays import pack, to_float_array
from rbd.spatial import Frame, Transform
from rbd.spatial.values import SpatialValue

Shape: TypeAlias = int | tuple[int, ...]
_NO_OUTPUTS = (str, bool, type(None), RigidBody, Joint, Frame)
"""Types of other fields of classes of results."""
_RESERVED: Final = {"self", "state", "q", "v", "out", "threads", "status"}
"""Names of arguments of every recorded function."""


def record(function: Callable[..., object], mechanism: Mechanism, **inputs: Shape) -> RecordedFunction:
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
    for name in sorted(_RESERVED.intersection(inputs)):
        message = f"no input of a recorded function can have the name {name!r}; rename the argument of the function"
        raise ArgumentError(message, argument=name, value=inputs[name])
    require_kind(mechanism, Mechanism, operation="rbd.record", argument="mechanism")
    _require_parameters(function, inputs)
    program = recorded_program(function, mechanism, inputs, getattr(function, "__name__", "function"))
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
        message = (
            f"function is called as function({wanted}), but has the parameters {signature}: {error}; rbd.record takes "
            "a length or a shape for each of its inputs, as in rbd.record(function, mechanism, tau=7)"
        )
        raise ArgumentError(message, argument="function", value=function, allowed=f"({wanted})") from None


def recorded_program(
    function: Callable[..., object],
    mechanism: Mechanism,
    inputs: Mapping[str, Shape],
    name: str,
    *,
    parameters: Sequence[ParameterName] = (),
    regroup: bool = False,
) -> Program:
    """Return the program of `function`, with inputs q, v, `inputs` and `parameters`; `regroup` as in `ScalarState`."""
    names = _identifier(name), _inputs(inputs), _named
    return record_program(function, mechanism, *names, parameters=parameters, regroup=regroup)


def recorded_function(
    spec: RecordingSpec, mechanism: Mechanism, name: str, parameters: Sequence[ParameterName] = ()
) -> RecordedFunction:
    """Return the recorded function of a specification: inputs q, v if it depends on v, its arguments, the parameters.

    `name` contains all options of a function of rbd, since it is a key of the disk cache.
    """
    what = repr((name, spec.coordinates, tuple(spec.inputs), spec.regroup, tuple(parameters)))
    lazy_program = load_or_record(mechanism, what, lambda current: _program(spec, current, name, parameters))
    return RecordedFunction(lazy_program, {key: to_float_array(current_values(mechanism, key)) for key in parameters})


def record_uncached(spec: RecordingSpec, mechanism: Mechanism, name: str) -> RecordedFunction:
    """Return the recorded function of a specification with code of users, which is not cached."""
    return RecordedFunction(_program(spec, mechanism, name, ()))


def _program(spec: RecordingSpec, mechanism: Mechanism, name: str, parameters: Sequence[ParameterName]) -> Program:
    return record_program(
        spec.function,
        mechanism,
        _identifier(re.sub(r"\W+", "_", name)),
        _inputs(spec.shapes(mechanism.nq, mechanism.nv, layout_of(mechanism).ns)),
        _named,
        parameters=parameters,
        regroup=spec.regroup,
        with_velocity=spec.coordinates == "qv",
    )


def _inputs(shapes: Mapping[str, Shape]) -> Arguments:
    """Return a function that adds arguments of these lengths or shapes to a graph."""
    return lambda graph: ((), {name: _argument(graph, name, shape) for name, shape in shapes.items()})


def _argument(graph: Graph, name: str, shape: Shape) -> object:
    """Return an input as an argument of the function: an object array, or a scalar for the shape ()."""
    full = _full_shape(name, shape)
    scalars = graph.input(name, full)
    return _as_objects(scalars, full) if full else scalars


def _full_shape(name: str, shape: object) -> tuple[int, ...]:
    """Return a length or a shape as a shape; raise ArgumentError for other values."""
    lengths = cast("Sequence[object]", shape) if isinstance(shape, (tuple, list)) else (shape,)
    return tuple(whole_number(length, f"{name} (a length or a shape)", 0) for length in lengths)


def _as_objects(nested: object, shape: tuple[int, ...]) -> Any:
    """Return nested tuples of recorded scalars as an array; an empty one has floats."""
    return pack(nested).reshape(shape)


def _named(outcome: object) -> dict[str, object]:
    """Return the result of a function as named nested tuples of scalars."""
    named, places = dict[str, object](), dict[str, str]()
    for name, place, value in _outputs("", "", outcome):
        output = name or "result"
        if output in named:
            message = f"{places[output]} and {place} of the recorded function's result both give the output {output!r}"
            raise ArgumentError(f"{message}; rename one of the keys", argument="function", value=output)
        named[output], places[output] = value, place
    return named


def _outputs(name: str, place: str, value: object) -> Iterator[tuple[str, str, object]]:
    """Yield name, place in the result, and value of each output: one, or one per part, by keys, fields or indices."""
    parts = _parts_of(value)
    if parts is None:
        yield name, place, _nested(value)
        return
    for key, part in parts.items():
        yield from _outputs(f"{name}_{key}" if name else str(key), f"{place}[{key!r}]", part)


def _parts_of(value: object) -> Mapping[Any, object] | None:
    """Return the parts of a result by key: of mappings, classes of results, named tuples, and tuples of arrays."""
    if isinstance(value, Mapping):
        return cast("Mapping[Any, object]", value)
    if isinstance(value, SpatialValue):
        return None
    if isinstance(value, DynamicsResult):
        return {name: getattr(value, name) for name in SOLVED_ARRAYS}
    kind: type[Any] = type(value)
    if attrs.has(kind):
        fields = {field.name: getattr(value, field.name) for field in attrs.fields(kind)}
        return {name: part for name, part in fields.items() if not isinstance(part, _NO_OUTPUTS)}
    if not isinstance(value, (tuple, list)):
        return None
    entries, names = cast("Sequence[object]", value), getattr(cast("object", value), "_fields", None)
    if names is None and not _is_composed(entries):
        return None
    return dict(zip(names or [f"result_{i}" for i in range(len(entries))], entries, strict=True))


def _is_composed(entries: Sequence[object]) -> bool:
    """Return whether a tuple or list is no array: its entries have parts or different shapes, or a tuple holds arrays.

    The last keeps outputs the same for all mechanisms: q and v of some have one shape.
    """
    holds_arrays = isinstance(entries, tuple) and any(isinstance(x, np.ndarray) and x.ndim > 0 for x in entries)
    composed = holds_arrays or any(_parts_of(entry) is not None for entry in entries)
    return composed or len({_shape_of(entry) for entry in entries}) > 1


def _shape_of(value: object) -> tuple[int, ...]:
    """Return the shape of a value as an array; for ragged sequences, that of the outermost level."""
    if isinstance(value, np.ndarray):
        return cast("NDArray[Any]", value).shape
    nested = _nested(value)
    if not isinstance(nested, tuple):
        return ()
    entries = cast("tuple[object, ...]", nested)
    inner = {_shape_of(entry) for entry in entries}
    return (len(entries), *(inner.pop() if len(inner) == 1 else ()))


def _nested(value: object) -> object:
    """Return an array, a framed value or a sequence as nested tuples; an empty array, for its shape, unchanged."""
    if value is None:
        raise ArgumentError("the recorded function returned None; it must return its results", argument="function")
    if isinstance(value, np.ndarray):
        return _nested(cast("object", value.tolist())) if value.size else cast("object", value)
    if isinstance(value, (tuple, list)):
        return tuple(_nested(entry) for entry in cast("list[object]", value))
    if isinstance(value, Transform):
        rows = zip(value.rotation_components, value.translation_components, strict=True)
        return *((*row, x) for row, x in rows), (0, 0, 0, 1)
    components = getattr(value, "components", None)
    return value if components is None else _nested(components)


def _identifier(name: str) -> str:
    return name if name.isidentifier() else "function"
