"""Single operations of a program as LLVM IR, for W lanes.

Room: native; knows nothing of robots. May import: errors and scalars.
"""

from __future__ import annotations

from typing import final

from rbd.native.ir import Lanes, Writer
from rbd.scalars.opcodes import Op

_PLAIN: dict[Op, tuple[str, type]] = {
    Op.ADD: ("fadd", float),
    Op.SUB: ("fsub", float),
    Op.MUL: ("fmul", float),
    Op.DIV: ("fdiv", float),
    Op.LESS: ("fcmp olt", float),
    Op.LESS_EQUAL: ("fcmp ole", float),
    Op.AND: ("and", bool),
    Op.OR: ("or", bool),
}
"""What an operation is called in IR, and of what its two operands are."""
_UNARY = {Op.NOT: "not", Op.NEG: "neg", Op.SQRT: "sqrt", Op.ABS: "fabs"}
_FUSED = {Op.FMA: (False, False), Op.FMS: (False, True), Op.FNMA: (True, False), Op.FNMS: (True, True)}
"""Whether the product and whether the addend are negated."""
LIBRARY = {
    Op.TAN: "tan",
    Op.ASIN: "asin",
    Op.ACOS: "acos",
    Op.ATAN2: "atan2",
    Op.EXP: "exp",
    Op.LOG: "log",
    Op.POWER: "pow",
    Op.TANH: "tanh",
}
"""Functions of the C library, called lane by lane."""
ARITY = {"atan2": 2, "pow": 2}


@final
class Arithmetic:
    """Writes operations on named values."""

    def __init__(self, w: Writer, lanes: Lanes) -> None:
        """Write to `w`."""
        self.w, self.lanes = w, lanes

    def result(self, op: Op, values: list[str]) -> str:
        """Write an ordinary instruction and return the name of its value."""
        if op in _FUSED:
            return self._fused(values, *_FUSED[op])
        if op in _UNARY:
            return self._unary(op, values[0])
        if op in LIBRARY:
            return self._library(LIBRARY[op], values)
        double, truth = self.lanes.double, self.lanes.truth
        if op == Op.SELECT:
            return self.w.set(f"select {truth} {values[0]}, {double} {values[1]}, {double} {values[2]}")
        name, kind = _PLAIN[op]
        return self.w.set(f"{name} {truth if kind is bool else double} {values[0]}, {values[1]}")

    def _unary(self, op: Op, value: str) -> str:
        double, truth = self.lanes.double, self.lanes.truth
        if op == Op.NOT:
            return self.w.set(f"xor {truth} {value}, {'true' if self.lanes.width == 1 else 'splat (i1 true)'}")
        if op == Op.NEG:
            return self.w.set(f"fneg {double} {value}")
        return self.w.set(f"call {double} {self.lanes.intrinsic(_UNARY[op])}({double} {value})")

    def _fused(self, values: list[str], product_negated: bool, addend_negated: bool) -> str:
        double = self.lanes.double
        a, b, c = values
        if product_negated:
            a = self.w.set(f"fneg {double} {a}")
        if addend_negated:
            c = self.w.set(f"fneg {double} {c}")
        return self.w.set(f"call {double} {self.lanes.intrinsic('fma')}({double} {a}, {double} {b}, {double} {c})")

    def _library(self, function: str, values: list[str]) -> str:
        """Write a call of the C library, lane by lane."""
        symbol, width = f"@{library_symbol(function)}", self.lanes.width
        if width == 1:
            return self.w.set(f"call double {symbol}({', '.join(f'double {value}' for value in values)})")
        result = "poison"
        for lane in range(width):
            parts = [self.w.set(f"extractelement {self.lanes.double} {value}, i64 {lane}") for value in values]
            called = self.w.set(f"call double {symbol}({', '.join(f'double {part}' for part in parts)})")
            result = self.w.set(f"insertelement {self.lanes.double} {result}, double {called}, i64 {lane}")
        return result

    def check(self, value: str, status: str) -> None:
        """Write a check that `value` is positive: if not, and nothing failed before, the lane has `status`."""
        lanes, w = self.lanes, self.w
        good = w.set(f"fcmp ogt {lanes.double} {value}, {lanes.number(0.0)}")
        old = w.load(lanes.integer, "%st", lanes.alignment)
        clean = w.set(f"icmp eq {lanes.integer} {old}, {lanes.whole(0)}")
        found = w.set(f"select {lanes.truth} {clean}, {lanes.integer} {status}, {lanes.integer} {old}")
        kept = w.set(f"select {lanes.truth} {good}, {lanes.integer} {old}, {lanes.integer} {found}")
        w.store(lanes.integer, kept, "%st", lanes.alignment)


def library_symbol(function: str) -> str:
    """Return the name under which a kernel calls a function of the C library."""
    return f"rbd_{function}"
