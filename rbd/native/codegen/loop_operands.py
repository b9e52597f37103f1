"""Operands of loops: where iterations read operands, and where they store results that others use.

A result that only its own iteration uses stays in a register; any other is stored in the workspace, the results of one
iteration side by side. Operands from elsewhere have an index that is linear in the iteration, or one from a table;
constants that differ among iterations are in a table of their own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final, TypeAlias, final

import attrs
import numpy as np
from numpy.typing import NDArray

from rbd.program.opcodes import Op, operands_of
from rbd.program.program import Program
from rbd.program.rolling import Loop

_NONE: Final = np.iinfo(np.int64).min
_WIDEST: Final = 3
_SIGNS: Final[NDArray[Any]] = np.ones((max(Op) + 1, 2))
for _op in Op:
    _SIGNS[_op] = _op.row.signs or (1, 1)


@final
@attrs.frozen
class Register:
    """The result of instruction `offset` of the same iteration."""

    offset: int


@final
@attrs.frozen
class Constant:
    """One constant for all iterations."""

    value: float


@final
@attrs.frozen
class TabulatedConstant:
    """A constant for each iteration, in this column of the loop's table of constants."""

    column: int


@final
@attrs.frozen
class Strided:
    """Index `start + iteration * step`: of a workspace slot, of an entry of input port `port`, or of a label."""

    start: int
    step: int
    port: int | None = None


@final
@attrs.frozen
class Indexed:
    """An index for each iteration, in this column of the loop's table: of a workspace slot or a label."""

    column: int


Operand: TypeAlias = Register | Constant | TabulatedConstant | Strided | Indexed


@final
@attrs.frozen(eq=False)
class RolledLoop:
    """One loop with its operands and the slots of its results."""

    loop: Loop
    operands: dict[tuple[int, int], Operand]
    """By (instruction in the iteration, operand)."""
    labels: dict[int, Strided | Indexed]
    """By instruction in the iteration; of checks."""
    stored: dict[int, Strided]
    """Results that are stored in the workspace, by instruction in the iteration."""
    signs: dict[int, tuple[Constant | TabulatedConstant, Constant | TabulatedConstant]]
    """Of instructions whose signs differ among iterations: of both terms of an ADD, of product and addend of an FMA."""
    skipped: frozenset[int]
    """Instructions in the iteration that are computed before: sines and cosines of inputs."""
    table: NDArray[Any]
    constants: NDArray[Any]
    """A row for each iteration."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to compute."""
        return len(self.skipped) == self.loop.period


@final
class LoopLayout:
    """Assigns slots to the results of a program's loops, then resolves their operands."""

    def __init__(self, program: Program, loops: Sequence[Loop]) -> None:
        """Look at the operands of `program`."""
        self.program, self.loops = program, loops
        self.inputs = program.input_size
        self.operands = _operand_table(program)
        size = len(program.code)
        self.number = np.full(size, -1)
        for number, loop in enumerate(loops):
            self.number[loop.first : loop.stop] = number
        self.signs = [self._signs(loop) for loop in loops]
        self.slots = np.full(size, -1)
        self.spilled_operands: dict[int, int] = {}
        """Slots of inputs and constants that loops read from the workspace, by operand."""
        self.skipped = [self._skipped(loop) for loop in loops]

    def _signs(self, loop: Loop) -> dict[int, tuple[NDArray[Any], NDArray[Any]]]:
        """Return the signs of instructions that differ among iterations; their operands are put into one order."""
        ops = np.array([code[0] for code in self.program.code[loop.first : loop.stop]])
        by_offset = dict[int, tuple[NDArray[Any], NDArray[Any]]]()
        for offset in np.flatnonzero((ops.reshape(loop.count, -1) != ops[: loop.period]).any(axis=0)).tolist():
            mine, rows = ops[offset :: loop.period], self.operands[loop.first + offset : loop.stop : loop.period]
            swap = rows[:, 0] > rows[:, 1]
            rows[swap, :2] = rows[swap, 1::-1]
            signs = _SIGNS[mine]
            if len(Op(mine[0]).row.operand_types) == 2:  # else factors are exchanged, which have one sign together
                signs[swap] = signs[swap, ::-1]
            by_offset[offset] = signs[:, 0], signs[:, 1]
        return by_offset

    def rolled(self, index: int) -> bool:
        """Return whether instruction `index` belongs to a loop."""
        return bool(self.number[index] >= 0)

    def computed(self, index: int) -> bool:
        """Return whether instruction `index` is computed by a loop."""
        number = int(self.number[index])
        if number < 0:
            return False
        loop = self.loops[number]
        return (index - loop.first) % loop.period not in self.skipped[number]

    def _skipped(self, loop: Loop) -> frozenset[int]:
        """Return the sines and cosines of an iteration that are of inputs, in all iterations."""
        code, offsets = self.program.code, set[int]()
        for offset in range(loop.period):
            if code[loop.first + offset][0] in (Op.SIN, Op.COS):
                angles = self.operands[loop.first + offset : loop.stop : loop.period, 0]
                if ((angles >= 0) & (angles < self.inputs)).all():
                    offsets.add(offset)
        return frozenset(offsets)

    # ---------------------------------------------------------------- memory

    def assign_slots(self, start: int) -> int:
        """Assign slots from `start` on to results that cross iterations; return the next free slot."""
        needed, shared = self._needed()
        for number, loop in enumerate(self.loops):
            pattern: NDArray[Any] = np.any(needed[loop.first : loop.stop].reshape(loop.count, loop.period), axis=0)
            pattern[list(self.skipped[number])] = True
            own = np.any(shared[loop.first : loop.stop].reshape(loop.count, loop.period), axis=0)
            own[list(self.skipped[number])] = True
            for offset in np.flatnonzero(pattern & ~own).tolist():
                self.slots[loop.first + offset : loop.stop : loop.period] = start
                start += 1
            offsets = np.flatnonzero(own)
            slots = start + np.arange(loop.count * len(offsets)).reshape(loop.count, len(offsets))
            for column, offset in enumerate(offsets.tolist()):
                self.slots[loop.first + offset : loop.stop : loop.period] = slots[:, column]
            start += loop.count * len(offsets)
        return start

    def _needed(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the mask of results used otherwise than by the same instruction of each iteration they belong to.

        The second array has those among them that need a slot for each iteration. All others are used up by the next
        iteration before it stores its own, so that all iterations have one slot together.
        """
        needed, shared = (np.zeros(len(self.program.code), dtype=bool) for _ in range(2))
        elsewhere = (self.operands >= self.inputs) & ~self._in_registers()
        needed[self.operands[elsewhere] - self.inputs] = True
        users, sources = np.nonzero(elsewhere)[0], self.operands[elsewhere] - self.inputs
        shared[sources[~self._used_up(users, sources)]] = True
        takers = [self.program.results]
        takers += [operands_of(code) for code in self.program.code if code[0] == Op.CALL]
        for operands in takers:
            flat = np.array(operands, dtype=np.int64)
            taken = flat[flat >= self.inputs] - self.inputs
            needed[taken] = True
            shared[taken[~self._in_last_iteration(taken)]] = True
        return needed, shared

    def _used_up(self, users: NDArray[Any], sources: NDArray[Any]) -> NDArray[Any]:
        """Return the mask of uses by the next iteration before it stores its own result, or after the last one."""
        used_up: NDArray[Any] = self._in_last_iteration(sources) & (self.number[users] != self.number[sources])
        for number, loop in enumerate(self.loops):
            mine = (self.number[users] == number) & (self.number[sources] == number)
            user, source = users[mine] - loop.first, sources[mine] - loop.first
            follows = user // loop.period == source // loop.period + 1
            used_up[mine] = follows & (user % loop.period <= source % loop.period)
        return used_up

    def _in_last_iteration(self, sources: NDArray[Any]) -> NDArray[Any]:
        """Return the mask of results of the last iteration of their loop."""
        in_last = np.zeros(len(sources), dtype=bool)
        for number, loop in enumerate(self.loops):
            in_last |= (self.number[sources] == number) & (sources >= loop.stop - loop.period)
        return in_last

    def _in_registers(self) -> NDArray[Any]:
        """Return the mask of operands that are the same result of all iterations' own."""
        in_registers = np.zeros(self.operands.shape, dtype=bool)
        for loop in self.loops:
            starts = (np.arange(loop.count) * loop.period + loop.first + self.inputs)[:, None, None]
            blocks = self.operands[loop.first : loop.stop].reshape(loop.count, loop.period, _WIDEST) - starts
            same = (blocks == blocks[:1]).all(axis=0) & (blocks[0] >= 0)
            in_registers[loop.first : loop.stop] = np.tile(same, (loop.count, 1))
        return in_registers

    # ---------------------------------------------------------------- operands

    def add_slots(self, straight: dict[int, int]) -> dict[int, int]:
        """Add the slots of results that no loop computes; return those of all."""
        for index, slot in straight.items():
            self.slots[index] = slot
        placed = np.flatnonzero(self.slots >= 0)
        return dict(zip(placed.tolist(), self.slots[placed].tolist(), strict=True))

    def resolve(self, number: int, free: int) -> tuple[RolledLoop, int]:
        """Return loop `number` with its operands, and the next free slot."""
        resolver = _OperandResolver(self, self.loops[number], free)
        return resolver.resolve(self.skipped[number]), resolver.free


@final
class _OperandResolver:
    """Resolves the operands of one loop and fills its tables."""

    def __init__(self, layout: LoopLayout, loop: Loop, free: int) -> None:
        self.layout, self.loop, self.free = layout, loop, free
        self.rows: list[NDArray[Any]] = []
        self.constants: list[NDArray[Any]] = []
        self.operands = dict[tuple[int, int], Operand]()
        self.labels = dict[int, Strided | Indexed]()
        self.pool = np.array(layout.program.constants, dtype=np.float64)
        self.ports = [0, *accumulate(port.size for port in layout.program.inputs)]

    def resolve(self, skipped: frozenset[int]) -> RolledLoop:
        """Return the loop with its operands."""
        offsets = [offset for offset in range(self.loop.period) if offset not in skipped]
        for offset in offsets:
            self._resolve_instruction(offset)
        signs = {
            offset: (self._constant_operand(first), self._constant_operand(second))
            for offset, (first, second) in self.layout.signs[self._number].items()
        }
        tables = self._table(self.rows), self._table(self.constants)
        return RolledLoop(self.loop, self.operands, self.labels, self._stored(offsets), signs, skipped, *tables)

    def _resolve_instruction(self, offset: int) -> None:
        """Resolve the operands of an instruction, and its label."""
        loop, code = self.loop, self.layout.program.code
        index = loop.first + offset
        for position in range(len(operands_of(code[index]))):
            column = self.layout.operands[index : loop.stop : loop.period, position]
            self.operands[offset, position] = self._operand_of(offset, column)
        if code[index][0] == Op.POSITIVE:
            numbers = np.array([instruction[2] for instruction in code[index : loop.stop : loop.period]])
            self.labels[offset] = self._index(numbers)

    def _stored(self, offsets: Sequence[int]) -> dict[int, Strided]:
        """Return the slots of the results that have some."""
        loop, slots = self.loop, self.layout.slots
        indices = {offset: loop.first + offset for offset in offsets if slots[loop.first + offset] >= 0}
        return {k: Strided(int(slots[i]), int(slots[i + loop.period] - slots[i])) for k, i in indices.items()}

    def _table(self, columns: list[NDArray[Any]]) -> NDArray[Any]:
        return np.stack(columns, axis=1) if columns else np.empty((self.loop.count, 0))

    def _operand_of(self, offset: int, operands: NDArray[Any]) -> Operand:
        """Return one operand as iterations read it."""
        relative = operands - self.layout.inputs - self.loop.first - np.arange(self.loop.count) * self.loop.period
        source = int(relative[0])
        if 0 <= source < offset and (relative == source).all() and source not in self.layout.skipped[self._number]:
            return Register(source)
        if (operands < 0).all():
            return self._constant_operand(self.pool[~operands])
        if ((operands >= 0) & (operands < self.layout.inputs)).all():
            port = bisect_right(self.ports, int(operands[0])) - 1
            strided = _strided(operands - self.ports[port])
            if strided is not None and operands.min() >= self.ports[port] and operands.max() < self.ports[port + 1]:
                return Strided(strided.start, strided.step, port)
        return self._index(self._slots(operands))

    @property
    def _number(self) -> int:
        return int(self.layout.number[self.loop.first])

    def _constant_operand(self, values: NDArray[Any]) -> Constant | TabulatedConstant:
        if (values.view(np.int64) == values[:1].view(np.int64)).all():
            return Constant(float(values[0]))
        self.constants.append(values)
        return TabulatedConstant(len(self.constants) - 1)

    def _slots(self, operands: NDArray[Any]) -> NDArray[Any]:
        """Return the slots of operands of several kinds; inputs and constants get one each."""
        inputs = self.layout.inputs
        slots = np.where(operands >= inputs, self.layout.slots[np.maximum(operands - inputs, 0)], -1)
        for row in np.flatnonzero(operands < inputs).tolist():
            operand = int(operands[row])
            if operand not in self.layout.spilled_operands:
                self.layout.spilled_operands[operand] = self.free
                self.free += 1
            slots[row] = self.layout.spilled_operands[operand]
        assert (slots >= 0).all(), "an operand of a loop has no slot"
        return slots

    def _index(self, numbers: NDArray[Any]) -> Strided | Indexed:
        strided = _strided(numbers)
        if strided is not None:
            return strided
        self.rows.append(numbers)
        return Indexed(len(self.rows) - 1)


def _strided(numbers: NDArray[Any]) -> Strided | None:
    """Return the start and step of numbers in arithmetic progression; None for others."""
    start = int(numbers[0])
    step = int(numbers[1]) - start
    return Strided(start, step) if np.array_equal(numbers, start + step * np.arange(len(numbers))) else None


def _operand_table(program: Program) -> NDArray[Any]:
    """Return the operands of every instruction but calls in a row of three, padded with `_NONE`."""
    rows = [() if code[0] == Op.CALL else operands_of(code) for code in program.code]
    padded = [(*row, _NONE, _NONE, _NONE)[:_WIDEST] for row in rows]
    return np.array(padded, dtype=np.int64).reshape(len(rows), _WIDEST)
