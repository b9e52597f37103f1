"""Atomic replacement of files: a file is complete, or as it was before."""

from __future__ import annotations

import errno
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replaced_file(path: Path) -> Generator[Path, None, None]:
    """Yield the path of a temporary file in the same folder, which replaces `path` unless an exception is raised.

    Raises IsADirectoryError, an OSError, for a path without a name, such as "".

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "numbers.txt"
    ...     with replaced_file(path) as partial:
    ...         _ = partial.write_text("1 2 3")
    ...     path.read_text()
    '1 2 3'
    """
    if not path.name or "\0" in str(path):
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
