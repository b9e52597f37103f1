"""Recorded functions of polynomials."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from rbd.array_functions.function import RecordedFunction
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.program.recording import recording
from rbd.rational.polynomials.horner import Values, horner
from rbd.rational.polynomials.ring import Ring, Terms
from rbd.rational.polynomials.substitution import ScalarSubstitution, scalar_values
from rbd.scalars import Vector


def recorded_polynomials(
    ring: Ring, name: str, outputs: Mapping[str, Any], substitution: ScalarSubstitution = scalar_values
) -> RecordedFunction:
    """Return a recorded function of s: `outputs` are terms in nested tuples, by name."""
    with recording() as graph:
        s: Vector = graph.input("s", (ring.s_count,))
        return _function(graph, name, outputs, substitution(ring, s))


def recorded_ratio(
    ring: Ring, name: str, numerator: Terms, denominator: Terms, substitution: ScalarSubstitution
) -> RecordedFunction:
    """Return a quotient as a recorded function of s."""
    with recording() as graph:
        values = substitution(ring, graph.input("s", (ring.s_count,)))
        ratio = horner(numerator, values) / horner(denominator, values)
        return RecordedFunction(Program.of(graph, name, {"result": ratio}))


def recorded_in_variables(ring: Ring, name: str, outputs: Mapping[str, Any]) -> RecordedFunction:
    """Return a recorded function of all variables, which are finite at infinite s too."""
    with recording() as graph:
        variables: Vector = graph.input("variables", (len(ring.names),))
        return _function(graph, name, outputs, dict(enumerate(variables)))


def _function(graph: Graph, name: str, outputs: Mapping[str, Any], values: Values) -> RecordedFunction:
    def nested(x: Any) -> Any:
        return horner(cast("Terms", x), values) if isinstance(x, dict) else tuple(nested(y) for y in x)

    return RecordedFunction(Program.of(graph, name, {key: nested(x) for key, x in outputs.items()}))
