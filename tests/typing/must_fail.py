# pyright: strict
"""One mistake a line: both type checkers report every line marked `# E`, and no other."""

from __future__ import annotations

import numpy as np

from rbd.mechanism import Mechanism
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
    Transform,
    Twist,
    Wrench,
    WrenchMatrix,
)
from rbd.state import MechanismState
from tests.typing.frames import (
    ROWS,
    THREE,
    UNIT,
    Camera,
    Hand,
    World,
    acceleration_ch_w,
    acceleration_hw_h,
    acceleration_hw_w,
    camera,
    camera_to_hand,
    hand,
    hand_to_world,
    inertia_h,
    inertia_w,
    jacobian_hw_h,
    jacobian_hw_w,
    momentum_h,
    momentum_matrix_w,
    momentum_w,
    point_h,
    point_jacobian_w,
    point_w,
    point_wide,
    twist_ch_h,
    twist_ch_w,
    twist_cw_w,
    twist_hw_h,
    twist_hw_w,
    use,
    vector_h,
    vector_w,
    wide_to_hand,
    world,
    wrench_h,
    wrench_matrix_w,
    wrench_w,
)


class NotATag:
    """No frame."""


def frames() -> None:
    use(Frame.of(NotATag))  # E
    use(Frame.of("world"))  # E
    use(Frame(3))  # E
    frame_1: Frame[World] = hand  # E
    frame_2: Frame[Camera] = Frame.of(Hand)  # E
    use(frame_1, frame_2)
    world.name = "moon"  # E


def transforms() -> None:
    use(camera_to_hand @ hand_to_world)  # E
    use(hand_to_world @ hand_to_world)  # E
    use(hand_to_world.inverse() @ camera_to_hand)  # E
    use(hand_to_world @ camera_to_hand.inverse())  # E
    use(hand_to_world @ point_w)  # E
    use(hand_to_world.inverse() @ point_h)  # E
    use(hand_to_world @ vector_w)  # E
    use(hand_to_world @ np.eye(4))  # E
    use(hand_to_world @ [1.0, 2.0, 3.0])  # E
    use(hand_to_world @ twist_hw_h)  # E
    use(camera_to_hand @ point_wide)  # E
    transform_1: Transform[World, Hand] = hand_to_world  # E
    transform_2: Transform[Camera, Hand] = wide_to_hand  # E
    transform_3: Transform[Hand, World] = hand_to_world @ camera_to_hand  # E
    transform_4: Transform[Hand, World] = hand_to_world.inverse()  # E
    use(transform_1, transform_2, transform_3, transform_4)
    point_1: Point[Hand] = hand_to_world @ point_h  # E
    use(point_1)
    use(Transform(hand, "world"))  # E
    use(Transform(hand, world, UNIT, vector_h))  # E
    use(Transform(hand, world, translation="up"))  # E
    use(hand_to_world.isclose(camera_to_hand))  # E
    use(hand_to_world * 2.0)  # E
    use(hand_to_world + hand_to_world)  # E
    use(hand_to_world.log_and_rate(twist_hw_w))  # E
    use(hand_to_world.log_and_rate(twist_ch_h))  # E
    expected: Transform[Camera, World] = hand_to_world.expect(hand, world)  # E
    logarithm: Twist[Hand, World, Hand] = hand_to_world.log()  # E
    use(expected, logarithm)
    use(hand_to_world @ twist_ch_w.exp())  # E


def points_and_vectors() -> None:
    use(point_w + point_w)  # E
    use(point_w - point_h)  # E
    use(point_w + vector_h)  # E
    use(point_w - vector_h)  # E
    use(vector_w + vector_h)  # E
    use(vector_w - vector_h)  # E
    use(vector_w - point_w)  # E
    use(vector_w.dot(vector_h))  # E
    use(vector_w.cross(vector_h))  # E
    use(vector_w.cross(point_w))  # E
    use(point_w.cross(vector_h))  # E
    use(vector_w * vector_w)  # E
    use(vector_w + 1.0)  # E
    use(vector_w * "2")  # E
    use(point_w.isclose(point_h))  # E
    use(point_w.isclose(vector_w))  # E
    use(point_h.transformed(hand_to_world.inverse()))  # E
    use(vector_w.transformed(hand_to_world))  # E
    difference: Point[World] = point_w - point_w  # E
    moved: FreeVector[World] = point_w + vector_w  # E
    use(difference, moved)
    use(Point("world", THREE))  # E
    point_w.frame = hand  # E


def motions() -> None:
    use(twist_ch_w + twist_hw_w)  # E
    use(twist_hw_w + twist_ch_h)  # E
    use(twist_hw_w + twist_hw_h)  # E
    use(twist_cw_w + twist_ch_w)  # E
    use(twist_hw_w + acceleration_hw_w)  # E
    use(twist_hw_w - twist_ch_w)  # E
    use(twist_hw_w + wrench_w)  # E
    use(twist_hw_w.transformed(hand_to_world))  # E
    use(twist_hw_w.cross(twist_hw_h))  # E
    use(twist_hw_w.point_velocity(point_h))  # E
    use(twist_hw_w.point_velocity(vector_w))  # E
    use(Twist(hand, world, world, vector_h, THREE))  # E
    use(twist_hw_w * twist_hw_w)  # E
    chain: Twist[Hand, World, World] = twist_hw_w + twist_ch_w  # E
    reverse: Twist[Hand, World, World] = -twist_hw_w  # E
    other_end: Twist[Hand, Camera, World] = twist_cw_w - twist_hw_w  # E
    use(chain, reverse, other_end)
    use(acceleration_ch_w + acceleration_hw_w)  # E
    use(acceleration_hw_w + acceleration_hw_h)  # E
    use(acceleration_hw_w.transformed(hand_to_world))  # E
    use(acceleration_hw_h.transformed(hand_to_world, twist_hw_w, twist_hw_h))  # E
    use(acceleration_hw_h.transformed(hand_to_world, twist_hw_h, twist_ch_h))  # E
    use(acceleration_hw_w.point_acceleration(twist_hw_h, point_w))  # E
    use(acceleration_hw_w.point_acceleration(twist_hw_w, point_h))  # E
    use(acceleration_hw_w.point_acceleration(acceleration_hw_w, point_w))  # E
    coriolis: SpatialAcceleration[Hand, World, World] = twist_hw_w.cross(twist_ch_w)  # E
    use(coriolis)


def forces() -> None:
    use(wrench_w + wrench_h)  # E
    use(wrench_w - wrench_h)  # E
    use(wrench_w + momentum_w)  # E
    use(momentum_w + momentum_h)  # E
    use(wrench_w.dot(twist_hw_h))  # E
    use(wrench_w.dot(wrench_w))  # E
    use(wrench_w.transformed(hand_to_world))  # E
    use(Wrench.of_force(point_w, vector_h))  # E
    use(Wrench.of_force(vector_w, vector_w))  # E
    use(momentum_h.transformed(camera_to_hand))  # E
    wrench_1: Wrench[Hand] = wrench_h.transformed(hand_to_world)  # E
    momentum_1: Momentum[World] = inertia_h @ twist_hw_h  # E
    use(wrench_1, momentum_1)
    use(inertia_h + inertia_w)  # E
    use(inertia_h @ twist_hw_w)  # E
    use(inertia_h @ wrench_h)  # E
    use(inertia_h * twist_hw_h)  # E
    use(inertia_w.transformed(hand_to_world))  # E
    use(inertia_h.kinetic_energy(twist_hw_w))  # E
    use(inertia_h.newton_euler(acceleration_hw_w, twist_hw_h))  # E
    use(inertia_h.newton_euler(acceleration_hw_h, twist_hw_w))  # E
    use(inertia_h.newton_euler(twist_hw_h, acceleration_hw_h))  # E
    use(SpatialInertia(hand, 1.0, moment=UNIT))  # E
    use(SpatialInertia(hand, mass=1.0, com=point_w, moment=UNIT))  # E


def matrices() -> None:
    use(jacobian_hw_w.transformed(hand_to_world))  # E
    use(jacobian_hw_w.torque(wrench_h))  # E
    use(jacobian_hw_w.torque(twist_hw_w))  # E
    use(jacobian_hw_w @ twist_hw_w)  # E
    use(inertia_h @ jacobian_hw_w)  # E
    use(point_jacobian_w.torque(vector_h))  # E
    use(point_jacobian_w.torque(wrench_w))  # E
    use(point_jacobian_w.transformed(hand_to_world))  # E
    use(momentum_matrix_w.transformed(hand_to_world))  # E
    use(wrench_matrix_w.power(twist_hw_h))  # E
    twist_1: Twist[Hand, World, World] = jacobian_hw_h @ (1.0, 2.0)  # E
    jacobian_1: GeometricJacobian[Hand, World, World] = -jacobian_hw_w  # E
    vector_1: FreeVector[Hand] = point_jacobian_w @ (1.0, 2.0)  # E
    matrix_1: MomentumMatrix[World] = inertia_h @ jacobian_hw_h  # E
    matrix_2: WrenchMatrix[World] = momentum_matrix_w  # E
    use(twist_1, jacobian_1, vector_1, matrix_1, matrix_2)
    use(PointJacobian(camera, ROWS).isclose(point_jacobian_w))  # E


def mechanisms(mechanism: Mechanism) -> None:
    use(mechanism.frame("hand", NotATag))  # E
    use(mechanism.frame("hand", "Hand"))  # E
    frame_1: Frame[Camera] = mechanism.frame("hand", Hand)  # E
    use(frame_1)
    use(Transform(mechanism.frame("hand", Hand), world) @ point_w)  # E


def states(state: MechanismState) -> None:
    use(state.transform(point_h, world) - point_h)  # E
    use(state.transform(wrench_h, world) + wrench_h)  # E
    use(state.relative_transform(hand, world) @ point_w)  # E
    use(state.transform(hand_to_world, world))  # E
