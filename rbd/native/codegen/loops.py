"""Loops of a program as LLVM IR.

An iteration has the operations of the straight-line code in the same order; addresses of operands are computed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from rbd.native.codegen.arithmetic import write_operation
from rbd.native.codegen.copies import global_table
from rbd.native.codegen.ir import Lanes, Writer, hexadecimal
from rbd.native.codegen.loop_operands import Constant, Indexed, Register, RolledLoop, Strided, TabulatedConstant
from rbd.native.codegen.signature import function_head
from rbd.native.codegen.sincos import sincos_call
from rbd.native.codegen.statuses import write_positive_check
from rbd.program.opcodes import CONDITIONS, WITHOUT_SIGNS, Op
from rbd.program.program import Program
from rbd.program.status import FIRST_CHECK


@final
class LoopWriter:
    """Writes the function of one loop."""

    def __init__(self, name: str, program: Program, rolled: RolledLoop, lanes: Lanes) -> None:
        """Begin function `name`."""
        self.name, self.program, self.rolled, self.lanes = name, program, rolled, lanes
        self.w = Writer()
        self.iteration = ""
        self.results: dict[int, str] = {}
        self.known: dict[object, str] = {}

    def text(self) -> str:
        """Return the whole function, with its tables."""
        w = self.w
        w.begin_function(function_head(self.name, self.program, self.lanes))
        w.for_each(self.rolled.loop.count, self._iteration)
        w.end_function()
        return "\n".join([*self._tables(), w.text()])

    def _iteration(self, number: str) -> None:
        self.iteration = number
        for offset in range(self.rolled.loop.period):
            if offset not in self.rolled.skipped:
                self._instruction(offset)

    def _tables(self) -> list[str]:
        indices = [str(x) for x in self.rolled.indices.astype(int).reshape(-1).tolist()]
        constants = [hexadecimal(x) for x in self.rolled.constants.astype(float).reshape(-1).tolist()]
        return [
            global_table(f"{self.name}_{what}", kind, entries)
            for what, kind, entries in (("indices", "i32", indices), ("constants", "double", constants))
            if entries
        ]

    # --- operands -----------------------------------------------------------------------------------------------------

    def _operand(self, offset: int, position: int, *, truth: bool) -> str:
        operand = self.rolled.operands[offset, position]
        if isinstance(operand, Register):
            return self.results[operand.offset]
        key = operand, truth
        if key not in self.known:
            self.known[key] = self._read(operand, truth=truth)
        return self.known[key]

    def _read(self, operand: Constant | TabulatedConstant | Strided | Indexed, *, truth: bool) -> str:
        w, lanes = self.w, self.lanes
        if isinstance(operand, Constant):
            return lanes.double_constant(operand.value)
        if isinstance(operand, TabulatedConstant):
            row = self._row("constants", "double", self.rolled.constants.shape[1])
            return w.splat(lanes, w.load("double", w.address(row, operand.column)))
        value = w.load(lanes.double, self._pointer(operand), lanes.alignment)
        return w.assign(f"fcmp one {lanes.double} {value}, {lanes.double_constant(0.0)}") if truth else value

    def _pointer(self, operand: Strided | Indexed) -> str:
        """Return a pointer to a slot of the workspace or to an entry of an input."""
        w, width = self.w, self.lanes.width
        if isinstance(operand, Strided):
            base = "%ws" if operand.port is None else f"%in{operand.port}"
            return w.address(self._moved(base, operand.step), operand.start * width)
        scaled = self._once(("scaled", operand), lambda: w.assign(f"mul i64 {self._number(operand)}, {width}"))
        return w.address("%ws", scaled)

    def _moved(self, base: str, step: int) -> str:
        """Return the pointer `base` plus `step` entries per iteration."""
        w = self.w
        if step == 0:
            return base
        return self._once((base, step), lambda: w.address(base, self._iterations_of(step * self.lanes.width)))

    def _number(self, operand: Strided | Indexed) -> str:
        """Return the index of an operand as i64."""
        w = self.w
        if isinstance(operand, Strided):
            return w.assign(f"add i64 {w.assign(f'mul i64 {self.iteration}, {operand.step}')}, {operand.start}")
        row = self._row("indices", "i32", self.rolled.indices.shape[1])
        return w.assign(f"sext i32 {w.load('i32', w.address(row, operand.column, 'i32'), 4)} to i64")

    def _row(self, what: str, kind: str, columns: int) -> str:
        """Return a pointer to the row of a table for the iteration."""
        w = self.w
        return self._once(what, lambda: w.address(f"@{self.name}_{what}", self._iterations_of(columns), kind))

    def _iterations_of(self, size: int) -> str:
        """Write the number of the iteration times a size."""
        return self.w.assign(f"mul i64 {self.iteration}, {size}")

    def _once(self, key: object, write: Callable[[], str]) -> str:
        if key not in self.known:
            self.known[key] = write()
        return self.known[key]

    # --- instructions -------------------------------------------------------------------------------------------------

    def _instruction(self, offset: int) -> None:
        op = Op(self.program.code[self.rolled.loop.first + offset][0])
        values = [self._operand(offset, k, truth=kind == "c") for k, kind in enumerate(op.row.operand_types)]
        self.results[offset] = value = self._result(op, offset, values)
        slots = self.rolled.stored.get(offset)
        if slots is not None:
            if op in CONDITIONS:
                value = self.w.assign(f"uitofp {self.lanes.truth} {value} to {self.lanes.double}")
            self.w.store(self.lanes.double, value, self._pointer(slots), self.lanes.alignment)

    def _signed(self, sign: Constant | TabulatedConstant, value: str) -> str:
        """Write a value times the sign of the iteration."""
        w, double = self.w, self.lanes.double
        if isinstance(sign, Constant):
            return value if sign.value > 0 else w.assign(f"fneg {double} {value}")
        return w.assign(f"fmul {double} {value}, {self._once(sign, lambda: self._read(sign, truth=False))}")

    def _result(self, op: Op, offset: int, values: list[str]) -> str:
        signs = self.rolled.signs.get(offset)
        if signs is not None:
            values[0], values[-1] = self._signed(signs[0], values[0]), self._signed(signs[1], values[-1])
            return write_operation(self.w, self.lanes, WITHOUT_SIGNS.get(op, op), values)
        if op == Op.POSITIVE:
            status = self.w.assign(f"add i64 {self._number(self.rolled.labels[offset])}, {FIRST_CHECK}")
            write_positive_check(self.w, self.lanes, values[0], self.w.splat(self.lanes, status, "i64"))
        if op in (Op.SIN, Op.COS):
            key = "angle", values[0]
            if key not in self.known:
                sine, cosine = sincos_call(self.w, self.lanes, values[0])
                self.known[key], self.known["cosine", values[0]] = sine, cosine
            return self.known[key] if op == Op.SIN else self.known["cosine", values[0]]
        return write_operation(self.w, self.lanes, op, values)
