"""Expressions of the restricted language as LLVM IR, scalar or vectorised.

A float of the language is one number per lane, in a panel one per column and lane; ints are equal in all lanes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from rbd.intrinsics import tree
from rbd.intrinsics.dependence_analysis import row_of_column_access
from rbd.native.codegen.arithmetic import write_operation
from rbd.native.codegen.column_blocks import repeated
from rbd.native.codegen.ir import Lanes, Writer
from rbd.program.opcodes import LANGUAGE_WORDS

_INTS = {"+": "add", "-": "sub", "*": "mul"}
_FLOAT_TESTS = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}
_INT_TESTS = {"<": "slt", "<=": "sle", ">": "sgt", ">=": "sge", "==": "eq", "!=": "ne"}
_TYPES: dict[tree.Kind, str] = {"int": "i64", "floats": "ptr", "ints": "ptr", "nothing": "void"}

Values = dict[str, str]
"""Variables with the names of their current values."""


def routine_symbol(intrinsic: str, routine: tree.Routine) -> str:
    """Return the symbol of a function of an intrinsic."""
    return f"intrinsic_{intrinsic}_{routine.name}"


class ExpressionWriter(ABC):
    """Writes expressions of a function; `values` are the variables in the current block, None in unreachable code."""

    def __init__(self, intrinsic: str, lanes: Lanes) -> None:
        """Set the intrinsic and the number of lanes that run together."""
        self.intrinsic, self.lanes = intrinsic, lanes
        self.w = Writer()
        self.floats = lanes
        self.panel: tree.ColumnLoop | None = None
        self.values: Values | None = {}

    @abstractmethod
    def text(self) -> str:
        """Return the whole function."""

    def type(self, kind: tree.Kind) -> str:
        """Return the LLVM type of a kind."""
        return self.floats.double if kind == "float" else _TYPES[kind]

    def entry(self, array: str, index: tree.Expression, kind: tree.Kind) -> str:
        """Write the address of an entry of an array."""
        assert self.values is not None
        offset = self.expression(index)
        if kind == "float" and self.lanes.width > 1:
            width = self.lanes.width
            offset = str(int(offset) * width) if offset.isdigit() else self.w.assign(f"mul i64 {offset}, {width}")
        return self.w.address(self.values[array], offset, "i64" if kind == "int" else "double")

    def read(self, array: str, index: tree.Expression, kind: tree.Kind) -> str:
        """Write the value of an entry: one per column of the panel, or the same for all columns."""
        pointer, columns = self.entry(array, index, kind), self.floats.width // self.lanes.width
        if kind == "int":
            return self.w.load("i64", pointer)
        if self.panel is not None and row_of_column_access(index, self.panel) is not None:
            return self.w.load(self.floats.double, pointer)
        return repeated(self.w, self.w.load(self.lanes.double, pointer), self.lanes, columns)

    # --- expressions --------------------------------------------------------------------------------------------------

    def jump_if(self, condition: tree.Expression, yes: str, no: str) -> None:
        """Write a jump to `yes` or `no`, with short-circuit evaluation of the condition."""
        match condition:
            case tree.Not(operand):
                self.jump_if(operand, no, yes)
            case tree.BoolOp(operator, parts):
                for part in parts[:-1]:
                    following = self.w.fresh_label()
                    self.jump_if(part, *((following, no) if operator == "and" else (yes, following)))
                    self.w.begin_block(following)
                self.jump_if(parts[-1], yes, no)
            case _:
                self.w.branch(self.expression(condition), yes, no)

    def expression(self, node: tree.Expression) -> str:
        """Write an expression and return the name of its value."""
        values = self.values
        assert values is not None
        match node:
            case tree.Number(value, kind):
                return self.floats.double_constant(float(value)) if kind == "float" else str(int(value))
            case tree.Name(name):
                return values[name]
            case tree.Load(array, index, kind):
                return self.read(array, index, kind)
            case tree.RowPointer(array, index):
                return self.entry(array, index, "float")
            case tree.BuiltinCall(word, arguments):
                return self.builtin_call(word, [self.expression(argument) for argument in arguments])
            case tree.RoutineCall():
                return self.routine_call(node)
            case _:
                return self._operation(node)

    def _operation(self, node: tree.Negate | tree.Arithmetic | tree.Comparison | tree.BoolOp | tree.Not) -> str:
        match node:
            case tree.Negate(operand, kind):
                negated = self.expression(operand)
                return self.w.assign(
                    f"fneg {self.type(kind)} {negated}" if kind == "float" else f"sub i64 0, {negated}"
                )
            case tree.Arithmetic(operator, left, right, kind):
                sides = [self.expression(left), self.expression(right)]
                if kind == "float":
                    return write_operation(self.w, self.floats, LANGUAGE_WORDS[operator], sides)
                return self.w.assign(f"{_INTS[operator]} i64 {sides[0]}, {sides[1]}")
            case tree.Comparison(operator, left, right):
                test = f"fcmp {_FLOAT_TESTS[operator]}" if left.kind == "float" else f"icmp {_INT_TESTS[operator]}"
                return self.w.assign(f"{test} {self.type(left.kind)} {self.expression(left)}, {self.expression(right)}")
            case tree.BoolOp() | tree.Not():
                raise AssertionError("conditions are written as jumps")

    def builtin_call(self, name: str, values: list[str]) -> str:
        """Write a function of the language."""
        if name == "some":
            return self.w.any_lane(self.floats, values[0])
        if name == "float":
            return self.w.splat(self.floats, self.w.assign(f"sitofp i64 {values[0]} to double"))
        return write_operation(self.w, self.floats, LANGUAGE_WORDS[name], values)

    def routine_call(self, call: tree.RoutineCall) -> str:
        """Write a call of another function of the intrinsic."""
        arguments = [f"{self.type(argument.kind)} {self.expression(argument)}" for argument in call.arguments]
        return self.w.call(self.type(call.kind), f"@{routine_symbol(self.intrinsic, call.routine)}", *arguments)
