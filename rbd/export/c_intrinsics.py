"""Export of functions of the restricted language of `rbd.intrinsics` as C.

Ints are int64_t, arrays are pointers; every expression is bracketed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import final

import attrs

from rbd.export.c_constants import c_constant
from rbd.intrinsics import IntrinsicCall, tree
from rbd.program.opcodes import LANGUAGE_WORDS

_TYPES: dict[tree.Kind, str] = {
    "float": "double ",
    "int": "int64_t ",
    "floats": "double *",
    "ints": "int64_t *",
    "nothing": "void ",
}
_JOINERS = {"and": " && ", "or": " || "}
_ONE_LANE = {"float": "(double){0}", "some": "{0}"}
"""Functions of the language that are not operations of programs."""


def call_functions(calls: tuple[IntrinsicCall, ...]) -> list[str]:
    """Return the C functions that calls need, each once."""
    used = {call.intrinsic.name: call.intrinsic for call in calls}
    return [
        _CRoutineWriter(name).function(routine) for name, each in used.items() for routine in each.routine.closure()
    ]


def call_expression(call: IntrinsicCall, prefix: str, *blocks: Sequence[str]) -> tuple[list[str], str]:
    """Return the lines that declare a call's tables, and the call, given the texts of its other arrays."""
    tables, routine = call.tables.values(), call.intrinsic.routine
    lines = [
        f"static const int64_t {prefix}table{k}[{max(len(table), 1)}] = {{{', '.join(map(str, table)) or '0'}}};"
        for k, table in enumerate(tables)
    ]
    arrays = [f"(int64_t *){prefix}table{k}" for k in range(len(tables))]  # which no function writes
    arguments = call.intrinsic.call_arguments(call.sizes, "{}", arrays, *blocks)
    return lines, f"rbd_{call.intrinsic.name}_{routine.name}({', '.join(arguments)})"


def pointers(start: str, lengths: Sequence[int]) -> list[str]:
    """Return the start of each of several consecutive arrays; `start` is a format of the offset."""
    return [start.format(before) for before in accumulate(lengths[:-1], initial=0)] if lengths else []


@final
@attrs.frozen
class _CRoutineWriter:
    """Writes the functions of one intrinsic."""

    intrinsic: str

    def function(self, routine: tree.Routine) -> str:
        """Return one function."""
        parameters = ", ".join(f"{_TYPES[name.kind]}{_name(name.name)}" for name in routine.parameters)
        head = f"static {_TYPES[routine.returns]}{self._function_name(routine)}({parameters}) {{"
        locals_ = [f"    {_TYPES[name.kind]}{_name(name.name)} = 0;" for name in routine.variables]
        body = [f"    {line}" for line in self._lines(routine.body)]
        text = "\n".join(body)
        unused = [_name(name.name) for name in routine.parameters if not re.search(rf"\b{_name(name.name)}\b", text)]
        return "\n".join([head, *(f"    (void){name};" for name in unused), *locals_, *body, "}"])

    def _function_name(self, routine: tree.Routine) -> str:
        return f"rbd_{self.intrinsic}_{routine.name}"

    # --- statements ---------------------------------------------------------------------------------------------------

    def _lines(self, block: tree.Block) -> Iterator[str]:
        for statement in block:
            yield from self._statement(statement)

    def _nested(self, head: str, block: tree.Block) -> Iterator[str]:
        yield f"{head} {{"
        for line in self._lines(block):
            yield f"    {line}"
        yield "}"

    def _statement(self, statement: tree.Statement) -> Iterator[str]:
        match statement:
            case tree.Assign(name, value):
                yield f"{_name(name)} = {self._expression(value)};"
            case tree.Store(array, index, value):
                yield f"{_name(array)}[{self._expression(index)}] = {self._expression(value)};"
            case tree.Return(value):
                yield "return;" if value is None else f"return {self._expression(value)};"
            case tree.ExpressionStatement(call):
                yield f"{self._expression(call)};"
            case tree.If() | tree.While() | tree.For() | tree.ColumnLoop() | tree.Break():
                yield from self._control(statement)

    def _control(self, statement: tree.Control) -> Iterator[str]:
        match statement:
            case tree.If(condition, then, otherwise):
                yield from self._nested(f"if {self._condition(condition)}", then)
                if otherwise:
                    yield from self._nested("else", otherwise)
            case tree.While(condition, body):
                yield from self._nested(f"while {self._condition(condition)}", body)
            case tree.For() | tree.ColumnLoop():
                yield from self._nested(self._counted(statement), statement.body)
            case tree.Break():
                yield "break;"

    def _counted(self, loop: tree.For | tree.ColumnLoop) -> str:
        """Return the head of a loop, whose end is computed once."""
        i = _name(loop.variable)
        if isinstance(loop, tree.ColumnLoop):
            return f"for (int64_t {i} = 0, {i}end = {self._expression(loop.count)}; {i} < {i}end; ++{i})"
        start, stop = self._expression(loop.start), self._expression(loop.stop)
        test = "<" if loop.step > 0 else ">"
        return f"for (int64_t {i} = {start}, {i}end = {stop}; {i} {test} {i}end; {i} += {loop.step})"

    # --- expressions --------------------------------------------------------------------------------------------------

    def _condition(self, node: tree.Expression) -> str:
        """Return an expression in brackets, once: clang warns of two pairs."""
        expression = self._expression(node)
        return expression if expression.startswith("(") else f"({expression})"

    def _expression(self, node: tree.Expression) -> str:
        match node:
            case tree.Number(value, kind):
                return c_constant(float(value)) if kind == "float" else str(int(value))
            case tree.Name(name):
                return _name(name)
            case tree.Load(array, index):
                return f"{_name(array)}[{self._expression(index)}]"
            case tree.RowPointer(array, index):
                return f"({_name(array)} + {self._expression(index)})"
            case tree.BuiltinCall(name, arguments):
                text = _ONE_LANE.get(name) or LANGUAGE_WORDS[name].row.c
                return f"({text.format(*map(self._expression, arguments))})"
            case tree.RoutineCall(routine, arguments):
                return f"{self._function_name(routine)}({', '.join(map(self._expression, arguments))})"
            case _:
                return self._operation(node)

    def _operation(self, node: tree.Negate | tree.Arithmetic | tree.Comparison | tree.BoolOp | tree.Not) -> str:
        match node:
            case tree.Negate(operand):
                return f"(-{self._expression(operand)})"
            case tree.Arithmetic(operator, left, right) | tree.Comparison(operator, left, right):
                return f"({self._expression(left)} {operator} {self._expression(right)})"
            case tree.BoolOp(operator, parts):
                return f"({_JOINERS[operator].join(map(self._expression, parts))})"
            case tree.Not(operand):
                return f"(!{self._expression(operand)})"


def _name(name: str) -> str:
    """Return the name of a variable; the underscore prevents conflicts with keywords of C."""
    return f"{name}_"
