"""Atomic replacement of files: a file is complete, or as it was before."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replaced_file(path: Path) -> Generator[Path, None, None]:
    """Yield the path of a temporary file in the same folder, which replaces `path` unless an exception is raised.

    Raises IsADirectoryError, an OSError, for a path without a name, such as "", and for one that no file can have.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "numbers.txt"
    ...     with replaced_file(path) as partial:
    ...         _ = partial.write_text("1 2 3")
    ...     path.read_text()
    '1 2 3'
    """
    if not can_name_a_file(path):
        raise IsADirectoryError(errno.EISDIR, "no name of a file", str(path))
    partial = path.with_name(f"{path.name}.{secrets.token_hex(8)}.partial")  # threads and processes may write at once
    try:
        yield partial
        partial.replace(path)
    except OSError as error:
        if error.filename == str(partial):
            error.filename = str(path)
        raise
    finally:
        partial.unlink(missing_ok=True)


def can_name_a_file(path: Path) -> bool:
    """Check that a path has a name, no null character, and no lone surrogate that bytes cannot stand for."""
    try:
        return bool(path.name) and b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False
