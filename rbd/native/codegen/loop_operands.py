"""Operands of loops: where iterations read operands, and where they store results that others use.

A result that only its own iteration uses stays in a register; any other is stored in the workspace, the results of one
iteration side by side. Operands from elsewhere have an index that is linear in the iteration, or one from a table;
constants that differ among iterations are in a table of their own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Final, TypeAlias, final

import attrs
import numpy as np
from numpy.typing import NDArray

from rbd.program.opcodes import Op, operands_of
from rbd.program.program import Program
from rbd.program.rolling import Loop

_NONE: Final = np.iinfo(np.int64).min
_MAX_OPERANDS: Final = 3
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
    """An index for each iteration, in this column of the loop's table of indices: of a workspace slot or a label."""

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
    indices: NDArray[Any]
    constants: NDArray[Any]
    """The tables of indices and of constants: a row for each iteration."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to compute."""
        return len(self.skipped) == self.loop.period


@final
@attrs.frozen(eq=False)
class PlacedLoops:
    """Loops with their operands, and the workspace that they share with the code around them."""

    loops: tuple[RolledLoop, ...]
    slots: dict[int, int]
    """Slots of results, of loops and others, by instruction number."""
    spilled: tuple[tuple[int, int], ...]
    """(slot, operand) of inputs and constants that loops read from the workspace."""
    slot_count: int
    """The number of slots of the workspace."""


@final
class LoopLayout:
    """The operands of a program's loops: where results of iterations are read, and by whom."""

    def __init__(self, program: Program, loops: Sequence[Loop]) -> None:
        """Look at the operands of `program`."""
        self.program, self.loops = program, loops
        self.input_size = program.input_size
        self.operands = _operand_table(program)
        size = len(program.code)
        self.loop_of = np.full(size, -1)
        """The number of the loop of each instruction; -1 for others."""
        for number, loop in enumerate(loops):
            self.loop_of[loop.first : loop.stop] = number
        self.signs = [self._signs(loop) for loop in loops]
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

    def contains(self, index: int) -> bool:
        """Return whether instruction `index` belongs to a loop."""
        return bool(self.loop_of[index] >= 0)

    def computes(self, index: int) -> bool:
        """Return whether instruction `index` is computed by a loop."""
        number = int(self.loop_of[index])
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
                if ((angles >= 0) & (angles < self.input_size)).all():
                    offsets.add(offset)
        return frozenset(offsets)

    # ---------------------------------------------------------------- memory

    def placed(self, straight: Mapping[int, int], slot_count: int) -> PlacedLoops:
        """Return the loops, with slots behind the first `slot_count`; `straight` are those of other results."""
        if not self.loops:
            return PlacedLoops((), dict(straight), (), slot_count)
        slots, slot_count = self._result_slots(slot_count)
        slots[list(straight)] = list(straight.values())
        spills = _Spills(slot_count)
        loops = tuple(_OperandResolver(self, number, slots, spills).rolled() for number in range(len(self.loops)))
        filled = np.flatnonzero(slots >= 0)
        by_index = dict(zip(filled.tolist(), slots[filled].tolist(), strict=True))
        spilled = tuple((slot, operand) for operand, slot in spills.slots.items())
        return PlacedLoops(loops, by_index, spilled, slot_count + len(spilled))

    def _result_slots(self, start: int) -> tuple[NDArray[Any], int]:
        """Return the slots from `start` on of results that cross iterations, by instruction; and the next free slot."""
        slots = np.full(len(self.program.code), -1)
        needed, per_iteration = self._needed()
        for number, loop in enumerate(self.loops):
            needed_offsets = self._offsets_of(needed, number)
            per_iteration_offsets = self._offsets_of(per_iteration, number)
            for offset in np.flatnonzero(needed_offsets & ~per_iteration_offsets).tolist():
                slots[loop.first + offset : loop.stop : loop.period] = start
                start += 1
            offsets = np.flatnonzero(per_iteration_offsets)
            table = start + np.arange(loop.count * len(offsets)).reshape(loop.count, len(offsets))
            for column, offset in enumerate(offsets.tolist()):
                slots[loop.first + offset : loop.stop : loop.period] = table[:, column]
            start += loop.count * len(offsets)
        return slots, start

    def _offsets_of(self, instructions: NDArray[Any], number: int) -> NDArray[Any]:
        """Return the mask of offsets in an iteration at which a mask of instructions is true, or which are skipped."""
        loop = self.loops[number]
        offsets: NDArray[Any] = np.any(instructions[loop.first : loop.stop].reshape(loop.count, loop.period), axis=0)
        offsets[list(self.skipped[number])] = True
        return offsets

    def _needed(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the mask of results used otherwise than by the same instruction of each iteration they belong to.

        The second array has those among them that need a slot for each iteration. All others are used up by the next
        iteration before it stores its own, so that all iterations have one slot together.
        """
        needed, per_iteration = (np.zeros(len(self.program.code), dtype=bool) for _ in range(2))
        elsewhere = (self.operands >= self.input_size) & ~self._in_registers()
        needed[self.operands[elsewhere] - self.input_size] = True
        users, sources = np.nonzero(elsewhere)[0], self.operands[elsewhere] - self.input_size
        per_iteration[sources[~self._used_up(users, sources)]] = True
        takers = [self.program.results]
        takers += [operands_of(code) for code in self.program.code if code[0] == Op.CALL]
        for operands in takers:
            flat = np.array(operands, dtype=np.int64)
            taken = flat[flat >= self.input_size] - self.input_size
            needed[taken] = True
            per_iteration[taken[~self._in_last_iteration(taken)]] = True
        return needed, per_iteration

    def _used_up(self, users: NDArray[Any], sources: NDArray[Any]) -> NDArray[Any]:
        """Return the mask of uses by the next iteration before it stores its own result, or after the last one."""
        used_up: NDArray[Any] = self._in_last_iteration(sources) & (self.loop_of[users] != self.loop_of[sources])
        for number, loop in enumerate(self.loops):
            mine = (self.loop_of[users] == number) & (self.loop_of[sources] == number)
            user, source = users[mine] - loop.first, sources[mine] - loop.first
            follows = user // loop.period == source // loop.period + 1
            used_up[mine] = follows & (user % loop.period <= source % loop.period)
        return used_up

    def _in_last_iteration(self, sources: NDArray[Any]) -> NDArray[Any]:
        """Return the mask of results of the last iteration of their loop."""
        in_last = np.zeros(len(sources), dtype=bool)
        for number, loop in enumerate(self.loops):
            in_last |= (self.loop_of[sources] == number) & (sources >= loop.stop - loop.period)
        return in_last

    def _in_registers(self) -> NDArray[Any]:
        """Return the mask of operands that are the same result of all iterations' own."""
        in_registers = np.zeros(self.operands.shape, dtype=bool)
        for loop in self.loops:
            starts = (np.arange(loop.count) * loop.period + loop.first + self.input_size)[:, None, None]
            blocks = self.operands[loop.first : loop.stop].reshape(loop.count, loop.period, _MAX_OPERANDS) - starts
            same = (blocks == blocks[:1]).all(axis=0) & (blocks[0] >= 0)
            in_registers[loop.first : loop.stop] = np.tile(same, (loop.count, 1))
        return in_registers


@final
class _Spills:
    """Slots of inputs and constants that loops read from the workspace, from `first` on, by operand."""

    def __init__(self, first: int) -> None:
        self._first = first
        self.slots = dict[int, int]()

    def slot_of(self, operand: int) -> int:
        """Return the slot of an operand: that it has, or the next one."""
        return self.slots.setdefault(operand, self._first + len(self.slots))


@final
class _OperandResolver:
    """Resolves the operands of loop `number` and fills its tables."""

    def __init__(self, layout: LoopLayout, number: int, slots: NDArray[Any], spills: _Spills) -> None:
        self.layout, self.loop, self.slots, self.spills = layout, layout.loops[number], slots, spills
        self.skipped, self.signs = layout.skipped[number], layout.signs[number]
        self.index_columns: list[NDArray[Any]] = []
        self.constant_columns: list[NDArray[Any]] = []
        self.operands = dict[tuple[int, int], Operand]()
        self.labels = dict[int, Strided | Indexed]()
        self.pool = np.array(layout.program.constants, dtype=np.float64)
        self.port_starts = [0, *accumulate(port.size for port in layout.program.inputs)]

    def rolled(self) -> RolledLoop:
        """Return the loop with its operands."""
        offsets = [offset for offset in range(self.loop.period) if offset not in self.skipped]
        for offset in offsets:
            self._resolve_instruction(offset)
        signs = {
            offset: (self._constant_operand(first), self._constant_operand(second))
            for offset, (first, second) in self.signs.items()
        }
        tables = self._table(self.index_columns), self._table(self.constant_columns)
        return RolledLoop(self.loop, self.operands, self.labels, self._stored(offsets), signs, self.skipped, *tables)

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
        loop, slots = self.loop, self.slots
        indices = {offset: loop.first + offset for offset in offsets if slots[loop.first + offset] >= 0}
        return {k: Strided(int(slots[i]), int(slots[i + loop.period] - slots[i])) for k, i in indices.items()}

    def _table(self, columns: list[NDArray[Any]]) -> NDArray[Any]:
        return np.stack(columns, axis=1) if columns else np.empty((self.loop.count, 0))

    def _operand_of(self, offset: int, operands: NDArray[Any]) -> Operand:
        """Return one operand as iterations read it."""
        relative = operands - self.layout.input_size - self.loop.first - np.arange(self.loop.count) * self.loop.period
        source = int(relative[0])
        if 0 <= source < offset and (relative == source).all() and source not in self.skipped:
            return Register(source)
        if (operands < 0).all():
            return self._constant_operand(self.pool[~operands])
        if ((operands >= 0) & (operands < self.layout.input_size)).all():
            port = bisect_right(self.port_starts, int(operands[0])) - 1
            strided = _strided(operands - self.port_starts[port])
            if (
                strided is not None
                and operands.min() >= self.port_starts[port]
                and operands.max() < self.port_starts[port + 1]
            ):
                return Strided(strided.start, strided.step, port)
        return self._index(self._slots(operands))

    def _constant_operand(self, values: NDArray[Any]) -> Constant | TabulatedConstant:
        if (values.view(np.int64) == values[:1].view(np.int64)).all():
            return Constant(float(values[0]))
        self.constant_columns.append(values)
        return TabulatedConstant(len(self.constant_columns) - 1)

    def _slots(self, operands: NDArray[Any]) -> NDArray[Any]:
        """Return the slots of operands of several kinds; inputs and constants get one each."""
        inputs = self.layout.input_size
        slots = np.where(operands >= inputs, self.slots[np.maximum(operands - inputs, 0)], -1)
        for row in np.flatnonzero(operands < inputs).tolist():
            slots[row] = self.spills.slot_of(int(operands[row]))
        assert (slots >= 0).all(), "an operand of a loop has no slot"
        return slots

    def _index(self, numbers: NDArray[Any]) -> Strided | Indexed:
        strided = _strided(numbers)
        if strided is not None:
            return strided
        self.index_columns.append(numbers)
        return Indexed(len(self.index_columns) - 1)


def _strided(numbers: NDArray[Any]) -> Strided | None:
    """Return the start and step of numbers in arithmetic progression; None for others."""
    start = int(numbers[0])
    step = int(numbers[1]) - start
    return Strided(start, step) if np.array_equal(numbers, start + step * np.arange(len(numbers))) else None


def _operand_table(program: Program) -> NDArray[Any]:
    """Return the operands of every instruction but calls in a row of three, padded with `_NONE`."""
    rows = [() if code[0] == Op.CALL else operands_of(code) for code in program.code]
    padded = [(*row, _NONE, _NONE, _NONE)[:_MAX_OPERANDS] for row in rows]
    return np.array(padded, dtype=np.int64).reshape(len(rows), _MAX_OPERANDS)
