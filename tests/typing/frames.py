"""The frames and values that `must_pass.py` and `must_fail.py` talk about; every type is inferred."""

from __future__ import annotations

from rbd.spatial import (
    Frame,
    FreeVector,
    GeometricJacobian,
    Momentum,
    MomentumMatrix,
    Point,
    PointJacobian,
    SpatialAcceleration,
    SpatialInertia,
    Tag,
    Transform,
    Twist,
    Wrench,
    WrenchMatrix,
)


class World(Tag):
    """Where things are."""


class Hand(Tag):
    """Moves in the world."""


class Camera(Tag):
    """Held by the hand."""


class WideCamera(Camera):
    """A subclass, to show that frames of subclasses are other frames."""


THREE = (1.0, 2.0, 3.0)
ROWS = ((1.0, 0.0), (0.0, 1.0), (0.0, 0.0))
UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

world = Frame.of(World)
hand = Frame.of(Hand)
camera = Frame.of(Camera)
wide = Frame.of(WideCamera)

hand_to_world = Transform(hand, world)
camera_to_hand = Transform(camera, hand)
wide_to_hand = Transform(wide, hand)

point_w = Point(world, THREE)
point_h = Point(hand, THREE)
point_wide = Point(wide, THREE)
vector_w = FreeVector(world, THREE)
vector_h = FreeVector(hand, THREE)

# names: of what, with respect to what, in what
twist_hw_w = Twist(hand, world, world, THREE, THREE)
twist_hw_h = Twist(hand, world, hand, THREE, THREE)
twist_ch_w = Twist(camera, hand, world, THREE, THREE)
twist_ch_h = Twist(camera, hand, hand, THREE, THREE)
twist_cw_w = Twist(camera, world, world, THREE, THREE)
acceleration_hw_w = SpatialAcceleration(hand, world, world, THREE, THREE)
acceleration_hw_h = SpatialAcceleration(hand, world, hand, THREE, THREE)
acceleration_ch_w = SpatialAcceleration(camera, hand, world, THREE, THREE)

wrench_w = Wrench(world, THREE, THREE)
wrench_h = Wrench(hand, THREE, THREE)
momentum_w = Momentum(world, THREE, THREE)
momentum_h = Momentum(hand, THREE, THREE)
inertia_h = SpatialInertia(hand, mass=1.0, moment=UNIT)
inertia_w = SpatialInertia(world, mass=1.0, moment=UNIT)

jacobian_hw_w = GeometricJacobian(hand, world, world, ROWS, ROWS)
jacobian_hw_h = GeometricJacobian(hand, world, hand, ROWS, ROWS)
point_jacobian_w = PointJacobian(world, ROWS)
momentum_matrix_w = MomentumMatrix(world, ROWS, ROWS)
wrench_matrix_w = WrenchMatrix(world, ROWS, ROWS)


def use(*values: object) -> None:
    """Take values, so that no expression stands alone."""
