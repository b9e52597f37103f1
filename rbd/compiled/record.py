"""Recording a function of a state into a program."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from rbd.arguments import require_callable, whole_number
from rbd.compiled.charts import Charts
from rbd.compiled.function import RecordedFunction
from rbd.compiled.recipes import Recipe
from rbd.errors import ArgumentError
from rbd.mechanism import Mechanism
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars.arrays import to_float_array
from rbd.spatial import Transform
from rbd.spatial.values import require_kind
from rbd.state.layout import layout_of
from rbd.state.parameters import ParameterName, current_values
from rbd.state.recorder import Arguments, record_program
from rbd.state.recording_cache import recorded_or_found

Shape: TypeAlias = int | tuple[int, ...]


def record(function: Callable[..., object], mechanism: Mechanism, **inputs: Shape) -> RecordedFunction:
    """Record `function(state, ...)` for `mechanism`: run it once on recorded scalars and keep what it computed.

    `inputs` names the function's other arguments with their lengths or shapes; they are handed over as object arrays of
    scalars. The function may call any query or algorithm of rbd and compute with `rbd.scalars`, or with `**`, `abs` and
    NumPy's functions of arrays; it may return a scalar, an array, a framed value (its components are taken, of a
    Transform its homogeneous matrix) or a dict of those. It must not branch on values: RecordingError
    says where it does. Parameters of the mechanism are baked in as they are now.

    The result is called with q, v and the inputs, in this order.

    >>> import numpy as np, rbd
    >>> mechanism = rbd.robots.double_pendulum()
    >>> def power(state, tau):
    ...     return sum(t * rate for t, rate in zip(tau, state.v))
    >>> recorded = rbd.record(power, mechanism, tau=mechanism.nv)
    >>> float(recorded([0.1, 0.2], [1.0, 2.0], [3.0, 4.0]))
    11.0
    """
    require_callable(function, "function", "a function of a state")
    require_kind(mechanism, Mechanism, operation="rbd.record", argument="mechanism")
    program = recorded_program(function, mechanism, inputs, getattr(function, "__name__", "function"))
    return RecordedFunction(program, charts=Charts.of(mechanism))


def recorded_program(
    function: Callable[..., object], mechanism: Mechanism, inputs: Mapping[str, Shape], name: str
) -> Program:
    """Return the program of `function`, with inputs q, v and `inputs`."""
    return record_program(function, mechanism, _identifier(name), _inputs(inputs), _named)


def recorded_function(
    recipe: Recipe, mechanism: Mechanism, name: str, parameters: Sequence[ParameterName] = ()
) -> RecordedFunction:
    """Return what a recipe gives for `mechanism`: inputs q, v where it depends on it, its own, then the parameters.

    `name` must name one of rbd's own recipes with all its options, as what was recorded before is found by it.
    """
    what = repr((name, recipe.coordinates, recipe.inputs, recipe.regroup, tuple(parameters)))
    source = recorded_or_found(mechanism, what, lambda current: _program(recipe, current, name, parameters))
    return RecordedFunction(source, {key: to_float_array(current_values(mechanism, key)) for key in parameters})


def recorded_anew(recipe: Recipe, mechanism: Mechanism, name: str) -> RecordedFunction:
    """Return what a recipe gives that has something of the user's in it: it is always recorded."""
    return RecordedFunction(_program(recipe, mechanism, name, ()))


def _program(recipe: Recipe, mechanism: Mechanism, name: str, parameters: Sequence[ParameterName]) -> Program:
    return record_program(
        recipe.function,
        mechanism,
        _identifier(re.sub(r"\W+", "_", name)),
        _inputs(recipe.shapes(mechanism.nv, layout_of(mechanism).ns)),
        _named,
        parameters=parameters,
        regroup=recipe.regroup,
        with_velocity=recipe.coordinates == "qv",
    )


def _inputs(shapes: Mapping[str, Shape]) -> Arguments:
    """Return what adds arguments of these lengths or shapes to a graph."""
    return lambda graph: ((), {name: _argument(graph, name, shape) for name, shape in shapes.items()})


def _argument(graph: Graph, name: str, shape: Shape) -> object:
    """Return an input as the function sees it: an object array, or one scalar for the shape ()."""
    full = _full_shape(name, shape)
    scalars = graph.input(name, full)
    if not full:
        return scalars
    array = np.empty(full, dtype=np.object_)
    array[...] = _as_objects(scalars, full)
    return array


def _full_shape(name: str, shape: object) -> tuple[int, ...]:
    """Return a length or a shape as a shape; raise ArgumentError for anything else."""
    lengths = cast("Sequence[object]", shape) if isinstance(shape, (tuple, list)) else (shape,)
    return tuple(whole_number(length, f"{name} (a length or a shape)", 0) for length in lengths)


def _as_objects(nested: object, shape: tuple[int, ...]) -> Any:
    """Return nested tuples as an object array without NumPy looking into the scalars."""
    array = np.empty(shape, dtype=np.object_)
    for index in np.ndindex(*shape):
        value: Any = nested
        for i in index:
            value = value[i]
        array[index] = value
    return array


def _named(outcome: object) -> dict[str, object]:
    """Return what a function gave back as named nested tuples of scalars."""
    if isinstance(outcome, Mapping):
        return {str(key): _nested(value) for key, value in cast("Mapping[object, object]", outcome).items()}
    return {"result": _nested(outcome)}


def _nested(value: object) -> object:
    """Return an array, a framed value or a sequence as nested tuples; an empty array, whose shape counts, as it is."""
    if value is None:
        raise ArgumentError("the recorded function returned None; it must return what it computes", argument="function")
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
