"""Frames: identity by id, never by name; the check and its message."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from rbd.errors import ArgumentError, FrameMismatchError
from rbd.spatial import Frame, Tag, Transform, Twist, check_frame, same_frame


class Camera(Tag):
    """A frame."""


def test_equal_names_are_different_frames() -> None:
    a, b = Frame("a"), Frame("a")
    assert a != b
    assert not same_frame(a, b)
    assert len({a, b, a}) == 2


def test_of_names_the_frame_after_the_tag_and_makes_a_new_one_each_time() -> None:
    first, second = Frame.of(Camera), Frame.of(Camera)
    assert first.name == "Camera"
    assert first != second


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda f: pickle.loads(pickle.dumps(f))])
def test_copies_are_the_same_frame(copied: Any) -> None:
    frame = Frame("a")
    twin = copied(frame)
    assert twin == frame
    assert hash(twin) == hash(frame)
    assert same_frame(twin, frame)
    assert twin.name == "a"
    check_frame(twin, frame, operation="op", argument="arg")


def test_ids_have_128_bits_and_differ() -> None:
    ids = {Frame("a").id for _ in range(100)}
    assert len(ids) == 100
    assert 2**100 < max(ids) < 2**128


def test_check_passes_the_same_frame_and_names_everything_otherwise() -> None:
    a, b = Frame("a"), Frame("b")
    check_frame(a, a, operation="op", argument="arg")
    with pytest.raises(FrameMismatchError) as caught:
        check_frame(a, b, operation="op", argument="arg", hint="try harder")
    error = caught.value
    assert (error.operation, error.argument, error.actual, error.expected) == ("op", "arg", a, b)
    for words in ("op", "arg", "'a'", "'b'", a.short_id, b.short_id, "try harder"):
        assert words in str(error)


def test_two_frames_of_one_name_are_told_apart_in_messages() -> None:
    a, b = Frame("a"), Frame("a")
    with pytest.raises(FrameMismatchError, match="another frame of that name") as caught:
        check_frame(a, b, operation="op", argument="arg")
    assert a.short_id in str(caught.value)
    assert b.short_id in str(caught.value)


def test_mismatch_errors_survive_pickling() -> None:
    a, b = Frame("a"), Frame("b")
    with pytest.raises(FrameMismatchError) as caught:
        check_frame(a, b, operation="op", argument="arg")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.actual, again.expected) == (str(caught.value), a, b)


@pytest.mark.parametrize("name", ["", 3, None, b"world", Frame("a")])
def test_names_are_strings(name: Any) -> None:
    with pytest.raises(ArgumentError, match="name"):
        Frame(name)


@pytest.mark.parametrize("tag", ["world", int, Tag(), None])
def test_tags_are_classes(tag: Any) -> None:
    with pytest.raises(ArgumentError, match="subclass of Tag"):
        Frame.of(tag)


def test_frames_are_immutable() -> None:
    frame = Frame("a")
    with pytest.raises(AttributeError):
        frame.name = "b"  # what is tested
    with pytest.raises(AttributeError):
        frame.other = 1  # what is tested


def test_a_string_instead_of_a_frame_is_explained() -> None:
    loose: Any = "world"
    with pytest.raises(
        ArgumentError, match=r"to_frame must be a Frame, not 'world' of type str; mechanism.frame\('world'\) is that of"
    ):
        Transform(Frame("a"), loose)
    with pytest.raises(ArgumentError, match="base must be a Frame"):
        Twist(Frame("a"), loose, Frame("b"), [0, 0, 0], [0, 0, 0])


def test_strange_names_are_shown_escaped() -> None:
    a, b = Frame("a\n\u202e"), Frame("b")
    with pytest.raises(FrameMismatchError) as caught:
        check_frame(a, b, operation="op", argument="arg")
    assert "\n" not in str(caught.value)
    assert "\u202e" not in str(caught.value)
