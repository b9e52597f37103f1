"""The problem of accelerations with contacts, with and without friction (internal).

Without friction there is one row per pair: its normal's. With friction there are two more, the slopes: the directions
in which its point slides, times the coefficient. The first direction is that in which the point slides or, at rest,
would slide; forces are at most the normal one in the sum of both directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rbd.contact.cones import motion_of, tangents
from rbd.contact.gauss import (
    contacts_of,
    driving_torques,
    mass_and_factor,
    nearer_than,
    required_accelerations,
)
from rbd.contact.kinematics import closest_of, point_drift
from rbd.contact.pairs import Pair
from rbd.scalars import Condition, Matrix, Scalar, Vector, both, const, less, where
from rbd.spatial.linalg import Vec3, add3, dot3
from rbd.state import ScalarState

_SLOW = const(1, 10**6)
"""Square of the speed above which a point slides: a millimetre per second."""


class Problem(NamedTuple):
    """M a = right + what the forces of the pairs push; pairs that do not touch have zeros."""

    matrix: Matrix
    right: Vector
    normals: Matrix
    bounds: Vector
    """What the normals' rates must not fall below."""
    slopes: Matrix
    """Per pair the rows mu t of two directions; none without friction."""
    drifts: Vector
    """What the points accelerate by along them when no joint does, mu times."""
    slides: Vector
    """Per pair, 1 if it slides along the first direction."""


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
    touches = zip(pairs, contacts.touching, strict=True)
    rubs = [_rubbing(state, pair, touch, free, friction, exact=exact) for pair, touch in touches]
    return Problem(
        matrix,
        right,
        contacts.rows,
        bounds,
        slopes=tuple(slope for rub in rubs for slope in rub.slopes),
        drifts=tuple(drift for rub in rubs for drift in rub.drifts),
        slides=tuple(rub.slides for rub in rubs),
    )


class _Rubbing(NamedTuple):
    """The part of a problem that is one pair's friction."""

    slopes: Matrix
    drifts: Vector
    slides: Scalar


def _rubbing(
    state: ScalarState, pair: Pair, touches: Condition, free: Vector, friction: Scalar, *, exact: bool
) -> _Rubbing:
    """Return how a pair rubs."""
    point = closest_of(state, pair)
    motion = motion_of(state, pair, point.on_a)
    drift = point_drift(state, pair, point.on_a) if exact else (0, 0, 0)
    speed = motion.slip(point.normal, tuple(state.v))
    slides = both(touches, less(_SLOW, dot3(speed, speed)))
    ways = tangents(point.normal, _either(slides, speed, add3(motion.velocity(free), drift)))
    slopes = [[friction * x for x in motion.row(way)] for way in ways]
    drifts = [friction * dot3(way, drift) for way in ways]
    return _Rubbing(
        slopes=tuple(tuple(where(touches, x, 0) for x in slope) for slope in slopes),
        drifts=tuple(where(touches, drift, 0) for drift in drifts),
        slides=where(slides, 1, 0),
    )


def _either(condition: Condition, a: Vec3, b: Vec3) -> Vec3:
    x, y, z = (where(condition, p, q) for p, q in zip(a, b, strict=True))
    return x, y, z
