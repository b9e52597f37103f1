"""Steps in time with contact and Coulomb friction, on velocities.

Room: contact; may import compiled and above. One convex problem per step covers impact, rest and sliding (Anitescu,
2006): the velocity nearest to the free one, by kinetic energy, at which no point approaches faster than closes its gap
in the step, whichever way it also slides: (n + mu t) v >= -d / dt for directions t in the tangent plane. Forces lie in
the friction cone with corners in these directions, two of them along the way the point would slide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial, reduce
from typing import Any, final

import attrs
from numpy.typing import NDArray

from rbd.algorithms import geometric_jacobian
from rbd.compiled.stepping import moved_along
from rbd.contact.cores import Closest, place
from rbd.contact.directions import direction
from rbd.contact.evaluation import evaluate
from rbd.contact.gauss import allowed, driving_torques, inner, kinetic, mass_and_factor, product
from rbd.contact.manifold import resting_points
from rbd.contact.model import CollisionModel
from rbd.contact.pairs import Pair
from rbd.contact.segments import some_perpendicular
from rbd.errors import ArgumentError
from rbd.scalars import Matrix, Scalar, Vector, const, less, minimum, sqrt, where
from rbd.spatial.linalg import Vec3, cross3, dot3, scale3, sub3
from rbd.state import ScalarState, State

MARGIN = 1 / 100
"""Distance below which points are watched in a step (m)."""
_SOFTNESS = const(1, 5)
"""The share of an overlap that a step takes away."""
_CORNERS = 4
"""Of a friction cone."""


@final
@attrs.frozen(eq=False)
class ContactStep:
    """The state after a step: q, v; M v = M free + J' impulses.

    `impulses` are the normal impulses of the pairs (N s), all their points together; `active` is 1 for pairs that push.
    `kkt_residual` is the largest violation of the conditions of the minimum; `energy_change` the kinetic energy that
    contacts add (J), which is not positive but for the pushing apart of what overlaps.
    """

    q: NDArray[Any]
    v: NDArray[Any]
    impulses: NDArray[Any]
    active: NDArray[Any]
    kkt_residual: Scalar
    energy_change: Scalar


def contact_step(
    state: State[Any],
    model: CollisionModel,
    torques: Sequence[Scalar] | NDArray[Any],
    dt: float,
    *,
    friction: float = 0.0,
    margin: float = MARGIN,
) -> ContactStep:
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
    for name, value in (("dt", dt), ("friction", friction), ("margin", margin)):
        if not (value > 0 or (value == 0 and name != "dt")):
            raise ArgumentError(
                f"{name} is {value}, must be {'positive' if name == 'dt' else 'at least 0'}", argument=name
            )
    model.require(state)
    drive = state.vector(torques, state.layout.nv, "torques")
    body = partial(velocity_step, model.pairs, float(friction), float(margin))
    key = ("velocity step", float(friction), float(margin))
    found = evaluate(model, state, key, body, torques=drive, dt=(float(dt),))
    scalars = [x.item() if hasattr(x, "item") else x for x in (found["residual"], found["energy"])]
    return ContactStep(found["q_next"], found["v_next"], found["impulses"], found["active"], *scalars)


def velocity_step(
    pairs: Sequence[Pair], friction: float, margin: float, state: ScalarState, torques: Vector, dt: Vector
) -> Mapping[str, object]:
    """Return q and v after a step, impulses, and how well the problem was solved."""
    time, v = dt[0], tuple(state.v)
    matrix, factor = mass_and_factor(state)
    momentum = tuple(
        p + time * x for p, x in zip(product(matrix, v), driving_torques(state, tuple(torques)), strict=True)
    )
    free = factor.solve(momentum)
    rows: list[Vector] = []
    bounds: list[Scalar] = []
    owners: list[int] = []
    distances: list[Scalar] = []
    for number, pair in enumerate(pairs):
        points = _points(state, pair)
        distances.append(reduce(minimum, (point.value for point in points)))
        for point in points:
            cone = _cone(state, pair, point, friction, free)
            near = less(point.value, margin)
            bound = -where(less(point.value, 0), _SOFTNESS * point.value, point.value) / time
            rows += [tuple(x if _absent(x) else where(near, x, 0) for x in row) for row in cone]
            bounds += [where(near, bound, 0)] * len(cone)
            owners += [number] * len(cone)
    table = tuple(rows)
    found = allowed(matrix, momentum, table, _without_lift(table, tuple(bounds), v) if friction else tuple(bounds))
    impulses = [
        _sum(x for x, owner in zip(found.multipliers, owners, strict=True) if owner == k) for k in range(len(pairs))
    ]
    return {
        "distances": tuple(distances),
        "q_next": moved_along(state, found.motion, time),
        "v_next": found.motion,
        "impulses": tuple(impulses),
        "active": tuple(where(less(0, x), 1, 0) for x in impulses),
        "residual": found.residual,
        "energy": kinetic(matrix, found.motion) - kinetic(matrix, free),
    }


def _without_lift(rows: Matrix, bounds: Vector, v: Vector) -> Vector:
    """Return bounds that let points slide without rising.

    A point that slides at speed s may approach only as if its gap were smaller by mu s dt, so that bodies would take
    off. Taking mu s off the bounds, for the speeds at the beginning of the step, ends that (De Saxcé); what changes of
    speed within the step leave shows in the gaps, which are closed again over some steps.
    """
    rates, corrected = product(rows, v), list[Scalar]()
    for k in range(0, len(rates), _CORNERS):
        group = rates[k : k + _CORNERS]
        # The rows are n + mu t for opposite t: their mean is the normal's rate, the least has -mu s beside it.
        lift = _sum(group) * const(1, _CORNERS) - reduce(minimum, group)
        corrected += [bound - lift for bound in bounds[k : k + _CORNERS]]
    return tuple(corrected)


def _points(state: ScalarState, pair: Pair) -> list[Closest]:
    tf_a = state.relative_transform(pair.a.frame, pair.base)
    tf_b = state.lifted_transform(pair.body_b.fixed_transform(pair.b.frame, pair.base))
    return resting_points(place(pair.a, tf_a, state.lifted), place(pair.b, tf_b, state.lifted))


def _cone(state: ScalarState, pair: Pair, point: Closest, friction: float, free: Vector) -> Matrix:
    """Return the rows of the corners of a friction cone; one row, the normal's, without friction."""
    path = state.mechanism.path(pair.body_b, pair.body_a)
    jacobian = geometric_jacobian(state, path, frame=pair.base)
    # Columns of the velocity of the first body's point where the two touch.
    columns = [
        (angular, tuple(p + r for p, r in zip(linear, cross3(angular, point.on_a), strict=True)))
        for angular, linear in jacobian.columns
    ]

    def row(way: Vec3) -> Vector:
        return tuple(dot3(way, (linear[0], linear[1], linear[2])) for _, linear in columns)

    normal = row(point.normal)
    if friction == 0:
        return (normal,)
    sliding = [inner([linear[k] for _, linear in columns], free) for k in range(3)]
    ways = tangents(point.normal, (sliding[0], sliding[1], sliding[2]))
    mu = state.lifted(friction)
    slopes = [tuple(mu * x for x in row(way)) for way in ways]
    return tuple(
        tuple(n + sign * s for n, s in zip(normal, slope, strict=True)) for slope in slopes for sign in (1, -1)
    )


def tangents(normal: Vec3, sliding: Vec3) -> tuple[Vec3, Vec3]:
    """Return two directions across `normal` and each other, the first along the sliding velocity if there is one."""
    across = sub3(sliding, scale3(normal, dot3(sliding, normal)))
    fallback = some_perpendicular(normal)
    length = sqrt(dot3(fallback, fallback))
    _, first = direction(across, (fallback[0] / length, fallback[1] / length, fallback[2] / length), 1)
    return first, cross3(normal, first)


def _sum(values: Any) -> Scalar:
    total: Scalar = 0
    for x in values:
        total = total + x
    return total


def _absent(x: Scalar) -> bool:
    return type(x) is int and x == 0
