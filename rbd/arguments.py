"""Validation of arguments: classes, choices, numbers, collections, callables, paths.

`rbd.scalars.arrays` checks arrays. Every error is an ArgumentError with the argument's name and value.
"""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path, PurePath
from typing import Any, Final, Literal, TypeAlias, TypeVar, cast, final

import attrs
import numpy as np

from rbd.errors import ArgumentError, quoted

_Class = TypeVar("_Class", bound=type[Any])
_LARGEST = 2**63 - 1
_BOOLEAN_TYPES: tuple[type[object], ...] = (bool, np.bool_)


def require_choice(value: object, allowed: Sequence[str], argument: str, what: str) -> None:
    """Raise ArgumentError unless `value` is one of the strings in `allowed`.

    >>> require_choice("fast", ("fast", "slow"), "speed", "speed")
    """
    if not (isinstance(value, str) and value in allowed):
        shown = quoted(value) if isinstance(value, str) else f"of type {type(value).__name__}"
        message = f"no {what} is called {shown}; there are {', '.join(allowed) or 'none'}"
        raise ArgumentError(message, argument=argument, value=value, allowed=tuple(allowed))


def is_finite(value: object) -> bool:
    """Return whether a real number is finite as a float; large ints are not.

    >>> is_finite(10**400), is_finite(1.0)
    (False, True)
    """
    try:
        return math.isfinite(cast("float", value))
    except (OverflowError, TypeError, ValueError):
        return False


def whole_number(value: object, argument: str, least: int | None = None, most: int = _LARGEST) -> int:
    """Return an integer of any type as an int; raise ArgumentError for other values and outside the range.

    >>> whole_number(3, "steps", 0)
    3
    """
    number: int | None = None
    if not isinstance(value, bool):
        try:
            number = operator.index(cast("Any", value))
        except MemoryError:
            raise
        except Exception:  # an object's own `__index__` may raise anything
            number = None
    allowed = "a whole number" if least is None else f"a whole number of {least} or more"
    allowed = f"{allowed}, at most {most}" if number is not None and number > most else allowed
    if number is None or (least is not None and number < least) or number > most:
        shown = described(value) if number is None else _short(number)
        message = f"{argument} must be {allowed}, not {shown}"
        raise ArgumentError(message, argument=argument, value=value, allowed=allowed)
    return number


def boolean(value: object, argument: str) -> bool:
    """Return a truth value as a bool; raise ArgumentError for any other type.

    >>> boolean(True, "strict")
    True
    """
    if not isinstance(value, _BOOLEAN_TYPES):
        message = f"{argument} must be True or False, not {described(value)}"
        raise ArgumentError(message, argument=argument, value=value, allowed=(True, False))
    return bool(value)


def sequence(values: object, argument: str, what: str) -> tuple[Any, ...]:
    """Return the elements of an iterable as a tuple; raise ArgumentError for strings and other values.

    >>> sequence([1, 2], "steps", "whole numbers")
    (1, 2)
    """
    if not isinstance(values, (str, bytes)):
        try:
            iterator = iter(cast("Iterable[Any]", values))
        except TypeError:
            pass
        else:
            return tuple(iterator)
    message = f"{argument} must be a sequence of {what}, not {described(values)}"
    raise ArgumentError(message, argument=argument, value=values, allowed=f"a sequence of {what}")


def name_sequence(values: object, argument: str) -> tuple[str, ...]:
    """Return names as a tuple; raise ArgumentError for anything but an iterable of strings.

    >>> name_sequence(["tool"], "frames")
    ('tool',)
    """
    names = sequence(values, argument, "names")
    for name in names:
        if not isinstance(name, str):
            message = f"{argument} holds {described(name)}, needs names"
            raise ArgumentError(message, argument=argument, value=values, allowed="names")
    return names


def require_callable(value: object, argument: str, what: str = "a function") -> None:
    """Raise ArgumentError unless `value` is callable, and no class: what classes make are no results."""
    if not callable(value) or isinstance(value, type):
        message = f"{argument} must be {what}, not {described(value)}"
        raise ArgumentError(message, argument=argument, value=value, allowed=what)


def path_text(value: object) -> str | None:
    """Return a path as text; None for anything but a str and a PathLike of one.

    >>> path_text(PurePath("arm.urdf")), path_text(b"arm.urdf")
    ('arm.urdf', None)
    """
    try:
        text = cast("object", os.fspath(cast("str", value)))
    except MemoryError:
        raise
    except Exception:  # an object's own `__fspath__` may raise anything
        return None
    return text if isinstance(text, str) else None


def is_path_text(text: str) -> bool:
    r"""Return whether a text has no null character, and no lone surrogate that bytes cannot stand for.

    >>> is_path_text("arm.urdf"), is_path_text("a\0b")
    (True, False)
    """
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def file_path(value: object, *, operation: str, argument: str) -> Path:
    """Return the path of a file or folder, which need not exist; raise ArgumentError for anything else."""
    text = path_text(value)
    if text is None:
        raise kind_error(value, "str or PathLike", operation, argument)
    if not is_path_text(text):
        message = f"{argument} must name a file, not {quoted(text)}: it has a null character or a lone surrogate"
        raise ArgumentError(message, operation=operation, argument=argument, value=value, allowed="a path")
    return Path(text)


def require_generator(rng: object) -> None:
    """Raise ArgumentError unless `rng` has the methods of `numpy.random.Generator`."""
    if not callable(getattr(rng, "standard_normal", None)):
        message = f"rng must be a generator such as numpy.random.default_rng(1), not {described(rng)}"
        raise ArgumentError(message, argument="rng", value=rng, allowed="numpy.random.Generator")


def described(value: object) -> str:
    """Describe a value of the wrong type, for a message.

    >>> described("x"), described(None), described([1])
    ("'x' of type str", 'None', 'a list')
    """
    if value is None or value is ...:
        return repr(value)
    kind = type(value).__name__
    if type(value) is float:
        return repr(value)
    if isinstance(value, (str, bytes, bool, int, float, complex)):
        return f"{quoted(value) if isinstance(value, (str, bytes)) else _short(value)} of type {kind}"
    return with_article(kind)


def with_article(noun: str) -> str:
    """Return a noun with "a" or "an" before it.

    >>> with_article("array"), with_article("list")
    ('an array', 'a list')
    """
    return f"{'an' if noun[:1].lower() in 'aeiou' or noun == 'ndarray' else 'a'} {noun}"


def _short(number: float | complex) -> str:
    """Return a number as text; large ints by their size, since Python limits their conversion to text."""
    if isinstance(number, int) and number.bit_length() > 128:
        return f"an integer of {number.bit_length()} bits"
    return repr(number)


def isinstance_untyped(value: object, *kinds: type) -> bool:
    """Return whether a value that callers may get wrong is of one of these classes, whatever its annotation says."""
    return isinstance(value, kinds)


def require_kind(value: object, *kinds: type[Any], operation: str, argument: str) -> None:
    """Raise ArgumentError unless `value` is of one of the classes."""
    if not isinstance(value, kinds):
        allowed = " or ".join(kind.__name__ for kind in kinds)
        raise kind_error(value, allowed, operation, argument, kinds=kinds)


_Source: TypeAlias = Literal["numbers", "path", "objects"]
"""Source of an object that a call makes: an array of its numbers, the path of a file, or other objects."""


@final
@attrs.frozen
class _Call:
    """A call that makes an object of a class."""

    text: str
    takes: _Source


_CALLS: Final = dict[type[Any], _Call]()


def constructing_call(call: str, *, takes: _Source = "objects") -> Callable[[_Class], _Class]:
    """Decorate a class with the call that makes its objects, which errors of arguments of other classes show."""

    def register(kind: _Class) -> _Class:
        _CALLS[kind] = _Call(call, takes)
        return kind

    return register


def kind_error(
    value: object, allowed: str, operation: str, argument: str, *, kinds: Sequence[type[Any]] = ()
) -> ArgumentError:
    """Return the ArgumentError for an argument of the wrong class.

    The message adds how to make an object of `kinds`, if `constructing_call` says so.
    """
    return ArgumentError(
        f"{operation}: {argument} must be {with_article(allowed)}, not {_described_operand(value, kinds)}",
        operation=operation,
        argument=argument,
        value=value,
        allowed=allowed,
    )


def _described_operand(value: object, kinds: Sequence[type[Any]]) -> str:
    """Return the type of an operand of the wrong class, with advice on how to make one of the right class."""
    phrase, calls = described(value), [_CALLS[kind] for kind in kinds if kind in _CALLS]

    def joined(taken: _Source) -> str:
        return " or ".join(call.text for call in calls if call.takes == taken)

    if joined("numbers") and type(value).__name__ in {"ndarray", "list", "tuple"}:
        return f"{phrase}; wrap it in {joined('numbers')}"
    if joined("path") and isinstance(value, (str, PurePath)):
        return f"{phrase}; {joined('path')} reads one"
    return f"{phrase}; {joined('objects')} makes one" if joined("objects") else phrase
