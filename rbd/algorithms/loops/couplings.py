"""Constraint rows of couplings: q - f(x) = 0 for the coordinates q of a joint and x of its source.

Differentiated twice: v - f'(x) v_x = 0 is the row of K, and -f''(x) v_x² its entry of k.
"""

from __future__ import annotations

from rbd.algorithms.assembly import Rows
from rbd.algorithms.loops.loop_gains import LoopGains
from rbd.indexing.layout import CouplingRow
from rbd.kernels.state_view import StateView
from rbd.mechanism.coupling import polynomial
from rbd.scalars import Scalar


def write_coupling_row(K: Rows, state: StateView, row: CouplingRow) -> None:
    """Write the row of a coupling, which has two entries."""
    index: int = row.rows.start
    K[index][row.node.v_slice.start] = 1
    if row.source is not None:
        K[index][row.source.v_slice.start] = -_slope(state, row)


def coupling_error(state: StateView, row: CouplingRow) -> Scalar:
    """Return q - f(x)."""
    (q,) = state.joint_q(row.node)
    return q - polynomial(row.coupling.coefficients, _source(state, row)[0])


def coupling_bias(state: StateView, row: CouplingRow, gains: LoopGains | None) -> Scalar:
    """Return the entry of k, with the terms of the stabilisation."""
    x, x_rate = _source(state, row)
    bias = -(polynomial(row.coupling.curvature_coefficients, x) * (x_rate * x_rate))
    if gains is None:
        return bias
    (v,) = state.joint_v(row.node)
    slip = v if row.source is None else v - _slope(state, row) * x_rate
    return bias + gains.coordinate_terms(coupling_error(state, row), slip)


def _slope(state: StateView, row: CouplingRow) -> Scalar:
    return polynomial(row.coupling.slope_coefficients, _source(state, row)[0])


def _source(state: StateView, row: CouplingRow) -> tuple[Scalar, Scalar]:
    """Return coordinate and velocity of the source; zeros without one."""
    if row.source is None:
        return 0, 0
    (x,), (rate,) = state.joint_q(row.source), state.joint_v(row.source)
    return x, rate
