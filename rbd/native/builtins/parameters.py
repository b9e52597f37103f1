"""Parameters of builtins: the signature of a Python method, in which options have one value each."""

from __future__ import annotations

import ctypes
import sys
from array import array
from collections.abc import Sequence
from typing import Final, cast, final

import attrs

from rbd.native.builtins.context import BuiltinContext, Word, word_table
from rbd.native.builtins.parameters_ir import CONSTANT, INPUT, MAPPING, PARAMETER, RESULT
from rbd.native.builtins.records import record_words
from rbd.native.runtime.locks import Lock
from rbd.scalars.arrays import Array

MAX_PARAMETERS: Final = 63
"""Parameters of a builtin, each a bit of a word."""
MAX_OVERLOADS: Final = 16
"""Overloads of a method, at most."""


def _interned(name: str) -> str:
    """Return the one string of these letters; attrs would parse the signature of `sys.intern`, which is slow."""
    return sys.intern(name)


@final
@attrs.frozen(eq=False)
class CallParameter:
    """A parameter of a builtin; see `parameters_ir.py`."""

    name: str = attrs.field(converter=_interned)
    kind: int
    index: int = 0
    value: object = None
    is_required: bool = False
    is_positional: bool = False

    @classmethod
    def input(cls, name: str, index: int, default: Array | None, **flags: bool) -> CallParameter:
        """Return input `index` of the program; None stands for `default`."""
        return cls(name, INPUT, index, default, **flags)

    @classmethod
    def constant(cls, name: str, value: object, **flags: bool) -> CallParameter:
        """Return an option that has this value."""
        return cls(name, CONSTANT, 0, value, **flags)

    @classmethod
    def result(cls, name: str) -> CallParameter:
        """Return the parameter for arrays of results: one, or a tuple or list of them; None stands for new ones."""
        return cls(name, RESULT)

    @classmethod
    def mapping(cls, name: str, first: int, keys: tuple[object, ...]) -> CallParameter:
        """Return a dictionary with these keys, whose values are the inputs from `first` on."""
        return cls(name, MAPPING, first, keys, is_required=True)

    @property
    def inputs(self) -> range:
        """The inputs of the program that the parameter gives."""
        keys = cast("tuple[object, ...]", self.value) if self.kind == MAPPING else (self.name,) * (self.kind == INPUT)
        return range(self.index, self.index + len(keys))

    @property
    def words(self) -> list[int]:
        """The words for machine code."""
        value = id(self.value) if self.value is not None or self.kind == CONSTANT else 0
        return record_words(PARAMETER, name=id(self.name), kind=self.kind, index=self.index, value=value)


@final
@attrs.frozen(eq=False)
class CallSignature:
    """The parameters of a builtin, those that may be positional first, and objects of inputs that are not given."""

    parameters: Sequence[CallParameter]
    defaults: Sequence[Array | None]
    """None for inputs that must be given, and for the number of calls of a rollout, which is behind them."""

    def is_possible(self, argument_count: int) -> bool:
        """Return whether a builtin may have these parameters: they or defaults give all inputs of a program."""
        given = {k for each in self.parameters for k in each.inputs}
        given.update(k for k, each in enumerate(self.defaults) if each is not None)
        return len(self.parameters) <= MAX_PARAMETERS and given.issuperset(range(argument_count))

    def words(self, argument_count: int) -> tuple[dict[str, int], tuple[object, ...]]:
        """Return the words of a context for a program with so many inputs, and what they refer to."""
        table = word_table([word for each in self.parameters for word in each.words])
        defaults = word_table([0 if each is None else id(each) for each in self.defaults])
        positional = sum(each.is_positional for each in self.parameters)
        required = sum(1 << k for k, each in enumerate(self.parameters) if each.is_required)
        words = {
            "positional_input_count": argument_count if self._takes_inputs_by_position(argument_count) else -1,
            "parameters": ctypes.addressof(table), "parameter_count": len(self.parameters),
            "positional_count": positional, "required": required, "defaults": ctypes.addressof(defaults),
        }  # fmt: skip
        return words, (table, defaults, self)

    def _takes_inputs_by_position(self, argument_count: int) -> bool:
        """Return whether the inputs may be given by position alone."""
        kinds = [(each.kind, each.index) for each in self.parameters[:argument_count] if each.is_positional]
        rest = self.parameters[argument_count:]
        return kinds == [(INPUT, k) for k in range(argument_count)] and not any(each.is_required for each in rest)


@final
class Overloads:
    """Overloads of a method: its builtins after the first one, for other options; machine code tries them in turn."""

    def __init__(self) -> None:
        """Begin without any."""
        self._words = array("q", [0] * (MAX_OVERLOADS + 1))
        self._contexts: list[BuiltinContext] = []
        self._lock = Lock()

    @property
    def first(self) -> int:
        """The address of the word that has the first context."""
        return self._address(0)

    def append(self, context: BuiltinContext) -> None:
        """Let machine code find the context of a builtin, if there is place for one more."""
        with self._lock.inner:
            place = len(self._contexts)
            if place < MAX_OVERLOADS:
                context.next_overload = self._address(place + 1)
                self._contexts.append(context)
                self._words[place] = ctypes.addressof(context)

    def _address(self, place: int) -> int:
        return Word(self._words, place).address


def signature_words(signature: CallSignature | None, argument_count: int) -> tuple[dict[str, int], tuple[object, ...]]:
    """Return the words of a context about parameters, and what they refer to; without a signature it has none."""
    if signature is None:
        names = "parameters", "parameter_count", "positional_count", "required", "defaults"
        return {"positional_input_count": argument_count, **dict.fromkeys(names, 0)}, ()
    return signature.words(argument_count)
