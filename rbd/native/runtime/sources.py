"""Digests of source files, which keys in the disk cache contain.

Reading some hundred files takes longer than loading machine code, so that digests are entries of the cache, too, under
the names, sizes, inodes and times of the files. The system sets the time of change (ctime) of a file; an edit always
changes it, unless it comes within the resolution of the clock after the edit before.
"""

from __future__ import annotations

import functools
import hashlib
import os
import stat
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from rbd.native.runtime import IMPORT_TIME, cache

_SETTLED: Final = 2.0
"""Seconds: the coarsest resolution of times in file systems."""

_Status: TypeAlias = tuple[str, str, os.stat_result]
"""Name below the folder, path, and status of a file."""


@functools.cache
def sources_digest(folder: Path) -> str | None:
    """Return a hash over all Python files below `folder`, found once per process.

    None if there are none, or if one has changed since this process started: recordings of the loaded code must not be
    found under a key of the changed files.
    """
    try:
        files = [(inside, path, os.stat(path)) for inside, path in python_files(str(folder))]
        if not files or any(_is_newer(status) for _, _, status in files):
            return None
        key = _status_key(files)
        kept = None if key is None else cache.load(key)
        return _digest_of_contents(files, key) if kept is None else kept.decode("ascii", errors="replace")
    except OSError:
        return None


def has_sources(folder: Path) -> bool:
    """Return whether there is a Python file below `folder`; frozen and byte-compiled applications have none."""
    try:
        return any(True for _ in python_files(str(folder)))
    except OSError as error:
        return not isinstance(error, (FileNotFoundError, NotADirectoryError))


def python_files(folder: str, inside: str = "") -> Iterator[tuple[str, str]]:
    """Return the names below a folder and the paths of all its Python files, in an order that depends on names only."""
    with os.scandir(folder) as scan:
        entries = sorted((entry.name, entry.is_dir(), entry.path) for entry in scan)
    for name, is_folder, path in entries:
        if is_folder and name != "__pycache__":
            yield from python_files(path, f"{inside}{name}/")
        elif name.endswith(".py"):
            yield inside + name, path


def _is_newer(status: os.stat_result) -> bool:
    """Return whether a file is newer than this process, or no regular file."""
    changed = status.st_mtime if sys.platform == "win32" else status.st_ctime
    return changed > IMPORT_TIME or not stat.S_ISREG(status.st_mode)


def _status_key(files: Sequence[_Status]) -> str | None:
    """Return the key of a digest in the disk cache.

    None if another edit might leave the times as they are, as on Windows, which keeps no time of change, and in images
    of read-only file systems, which are made with times of their own.
    """
    if sys.platform == "win32" or max(status.st_ctime for _, _, status in files) > time.time() - _SETTLED:
        return None
    if os.statvfs(files[0][1]).f_flag & os.ST_RDONLY:
        return None
    rows = [(name, s.st_size, s.st_dev, s.st_ino, s.st_ctime_ns, s.st_mtime_ns) for name, _, s in files]
    return f"sources 1|{rows}"


def _digest_of_contents(files: Sequence[_Status], key: str | None) -> str | None:
    """Return the digest of what the files contain, and keep it under a key; None if one has changed meanwhile."""
    digest = hashlib.sha256()
    for inside, path, _ in files:
        content = _unchanged(path)
        if content is None:
            return None
        name = inside.encode(errors="surrogateescape")
        digest.update(b"%d %d %b%b" % (len(name), len(content), name, content))
    if key is not None:
        cache.store(key, digest.hexdigest().encode())
    return digest.hexdigest()


def _unchanged(path: str) -> bytes | None:
    """Return the content of a file, or None if it is newer than this process. System calls take half the time."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        status = os.fstat(handle)
        if _is_newer(status):
            return None
        content = os.read(handle, status.st_size + 1)
        return content if len(content) == status.st_size else None
    finally:
        os.close(handle)
