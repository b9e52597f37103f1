"""Inlining of intrinsics into the instructions of a program, for batches.

In batches lanes fill the registers, so loops over columns gain nothing; inlined, operations with structural zeros are
omitted. The instructions are those of the intrinsic in the same order, so the bits are the same if all numbers are
finite; a structural zero times infinity is omitted, too. An omitted term could have changed -0 to 0: such an intrinsic
adds `+ 0.0` to every number it stores.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias, cast, final

import attrs

from rbd.errors import ScalarError
from rbd.intrinsics.intrinsic import IntrinsicCall
from rbd.program.opcodes import WITH_IMMEDIATE, Op, operands_of
from rbd.program.program import Program

MAX_INLINED_MULTIPLY_ADDS: Final = 100_000
"""Maximum number of multiply-adds of an inlined call; a larger one runs all lanes together."""


def inline_calls(program: Program) -> Program:
    """Return an equivalent program with small calls inlined."""
    if not any(map(_is_small, program.calls)):
        return program
    return _Inliner(program).program()


def _is_small(call: IntrinsicCall) -> bool:
    is_inlined = call.intrinsic.inlined and call.intrinsic.has_uniform_control_flow
    return is_inlined and call.operations <= 2 * MAX_INLINED_MULTIPLY_ADDS


@final
class _Inliner:
    """Copies a program, instruction by instruction."""

    def __init__(self, program: Program) -> None:
        self.old, self.first = program, program.input_size
        self.code: list[tuple[int, ...]] = []
        self.calls: list[IntrinsicCall] = []
        self.constants = [*program.constants, 0.0]
        self.zero = ~len(program.constants)
        self.copied = list(range(self.first))
        self.stored: dict[int, list[int]] = {}
        """Operands of the outputs of an inlined call, by its position."""

    def program(self) -> Program:
        """Return the copy."""
        for position, instruction in enumerate(self.old.code, start=self.first):
            self.copied.append(self._copied(position, instruction))
        results = [self._moved_operand(r) for r in self.old.results]
        code, moved = self._needed(results)
        return attrs.evolve(
            self.old,
            constants=tuple(self.constants),
            code=code,
            calls=tuple(self.calls),
            results=tuple(moved[r] if r >= 0 else r for r in results),
        )

    def add(self, op: Op, *operands: int) -> Value:
        """Add an instruction; return its result."""
        self.code.append((int(op), *operands))
        return Value(self, self.first + len(self.code) - 1)

    def operand(self, x: float | Value) -> int:
        """Return the operand of a result, or of zero, the only constant that such an intrinsic may store."""
        if not isinstance(x, Value) and x != 0.0:
            raise ScalarError(f"batches cannot write out {x!r}", scalar=x)
        return x.operand if isinstance(x, Value) else self.zero

    def _moved_operand(self, operand: int) -> int:
        return self.copied[operand] if operand >= 0 else operand

    def _copied(self, position: int, instruction: tuple[int, ...]) -> int:
        """Copy an instruction; return the operand of its result."""
        op = instruction[0]
        if op == Op.CALL and _is_small(self.old.calls[instruction[1]]):
            self.stored[position] = self._inlined(instruction)
            return -1  # only picks refer to it
        if op == Op.PICK and instruction[1] in self.stored:
            return self.stored[instruction[1]][instruction[2]]
        moved = tuple(self._moved_operand(r) for r in operands_of(instruction))
        if op == Op.CALL:
            self.calls.append(self.old.calls[instruction[1]])
            moved = (len(self.calls) - 1, *moved)
        elif op in WITH_IMMEDIATE:
            moved = (*moved, instruction[2])
        self.code.append((op, *moved))
        return self.first + len(self.code) - 1

    def _inlined(self, instruction: tuple[int, ...]) -> list[int]:
        """Run an intrinsic on values that add instructions; return the operands of its outputs."""
        call = self.old.calls[instruction[1]]
        operands = [Value(self, self._moved_operand(r)) for r in operands_of(instruction)]
        outputs, _ = call.intrinsic.run_on_floats(call.sizes, cast("Any", operands))
        return [self.operand(x) for x in outputs]

    def _needed(self, results: list[int]) -> tuple[tuple[tuple[int, ...], ...], dict[int, int]]:
        """Return the instructions that results need or that may fail, and the new operands by the old ones."""
        needed = {r for r in results if r >= self.first}
        for position in reversed(range(self.first, self.first + len(self.code))):
            instruction = self.code[position - self.first]
            if self._may_fail(instruction):
                needed.add(position)
            if position in needed:
                needed.update(r for r in operands_of(instruction) if r >= self.first)
        moved = {k: k for k in range(self.first)}
        kept: list[tuple[int, ...]] = []
        for position in sorted(needed):
            moved[position] = self.first + len(kept)
            kept.append(with_moved_operands(self.code[position - self.first], moved))
        return tuple(kept), moved

    def _may_fail(self, instruction: tuple[int, ...]) -> bool:
        op = instruction[0]
        return op == Op.POSITIVE or (op == Op.CALL and self.calls[instruction[1]].label_count > 0)


def with_moved_operands(instruction: tuple[int, ...], new_operands: Mapping[int, int]) -> tuple[int, ...]:
    """Return an instruction with new operands by the old ones; constants stay."""
    operands = operands_of(instruction)
    start = 2 if instruction[0] == Op.CALL else 1
    moved = tuple(new_operands[r] if r >= 0 else r for r in operands)
    return (*instruction[:start], *moved, *instruction[start + len(operands) :])


@final
@attrs.frozen(eq=False)
class Value:
    """A result of the program; arithmetic with it adds instructions. The float 0.0 is a structural zero."""

    to: _Inliner
    operand: int

    def __neg__(self) -> NegatedValue:
        return NegatedValue(self)

    def __mul__(self, other: Factor) -> PendingProduct | float:
        if isinstance(other, NegatedValue):
            return other * self
        return PendingProduct(Op.FMA, self, other) if isinstance(other, Value) else 0.0

    __rmul__ = __mul__

    def __add__(self, zero: float) -> Value:
        return self.to.add(Op.ADD, self.operand, self.to.operand(zero))

    def __radd__(self, product: float) -> Value:
        """Add a product that is a structural zero."""
        return self


@final
@attrs.frozen(eq=False)
class NegatedValue:
    """-x, as a factor."""

    of: Value

    def __mul__(self, other: Factor) -> PendingProduct | float:
        if isinstance(other, NegatedValue):
            return self.of * other.of
        return PendingProduct(Op.FNMA, self.of, other) if isinstance(other, Value) else 0.0


@final
@attrs.frozen(eq=False)
class PendingProduct:
    """A product, for a fused multiply-add."""

    op: Op
    one: Value
    other: Value

    def __add__(self, addend: ValueOrZero) -> Value:
        return self.one.to.add(self.op, self.one.operand, self.other.operand, self.one.to.operand(addend))


ValueOrZero: TypeAlias = Value | float
"""A result, or 0.0 for a structural zero."""

Factor: TypeAlias = Value | NegatedValue | float
