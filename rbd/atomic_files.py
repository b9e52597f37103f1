"""Atomic replacement of files: a file is complete, or as it was before."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from rbd.arguments import is_path_text


@contextmanager
def replaced_file(path: Path) -> Generator[Path, None, None]:
    """Yield the path of a temporary file in the same folder, which replaces `path` unless an exception is raised.

    The new file has the permissions of the old one. A symbolic link stays, and what it points to is replaced. Devices
    and pipes stay, too: `path` itself is yielded.

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
    if path.exists() and not (path.is_file() or path.is_dir()):
        yield path
        return
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    # Threads and processes write at once. Names have at most 255 bytes; a character has at most four.
    partial = target.with_name(f"{target.name[:50]}.{secrets.token_hex(8)}.partial")
    try:
        yield partial
        _copy_mode(target, partial)
        partial.replace(target)
    except OSError as error:
        if error.filename == str(partial):
            error.filename = str(path)
        raise
    finally:
        with suppress(OSError):  # there is none, or its folder is no folder
            partial.unlink()


def _copy_mode(target: Path, partial: Path) -> None:
    """Give a new file the permissions of the file that it replaces, if there is one and the file system has them."""
    with suppress(OSError):  # file systems without permissions raise errors of several kinds
        partial.chmod(stat.S_IMODE(target.stat().st_mode))


def can_name_a_file(path: Path) -> bool:
    """Return whether a path has a name, no null character, and no lone surrogate that bytes cannot stand for."""
    return bool(path.name) and is_path_text(str(path))
