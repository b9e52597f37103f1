"""Standard streams: terminals without Unicode, streams that are closed or full, readers that close them early."""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import Final, TextIO

from rbd.errors import printable

_DRAWN: Final = str.maketrans(
    {"├": "|", "└": "`", "│": "|", "─": "-", "…": "...", "²": "2", "°": "deg", "µ": "u", "±": "+-"}
)
_HANDLER: Final = "rbd.escaped"


def writable_anywhere(*streams: TextIO) -> None:
    """Let text streams replace characters that their encoding does not have, instead of raising UnicodeEncodeError.

    Lines of trees become ASCII characters; all others are escaped.
    """
    codecs.register_error(_HANDLER, _escaped)
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_HANDLER)


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Return the replacement of the first character that cannot be encoded, and the index after it."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start].translate(_DRAWN)
    return text if text.isascii() else text.encode("ascii", "backslashreplace").decode(), error.start + 1


def open_missing_streams() -> None:
    """Replace standard streams that were closed before the start by the null device.

    Python has None for them, and a file that a command writes could get their number.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  open until the end


def print_note(text: str) -> None:
    """Print one line on standard error, without control characters; if that is closed or full, print nothing."""
    try:
        print(f"rbd: {printable(text)}", file=sys.stderr)
    except OSError:
        discard(sys.stderr)


def flush_or_discard() -> None:
    """Write the buffers of standard streams; discard those that cannot be written, about which Python would report."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            discard(stream)


def discard(stream: TextIO) -> None:
    """Discard the buffer of a standard stream, and what is written to it later."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        pass  # no file descriptor: the stream was replaced
