"""Programs of rbd's own algorithms on disk: found with all that is needed to run their machine code, or recorded.

What others wrote is recorded in every process; its machine code is found by the digest of the program.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from pathlib import Path

from rbd import native
from rbd.errors import StaleStateError
from rbd.mechanism import Mechanism
from rbd.program.outline import Source
from rbd.program.program import Program
from rbd.state.fingerprint import fingerprint

PACKAGE = Path(__file__).parents[1]
"""Where rbd's sources are."""


def recorded_or_found(mechanism: Mechanism, what: str, record: Callable[[Mechanism], Program]) -> Source:
    """Return the program that `record` makes for `mechanism`, without calling it if it was recorded before.

    `what` names an algorithm of rbd with all its options: together with the mechanism as it is now it must determine
    the program. Programs with anything in them that is not rbd's own must not come here. A program that was found is
    recorded when somebody asks for it; that raises StaleStateError if the mechanism was edited since, or is gone. The
    source does not keep the mechanism alive, if `record` does not.
    """
    key = source_key(mechanism, what)
    source = found_source(mechanism, key, what, record)
    if source is None:
        source = Source.of(record(mechanism))
        keep_source(key, source)
    return source


def keep_source(key: str | None, source: Source) -> None:
    """Let other processes find a program."""
    if key is not None:
        native.keep_outline(key, source.outline)


def found_source(
    mechanism: Mechanism, key: str | None, what: str, record: Callable[[Mechanism], Program]
) -> Source | None:
    """Return the program that `record` makes for `mechanism` if it was recorded before, as `recorded_or_found` does."""
    outline = None if key is None else native.find_outline(key)
    return None if outline is None else Source(outline, _while_unchanged(mechanism, what, record))


def source_key(mechanism: Mechanism, what: str) -> str | None:
    """Return what an outline is kept under; None where nothing may be kept, or could be."""
    if not native.keeps_outlines():
        return None
    mine, sources = fingerprint(mechanism), native.sources_digest(PACKAGE)
    if mine is None or sources is None:
        return None
    return "|".join((native.platform_key(), sources, mine, what))


def _while_unchanged(mechanism: Mechanism, what: str, record: Callable[[Mechanism], Program]) -> Callable[[], Program]:
    """Return what records `mechanism` only while it is what was found."""
    found, reference = fingerprint(mechanism), weakref.ref(mechanism)

    def guarded() -> Program:
        present = reference()
        now = None if present is None else fingerprint(present)
        if present is None or now != found:
            raise StaleStateError(
                f"{what}: the machine code was found on disk; to record it, the mechanism must be as it was then",
                made_with=found,
                now=now,
            )
        return record(present)

    return guarded
