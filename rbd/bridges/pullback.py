"""Pullbacks of recorded programs: vector-Jacobian products by one reverse sweep, without the Jacobian.

A program that calls an intrinsic without an adjoint, such as `solve_contact` with Coulomb friction, is differentiated
forwards, input by input: a reverse sweep would go through the call operand by operand, and there are more of those.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rbd.array_functions.arguments import as_input, leading_shape
from rbd.array_functions.function import RecordedFunction
from rbd.program.differentiate import derivative
from rbd.program.graph import Graph
from rbd.program.ports import Port, offsets
from rbd.program.program import Program
from rbd.program.recording import recording
from rbd.program.replay import replay
from rbd.scalars import Scalar
from rbd.scalars.arrays import Array


def pullback(program: Program) -> Callable[..., tuple[Array, ...]]:
    """Return the vector-Jacobian product: from inputs and cotangents of the outputs to cotangents of the inputs.

    These are the gradient of the sum of all outputs times their cotangents, by the entries of the inputs; batch axes of
    the arguments broadcast, and every result has them all. Raises ScalarError where there is no derivative; calls of
    it raise what a `RecordedFunction` raises.

    >>> import numpy as np, rbd
    >>> mechanism = rbd.robots.double_pendulum()
    >>> energy = pullback(rbd.record(rbd.gravitational_potential_energy, mechanism).program)
    >>> q = np.array([0.3, 0.4])
    >>> d_dq, d_dv = energy(q, np.zeros(2), 1.0)
    >>> np.allclose(d_dq, rbd.gravity_torques(rbd.MechanismState(mechanism, q)))
    True
    """
    ports = (*program.inputs, *program.outputs)
    gradient = RecordedFunction(derivative(_outputs_times_cotangents(program), "sum", "inputs"))

    def call(*arrays: Array) -> tuple[Array, ...]:
        inputs = [as_input(x, port) for x, port in zip(arrays, ports, strict=True)]
        lead, count = leading_shape(ports, inputs), len(program.inputs)
        values, cotangents = (
            _concatenated(ports[part], inputs[part], lead) for part in (slice(0, count), slice(count, None))
        )
        rows = np.asarray(gradient(values, cotangents))
        parts = offsets(program.inputs)
        return tuple(rows[..., i : i + port.size].reshape((*lead, *port.shape)) for i, port in parts)

    return call


def _outputs_times_cotangents(program: Program) -> Program:
    """Return the sum of all outputs times their cotangents, of all inputs in a row and all cotangents in a row."""
    with recording() as graph:
        inputs = _entries(graph, "inputs", program.inputs)
        cotangents = _entries(graph, "cotangents", program.outputs)
        total: Scalar = 0
        for cotangent, output in zip(cotangents, replay(program, inputs), strict=True):
            total = total + cotangent * output
        return Program.of(graph, f"{program.name}_pullback", {"sum": total})


def _entries(graph: Graph, name: str, ports: Sequence[Port]) -> Sequence[Scalar]:
    entries: Sequence[Scalar] = graph.input(name, (sum(port.size for port in ports),))
    return entries


def _concatenated(ports: Sequence[Port], arrays: Sequence[Array], lead: tuple[int, ...]) -> Array:
    """Return arrays side by side, row by row, with all batch axes."""
    flat = [
        np.broadcast_to(x, lead + port.shape).reshape((*lead, port.size)) for x, port in zip(arrays, ports, strict=True)
    ]
    return np.concatenate(flat, axis=-1)
