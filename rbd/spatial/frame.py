"""Coordinate frames and the frame check.

Frames know neither bodies nor numbers.

A frame is a display name and a random 128-bit id: two frames are the same when their ids are, so
pickled and copied values still fit each other, and equal names never count. `Tag` subclasses let type checkers see
frames: `Frame.of(World)` is a `Frame[World]`, and a wrong composition is found before the program runs. The type
variables are invariant and default to Any, so that code over frames created at run time needs no annotations.
"""

from __future__ import annotations

import secrets
from typing import Any, Generic, final

import attrs
from typing_extensions import TypeVar, override

from rbd.arguments import described
from rbd.errors import ArgumentError, FrameMismatchError, quoted


class Tag:
    """Base of the classes that stand for frames in types; derive empty classes from it, one per frame.

    >>> class World(Tag): ...
    >>> Frame.of(World)
    Frame('World')
    """


A = TypeVar("A", bound=Tag, default=Any)
B = TypeVar("B", bound=Tag, default=Any)
C = TypeVar("C", bound=Tag, default=Any)
D = TypeVar("D", bound=Tag, default=Any)
E = TypeVar("E", bound=Tag, default=Any)
F = TypeVar("F", bound=Tag, default=Any)
G = TypeVar("G", bound=Tag, default=Any)

_ID_BITS = 128
_set = object.__setattr__


@final
@attrs.frozen(eq=False, repr=False, init=False)
class Frame(Generic[F]):
    """A coordinate frame: a name and an identity. Every call makes a new one, whatever its name.

    Raises ArgumentError when the name is not a string, or empty.

    >>> camera = Frame("camera")
    >>> camera == Frame("camera"), camera.name
    (False, 'camera')
    """

    name: str
    id: int

    def __init__(self, name: str) -> None:
        _set(self, "name", _checked_name(name))
        _set(self, "id", secrets.randbits(_ID_BITS))

    @classmethod
    def of(cls, tag: type[G]) -> Frame[G]:
        """Make a new frame named after a tag class; type checkers then know it as `Frame[tag]`.

        Raises ArgumentError when `tag` is not a subclass of Tag.
        """
        require_tag(tag, "Frame.of", "; Frame(name) makes a frame without one")
        frame: Frame[G] = Frame(tag.__name__)
        return frame

    @property
    def short_id(self) -> str:
        """The first six hexadecimal digits of the id, as shown in messages."""
        return f"{self.id:032x}"[:6]

    @override
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frame) and (self is other or self.id == other.id)

    @override
    def __hash__(self) -> int:
        return hash(self.id)

    @override
    def __repr__(self) -> str:
        return f"Frame({self.name!r})"

    def __copy__(self) -> Frame[F]:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Frame[F]:
        return self

    @override
    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.name, self.id)


def _checked_name(name: object) -> str:
    if isinstance(name, str) and name:
        return name
    raise ArgumentError(
        f"a frame's name must be a non-empty string, not {quoted(name)}", argument="name", value=name, allowed="str"
    )


def require_tag(tag: object, operation: str, advice: str = "") -> None:
    """Raise ArgumentError unless `tag` is a subclass of Tag."""
    given: object = tag
    if isinstance(tag, type) and issubclass(tag, Tag):
        return
    raise ArgumentError(
        f"{operation} needs a subclass of Tag, not {given!r}{advice}",
        argument="tag",
        value=given,
        allowed="type[Tag]",
    )


def _restored(name: str, identity: int) -> Frame[Any]:
    """Make the frame that was pickled: the same identity, so that it fits what was not pickled."""
    frame: Frame[Any] = object.__new__(Frame)
    _set(frame, "name", name)
    _set(frame, "id", identity)
    return frame


def same_frame(a: Frame[Any], b: Frame[Any]) -> bool:
    """Return whether two frames are the same: the same object, or equal ids. Names never count.

    >>> hand = Frame("hand")
    >>> same_frame(hand, hand), same_frame(hand, Frame("hand"))
    (True, False)
    """
    return a is b or a.id == b.id


def check_frame(actual: Frame[Any], expected: Frame[Any], *, operation: str, argument: str, hint: str = "") -> None:
    """Raise FrameMismatchError unless the two frames are the same.

    `argument` says whose frame `actual` is, `hint` what would fit. The inner layers ask `actual is expected` first
    where speed counts.

    >>> hand = Frame("hand")
    >>> check_frame(hand, hand, operation="grasp", argument="pose.to_frame")
    >>> try:
    ...     check_frame(Frame("world"), hand, operation="grasp", argument="pose.to_frame")
    ... except FrameMismatchError as error:
    ...     print(error.operation, error.argument)
    grasp pose.to_frame
    """
    if actual is expected or same_frame(require_frame(actual, argument), require_frame(expected, argument)):
        return
    same_name = ", which is another frame of that name" if actual.name == expected.name else ""
    advice = f"; {hint}" if hint else ""
    raise FrameMismatchError(
        f"{operation}: {argument} is {frame_label(actual)}{same_name}; needs {frame_label(expected)}{advice}",
        operation=operation,
        argument=argument,
        actual=actual,
        expected=expected,
    )


def frame_label(frame: Frame[Any]) -> str:
    """Return a frame's name and short id, as messages show them."""
    return f"{quoted(frame.name)} (#{frame.short_id})"


def require_frame(value: object, argument: str) -> Frame[Any]:
    """Return `value` if it is a frame; raise ArgumentError naming `argument` otherwise."""
    if isinstance(value, Frame):
        return value  # pyright: ignore[reportUnknownVariableType]  # any frame will do
    advice = ""
    if isinstance(value, str):
        advice = f"; mechanism.frame({value!r}) is that of a mechanism, Frame({value!r}) makes a new one"
    raise ArgumentError(
        f"{argument} must be a Frame, not {described(value)}{advice}",
        argument=argument,
        value=value,
        allowed="Frame",
    )
