"""Recording: run a function of a state on recorded scalars, and keep the program of what it computed.

Compiled robots, live states and users' functions are all recorded here, so that the same algorithm with the same
options is the same program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rbd.mechanism import Mechanism
from rbd.program.graph import Graph, Nested
from rbd.program.program import Program
from rbd.state.parameters import ParameterName, ParameterValues, parameter_shape
from rbd.state.scalar_state import ScalarState

Arguments = Callable[[Graph], tuple[tuple[Any, ...], Mapping[str, Any]]]
"""Adds the inputs of a function's own arguments to a graph; returns those by position and by name."""


def no_arguments(graph: Graph) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """Return that a function takes nothing but the state."""
    return (), {}


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
    """Return the program of `function`; `outputs` makes named outputs of its result.

    The inputs are q, v (without velocity v is structural zeros), those of the arguments, then `parameters`; all other
    parameters are constants as the mechanism has them now. `regroup` as in `ScalarState`.
    """
    graph = Graph()
    q = graph.input("q", (mechanism.nq,))
    v = graph.input("v", (mechanism.nv,)) if with_velocity else (0,) * mechanism.nv
    args, named = arguments(graph)
    values: dict[str, Nested] = {each: graph.input(each, parameter_shape(mechanism, each)) for each in parameters}
    given = ParameterValues(mechanism, values) if values else None
    state = ScalarState(mechanism, q, v, parameters=given, regroup=regroup)
    return Program.of(graph, name, outputs(function(state, *args, **named)))
