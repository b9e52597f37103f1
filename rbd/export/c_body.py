"""Body of an exported C function: blocks and loops.

The plan is that of machine code: one iteration of each loop is written, its operands are addressed as in the plan, and
values that several LLVM functions use are used by several blocks here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import final

import attrs

from rbd.export.c_constants import c_constant
from rbd.export.c_intrinsics import call_expression, pointers
from rbd.native.codegen.call_slots import CallSlots
from rbd.native.codegen.loop_operands import (
    Constant,
    Indexed,
    Operand,
    Register,
    RolledLoop,
    Strided,
    TabulatedConstant,
)
from rbd.native.codegen.plan import Plan, make_plan
from rbd.program.opcodes import CONDITIONS, WITHOUT_SIGNS, Op, operands_of
from rbd.program.program import Program
from rbd.program.status import FIRST_CHECK

_BLOCK = 1000
"""Instructions in one block between loops."""


def body_function(program: Program, name: str, inputs: Sequence[str], threshold: int) -> tuple[list[str], int]:
    """Return `static int name(inputs ..., double *result, double *ws)`, its tables before it, and the size of ws."""
    plan = make_plan(program, _BLOCK, 1, threshold)
    writer = _BodyWriter(plan, inputs)
    unused = [f"    (void){x};" for x in (*inputs, "result", "ws")]
    body = [*unused, *(f"    {line}" for line in writer.lines())]
    parameters = ", ".join([*(f"const double *{x}" for x in inputs), "double *result", "double *ws"])
    return [*writer.tables, f"static int {name}({parameters}) {{", *body, "    return 0;\n}"], plan.slot_count


@final
class _BodyWriter:
    """Writes the function and its tables."""

    def __init__(self, plan: Plan, inputs: Sequence[str]) -> None:
        self.plan, self.program, self.names = plan, plan.program, inputs
        self.size = plan.program.input_size
        self.tables: list[str] = []
        self.local: set[int] = set()
        self.early = {index for angle in plan.input_angles for index in (angle.sine, angle.cosine) if index is not None}
        self.outputs = plan.stored_outputs

    def lines(self) -> Iterator[str]:
        """Yield all lines."""
        for output, operand in enumerate(self.program.results):
            if operand < self.size:
                yield f"result[{output}] = {self._operand(operand)};"
        for slot, operand in self.plan.initial_operand_slots:
            yield f"ws[{slot}] = {self._operand(operand)};"
        for index in sorted(self.early):
            yield from self._statement(index)
        for k, chunk in enumerate(self.plan.chunks):
            loop = self.plan.loops.get(k)
            yield from self._block(chunk) if loop is None else self._loop(loop)
        yield from self._copied("result", self.plan.output_slots)

    # --- straight code ------------------------------------------------------------------------------------------------

    def _block(self, chunk: range) -> Iterator[str]:
        yield "{"
        self.local = set()
        for index in chunk:
            if index not in self.early:
                yield from (f"    {line}" for line in self._statement(index))
        self.local = set()
        yield "}"

    def _operand(self, operand: int) -> str:
        if operand < 0:
            return c_constant(self.program.constants[~operand])
        if operand >= self.size:
            index = operand - self.size
            return f"t{index}" if index in self.local else f"ws[{self.plan.slots[index]}]"
        port, index = self.program.input_at(operand)
        return f"{self.names[port]}[{index}]"

    def _statement(self, index: int) -> Iterator[str]:
        code = self.program.code[index]
        op = Op(code[0])
        if op == Op.CALL:
            yield from self._call(index)
        elif op != Op.PICK:  # results of calls, which are in the workspace
            for operand, wanted in zip(operands_of(code), op.row.operand_types, strict=True):
                yield from self._loaded(operand, truth=wanted == "c")
            values = [self._operand(operand) for operand in operands_of(code)]
            yield from _checked(op, values, str(code[2]) if op == Op.POSITIVE else "")
            yield f"const {_c_type(op)} t{index} = {op.row.c.format(*values)};"
            yield from self._stored(index)

    def _stored(self, index: int) -> Iterator[str]:
        """Write the value of an instruction, which is known in its block, wherever else it is needed."""
        if index not in self.early:
            self.local.add(index)
        entries = [f"ws[{slot}]" for slot in self.plan.operand_slots.get(index, ())]
        entries += [f"ws[{self.plan.slots[index]}]"] if index in self.plan.slots else []
        entries += [f"result[{output}]" for output in self.outputs.get(index, ())]
        yield from (f"{entry} = t{index};" for entry in entries)
        yield f"(void)t{index};"

    def _loaded(self, operand: int, *, truth: bool) -> Iterator[str]:
        """Load a value at its first use in a block: its slot may be reused afterwards."""
        index = operand - self.size
        if index >= 0 and index not in self.local:
            self.local.add(index)
            value = f"ws[{self.plan.slots[index]}]"
            yield f"const {'int' if truth else 'double'} t{index} = {value}{' != 0' if truth else ''};"

    def _call(self, index: int) -> Iterator[str]:
        slots = self.plan.calls[index]
        call, lengths = slots.call, slots.call.lengths
        yield from self._copied("ws", self.plan.copies.get(index, ()))
        yield "{"
        yield from _zero_arrays(slots)
        starts = slots.operands, slots.results, slots.work
        blocks = zip(starts, (lengths.operands, lengths.results, lengths.work_floats), strict=True)
        arrays = [pointers(f"ws + {start} + {{}}", sizes) for start, sizes in blocks]
        tables, expression = call_expression(call, "call_", *arrays, pointers("integers + {}", lengths.work_ints))
        yield from tables
        yield f"const int64_t failed = {expression};"
        yield f"if (failed) return {FIRST_CHECK + call.first_label - 1} + (int)failed;"
        yield "}"

    def _copied(self, target: str, pairs: Sequence[tuple[int, int]]) -> Iterator[str]:
        if pairs:
            to = self._table("int32_t", [str(a) for a, _ in pairs])
            source = self._table("int32_t", [str(b) for _, b in pairs])
            yield f"for (int i = 0; i < {len(pairs)}; ++i) {target}[{to}[i]] = ws[{source}[i]];"

    def _table(self, kind: str, entries: Sequence[str]) -> str:
        """Add a table, unless it is empty; return its name."""
        if not entries:
            return ""
        name = f"table{len(self.tables)}"
        self.tables.append(f"static const {kind} {name}[{len(entries)}] = {{{', '.join(entries)}}};")
        return name

    def _loop(self, rolled: RolledLoop) -> Iterator[str]:
        if rolled.is_empty:
            return
        indices = self._table("int32_t", [str(int(x)) for x in rolled.indices.reshape(-1).tolist()])
        constants = self._table("double", [c_constant(x) for x in rolled.constants.reshape(-1).tolist()])
        writer = _LoopWriter(self.program, self.names, rolled, indices, constants)
        yield f"for (int k = 0; k < {rolled.loop.count}; ++k) {{"
        for offset in range(rolled.loop.period):
            if offset not in rolled.skipped:
                yield from (f"    {line}" for line in writer.instruction(offset))
        yield "}"


@final
@attrs.frozen(eq=False)
class _LoopWriter:
    """Writes the instructions of one iteration of a loop; `indices` and `constants` are the names of its tables."""

    program: Program
    names: Sequence[str]
    rolled: RolledLoop
    indices: str
    constants: str

    def instruction(self, offset: int) -> Iterator[str]:
        """Yield the lines of the instruction at an offset in the iteration."""
        rolled = self.rolled
        op = Op(self.program.code[rolled.loop.first + offset][0])
        types = enumerate(op.row.operand_types)
        values = [self._operand(rolled.operands[offset, k], truth=kind == "c") for k, kind in types]
        signs = rolled.signs.get(offset)
        if signs is not None:
            op = WITHOUT_SIGNS.get(op, op)
            ends = zip(signs, (values[0], values[-1]), strict=True)
            values[0], values[-1] = (f"({self._operand(sign)} * {x})" for sign, x in ends)
        if op == Op.POSITIVE:
            yield from _checked(op, values, self._index(rolled.labels[offset]))
        yield f"const {_c_type(op)} u{offset} = {op.row.c.format(*values)};"
        slot = rolled.stored.get(offset)
        yield f"(void)u{offset};" if slot is None else f"{self._operand(slot)} = u{offset};"

    def _operand(self, operand: Operand, *, truth: bool = False) -> str:
        match operand:
            case Register(offset):
                return f"u{offset}"
            case Constant(value):
                return c_constant(value)
            case TabulatedConstant(column):
                return f"{self.constants}[k * {self.rolled.constants.shape[1]} + {column}]"
            case Strided(port=None) | Indexed():
                entry = f"ws[{self._index(operand)}]"
                return f"({entry} != 0)" if truth else entry
            case Strided(port=int(port)):
                return f"{self.names[port]}[{self._index(operand)}]"
            case _:
                raise AssertionError(operand)

    def _index(self, operand: Strided | Indexed) -> str:
        if isinstance(operand, Strided):
            return f"{operand.start} + ({operand.step}) * k"
        return f"{self.indices}[k * {self.rolled.indices.shape[1]} + {operand.column}]"


def _c_type(op: Op) -> str:
    """Return the type of an operation's result."""
    return "int" if op in CONDITIONS else "double"


def _zero_arrays(slots: CallSlots) -> Iterator[str]:
    """Make the results and work arrays of a call zero, but for scratch; declare the integers among these."""
    lengths = slots.call.lengths
    yield from _zero_fill("ws", slots.results, sum(lengths.results))
    floats = sum(lengths.work_floats)
    for entries in slots.call.zeroed_work:  # floats, then integers
        yield from _zero_fill("ws", slots.work + entries.start, min(entries.stop, floats) - entries.start)
    if lengths.work_ints:
        yield f"int64_t integers[{max(sum(lengths.work_ints), 1)}];"
        yield from _zero_fill("integers", 0, sum(lengths.work_ints))


def _zero_fill(array: str, start: int, size: int) -> Iterator[str]:
    if size > 0:
        yield f"for (int i = {start}; i < {start + size}; ++i) {array}[i] = 0;"


def _checked(op: Op, values: list[str], label: str) -> Iterator[str]:
    if op == Op.POSITIVE:
        yield f"if (!({values[0]} > 0)) return {FIRST_CHECK} + {label};"
