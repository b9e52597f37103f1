"""Order of instructions: the one in which a processor that looks ahead would issue them.

Processors look some hundred instructions ahead for those whose operands are there. In recorded order, chains of
dependent instructions such as the articulated bodies of a limb fill that view. Measured in batches of eight lanes:
forward dynamics takes 6 to 10 % less time; for one state, some programs gain as much and others lose more, so they keep
the recorded order. Instructions stay the same, so that bits do; checks and calls, of which the first that fails gives
the status, keep their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Final, final

import attrs

from rbd.native.codegen.inlining import with_moved_operands
from rbd.program.opcodes import Op, operands_of
from rbd.program.program import Program

_LOOKAHEADS: Final = {8: 256}
_SHORT_LOOKAHEAD: Final = 16
"""Instructions between the oldest one that waits and the last one in view, by lanes.

A longer one keeps more values. Eight lanes have 32 registers: 128 to 1024 are alike. Four have 16, and what is in none
is stored and loaded: for dynamics of a humanoid and steps with contact 256 take 5 % more time than 16, and 8 to
32 are alike.
"""
_PER_CYCLE: Final = 2
_CYCLES: Final[dict[int, int]] = {Op.DIV: 20, Op.SQRT: 20, Op.SIN: 0, Op.COS: 0, Op.CALL: 0, Op.PICK: 0}
"""Cycles until a result is there; sines are computed before, calls at once."""
_OTHER_CYCLES: Final = 4


def in_issue_order(program: Program, lanes: int) -> Program:
    """Return an equivalent program whose instructions are in the order of their issue."""
    return reordered(program, _Processor(program, lookahead(lanes)).order())


def lookahead(lanes: int) -> int:
    """Return the number of instructions that a processor with vectors of `lanes` numbers looks ahead."""
    return _LOOKAHEADS.get(lanes, _SHORT_LOOKAHEAD)


def reordered(program: Program, order: Sequence[int]) -> Program:
    """Return a program with its instructions in another order; all come after their operands."""
    input_size = program.input_size
    moved = {k: k for k in range(input_size)} | {input_size + old: input_size + new for new, old in enumerate(order)}
    code = tuple(with_moved_operands(program.code[index], moved) for index in order)
    results = tuple(moved[r] if r >= 0 else r for r in program.results)
    return attrs.evolve(program, code=code, results=results)


@final
class _Processor:
    """A processor that issues, in every cycle, the oldest instructions in view whose operands are there."""

    def __init__(self, program: Program, lookahead: int) -> None:
        self._code, self._lookahead = program.code, lookahead
        self._users, self._missing = _dependencies(program)
        self._ready_at = [0] * len(self._code)
        self._is_issued = bytearray(len(self._code))
        self._waiting, self._ready = list[tuple[int, int]](), list[int]()
        self._oldest = self._viewed = 0

    def order(self) -> list[int]:
        """Return the instructions as they are issued."""
        order, cycle = list[int](), 0
        while len(order) < len(self._code):
            self._look_ahead()
            while self._waiting and self._waiting[0][0] <= cycle:
                heappush(self._ready, heappop(self._waiting)[1])
            for _ in range(min(_PER_CYCLE, len(self._ready))):
                order.append(heappop(self._ready))
                self._issue(order[-1], cycle)
            cycle += 1
        return order

    def _look_ahead(self) -> None:
        """Let the processor see the instructions behind those that it has issued."""
        while self._oldest < len(self._code) and self._is_issued[self._oldest]:
            self._oldest += 1
        stop = min(len(self._code), self._oldest + self._lookahead)
        for index in range(self._viewed, stop):
            if not self._missing[index]:
                heappush(self._waiting, (self._ready_at[index], index))
        self._viewed = max(self._viewed, stop)

    def _issue(self, index: int, cycle: int) -> None:
        """Issue an instruction; those that have waited for it know when they are ready."""
        self._is_issued[index] = True
        there, ready_at, missing = (
            cycle + _CYCLES.get(self._code[index][0], _OTHER_CYCLES),
            self._ready_at,
            self._missing,
        )
        for user in self._users[index]:
            missing[user] -= 1
            ready_at[user] = max(ready_at[user], there)
            if not missing[user] and user < self._viewed:
                heappush(self._waiting, (ready_at[user], user))


def _dependencies(program: Program) -> tuple[list[list[int]], list[int]]:
    """Return, per instruction, those that wait for it, and how many it waits for."""
    first, users, missing = program.input_size, [list[int]() for _ in program.code], list[int]()
    last = -1
    for index, instruction in enumerate(program.code):
        sources = {operand - first for operand in operands_of(instruction) if operand >= first}
        if instruction[0] in (Op.CALL, Op.POSITIVE):
            sources |= {last} if last >= 0 else set()
            last = index
        missing.append(len(sources))
        for source in sources:
            users[source].append(index)
    return users, missing
