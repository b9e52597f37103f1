"""The problem of contact accelerations, with and without friction: equations and bounds.

Without friction there is one row per pair: that of the normal. With friction there are two more, those of the tangents
times mu. The first tangent is the direction in which the point slides or, at rest, would slide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, final

from rbd.contact.dynamics.contacts import acceleration_bounds, contacts_of, mass_and_factor, nearer_than, net_torques
from rbd.contact.dynamics.friction_cone import tangents
from rbd.contact.dynamics.point_jacobian import contact_point_jacobian
from rbd.contact.geometry.vectors import where3
from rbd.contact.model.contact_kinematics import nearest_in_base, point_bias_acceleration
from rbd.contact.model.pairs import Pair
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Condition, Matrix, Scalar, Vector, both, const, less, where
from rbd.scalars.linear_algebra import add, matvec
from rbd.spatial.linalg import add3, dot3

_SLOW = const(1, 10**6)
"""Square of the speed above which a point slides: a millimetre per second."""


class ContactProblem(NamedTuple):
    """M vd = f + J_n' lam_n + J_t' lam_t, with J_n vd >= bounds; rows of pairs that do not touch are zero."""

    M: Matrix
    f: Vector
    J_n: Matrix
    bounds: Vector
    J_t: Matrix
    """Two rows mu t' J per pair; none without friction."""
    bias_t: Vector
    """The tangential accelerations times mu when vd is zero."""
    slides: Vector
    """Per pair, 1 if it slides along the first tangent."""

    @property
    def rows(self) -> Matrix:
        """The rows of the pairs: normal and tangents of each."""
        return tuple(row for k, normal in enumerate(self.J_n) for row in (normal, *self.J_t[2 * k : 2 * k + 2]))

    def tangential_accelerations(self, vd: Vector) -> Vector:
        """Return the accelerations of the points along the tangents, times mu."""
        return add(matvec(self.J_t, vd), self.bias_t)


def contact_problem(
    state: ScalarState, pairs: Sequence[Pair], tau: Vector, threshold: Scalar, *, exact: bool, friction: Scalar | None
) -> ContactProblem:
    """Return the problem of a state; pairs nearer than `threshold` touch."""
    M, factor = mass_and_factor(state)
    f = net_torques(state, tau)
    contacts = contacts_of(state, pairs, nearer_than(threshold))
    bounds = acceleration_bounds(state, pairs, contacts, exact=exact)
    if friction is None:
        return ContactProblem(M, f, contacts.J, bounds, (), (), ())
    free, touching = factor.solve(f), zip(pairs, contacts.touching, strict=True)
    found = [_friction_rows(state, pair, touches, free, friction, exact=exact) for pair, touches in touching]
    J_t = tuple(row for each in found for row in each.J_t)
    bias_t = tuple(bias for each in found for bias in each.bias_t)
    return ContactProblem(M, f, contacts.J, bounds, J_t, bias_t, tuple(each.slides for each in found))


@final
class _FrictionRows(NamedTuple):
    """The rows of a pair's friction, as in `ContactProblem`."""

    J_t: Matrix
    bias_t: Vector
    slides: Scalar


def _friction_rows(
    state: ScalarState, pair: Pair, touches: Condition, free: Vector, mu: Scalar, *, exact: bool
) -> _FrictionRows:
    """Return the rows of a pair's friction; `free` are the accelerations without contacts."""
    point = nearest_in_base(state, pair)
    J = contact_point_jacobian(state, pair, point.p_a)
    bias = point_bias_acceleration(state, pair, point.p_a) if exact else (0, 0, 0)
    slip = J.slip(point.n, tuple(state.v))
    slides = both(touches, less(_SLOW, dot3(slip, slip)))
    directions = tangents(point.n, where3(slides, slip, add3(J.velocity(free), bias)))
    J_t = [[mu * x for x in J.row(t)] for t in directions]
    bias_t = [mu * dot3(t, bias) for t in directions]
    rows = tuple(tuple(where(touches, x, 0) for x in row) for row in J_t)
    return _FrictionRows(rows, tuple(where(touches, x, 0) for x in bias_t), where(slides, 1, 0))
