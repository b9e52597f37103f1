"""Records: words in memory that Python writes and machine code reads by name.

The words of a record are declared once, in order, with their types in LLVM IR. A context is one record, a table is
records one after the other.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Set
from typing import Any, Final, TypeAlias, final

import attrs

from rbd.native.codegen.ir import Writer

POINTER: Final = "ptr"
INTEGER: Final = "i64"

Fields: TypeAlias = Mapping[str, str]
"""The names and types of the words of a record."""


@final
@attrs.frozen(eq=False)
class Record:
    """A record at an address in machine code."""

    w: Writer
    pointer: str
    fields: Fields

    @classmethod
    def of_table(cls, w: Writer, table: str, index: str, fields: Fields) -> Record:
        """Write the address of a record of a table."""
        return cls(w, w.address(table, w.assign(f"mul i64 {index}, {len(fields)}"), "i64"), fields)

    def address(self, name: str) -> str:
        """Write the address of a word."""
        return self.w.address(self.pointer, table_index(self.fields, 0, name), "i64")

    def __getitem__(self, name: str) -> str:
        """Write the load of a word."""
        return self.w.load(self.fields[name], self.address(name))


def require_names(names: Set[str], values: Mapping[str, object]) -> None:
    """Raise KeyError unless the values have these names, all of them."""
    if values.keys() != names:
        raise KeyError(*sorted(values.keys() ^ names))


def record_words(fields: Fields, **values: int) -> list[int]:
    """Return the words of a record in order; raises KeyError unless the values have their names."""
    require_names(fields.keys(), values)
    return [values[name] for name in fields]


def table_index(fields: Fields, record: int, name: str) -> int:
    """Return the index of a word in a table of records."""
    return len(fields) * record + list(fields).index(name)


def structure_fields(fields: Fields) -> list[tuple[str, type[Any]]]:
    """Return the fields of a ctypes structure that is this record."""
    return [(name, ctypes.c_int64 if kind == INTEGER else ctypes.c_void_p) for name, kind in fields.items()]
