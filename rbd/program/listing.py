"""Listings of programs, and counts of operations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias, final

import attrs
from typing_extensions import override

from rbd.program.nodes import subscript
from rbd.program.opcodes import Op
from rbd.program.rolling import ROLLING_THRESHOLD, Loop, find_loops

if TYPE_CHECKING:
    from rbd.program.ports import Port
    from rbd.program.program import Program

OperandText: TypeAlias = Callable[[int], str]
"""The text of an operand."""


@final
@attrs.frozen
class Count:
    """Operation count of a program."""

    breakdown: dict[str, int]
    """Operations by name, as recorded: a fused multiply-add counts as a product and a sum."""
    checks: int
    """Number of checks for positive numbers; they do not count as operations."""
    instructions: int
    """Number of instructions, including checks; a fused multiply-add is one."""

    @property
    def total(self) -> int:
        """The number of operations."""
        return sum(self.breakdown.values())

    @override
    def __str__(self) -> str:
        parts = ", ".join(f"{n} {name}" for name, n in sorted(self.breakdown.items(), key=lambda item: -item[1]))
        return f"{self.total} operations in {self.instructions} instructions: {parts}"


def count(program: Program) -> Count:
    """Count the operations of a program; calls of intrinsics count their maximum number."""
    totals: Counter[str] = Counter()
    ops = Counter(Op(instruction[0]) for instruction in program.code)
    for call in program.calls:
        totals[call.intrinsic.name] += call.operations
    for op, n in ops.items():
        for name in op.row.counted:
            totals[name] += n
    return Count(dict(totals), ops[Op.POSITIVE], len(program.code))


def listing(program: Program, threshold: int = ROLLING_THRESHOLD) -> Iterator[str]:
    """Return the lines of a program: one per instruction, one per output scalar.

    Of the loops that long programs are rolled into (see `rolling.py`), the first iteration is shown.
    """
    names = [name for port in program.inputs for name in _element_names(port)]
    yield f"{program.name}: {_shapes(program.inputs)} -> {_shapes(program.outputs)}"
    yield f"  {count(program)}"

    def text_of(r: int) -> str:
        if r < 0:
            return repr(program.constants[~r])
        return names[r] if r < len(names) else f"t{r - len(names)}"

    start = 0
    for loop in find_loops(program, threshold):
        yield from _straight_lines(program, range(start, loop.first), text_of)
        yield from _loop_lines(program, loop, text_of)
        start = loop.stop
    yield from _straight_lines(program, range(start, len(program.code)), text_of)
    elements = [name for port in program.outputs for name in _element_names(port)]
    yield from (f"  {name} = {text_of(r)}" for name, r in zip(elements, program.results, strict=True))


def _straight_lines(program: Program, places: range, text_of: OperandText) -> Iterator[str]:
    for k in places:
        code, *operands = program.code[k]
        yield f"  t{k} = {_expression(program, Op(code), operands, text_of)}"


def _loop_lines(program: Program, loop: Loop, text_of: OperandText) -> Iterator[str]:
    """Return the lines of a loop: its first iteration; the others differ in operands and signs."""
    second = loop.first + loop.period
    yield f"  {loop.count} times {loop.period} instructions, t{loop.first} to t{loop.stop - 1}:"
    yield from (f"  {line}" for line in _straight_lines(program, range(loop.first, second), text_of))
    yield f"    ... and so on, from t{second}"


def _expression(program: Program, op: Op, operands: list[int], text_of: OperandText) -> str:
    if op == Op.POSITIVE:
        return op.row.listing.format(text_of(operands[0]), program.labels[operands[1]])
    if op == Op.PICK:
        return f"{text_of(operands[0])}[{operands[1]}]"
    if op == Op.CALL:
        call = program.calls[operands[0]]
        sizes = ", ".join(f"{name}={size}" for name, size in call.intrinsic.layout.sizes_by_name(call.sizes).items())
        return f"{call.intrinsic.name}[{sizes}]({', '.join(map(text_of, operands[1:]))})"
    return op.row.listing.format(*map(text_of, operands))


def _element_names(port: Port) -> list[str]:
    return [f"{port.name}{subscript(k, port.shape)}" for k in range(port.size)]


def _shapes(ports: Sequence[Port]) -> str:
    return ", ".join(f"{port.name}{list(port.shape) if port.shape else ''}" for port in ports) or "nothing"
