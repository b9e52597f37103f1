"""Reading the bytes of a robot file: regular files only, and never more than the limit."""

from __future__ import annotations

import os
import stat
from typing import Final

from rbd.errors import ArgumentError, UrdfPathError, UrdfRefusedError, UrdfSyntaxError
from rbd.urdf.xml import UrdfLimits, fault_at

# a FIFO without a writer must not block, a terminal must not become ours
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


def read_bytes(path: str | os.PathLike[str], limits: UrdfLimits) -> tuple[bytes, str]:
    """Return the bytes of the regular file at `path`, and its name for messages.

    Raises UrdfPathError when there is no such file, UrdfRefusedError when it is larger than the limit.
    """
    try:
        file = os.fsdecode(path)
    except TypeError:
        message = f"path must be a path, not {type(path).__name__}; parse_urdf reads text"
        raise ArgumentError(message, argument="path", value=path) from None
    try:
        descriptor = os.open(file, _FLAGS)
    except (OSError, ValueError) as error:
        raise _unreadable(file, getattr(error, "strerror", None) or str(error)) from None
    try:
        return _regular(descriptor, file, limits), file
    finally:
        os.close(descriptor)


def _regular(descriptor: int, file: str, limits: UrdfLimits) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise _unreadable(file, "no regular file")
    if status.st_size > limits.bytes:
        message = f"the file has {status.st_size} bytes, at most {limits.bytes} are read"
        raise fault_at(UrdfRefusedError, file, 1, 1, message, limit="bytes")
    with os.fdopen(os.dup(descriptor), "rb") as stream:
        return stream.read(limits.bytes + 1)


def text_bytes(text: str | bytes, file: str) -> bytes:
    """Return `text` as UTF-8."""
    if isinstance(text, bytes):
        return text
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise ArgumentError(f"text must be str or bytes, not {type(text).__name__}", argument="text", value=text)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        column = error.start - text.rfind("\n", 0, error.start)
        message = "a lone surrogate: the text is not Unicode"
        raise fault_at(UrdfSyntaxError, file, line, column, message, reason="encoding") from None


def _unreadable(file: str, reason: str) -> UrdfPathError:
    message = f"cannot read {file!r}: {reason}"
    return UrdfPathError(message, file=file, line=None, column=None, element=None, reason=reason)
