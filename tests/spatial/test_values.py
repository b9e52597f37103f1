"""What all spatial values promise: they are immutable, picklable, comparable, readable, and checked when made."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rbd.errors import ArgumentError, FrameMismatchError, InertiaError, NotFiniteError, RotationError, ShapeError
from rbd.spatial import (
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
from rbd.spatial.half_space import HalfSpace
from tests.spatial import helpers
from tests.spatial.helpers import CAMERA, HAND, WORLD, with_rng

Rng = np.random.Generator
MAKERS: dict[str, Callable[[Rng], Any]] = {
    "Transform": helpers.transform,
    "Point": helpers.point,
    "FreeVector": helpers.free_vector,
    "Twist": helpers.twist,
    "SpatialAcceleration": helpers.acceleration,
    "Wrench": helpers.wrench,
    "Momentum": helpers.momentum,
    "SpatialInertia": helpers.inertia,
    "GeometricJacobian": helpers.jacobian,
    "PointJacobian": helpers.point_jacobian,
    "MomentumMatrix": helpers.momentum_matrix,
    "WrenchMatrix": helpers.wrench_matrix,
}
each_kind = pytest.mark.parametrize("kind", MAKERS)


def made(kind: str, seed: int = 1) -> Any:
    return MAKERS[kind](np.random.default_rng(seed))


@each_kind
def test_pickles_keep_numbers_and_frames(kind: str) -> None:
    value = made(kind)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(value, protocol))
        assert type(again) is type(value)
        assert again.components == value.components
        assert again.isclose(value, atol=0)  # checks the frames, by identity


@each_kind
def test_copies_are_the_value_itself(kind: str) -> None:
    value = made(kind)
    assert copy.copy(value) is value
    assert copy.deepcopy({"key": [value]})["key"][0] is value


def test_pickled_values_work_with_those_that_were_not() -> None:
    tf, p = made("Transform"), Point(HAND, [1, 2, 3])
    assert (pickle.loads(pickle.dumps(tf)) @ p).isclose(tf @ p, atol=0)
    assert (tf @ pickle.loads(pickle.dumps(p))).isclose(tf @ p, atol=0)


@each_kind
def test_values_are_immutable(kind: str) -> None:
    value = made(kind)
    slots: Any = type(value).__slots__
    for name in (*slots, "frame", "body", "mass", "columns", "other"):
        if name != "__weakref__":
            with pytest.raises(AttributeError):
                setattr(value, name, None)
    with pytest.raises(AttributeError):
        _ = value.__dict__


@each_kind
def test_equality_is_identity(kind: str) -> None:
    assert made(kind) != made(kind)
    value = made(kind)
    assert len({value, value}) == 1


@pytest.mark.parametrize(
    ("make", "frames"),
    [
        (Twist.zero, ("body", "base", "frame")),
        (SpatialAcceleration.zero, ("body", "base", "frame")),
        (Wrench.zero, ("frame",)),
        (Momentum.zero, ("frame",)),
        (FreeVector.zero, ("frame",)),
        (Point.origin, ("frame",)),
    ],
)
def test_zeros_need_frames(make: Callable[..., Any], frames: tuple[str, ...]) -> None:
    for wrong in frames:
        with pytest.raises(ArgumentError, match=f"{wrong} must be a Frame"):
            make(*("world" if name == wrong else WORLD for name in frames))


@each_kind
def test_isclose(kind: str) -> None:
    value = made(kind)
    assert value.isclose(made(kind), atol=0)
    assert not value.isclose(made(kind, seed=2))
    assert value.is_finite


@each_kind
def test_values_do_not_become_arrays(kind: str) -> None:
    with pytest.raises(
        ArgumentError, match=f"a {kind} is not an array: it has frames; its numbers are .[a-z]+"
    ) as caught:
        np.asarray(made(kind))
    assert caught.value.argument == "object"


@each_kind
def test_repr_names_kind_and_frames(kind: str) -> None:
    text = repr(made(kind))
    assert text.startswith(kind)
    assert "'hand'" in text or "'world'" in text
    assert "\n" not in text


@pytest.mark.parametrize("kind", ["Transform", "GeometricJacobian", "PointJacobian", "MomentumMatrix", "WrenchMatrix"])
def test_maps_are_applied_with_the_matrix_product(kind: str) -> None:
    with pytest.raises(ArgumentError, match=f"a {kind} is applied with @, not \\*") as caught:
        made(kind) * 2
    assert (caught.value.operation, caught.value.value) == (f"{kind} * ...", 2)


def test_repr_in_full() -> None:
    twist = Twist(HAND, WORLD, CAMERA, [1, 2.5, -1e-7], [0, 0, 1 / 3])
    expected = "Twist of 'hand' with respect to 'world' in 'camera': angular (1, 2.5, -1e-07), linear (0, 0, 0.333333)"
    assert repr(twist) == expected


def test_repr_of_a_half_space() -> None:
    half_space = HalfSpace(Point(WORLD, (1, 2, 3)), FreeVector(WORLD, (0, 0, 2)))
    assert repr(half_space) == "HalfSpace in 'world': point (1, 2, 3), normal (0, 0, 1)"


def test_isclose_uses_the_norm_of_every_part() -> None:
    zero = Twist.zero(HAND, WORLD, WORLD)
    moved = Twist(HAND, WORLD, WORLD, [0, 0, 0], [3e-3, 4e-3, 0])
    assert zero.isclose(moved, atol=5.01e-3)
    assert not zero.isclose(moved, atol=4.99e-3)
    not_a_number = Twist.trusted(HAND, WORLD, WORLD, (math.nan, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert not zero.isclose(not_a_number)
    assert not not_a_number.is_finite


def test_isclose_of_different_shapes_is_false() -> None:
    rng = np.random.default_rng(1)
    assert not helpers.jacobian(rng, 3).isclose(helpers.jacobian(rng, 4))


def test_no_array_interface_by_accident() -> None:
    for kind in MAKERS:
        found: Any = type(made(kind))
        assert found.__array_ufunc__ is None


# -- validation -------------------------------------------------------------------------------------------------------

GOOD, EYE, ROWS = [1.0, 2.0, 3.0], np.eye(3), np.zeros((3, 2))
# how a part is given, its name, whether it is a vector
PARTS: dict[str, tuple[Callable[[Any], Any], str, Any]] = {
    "Transform rotation": (lambda x: Transform(HAND, WORLD, x), "rotation", EYE),
    "Transform translation": (lambda x: Transform(HAND, WORLD, EYE, x), "translation", GOOD),
    "from_matrix": (lambda x: Transform.from_matrix(HAND, WORLD, x), "matrix", np.eye(4)),
    "from_quaternion": (lambda x: Transform.from_quaternion(HAND, WORLD, x), "quaternion", [1.0, 0, 0, 0]),
    "from_quaternion 2": (
        lambda x: Transform.from_quaternion(HAND, WORLD, [1.0, 0, 0, 0], x),
        "translation",
        GOOD,
    ),
    "Point": (lambda x: Point(WORLD, x), "xyz", GOOD),
    "FreeVector": (lambda x: FreeVector(WORLD, x), "xyz", GOOD),
    "Twist angular": (lambda x: Twist(HAND, WORLD, WORLD, x, GOOD), "angular", GOOD),
    "Twist linear": (lambda x: Twist(HAND, WORLD, WORLD, GOOD, x), "linear", GOOD),
    "Acceleration angular": (lambda x: SpatialAcceleration(HAND, WORLD, WORLD, x, GOOD), "angular", GOOD),
    "Acceleration linear": (lambda x: SpatialAcceleration(HAND, WORLD, WORLD, GOOD, x), "linear", GOOD),
    "Wrench angular": (lambda x: Wrench(WORLD, x, GOOD), "angular", GOOD),
    "Wrench linear": (lambda x: Wrench(WORLD, GOOD, x), "linear", GOOD),
    "Momentum angular": (lambda x: Momentum(WORLD, x, GOOD), "angular", GOOD),
    "Momentum linear": (lambda x: Momentum(WORLD, GOOD, x), "linear", GOOD),
    "Inertia com": (lambda x: SpatialInertia(HAND, mass=1, com=x, moment_about_com=EYE), "com", GOOD),
    "Inertia moment": (lambda x: SpatialInertia(HAND, mass=1, moment=x), "moment", EYE),
    "Inertia about com": (lambda x: SpatialInertia(HAND, mass=1, moment_about_com=x), "moment_about_com", EYE),
    "Jacobian angular": (lambda x: GeometricJacobian(HAND, WORLD, WORLD, x, ROWS), "angular", ROWS),
    "Jacobian linear": (lambda x: GeometricJacobian(HAND, WORLD, WORLD, ROWS, x), "linear", ROWS),
    "PointJacobian": (lambda x: PointJacobian(WORLD, x), "matrix", ROWS),
    "MomentumMatrix": (lambda x: MomentumMatrix(WORLD, x, ROWS), "angular", ROWS),
    "WrenchMatrix": (lambda x: WrenchMatrix(WORLD, ROWS, x), "linear", ROWS),
}
each_part = pytest.mark.parametrize("part", PARTS)


@each_part
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_numbers_must_be_finite(part: str, bad: float) -> None:
    make, name, good = PARTS[part]
    values = np.array(good, dtype=float)
    values.flat[-1] = bad
    with pytest.raises(NotFiniteError, match=name) as caught:
        make(values)
    assert caught.value.argument == name


@each_part
def test_shapes_must_fit(part: str) -> None:
    make, name, good = PARTS[part]
    values = np.array(good, dtype=float)
    for wrong in (values[..., None], values[:-1], np.concatenate([values, values]), 1.0, [], "123", [None] * 3):
        with pytest.raises(ShapeError, match=name) as caught:
            make(wrong)
        assert caught.value.argument == name


@each_part
def test_the_good_value_passes(part: str) -> None:
    make, _, good = PARTS[part]
    assert make(good).is_finite
    assert make(np.array(good).tolist()).is_finite


@with_rng
def test_slightly_wrong_rotations_are_refused(rng: Rng) -> None:
    good = helpers.random_rotation(rng)
    assert Transform(HAND, WORLD, good).rotation.tolist() == good.tolist()
    noise = rng.normal(size=(3, 3))
    noise = noise + noise.T  # a change of orthogonality, not of orientation
    with pytest.raises(RotationError, match="rotation") as caught:
        Transform(HAND, WORLD, good @ (np.eye(3) + 1e-6 * noise / np.abs(noise).max()))
    defect: Any = caught.value.defect
    assert 1e-7 < defect < 1e-4
    Transform(HAND, WORLD, good @ (np.eye(3) + 1e-11 * noise / np.abs(noise).max()))


def test_reflections_and_scalings_are_told_apart() -> None:
    with pytest.raises(RotationError, match=r"a reflection.*determinant is -1"):
        Transform(HAND, WORLD, np.diag([1, 1, -1]))
    with pytest.raises(RotationError, match=r"not orthogonal.*determinant is 8"):
        Transform(HAND, WORLD, 2 * np.eye(3))
    with pytest.raises(RotationError, match="not orthogonal"):
        Transform(HAND, WORLD, np.zeros((3, 3)))


def test_quaternions_must_have_length_one() -> None:
    with pytest.raises(RotationError, match=r"its length is 2, not 1") as caught:
        Transform.from_quaternion(HAND, WORLD, [2, 0, 0, 0])
    assert caught.value.argument == "quaternion"
    with pytest.raises(RotationError):
        Transform.from_quaternion(HAND, WORLD, [0.7071, 0, 0, 0.7071])
    with pytest.raises(RotationError):
        Transform.from_quaternion(HAND, WORLD, [0, 0, 0, 0])


def test_the_last_row_of_a_pose() -> None:
    matrix = np.eye(4)
    matrix[3, 0] = 1
    with pytest.raises(RotationError, match="last row"):
        Transform.from_matrix(HAND, WORLD, matrix)


def diagonal(*entries: float) -> Any:
    return np.diag(entries)


IMPOSSIBLE: dict[str, tuple[dict[str, Any], str]] = {
    "negative mass": ({"mass": -1, "moment": EYE}, "negative mass"),
    "asymmetric": ({"mass": 1, "moment": [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]}, "not symmetric"),
    "negative moment": ({"mass": 1, "moment": diagonal(1, 1, -0.1)}, "negative principal moment"),
    "triangle": ({"mass": 1, "moment": diagonal(1, 1, 2.1)}, "triangle inequality"),
    "triangle, turned": ({"mass": 1, "moment": [[1.55, 0, 0.55], [0, 1, 0], [0.55, 0, 1.55]]}, "triangle inequality"),
    "com too far": ({"mass": 1, "com": [0, 0, 2], "moment": EYE}, "negative principal moment"),
    "off-diagonal": ({"mass": 1, "moment": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]}, "negative principal moment"),
    "com far away": (
        {"mass": 1, "com": [1e3, 0, 0], "moment_about_com": -0.5 * np.eye(3)},
        "negative principal moment",
    ),
    "rotor": ({"mass": 0, "moment": diagonal(1, 0.1, 0)}, "triangle inequality"),
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_impossible_inertias(case: str) -> None:
    arguments, reason = IMPOSSIBLE[case]
    with pytest.raises(InertiaError) as caught:
        SpatialInertia(HAND, **arguments)
    assert caught.value.reason == reason
    assert pickle.loads(pickle.dumps(caught.value)).reason == reason


@pytest.mark.parametrize("moment", ["moment", "moment_about_com"])
def test_inertias_that_overflow_are_refused(moment: str) -> None:
    given: dict[str, Any] = {moment: EYE}
    with pytest.raises(NotFiniteError, match="com: mass times its square"):
        SpatialInertia(HAND, mass=1e300, com=[1e10, 0, 0], **given)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_edges_of_the_triangle_inequality_pass_at_every_scale(scale: float) -> None:
    """A flat plate and a thin rod, as a file writes them: six digits."""
    for moments in ((0.333333, 0.666667, 1.0), (1.0, 1.0, 2.0), (0.0, 1.0, 1.0), (0.0, 0.0, 0.0)):
        SpatialInertia(HAND, mass=1, moment=scale * diagonal(*moments))
    with pytest.raises(InertiaError):
        SpatialInertia(HAND, mass=1, moment=scale * diagonal(1, 1, 2.001))


def test_a_point_mass_may_be_off_by_rounding() -> None:
    """Its moment about the centre of mass is a difference of two large ones."""
    for given in ({"moment_about_com": diagonal(-5e-17, 0, 1e-16)}, {"moment": diagonal(-5e-17, 1, 1)}):
        SpatialInertia(HAND, mass=1, com=[1, 0, 0], **given)


def test_exactly_one_moment() -> None:
    with pytest.raises(ArgumentError, match="exactly one"):
        SpatialInertia(HAND, mass=1)
    with pytest.raises(ArgumentError, match="exactly one"):
        SpatialInertia(HAND, mass=1, moment=EYE, moment_about_com=EYE)


@with_rng
def test_random_bodies_are_possible_in_every_frame(rng: Rng) -> None:
    body, tf = helpers.inertia(rng), helpers.transform(rng)
    there = body.transformed(tf)
    again = SpatialInertia(WORLD, mass=there.mass, com=there.center_of_mass, moment=there.moment)
    assert again.isclose(there)


def test_parts_in_other_frames_are_refused() -> None:
    with pytest.raises(FrameMismatchError, match=r"com\.frame"):
        SpatialInertia(HAND, mass=1, com=Point(WORLD, GOOD), moment=EYE)
