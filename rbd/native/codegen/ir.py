"""Writer of LLVM IR text: vector types of W lanes, constants, fresh names."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import final

ATTRIBUTES = 'nounwind "min-legal-vector-width"="512" "prefer-vector-width"="512"'


def hexadecimal(value: float) -> str:
    """Return a double as an exact hexadecimal constant of LLVM IR."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def counted_loop_function(name: str, arguments: str, body: str) -> str:
    """Return a function of `arguments` and a count that runs `body` for every %i below the count."""
    return f"""\
define internal void @{name}({arguments}, i64 %count) {ATTRIBUTES} {{
entry:
  br label %head
head:
  %i = phi i64 [0, %entry], [%next, %body]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %body, label %done
body:
{body}  %next = add i64 %i, 1
  br label %head
done:
  ret void
}}
"""


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
        self._count = 0

    def fresh_name(self) -> str:
        """Return a fresh name."""
        self._count += 1
        return f"%t{self._count}"

    def label(self) -> str:
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

    def address(self, pointer: str, index: int | str, kind: str = "double") -> str:
        """Write the address of element `index` from `pointer`; return its name."""
        return self.assign(f"getelementptr inbounds {kind}, ptr {pointer}, i64 {index}")

    def aligned(self, pointer: str) -> str:
        """Return a pointer rounded up to a cache line."""
        up = self.assign(f"add i64 {self.assign(f'ptrtoint ptr {pointer} to i64')}, 63")
        return self.assign(f"inttoptr i64 {self.assign(f'and i64 {up}, -64')} to ptr")

    def load(self, kind: str, pointer: str, alignment: int = 8) -> str:
        """Write a load; return the name of the value."""
        return self.assign(f"load {kind}, ptr {pointer}, align {alignment}")

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
        return self.assign(f"icmp ne i{lanes.width} {bits}, 0")

    def all_lanes(self, lanes: Lanes, mask: str) -> str:
        """Write a test whether a mask is true in all lanes."""
        if lanes.width == 1:
            return mask
        bits = self.assign(f"bitcast {lanes.truth} {mask} to i{lanes.width}")
        return self.assign(f"icmp eq i{lanes.width} {bits}, -1")

    def begin_block(self, label: str) -> None:
        """Begin a block."""
        self.add(f"{label}:")

    def loop(
        self,
        count: int | str,
        body: Callable[[str, Sequence[str]], Sequence[str]],
        carried: Sequence[tuple[str, str]] = (),
    ) -> list[str]:
        """Write a loop over the indices below `count`, of which the number is known or a value.

        `carried` are types with initial values of what iterations hand on: `body` takes it with the index, and returns
        it for the next one. Returns what the last iteration hands on. The body may not begin a block of its own.
        """
        if count == 0:
            return [initial for _, initial in carried]
        before, again, after = self.label(), self.label(), self.label()
        self.add(f"  br label %{before}")
        self.begin_block(before)
        self._enter_loop(count, again, after)
        self.begin_block(again)
        index, following, values = self.fresh_name(), self.fresh_name(), [self.fresh_name() for _ in carried]
        self.add(f"  {index} = phi i64 [0, %{before}], [{following}, %{again}]")
        place = len(self.lines)
        found = body(index, values)
        merged = _phis(before, again, carried, found)
        self.lines[place:place] = [f"  {value} = {phi}" for value, phi in zip(values, merged, strict=True)]
        self.add(f"  {following} = add i64 {index}, 1")
        self.add(f"  br i1 {self.assign(f'icmp eq i64 {following}, {count}')}, label %{after}, label %{again}")
        self.begin_block(after)
        return list(found) if isinstance(count, int) else list(map(self.assign, merged))

    def _enter_loop(self, count: int | str, again: str, after: str) -> None:
        """Write the jump into a loop, or past it if its number of iterations is a value that is not positive."""
        if isinstance(count, int):
            self.add(f"  br label %{again}")
        else:
            self.add(f"  br i1 {self.assign(f'icmp sgt i64 {count}, 0')}, label %{again}, label %{after}")

    def text(self) -> str:
        """Return all lines."""
        return "\n".join(self.lines) + "\n"


def _phis(before: str, again: str, carried: Sequence[tuple[str, str]], found: Sequence[str]) -> list[str]:
    """Return the values of which each is the initial one behind `before`, and the one found behind `again`."""
    joined = zip(carried, found, strict=True)
    return [f"phi {kind} [{initial}, %{before}], [{last}, %{again}]" for (kind, initial), last in joined]
