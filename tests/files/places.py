"""Places that errors of the readers name."""

from __future__ import annotations

import re

from rbd.errors import FileError


def assert_line_exists(error: FileError, data: bytes) -> None:
    """Raise AssertionError unless the line that an error names is one of `data`."""
    assert isinstance(error.line, int), error
    assert 1 <= error.line <= len(re.split(rb"\r\n|\r|\n", data)), error
