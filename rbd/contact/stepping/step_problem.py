"""The quadratic program of a time step with contact and Coulomb friction, on velocities and impulses.

One convex quadratic program per step covers impact, rest and sliding (Anitescu, *Optimization-based simulation of
nonsmooth rigid multibody dynamics*, 2006, a relaxation of the complementarity problems of Stewart, Trinkle 1996 and
Anitescu, Potra 1997): with the free velocity M v_free = M v + dt f,

    minimise 1/2 (v⁺ - v_free)' M (v⁺ - v_free)   subject to   (J_n + J_t) v⁺ >= -phi / dt

for the rows J_t = mu t' J of four tangent directions t: a point may not close more than its gap in one step, whichever
way it slides. Impulses lie in the polyhedral friction cone; two of its edges lie along the sliding direction. Torsional
and rolling friction are rows of the same kind, of the angular velocity; compliant pairs have regularised rows
(`spring_rows.py`).

Velocities are those in the frames at the beginning of the step; `transport.py` carries them to its end. Positions alone
move out of overlaps (`overlaps.py`). With impulses lam, and bounds b that are not positive,

    1/2 v⁺'M v⁺ - 1/2 v'M v - dt f'v⁺ = lam'b - 1/2 (v⁺ - v)'M (v⁺ - v) <= 0
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import islice
from typing import Final, NamedTuple

from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.contact.geometry.separations import Separation
from rbd.contact.model.contact_kinematics import contact_points_in_base
from rbd.contact.model.pairs import Pair
from rbd.contact.solver.contact_rows import ContactRows
from rbd.contact.solver.contacts import masked_row
from rbd.contact.solver.friction_cone import (
    ContactPointJacobian,
    cone_edges,
    contact_point_jacobian,
    mean_and_least,
    tangents,
)
from rbd.contact.stepping.joint_options import JointOptions, implicit_dynamics, joint_intervals
from rbd.contact.stepping.overlaps import SHARE, Overlaps, mobilities
from rbd.contact.stepping.spring_rows import (
    factor_with_unit_masses,
    intervals_without_springs,
    padded,
    spring_row,
    with_springs,
    with_unit_masses,
)
from rbd.kinematics.scalar_state import ScalarState
from rbd.scalars import Matrix, Scalar, Vector, const, less, maximum, minimum, sqrt, where
from rbd.scalars.linear_algebra import matvec
from rbd.solvers.equations.linear import Factor
from rbd.solvers.intervals import Intervals
from rbd.spatial.linalg import Vec3, add3, dot3, scale3
from rbd.spatial.linalg import matvec as rotated

MARGIN = 1 / 100
"""Distance below which points constrain a step (m)."""
JOINTS: Final = JointOptions()
_HALF: Final = const(1, 2)


class ContactStepOptions(NamedTuple):
    """What a step is told: its length, the margin, the friction `mu`, None for a step without, and those of joints."""

    dt: Scalar
    margin: Scalar
    mu: Scalar | None
    joints: JointOptions = JOINTS


class StepProblem(NamedTuple):
    """The quadratic program of a step: minimise 1/2 v'Av - momentum v subject to J v >= bounds, and intervals.

    A is the mass matrix M with implicit damping and gains, `mass`, whose factor is `factor`. The velocities come first
    among the unknowns, those of springs follow.
    """

    M: Matrix
    mass: Matrix
    factor: Factor
    momentum: Vector
    v_free: Vector
    J: Matrix
    bounds: Vector
    intervals: Intervals
    overlaps: Overlaps


class PointRows(NamedTuple):
    """The rows of a contact point of a pair, of which each has its bound, with the forces of their multipliers 1."""

    owner: int
    """The number of the pair."""
    rows: Matrix
    bound: Scalar
    gap: Scalar
    spring: Scalar | None
    """The factor of the spring, None if the point is hard."""
    edges: tuple[Vec3, ...]
    """The force of each row's multiplier 1, in the root frame."""
    normal: Vector
    """The row along the normal."""
    sinking: Scalar
    """The rate at which the point would approach without contact."""
    overlap: Scalar
    """The rate at which a step removes the overlap; zero if the point is compliant."""
    contact: ContactRows


class StepConstraints(NamedTuple):
    """The rows of all contact points, and the smallest distance of each pair's points."""

    points: tuple[PointRows, ...]
    distances: Vector
    round_cones: bool
    """Whether the edges of each point stand for a round cone."""

    @property
    def rows(self) -> Matrix:
        """The rows of all points."""
        return tuple(row for point in self.points for row in point.rows)

    @property
    def bounds(self) -> Vector:
        """The bound of each row."""
        return tuple(point.bound for point in self.points for _ in point.rows)

    @property
    def gaps(self) -> Vector:
        """The distance of each row's point."""
        return tuple(point.gap for point in self.points for _ in point.rows)

    @property
    def owners(self) -> tuple[int, ...]:
        """The number of the pair of each row."""
        return tuple(point.owner for point in self.points for _ in point.rows)

    @property
    def edges(self) -> tuple[Vec3, ...]:
        """The force of each row's multiplier 1, in the root frame."""
        return tuple(edge for point in self.points for edge in point.edges)

    def rise(self, rates: Vector) -> Scalar:
        """Return how fast a point would have to rise, from the rates of its edges."""
        if not self.round_cones:
            mean, least = mean_and_least(rates)
            return mean - least
        across, along = (_HALF * (rates[k] - rates[k + 1]) for k in (0, 2))
        return sqrt(across * across + along * along)


def step_problem(
    pairs: Sequence[Pair], state: ScalarState, tau: Vector, options: ContactStepOptions
) -> tuple[StepProblem, StepConstraints]:
    """Return the quadratic program of a step, and what its rows belong to."""
    dt, joints = options.dt, options.joints
    v, M = tuple(state.v), mass_matrix_kernel(state)
    mass, momentum = implicit_dynamics(state, joints, M, matvec(M, v), tau, dt)
    factor = factored(state, mass)
    v_free = factor.solve(momentum)
    constraints = _constraints(state, pairs, v_free, options)
    points = constraints.points
    bounds, rates = constraints.bounds, tuple(point.overlap for point in points)
    if options.mu is not None:
        bounds, rates = _without_rise(constraints, v)
    intervals, back = joint_intervals(state, joints, dt)
    overlaps = Overlaps(tuple(point.normal for point in points), rates, mobilities(state, M), intervals, back)
    hard = StepProblem(M, mass, factor, momentum, v_free, constraints.rows, bounds, intervals, overlaps)
    return _with_springs(hard, constraints), constraints


def _with_springs(hard: StepProblem, constraints: StepConstraints) -> StepProblem:
    """Return the program with an unknown for each compliant point."""
    springs = tuple(point.spring for point in constraints.points)
    numbers = tuple(k for k, point in enumerate(constraints.points) for _ in point.rows)
    count = sum(factor is not None for factor in springs)
    if not count:
        return hard
    return hard._replace(
        mass=with_unit_masses(hard.mass, count),
        factor=factor_with_unit_masses(hard.factor, count),
        momentum=padded(hard.momentum, count),
        J=with_springs(hard.J, springs, numbers),
        intervals=intervals_without_springs(hard.intervals, count),
    )


def _constraints(
    state: ScalarState, pairs: Sequence[Pair], v_free: Vector, options: ContactStepOptions
) -> StepConstraints:
    found: list[PointRows] = []
    distances: list[Scalar] = []
    for owner, pair in enumerate(pairs):
        points = contact_points_in_base(state, pair)
        distances.append(reduce(minimum, (point.phi for point in points)))
        found += [_point_rows(state, owner, pair, point, v_free, options) for point in points]
    return StepConstraints(tuple(found), tuple(distances), any(pair.round_cone for pair in pairs))


def _point_rows(
    state: ScalarState, owner: int, pair: Pair, point: Separation, v_free: Vector, options: ContactStepOptions
) -> PointRows:
    """Return the rows of a point; they are zero if it is not nearer than the margin."""
    dt, margin, mu, _ = options
    near = less(point.phi, margin)
    own = mu if mu is None or pair.friction is None else state.lifted(pair.friction)
    cone, directions, (normal, rate) = _cone(state, pair, point, own, v_free)
    bound, spring = _bound_and_spring(state, pair, cone, point.phi, dt)
    return PointRows(
        owner,
        rows=tuple(masked_row(near, row) for row in cone),
        spring=None if spring is None else where(near, spring, 0),
        edges=tuple(_in_root(state, pair, edge) for edge in directions),
        overlap=SHARE * maximum(-point.phi, 0) / dt if spring is None else 0,
        sinking=maximum(-rate, 0),
        bound=where(near, bound, 0),
        gap=point.phi,
        normal=normal,
        contact=ContactRows(pair, point.p_a, directions, near),
    )


def _bound_and_spring(
    state: ScalarState, pair: Pair, cone: Matrix, phi: Scalar, dt: Scalar
) -> tuple[Scalar, Scalar | None]:
    """Return the least rate at which the gap of a point may change, and the factor of its spring if it has one."""
    if pair.compliance is not None:
        return spring_row(state, pair.compliance, phi, dt)
    return _least_rate(state, pair, cone, maximum(phi, 0), dt), None


def _least_rate(state: ScalarState, pair: Pair, cone: Matrix, gap: Scalar, dt: Scalar) -> Scalar:
    """Return the least rate at which a gap may change; points that meet in this step rebound, if their pair does."""
    closing = -gap / dt
    if pair.restitution == 0:
        return closing
    rates = matvec(cone, tuple(state.v))
    rate = mean_and_least(rates)[0] if len(cone) > 1 else rates[0]
    rebound = -state.lifted(pair.restitution) * rate
    return where(less(rate, closing), maximum(closing, rebound), closing)


def _without_rise(constraints: StepConstraints, v: Vector) -> tuple[Vector, Vector]:
    """Return bounds that let points slide without rising, and the rates at which positions alone remove overlaps.

    Under the relaxation a point that slides at speed s must rise at mu s, so that bodies take off. Subtracting mu s,
    for the speed at the beginning of the step, from the bounds removes that (De Saxcé, Feng 1998). Points that slow
    down within the step sink a little. Velocities remove their overlap, too, as long as no bound becomes positive, and
    no faster than they would approach without contact.
    """
    rates, bounds, left = iter(matvec(constraints.rows, v)), list[Scalar](), list[Scalar]()
    for point in constraints.points:
        rise = constraints.rise(tuple(islice(rates, len(point.rows))))
        up = minimum(minimum(point.overlap, rise), point.sinking)
        bounds += [point.bound - (rise - up)] * len(point.rows)
        left.append(point.overlap - up)
    return tuple(bounds), tuple(left)


def _cone(
    state: ScalarState, pair: Pair, point: Separation, mu: Scalar | None, v_free: Vector
) -> tuple[Matrix, tuple[Vec3, ...], tuple[Vector, Scalar]]:
    """Return the rows of the friction cone at a point, the force of each, and the normal's row and rate at `v_free`.

    Sliding, torsional and rolling friction are bounded each for itself: the edges are all sums of one edge of each.
    Without friction there is one edge, the normal.
    """
    J = contact_point_jacobian(state, pair, point.p_a)
    J_n = J.row(point.n)
    if mu is None:
        return (J_n,), (point.n,), (J_n, 0)
    slip = J.velocity(v_free)
    directions = tangents(point.n, slip)
    forces = [add3(point.n, scale3(t, sign * mu)) for t in directions for sign in (1, -1)]
    rows = cone_edges(J_n, [tuple(mu * x for x in J.row(t)) for t in directions])
    for turns in _turning_rows(state, pair, J, point.n, v_free):
        rows = tuple(edge for row in rows for edge in cone_edges(row, turns))
    each = tuple(force for force in forces for _ in range(len(rows) // len(forces)))
    return rows, each, (J_n, dot3(point.n, slip))


def _turning_rows(
    state: ScalarState, pair: Pair, J: ContactPointJacobian, n: Vec3, v_free: Vector
) -> list[list[Vector]]:
    """Return the rows of torsional friction, about the normal, and of rolling friction, about two tangents."""
    rolling = tangents(n, J.turning(v_free)) if pair.rolling_friction else ()
    found: list[list[Vector]] = []
    for coefficient, axes in ((pair.torsional_friction, (n,)), (pair.rolling_friction, rolling)):
        length = state.lifted(coefficient)
        if coefficient:
            found.append([tuple(length * x for x in J.turning_row(axis)) for axis in axes])
    return found


def _in_root(state: ScalarState, pair: Pair, x: Vec3) -> Vec3:
    return rotated(state.relative_transform(pair.base, state.layout.root_frame).rotation_components, x)
