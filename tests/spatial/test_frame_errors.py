"""Every operation, every argument: a wrong frame raises, and the error names the operation, argument and frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rbd.errors import ArgumentError, FrameMismatchError
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

A, B, C = Frame("a"), Frame("b"), Frame("c")
ZERO, ROWS = (0.0, 0.0, 0.0), np.zeros((3, 2))

tf = Transform(A, B)
stray = Transform(C, C)


def p(frame: Frame) -> Point:
    return Point(frame, ZERO)


def v(frame: Frame) -> FreeVector:
    return FreeVector(frame, ZERO)


def twist(body: Frame = A, base: Frame = B, frame: Frame = B) -> Twist:
    return Twist(body, base, frame, ZERO, ZERO)


def accel(body: Frame = A, base: Frame = B, frame: Frame = B) -> SpatialAcceleration:
    return SpatialAcceleration(body, base, frame, ZERO, ZERO)


def wrench(frame: Frame) -> Wrench:
    return Wrench(frame, ZERO, ZERO)


def momentum(frame: Frame) -> Momentum:
    return Momentum(frame, ZERO, ZERO)


def inertia(frame: Frame) -> SpatialInertia:
    return SpatialInertia(frame, mass=1, moment=np.eye(3))


def jacobian(body: Frame = A, base: Frame = B, frame: Frame = B) -> GeometricJacobian:
    return GeometricJacobian(body, base, frame, ROWS, ROWS)


Operation = Callable[[], Any]

# what is called, the operation and the argument the error must name, the frame given, the frame needed
WRONG: dict[str, tuple[Operation, str, str, Frame, Frame]] = {
    "compose": (lambda: tf @ stray, "Transform @ Transform", "other.to_frame", C, A),
    "tf @ point": (lambda: tf @ p(B), "Point.transformed", "tf.from_frame", A, B),
    "tf @ vector": (lambda: tf @ v(C), "FreeVector.transformed", "tf.from_frame", A, C),
    "expect from": (lambda: tf.expect(C, B), "Transform.expect", "self.from_frame", A, C),
    "expect to": (lambda: tf.expect(A, C), "Transform.expect", "self.to_frame", B, C),
    "log_and_rate body": (lambda: tf.log_and_rate(twist(C, B, A)), "log_and_rate", "twist.body", C, A),
    "log_and_rate base": (lambda: tf.log_and_rate(twist(A, C, A)), "log_and_rate", "twist.base", C, B),
    "log_and_rate frame": (lambda: tf.log_and_rate(twist(A, B, B)), "log_and_rate", "twist.frame", B, A),
    "transform of vector": (lambda: Transform(A, B, None, v(A)), "Transform", "translation.frame", A, B),
    "isclose transform from": (lambda: tf.isclose(Transform(C, B)), "isclose", "other.from_frame", C, A),
    "isclose transform to": (lambda: tf.isclose(Transform(A, C)), "isclose", "other.to_frame", C, B),
    "point - point": (lambda: p(A) - p(B), "Point - Point", "other.frame", B, A),
    "point - vector": (lambda: p(A) - v(B), "Point - FreeVector", "other.frame", B, A),
    "point + vector": (lambda: p(A) + v(B), "Point + FreeVector", "other.frame", B, A),
    "point x vector": (lambda: p(A).cross(v(B)), "Point.cross", "other.frame", B, A),
    "point transformed": (lambda: p(B).transformed(tf), "Point.transformed", "tf.from_frame", A, B),
    "point isclose": (lambda: p(A).isclose(p(B)), "Point.isclose", "other.frame", B, A),
    "vector + vector": (lambda: v(A) + v(B), "FreeVector + FreeVector", "other.frame", B, A),
    "vector + point": (lambda: v(A) + p(B), "FreeVector + Point", "other.frame", B, A),
    "vector - vector": (lambda: v(A) - v(B), "FreeVector - FreeVector", "other.frame", B, A),
    "vector . vector": (lambda: v(A).dot(v(B)), "FreeVector.dot", "other.frame", B, A),
    "vector x vector": (lambda: v(A).cross(v(B)), "FreeVector.cross", "other.frame", B, A),
    "vector transformed": (lambda: v(C).transformed(tf), "FreeVector.transformed", "tf.from_frame", A, C),
    "twist transformed": (lambda: twist().transformed(tf), "Twist.transformed", "tf.from_frame", A, B),
    "twist of vectors": (lambda: Twist(A, B, B, v(A), ZERO), "Twist", "angular.frame", A, B),
    "twist of vectors 2": (lambda: Twist(A, B, B, ZERO, v(A)), "Twist", "linear.frame", A, B),
    "twist + frame": (lambda: twist() + twist(C, A, A), "Twist + Twist", "other.frame", A, B),
    "twist + chain": (lambda: twist() + twist(C, B), "Twist + Twist", "other.base", B, A),
    "twist - frame": (lambda: twist() - twist(A, B, A), "Twist - Twist", "other.frame", A, B),
    "twist - chain": (lambda: twist() - twist(C, C), "Twist - Twist", "other.base", C, B),
    "twist x twist": (lambda: twist().cross(twist(A, B, A)), "Twist.cross", "other.frame", A, B),
    "twist of point": (lambda: twist().point_velocity(p(A)), "Twist.point_velocity", "point.frame", A, B),
    "twist exp": (lambda: twist(A, B, A).exp(), "Twist.exp", "self.frame", A, B),
    "twist isclose body": (lambda: twist().isclose(twist(C)), "Twist.isclose", "other.body", C, A),
    "twist isclose base": (lambda: twist().isclose(twist(A, C)), "Twist.isclose", "other.base", C, B),
    "twist isclose frame": (lambda: twist().isclose(twist(A, B, A)), "Twist.isclose", "other.frame", A, B),
    "accel + frame": (lambda: accel() + accel(C, A, A), "SpatialAcceleration + ", "other.frame", A, B),
    "accel + chain": (lambda: accel() + accel(C, B), "SpatialAcceleration + ", "other.base", B, A),
    "accel - frame": (lambda: accel() - accel(A, B, A), "SpatialAcceleration - ", "other.frame", A, B),
    "accel - chain": (lambda: accel() - accel(C, C), "SpatialAcceleration - ", "other.base", C, B),
    "accel transformed": (lambda: accel().transformed(tf), "SpatialAcceleration.transformed", "tf.from_frame", A, B),
    "accel carrier body": (lambda: carried(twist(C, B, A)), "transformed", "twist_of_current_wrt_new.body", C, A),
    "accel carrier base": (lambda: carried(twist(A, C, A)), "transformed", "twist_of_current_wrt_new.base", C, B),
    "accel carrier frame": (lambda: carried(twist(A, B, B)), "transformed", "twist_of_current_wrt_new.frame", B, A),
    "accel carried body": (lambda: carrying(twist(A, C, A)), "transformed", "twist_of_body_wrt_base.body", A, C),
    "accel carried base": (lambda: carrying(twist(C, A, A)), "transformed", "twist_of_body_wrt_base.base", A, C),
    "accel carried frame": (lambda: carrying(twist(C, C, B)), "transformed", "twist_of_body_wrt_base.frame", B, A),
    "accel point": (lambda: accel().point_acceleration(twist(), p(A)), "point_acceleration", "point.frame", A, B),
    "accel point body": (lambda: at_point(twist(C)), "point_acceleration", "twist.body", C, A),
    "accel point base": (lambda: at_point(twist(A, C)), "point_acceleration", "twist.base", C, B),
    "accel point frame": (lambda: at_point(twist(A, B, A)), "point_acceleration", "twist.frame", A, B),
    "of_force": (lambda: Wrench.of_force(p(A), v(B)), "Wrench.of_force", "force.frame", B, A),
    "wrench + wrench": (lambda: wrench(A) + wrench(B), "Wrench + Wrench", "other.frame", B, A),
    "wrench - wrench": (lambda: wrench(A) - wrench(B), "Wrench - Wrench", "other.frame", B, A),
    "wrench . twist": (lambda: wrench(A).dot(twist()), "Wrench.dot", "twist.frame", B, A),
    "wrench transformed": (lambda: wrench(B).transformed(tf), "Wrench.transformed", "tf.from_frame", A, B),
    "wrench of vectors": (lambda: Wrench(A, v(B), ZERO), "Wrench", "angular.frame", B, A),
    "momentum + momentum": (lambda: momentum(A) + momentum(B), "Momentum + Momentum", "other.frame", B, A),
    "momentum - momentum": (lambda: momentum(A) - momentum(B), "Momentum - Momentum", "other.frame", B, A),
    "momentum transformed": (lambda: momentum(B).transformed(tf), "Momentum.transformed", "tf.from_frame", A, B),
    "inertia + inertia": (lambda: inertia(A) + inertia(B), "SpatialInertia + ", "other.frame", B, A),
    "inertia transformed": (lambda: inertia(B).transformed(tf), "SpatialInertia.transformed", "tf.from_frame", A, B),
    "inertia @ twist": (lambda: inertia(A) @ twist(), "SpatialInertia @ Twist", "other.frame", B, A),
    "inertia @ jacobian": (lambda: inertia(A) @ jacobian(), "SpatialInertia @ Geom", "other.frame", B, A),
    "inertia energy": (lambda: inertia(A).kinetic_energy(twist()), "kinetic_energy", "twist.frame", B, A),
    "inertia com": (lambda: SpatialInertia(A, mass=1, com=p(B), moment=np.eye(3)), "SpatialInertia", "com.frame", B, A),
    "newton accel": (lambda: inertia(B).newton_euler(accel(A, B, A), twist()), "newton", "acceleration.frame", A, B),
    "newton twist": (lambda: inertia(B).newton_euler(accel(), twist(A, B, A)), "newton", "twist.frame", A, B),
    "newton body": (lambda: inertia(B).newton_euler(accel(), twist(C)), "newton_euler", "twist.body", C, A),
    "newton base": (lambda: inertia(B).newton_euler(accel(), twist(A, C)), "newton_euler", "twist.base", C, B),
    "jacobian transformed": (lambda: jacobian().transformed(tf), "GeometricJacobian.trans", "tf.from_frame", A, B),
    "jacobian torque": (lambda: jacobian().torque(wrench(A)), "GeometricJacobian.torque", "wrench.frame", A, B),
    "point jacobian torque": (lambda: PointJacobian(A, ROWS).torque(v(B)), "PointJacobian", "force.frame", B, A),
    "point jacobian transformed": (lambda: PointJacobian(B, ROWS).transformed(tf), "PointJ", "tf.from_frame", A, B),
    "momentum matrix": (lambda: MomentumMatrix(B, ROWS, ROWS).transformed(tf), "MomentumM", "tf.from_frame", A, B),
    "wrench matrix": (lambda: WrenchMatrix(B, ROWS, ROWS).transformed(tf), "WrenchMatrix", "tf.from_frame", A, B),
    "wrench matrix power": (lambda: WrenchMatrix(A, ROWS, ROWS).power(twist()), "power", "twist.frame", B, A),
}


def carried(carrier: Twist) -> SpatialAcceleration:
    return accel(C, C, A).transformed(tf, carrier, twist(C, C, A))


def carrying(carried_twist: Twist) -> SpatialAcceleration:
    return accel(C, C, A).transformed(tf, twist(A, B, A), carried_twist)


def at_point(of_twist: Twist) -> FreeVector:
    return accel().point_acceleration(of_twist, p(B))


@pytest.mark.parametrize("case", WRONG)
def test_wrong_frames_raise(case: str) -> None:
    call, operation, argument, actual, expected = WRONG[case]
    with pytest.raises(FrameMismatchError) as caught:
        call()
    error = caught.value
    assert operation in str(error.operation)
    assert (error.argument, error.actual, error.expected) == (argument, actual, expected)
    for words in (
        error.operation,
        argument,
        f"'{actual.name}'",
        f"'{expected.name}'",
        actual.short_id,
        expected.short_id,
    ):
        assert str(words) in str(error)


HINTS: dict[str, tuple[Operation, str]] = {
    "inverse of tf": (lambda: twist().transformed(tf), "its inverse would fit"),
    "inverse of tf, point": (lambda: tf @ p(B), "its inverse would fit"),
    "inverse of the right": (lambda: tf @ Transform(A, C), "inverse of the right operand"),
    "inverse of the left": (lambda: tf @ Transform(C, B), "inverse of the left operand"),
    "order of transforms": (lambda: Transform(A, B) @ Transform(B, C), "the other order would fit"),
    "expect": (lambda: tf.expect(B, A), "its inverse would fit"),
    "order of twists": (lambda: twist(C, A) + twist(A, B), "the other order would fit"),
    "negated carrier": (lambda: carried(twist(B, A, A)), "-twist_of_current_wrt_new would fit"),
    "negated twist": (lambda: at_point(twist(B, A)), "-twist would fit"),
}


@pytest.mark.parametrize("case", HINTS)
def test_the_message_says_what_would_fit(case: str) -> None:
    call, hint = HINTS[case]
    with pytest.raises(FrameMismatchError, match=hint):
        call()


def test_nothing_is_said_when_nothing_fits() -> None:
    with pytest.raises(FrameMismatchError) as caught:
        twist(frame=C).transformed(tf)
    assert "would fit" not in str(caught.value)


# -- operands of the wrong kind ---------------------------------------------------------------------------------------

ARRAY: Any = np.zeros(3)
KINDS: dict[str, Callable[[Any], Any]] = {
    "tf @": lambda x: tf @ x,
    "point +": lambda x: p(A) + x,
    "point -": lambda x: p(A) - x,
    "point x": lambda x: p(A).cross(x),
    "vector +": lambda x: v(A) + x,
    "vector -": lambda x: v(A) - x,
    "vector .": lambda x: v(A).dot(x),
    "vector x": lambda x: v(A).cross(x),
    "point transformed": lambda x: p(A).transformed(x),
    "twist +": lambda x: twist() + x,
    "twist -": lambda x: twist() - x,
    "twist x": lambda x: twist().cross(x),
    "twist of point": lambda x: twist().point_velocity(x),
    "twist transformed": lambda x: twist().transformed(x),
    "accel +": lambda x: accel() + x,
    "accel point": lambda x: accel().point_acceleration(twist(), x),
    "accel twist": lambda x: accel().point_acceleration(x, p(B)),
    "accel transformed": lambda x: accel().transformed(x),
    "accel carrier": lambda x: accel().transformed(Transform(B, A), x if x is not None else 0, twist()),
    "accel carried": lambda x: accel().transformed(Transform(B, A), twist(B, A, B), x if x is not None else 0),
    "wrench transformed": lambda x: wrench(A).transformed(x),
    "momentum transformed": lambda x: momentum(A).transformed(x),
    "inertia transformed": lambda x: inertia(A).transformed(x),
    "jacobian transformed": lambda x: jacobian().transformed(x),
    "log_and_rate": lambda x: tf.log_and_rate(x),
    "of_force point": lambda x: Wrench.of_force(x, v(A)),
    "of_force force": lambda x: Wrench.of_force(p(A), x),
    "wrench +": lambda x: wrench(A) + x,
    "wrench -": lambda x: wrench(A) - x,
    "wrench .": lambda x: wrench(A).dot(x),
    "momentum +": lambda x: momentum(A) + x,
    "inertia +": lambda x: inertia(A) + x,
    "inertia @": lambda x: inertia(A) @ x,
    "inertia energy": lambda x: inertia(A).kinetic_energy(x),
    "newton accel": lambda x: inertia(B).newton_euler(x, twist()),
    "newton twist": lambda x: inertia(B).newton_euler(accel(), x),
    "jacobian torque": lambda x: jacobian().torque(x),
    "point jacobian torque": lambda x: PointJacobian(A, ROWS).torque(x),
    "power": lambda x: WrenchMatrix(A, ROWS, ROWS).power(x),
    "isclose": lambda x: tf.isclose(x),
}


@pytest.mark.parametrize("case", KINDS)
@pytest.mark.parametrize(
    "operand", [ARRAY, 1.0, "x", None, [0.0, 0.0, 0.0]], ids=["array", "float", "str", "None", "list"]
)
def test_operands_of_another_kind_raise(case: str, operand: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        KINDS[case](operand)
    assert "must be a" in str(caught.value)


def test_arrays_are_told_to_be_wrapped() -> None:
    with pytest.raises(ArgumentError, match=r"wrap it in Point\(frame, xyz\) or FreeVector\(frame, xyz\)"):
        _ = tf @ ARRAY


@pytest.mark.parametrize("value", [tf, p(A), v(A), twist(), accel(), wrench(A), inertia(A), jacobian()])
def test_numpy_steps_back(value: Any) -> None:
    for operation in (lambda: np.eye(4) @ value, lambda: np.zeros(3) + value, lambda: ARRAY * value):
        with pytest.raises((TypeError, ArgumentError)):
            operation()


@pytest.mark.parametrize("value", [p(A), v(A), twist(), accel(), wrench(A), momentum(A), inertia(A)])
@pytest.mark.parametrize("factor", ["2", [2.0], np.ones(3), None, v(A)], ids=["str", "list", "array", "None", "vector"])
def test_only_scalars_scale(value: Any, factor: Any) -> None:
    with pytest.raises((ArgumentError, TypeError)):
        value * factor
    with pytest.raises((ArgumentError, TypeError)):
        factor * value


def test_point_plus_point_is_explained() -> None:
    other: Any = p(A)
    with pytest.raises(ArgumentError, match="point - point is a vector"):
        _ = p(A) + other
