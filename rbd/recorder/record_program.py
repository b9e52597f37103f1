"""Recorder: runs a function of a state on recorded scalars and returns the program.

Compiled robots, live states and functions of users share this recorder, so that the same algorithm with the same
options is the same program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from rbd.mechanism import Mechanism
from rbd.program.graph import Graph, Nested
from rbd.program.program import Program
from rbd.program.recording import recording
from rbd.recorded_arrays.refusals import advice_on_numpy
from rbd.scalar_states.parameter_arrays import ParameterName, ParameterValues, parameter_shape
from rbd.scalar_states.scalar_state import ScalarState

R = TypeVar("R")

Arguments = Callable[[Graph], tuple[tuple[Any, ...], Mapping[str, Any]]]
"""Adds inputs for the arguments of a function to a graph; returns arguments by position and by name."""


def record_program(
    function: Callable[..., Any],
    mechanism: Mechanism,
    name: str,
    arguments: Arguments,
    outputs: Callable[[Any], Mapping[str, Nested]],
    *,
    parameters: Iterable[ParameterName] = (),
    regroup: bool = False,
    with_velocity: bool = True,
) -> Program:
    """Return the program of `function`; `outputs` converts its result to named outputs.

    The inputs are q, v (without velocity, v is structural zeros), the arguments, then `parameters`; all other
    parameters are constants with their current values. `regroup` as in `ScalarState`.
    """
    with recording() as graph:
        result = run_recorded(
            graph, function, mechanism, arguments, parameters=parameters, regroup=regroup, with_velocity=with_velocity
        )
        return Program.of(graph, name, outputs(result))


def run_recorded(
    graph: Graph,
    function: Callable[..., R],
    mechanism: Mechanism,
    arguments: Arguments,
    *,
    parameters: Iterable[ParameterName] = (),
    regroup: bool = False,
    with_velocity: bool = True,
) -> R:
    """Return the result of `function` on new inputs of a graph; see `record_program`."""
    q = graph.input("q", (mechanism.nq,))
    v = graph.input("v", (mechanism.nv,)) if with_velocity else (0,) * mechanism.nv
    args, named = arguments(graph)
    values: dict[str, Nested] = {each: graph.input(each, parameter_shape(mechanism, each)) for each in parameters}
    parameter_values = ParameterValues(values) if values else None
    state = ScalarState(mechanism, q, v, parameters=parameter_values, regroup=regroup)
    with advice_on_numpy():
        return function(state, *args, **named)
