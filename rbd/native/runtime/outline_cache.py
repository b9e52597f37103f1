"""Disk cache of outlines of programs, which finds machine code without recording.

A key contains everything that the program depends on: the algorithm with its data and options, the sources
(`sources.py`), and the interpreter and its libraries (`platform_key`). Outlines are entries of the disk cache;
nothing in them is executed.
"""

from __future__ import annotations

import functools
import json
import os
import platform
import sys
from typing import Any, Final

import numpy as np

from rbd.intrinsics.intrinsic import INTRINSICS, IntrinsicCall
from rbd.native.runtime import cache
from rbd.program.outline import Outline
from rbd.program.ports import Port

_FORMAT: Final = 2


def load(key: str) -> Outline | None:
    """Return the outline stored under `key`, or None if there is no valid entry."""
    content = cache.load(entry_key(key))
    return None if content is None else _parsed(content)


def store(key: str, outline: Outline) -> None:
    """Store an outline under `key`, if there is a cache folder."""
    ports = [[[port.name, port.shape] for port in ports] for ports in (outline.inputs, outline.outputs)]
    calls = [[c.intrinsic.name, c.sizes, c.first_label, c.label_count] for c in outline.calls]
    content = [outline.name, *ports, outline.labels, outline.digest, calls, outline.instructions]
    cache.store(entry_key(key), json.dumps(content).encode())


def entry_key(key: str) -> str:
    """Return the key of an outline in the disk cache."""
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


def _call(name: str, sizes: list[int], first: int, count: int) -> IntrinsicCall:
    """Return a call; raise KeyError if its intrinsic is unknown."""
    return IntrinsicCall(INTRINSICS[name], tuple(map(int, sizes)), int(first), int(count))


# ---------------------------------------------------------------- what every key must contain


@functools.cache
def platform_key() -> str:
    """Return the versions of the interpreter and its libraries, which compute constants during recordings."""
    library = os.confstr("CS_GNU_LIBC_VERSION") if "CS_GNU_LIBC_VERSION" in getattr(os, "confstr_names", {}) else None
    system = library or platform.platform()
    return "|".join((sys.version, np.__version__, sys.platform, platform.machine(), system))
