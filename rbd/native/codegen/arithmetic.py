"""Single operations of a program as LLVM IR, for W lanes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from rbd.native.codegen.ir import Lanes, Writer
from rbd.program.opcodes import Op

LIBRARY = {op.row.library: len(op.row.operand_types) for op in Op if op.row.library}
"""Functions of the C library, called lane by lane, with their numbers of arguments."""
LLVM = {op.row.llvm_intrinsic: len(op.row.operand_types) for op in Op if op.row.llvm_intrinsic}
"""Functions of LLVM, with their numbers of arguments."""


def write_operation(w: Writer, lanes: Lanes, op: Op, values: Sequence[str]) -> str:
    """Write an ordinary instruction and return the name of its value."""
    names = list(values)
    if op.row.library:
        return _library(w, lanes, library_symbol(op.row.library), names)
    for text in _instructions(op, lanes.width):
        names.append(w.assign(text.format(*names)))
    return names[-1]


@cache
def _instructions(op: Op, width: int) -> tuple[str, ...]:
    """Return the instructions of an operation for so many lanes, as formats of the names of operands."""
    lanes, numbers = Lanes(width), [f"{{{k}}}" for k in range(10)]
    words = {"double": lanes.double, "truth": lanes.truth, "true": lanes.true, "suffix": lanes.suffix}
    return tuple(text.format(*numbers, **words) for text in op.row.llvm_ir)


def _library(w: Writer, lanes: Lanes, symbol: str, values: Sequence[str]) -> str:
    """Write a call of the C library, lane by lane."""
    if lanes.width == 1:
        return w.call("double", f"@{symbol}", *(f"double {value}" for value in values))
    result = "poison"
    for lane in range(lanes.width):
        parts = [w.assign(f"extractelement {lanes.double} {value}, i64 {lane}") for value in values]
        called = w.call("double", f"@{symbol}", *(f"double {part}" for part in parts))
        result = w.assign(f"insertelement {lanes.double} {result}, double {called}, i64 {lane}")
    return result


def declarations(lanes: Lanes) -> list[str]:
    """Return the declarations of LLVM's functions."""
    d = lanes.double
    return [f"declare {d} {lanes.llvm_function(name)}({', '.join([d] * count)})" for name, count in LLVM.items()]


def library_symbol(function: str) -> str:
    """Return the symbol of a function of the C library in modules."""
    return f"rbd_{function}"
