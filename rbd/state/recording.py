"""The state an algorithm is recorded with.

Room: state; may import mechanism and above. Whoever records (compiled robots, live states, users' functions) makes the
state here, so that the same algorithm with the same options is the same program.
"""

from __future__ import annotations

from collections.abc import Iterable

from rbd.mechanism import Mechanism
from rbd.scalars.graph import Graph, Nested
from rbd.state.parameters import ParameterName, ParameterValues, parameter_shape
from rbd.state.scalar_state import ScalarState


def coordinate_inputs(graph: Graph, mechanism: Mechanism, *, with_velocity: bool = True) -> tuple[Nested, Nested]:
    """Return the inputs q and v; without velocity, v is structural zeros and no input."""
    q = graph.input("q", (mechanism.nq,))
    return q, graph.input("v", (mechanism.nv,)) if with_velocity else (0,) * mechanism.nv


def recording_state(
    graph: Graph,
    mechanism: Mechanism,
    coordinates: tuple[Nested, Nested],
    parameters: Iterable[ParameterName] = (),
    *,
    regroup: bool = False,
) -> ScalarState:
    """Return a state at recorded coordinates; `parameters` become inputs, all others are baked in as they are now."""
    values: dict[str, Nested] = {name: graph.input(name, parameter_shape(mechanism, name)) for name in parameters}
    given = ParameterValues(mechanism, values) if values else None
    return ScalarState(mechanism, *coordinates, parameters=given, regroup=regroup)
