"""`contact_step`: time stepping on velocities and impulses, with contact and Coulomb friction.

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

from collections.abc import Mapping, Sequence
from functools import partial, reduce
from itertools import groupby
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.algorithms.trees import require_tree
from rbd.compiled import RecordedFunction
from rbd.contact.geometry.placed_shapes import NearestPoints
from rbd.contact.model.collision_model import CollisionModel
from rbd.contact.model.contact_kinematics import contact_points_in_base
from rbd.contact.model.evaluation import (
    evaluate,
    number,
    of_state,
    require_both,
    require_seen,
    sums_by_owner,
    torques_of,
)
from rbd.contact.model.pairs import Pair
from rbd.contact.solver.constrained_motion import (
    ConstrainedMotion,
    SolvedMotion,
    kkt_residual,
    masked_row,
    nearest_motion_by_active_set,
    nearest_motion_by_projection,
    nearest_motion_in_cones,
)
from rbd.contact.solver.contact_rows import ContactRows, row_groups
from rbd.contact.solver.friction_cone import (
    ContactPointJacobian,
    cone_edges,
    contact_point_jacobian,
    mean_and_least,
    tangents,
)
from rbd.contact.solver.impacts import kinetic_energy
from rbd.contact.solver.results import ContactStep
from rbd.contact.stepping.joint_options import JointOptions, implicit_dynamics, joint_intervals
from rbd.contact.stepping.overlaps import SHARE, Overlaps, mobilities, push_out
from rbd.contact.stepping.spring_rows import (
    factor_with_unit_masses,
    intervals_without_springs,
    padded,
    spring_row,
    with_springs,
    with_unit_masses,
)
from rbd.contact.stepping.transport import transported
from rbd.scalars import Matrix, Scalar, Vector, const, less, maximum, minimum, sqrt, where
from rbd.scalars.arrays import Array
from rbd.scalars.linear_algebra import matvec, subtract
from rbd.scalars.number_checks import above_zero, at_least_zero
from rbd.solvers.linear import Factor
from rbd.solvers.polyhedral_projection import Intervals
from rbd.spatial.linalg import Vec3, add3, dot3, scale3
from rbd.spatial.linalg import matvec as rotated
from rbd.spatial.values import require_kind
from rbd.state import ScalarState, State

_NAME = "contact_step"
MARGIN = 1 / 100
"""Distance below which points constrain a step (m)."""
JOINTS: Final = JointOptions()
HALF: Final = const(1, 2)


@of_state(ContactStep[float], ContactStep[Scalar])
def contact_step(
    state: State[Any],
    model: CollisionModel,
    torques: Sequence[Scalar] | NDArray[Any] | None,
    dt: float,
    *,
    friction: float = 0.0,
    margin: float = MARGIN,
    joints: JointOptions = JOINTS,
) -> ContactStep[Any]:
    """Time step with contacts: return the state a time `dt` later, velocities first, then configurations with them.

    `friction` is Coulomb's coefficient mu of pairs without their own; with 0 no pair has friction. Points nearer than
    `margin` constrain the step; it must be more than the distance that a point moves in one step. Boxes rest on faces
    with all their corners, capsules on planes with both ends. Joints have stops, dry friction and implicit damping;
    `joints` has options for them. The state itself does not change. Raises ShapeError, NotFiniteError, ArgumentError,
    SolverError.

    >>> import rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> after = rbd.contact.contact_step(rbd.MechanismState(mechanism), model, [0.0] * 13, 1e-3, friction=0.5)
    >>> after.q.shape, after.active
    ((13,), array([0., 0., 0., 0.]))
    """
    arguments = _checked(state, model, torques, dt, friction, margin, joints)
    function = partial(_step, model.pairs, friction > 0, joints)
    found = evaluate(model, state, _key(friction > 0, joints), function, **arguments)
    return ContactStep(
        found["q_next"],
        found["v_next"],
        found["impulses"],
        found["active"],
        number(found["residual"]),
        number(found["energy"]),
    )


def step_function(model: CollisionModel, frictional: bool, joints: JointOptions, nv: int) -> RecordedFunction:
    """Return the step by the active-set method, as a function of arrays: q, v, torques, and (dt, margin, friction)."""
    inputs = {"torques": nv, "settings": 3}
    function = partial(_step, model.pairs, frictional, joints, by_active_set=True)
    return model.functions.recorded((*_key(frictional, joints), "by active set"), function, inputs)


def step_arguments(state: State[Any], *arguments: Any) -> tuple[Array, ...]:
    """Return the arguments of the step function from those of `contact_step` after the state, checked."""
    named = _checked(state, *arguments)
    require_tree(state, _NAME)
    return tuple(np.asarray(x, dtype=np.float64) for x in (state.q, state.v, *named.values()))


def _key(frictional: bool, joints: JointOptions) -> tuple[str, bool, JointOptions]:
    return _NAME, frictional, joints


def _checked(
    state: State[Any],
    model: CollisionModel,
    torques: object,
    dt: object,
    friction: object,
    margin: object,
    joints: object,
) -> dict[str, Vector | Array]:
    require_both(state, model, _NAME)
    require_kind(joints, JointOptions, operation=_NAME, argument="joints")
    cast("JointOptions", joints).require(state.layout.nv)
    settings = above_zero(dt, "dt"), at_least_zero(margin, "margin"), at_least_zero(friction, "friction")
    require_seen(model, settings[1], "margin")
    return {"torques": torques_of(state, torques), "settings": settings}


def _step(
    pairs: Sequence[Pair],
    frictional: bool,
    joints: JointOptions,
    state: ScalarState,
    torques: Vector,
    settings: Vector,
    *,
    by_active_set: bool = False,
) -> Mapping[str, object]:
    dt, margin, friction = (state.lifted(x) for x in settings)
    mu = friction if frictional else None
    return velocity_step(pairs, state, tuple(torques), dt, margin, mu, joints, by_active_set=by_active_set)


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


class StepConstraints(NamedTuple):
    """Rows and bounds of all contact points, with the number of the pair each belongs to."""

    rows: Matrix
    bounds: Vector
    owners: tuple[int, ...]
    points: tuple[int, ...]
    """The number of the point that each row belongs to."""
    springs: tuple[Scalar | None, ...]
    """The factor of each point's spring, None if it is hard."""
    gaps: Vector
    """The distance of each row's point."""
    distances: Vector
    """The smallest distance of each pair's points."""
    edges: tuple[Vec3, ...]
    """The force of each row's multiplier 1, in the root frame."""
    normals: Matrix
    """The row of each point along its normal."""
    sinking: Vector
    """The rate at which each point would approach without contact."""
    overlaps: Vector
    """The rate at which a step removes the overlap of each point; zero for compliant ones."""
    contacts: tuple[ContactRows, ...]
    round_cones: bool
    """Whether the edges of each point stand for a round cone."""

    def rise(self, rates: Vector) -> Scalar:
        """Return how fast a point would have to rise, from the rates of its edges."""
        if not self.round_cones:
            mean, least = mean_and_least(rates)
            return mean - least
        across, along = (HALF * (rates[k] - rates[k + 1]) for k in (0, 2))
        return sqrt(across * across + along * along)


class SolvedStep(NamedTuple):
    """A step that is solved: its program, what the rows belong to, the solution, and the motion of the mechanism."""

    problem: StepProblem
    constraints: StepConstraints
    found: SolvedMotion | ConstrainedMotion
    v: Vector
    """The velocities in the frames at the beginning of the step."""
    q_next: Vector
    v_next: Vector


def solved_step(
    pairs: Sequence[Pair],
    state: ScalarState,
    tau: Vector,
    dt: Scalar,
    margin: Scalar,
    mu: Scalar | None,
    joints: JointOptions = JOINTS,
    *,
    by_active_set: bool = False,
) -> SolvedStep:
    """Return the solution of a step; `mu` None: no friction.

    By the active-set method, rows with an impulse are linearly independent, as derivatives need them.
    """
    problem, constraints = step_problem(pairs, state, tau, dt, margin, mu, joints)
    found = _solution(state, problem, constraints, mu, by_active_set=by_active_set)
    v = found.x[: len(problem.v_free)]
    q_next, v_next = transported(state, v, push_out(problem.overlaps, v), dt)
    return SolvedStep(problem, constraints, found, v, q_next, v_next)


def _solution(
    state: ScalarState, problem: StepProblem, constraints: StepConstraints, mu: Scalar | None, *, by_active_set: bool
) -> SolvedMotion | ConstrainedMotion:
    """Return the solution of a step's program by the method for its cones and rows."""
    given = problem.mass, problem.factor, problem.momentum, problem.J, problem.bounds, problem.intervals
    if mu is not None and constraints.round_cones:
        return nearest_motion_in_cones(*given)
    if by_active_set:
        return nearest_motion_by_active_set(*given)
    return nearest_motion_by_projection(*given, row_groups(state, constraints.contacts))


def velocity_step(
    pairs: Sequence[Pair],
    state: ScalarState,
    tau: Vector,
    dt: Scalar,
    margin: Scalar,
    mu: Scalar | None,
    joints: JointOptions = JOINTS,
    *,
    by_active_set: bool = False,
) -> Mapping[str, object]:
    """Return q and v after a step, impulses, and the residual of the quadratic program, as `solved_step`."""
    solved = solved_step(pairs, state, tau, dt, margin, mu, joints, by_active_set=by_active_set)
    problem, constraints, found, v, q_next, v_next = solved
    M, mass, _, momentum, v_free, J, bounds, intervals, _ = problem
    slack = subtract(matvec(J, found.x), bounds)
    impulses = sums_by_owner(found.lam[: len(bounds)], constraints.owners, len(pairs))
    return {
        "q_next": q_next,
        "v_next": v_next,
        "impulses": impulses,
        "active": tuple(where(less(0, x), 1, 0) for x in impulses),
        "residual": found.residual
        if isinstance(found, ConstrainedMotion)
        else kkt_residual(mass, momentum, J, bounds, found.x, found.lam, intervals),
        "energy": kinetic_energy(M, v) - kinetic_energy(M, v_free),
        "after": (*q_next, *v_next, *slack, *found.lam[: len(bounds)]),
        "held": found.active[: len(bounds)],
        "gaps": constraints.gaps,
        "owners": constraints.owners,
    }


def pair_forces(step: SolvedStep, pairs: int, dt: Scalar) -> Matrix:
    """Return the force of each pair on its first body, in the root frame: mean over the step."""
    constraints = step.constraints
    shares = [scale3(edge, x / dt) for edge, x in zip(constraints.edges, step.found.lam, strict=False)]
    axes = (sums_by_owner(tuple(share[k] for share in shares), constraints.owners, pairs) for k in range(3))
    return tuple(zip(*axes, strict=True))


def step_problem(
    pairs: Sequence[Pair],
    state: ScalarState,
    tau: Vector,
    dt: Scalar,
    margin: Scalar,
    mu: Scalar | None,
    joints: JointOptions = JOINTS,
) -> tuple[StepProblem, StepConstraints]:
    """Return the quadratic program of a step, and what its rows belong to."""
    v, M = tuple(state.v), mass_matrix_kernel(state)
    mass, momentum = implicit_dynamics(state, joints, M, matvec(M, v), tau, dt)
    factor = factored(state, mass)
    v_free = factor.solve(momentum)
    constraints = _constraints(state, pairs, v_free, dt, margin, mu)
    bounds, rates = constraints.bounds, constraints.overlaps
    if mu is not None:
        bounds, rates = _without_rise(constraints, v)
    intervals, back = joint_intervals(state, joints, dt)
    overlaps = Overlaps(constraints.normals, rates, mobilities(state, M), intervals, back)
    hard = StepProblem(M, mass, factor, momentum, v_free, constraints.rows, bounds, intervals, overlaps)
    return _with_springs(hard, constraints), constraints


def _with_springs(hard: StepProblem, constraints: StepConstraints) -> StepProblem:
    """Return the program with an unknown for each compliant point."""
    count = sum(factor is not None for factor in constraints.springs)
    if not count:
        return hard
    return hard._replace(
        mass=with_unit_masses(hard.mass, count),
        factor=factor_with_unit_masses(hard.factor, count),
        momentum=padded(hard.momentum, count),
        J=with_springs(hard.J, constraints.springs, constraints.points),
        intervals=intervals_without_springs(hard.intervals, count),
    )


def _constraints(
    state: ScalarState, pairs: Sequence[Pair], v_free: Vector, dt: Scalar, margin: Scalar, mu: Scalar | None
) -> StepConstraints:
    found: list[_PointRows] = []
    distances: list[Scalar] = []
    for owner, pair in enumerate(pairs):
        points = contact_points_in_base(state, pair)
        distances.append(reduce(minimum, (point.phi for point in points)))
        found += [_point_rows(state, owner, pair, point, v_free, dt, margin, mu) for point in points]
    every = [(k, point) for k, point in enumerate(found) for _ in point.rows]
    return StepConstraints(
        tuple(row for point in found for row in point.rows),
        tuple(point.bound for _, point in every),
        tuple(point.owner for _, point in every),
        tuple(k for k, _ in every),
        tuple(point.spring for point in found),
        tuple(point.gap for _, point in every),
        tuple(distances),
        tuple(edge for point in found for edge in point.edges),
        tuple(point.normal for point in found),
        tuple(point.sinking for point in found),
        tuple(point.overlap for point in found),
        tuple(point.contact for point in found),
        any(pair.round_cone for pair in pairs),
    )


class _PointRows(NamedTuple):
    """The rows of a contact point, of which each is as near, with the forces of their multipliers 1."""

    owner: int
    rows: Matrix
    bound: Scalar
    gap: Scalar
    spring: Scalar | None
    edges: tuple[Vec3, ...]
    normal: Vector
    sinking: Scalar
    overlap: Scalar
    contact: ContactRows


def _point_rows(
    state: ScalarState,
    owner: int,
    pair: Pair,
    point: NearestPoints,
    v_free: Vector,
    dt: Scalar,
    margin: Scalar,
    mu: Scalar | None,
) -> _PointRows:
    """Return the rows of a point; they are zero if it is not nearer than the margin."""
    near = less(point.phi, margin)
    own = mu if mu is None or pair.friction is None else state.lifted(pair.friction)
    cone, directions, (normal, free) = _cone(state, pair, point, own, v_free)
    bound, spring = _bound_and_spring(state, pair, cone, point.phi, dt)
    rows = tuple(masked_row(near, row) for row in cone)
    factor = None if spring is None else where(near, spring, 0)
    edges = tuple(_in_root(state, pair, edge) for edge in directions)
    overlap = SHARE * maximum(-point.phi, 0) / dt if spring is None else 0
    at_most = maximum(-free, 0)
    contact = ContactRows(pair, point.p_a, directions, near)
    return _PointRows(owner, rows, where(near, bound, 0), point.phi, factor, edges, normal, at_most, overlap, contact)


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
    rates, bounds, left = matvec(constraints.rows, v), list[Scalar](), list[Scalar]()
    for point, rows in groupby(range(len(rates)), key=lambda k: constraints.points[k]):
        numbers = list(rows)
        rise, overlap = constraints.rise(tuple(rates[k] for k in numbers)), constraints.overlaps[point]
        up = minimum(minimum(overlap, rise), constraints.sinking[point])
        bounds += [constraints.bounds[k] - (rise - up) for k in numbers]
        left.append(overlap - up)
    return tuple(bounds), tuple(left)


def _cone(
    state: ScalarState, pair: Pair, point: NearestPoints, mu: Scalar | None, v_free: Vector
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
