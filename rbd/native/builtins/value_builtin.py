"""Builtins that return framed values: passes fill buffers, the value is made of their numbers in machine code.

What is done in between is arithmetic on a few numbers, such as the composition of two poses; callers provide it as
functions that are run on symbols here, so that machine code does the same operations in the same order.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Iterator, Sequence
from types import MemberDescriptorType
from typing import Any, Final, final

import attrs
import numpy as np

from rbd.native.builtins.context import (
    BuiltinContext,
    Guards,
    Word,
    address_table,
    context_fields,
    guard_table,
    word_table,
)
from rbd.native.builtins.value_ir import (
    ARRAY,
    CODES,
    CONTEXT,
    COPY_NUMBERS,
    DOWN,
    EMPTY,
    INSTANCE,
    LEVELS,
    MAX_OBJECTS,
    NUMBER,
    RETURN,
    SET,
    TUPLE,
    UP,
    UPDATE,
    value_module,
)
from rbd.native.compiled_program import CompiledProgram
from rbd.native.runtime import abi
from rbd.native.runtime.jit import Library, assemble
from rbd.native.runtime.locks import once_under_compiler_lock
from rbd.scalars.arrays import Array, set_array_maker

_LENGTHS: Final = tuple(CODES.values())
_ONE_ARGUMENT: Final = 0x08
_HASHLESS_TUPLE: Final = 24
"""Where items begin in tuples that do not keep their hash, which an update would have to forget."""


@final
class PassBuffer:
    """The results of a pass, and the versions of q and v they belong to."""

    def __init__(self, compiled: CompiledProgram, inputs: Sequence[Array], *, needs_v: bool) -> None:
        """Bind the compiled program of a pass to its inputs; its results depend on q, and also on v if `needs_v`."""
        self.compiled, self.inputs = compiled, tuple(inputs)
        self.outputs = tuple(np.zeros(port.shape) for port in compiled.outline.outputs)
        self._seen = array("q", [-1, -1, int(needs_v)])
        self._tables = (address_table(self.inputs), address_table(self.outputs))
        into, out = map(ctypes.addressof, self._tables)
        self.words = compiled.compile_single().address("single"), into, out, self._seen.buffer_info()[0]
        """What machine code reads: see `value_ir.CONTEXT`."""


@final
@attrs.frozen(eq=False)
class ValuePlan:
    """Plan of a builtin of a value: the words that it executes after its passes."""

    arithmetic: Sequence[int]
    construction: Sequence[int]
    kept: tuple[object, ...]
    """Everything that the words refer to."""

    @property
    def words(self) -> list[int]:
        """All words; the object of the last call is updated where that is possible."""
        updates = self._updates() if abi.TUPLE_ITEMS == _HASHLESS_TUPLE else []
        return [*self.arithmetic, *([UPDATE, len(updates), *updates] if updates else ()), *self.construction]

    @property
    def depth(self) -> int:
        """The largest number of objects on the stack."""
        depth, most = 0, 0
        for code, *arguments in _instructions(self.construction):
            depth += 1 - (arguments[0] if code == TUPLE else arguments[1] if code == INSTANCE else 0)
            most = max(most, depth)
        return most

    def _updates(self) -> list[int]:
        """Return the words that update the numbers of an object; none where it is too deep, or itself a number."""
        stack: list[_Updates] = []
        for code, *arguments in _instructions(self.construction):
            if code in (TUPLE, INSTANCE):
                count = arguments[0] if code == TUPLE else arguments[1]
                parts, stack = stack[len(stack) - count :], stack[: len(stack) - count]
                offsets = [abi.TUPLE_ITEMS + 8 * k for k in range(count)] if code == TUPLE else arguments[2:]
                others = [] if code == TUPLE else _other_slots(arguments[0], offsets)
                stack.append(_container(parts, offsets, others))
            elif code != RETURN:
                stack.append(_leaf(code, arguments))
        words = stack[0](0)  # of a container: DOWN, its parts, UP
        return words[_UPDATE:-_UPDATE] if 0 < words[::_UPDATE].count(DOWN) < LEVELS else []


_Updates = Callable[[int], list[int]]
"""The words that update an object in a place."""
_UPDATE: Final = 4
"""Words of an update."""


def _instructions(words: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield the codes of a plan with their arguments."""
    at = 0
    while at < len(words):
        code = words[at]
        more = words[at + 2] if code == INSTANCE else words[at + 4] if code == ARRAY else 0
        yield words[at : at + _LENGTHS[code] + more]
        at += _LENGTHS[code] + more


def _leaf(code: int, arguments: Sequence[int]) -> _Updates:
    """Return the updates of a float, an array, or another object, which stays."""
    if code == NUMBER:
        return lambda offset: [SET, offset, arguments[0], 0]
    return lambda offset: [COPY_NUMBERS, offset, *arguments[:2]] if code == ARRAY else []


def _container(parts: Sequence[_Updates], offsets: Sequence[int], others: Sequence[int]) -> _Updates:
    """Return the updates of an object with parts in places; the places `others` must be empty."""
    inner = [word for part, offset in zip(parts, offsets, strict=True) for word in part(offset)]
    inner += [word for offset in others for word in (EMPTY, offset, 0, 0)] if inner else []
    return lambda offset: [DOWN, offset, 0, 0, *inner, UP, 0, 0, 0] if inner else []


def _other_slots(identity: int, offsets: Sequence[int]) -> list[int]:
    """Return the slots of all slots of a class but these; that of weak references is one."""
    kind: type[Any] = ctypes.cast(identity, ctypes.py_object).value
    slots = {offset for _, offset in _slots(kind)}
    slots.update([kind.__weakrefoffset__] if kind.__weakrefoffset__ else [])
    return sorted(slots.difference(offsets))


@final
class _PlanContext(BuiltinContext):
    """The `self` of these builtins."""

    _fields_ = context_fields(CONTEXT)


def value_builtin(
    words: tuple[Word, Word, Word], guards: Guards, buffers: Sequence[PassBuffer], plan: ValuePlan
) -> Callable[[], Any] | None:
    """Return a builtin without arguments, or None where a value is too large.

    `words` hold the thread that may call, and the versions of q and v. It returns the same value until they change, and
    NotImplemented where a guard or a program refuses or a number is not finite.
    """
    if plan.depth > MAX_OBJECTS:
        return None
    code, memo, kept_value = _code(), array("q", [-1, -1]), list[object]([None])
    of_guards = guard_table(guards)
    of_buffers, of_plan = word_table([x for each in buffers for x in each.words]), word_table(plan.words)
    context = _PlanContext(
        owner=words[0].address, q_version=words[1].address, v_version=words[2].address,
        guards=ctypes.addressof(of_guards), guard_count=len(guards),
        passes=ctypes.addressof(of_buffers), pass_count=len(buffers), words=ctypes.addressof(of_plan),
        memo=memo.buffer_info()[0], memo_list=id(kept_value),
    )  # fmt: skip
    context.kept = (code, memo, kept_value, of_guards, of_buffers, of_plan, words, guards, tuple(buffers), plan)
    return context.builtin(code.address("value"), "value")


@final
class _ArrayContext(BuiltinContext):
    """The `self` of the builtin that makes arrays of tuples."""

    _fields_ = context_fields(())


@once_under_compiler_lock
def _code() -> Library:
    """Return the code of all builtins, which is kept for good; from now on it makes arrays of framed values, too."""
    code = Library(assemble(value_module(abi.addresses())), ("value", "array"))
    context = _ArrayContext()
    context.kept = (code,)
    set_array_maker(context.builtin(code.address("array"), "array", _ONE_ARGUMENT))
    return code


def slot_offsets(value: Any) -> tuple[int, ...] | None:
    """Return the offsets of the slots of an attrs class, verified on one of its instances; None without slots."""
    offsets: list[int] = []
    kind: type[Any] = type(value)  # pyright: ignore[reportUnknownVariableType]  # mypy refuses a cast
    for field in attrs.fields(kind):
        descriptor = getattr(kind, field.name, None)
        if type(descriptor).__name__ != "member_descriptor":
            return None
        offset = abi.slot_offset(descriptor)
        in_range = 0 < offset < kind.__basicsize__
        if not in_range or ctypes.c_size_t.from_address(id(value) + offset).value != id(getattr(value, field.name)):
            return None
        offsets.append(offset)
    return tuple(offsets)


def filled_slots(value: object) -> dict[int, object]:
    """Return the objects in the slots of a value, by their offsets; without empty slots."""
    return {
        offset: descriptor.__get__(value, type(value))
        for descriptor, offset in _slots(type(value))
        if ctypes.c_size_t.from_address(id(value) + offset).value
    }


def _slots(kind: type[Any]) -> Iterator[tuple[MemberDescriptorType, int]]:
    """Yield the slots of a class and its bases, and where they are."""
    for base in kind.__mro__:
        for descriptor in vars(base).values():
            if type(descriptor) is MemberDescriptorType and descriptor.__objclass__ is base:
                yield descriptor, abi.slot_offset(descriptor)


# ---------------------------------------------------------------- arithmetic

Arithmetic = Callable[[Sequence[Any], Sequence[Any]], Sequence[Any]]
"""f(a, b) -> numbers: of two lists of numbers, by + - * only."""


@final
class _Symbol:
    """A number of a function that is being written as IR."""

    def __init__(self, lines: list[str], name: str) -> None:
        self._lines, self.name = lines, name

    def __add__(self, other: _Symbol) -> _Symbol:
        return self._new(f"fadd double {self.name}, {other.name}")

    def __sub__(self, other: _Symbol) -> _Symbol:
        return self._new(f"fsub double {self.name}, {other.name}")

    def __mul__(self, other: _Symbol) -> _Symbol:
        return self._new(f"fmul double {self.name}, {other.name}")

    def __neg__(self) -> _Symbol:
        return self._new(f"fneg double {self.name}")

    def _new(self, text: str) -> _Symbol:
        name = f"%x{len(self._lines)}"
        self._lines.append(f"  {name} = {text}")
        return _Symbol(self._lines, name)


def arithmetic_text(name: str, function: Arithmetic, first: int, second: int) -> str:
    """Return a function of three addresses as IR; it takes `first` and `second` numbers from the first two.

    No operations are fused: results have the bits that Python computes.
    """
    lines: list[str] = []

    def read(pointer: str, count: int) -> list[_Symbol]:
        symbols: list[_Symbol] = []
        for k in range(count):
            lines.append(f"  %{pointer}{k} = getelementptr double, ptr %{pointer}, i64 {k}")
            lines.append(f"  %{pointer}v{k} = load double, ptr %{pointer}{k}")
            symbols.append(_Symbol(lines, f"%{pointer}v{k}"))
        return symbols

    results = function(read("a", first), read("b", second))
    for k, x in enumerate(results):
        lines.append(f"  %to{k} = getelementptr double, ptr %to, i64 {k}")
        lines.append(f"  store double {x.name}, ptr %to{k}")
    body = "\n".join(lines)
    return f"define void @{name}(ptr %a, ptr %b, ptr %to) nounwind {{\nbegin:\n{body}\n  ret void\n}}\n"


def arithmetic_library(texts: Sequence[str], names: tuple[str, ...]) -> Library:
    """Return functions of `arithmetic_text` as machine code."""
    return Library(assemble("\n".join(texts)), names)
