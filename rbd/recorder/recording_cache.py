"""Disk cache of recorded programs of rbd's algorithms.

Functions of users are recorded in every process; their machine code is found by the digest of the program.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from pathlib import Path

from rbd import native
from rbd.errors import StaleStateError
from rbd.mechanism import Mechanism
from rbd.native.runtime import outline_cache, sources
from rbd.program.lazy_program import LazyProgram
from rbd.program.program import Program
from rbd.recorder.fingerprint import fingerprint

PACKAGE = Path(__file__).parents[1]
"""Directory of rbd's sources."""


def load_or_record(mechanism: Mechanism, description: str, record: Callable[[Mechanism], Program]) -> LazyProgram:
    """Return the program that `record` makes for `mechanism`, from the cache if it was recorded before.

    `description` names an algorithm of rbd with all its options; together with the current mechanism it must determine
    the program, so programs with code of users are not allowed. A cached program is recorded only on access to its
    operations, which raises StaleStateError if the mechanism was edited or freed. The cache does not keep the mechanism
    alive.
    """
    key = cache_key(mechanism, description)
    lazy_program = load_program(mechanism, key, description, record)
    if lazy_program is None:
        lazy_program = LazyProgram.of(record(mechanism))
        store_program(key, lazy_program)
    return lazy_program


def store_program(key: str | None, lazy_program: LazyProgram) -> None:
    """Write a program to the disk cache."""
    if key is not None:
        outline_cache.store(key, lazy_program.outline)


def load_program(
    mechanism: Mechanism, key: str | None, description: str, record: Callable[[Mechanism], Program]
) -> LazyProgram | None:
    """Return the cached program of `record` for `mechanism`, or None; see `load_or_record`."""
    outline = None if key is None else outline_cache.load(key)
    return None if outline is None else LazyProgram(outline, _guarded_by_fingerprint(mechanism, description, record))


def cache_key(mechanism: Mechanism, description: str) -> str | None:
    """Return the key of an outline in the disk cache; None if it cannot be cached."""
    if not native.keeps_outlines():
        return None
    mechanism_digest, sources_digest = fingerprint(mechanism), sources.sources_digest(PACKAGE)
    if mechanism_digest is None or sources_digest is None:
        return None
    return "|".join((outline_cache.platform_key(), sources_digest, mechanism_digest, description))


def _guarded_by_fingerprint(
    mechanism: Mechanism, description: str, record: Callable[[Mechanism], Program]
) -> Callable[[], Program]:
    """Return a function that records `mechanism` unless it was edited."""
    found, reference = fingerprint(mechanism), weakref.ref(mechanism)

    def guarded() -> Program:
        present = reference()
        now = None if present is None else fingerprint(present)
        if present is None or now != found:
            raise StaleStateError(
                f"{description}: the machine code was found on disk; "
                "to record it, the mechanism must be as it was then",
                made_with=found,
                now=now,
            )
        return record(present)

    return guarded
