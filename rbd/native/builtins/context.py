"""Contexts of builtins: structures of words that machine code reads, and the objects that the words refer to."""

from __future__ import annotations

import ctypes
import functools
from array import array
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, final

import attrs

from rbd.native.builtins.ir_parts import is_number
from rbd.native.runtime import abi
from rbd.scalars.arrays import Array

NO_ARGUMENTS: Final = 0x04
FAST_WITH_KEYWORDS: Final = 0x80 | 0x02


@final
@attrs.frozen(eq=False)
class Word:
    """A 64-bit word in an array that is never moved."""

    words: array[int]
    index: int

    @property
    def address(self) -> int:
        """Address of the word."""
        return self.words.buffer_info()[0] + self.index * self.words.itemsize


Guards: TypeAlias = tuple[tuple[Word, int], ...]
"""Words, and what must be in them for a builtin to run."""
Copies: TypeAlias = Sequence[tuple[Array, Array]]
"""Copies after success: from, to."""
Table: TypeAlias = "ctypes.Array[ctypes.c_int64]"


@final
class MethodDefinition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    ]


class BuiltinContext(ctypes.Structure):
    """The `self` of a builtin: the words machine code reads, and everything that must live as long."""

    definition: MethodDefinition
    kept: tuple[object, ...]
    next_overload: int | None
    """Address of the word with the next context; only of builtins with parameters."""

    def builtin(
        self, function: int, name: str, flags: int = NO_ARGUMENTS, documentation: str = ""
    ) -> Callable[..., Any]:
        """Return a new builtin with this as `self`, which runs the machine code at `function`."""
        self.definition = MethodDefinition(name.encode(), function, flags, documentation.encode() or None)
        builtin: Callable[..., Any] = _builtin_maker()(ctypes.addressof(self.definition), self, None)
        return builtin


@functools.cache
def _builtin_maker() -> Callable[..., Any]:
    """Return CPython's function that makes builtins, PyCFunction_NewEx."""
    maker = ctypes.cast(ctypes.pythonapi.PyCFunction_NewEx, ctypes.c_void_p).value or 0
    prototype = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return prototype(maker)


def context_fields(names: Sequence[str]) -> list[tuple[str, type[Any]]]:
    """Return the fields of a structure of these words."""
    return [(name, ctypes.c_int64 if is_number(name) else ctypes.c_void_p) for name in names]


def word_table(words: Sequence[int]) -> Table:
    """Return words in memory."""
    return (ctypes.c_int64 * max(len(words), 1))(*words)


def address_table(arrays: Sequence[Array | None]) -> Table:
    """Return the addresses of arrays; null for None."""
    return word_table([0 if each is None else abi.address(each) for each in arrays])


def guard_table(guards: Guards) -> Table:
    """Return pairs of an address and the word required there."""
    return word_table([x for word, expected in guards for x in (word.address, expected)])


def copy_table(copies: Copies) -> Table:
    """Return triples from, to, bytes."""
    return word_table([x for a, b in copies for x in (abi.address(a), abi.address(b), a.nbytes)])
