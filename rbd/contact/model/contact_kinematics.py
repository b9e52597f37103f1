"""Signed distance phi of a pair of shapes, its contact Jacobian J and bias b, as functions of a mechanism's state.

    phi' = J v        phi'' = J vd + b

Everything about a pair is computed in the default frame of the second shape's body, along the path between the two
bodies, so that nothing is lost far from the root. J needs no derivative of the witnesses (envelope theorem): it is the
speed at which the material points at the witnesses separate along the normal. b needs the second derivative; the same
formulas, run on jets (truncated Taylor series in time), give it.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from rbd.algorithms import geometric_jacobian
from rbd.contact.geometry.contact_points import contact_points
from rbd.contact.geometry.placed_shapes import PlacedShape
from rbd.contact.geometry.separations import Separation
from rbd.contact.geometry.shape_distance import nearest_points, needs_facing_hulls
from rbd.contact.geometry.shape_kinds import place, rounding
from rbd.contact.model.pairs import Pair
from rbd.kernels.lifting import lifted_transform
from rbd.kinematics.queries import State
from rbd.scalars import Scalar, Vector
from rbd.scalars.jets import Jet, as_jet
from rbd.spatial import Frame, FreeVector, Point, SpatialAcceleration, Transform, Wrench
from rbd.spatial.linalg import Mat3, Vec3, add3, cross3

HEIGHT_FIELD_REACH = 1 / 100
"""Gaps up to which the distance from a height field is that of its nearest point (m)."""
_AXES: Final[tuple[Vec3, ...]] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
Witnesses: TypeAlias = tuple[Point[Any], Point[Any], FreeVector[Any]]
"""The nearest points of a pair, and the unit normal from the second shape to the first."""


def distance_and_witnesses(state: State[Any], pair: Pair, previous: Vec3 | None = None) -> tuple[Scalar, Witnesses]:
    """Return phi, witnesses and normal; in the root frame, as the previous normal, if there is one."""
    base = pair.base
    separation = nearest_in_base(state, pair, previous)
    X_WB = state.relative_transform(base, state.layout.root_frame)
    p_a, p_b = (Point.trusted(base, p).transformed(X_WB) for p in (separation.p_a, separation.p_b))
    return separation.phi, (p_a, p_b, FreeVector.trusted(base, separation.n).transformed(X_WB))


def distance_and_jacobian(state: State[Any], pair: Pair) -> tuple[Scalar, Vector]:
    """Return phi and the row J of the contact Jacobian: the generalized force of a unit normal force at the witness."""
    separation = nearest_in_base(state, pair)
    if needs_facing_hulls(pair.a, pair.b):
        force = _gradient(state, pair)
    else:
        force = Wrench.of_force(Point.trusted(pair.base, separation.p_a), FreeVector.trusted(pair.base, separation.n))
    path = state.mechanism.path(pair.body_b, pair.body_a)
    return separation.phi, geometric_jacobian(state, path, frame=pair.base).torque_components(force)


def _gradient(state: State[Any], pair: Pair) -> Wrench[Any]:
    """Return the wrench whose power is phi', from phi along each unit twist: points of facing hulls slide."""
    X_BA, zero = state.relative_transform(pair.a.frame, pair.base), (0, 0, 0)
    twists = *((axis, zero) for axis in _AXES), *((zero, axis) for axis in _AXES)
    jets = [_transform_jet(X_BA, twist, (zero, zero)) for twist in twists]
    x, y, z, *linear = (as_jet(nearest_points(*_placed(state, pair, tf)).phi).first for tf in jets)
    return Wrench.trusted(pair.base, (x, y, z), (linear[0], linear[1], linear[2]))


def distance_bias(state: State[Any], pair: Pair) -> Scalar:
    """Return b in phi'' = J vd + b."""
    return distance_jet(state, pair).second


def distance_jet(state: State[Any], pair: Pair) -> Jet:
    """Return phi with its first and second time derivatives when vd is zero."""
    X_BA = state.relative_transform(pair.a.frame, pair.base)
    V, A = state.relative_twist(pair.body_a, pair.base, frame=pair.base), _bias_acceleration(state, pair)
    motion = (V.angular_components, V.linear_components), (A.angular_components, A.linear_components)
    return as_jet(nearest_points(*_placed(state, pair, _transform_jet(X_BA, *motion))).phi)


def nearest_in_base(state: State[Any], pair: Pair, previous: Vec3 | None = None) -> Separation:
    """Return phi, witnesses and normal in the base frame of the pair; the previous normal is in the root frame."""
    previous_in_base = (0, 0, 0) if previous is None else _in_base(state, previous, pair.base)
    return nearest_points(*_placed(state, pair), previous_in_base)


def contact_points_in_base(state: State[Any], pair: Pair) -> list[Separation]:
    """Return the points at which the shapes of a pair rest on each other, in the base frame of the pair."""
    return contact_points(*_placed(state, pair))


def point_bias_acceleration(state: State[Any], pair: Pair, p: Vec3) -> Vec3:
    """Return the acceleration, when vd is zero, of the first body's material point at p, relative to the second body.

    It is a0 + alpha0 x p + omega x (v0 + omega x p), in the base frame of the pair.
    """
    V, A = state.relative_twist(pair.body_a, pair.base, frame=pair.base), _bias_acceleration(state, pair)
    omega, velocity = V.angular_components, add3(V.linear_components, cross3(V.angular_components, p))
    return add3(add3(A.linear_components, cross3(A.angular_components, p)), cross3(omega, velocity))


def _transform_jet(
    tf: Transform[Any, Any], twist: tuple[Vec3, Vec3], acceleration: tuple[Vec3, Vec3]
) -> Transform[Any, Any]:
    """Return `tf` as jets in time, for this motion of its source frame: angular and linear parts."""
    (omega, v), (alpha, a) = twist, acceleration
    columns = [_jets(x, omega, alpha, ((0, 0, 0), (0, 0, 0))) for x in zip(*tf.rotation_components, strict=True)]
    origin = _jets(tf.translation_components, omega, alpha, (v, a))
    rows: Mat3 = tuple(zip(*columns, strict=True))  # type: ignore[assignment]  # three columns of three
    return Transform.trusted(tf.from_frame, tf.to_frame, rows, origin)


def _jets(x: Vec3, omega: Vec3, alpha: Vec3, linear: tuple[Vec3, Vec3]) -> Vec3:
    """Return a material point with its velocity and acceleration."""
    velocity = add3(linear[0], cross3(omega, x))
    acceleration = add3(add3(linear[1], cross3(alpha, x)), cross3(omega, velocity))
    a, b, c = (Jet(*parts) for parts in zip(x, velocity, acceleration, strict=True))
    return a, b, c


def _bias_acceleration(state: State[Any], pair: Pair) -> SpatialAcceleration[Any, Any, Any]:
    """Return the spatial acceleration of the first body relative to the second, when vd is zero."""
    difference = -state.bias_acceleration(pair.body_b) + state.bias_acceleration(pair.body_a)
    return state.transform(difference, pair.base)


def _placed(state: State[Any], pair: Pair, X_BA: Transform[Any, Any] | None = None) -> tuple[PlacedShape, PlacedShape]:
    tf_a = state.relative_transform(pair.a.frame, pair.base) if X_BA is None else X_BA
    tf_b = lifted_transform(state, pair.body_b.fixed_transform(pair.b.frame, pair.base))
    reach = max(rounding(pair.a), rounding(pair.b)) + HEIGHT_FIELD_REACH
    return place(pair.a, tf_a, state.lifted, reach), place(pair.b, tf_b, state.lifted, reach)


def _in_base(state: State[Any], previous: Vec3, base: Frame[Any]) -> Vec3:
    root = state.layout.root_frame
    return FreeVector.trusted(root, previous).transformed(state.relative_transform(root, base)).xyz_components
