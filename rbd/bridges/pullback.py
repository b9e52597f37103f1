"""The pullback of a recorded program: from weights on its outputs to the gradient by all its inputs, in one sweep.

What reverse differentiation of other libraries asks for; a Jacobian never exists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import numpy as np

from rbd.compiled.arguments import as_input, leading_shape
from rbd.compiled.function import RecordedFunction
from rbd.program.differentiate import derivative
from rbd.program.graph import Graph
from rbd.program.program import Port, Program
from rbd.program.replay import replay
from rbd.scalars import Scalar
from rbd.scalars.arrays import Array


def pullback(program: Program) -> Callable[..., tuple[Array, ...]]:
    """Return a function of the inputs, then weights on the outputs, that gives the gradient by every input.

    The gradient is that of the sum of all outputs times their weights, by the entries of the inputs; batch axes of the
    arguments broadcast, and every result has them all. Raises ScalarError where there is no derivative; its results
    what a `RecordedFunction` raises.

    >>> import numpy as np, rbd
    >>> mechanism = rbd.robots.double_pendulum()
    >>> energy = pullback(rbd.record(rbd.gravitational_potential_energy, mechanism).program)
    >>> q = np.array([0.3, 0.4])
    >>> d_dq, d_dv = energy(q, np.zeros(2), 1.0)
    >>> np.allclose(d_dq, rbd.gravity_torques(rbd.MechanismState(mechanism, q)))
    True
    """
    ports = (*program.inputs, *program.outputs)
    gradient = RecordedFunction(derivative(_weighted(program), "sum", "inputs"))
    ends = list(accumulate((port.size for port in program.inputs), initial=0))

    def pulled(*arrays: Array) -> tuple[Array, ...]:
        given = [as_input(x, port) for x, port in zip(arrays, ports, strict=True)]
        lead = leading_shape(ports, given)
        count = len(program.inputs)
        found = np.asarray(gradient(_row(ports[:count], given[:count], lead), _row(ports[count:], given[count:], lead)))
        parts = zip(program.inputs, pairwise(ends), strict=True)
        return tuple(found[..., i:j].reshape((*lead, *port.shape)) for port, (i, j) in parts)

    return pulled


def _weighted(program: Program) -> Program:
    """Return the sum of all outputs times their weights, of all inputs in a row and all weights in a row."""
    graph = Graph()
    inputs = _entries(graph, "inputs", program.inputs)
    weights = _entries(graph, "gradient", program.outputs)
    total: Scalar = 0
    for weight, output in zip(weights, replay(program, inputs), strict=True):
        total = total + weight * output
    return Program.of(graph, f"{program.name}_pullback", {"sum": total})


def _entries(graph: Graph, name: str, ports: Sequence[Port]) -> Sequence[Scalar]:
    entries: Sequence[Scalar] = graph.input(name, (sum(port.size for port in ports),))
    return entries


def _row(ports: Sequence[Port], arrays: Sequence[Array], lead: tuple[int, ...]) -> Array:
    """Return arrays side by side, row by row, with all batch axes."""
    flat = [
        np.broadcast_to(x, lead + port.shape).reshape((*lead, port.size)) for x, port in zip(arrays, ports, strict=True)
    ]
    return np.concatenate(flat, axis=-1)
