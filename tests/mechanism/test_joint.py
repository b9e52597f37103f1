"""Joints: frames and parameters."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

from rbd.errors import ArgumentError, NotFiniteError, ScalarError, ShapeError
from rbd.joints import Fixed, Planar, Prismatic, QuaternionFloating, Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.spatial import Frame

Z = Revolute((0, 0, 1))
PER_VELOCITY_PARAMETERS = ["damping", "friction", "friction_velocity", "armature", "bound_stiffness", "bound_damping"]
BOUNDS = ["position_bounds", "velocity_bounds", "effort_bounds"]


def test_defaults() -> None:
    joint = Joint("free", QuaternionFloating())
    assert (joint.name, joint.nq, joint.nv) == ("free", 7, 6)
    assert (joint.frame_before.name, joint.frame_after.name) == ("before_free", "after_free")
    assert joint.position_bounds == ((-math.inf, math.inf),) * 7
    assert joint.velocity_bounds == joint.effort_bounds == ((-math.inf, math.inf),) * 6
    assert joint.friction_velocity == (1e-3,) * 6
    for name in ("damping", "friction", "armature", "bound_stiffness", "bound_damping"):
        assert getattr(joint, name) == (0.0,) * 6
    assert Joint("weld", Fixed()).position_bounds == ()


def test_frames_can_be_given() -> None:
    before, after = Frame("a"), Frame("b")
    joint = Joint("j", Z, frame_before=before, frame_after=after)
    assert (joint.frame_before, joint.frame_after) == (before, after)
    with pytest.raises(ArgumentError, match="two frames"):
        Joint("j", Z, frame_before=before, frame_after=before)
    for argument in ("frame_before", "frame_after"):
        with pytest.raises(ArgumentError, match=f"{argument} must be a Frame"):
            Joint("j", Z, **{argument: "a"})  # meant


@pytest.mark.parametrize("bad", [None, "revolute", Revolute, 3])
def test_the_type_must_be_one(bad: object) -> None:
    with pytest.raises(ArgumentError, match="joint_type"):
        Joint("j", bad)  # meant


@pytest.mark.parametrize("given", [(-1, 2), [-1, 2], [(-1, 2)], np.array([-1.0, 2]), np.array([[-1.0, 2]])])
def test_bounds_of_one_coordinate_come_in_many_shapes(given: object) -> None:
    for name in BOUNDS:
        joint = Joint("j", Z, **{name: given})  # array-likes are taken
        assert getattr(joint, name) == ((-1.0, 2.0),)


def test_bounds_of_several_coordinates() -> None:
    joint = Joint("j", Planar((1, 0, 0), (0, 1, 0)), position_bounds=[(-1, 1), (0, math.inf), (-math.inf, 0)])
    assert joint.position_bounds == ((-1.0, 1.0), (0.0, math.inf), (-math.inf, 0.0))


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ((1, -1), ArgumentError),
        ((1,), ShapeError),
        ((1, 2, 3), ShapeError),
        ([(0, 1), (0, 1)], ShapeError),
        (5, ShapeError),
        ("ab", ShapeError),
        ((0, math.nan), NotFiniteError),
        ((math.inf, math.inf), ArgumentError),
        ((-math.inf, -math.inf), ArgumentError),
        ((0, None), ArgumentError),
        ((False, True), ArgumentError),
    ],
)
@pytest.mark.parametrize("name", BOUNDS)
def test_bad_bounds(name: str, given: object, error: type[Exception]) -> None:
    with pytest.raises(error, match=name):
        Joint("j", Z, **{name: given})  # meant
    joint = Joint("j", Z)
    before = getattr(joint, name)
    with pytest.raises(error, match=name):
        setattr(joint, name, given)
    assert getattr(joint, name) == before


@pytest.mark.parametrize("name", PER_VELOCITY_PARAMETERS)
def test_numbers_per_velocity(name: str) -> None:
    kind = Planar((1, 0, 0), (0, 1, 0))
    assert getattr(Joint("j", kind, **{name: 2}), name) == (2.0,) * 3
    assert getattr(Joint("j", kind, **{name: np.float32(0.5)}), name) == (0.5,) * 3
    assert getattr(Joint("j", kind, **{name: np.array([1, 2, 3])}), name) == (1.0, 2.0, 3.0)
    assert getattr(Joint("j", kind, **{name: [1, 2, 3]}), name) == (1.0, 2.0, 3.0)
    assert all(type(x) is float for x in getattr(Joint("j", kind, **{name: np.array([1, 2, 3])}), name))


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (-1, ArgumentError),
        ([1, 2], ShapeError),
        ([], ShapeError),
        (math.nan, NotFiniteError),
        (math.inf, NotFiniteError),
        (None, ArgumentError),
        ("1", ArgumentError),
        (True, ArgumentError),
        ([[1.0]], ArgumentError),
        (object(), ScalarError),
    ],
)
@pytest.mark.parametrize("name", PER_VELOCITY_PARAMETERS)
def test_bad_numbers_change_nothing(name: str, given: object, error: type[Exception]) -> None:
    mechanism, joint = Mechanism(), Joint("j", Z)
    mechanism.attach("world", RigidBody("b"), joint)
    before, version = getattr(joint, name), mechanism.parameter_version
    with pytest.raises(error, match=name):
        setattr(joint, name, given)
    with pytest.raises(error, match=name):
        Joint("j", Z, **{name: given})  # meant
    assert (getattr(joint, name), mechanism.parameter_version) == (before, version)


def test_friction_must_fade_somewhere() -> None:
    with pytest.raises(ArgumentError, match="friction_velocity must be > 0"):
        Joint("j", Z, friction_velocity=0)


@pytest.mark.parametrize("name", PER_VELOCITY_PARAMETERS + BOUNDS)
def test_every_change_is_noted(name: str) -> None:
    mechanism, joint = Mechanism(), Joint("j", Prismatic((1, 0, 0)))
    mechanism.attach("world", RigidBody("b"), joint)
    structure, parameters = mechanism.structure_version, mechanism.parameter_version
    setattr(joint, name, (-2, 3) if name in BOUNDS else 4.0)
    assert getattr(joint, name) == (((-2.0, 3.0),) if name in BOUNDS else (4.0,))
    assert (mechanism.structure_version, mechanism.parameter_version) == (structure, parameters + 1)


def test_joints_are_compared_by_identity() -> None:
    joint = Joint("j", Z, damping=2.0)
    twin = copy.deepcopy(joint)
    assert joint != twin
    assert (twin.name, twin.type, twin.damping, twin.frame_after) == ("j", joint.type, (2.0,), joint.frame_after)


def test_misspelt_parameters_are_refused() -> None:
    with pytest.raises(AttributeError):
        Joint("j", Z).dampign = 3.0  # meant
    with pytest.raises(TypeError):
        Joint("j", Z, dampign=3.0)  # meant
