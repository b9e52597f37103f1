"""Articulated inertia and mobility as spatial values: operands, comparison, change of frame."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbd
from rbd import Frame, SpatialInertia, Transform, Twist, Wrench
from rbd.errors import ArgumentError, FrameMismatchError
from rbd.spatial.mobility import ArticulatedMobility
from rbd.spatial.recursions.articulated import ArticulatedInertia

from ..algorithms.helpers import Case, case, close


def values(a_case: Case) -> tuple[ArticulatedInertia, ArticulatedMobility, rbd.algorithms.ArticulatedBody]:
    """Return the inertia, the mobility and all other values of the last body, in its own frame."""
    body = a_case.mechanism.bodies[-1]
    found = rbd.articulated_bodies(a_case.state, a_case.velocity(), at=body).body(body)
    return found.articulated_inertia, rbd.articulated_mobility(a_case.state, body, at=body), found


@pytest.mark.parametrize("seed", range(3))
def test_products_and_changes_of_frame_commute(seed: int) -> None:
    a_case = case("tree", seed=seed)
    inertia, mobility, found = values(a_case)
    frame = a_case.mechanism.bodies[1].default_frame
    tf = a_case.state.relative_transform(inertia.frame, frame)
    close((inertia @ found.acceleration).vector, inertia.matrix @ found.acceleration.vector, 1e-12)
    close((inertia @ found.screws).matrix, inertia.matrix @ found.screws.matrix, 1e-12)
    moved = a_case.state.transform(inertia, frame) @ found.acceleration.transformed(tf)
    close(moved.vector, (inertia @ found.acceleration).transformed(tf).vector, 1e-11)
    wrench = Wrench(mobility.frame, a_case.rng.standard_normal(3), a_case.rng.standard_normal(3))
    there = a_case.state.transform(mobility, frame)
    close((there @ wrench.transformed(tf)).vector, (mobility @ wrench).transformed(tf).vector, 1e-11)
    assert np.array_equal(there.matrix, there.matrix.T)
    assert there.transformed(tf.inverse()).isclose(mobility, 1e-9)
    assert not mobility.isclose(ArticulatedMobility(mobility.body, mobility.base, mobility.frame, ((0,) * 6,) * 6))


def test_values_print_their_frames_and_numbers() -> None:
    link, world = Frame("link"), Frame("world")
    inertia = ArticulatedInertia.of_rigid_body(SpatialInertia.sphere(link, mass=2.0, radius=0.5))
    assert repr(inertia) == (
        "ArticulatedInertia in 'link': angular (0.2, 0, 0, 0, 0.2, 0, 0, 0, 0.2), cross (0, 0, 0, 0, 0, 0, 0, 0, 0), "
        "linear (2, 0, 0, 0, 2, 0, 0, 0, 2)"
    )
    assert inertia.is_finite
    rows = tuple(tuple(float(10 * i + j) for j in range(6)) for i in range(6))
    text = repr(ArticulatedMobility(link, world, world, rows))
    assert text.startswith("ArticulatedMobility of 'link' with respect to 'world' in 'world': angular (0, 1, 2, 10,")
    assert text.endswith("cross (3, 4, 5, 13, 14, 15, 23, 24, 25), linear (33, 34, 35, 43, 44, 45, 53, 54, 55)")


@pytest.mark.parametrize("operand", ["twist", "spatial twist", "numbers", "nothing", "wrench"])
def test_an_articulated_inertia_refuses_what_is_no_acceleration(operand: str) -> None:
    a_case = case("tree", seed=3)
    inertia, _, found = values(a_case)
    wrong: dict[str, Any] = {
        "twist": found.twist,
        "spatial twist": a_case.state.twist(a_case.mechanism.bodies[-1]),
        "numbers": [1.0, 2.0],
        "nothing": None,
        "wrench": found.joint_wrench,
    }
    with pytest.raises(ArgumentError, match="right operand"):
        inertia @ wrong[operand]


def test_operands_in_other_frames_and_of_other_classes_are_refused() -> None:
    a_case = case("tree", seed=4)
    inertia, mobility, found = values(a_case)
    other: Any = Frame("other")
    tf: Any = Transform.identity(other, inertia.frame)
    rigid: Any = SpatialInertia.zero(inertia.frame)
    with pytest.raises(ArgumentError, match="SpatialInertia"):
        inertia + rigid
    with pytest.raises(FrameMismatchError):
        inertia + ArticulatedInertia.of_rigid_body(SpatialInertia.zero(other))
    with pytest.raises(FrameMismatchError):
        inertia @ found.acceleration.transformed(tf.inverse())
    with pytest.raises(FrameMismatchError):
        inertia @ found.screws.transformed(tf.inverse())
    with pytest.raises(FrameMismatchError):
        mobility @ Wrench.zero(other)
    twist: Any = Twist.zero(mobility.body, mobility.base, mobility.frame)
    with pytest.raises(ArgumentError):
        mobility @ twist
    for value in (inertia, mobility):
        with pytest.raises(FrameMismatchError, match="its inverse would fit"):
            value.transformed(tf)
