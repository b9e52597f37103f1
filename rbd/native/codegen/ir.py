"""Writer of LLVM IR text: vector types of W lanes, constants, fresh names."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias, final

Write: TypeAlias = Callable[[], None]
"""Writes a part of a function."""
Carried: TypeAlias = Sequence[tuple[str, str]]
"""Types with initial values."""
Body: TypeAlias = Callable[[str, Sequence[str]], Sequence[str]]
"""Writes the body of a loop: from the index and what the iteration takes, to what it hands on."""

NARROW = 4
"""Lanes of vectors among scalar instructions. While a vector of 512 bits waits or is computed, x86 processors close a
port to all others, scalars too: sines of an arm's joints in one such vector halve the speed of its inverse dynamics."""

ALIGNMENT_BYTES: Final = 64
"""Alignment of memory: a cache line, and the widest vector register."""


def attributes(lanes: int) -> str:
    """Return the attributes of functions that use vectors of this many doubles, or of `NARROW`."""
    bits = 64 * max(lanes, NARROW)
    return f'nounwind "min-legal-vector-width"="{bits}" "prefer-vector-width"="{bits}"'


ATTRIBUTES = attributes(8)
"""Attributes of functions that use the widest vectors."""


def hexadecimal(value: float) -> str:
    """Return a double as an exact hexadecimal constant of LLVM IR."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def loop_function(name: str, arguments: str, body: Callable[[Writer, str], None], linkage: str = "internal ") -> str:
    """Return a function that runs `body` for every index below %count, one of its `arguments`."""
    w = Writer()
    w.begin_function(f"{linkage}void @{name}({arguments}) {ATTRIBUTES}")
    w.for_each("%count", lambda index: body(w, index))
    w.end_function()
    return w.text()


@final
class Lanes:
    """Types and constants for W lanes: scalars for one lane, else vectors."""

    def __init__(self, width: int) -> None:
        """Set the number of lanes."""
        self.width = width
        self.double = self._type("double")
        self.integer = self._type("i64")
        self.truth = self._type("i1")
        self.true = "true" if width == 1 else "splat (i1 true)"
        self.suffix = "f64" if width == 1 else f"v{width}f64"
        self.alignment = 8 * width

    def _type(self, element: str) -> str:
        return element if self.width == 1 else f"<{self.width} x {element}>"

    def double_constant(self, value: float) -> str:
        """Return a double in every lane."""
        text = hexadecimal(value)
        return text if self.width == 1 else f"splat (double {text})"

    def integer_constant(self, value: int) -> str:
        """Return an integer in every lane."""
        return str(value) if self.width == 1 else f"splat (i64 {value})"

    def llvm_function(self, name: str) -> str:
        """Return the name of a function of LLVM for this type, such as llvm.fma.v8f64."""
        return f"@llvm.{name}.{self.suffix}"


@final
class Writer:
    """Lines of one function, and fresh names for its values."""

    def __init__(self) -> None:
        """Begin without lines."""
        self.lines: list[str] = []
        self.block = ""
        """The label of the current block."""
        self._count = 0

    def fresh_name(self) -> str:
        """Return a fresh name."""
        self._count += 1
        return f"%t{self._count}"

    def fresh_label(self) -> str:
        """Return a fresh label; branches write it as %label."""
        self._count += 1
        return f"b{self._count}"

    def add(self, line: str) -> None:
        """Write a line."""
        self.lines.append(line)

    def assign(self, expression: str) -> str:
        """Write an instruction and return the name of its value."""
        name = self.fresh_name()
        self.lines.append(f"  {name} = {expression}")
        return name

    def address(self, pointer: str, index: int | str, kind: str = "double", *, inbounds: bool = True) -> str:
        """Write the address of element `index` from `pointer`, of an array unless not `inbounds`; return its name."""
        word = "inbounds " if inbounds else ""
        return self.assign(f"getelementptr {word}{kind}, ptr {pointer}, i64 {index}")

    def aligned(self, pointer: str) -> str:
        """Return a pointer rounded up to a cache line."""
        up = self.assign(f"add i64 {self.assign(f'ptrtoint ptr {pointer} to i64')}, {ALIGNMENT_BYTES - 1}")
        return self.assign(f"inttoptr i64 {self.assign(f'and i64 {up}, {-ALIGNMENT_BYTES}')} to ptr")

    def load(self, kind: str, pointer: str, alignment: int = 8) -> str:
        """Write a load; return the name of the value."""
        return self.assign(f"load {kind}, ptr {pointer}, align {alignment}")

    def element(self, pointer: str, index: int | str, kind: str = "ptr") -> str:
        """Write the load of element `index` from `pointer`; return the name of the value."""
        return self.load(kind, self.address(pointer, index, kind))

    def store(self, kind: str, value: str, pointer: str, alignment: int = 8) -> None:
        """Write a store."""
        self.add(f"  store {kind} {value}, ptr {pointer}, align {alignment}")

    def splat(self, lanes: Lanes, value: str, kind: str = "double") -> str:
        """Write a vector with one number in every lane; return its name."""
        if lanes.width == 1:
            return value
        vector = f"<{lanes.width} x {kind}>"
        first = self.assign(f"insertelement {vector} poison, {kind} {value}, i64 0")
        return self.assign(f"shufflevector {vector} {first}, {vector} poison, <{lanes.width} x i32> zeroinitializer")

    def any_lane(self, lanes: Lanes, mask: str) -> str:
        """Write a test whether a mask is true in any lane."""
        if lanes.width == 1:
            return mask
        bits = self.assign(f"bitcast {lanes.truth} {mask} to i{lanes.width}")
        return self.test(f"ne i{lanes.width} {bits}, 0")

    def all_lanes(self, lanes: Lanes, mask: str) -> str:
        """Write a test whether a mask is true in all lanes."""
        if lanes.width == 1:
            return mask
        bits = self.assign(f"bitcast {lanes.truth} {mask} to i{lanes.width}")
        return self.test(f"eq i{lanes.width} {bits}, -1")

    def call(self, kind: str, function: str, *arguments: str) -> str:
        """Write a call, whose arguments have their types; return the name of the result, or nothing if it is void."""
        text = f"call {kind} {function}({', '.join(arguments)})"
        if kind != "void":
            return self.assign(text)
        self.add(f"  {text}")
        return ""

    def fma(self, lanes: Lanes, *operands: str) -> str:
        """Write a fused multiply-add of three operands."""
        return self.call(lanes.double, lanes.llvm_function("fma"), *(f"{lanes.double} {each}" for each in operands))

    def test(self, comparison: str) -> str:
        """Write a comparison of integers, vectors of them, or pointers, such as `eq i64 %a, %b`; return its name."""
        return self.assign(f"icmp {comparison}")

    def is_null(self, pointer: str) -> str:
        """Write a test whether a pointer is null."""
        return self.test(f"eq ptr {pointer}, null")

    def all_of(self, first: str, *others: str) -> str:
        """Write whether all conditions hold."""
        return functools.reduce(lambda a, b: self.assign(f"and i1 {a}, {b}"), others, first)

    def any_of(self, first: str, *others: str) -> str:
        """Write whether one of the conditions holds."""
        return functools.reduce(lambda a, b: self.assign(f"or i1 {a}, {b}"), others, first)

    def negated(self, condition: str) -> str:
        """Write whether a condition does not hold."""
        return self.assign(f"xor i1 {condition}, true")

    def select(self, kind: str, condition: str, yes: int | str, no: int | str) -> str:
        """Write one of two values by a condition."""
        return self.assign(f"select i1 {condition}, {kind} {yes}, {kind} {no}")

    # --- control flow -------------------------------------------------------------------------------------------------

    def begin_function(self, head: str) -> None:
        """Begin a function with its first block; `end_function` ends it."""
        self.add(f"define {head} {{")
        self.begin_block("entry")

    def end_function(self, result: str = "void") -> None:
        """Write the return of a value with its type."""
        self.add(f"  ret {result}\n}}")

    def begin_block(self, label: str) -> None:
        """Begin a block."""
        self.block = label
        self.add(f"{label}:")

    def jump(self, label: str) -> None:
        """End the block with a jump."""
        self.add(f"  br label %{label}")

    def branch(self, condition: str, yes: str, no: str) -> None:
        """End the block with a jump to one of two blocks."""
        self.add(f"  br i1 {condition}, label %{yes}, label %{no}")

    def ret(self, result: str) -> None:
        """End the block with a return of a value with its type; code behind it needs a block of its own."""
        self.add(f"  ret {result}")
        self.block = ""

    def leave(self, label: str) -> None:
        """End the block with a jump out of all structures; code behind it needs a block of its own."""
        self.jump(label)
        self.block = ""

    def leave_if(self, condition: str, label: str) -> None:
        """Write a jump out of all structures if a condition holds."""
        following = self.fresh_label()
        self.branch(condition, label, following)
        self.begin_block(following)

    def leave_unless(self, condition: str, label: str) -> None:
        """Write a jump out of all structures unless a condition holds."""
        following = self.fresh_label()
        self.branch(condition, following, label)
        self.begin_block(following)

    def if_(self, condition: str, then: Write, otherwise: Write | None = None) -> None:
        """Write both branches of a condition: if it holds, and otherwise."""
        yes, no, after = self._labels(otherwise)
        self.branch(condition, yes, no)
        self._sides((yes, then), (no, otherwise), after=after)

    def unless(self, condition: str, then: Write, otherwise: Write | None = None) -> None:
        """Write both branches of a condition: unless it holds, which comes first in memory, and otherwise."""
        no, yes, after = self._labels(otherwise)
        self.branch(condition, yes, no)
        self._sides((no, then), (yes, otherwise), after=after)

    def _labels(self, otherwise: Write | None) -> tuple[str, str, str]:
        first, after = self.fresh_label(), self.fresh_label()
        return first, after if otherwise is None else self.fresh_label(), after

    def _sides(self, *sides: tuple[str, Write | None], after: str) -> None:
        is_reached = any(write is None for _, write in sides)
        for label, write in sides:
            if write is not None:
                self.begin_block(label)
                write()
                if self.block:  # else it has left
                    self.jump(after)
                    is_reached = True
        if is_reached:
            self.begin_block(after)

    def value_if(self, kind: str, condition: str, then: Callable[[], str], otherwise: str) -> str:
        """Write a value that is computed only if a condition holds; else it is `otherwise`."""
        inside, after, before = self.fresh_label(), self.fresh_label(), self.block
        self.branch(condition, inside, after)
        self.begin_block(inside)
        value, last = then(), self.block
        self.jump(after)
        self.begin_block(after)
        return self.assign(f"phi {kind} [{otherwise}, %{before}], [{value}, %{last}]")

    def loop(self, stop: int | str, body: Body, carried: Carried = (), *, start: str = "0", step: int = 1) -> list[str]:
        """Write a loop over the indices from `start` to before `stop`; there are none if `stop` is not above `start`.

        `carried` are types with initial values of what iterations hand on: `body` takes it with the index, and returns
        it for the next one. Returns what the last iteration hands on.
        """
        is_fixed = isinstance(stop, int) and start == "0"
        if is_fixed and int(stop) <= 0:
            return [initial for _, initial in carried]
        before, again, after = self.block, self.fresh_label(), self.fresh_label()
        if is_fixed:
            self.jump(again)
        else:
            self.branch(self.test(f"slt i64 {start}, {stop}"), again, after)
        self.begin_block(again)
        index, following, *values = [self.fresh_name() for _ in range(2 + len(carried))]
        head = len(self.lines)
        results = body(index, values)
        counted, *merged = _phis((before, self.block), [("i64", start), *carried], [following, *results])
        self.insert_values(head, [index, *values], [counted, *merged])
        self.add(f"  {following} = add i64 {index}, {step}")
        self.branch(self.test(f"slt i64 {following}, {stop}"), again, after)
        self.begin_block(after)
        return list(results) if is_fixed else list(map(self.assign, merged))

    def while_(self, condition: Callable[[], str], body: Write) -> None:
        """Write a loop that runs as long as a condition holds, which is written in front of the body."""
        before, inside, after = (self.fresh_label() for _ in range(3))
        self.jump(before)
        self.begin_block(before)
        self.branch(condition(), inside, after)
        self.begin_block(inside)
        body()
        self.jump(before)
        self.begin_block(after)

    def insert_values(self, line: int, names: Sequence[str], expressions: Sequence[str]) -> None:
        """Insert instructions before line number `line`: phi nodes, which are known only after the lines behind."""
        self.lines[line:line] = [f"  {name} = {value}" for name, value in zip(names, expressions, strict=True)]

    def for_each(self, stop: int | str, body: Callable[[str], object], *, start: str = "0", step: int = 1) -> None:
        """Write a loop that hands nothing on."""

        def iteration(index: str, _: Sequence[str]) -> Sequence[str]:
            body(index)
            return ()

        self.loop(stop, iteration, start=start, step=step)

    def for_each_group(self, start: str, stop: str, size: int, body: Callable[[str], None]) -> str:
        """Write a loop over the groups of `size` indices, a power of two, that fit; return the first index left."""
        between = self.assign(f"sub i64 {stop}, {start}")
        is_positive = self.test(f"sgt i64 {between}, 0")
        left = self.select("i64", is_positive, between, "0")
        end = self.assign(f"add i64 {start}, {self.assign(f'and i64 {left}, {-size}')}")
        self.for_each(end, body, start=start, step=size)
        return end

    def text(self) -> str:
        """Return all lines."""
        return "\n".join(self.lines) + "\n"


def _phis(blocks: tuple[str, str], carried: Carried, results: Sequence[str]) -> list[str]:
    """Return the values of which each is the initial one behind the first block, and the result behind the second."""
    before, last = blocks
    joined = zip(carried, results, strict=True)
    return [f"phi {kind} [{initial}, %{before}], [{value}, %{last}]" for (kind, initial), value in joined]
