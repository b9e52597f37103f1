"""Nested values as numbers and a template."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd.pytrees.flattening import FlatteningError, flatten
from rbd.pytrees.lazy_tuple import LazyTuple
from rbd.pytrees.unflattening import array_unflattener
from rbd.spatial.values import parts_of
from rbd.testing.random_mechanisms import random_inertia, random_transform

FLOATS = st.floats(allow_nan=False)
WORLD, HAND = rbd.Frame("world"), rbd.Frame("hand")


def framed(numbers: list[float]) -> rbd.Twist[Any, Any, Any]:
    return rbd.Twist(HAND, WORLD, WORLD, numbers[:3], numbers[3:])


LEAVES = FLOATS | st.booleans() | st.integers() | st.none() | st.text(max_size=3)
FRAMED = st.lists(st.floats(-1e6, 1e6), min_size=6, max_size=6).map(framed)
VALUES = st.recursive(
    LEAVES | FRAMED,
    lambda inner: st.lists(inner, max_size=4).map(tuple) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=12,
)


def plain(value: Any) -> Any:
    """Return a value with framed ones as their numbers, to compare."""
    if isinstance(value, rbd.Twist):
        return value.body, value.base, value.frame, value.components
    if isinstance(value, dict):
        return {name: plain(entry) for name, entry in value.items()}
    return tuple(map(plain, value)) if isinstance(value, (tuple, LazyTuple)) else value


def eager(value: Any) -> Any:
    """Return a value with tuples in the place of lazy ones."""
    if isinstance(value, dict):
        return {name: eager(entry) for name, entry in value.items()}
    return tuple(map(eager, value)) if isinstance(value, (tuple, LazyTuple)) else value


@given(VALUES)
def test_values_come_back_from_their_numbers(value: Any) -> None:
    template, numbers = flatten(value)
    assert template.count == len(numbers)
    assert plain(template.unflattener()(tuple(numbers))) == plain(value)
    assert plain(array_unflattener(template)(np.array(numbers))) == plain(value)


@given(VALUES, VALUES)
def test_numbers_may_start_anywhere(before: Any, value: Any) -> None:
    (_, head), (template, numbers) = flatten(before), flatten(value)
    assert plain(template.unflattener(len(head))((*head, *numbers))) == plain(value)


@given(VALUES, st.randoms(use_true_random=False))
def test_templates_are_keys_without_the_numbers(value: Any, random: Any) -> None:
    template, numbers = flatten(value)
    others = tuple(random.uniform(-1.0, 1.0) for _ in numbers)
    again, refilled = flatten(eager(template.unflattener()(others)))
    assert refilled == list(others)
    assert again == template
    assert hash(again) == hash(template)


def test_framed_values_of_all_kinds() -> None:
    rng = np.random.default_rng(3)
    values = (random_transform(HAND, WORLD, rng), random_inertia(HAND, rng), rbd.Point(WORLD, (1.0, 2.0, 3.0)))
    template, numbers = flatten(values)
    for found, value in zip(template.unflattener()(tuple(numbers)), values, strict=True):
        assert type(found) is type(value)
        assert found._frames() == value._frames()
        assert parts_of(found) == parts_of(value)


def test_framed_values_of_arrays_are_made_once_when_asked_for() -> None:
    twists = tuple(framed([float(k)] * 6) for k in range(4))
    template, numbers = flatten(twists)
    array = np.array(numbers)
    found = array_unflattener(template)(array)
    first = found[0]
    array[:] = 7.0
    assert found[0] is first
    assert first.components == (0.0,) * 6
    assert found[1].components == (7.0,) * 6
    assert [len(found), len(found[1:])] == [4, 3]


def test_numbers_of_another_type() -> None:
    half, third = Fraction(1, 2), Fraction(1, 3)
    template, numbers = flatten((half, (third, half), 1.5), Fraction)
    assert numbers == [half, third, half]
    assert template.unflattener()((1, 2, 3)) == (1, (2, 3), 1.5)


@pytest.mark.parametrize("value", [object(), {1, 2}, (1.0, [object()])])
def test_other_types_cannot_be_flattened(value: object) -> None:
    with pytest.raises(FlatteningError, match="cannot be recorded"):
        flatten(value)


@pytest.mark.parametrize(
    ("value", "portable"),
    [((1.0, ("x", None, True)), True), ((1.0, framed([0.0] * 6)), False), (WORLD, False), (rbd.RigidBody("b"), False)],
)
def test_templates_with_frames_and_bodies_belong_to_a_process(value: object, portable: bool) -> None:
    assert flatten(value).template.is_portable is portable
