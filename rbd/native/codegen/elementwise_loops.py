"""Vectorisation of innermost loops over contiguous entries.

Such a loop applies the same operations to each entry, so its bits do not depend on the vector width, unless the result
of one entry is an operand of another. A test before the loop compares the addresses that it reads and writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import final

from rbd.intrinsics.tree import Arithmetic, BuiltinCall, Expression, For, Load, Name, Negate, Number, Store
from rbd.native.codegen.arithmetic import write_operation
from rbd.native.codegen.expressions import Values
from rbd.native.codegen.ir import Lanes, Writer
from rbd.program.opcodes import LANGUAGE_WORDS

_UNLIKELY = '!prof !{!"branch_weights", i32 1, i32 99}'
"""Branch weights that place the vector loop out of line: short loops then take fewer jumps."""
_BYTES = 8
"""Size of a double."""


def strip_widths(most: int) -> list[int]:
    """Return the vector widths of a loop: `most`, then halves for the remainder."""
    return [most >> k for k in range(most.bit_length() - 1)]


def is_strip(loop: For) -> bool:
    """Return whether a loop is elementwise: it only stores entries computed from entries at the same offset."""
    stores = [statement for statement in loop.body if isinstance(statement, Store)]
    return (
        loop.step == 1
        and 0 < len(stores) == len(loop.body)
        and all(_stores_elementwise(s, loop.variable) for s in stores)
    )


def _stores_elementwise(store: Store, variable: str) -> bool:
    is_float = store.value.kind == "float"
    return is_float and _is_offset_of(store.index, variable) and _is_elementwise(store.value, variable)


def _is_elementwise(node: Expression, variable: str) -> bool:
    match node:
        case Number() | Name():
            return True
        case Load(index=index):
            return _is_offset_of(index, variable)
        case Negate(operand):
            return _is_elementwise(operand, variable)
        case Arithmetic(left=left, right=right):
            return _is_elementwise(left, variable) and _is_elementwise(right, variable)
        case BuiltinCall(name, arguments):
            return name != "float" and all(_is_elementwise(argument, variable) for argument in arguments)
        case _:
            return False


def _is_offset_of(index: Expression, variable: str) -> bool:
    """Return whether an index is the variable plus a loop invariant."""
    match index:
        case Name(name):
            return name == variable
        case Arithmetic("+", left, right):
            pairs = ((left, right), (right, left))
            return any(_is_offset_of(one, variable) and _is_invariant(other, variable) for one, other in pairs)
        case Arithmetic("-", left, right):
            return _is_offset_of(left, variable) and _is_invariant(right, variable)
        case _:
            return False


def _is_invariant(index: Expression, variable: str) -> bool:
    match index:
        case Number():
            return True
        case Name(name):
            return name != variable
        case Negate(operand):
            return _is_invariant(operand, variable)
        case Arithmetic(left=left, right=right):
            return _is_invariant(left, variable) and _is_invariant(right, variable)
        case _:
            return False


def _leaves(node: Expression) -> Iterator[Load | Name]:
    """Yield the entries and variables of an expression."""
    match node:
        case Load() | Name():
            yield node
        case Negate(operand):
            yield from _leaves(operand)
        case Arithmetic(left=left, right=right):
            yield from _leaves(left)
            yield from _leaves(right)
        case BuiltinCall(arguments=arguments):
            for argument in arguments:
                yield from _leaves(argument)
        case _:
            pass


Access = tuple[str, Expression]
"""An array and an index."""


@final
class StripWriter:
    """Writes the vector part of one loop; the scalar loop does the remainder."""

    def __init__(self, w: Writer, loop: For, values: Values, written: Callable[[Expression, Values], str]) -> None:
        """Write for `loop`; `written` writes an expression of ints with given values."""
        self.w, self.loop, self.values, self.written = w, loop, values, written
        stores = [statement for statement in loop.body if isinstance(statement, Store)]
        leaves = [leaf for store in stores for leaf in _leaves(store.value)]
        targets: list[Access] = [(store.array, store.index) for store in stores]
        sources: list[Access] = [(leaf.array, leaf.index) for leaf in leaves if isinstance(leaf, Load)]
        self.stores, self.targets = stores, list(dict.fromkeys(targets))
        self.accesses = list(dict.fromkeys([*targets, *sources]))
        self.names = list(dict.fromkeys(leaf.name for leaf in leaves if isinstance(leaf, Name)))
        self.bases: dict[Access, str] = {}

    def write(self, start: str, stop: str, most: int) -> str:
        """Write the vector loops; return the value of the variable after them.

        Loops of fewer than `most` entries jump to that block directly: the set-up would take longer.
        """
        entry, strips, rest = self.w.block, self.w.fresh_label(), self.w.fresh_label()
        enough = self.w.test(f"sge i64 {self.w.assign(f'sub i64 {stop}, {start}')}, {most}")
        self.w.add(f"  br i1 {enough}, label %{strips}, label %{rest}, {_UNLIKELY}")
        self.w.begin_block(strips)
        self._base_pointers()
        last, at = self._vector_end(start, stop, most), start
        for width in strip_widths(most):
            at = self._strips(at, last, Lanes(width))
        block = self.w.block
        self.w.jump(rest)
        self.w.begin_block(rest)
        return self.w.assign(f"phi i64 [{start}, %{entry}], [{at}, %{block}]")

    def _base_pointers(self) -> None:
        """Write the addresses of all accessed entries for a variable of zero."""
        at_zero = {**self.values, self.loop.variable: "0"}
        for array, index in self.accesses:
            offset = self.written(index, at_zero)
            self.bases[array, index] = self.w.assign(f"getelementptr double, ptr {self.values[array]}, i64 {offset}")

    def _vector_end(self, start: str, stop: str, most: int) -> str:
        """Return the end of the vector loops: `stop`, or `start` if a store overlaps another access."""
        last, addresses = stop, dict[Access, str]()
        for k, target in enumerate(self.targets):
            for other in [*self.targets[k + 1 :], *(access for access in self.accesses if access not in self.targets)]:
                for access in (target, other):
                    if access not in addresses:
                        addresses[access] = self.w.assign(f"ptrtoint ptr {self.bases[access]} to i64")
                distance = self.w.assign(f"sub i64 {addresses[target]}, {addresses[other]}")
                moved = self.w.assign(f"add i64 {distance}, {_BYTES * most - 1}")
                near = self.w.test(f"ult i64 {moved}, {2 * _BYTES * most - 1}")
                differ = self.w.test(f"ne i64 {distance}, 0")
                close = self.w.all_of(near, differ)
                last = self.w.select("i64", close, start, last)
        return last

    def _strips(self, start: str, last: str, lanes: Lanes) -> str:
        """Write the vector loop of one width; return the first entry that it leaves."""
        splats = {name: self.w.splat(lanes, self.values[name]) for name in self.names}

        def strip(at: str) -> None:
            for store in self.stores:
                value = self._value(store.value, at, splats, lanes)
                self.w.store(lanes.double, value, self.w.address(self.bases[store.array, store.index], at))

        return self.w.for_each_group(start, last, lanes.width, strip)

    def _value(self, node: Expression, at: str, splats: Values, lanes: Lanes) -> str:
        match node:
            case Number(number):
                return lanes.double_constant(float(number))
            case Name(name):
                return splats[name]
            case Load(array, index):
                return self.w.load(lanes.double, self.w.address(self.bases[array, index], at))
            case Negate(operand):
                return self.w.assign(f"fneg {lanes.double} {self._value(operand, at, splats, lanes)}")
            case Arithmetic(operator, left, right):
                sides = [self._value(side, at, splats, lanes) for side in (left, right)]
                return write_operation(self.w, lanes, LANGUAGE_WORDS[operator], sides)
            case BuiltinCall(word, arguments):
                values = [self._value(argument, at, splats, lanes) for argument in arguments]
                return write_operation(self.w, lanes, LANGUAGE_WORDS[word], values)
            case _:
                raise AssertionError("not an expression of an elementwise loop")
