"""Disk cache of outlines of programs, which finds machine code without recording.

A key contains everything that the program depends on: the algorithm with its data and options, the sources
(`sources_digest`), and the interpreter and its libraries (`platform_key`). Outlines are entries of the object cache;
nothing in them is executed.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from rbd.intrinsics.intrinsic import TABLE, IntrinsicCall
from rbd.native.runtime import LOADED, cache
from rbd.program.outline import Outline
from rbd.program.program import Port

_FORMAT: Final = 2


def load(key: str) -> Outline | None:
    """Return the outline stored under `key`, or None if there is no valid entry."""
    content = cache.load(entry(key))
    return None if content is None else _parsed(content)


def store(key: str, outline: Outline) -> None:
    """Store an outline under `key`, if there is a cache folder."""
    ports = [[[port.name, port.shape] for port in ports] for ports in (outline.inputs, outline.outputs)]
    calls = [[c.intrinsic.name, c.sizes, c.first_label, c.label_count] for c in outline.calls]
    content = [outline.name, *ports, outline.labels, outline.digest, calls, outline.instructions]
    cache.store(entry(key), json.dumps(content).encode())


def entry(key: str) -> str:
    """Return the key of an outline in the object cache."""
    return f"index {_FORMAT}|{key}"


def _parsed(content: bytes) -> Outline | None:
    """Return the outline in an entry, or None if the entry is invalid."""
    try:
        name, inputs, outputs, labels, digest, calls, count = json.loads(content)
        ports, texts = (_ports(inputs), _ports(outputs)), tuple(map(str, labels))
        return Outline(str(name), *ports, texts, str(digest), tuple(_call(*c) for c in calls), int(count))
    except (ValueError, TypeError, KeyError):
        return None


def _ports(content: Any) -> tuple[Port, ...]:
    return tuple(Port(str(name), tuple(map(int, shape))) for name, shape in content)


# ---------------------------------------------------------------- what every key must contain


@functools.cache
def platform_key() -> str:
    """Return the versions of the interpreter and its libraries, which compute constants during recordings."""
    library = os.confstr("CS_GNU_LIBC_VERSION") if "CS_GNU_LIBC_VERSION" in getattr(os, "confstr_names", {}) else None
    system = library or platform.platform()
    return "|".join((sys.version, np.__version__, sys.platform, platform.machine(), system))


@functools.cache
def sources_digest(folder: Path) -> str | None:
    """Return a hash over all Python files below `folder`, read once per process.

    None if there are none, or if one has changed since this process started: recordings of the loaded code must not be
    found under a key of the changed files.
    """
    digest, count = hashlib.sha256(), 0
    try:
        for inside, path in python_files(str(folder)):
            content = _unchanged(path)
            if content is None:
                return None
            name = inside.encode(errors="surrogateescape")
            digest.update(b"%d %d %b%b" % (len(name), len(content), name, content))
            count += 1
    except OSError:
        return None
    return digest.hexdigest() if count else None


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


def _unchanged(path: str) -> bytes | None:
    """Return the content of a file, or None if it is newer than this process. System calls take half the time."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        status = os.fstat(handle)
        changed = status.st_mtime if sys.platform == "win32" else status.st_ctime
        if changed > LOADED or not stat.S_ISREG(status.st_mode):
            return None
        content = os.read(handle, status.st_size + 1)
        return content if len(content) == status.st_size else None
    finally:
        os.close(handle)


def _call(name: str, sizes: list[int], first: int, count: int) -> IntrinsicCall:
    """Return a call; raise KeyError if its intrinsic is unknown."""
    return IntrinsicCall(TABLE[name], tuple(map(int, sizes)), int(first), int(count))
