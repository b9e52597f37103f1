"""Rows of a contact point in the quadratic program of a step.

Without friction a point has one row, that of its normal. A polyhedral friction cone has a row for each of its edges, a
round one for each of its axes: the normal and two tangents. All of these are directions s n + t, with a share s of the
normal, 1 or 0, and a tangent t. The normal impulse is the sum of s lam over the multipliers of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Final, NamedTuple

from rbd.contact.dynamics.contacts import masked_row
from rbd.contact.dynamics.friction_cone import cone_edges, tangents
from rbd.contact.dynamics.point_jacobian import ContactPointJacobian, contact_point_jacobian
from rbd.contact.geometry.separations import Separation
from rbd.contact.model.pairs import Pair
from rbd.contact.stepping.options import ContactStepOptions
from rbd.contact.stepping.overlaps import CORRECTION_SHARE
from rbd.contact.stepping.row_groups import PointCone
from rbd.contact.stepping.spring_rows import spring_row
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Matrix, Scalar, Vector, absolute, const, less, maximum, sqrt, where
from rbd.scalars.linear_algebra import dot
from rbd.spatial.linalg import Vec3, add3, dot3, scale3
from rbd.spatial.linalg import matvec as rotated

_APPROACH_FACTOR: Final = const(2, 1)
"""Distance below which points constrain a step, over the distance that they would approach without contact: impulses of
other points may accelerate them."""


class PointRows(NamedTuple):
    """The rows of a contact point of a pair, with the forces of their multipliers 1."""

    pair_index: int
    """The index of the pair."""
    rows: Matrix
    shares: tuple[int, ...]
    """The share of the normal in each row."""
    bound: Scalar
    """Of rows with the normal in them."""
    gap: Scalar
    spring: Scalar | None
    """The factor of the spring, None if the point is hard."""
    forces: tuple[Vec3, ...]
    """The force of each row's multiplier 1, in the root frame."""
    normal: Vector
    """The row along the normal."""
    slip_rates: tuple[Vector, ...]
    """Rates of sliding and of turning before the step, times the coefficient of each kind of friction."""
    approach_rate: Scalar
    """The rate at which the point would approach without contact."""
    correction_rate: Scalar
    """The rate at which a step removes the overlap; zero if the point is compliant."""
    cone: PointCone

    @property
    def rise_rate(self) -> Scalar:
        """Rate at which the point would have to rise; zero if it is not near."""
        if self.cone.pair.round_cone:
            rise = sqrt(dot(self.slip_rates[0], self.slip_rates[0]))
        else:
            rise = reduce(add, (reduce(maximum, map(absolute, rates)) for rates in self.slip_rates))
        return where(self.cone.near, rise, 0)


class _Cone(NamedTuple):
    """The rows of a cone, the force of each, in the base frame of the pair, and its share of the normal."""

    rows: Matrix
    forces: tuple[Vec3, ...]
    shares: tuple[int, ...]
    tangents: tuple[Vec3, ...] = ()
    """Of the length of the coefficient of friction."""


class _Point(NamedTuple):
    """A contact point of a pair: coefficient of friction, normal, Jacobian, and the velocity without contacts."""

    state: ScalarState
    pair: Pair
    mu: Scalar | None
    n: Vec3
    J: ContactPointJacobian
    J_n: Vector
    v_free: Vector
    velocity: Vec3
    """The velocity of the point at `v_free`."""

    @property
    def v(self) -> Vector:
        """The velocities before the step."""
        return tuple(self.state.v)


def point_rows(
    state: ScalarState,
    pair_index: int,
    pair: Pair,
    separation: Separation,
    v_free: Vector,
    dt: Scalar,
    options: ContactStepOptions,
) -> PointRows:
    """Return the rows of a point: zero if it is farther than the margin, and than twice its approach in the step."""
    point = _point(state, pair, separation, v_free, options.friction)
    approach_rate = maximum(-dot3(separation.n, point.velocity), 0)
    near = less(separation.phi, maximum(options.margin, _APPROACH_FACTOR * dt * approach_rate))
    cone = _cone(point)
    bound, spring = _bound_and_spring(point, separation.phi, dt)
    return PointRows(
        pair_index,
        rows=tuple(masked_row(near, row) for row in cone.rows),
        shares=cone.shares,
        spring=None if spring is None else where(near, spring, 0),
        forces=tuple(_in_root(state, pair, force) for force in cone.forces),
        correction_rate=CORRECTION_SHARE * maximum(-separation.phi, 0) / dt if spring is None else 0,
        approach_rate=approach_rate,
        bound=where(near, bound, 0),
        gap=separation.phi,
        normal=point.J_n,
        slip_rates=_slip_rates(point),
        cone=PointCone(pair, separation.p_a, separation.n, cone.tangents, near),
    )


def _point(state: ScalarState, pair: Pair, separation: Separation, v_free: Vector, mu: Scalar | None) -> _Point:
    coefficient = mu if mu is None or pair.friction is None else state.lifted(pair.friction)
    J = contact_point_jacobian(state, pair, separation.p_a)
    J_n = J.row(separation.n)
    return _Point(state, pair, coefficient, separation.n, J, J_n, v_free, J.velocity(v_free))


def _bound_and_spring(point: _Point, phi: Scalar, dt: Scalar) -> tuple[Scalar, Scalar | None]:
    """Return the least rate at which the gap of a point may change, and the factor of its spring if it has one."""
    if point.pair.compliance is not None:
        return spring_row(point.state, point.pair.compliance, phi, dt)
    return _least_rate(point, maximum(phi, 0), dt), None


def _least_rate(point: _Point, gap: Scalar, dt: Scalar) -> Scalar:
    """Return the least rate at which a gap may change; points that meet in this step rebound, if their pair does."""
    closing = -gap / dt
    if point.pair.restitution == 0:
        return closing
    rate = dot3(point.n, point.J.velocity(point.v))
    rebound = -point.state.lifted(point.pair.restitution) * rate
    return where(less(rate, closing), maximum(closing, rebound), closing)


def _cone(point: _Point) -> _Cone:
    """Return the friction cone; two of its directions lie along the sliding velocity."""
    n, mu, J_n = point.n, point.mu, point.J_n
    if mu is None:
        return _Cone((J_n,), (n,), (1,))
    directions = tangents(n, point.velocity)
    if point.pair.round_cone:
        J_t = (tuple(mu * x for x in point.J.row(t)) for t in directions)
        return _Cone((J_n, *J_t), (n, *(scale3(t, mu) for t in directions)), (1, 0, 0))
    forces = [add3(n, scale3(t, sign * mu)) for t in directions for sign in (1, -1)]
    rows = cone_edges(J_n, [tuple(mu * x for x in point.J.row(t)) for t in directions])
    return _with_turning(point, rows, forces)._replace(tangents=tuple(scale3(t, mu) for t in directions))


def _with_turning(point: _Point, rows: Matrix, forces: Sequence[Vec3]) -> _Cone:
    """Return a cone of these edges with torsional and rolling friction.

    Sliding, torsional and rolling friction are bounded each for itself: the edges are all sums of one edge of each.
    """
    for length, axes in _turning_friction(point):
        turns = [tuple(length * x for x in point.J.angular_row(axis)) for axis in axes]
        rows = tuple(edge for row in rows for edge in cone_edges(row, turns))
    each = tuple(force for force in forces for _ in range(len(rows) // len(forces)))
    return _Cone(rows, each, (1,) * len(rows))


def _turning_friction(point: _Point) -> list[tuple[Scalar, tuple[Vec3, ...]]]:
    """Return coefficients and axes of torsional friction, about the normal, and of rolling friction, about tangents."""
    pair = point.pair
    rolling = tangents(point.n, point.J.angular_velocity(point.v_free)) if pair.rolling_friction else ()
    kinds = (pair.torsional_friction, (point.n,)), (pair.rolling_friction, rolling)
    return [(point.state.lifted(coefficient), axes) for coefficient, axes in kinds if coefficient]


def _slip_rates(point: _Point) -> tuple[Vector, ...]:
    """Return rates of sliding and of turning before the step, times coefficients; none without friction."""
    mu, velocity = point.mu, point.J.velocity(point.v)
    if mu is None:
        return ()
    slides = tuple(mu * dot3(t, velocity) for t in tangents(point.n, point.velocity))
    turning = point.J.angular_velocity(point.v)
    turns = (tuple(length * dot3(axis, turning) for axis in axes) for length, axes in _turning_friction(point))
    return slides, *turns


def _in_root(state: ScalarState, pair: Pair, x: Vec3) -> Vec3:
    return rotated(state.relative_transform(pair.base, state.layout.root_frame).rotation_components, x)
