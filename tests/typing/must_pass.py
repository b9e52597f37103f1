# pyright: strict
"""Correct uses of frames: both type checkers infer exactly these types and complain about nothing."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any, assert_type

import numpy as np

from rbd.compiled import CompiledRobot
from rbd.mechanism import Mechanism
from rbd.scalars import Scalar
from rbd.scalars.arrays import Array
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
    THREE,
    Camera,
    Hand,
    WideCamera,
    World,
    acceleration_ch_w,
    acceleration_hw_h,
    acceleration_hw_w,
    camera,
    camera_to_hand,
    hand,
    hand_to_world,
    inertia_h,
    jacobian_hw_h,
    jacobian_hw_w,
    momentum_h,
    momentum_matrix_w,
    momentum_w,
    point_h,
    point_jacobian_w,
    point_w,
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


def transforms() -> None:
    assert_type(world, Frame[World])
    assert_type(hand_to_world, Transform[Hand, World])
    assert_type(hand_to_world.inverse(), Transform[World, Hand])
    assert_type(hand_to_world @ camera_to_hand, Transform[Camera, World])
    assert_type(hand_to_world @ wide_to_hand, Transform[WideCamera, World])
    assert_type(hand_to_world @ point_h, Point[World])
    assert_type(hand_to_world @ vector_h, FreeVector[World])
    assert_type(hand_to_world.inverse() @ point_w, Point[Hand])
    assert_type(Transform.identity(camera, hand), Transform[Camera, Hand])
    assert_type(Transform.from_matrix(hand, world, np.eye(4)), Transform[Hand, World])
    assert_type(Transform.from_quaternion(hand, world, [1, 0, 0, 0]), Transform[Hand, World])
    assert_type(Transform(hand, world, np.eye(3), vector_w), Transform[Hand, World])
    assert_type(hand_to_world.log(), Twist[Hand, World, World])
    assert_type(hand_to_world.log().exp(), Transform[Hand, World])
    logarithm, rate = hand_to_world.log_and_rate(twist_hw_h)
    assert_type(logarithm, Twist[Hand, World, World])
    assert_type(rate, Twist[Hand, World, World])


def literals() -> None:
    """Numbers as people write them: lists of floats and integers mixed, tuples, arrays of any number type."""
    c, s = 0.6, 0.8
    use(Transform(hand, world, [[c, -s, 0], [s, c, 0], [0, 0, 1]], [1, 2.5, 0]))
    use(Transform(hand, world, ((c, -s, 0), (s, c, 0), (0, 0, 1)), (1, 2.5, 0)))
    use(Transform(hand, world, [np.array([1, 0, 0]), np.array([0, 1, 0]), np.array([0.0, 0.0, 1.0])]))
    use(Point(world, [1, 2.5, 3]), Point(world, (1, 2, 3)), Point(world, np.array([1, 2, 3], dtype=np.float32)))
    use(SpatialInertia(hand, mass=1, com=[0, 0, 0.5], moment=[[1, 0, 0], [0, 1, 0], [0, 0, 1.5]]))
    use(GeometricJacobian(hand, world, world, [[0], [0], [1]], [[0.5], [0], [0]]) @ [1])
    use(Point(world, [Fraction(1, 2), 0, 0.5]), Wrench(world, np.zeros(3), [0, 0, -9.81]))


def points_and_vectors() -> None:
    assert_type(point_w - point_w, FreeVector[World])
    assert_type(point_w - vector_w, Point[World])
    assert_type(point_w + vector_w, Point[World])
    assert_type(vector_w + point_w, Point[World])
    assert_type(vector_w + vector_w, FreeVector[World])
    assert_type(vector_w - vector_w, FreeVector[World])
    assert_type(vector_w.cross(vector_w), FreeVector[World])
    assert_type(point_w.cross(vector_w), FreeVector[World])
    assert_type(vector_w.dot(vector_w), Scalar)
    assert_type(2.0 * vector_w, FreeVector[World])
    assert_type(vector_w * Fraction(1, 2), FreeVector[World])
    assert_type(vector_w / 2.0, FreeVector[World])
    assert_type(-point_w, Point[World])
    assert_type(point_h.transformed(hand_to_world), Point[World])
    assert_type(vector_w.normalized(), FreeVector[World])


def motions() -> None:
    assert_type(twist_hw_w + twist_ch_w, Twist[Camera, World, World])
    assert_type(twist_hw_w + twist_hw_w, Twist[Hand, World, World])
    assert_type(twist_hw_w - twist_hw_w, Twist[Hand, World, World])
    assert_type(twist_cw_w - twist_hw_w, Twist[Camera, Hand, World])
    assert_type(twist_cw_w - twist_ch_w, Twist[Hand, World, World])
    assert_type(-twist_hw_w, Twist[World, Hand, World])
    assert_type(2 * twist_hw_w, Twist[Hand, World, World])
    assert_type(twist_hw_h.transformed(hand_to_world), Twist[Hand, World, World])
    assert_type(twist_hw_w.cross(twist_ch_w), SpatialAcceleration[Camera, Hand, World])
    assert_type(twist_hw_w.point_velocity(point_w), FreeVector[World])
    assert_type(twist_hw_w.with_body(camera), Twist[Camera, World, World])
    assert_type(twist_hw_w.with_base(camera), Twist[Hand, Camera, World])
    assert_type(acceleration_hw_w + acceleration_ch_w, SpatialAcceleration[Camera, World, World])
    assert_type(acceleration_hw_w - acceleration_hw_w, SpatialAcceleration[Hand, World, World])
    assert_type(-acceleration_hw_w, SpatialAcceleration[World, Hand, World])
    assert_type(
        acceleration_hw_h.transformed(hand_to_world, twist_hw_h, twist_hw_h), SpatialAcceleration[Hand, World, World]
    )
    assert_type(acceleration_hw_w.point_acceleration(twist_hw_w, point_w), FreeVector[World])


def forces() -> None:
    assert_type(Wrench.of_force(point_w, vector_w), Wrench[World])
    assert_type(wrench_h.transformed(hand_to_world) + wrench_w, Wrench[World])
    assert_type(wrench_w.dot(twist_hw_w), Scalar)
    assert_type(momentum_h.transformed(hand_to_world) - momentum_w, Momentum[World])
    assert_type(-wrench_w, Wrench[World])
    assert_type(inertia_h @ twist_hw_h, Momentum[Hand])
    assert_type(inertia_h @ jacobian_hw_h, MomentumMatrix[Hand])
    assert_type(inertia_h + inertia_h, SpatialInertia[Hand])
    assert_type(inertia_h * 2.0, SpatialInertia[Hand])
    assert_type(inertia_h.transformed(hand_to_world), SpatialInertia[World])
    assert_type(inertia_h.newton_euler(acceleration_hw_h, twist_hw_h), Wrench[Hand])
    assert_type(inertia_h.kinetic_energy(twist_ch_h), Scalar)
    assert_type(inertia_h.center_of_mass, Point[Hand])
    assert_type(SpatialInertia(hand, mass=1.0, com=point_h, moment_about_com=np.eye(3)), SpatialInertia[Hand])


def states() -> None:
    state = MechanismState(Mechanism())
    assert_type(state.transform(point_h, world), Point[World])
    assert_type(state.transform(twist_hw_h, world), Twist[Hand, World, World])
    assert_type(state.transform(acceleration_hw_h, world), SpatialAcceleration[Hand, World, World])
    assert_type(state.transform(wrench_h, world), Wrench[World])
    assert_type(state.transform(inertia_h, world), SpatialInertia[World])
    assert_type(state.transform(jacobian_hw_h, world), GeometricJacobian[Hand, World, World])
    assert_type(state.transform(point_jacobian_w, hand), PointJacobian[Hand])
    assert_type(state.relative_transform(hand, world), Transform[Hand, World])
    assert_type(state.transform_to_root(hand), Transform[Hand, Any])
    assert_type(state.relative_twist(hand, world, frame=hand), Twist[Hand, World, Hand])
    assert_type(state.relative_transform(hand, world) @ point_h, Point[World])


def matrices() -> None:
    assert_type(jacobian_hw_w @ [1.0, 2.0], Twist[Hand, World, World])
    assert_type(jacobian_hw_h.transformed(hand_to_world), GeometricJacobian[Hand, World, World])
    assert_type(-jacobian_hw_w, GeometricJacobian[World, Hand, World])
    assert_type(jacobian_hw_w.acceleration((1.0, 2.0)), SpatialAcceleration[Hand, World, World])
    use(jacobian_hw_w.torque(wrench_w), jacobian_hw_w.torque_components(wrench_w), jacobian_hw_w.matrix)
    assert_type(point_jacobian_w @ np.zeros(2), FreeVector[World])
    use(point_jacobian_w.torque(vector_w))
    assert_type(point_jacobian_w.transformed(hand_to_world.inverse()), PointJacobian[Hand])
    assert_type(momentum_matrix_w @ (1.0, 2.0), Momentum[World])
    assert_type(wrench_matrix_w @ (1.0, 2.0), Wrench[World])
    assert_type(wrench_matrix_w.transformed(hand_to_world.inverse()), WrenchMatrix[Hand])
    use(wrench_matrix_w.power(twist_hw_w))


def frames_born_at_run_time(names: list[str]) -> None:
    """Values without tags mix with tagged ones; a bare `Transform` needs no parameters."""
    frames = [Frame(name) for name in names]
    chain: list[Transform] = [Transform(b, a) for a, b in pairwise(frames)]
    total = chain[0]
    for tf in chain[1:]:
        total = total @ tf
    use(total @ Point(frames[-1], THREE), hand_to_world @ chain[0])
    assert_type(total.expect(hand, world), Transform[Hand, World])
    loose: Frame = Frame("loose")
    twist: Twist = Twist(loose, world, world, THREE, THREE)
    use(twist_hw_w + twist, twist + twist, twist - twist, -twist, twist.exp())
    mixed: Transform[Any, World] = Transform(loose, world)
    assert_type(mixed @ Point(loose, THREE), Point[World])
    use(wrench_w.dot(twist), inertia_h @ twist.transformed(mixed.inverse()))


def mechanisms(mechanism: Mechanism) -> None:
    """Frames of a mechanism get their tags by name, once."""
    assert_type(mechanism.frame("hand"), Frame[Any])
    assert_type(mechanism.frame("hand", Hand), Frame[Hand])
    assert_type(Transform(mechanism.frame("hand", Hand), world) @ point_h, Point[World])


def comparison() -> None:
    use(twist_hw_w.isclose(twist_hw_w), point_w.isclose(point_w, atol=1e-9), hand_to_world.isclose(hand_to_world))


def steps(robot: CompiledRobot, q: Array, s: Array) -> None:
    """Steps and rollouts return contact states where they are given."""
    assert_type(robot.step(q, q, None, 1e-3), tuple[Array, Array])
    assert_type(robot.step(q, q, None, 1e-3, s=s), tuple[Array, Array, Array])
    assert_type(robot.rollout(q, q, None, 1e-3, 5), tuple[Array, Array])
    assert_type(robot.rollout(q, q, None, 1e-3, 5, s=s), tuple[Array, Array, Array])
