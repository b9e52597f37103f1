"""Steps in time with contact and Coulomb friction, on velocities.

One convex problem per step covers impact, rest and sliding (Anitescu, 2006): the velocity nearest to the free one, by
kinetic energy, at which no point approaches faster than closes its gap in the step, whichever way it also slides: (n +
mu t) v >= -d / dt for directions t in the tangent plane. Forces lie in the friction cone with corners in these
directions, two of them along the way the point would slide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial, reduce
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from rbd.algorithms.passive import vanishes
from rbd.algorithms.trees import require_tree
from rbd.compiled import RecordedFunction
from rbd.compiled.stepping import moved_along
from rbd.contact.arguments import above_zero, at_least_zero
from rbd.contact.cones import CORNERS, corners, mean_and_least, motion_of, tangents
from rbd.contact.cores import Closest, place
from rbd.contact.evaluation import drive_of, evaluate, number, require_both, sums
from rbd.contact.gauss import allowed, driving_torques, kinetic, mass_and_factor
from rbd.contact.manifold import resting_points
from rbd.contact.model import CollisionModel
from rbd.contact.pairs import Pair
from rbd.contact.results import ContactStep
from rbd.joints.tuples import matvec
from rbd.scalars import Matrix, Scalar, Vector, const, less, minimum, where
from rbd.scalars.arrays import Array
from rbd.state import MechanismState, ScalarState, State

_NAME = "contact_step"
MARGIN = 1 / 100
"""Distance below which points are watched in a step (m)."""
_SOFTNESS = const(1, 5)
"""The share of an overlap that a step takes away."""


@overload
def contact_step(
    state: MechanismState,
    model: CollisionModel,
    torques: Sequence[Scalar] | NDArray[Any],
    dt: float,
    *,
    friction: float = 0.0,
    margin: float = MARGIN,
) -> ContactStep[float]: ...
@overload
def contact_step(
    state: State[Any],
    model: CollisionModel,
    torques: Sequence[Scalar] | NDArray[Any],
    dt: float,
    *,
    friction: float = 0.0,
    margin: float = MARGIN,
) -> ContactStep[Scalar]: ...
def contact_step(
    state: State[Any],
    model: CollisionModel,
    torques: Sequence[Scalar] | NDArray[Any],
    dt: float,
    *,
    friction: float = 0.0,
    margin: float = MARGIN,
) -> ContactStep[Any]:
    """Return the state a time `dt` later: velocities that contacts and friction allow, then configurations with them.

    `friction` is Coulomb's coefficient of all pairs. Points nearer than `margin` are watched; it must be more than what
    closes in a step. Boxes rest on faces with all their corners, capsules on planes with both ends. The state itself is
    left as it is. Raises ShapeError, NotFiniteError, ArgumentError, SolverError.

    >>> import rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> after = rbd.contact.contact_step(rbd.MechanismState(mechanism), model, [0.0] * 13, 1e-3, friction=0.5)
    >>> after.q.shape, after.active
    ((13,), array([0., 0., 0., 0.]))
    """
    arguments = _checked(state, model, torques, dt, friction, margin)
    body = partial(_step, model.pairs, friction > 0)
    found = evaluate(model, state, _key(friction > 0), body, **arguments)
    return ContactStep(
        found["q_next"],
        found["v_next"],
        found["impulses"],
        found["active"],
        number(found["residual"]),
        number(found["energy"]),
    )


def step_function(model: CollisionModel, frictional: bool, nv: int) -> RecordedFunction:
    """Return the step as a function of arrays: q, v, torques, and (dt, margin, friction)."""
    return model.functions.of(_key(frictional), partial(_step, model.pairs, frictional), {"torques": nv, "settings": 3})


def step_arguments(
    state: State[Any],
    model: CollisionModel,
    torques: Sequence[Scalar] | NDArray[Any],
    dt: float,
    friction: float,
    margin: float,
) -> tuple[Array, ...]:
    """Return the arguments of the step function, once they are checked."""
    named = _checked(state, model, torques, dt, friction, margin)
    require_tree(state, _NAME)
    return tuple(np.asarray(x, dtype=np.float64) for x in (state.q, state.v, *named.values()))


def _key(frictional: bool) -> tuple[str, bool]:
    return _NAME, frictional


def _checked(
    state: State[Any],
    model: CollisionModel,
    torques: Sequence[Scalar] | NDArray[Any],
    dt: float,
    friction: float,
    margin: float,
) -> dict[str, Vector | Array]:
    require_both(state, model, _NAME)
    settings = above_zero(dt, "dt"), at_least_zero(margin, "margin"), at_least_zero(friction, "friction")
    return {"torques": drive_of(state, torques), "settings": settings}


def _step(
    pairs: Sequence[Pair], frictional: bool, state: ScalarState, torques: Vector, settings: Vector
) -> Mapping[str, object]:
    dt, margin, friction = (state.lifted(x) for x in settings)
    return velocity_step(pairs, state, tuple(torques), dt, margin, friction if frictional else None)


class _Conditions(NamedTuple):
    """Rows and bounds of all points, with the number of the pair each belongs to."""

    rows: Matrix
    bounds: Vector
    owners: tuple[int, ...]
    gaps: Vector
    """The distance of each row's point."""
    distances: Vector
    """Of the pairs."""


def velocity_step(
    pairs: Sequence[Pair],
    state: ScalarState,
    torques: Vector,
    dt: Scalar,
    margin: Scalar,
    friction: Scalar | None,
) -> Mapping[str, object]:
    """Return q and v after a step, impulses, and how well the problem was solved; `friction` None means none."""
    v = tuple(state.v)
    matrix, factor = mass_and_factor(state)
    drive = driving_torques(state, torques)
    momentum = tuple(p + dt * x for p, x in zip(matvec(matrix, v), drive, strict=True))
    free = factor.solve(momentum)
    conditions = _conditions(state, pairs, free, dt, margin, friction)
    bounds = conditions.bounds if friction is None else _without_lift(conditions.rows, conditions.bounds, v)
    found = allowed(matrix, momentum, conditions.rows, bounds)
    q_next = moved_along(state, found.motion, dt)
    slack = tuple(a - b for a, b in zip(matvec(conditions.rows, found.motion), bounds, strict=True))
    impulses = sums(found.multipliers, conditions.owners, len(pairs))
    return {
        "distances": conditions.distances,
        "q_next": q_next,
        "v_next": found.motion,
        "impulses": impulses,
        "active": tuple(where(less(0, x), 1, 0) for x in impulses),
        "residual": found.residual,
        "energy": kinetic(matrix, found.motion) - kinetic(matrix, free),
        "after": (*q_next, *found.motion, *slack, *found.multipliers),
        "held": found.active,
        "gaps": conditions.gaps,
        "owners": conditions.owners,
    }


def _conditions(
    state: ScalarState, pairs: Sequence[Pair], free: Vector, dt: Scalar, margin: Scalar, friction: Scalar | None
) -> _Conditions:
    rows: list[Vector] = []
    bounds: list[Scalar] = []
    owners: list[int] = []
    gaps: list[Scalar] = []
    distances: list[Scalar] = []
    for owner, pair in enumerate(pairs):
        points = _points(state, pair)
        distances.append(reduce(minimum, (point.value for point in points)))
        for point in points:
            near = less(point.value, margin)
            gap = where(less(point.value, 0), _SOFTNESS * point.value, point.value)
            cone = _cone(state, pair, point, friction, free)
            rows += [tuple(x if vanishes(x) else where(near, x, 0) for x in row) for row in cone]
            bounds += [where(near, -gap / dt, 0)] * len(cone)
            owners += [owner] * len(cone)
            gaps += [point.value] * len(cone)
    return _Conditions(tuple(rows), tuple(bounds), tuple(owners), tuple(gaps), tuple(distances))


def _without_lift(rows: Matrix, bounds: Vector, v: Vector) -> Vector:
    """Return bounds that let points slide without rising.

    A point that slides at speed s may approach only as if its gap were smaller by mu s dt, so that bodies would take
    off. Taking mu s off the bounds, for the speeds at the beginning of the step, ends that (De Saxcé); what changes of
    speed within the step leave shows in the gaps, which are closed again over some steps.
    """
    rates, corrected = matvec(rows, v), list[Scalar]()
    for k in range(0, len(rates), CORNERS):
        mean, least = mean_and_least(rates[k : k + CORNERS])
        corrected += [bound - (mean - least) for bound in bounds[k : k + CORNERS]]
    return tuple(corrected)


def _points(state: ScalarState, pair: Pair) -> list[Closest]:
    tf_a = state.relative_transform(pair.a.frame, pair.base)
    tf_b = state.lifted_transform(pair.body_b.fixed_transform(pair.b.frame, pair.base))
    return resting_points(place(pair.a, tf_a, state.lifted), place(pair.b, tf_b, state.lifted))


def _cone(state: ScalarState, pair: Pair, point: Closest, friction: Scalar | None, free: Vector) -> Matrix:
    """Return the rows of the corners of a friction cone; one row, the normal's, without friction."""
    motion = motion_of(state, pair, point.on_a)
    normal = motion.row(point.normal)
    if friction is None:
        return (normal,)
    ways = tangents(point.normal, motion.velocity(free))
    return corners(normal, [tuple(friction * x for x in motion.row(way)) for way in ways])
