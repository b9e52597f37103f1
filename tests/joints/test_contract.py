"""Every joint type keeps the joint contract; and the contract notices when one does not."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd.errors import ArgumentError, RecordingError
from rbd.joints import (
    JointType,
    MRPFloating,
    Planar,
    Prismatic,
    QuaternionFloating,
    QuaternionSpherical,
    Reversed,
    Revolute,
    RotationVectorSpherical,
    Screw,
    SinCosRevolute,
    Universal,
)
from rbd.joints.axis import unwrap_angle
from rbd.scalars import Vector, atan2, const, cos, sin
from rbd.spatial import Frame, GeometricJacobian, Transform, Twist, Wrench, WrenchMatrix
from rbd.testing import check_joint_type
from rbd.testing.joint_case import JointCase
from rbd.testing.joint_contract import CHECKS
from tests.joints.samples import JOINTS


@pytest.mark.parametrize("joint", JOINTS, ids=repr)
def test_every_type_keeps_the_contract(joint: JointType) -> None:
    check_joint_type(joint, rng_seed=1, samples=3)


@given(st.sampled_from(JOINTS), st.integers(0, 2**32 - 1))
def test_contract_at_drawn_seeds(joint: JointType, seed: int) -> None:
    check_joint_type(joint, rng_seed=seed, samples=1)


# ---------------------------------------------------------------- joint types of users


@attrs.frozen
class Cam(JointType):
    """A follower on an eccentric cam: turns about z by q and is lifted by q^2 / 2 along it; S depends on q."""

    @property
    def nq(self) -> int:
        return 1

    @property
    def nv(self) -> int:
        return 1

    def transform(self, q: Vector, after: Frame, before: Frame) -> Transform:
        c, s = cos(q[0]), sin(q[0])
        rotation = ((c, -s, 0), (s, c, 0), (0, 0, 1))
        return Transform.trusted(after, before, rotation, (0, 0, const(1, 2) * q[0] * q[0]))

    def motion_subspace(self, q: Vector, after: Frame, before: Frame) -> GeometricJacobian:
        return GeometricJacobian.trusted(after, before, after, (((0, 0, 1), (0, 0, q[0])),))

    def motion_subspace_rate(self, q: Vector, v: Vector, after: Frame, before: Frame) -> GeometricJacobian:
        return GeometricJacobian.trusted(after, before, after, (((0, 0, 0), (0, 0, v[0])),))

    def constraint_wrench_subspace(self, q: Vector, after: Frame) -> WrenchMatrix:
        x, y, z = (1, 0, 0), (0, 1, 0), (0, 0, 0)
        return WrenchMatrix.trusted(after, ((x, z), (y, z), (z, x), (z, y), ((0, 0, -q[0]), (0, 0, 1))))

    def project(self, transform: Transform, near: Vector | None = None) -> Vector:
        return Revolute((0, 0, 1)).project(transform, near)

    def zero(self) -> tuple[float, ...]:
        return (0.0,)

    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        return (float(rng.uniform(-1, 1)),)


@attrs.frozen
class WrongTorque(Cam):
    """A cam that mistakes the sign of its torque."""

    def torque(self, q: Vector, wrench: Wrench, after: Frame, before: Frame) -> Vector:
        return super().torque(q, -wrench, after, before)


@attrs.frozen
class Branching(Cam):
    """A cam that looks at the value of q."""

    def principal_value(self, q: Vector) -> Vector:
        return q if q[0] > 0 else (q[0],)  # the point


@pytest.mark.parametrize("joint", [Cam(), Reversed(Cam())], ids=repr)
def test_a_type_of_a_user_keeps_the_contract(joint: JointType) -> None:
    check_joint_type(joint, rng_seed=2, samples=5)


@pytest.mark.parametrize(
    "joint", [Universal((1, 2, 3), (3, 0, -1)), QuaternionFloating(), Planar((0, 1, 0), (1, 0, 0)), Screw((1, 2, 2), 1)]
)
def test_any_joint_seen_from_its_other_side_keeps_the_contract(joint: JointType) -> None:
    check_joint_type(Reversed(joint), rng_seed=3, samples=3)
    assert Reversed(joint).flipped() == joint


def test_custom_joint_types_are_reversed_by_default() -> None:
    assert Cam().flipped() == Reversed(Cam())
    assert Cam().flipped().flipped() == Cam()


# ---------------------------------------------------------------- the contract bites


def broken(joint: JointType, **members: object) -> JointType:
    """Return a joint like `joint` in which some members are replaced."""
    kind: Any = type("Broken", (type(joint),), members)
    made: JointType = kind.__new__(kind)
    for field in attrs.fields(type(joint)):
        object.__setattr__(made, field.name, getattr(joint, field.name))
    return made


def still_transform(self: object, q: Vector, after: Frame, before: Frame) -> Transform:
    return Transform.identity(after, before)


def flat_rate(self: JointType, q: Vector, v: Vector, after: Frame, before: Frame) -> GeometricJacobian:
    return JointType.motion_subspace_rate(self, q, v, after, before)


def branching(self: object, q: Vector, after: Frame, before: Frame) -> Transform:
    return Revolute((0, 0, 1)).transform(q if q[0] > 0 else (q[0],), after, before)  # the point


def scaled_transform(self: object, q: Vector, after: Frame, before: Frame) -> Transform:
    rotation = QuaternionSpherical().transform(q, after, before).rotation_components
    square = sum(c * c for c in q)
    grown = tuple(tuple(square * x for x in row) for row in rotation)
    return Transform.trusted(after, before, grown, (0, 0, 0))  # three by three it is


def wrenches_of_another_joint(self: object, q: Vector, after: Frame) -> WrenchMatrix:
    return Prismatic((0, 0, 1)).constraint_wrench_subspace(q, after)


def one_wrench_five_times(self: object, q: Vector, after: Frame) -> WrenchMatrix:
    return WrenchMatrix.trusted(after, (((1, 0, 0), (0, 0, 0)),) * 5)


Z, BALL, VECTOR = Revolute((0, 0, 1)), QuaternionSpherical(), RotationVectorSpherical()
UNIVERSAL = Universal((1, 0, 0), (0, 1, 0))


def angle_of_one_column(self: JointType, transform: Transform, near: Vector | None = None) -> Vector:
    """Return the angle about z of reachable poses, which is not the nearest of others."""
    rows = transform.rotation_components
    angle = atan2(rows[1][0], rows[0][0])
    return (angle if near is None else unwrap_angle(angle, near[0]),)


def sum_of_position(self: JointType, transform: Transform, near: Vector | None = None) -> Vector:
    """Return the displacement along x of reachable poses, which is not the nearest of others."""
    x, y, z = transform.translation_components
    return (x + y + z,)


FAULTS: list[tuple[str, JointType, dict[str, object]]] = [
    ("sizes", UNIVERSAL, {"velocity_names": property(lambda self: ("rate", "rate"))}),
    ("shapes", Z, {"velocity_jacobian": lambda self, q: ((1, 1),)}),
    ("shapes", Z, {"position_subspace": lambda self, q, a, b: UNIVERSAL.motion_subspace((0.0, 0.0), a, b)}),
    ("lengths", Z, {"configuration_derivative": lambda self, q, v: [v[0]]}),
    ("lengths", Z, {"zero": lambda self: (0.0, 0.0)}),
    ("frames", Z, {"twist": lambda self, q, v, a, b: Twist.trusted(b, a, a, (0, 0, v[0]), (0, 0, 0))}),
    ("frame_of_wrenches", Z, {"torque": lambda self, q, w, a, b: (w.angular_components[2],)}),
    ("value_semantics", Z, {"__eq__": lambda self, other: self is other, "__hash__": lambda self: id(self)}),
    ("zero_and_random", BALL, {"zero": lambda self: (0.0, 1.0, 0.0, 0.0)}),
    ("zero_and_random", Z, {"random": lambda self, rng: (1,)}),
    ("zero_and_random", Z, {"random": lambda self, rng: (0.25,)}),
    ("zero_and_random", BALL, {"random": lambda self, rng: tuple(map(float, rng.standard_normal(4)))}),
    ("transform_is_rigid", BALL, {"transform": scaled_transform}),
    ("position_subspace", Z, {"transform": still_transform}),
    ("motion_subspace", Prismatic((0, 0, 1)), {"twist": lambda self, q, v, a, b: Z.twist(q, v, a, b)}),
    ("bias_acceleration", UNIVERSAL, {"motion_subspace_rate": flat_rate}),
    ("bias_acceleration_derivatives", UNIVERSAL, {"bias_acceleration_derivatives": flat_rate}),
    ("torque", Z, {"torque": lambda self, q, w, a, b: (-w.angular_components[2],)}),
    ("constraint_wrenches", Z, {"constraint_wrench_subspace": wrenches_of_another_joint}),
    ("constraint_wrenches", Z, {"constraint_wrench_subspace": one_wrench_five_times}),
    (
        "rate_matrices",
        BALL,
        {"velocity": lambda self, q, qd: tuple(2 * (q[0] * qd[k] - q[k] * qd[0]) for k in (1, 2, 3))},
    ),
    (
        "rate_matrices",
        SinCosRevolute((0, 0, 1)),
        {"configuration_derivative": lambda self, q, v: (q[1] * v[0], q[0] * v[0])},
    ),
    ("local_coordinates", Z, {"local_coordinates": lambda self, q0, q: (q[0] - q0[0] + 1e-300,)}),
    ("local_coordinates", Z, {"global_coordinates": lambda self, q0, phi: (q0[0] - phi[0],)}),
    ("local_coordinates_rate", BALL, {"local_coordinates_rate": lambda self, q0, q, v: v}),
    ("projection", Z, {"project": lambda self, tf, near=None: Revolute.project(self, tf)}),
    ("projection", MRPFloating(), {"project": lambda self, tf, near=None: MRPFloating.project(self, tf)}),
    ("projection", VECTOR, {"project": lambda self, tf, near=None: VECTOR.project(tf)}),
    ("normalization", BALL, {"normalize": lambda self, q: (-q[0], q[1], q[2], q[3])}),
    ("normalization", BALL, {"normalization_error": lambda self, q: 0.0}),
    ("normalization", MRPFloating(), {"principal_value": lambda self, q: tuple(-c for c in q)}),
    ("reversal", Planar((1, 0, 0), (0, 1, 0)), {"flip_velocity": lambda self, q, v: tuple(-c for c in v)}),
    ("projection_of_unreachable_poses", Z, {"project": angle_of_one_column}),
    ("projection_of_unreachable_poses", Prismatic((1, 0, 0)), {"project": sum_of_position}),
    ("reversal", QuaternionFloating(), {"flip_configuration": lambda self, q: (q[0], *(-c for c in q[1:]))}),
    ("reversal", Z, {"flipped": lambda self: self}),
    ("generic_scalars", Z, {"transform": branching}),
]


@pytest.mark.parametrize(("check", "joint", "members"), FAULTS)
def test_contract_bites(check: str, joint: JointType, members: dict[str, object]) -> None:
    rng = np.random.default_rng(5)
    case = JointCase.draw(broken(joint, **members), rng, 3.0)
    with pytest.raises((AssertionError, RecordingError)):
        CHECKS[check](case)


def test_a_fault_is_named() -> None:
    with pytest.raises(AssertionError, match=r"WrongTorque\(\) fails 'torque' at q = \(.*torque: .* error"):
        check_joint_type(WrongTorque())


def test_an_error_inside_a_member_is_named_too() -> None:
    with pytest.raises(
        AssertionError, match=r"Branching\(\) fails 'generic_scalars' .*test_contract.py:\d+: comparing"
    ) as caught:
        check_joint_type(Branching())
    assert isinstance(caught.value.__cause__, RecordingError)


def test_every_check_is_seen_to_bite() -> None:
    assert {check for check, _, _ in FAULTS} == set(CHECKS)


@pytest.mark.parametrize(
    ("argument", "value"),
    [("rng_seed", "x"), ("rng_seed", -1), ("samples", 0), ("samples", 1.5), ("spread", -1.0), ("spread", "x")],
)
def test_wrong_options_are_named(argument: str, value: object) -> None:
    options: Any = {argument: value}
    with pytest.raises(ArgumentError, match=argument):
        check_joint_type(Z, **options)
