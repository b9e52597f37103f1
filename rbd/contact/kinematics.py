"""How the distances of a mechanism's shapes depend on its state: readable, recorded once, run as machine code.

Everything about a pair is computed in the default frame of the second shape's body, found along the path between the
two bodies, so that nothing is lost far from the root.

The derivative of a distance needs no derivative of the witnesses (the envelope theorem): it is the speed at which the
bodies' points at the witnesses separate. The second derivative does, and gets it by running the same formulas on jets.
"""

from __future__ import annotations

from typing import Any

from rbd.algorithms import geometric_jacobian
from rbd.contact.closest import closest
from rbd.contact.cores import Closest, place
from rbd.contact.pairs import Pair
from rbd.scalars import Scalar, Vector
from rbd.scalars.jets import Jet
from rbd.spatial import Frame, FreeVector, Point, SpatialAcceleration, Transform, Twist, Wrench
from rbd.spatial.linalg import Mat3, Vec3, add3, cross3
from rbd.state import State

Nearest = tuple[Point[Any], Point[Any], FreeVector[Any]]


def nearest(state: State[Any], pair: Pair, previous: Vec3 = (0, 0, 0)) -> tuple[Scalar, Nearest]:
    """Return the distance of a pair, and witnesses and normal, in the root frame like `previous`."""
    base = pair.base
    found = _closest(state, pair, _earlier(state, previous, base))
    up = state.relative_transform(base, state.layout.root_frame)
    on_a, on_b = (Point.trusted(base, p).transformed(up) for p in (found.on_a, found.on_b))
    return found.value, (on_a, on_b, FreeVector.trusted(base, found.normal).transformed(up))


def distance_and_row(state: State[Any], pair: Pair, previous: Vec3 = (0, 0, 0)) -> tuple[Scalar, Vector]:
    """Return the distance d of a pair, and the row J with dd/dt = J v."""
    found = _closest(state, pair, _earlier(state, previous, pair.base))
    return found.value, row_of_force(state, pair, Point.trusted(pair.base, found.on_a), found.normal)


def row_of_force(state: State[Any], pair: Pair, point: Point[Any], normal: Vec3) -> Vector:
    """Return the torques of a force of 1 N along `normal` on the first body at `point`, borne by the second."""
    path = state.mechanism.path(pair.body_b, pair.body_a)
    push = Wrench.of_force(point, FreeVector.trusted(point.frame, normal))
    return geometric_jacobian(state, path, frame=pair.base).torque_components(push)


def closest_of(state: State[Any], pair: Pair) -> Closest:
    """Return distance, witnesses and normal of a pair in its base frame."""
    return _closest(state, pair, (0, 0, 0))


def point_drift(state: State[Any], pair: Pair, point: Vec3) -> Vec3:
    """Return how a point of the first body accelerates, seen from the second, when no joint does; in the base frame."""
    twist, bias = state.relative_twist(pair.body_a, pair.base, frame=pair.base), _bias(state, pair)
    spin, rate = twist.angular_components, add3(twist.linear_components, cross3(twist.angular_components, point))
    return add3(add3(bias.linear_components, cross3(bias.angular_components, point)), cross3(spin, rate))


def second_order(state: State[Any], pair: Pair, previous: Vec3 = (0, 0, 0)) -> Scalar:
    """Return the part of the distance's second derivative that accelerations do not make: b of d'' = J vd + b."""
    return moving(state, pair, previous).second


def moving(state: State[Any], pair: Pair, previous: Vec3 = (0, 0, 0)) -> Jet:
    """Return the distance with its derivatives along the motion that has no acceleration."""
    tf = state.relative_transform(pair.a.frame, pair.base)
    twist = state.relative_twist(pair.body_a, pair.base, frame=pair.base)
    moved = along_motion(tf, twist, _bias(state, pair))
    value = _closest(state, pair, _earlier(state, previous, pair.base), moved).value
    return value if isinstance(value, Jet) else Jet(value)


def along_motion(
    tf: Transform[Any, Any], twist: Twist[Any, Any, Any], acceleration: SpatialAcceleration[Any, Any, Any]
) -> Transform[Any, Any]:
    """Return a transform of jets: `tf` as it changes while its source moves against its target."""
    spin, turning = twist.angular_components, acceleration.angular_components
    columns = [_jets(x, spin, turning, ((0, 0, 0), (0, 0, 0))) for x in zip(*tf.rotation_components, strict=True)]
    linear = twist.linear_components, acceleration.linear_components
    origin = _jets(tf.translation_components, spin, turning, linear)
    rows: Mat3 = tuple(zip(*columns, strict=True))  # type: ignore[assignment]  # three columns of three
    return Transform.trusted(tf.from_frame, tf.to_frame, rows, origin)


def _jets(x: Vec3, spin: Vec3, turning: Vec3, linear: tuple[Vec3, Vec3]) -> Vec3:
    """Return a point fixed to what moves, with its velocity and acceleration."""
    rate = add3(linear[0], cross3(spin, x))
    second = add3(add3(linear[1], cross3(turning, x)), cross3(spin, rate))
    a, b, c = (Jet(*parts) for parts in zip(x, rate, second, strict=True))
    return a, b, c


def _bias(state: State[Any], pair: Pair) -> SpatialAcceleration[Any, Any, Any]:
    """Return the acceleration of the first body as seen from the second, when no joint accelerates."""
    difference = -state.bias_acceleration(pair.body_b) + state.bias_acceleration(pair.body_a)
    return state.transform(difference, pair.base)


def _closest(state: State[Any], pair: Pair, previous: Vec3, moved: Transform[Any, Any] | None = None) -> Closest:
    tf_a = state.relative_transform(pair.a.frame, pair.base) if moved is None else moved
    tf_b = state.lifted_transform(pair.body_b.fixed_transform(pair.b.frame, pair.base))
    return closest(place(pair.a, tf_a, state.lifted), place(pair.b, tf_b, state.lifted), previous)


def _earlier(state: State[Any], previous: Vec3, base: Frame[Any]) -> Vec3:
    if all(isinstance(x, int) for x in previous):
        return previous
    root = state.layout.root_frame
    return FreeVector.trusted(root, previous).transformed(state.relative_transform(root, base)).xyz_components
