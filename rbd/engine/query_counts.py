"""Counts of the queries of a live state: which are asked so often that a builtin is worth making."""

from __future__ import annotations

from typing import Final, final

import attrs

_CALLS_BEFORE_BUILTIN: Final = 16
"""Number of calls of a query after which a builtin is made for it, which takes as long as some hundred calls."""
_MAX_QUERIES: Final = 4096
"""Maximum number of queries of a state that are counted; above it, all are forgotten."""


@final
@attrs.define(eq=False)
class QueryCount:
    """How often a query was asked; keeps alive the places whose identities are its key."""

    places: object
    count: int = 0
    built_at: int = -1
    """The version of the parameters at which its builtin was made."""

    def is_due(self, version: int) -> bool:
        """Return whether a builtin is worth making, for parameters of this version."""
        return self.count >= _CALLS_BEFORE_BUILTIN and self.built_at != version


@final
class QueryCounts:
    """The counts of all queries of one state."""

    def __init__(self) -> None:
        """Start without queries."""
        self._counts: dict[object, QueryCount] = {}

    @property
    def is_full(self) -> bool:
        """Whether no further query is counted."""
        return len(self._counts) >= _MAX_QUERIES

    def clear(self) -> None:
        """Forget all queries."""
        self._counts.clear()

    def counted(self, key: object, places: object) -> QueryCount:
        """Return the count of a query, with this call of it."""
        count = self._counts.setdefault(key, QueryCount(places))
        count.count += 1
        return count
