"""Standard output: terminals without Unicode, and readers that close it early."""

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


def print_note(text: str) -> None:
    """Print one line on standard error, without control characters."""
    print(f"rbd: {printable(text)}", file=sys.stderr)


def discard_output() -> None:
    """Discard the buffer of standard output, whose reader is gone."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        pass  # no file descriptor: standard output was replaced
