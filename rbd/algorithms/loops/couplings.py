"""Constraint rows of couplings: q - f(x) = 0 for the coordinates q of a joint and x of its source.

Differentiated twice: v - f'(x) v_x = 0 is the row of K, and -f''(x) v_x² its entry of k.
"""

from __future__ import annotations

from rbd.algorithms.assembly import Rows
from rbd.algorithms.loops.stabilization import LoopGains
from rbd.kinematics.layout import CouplingLink
from rbd.mechanism.coupling import polynomial
from rbd.scalars import Scalar
from rbd.state import StateView


def write_coupling_row(K: Rows, state: StateView, link: CouplingLink) -> None:
    """Write the row of a coupling, which has two entries."""
    row: int = link.rows.start
    K[row][link.link.v.start] = 1
    if link.source is not None:
        K[row][link.source.v.start] = -_slope(state, link)


def coupling_error(state: StateView, link: CouplingLink) -> Scalar:
    """Return q - f(x)."""
    (q,) = state.joint_q(link.link)
    return q - polynomial(link.coupling.coefficients, _source(state, link)[0])


def coupling_bias(state: StateView, link: CouplingLink, gains: LoopGains | None) -> Scalar:
    """Return the entry of k, with the terms of the stabilisation."""
    x, x_rate = _source(state, link)
    bias = -(polynomial(link.coupling.curvature_coefficients, x) * (x_rate * x_rate))
    if gains is None:
        return bias
    (v,) = state.joint_v(link.link)
    slip = v if link.source is None else v - _slope(state, link) * x_rate
    return bias + gains.coordinate_terms(coupling_error(state, link), slip)


def _slope(state: StateView, link: CouplingLink) -> Scalar:
    return polynomial(link.coupling.slope_coefficients, _source(state, link)[0])


def _source(state: StateView, link: CouplingLink) -> tuple[Scalar, Scalar]:
    """Return coordinate and velocity of the source; zeros without one."""
    if link.source is None:
        return 0, 0
    (x,), (rate,) = state.joint_q(link.source), state.joint_v(link.source)
    return x, rate
