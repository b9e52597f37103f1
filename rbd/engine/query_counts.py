"""Counts of the queries of a live state: which are asked so often that a builtin is worth making."""

from __future__ import annotations

from typing import Final, final

import attrs

from rbd.kernels.query_builtins import QueryTable

_CALLS_BEFORE_BUILTIN: Final = 16
"""Number of calls of a query after which a builtin is made for it, which takes as long as some hundred calls."""
_MAX_QUERIES: Final = 4096
"""Maximum number of queries of a state that are counted; above it, all are forgotten."""


@final
@attrs.define(eq=False)
class QueryCount:
    """Number of calls of a query; keeps alive the table and the places whose identities are its key."""

    table: QueryTable
    places: object
    count: int = 0
    built_at: int = -1
    """The version of the parameters at which its builtin was made, or found to be impossible."""

    def is_due(self, version: int) -> bool:
        """Return whether a builtin is worth making, for parameters of this version."""
        return self.count >= _CALLS_BEFORE_BUILTIN and self.built_at != version


@final
class QueryCounts:
    """The counts of all queries of one state."""

    def __init__(self) -> None:
        """Start without queries."""
        self._counts: dict[object, QueryCount] = {}

    def count_call(self, table: QueryTable, key: object, places: object) -> QueryCount:
        """Return the count of a query, with this call of it; above the maximum, forget all queries and builtins."""
        if len(self._counts) >= _MAX_QUERIES:
            self._clear()
        count = self._counts.setdefault((id(table), key), QueryCount(table, places))
        count.count += 1
        return count

    def _clear(self) -> None:
        for count in self._counts.values():
            count.table.clear()
        self._counts.clear()
