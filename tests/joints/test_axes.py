"""Axes: what is accepted, what is refused and how, and values of joint types."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd.joints
from rbd.errors import ArgumentError, NotFiniteError, RbdError, ShapeError
from rbd.joints import Fixed, JointType, Planar, Prismatic, Revolute, Screw, SinCosRevolute, Universal
from rbd.joints.axis import perpendicular_axes, unit_axis
from rbd.joints.base import joint_type_from
from tests.joints.samples import JOINTS

MAKERS: dict[str, tuple[str, Callable[[object], JointType]]] = {
    "revolute": ("axis", lambda a: Revolute(a)),  # wrong ones are the point
    "prismatic": ("axis", lambda a: Prismatic(a)),
    "sincos": ("axis", lambda a: SinCosRevolute(a)),
    "screw": ("axis", lambda a: Screw(a, 1.0)),
    "planar x": ("x", lambda a: Planar(a, (0, 1, 0))),
    "planar y": ("y", lambda a: Planar((1, 0, 0), a)),
    "universal 1": ("axis1", lambda a: Universal(a, (0, 1, 0))),
    "universal 2": ("axis2", lambda a: Universal((1, 0, 0), a)),
}


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize(
    ("axis", "error"),
    [
        ((0, 0, 0), ArgumentError),
        ((0.0, -0.0, 0.0), ArgumentError),
        ((1, 0), ShapeError),
        ((1, 0, 0, 0), ShapeError),
        (np.eye(3), ShapeError),
        ((math.nan, 0, 1), NotFiniteError),
        ((0, math.inf, 1), NotFiniteError),
    ],
)
def test_bad_axes_are_refused_by_name(maker: str, axis: object, error: type[RbdError]) -> None:
    argument, make = MAKERS[maker]
    with pytest.raises(error, match=argument) as caught:
        make(axis)
    assert caught.value.argument == argument


@pytest.mark.parametrize("pitch", [math.nan, math.inf, -math.inf])
def test_bad_pitch_is_refused(pitch: float) -> None:
    with pytest.raises(NotFiniteError, match="pitch"):
        Screw((0, 0, 1), pitch)


@pytest.mark.parametrize("y", [(1, 0, 0), (1, 1, 0), (1e-8, 1, 0), (-1, 0, 0)])
def test_planar_axes_must_be_orthogonal(y: tuple[float, float, float]) -> None:
    with pytest.raises(ArgumentError, match="orthogonal") as caught:
        Planar((1, 0, 0), y)
    assert caught.value.argument == "y"


def test_planar_axes_that_are_nearly_orthogonal_become_so() -> None:
    joint = Planar((1, 0, 0), (1e-10, 2, 0))
    assert joint.y == (0.0, 1.0, 0.0)


@pytest.mark.parametrize("second", [(1, 2, 3), (-2, -4, -6), (1, 2, 3 + 1e-7)])
def test_parallel_axes_are_refused(second: tuple[float, float, float]) -> None:
    with pytest.raises(ArgumentError, match="parallel") as caught:
        Universal((1, 2, 3), second)
    assert caught.value.argument == "axis2"


def test_axes_are_parallel_up_to_a_sine_of_a_millionth() -> None:
    with pytest.raises(ArgumentError, match="parallel"):
        Universal((1, 0, 0), (1, 0.9e-6, 0))
    assert Universal((1, 0, 0), (1, 1.1e-6, 0)).axis2[1] == pytest.approx(1.1e-6)


@given(st.tuples(*[st.floats(-1e300, 1e300)] * 3).filter(any))
def test_axes_have_length_one_and_stay(axis: tuple[float, float, float]) -> None:
    unit = unit_axis(axis, "axis")
    assert math.hypot(*unit) == pytest.approx(1.0, abs=4e-16)
    assert unit_axis(unit, "axis") == unit
    scale = max(map(abs, axis))
    along = [a / scale for a in axis]
    np.testing.assert_allclose(np.cross(unit, along), 0, rtol=0, atol=1e-15)
    assert np.dot(unit, along) > 0


@pytest.mark.parametrize(
    "axis", [(0, 0, 1), (0, -5, 0), (1e-320, 0, 0), (5e-324, -5e-324, 0), (1e308, 1e308, 1e308), (1.7e308, 0, 1.7e308)]
)
def test_axes_of_any_size(axis: tuple[float, float, float]) -> None:
    assert math.hypot(*unit_axis(axis, "axis")) == pytest.approx(1.0, abs=4e-16)


@pytest.mark.parametrize("value", ["revolute", 3, None, lambda: "revolute"])
def test_what_is_no_joint_type_and_makes_none_is_refused(value: object) -> None:
    with pytest.raises(ArgumentError, match="is not a joint type and does not return one") as caught:
        joint_type_from(value, "floating")
    assert (caught.value.argument, caught.value.value) == ("floating", value)


def test_an_axis_has_no_negative_zeros() -> None:
    assert repr(Revolute((-0.0, 0, -2))) == "Revolute(axis=(0.0, 0.0, -1.0))"
    assert repr(Revolute((0, 0, 1)).flipped()) == "Revolute(axis=(0.0, 0.0, -1.0))"


@given(st.tuples(*[st.floats(-1, 1)] * 3).filter(any))
def test_triads_are_orthonormal_to_the_last_bits(axis: tuple[float, float, float]) -> None:
    unit = unit_axis(axis, "axis")
    frame = np.array([*perpendicular_axes(unit), unit])
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), rtol=0, atol=1e-15)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0)])
def test_triads_of_coordinate_axes_are_coordinate_axes(axis: tuple[float, float, float]) -> None:
    assert all(sorted(map(abs, column)) == [0.0, 0.0, 1.0] for column in perpendicular_axes(unit_axis(axis, "axis")))


# ---------------------------------------------------------------- values


@pytest.mark.parametrize("joint", JOINTS, ids=repr)
def test_a_type_can_be_rebuilt_from_its_repr_and_its_pickle(joint: JointType) -> None:
    names = {name: getattr(rbd.joints, name) for name in rbd.joints.__all__}
    assert eval(repr(joint), names) == joint
    assert pickle.loads(pickle.dumps(joint)) == copy.copy(joint) == joint


def test_types_compare_by_value() -> None:
    assert Revolute((0, 0, 3)) == Revolute([0, 0, 1])
    assert Revolute((0, 0, 1)) != Revolute((0, 0, -1))
    assert Revolute((0, 0, 1)) != SinCosRevolute((0, 0, 1))
    assert Screw((0, 0, 1), 0.5) != Screw((0, 0, 1), 0.25)
    assert len({Fixed(), Fixed(), Revolute((0, 0, 1)), Revolute((0, 0, 2))}) == 2


@pytest.mark.parametrize("joint", JOINTS, ids=repr)
def test_types_cannot_be_changed(joint: JointType) -> None:
    with pytest.raises(AttributeError):
        joint.axis = (1.0, 0.0, 0.0)  # there is no setter


def test_an_abstract_type_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="abstract"):
        JointType()  # the point
