"""Export of functions of the restricted language of `rbd.intrinsics` as C.

Ints are int64_t, arrays are pointers; every expression is bracketed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

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


def number(value: float) -> str:
    """Return a double as an exact constant of C; infinities and NaN by their names in <math.h>."""
    if not math.isfinite(value):
        return "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "(-INFINITY)"
    return value.hex() if math.copysign(1.0, value) > 0 else f"({value.hex()})"


def call_functions(calls: tuple[IntrinsicCall, ...]) -> list[str]:
    """Return the C functions that calls need, each once."""
    used = {call.intrinsic.name: call.intrinsic for call in calls}
    return [routine_text(name, routine) for name, intrinsic in used.items() for routine in intrinsic.routine.closure()]


def called(call: IntrinsicCall, prefix: str, *blocks: Sequence[str]) -> tuple[list[str], str]:
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


def routine_text(intrinsic: str, routine: tree.Routine) -> str:
    """Return one function as C."""
    parameters = ", ".join(f"{_TYPES[name.kind]}{_name(name.name)}" for name in routine.parameters)
    head = f"static {_TYPES[routine.returns]}rbd_{intrinsic}_{routine.name}({parameters}) {{"
    locals_ = [f"    {_TYPES[name.kind]}{_name(name.name)} = 0;" for name in routine.variables]
    body = [f"    {line}" for line in _lines(intrinsic, routine.body)]
    text = "\n".join(body)
    unused = [_name(name.name) for name in routine.parameters if not re.search(rf"\b{_name(name.name)}\b", text)]
    return "\n".join([head, *(f"    (void){name};" for name in unused), *locals_, *body, "}"])


def _name(name: str) -> str:
    """Return the name of a variable; the underscore prevents conflicts with keywords of C."""
    return f"{name}_"


def _lines(intrinsic: str, block: tree.Block) -> Iterator[str]:
    for statement in block:
        yield from _statement(intrinsic, statement)


def _nested(intrinsic: str, head: str, block: tree.Block) -> Iterator[str]:
    yield f"{head} {{"
    for line in _lines(intrinsic, block):
        yield f"    {line}"
    yield "}"


def _statement(intrinsic: str, statement: tree.Statement) -> Iterator[str]:
    def said(node: tree.Expression) -> str:
        return _expression(intrinsic, node)

    match statement:
        case tree.Assign(name, value):
            yield f"{_name(name)} = {said(value)};"
        case tree.Store(array, index, value):
            yield f"{_name(array)}[{said(index)}] = {said(value)};"
        case tree.Return(value):
            yield "return;" if value is None else f"return {said(value)};"
        case tree.ExpressionStatement(call):
            yield f"{said(call)};"
        case tree.If() | tree.While() | tree.For() | tree.ColumnLoop() | tree.Break():
            yield from _control(intrinsic, statement)


def _control(intrinsic: str, statement: tree.Control) -> Iterator[str]:
    match statement:
        case tree.If(condition, then, otherwise):
            yield from _nested(intrinsic, f"if {_bracketed(_expression(intrinsic, condition))}", then)
            if otherwise:
                yield from _nested(intrinsic, "else", otherwise)
        case tree.While(condition, body):
            yield from _nested(intrinsic, f"while {_bracketed(_expression(intrinsic, condition))}", body)
        case tree.For(variable, start, stop, step, body):
            i, first, last = _name(variable), _expression(intrinsic, start), _expression(intrinsic, stop)
            test = "<" if step > 0 else ">"
            head = f"for (int64_t {i} = {first}, {i}end = {last}; {i} {test} {i}end; {i} += {step})"
            yield from _nested(intrinsic, head, body)
        case tree.ColumnLoop(variable, count, _, body):
            j = _name(variable)
            head = f"for (int64_t {j} = 0, {j}end = {_expression(intrinsic, count)}; {j} < {j}end; ++{j})"
            yield from _nested(intrinsic, head, body)
        case tree.Break():
            yield "break;"


def _bracketed(expression: str) -> str:
    """Return an expression in brackets, once: clang warns of two pairs."""
    return expression if expression.startswith("(") else f"({expression})"


def _expression(intrinsic: str, node: tree.Expression) -> str:
    def said(inner: tree.Expression) -> str:
        return _expression(intrinsic, inner)

    match node:
        case tree.Number(value, kind):
            return number(float(value)) if kind == "float" else str(int(value))
        case tree.Name(name):
            return _name(name)
        case tree.Load(array, index):
            return f"{_name(array)}[{said(index)}]"
        case tree.RowPointer(array, index):
            return f"({_name(array)} + {said(index)})"
        case tree.BuiltinCall(name, arguments):
            text = _ONE_LANE.get(name) or LANGUAGE_WORDS[name].row.c
            return f"({text.format(*map(said, arguments))})"
        case tree.RoutineCall(routine, arguments):
            return f"rbd_{intrinsic}_{routine.name}({', '.join(map(said, arguments))})"
        case _:
            return _operation(intrinsic, node)


def _operation(intrinsic: str, node: tree.Negate | tree.Arithmetic | tree.Comparison | tree.BoolOp | tree.Not) -> str:
    def said(inner: tree.Expression) -> str:
        return _expression(intrinsic, inner)

    match node:
        case tree.Negate(operand):
            return f"(-{said(operand)})"
        case tree.Arithmetic(operator, left, right) | tree.Comparison(operator, left, right):
            return f"({said(left)} {operator} {said(right)})"
        case tree.BoolOp(operator, parts):
            return f"({_JOINERS[operator].join(map(said, parts))})"
        case tree.Not(operand):
            return f"(!{said(operand)})"
