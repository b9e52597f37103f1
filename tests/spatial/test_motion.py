"""Twists and spatial accelerations: labels, transforms, points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rbd.errors import ArgumentError, FrameMismatchError
from rbd.spatial import FreeVector, SpatialAcceleration, Transform, Twist
from tests.spatial.helpers import (
    CAMERA,
    ELSEWHERE,
    HAND,
    STEP,
    WORLD,
    acceleration,
    cross_matrix,
    motion_matrix,
    point,
    transform,
    twist,
    with_rng,
)

Rng = np.random.Generator
BOTH = pytest.mark.parametrize("kind", [Twist, SpatialAcceleration])
Kind = Any


@BOTH
def test_sums_are_chains(kind: Kind) -> None:
    a, b = kind(HAND, WORLD, WORLD, [1, 0, 0], [0, 1, 0]), kind(CAMERA, HAND, WORLD, [0, 0, 1], [1, 1, 0])
    total = a + b
    assert (total.body, total.base, total.frame) == (CAMERA, WORLD, WORLD)
    np.testing.assert_array_equal(total.vector, [1, 0, 1, 1, 2, 0])


@BOTH
def test_sums_of_the_same_pair_keep_it(kind: Kind) -> None:
    a, b = kind(HAND, WORLD, WORLD, [1, 0, 0], [0, 1, 0]), kind(HAND, WORLD, WORLD, [0, 0, 1], [1, 1, 0])
    assert ((a + b).body, (a + b).base) == (HAND, WORLD)
    assert ((a - b).body, (a - b).base) == (HAND, WORLD)
    np.testing.assert_array_equal((a - b).vector, [1, 0, -1, -1, 0, 0])


@BOTH
def test_reverse_order_raises_and_says_what_would_fit(kind: Kind) -> None:
    a, b = kind(HAND, WORLD, WORLD, [1, 0, 0], [0, 1, 0]), kind(CAMERA, HAND, WORLD, [0, 0, 1], [1, 1, 0])
    with pytest.raises(FrameMismatchError, match="the other order would fit") as caught:
        b + a
    assert caught.value.argument == "other.base"
    assert (caught.value.actual, caught.value.expected) == (WORLD, CAMERA)


@BOTH
def test_differences_drop_the_common_end(kind: Kind) -> None:
    hand, camera = kind(HAND, WORLD, WORLD, [1, 2, 3], [4, 5, 6]), kind(CAMERA, WORLD, WORLD, [1, 1, 1], [2, 2, 2])
    relative = camera - hand
    assert (relative.body, relative.base) == (CAMERA, HAND)
    assert (hand + relative).isclose(camera, atol=1e-15)
    tail = camera - relative
    assert (tail.body, tail.base) == (HAND, WORLD)
    assert tail.isclose(hand, atol=1e-15)
    with pytest.raises(FrameMismatchError, match="the sum would fit"):
        hand - relative


@BOTH
def test_a_closed_chain_is_a_sum_too(kind: Kind) -> None:
    a = kind(HAND, WORLD, WORLD, [1, 2, 3], [4, 5, 6])
    closed = a + (-a)
    assert (closed.body, closed.base) == (WORLD, WORLD)
    assert not closed.vector.any()


@BOTH
def test_negation_swaps_body_and_base(kind: Kind) -> None:
    a = -kind(HAND, WORLD, CAMERA, [1, 2, 3], [4, 5, 6])
    assert (a.body, a.base, a.frame) == (WORLD, HAND, CAMERA)
    np.testing.assert_array_equal(a.vector, [-1, -2, -3, -4, -5, -6])


@BOTH
def test_relabelling_keeps_the_numbers(kind: Kind) -> None:
    a = kind(HAND, WORLD, WORLD, [1, 2, 3], [4, 5, 6])
    b = a.with_body(CAMERA).with_base(ELSEWHERE)
    assert (b.body, b.base, b.frame) == (CAMERA, ELSEWHERE, WORLD)
    np.testing.assert_array_equal(a.vector, b.vector)


@BOTH
def test_scaling(kind: Kind) -> None:
    a = kind(HAND, WORLD, WORLD, [1, 2, 3], [4, 5, 6])
    np.testing.assert_array_equal((2 * a).vector, 2 * a.vector)
    np.testing.assert_array_equal((a * np.float64(0.5)).vector, a.vector / 2)
    assert not kind.zero(HAND, WORLD, WORLD).vector.any()


@BOTH
def test_free_vectors_will_do_as_parts(kind: Kind) -> None:
    parts = FreeVector(WORLD, [1, 2, 3]), FreeVector(WORLD, [4, 5, 6])
    assert kind(HAND, WORLD, WORLD, *parts).isclose(kind(HAND, WORLD, WORLD, [1, 2, 3], [4, 5, 6]), atol=0)


@with_rng
def test_transform_is_the_adjoint(rng: Rng) -> None:
    tf, v, a = transform(rng), twist(rng, frame=HAND), acceleration(rng, frame=HAND)
    np.testing.assert_allclose(v.transformed(tf).vector, motion_matrix(tf) @ v.vector, rtol=0, atol=1e-12)
    np.testing.assert_allclose(a.transformed(tf).vector, motion_matrix(tf) @ a.vector, rtol=0, atol=1e-12)
    assert v.transformed(tf).frame is WORLD
    assert v.transformed(tf).transformed(tf.inverse()).isclose(v)


@with_rng
def test_cross_is_the_bracket(rng: Rng) -> None:
    a, b = twist(rng), twist(rng, CAMERA, HAND)
    product = a.cross(b)
    assert (product.body, product.base, product.frame) == (CAMERA, HAND, WORLD)
    np.testing.assert_allclose(product.vector, cross_matrix(a.vector) @ b.vector, rtol=0, atol=1e-14)


def stepped(tf: Transform, v: Twist) -> Transform:
    """Return where `tf` is one complex step later when its start moves with `v`, in its own frame."""
    inside = Twist.trusted(HAND, HAND, HAND, v.angular_components, v.linear_components)
    return tf @ (inside * (1j * STEP)).exp()


@with_rng
def test_point_velocity(rng: Rng) -> None:
    """The velocity of a point fixed in the hand, as the complex step of its coordinates in the world."""
    tf, v, p = transform(rng), twist(rng, frame=HAND), point(rng, HAND)
    expected = np.array((stepped(tf, v) @ p).components).imag / STEP
    np.testing.assert_allclose(v.transformed(tf).point_velocity(tf @ p).xyz, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose((tf @ v.point_velocity(p)).xyz, expected, rtol=0, atol=1e-12)


@with_rng
def test_point_acceleration(rng: Rng) -> None:
    """The complex step of the velocity of a point fixed in the hand; the same seen from an unrelated frame."""
    tf, v, a, p = transform(rng), twist(rng, frame=HAND), acceleration(rng, frame=HAND), point(rng, HAND)
    change = Twist.trusted(HAND, WORLD, HAND, a.angular_components, a.linear_components)
    later, faster = stepped(tf, v), v + change * (1j * STEP)
    velocity = faster.transformed(later).point_velocity(later @ p)
    expected = np.array(velocity.components).imag / STEP
    in_world = a.transformed(tf).point_acceleration(v.transformed(tf), tf @ p)
    np.testing.assert_allclose(in_world.xyz, expected, rtol=0, atol=1e-12)
    away = transform(rng, WORLD, CAMERA)
    unrelated = a.transformed(away @ tf).point_acceleration(v.transformed(away @ tf), away @ tf @ p)
    np.testing.assert_allclose(unrelated.xyz, (away @ in_world).xyz, rtol=0, atol=1e-11)


@with_rng
def test_acceleration_in_a_moving_frame(rng: Rng) -> None:
    """A = d/dt of the components in the new frame, by complex steps of twist and transform together."""
    tf = transform(rng, HAND, WORLD)
    current_wrt_new, body_wrt_base = twist(rng, HAND, WORLD, HAND), twist(rng, CAMERA, ELSEWHERE, HAND)
    rate = acceleration(rng, CAMERA, ELSEWHERE, HAND)
    change = Twist.trusted(CAMERA, ELSEWHERE, HAND, rate.angular_components, rate.linear_components)
    later = (body_wrt_base + change * (1j * STEP)).transformed(stepped(tf, current_wrt_new))
    expected = np.array(later.components).imag / STEP
    transformed = rate.transformed(tf, current_wrt_new, body_wrt_base)
    np.testing.assert_allclose(transformed.vector, expected, rtol=0, atol=1e-12)
    assert (transformed.body, transformed.base, transformed.frame) == (CAMERA, ELSEWHERE, WORLD)


def test_one_twist_without_the_other_is_refused() -> None:
    rng = np.random.default_rng(1)
    tf, v, a = transform(rng), twist(rng, frame=HAND), acceleration(rng, frame=HAND)
    with pytest.raises(ArgumentError, match="both twists") as caught:
        a.transformed(tf, twist_of_current_wrt_new=v)
    assert caught.value.argument == "twist_of_body_wrt_base"
    with pytest.raises(ArgumentError, match="both twists") as caught:
        a.transformed(tf, twist_of_body_wrt_base=v)
    assert caught.value.argument == "twist_of_current_wrt_new"


def test_exp_needs_a_twist_in_its_base() -> None:
    with pytest.raises(FrameMismatchError, match=r"Twist\.exp"):
        Twist(HAND, WORLD, HAND, [0, 0, 1], [0, 0, 0]).exp()
