"""Contexts of builtins: structures of words that machine code reads, and the objects that the words refer to."""

from __future__ import annotations

import ctypes
import functools
from array import array
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple, Self, TypeAlias, final

import attrs

from rbd.native.builtins.context_ir import COPIED, GUARD
from rbd.native.builtins.records import record_words, require_names
from rbd.native.runtime import abi
from rbd.scalars.arrays import Array

NO_ARGUMENTS: Final = 0x04
ONE_ARGUMENT: Final = 0x08
FAST: Final = 0x80
FAST_WITH_KEYWORDS: Final = FAST | 0x02
"""Flags of `MethodDefinition`: how the interpreter passes the arguments of a call."""


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


@final
class StateWords(NamedTuple):
    """The words of a live state."""

    owner: Word
    """Holds the thread that may call."""
    q_version: Word
    v_version: Word

    def addresses(self) -> dict[str, int]:
        """Return the addresses of all words, by name."""
        return {name: word.address for name, word in self._asdict().items()}


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
    references: tuple[object, ...]
    next_overload: int | None
    """Address of the word with the next context; only of builtins with parameters."""

    @classmethod
    def of(cls, **words: int | None) -> Self:
        """Return a context; raises KeyError unless the words have their names, which ctypes does not check."""
        require_names({name for name, *_ in cls._fields_}, words)
        return cls(**words)

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


def word_table(words: Sequence[int]) -> Table:
    """Return words in memory."""
    return (ctypes.c_int64 * max(len(words), 1))(*words)


def address_table(arrays: Sequence[Array | None]) -> Table:
    """Return the addresses of arrays; null for None."""
    return word_table([0 if each is None else abi.data_address(each) for each in arrays])


def guard_table(guards: Guards) -> Table:
    """Return a table of `GUARD`."""
    records = (record_words(GUARD, address=word.address, expected=expected) for word, expected in guards)
    return word_table(list(chain.from_iterable(records)))


def copy_table(copies: Copies) -> Table:
    """Return a table of `COPIED`."""
    records = (
        record_words(COPIED, source=abi.data_address(source), target=abi.data_address(target), bytes=source.nbytes)
        for source, target in copies
    )
    return word_table(list(chain.from_iterable(records)))
