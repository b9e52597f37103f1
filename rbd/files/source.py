"""Reading the bytes of robot files and meshes: regular files only, and never more than the limit."""

from __future__ import annotations

import os
import stat
from typing import Final

from rbd.arguments import path_text
from rbd.errors import ArgumentError, FileError
from rbd.files.formats import Format
from rbd.files.xml import error_at

_SHOWN: Final = 40  # characters of a text that was given as a path
# a FIFO without a writer must not block, a terminal must not become ours
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


def read_bytes(path: str | os.PathLike[str], max_bytes: int, file_format: Format) -> bytes:
    """Return the bytes of the regular file at `path`.

    Raises the format's path error when there is no such file, and refuses one of more than `max_bytes` bytes.
    """
    file = os.fsdecode(path) if isinstance(path, bytes) else path_text(path)
    if file is None:
        message = f"path must be a path, not {type(path).__name__}; {file_format.parse_function} reads text"
        raise ArgumentError(message, argument="path", value=path)
    try:
        descriptor = os.open(file, _FLAGS)
    except (OSError, ValueError) as error:
        is_text = file.lstrip().startswith("<")
        advice = f"; {file_format.parse_function} reads text" if is_text else ""
        shown = _beginning(file) if is_text else file
        raise _unreadable(shown, (getattr(error, "strerror", None) or str(error)) + advice, file_format) from None
    try:
        return _regular(descriptor, file, max_bytes, file_format)
    finally:
        os.close(descriptor)


def _regular(descriptor: int, file: str, max_bytes: int, file_format: Format) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise _unreadable(file, "no regular file", file_format)
    size, data = status.st_size, b""
    if size <= max_bytes:
        with os.fdopen(os.dup(descriptor), "rb") as stream:
            data = stream.read(max_bytes + 1)
        size = len(data)  # more than the status tells, if the file grows or the kernel makes it
    if size > max_bytes:
        message = f"the file has {size} bytes, at most {max_bytes} are read"
        raise error_at(file_format.refused_error, file, 1, 1, message, limit="bytes")
    return data


def text_bytes(text: str | bytes, file: str, file_format: Format) -> bytes:
    """Return `text` as UTF-8."""
    if isinstance(text, bytes):
        return text
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise ArgumentError(f"text must be str or bytes, not {type(text).__name__}", argument="text", value=text)
    data = _encoded(text, file, file_format)
    if text and "<" not in text and not text.isspace():
        message = f"not well-formed XML: it has no elements; {file_format.load_function} reads files"
        raise error_at(file_format.syntax_error, file, 1, 1, message)
    return data


def _encoded(text: str, file: str, file_format: Format) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        column = error.start - text.rfind("\n", 0, error.start)
        message = "a lone surrogate: the text is not Unicode"
        raise error_at(file_format.syntax_error, file, line, column, message, reason="encoding") from None


def _beginning(text: str) -> str:
    """Return the beginning of a text that stands for a path."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _unreadable(file: str, reason: str, file_format: Format) -> FileError:
    message = f"cannot read {file!r}: {reason}"
    return file_format.path_error(message, file=file, line=None, column=None, element=None, reason=reason)
