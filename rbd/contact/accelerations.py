"""The quadratic program of accelerations with contacts, with and without friction (internal).

Room: contact. Without friction there is one row per pair: its normal's. With friction there is one row per corner of
its cone. Minimising over these alone would let points that begin to slide rise as well, mu times as fast (Anitescu);
taking that rise off the bounds and solving again, until nothing changes, is Coulomb's law (De Saxcé): friction at its
limit, no motion along the normal. The first direction is that in which the point slides or, at rest, would slide; a
point that slides has one corner, against its way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import NamedTuple, TypeAlias

from rbd.algorithms.constrained import constraint_torques
from rbd.contact.cones import CORNERS, corners, motion_of, tangents
from rbd.contact.gauss import (
    Allowed,
    contacts_of,
    driving_torques,
    kkt_residual,
    mass_and_factor,
    nearer_than,
    required_accelerations,
)
from rbd.contact.kinematics import closest_of, point_drift
from rbd.contact.pairs import Pair
from rbd.joints.tuples import dot
from rbd.scalars import Condition, Matrix, Scalar, Vector, absolute, both, const, invert, less, maximum, where
from rbd.spatial.linalg import Vec3, add3, dot3
from rbd.state import ScalarState

_SLOW = const(1, 10**6)
"""Square of the speed above which a point slides: a millimetre per second."""
_AGAINST = 1
"""The corner against the way: n - mu t of the first direction."""
_ROUNDS = 8
"""Of solving twice and extrapolating."""
_SHRINKING = const(9, 10)


class Problem(NamedTuple):
    """Minimise 1/2 a' M a - right' a subject to rows a >= bounds - lifts(a)."""

    matrix: Matrix
    right: Vector
    rows: Matrix
    bounds: Vector
    slopes: Matrix
    """Per pair the rows mu t of two directions; none without friction."""
    drifts: Vector
    """What the points accelerate by along them when no joint does, mu times."""
    slides: Vector
    """Per pair, 1 if it slides along the first direction."""


Solve: TypeAlias = Callable[[Matrix, Vector, Matrix, Vector], Allowed]


def problem_of(
    state: ScalarState,
    pairs: Sequence[Pair],
    torques: Vector,
    threshold: Scalar,
    *,
    exact: bool,
    friction: Scalar | None,
) -> Problem:
    """Return the problem of a state; pairs nearer than `threshold` touch."""
    matrix, factor = mass_and_factor(state)
    right = driving_torques(state, torques)
    contacts = contacts_of(state, pairs, nearer_than(threshold))
    bounds = required_accelerations(state, pairs, contacts, exact=exact)
    if friction is None:
        return Problem(matrix, right, contacts.rows, bounds, (), (), ())
    free = factor.solve(right)
    touches = zip(pairs, contacts.touching, bounds, strict=True)
    cones = [_cone(state, pair, touch, bound, free, friction, exact=exact) for pair, touch, bound in touches]
    return Problem(
        matrix,
        right,
        rows=tuple(row for cone in cones for row in cone.rows),
        bounds=tuple(bound for cone in cones for bound in cone.bounds),
        slopes=tuple(slope for cone in cones for slope in cone.slopes),
        drifts=tuple(drift for cone in cones for drift in cone.drifts),
        slides=tuple(cone.slides for cone in cones),
    )


class _Cone(NamedTuple):
    """The part of a problem that is one pair's."""

    rows: Matrix
    bounds: Vector
    slopes: Matrix
    drifts: Vector
    slides: Scalar


def _cone(
    state: ScalarState, pair: Pair, touches: Condition, bound: Scalar, free: Vector, friction: Scalar, *, exact: bool
) -> _Cone:
    """Return the cone of a pair: all its corners at rest, the one against its way while it slides."""
    point = closest_of(state, pair)
    motion = motion_of(state, pair, point.on_a)
    drift = point_drift(state, pair, point.on_a) if exact else (0, 0, 0)
    speed = motion.slip(point.normal, tuple(state.v))
    slides = both(touches, less(_SLOW, dot3(speed, speed)))
    ways = tangents(point.normal, _either(slides, speed, add3(motion.velocity(free), drift)))
    slopes = tuple(tuple(friction * x for x in motion.row(way)) for way in ways)
    drifts = tuple(friction * dot3(way, drift) for way in ways)
    sides = [bound - sign * shift for shift in drifts for sign in (1, -1)]
    held = [touches if k == _AGAINST else both(touches, invert(slides)) for k in range(CORNERS)]
    rows = corners(motion.row(point.normal), slopes)
    return _Cone(
        rows=tuple(tuple(where(holds, x, 0) for x in row) for holds, row in zip(held, rows, strict=True)),
        bounds=tuple(where(holds, side, 0) for holds, side in zip(held, sides, strict=True)),
        slopes=tuple(tuple(where(touches, x, 0) for x in slope) for slope in slopes),
        drifts=tuple(where(touches, drift, 0) for drift in drifts),
        slides=where(slides, 1, 0),
    )


def _either(condition: Condition, a: Vec3, b: Vec3) -> Vec3:
    x, y, z = (where(condition, p, q) for p, q in zip(a, b, strict=True))
    return x, y, z


# --- solving it -------------------------------------------------------------------------------------------------------


def solved(problem: Problem, solve: Solve) -> Allowed:
    """Return accelerations and weights of the rows, solving again and again if there is friction.

    Rises are extrapolated from every second one to the next (Steffensen), pair by pair.
    """
    if not problem.slopes:
        return solve(problem.matrix, problem.right, problem.rows, problem.bounds)

    def again(rises: Vector) -> Allowed:
        return solve(problem.matrix, problem.right, problem.rows, _lowered(problem, rises))

    rises: Vector = (0,) * len(problem.slides)
    for _ in range(_ROUNDS):
        first = _rises(problem, again(rises).motion)
        second = _rises(problem, again(first).motion)
        rises = tuple(_extrapolated(*three) for three in zip(rises, first, second, strict=True))
    found = again(rises)
    bounds = _lowered(problem, _rises(problem, found.motion))
    data = problem.matrix, problem.right, problem.rows, bounds
    return found._replace(residual=kkt_residual(*data, found.motion, found.multipliers))


def _extrapolated(a: Scalar, b: Scalar, c: Scalar) -> Scalar:
    """Return where a, b, c lead, if their differences shrink; else c."""
    before, after = b - a, c - b
    shrinks = less(absolute(after), _SHRINKING * absolute(before))
    return where(shrinks, c + after * after / where(shrinks, before - after, 1), c)


def _rises(problem: Problem, motion: Vector) -> Vector:
    """Return, pair by pair, how fast points rise that slide with the accelerations `motion`."""
    rates = [dot(slope, motion) + drift for slope, drift in zip(problem.slopes, problem.drifts, strict=True)]
    return tuple(
        where(less(0, slides), rates[2 * k], maximum(absolute(rates[2 * k]), absolute(rates[2 * k + 1])))
        for k, slides in enumerate(problem.slides)
    )


def _lowered(problem: Problem, rises: Vector) -> Vector:
    """Return the bounds less the rises; of a point that slides, one corner alone is held."""
    bounds: list[Scalar] = []
    for k, (slides, rise) in enumerate(zip(problem.slides, rises, strict=True)):
        others = where(less(0, slides), 0, rise)
        lifts = [rise if corner == _AGAINST else others for corner in range(CORNERS)]
        bounds += [a - b for a, b in zip(problem.bounds[CORNERS * k : CORNERS * (k + 1)], lifts, strict=True)]
    return tuple(bounds)


def summary(problem: Problem, found: Allowed, v: Vector) -> Mapping[str, object]:
    """Return what is said of a solution, arrays by name."""
    push = constraint_torques(problem.rows, found.multipliers, len(v))
    width = CORNERS if problem.slopes else 1
    starts = range(0, len(problem.rows), width)
    return {
        "vd": found.motion,
        "multipliers": tuple(reduce(lambda a, b: a + b, found.multipliers[k : k + width]) for k in starts),
        "active": tuple(reduce(maximum, found.active[k : k + width]) for k in starts),
        "contact_torques": push,
        "residual": found.residual,
        "power": dot(push, v),
    }
