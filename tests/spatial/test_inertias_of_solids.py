"""Inertias of homogeneous bodies, against integrals over their points."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.contact import HalfSpace
from rbd.errors import FrameMismatchError, InertiaError
from rbd.spatial import Frame, Point, SpatialInertia

LINK = Frame("link")
CENTER = (0.1, -0.2, 0.3)


def sampled(inside: Any, size: tuple[float, float, float], n: int = 60) -> np.ndarray:
    """Return the moment about the centre of one kilogram, evenly on the points of a grid that lie inside a body."""
    axes = [(np.arange(n) + 0.5) / n * edge - edge / 2 for edge in size]
    x, y, z = (a.ravel() for a in np.meshgrid(*axes, indexing="ij"))
    keep = inside(x, y, z)
    points = np.stack([x[keep], y[keep], z[keep]], axis=1)
    return np.eye(3) * (points**2).sum(axis=1).mean() - points.T @ points / len(points)


BODIES: dict[str, tuple[SpatialInertia, np.ndarray]] = {
    "box": (
        SpatialInertia.box(LINK, mass=2.0, size=(0.4, 0.6, 1.0), com=CENTER),
        sampled(lambda x, y, z: x < 9, (0.4, 0.6, 1.0)),
    ),
    "sphere": (
        SpatialInertia.sphere(LINK, mass=2.0, radius=0.5, com=CENTER),
        sampled(lambda x, y, z: x * x + y * y + z * z <= 0.25, (1.0, 1.0, 1.0)),
    ),
    "cylinder": (
        SpatialInertia.cylinder(LINK, mass=2.0, radius=0.5, length=0.8, com=CENTER),
        sampled(lambda x, y, z: x * x + y * y <= 0.25, (1.0, 1.0, 0.8)),
    ),
    "rod": (
        SpatialInertia.rod(LINK, mass=2.0, length=0.8, com=CENTER),
        sampled(lambda x, y, z: x < 9, (0.0, 0.0, 0.8)),
    ),
    "point mass": (SpatialInertia.point_mass(LINK, mass=2.0, at=CENTER), np.zeros((3, 3))),
}


@pytest.mark.parametrize("name", BODIES)
def test_the_moment_is_that_of_all_points(name: str) -> None:
    inertia, per_mass = BODIES[name]
    assert inertia.mass == 2.0
    np.testing.assert_allclose(inertia.center_of_mass.xyz, CENTER, rtol=0, atol=1e-15)
    np.testing.assert_allclose(inertia.moment_about_com, 2.0 * per_mass, rtol=0, atol=2e-3)  # a grid of 60 points


def test_exact_numbers_stay_exact() -> None:
    ball = SpatialInertia.sphere(LINK, mass=Fraction(1, 3), radius=Fraction(1, 2))
    assert ball.moment_components[0][0] == Fraction(1, 30)


def test_the_center_may_be_a_point_and_lengths_may_not_be_negative() -> None:
    here = SpatialInertia.box(LINK, mass=1.0, size=(1, 1, 1), com=Point(LINK, (0, 0, 1)))
    assert here.center_of_mass.xyz[2] == 1.0
    with pytest.raises(FrameMismatchError):
        SpatialInertia.box(LINK, mass=1.0, size=(1, 1, 1), com=Point(Frame("link"), (0, 0, 1)))
    with pytest.raises(InertiaError, match=r"radius is \(-1\), needs lengths of 0 or more"):
        SpatialInertia.sphere(LINK, mass=1.0, radius=-1.0)


def values() -> list[Any]:
    """Return a framed value of every kind."""
    state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.1, 0.2], [1.0, 2.0])
    root, body = state.mechanism.root_frame, state.mechanism.body("lower_link")
    point = Point(root, (1, 2, 3))
    return [
        point,
        rbd.FreeVector(root, (1, 2, 3)),
        rbd.Wrench(root, (1, 2, 3), (4, 5, 6)),
        rbd.momentum(state),
        state.composite_inertia(body),
        rbd.point_jacobian(state, body, point),
        rbd.momentum_matrix(state),
        state.constraint_wrench_subspace("elbow"),
        state.twist(body),
        state.bias_acceleration(body),
        rbd.geometric_jacobian(state, body),
        HalfSpace(point, rbd.FreeVector(point.frame, (0, 0, 1))),
    ]


@pytest.mark.parametrize("index", range(12))
def test_every_framed_value_can_be_expected_in_its_frames(index: int) -> None:
    value = values()[index]
    frames = (value.body, value.base, value.frame) if hasattr(value, "body") else (value.frame,)
    assert value.expect(*frames) is value
    for k in range(len(frames)):
        wrong = [*frames[:k], Frame("elsewhere"), *frames[k + 1 :]]
        with pytest.raises(FrameMismatchError, match=rf"{type(value).__name__}\.expect: self\.\w+ is"):
            value.expect(*wrong)


def test_bounds_of_all_joints_are_arrays() -> None:
    arm = rbd.robots.arm7()
    lower, upper = arm.position_bounds
    assert lower.shape == upper.shape == (arm.nq,)
    arm.joint("joint2").position_bounds = (-0.5, 0.25)
    arm.joint("joint3").velocity_bounds = (-2.0, 3.0)
    arm.joint("joint4").effort_bounds = (-4.0, 5.0)
    assert (arm.position_bounds[0][1], arm.position_bounds[1][1]) == (-0.5, 0.25)
    assert (arm.velocity_bounds[0][2], arm.velocity_bounds[1][2]) == (-2.0, 3.0)
    assert (arm.effort_bounds[0][3], arm.effort_bounds[1][3]) == (-4.0, 5.0)
