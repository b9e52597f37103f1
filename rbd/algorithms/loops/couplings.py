"""Constraint rows of couplings: q - f(x) = 0 for the coordinates q of a joint and x of its source.

Differentiated twice: v - f'(x) v_x = 0 is the row of K, and -f''(x) v_x² its entry of k.
"""

from __future__ import annotations

from rbd.algorithms.assembly import Rows
from rbd.algorithms.loops.stabilization import LoopGains
from rbd.indexing.layout import CouplingRow
from rbd.mechanism.coupling import polynomial
from rbd.scalars import Scalar
from rbd.state import StateView


def write_coupling_row(K: Rows, state: StateView, node: CouplingRow) -> None:
    """Write the row of a coupling, which has two entries."""
    row: int = node.rows.start
    K[row][node.node.v.start] = 1
    if node.source is not None:
        K[row][node.source.v.start] = -_slope(state, node)


def coupling_error(state: StateView, node: CouplingRow) -> Scalar:
    """Return q - f(x)."""
    (q,) = state.joint_q(node.node)
    return q - polynomial(node.coupling.coefficients, _source(state, node)[0])


def coupling_bias(state: StateView, node: CouplingRow, gains: LoopGains | None) -> Scalar:
    """Return the entry of k, with the terms of the stabilisation."""
    x, x_rate = _source(state, node)
    bias = -(polynomial(node.coupling.curvature_coefficients, x) * (x_rate * x_rate))
    if gains is None:
        return bias
    (v,) = state.joint_v(node.node)
    slip = v if node.source is None else v - _slope(state, node) * x_rate
    return bias + gains.coordinate_terms(coupling_error(state, node), slip)


def _slope(state: StateView, node: CouplingRow) -> Scalar:
    return polynomial(node.coupling.slope_coefficients, _source(state, node)[0])


def _source(state: StateView, node: CouplingRow) -> tuple[Scalar, Scalar]:
    """Return coordinate and velocity of the source; zeros without one."""
    if node.source is None:
        return 0, 0
    (x,), (rate,) = state.joint_q(node.source), state.joint_v(node.source)
    return x, rate
