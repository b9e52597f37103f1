"""CasADi: C code of rbd's programs, compiled with the installed C compiler.

The expression graphs are those of rbd, so the comparison is of code generation and calls, not of operation counts.
"""

from __future__ import annotations

import ctypes
import operator
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, final

import numpy as np

from rbd.bench.contender import Contender, Peer, Quantity
from rbd.bench.native_repeat import native_repeat
from rbd.bench.rbd_engine import RbdEngine
from rbd.native import available
from rbd.program.opcodes import FUSED, Op
from rbd.program.program import Program
from rbd.scalars.arrays import Array

_LARGEST = 20000
"""Limit of operations: above it, a C compiler takes minutes."""


def casadi_peer(engine: RbdEngine) -> Peer | None:
    """Return CasADi if there is a C compiler and a native loop."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    return _CasADi(engine, compiler) if compiler and available() else None


@final
class _CasADi:
    name = "CasADi kernel"

    def __init__(self, engine: RbdEngine, compiler: str) -> None:
        self._casadi: Any = import_module("casadi")  # no type annotations
        self._engine = engine
        self._compiler = compiler

    def single(self, quantity: Quantity) -> Contender | None:
        if quantity.is_derivative:  # several outputs
            return None
        program = self._engine.program(quantity)
        if program.count().total > _LARGEST or not _is_supported(self._casadi, program):
            return None
        with tempfile.TemporaryDirectory() as folder:
            function = _function(self._casadi, program)
            library = _compiled(self._casadi, self._compiler, function, Path(folder))
        memory = np.zeros(function.sz_iw() + 1), np.zeros(function.sz_w() + 1)
        return self._contender(library.kernel, self._engine.samples.rows(quantity), program.outputs[0].shape, memory)

    def _contender(
        self, kernel: Any, rows: list[tuple[Array, ...]], shape: tuple[int, ...], memory: tuple[Array, Array]
    ) -> Contender:
        """Return the contender of a function in C; `memory` is that of its integers and of its numbers."""
        out, address = np.zeros(shape), ctypes.cast(kernel, ctypes.c_void_p).value or 0

        def value(k: int) -> Array:
            pointers = (ctypes.c_void_p * len(rows[k]))(*(x.ctypes.data for x in rows[k]))
            target = (ctypes.c_void_p * 1)(out.ctypes.data)
            kernel(pointers, target, *(ctypes.c_void_p(x.ctypes.data) for x in memory), 0)
            return out.copy()

        return Contender(self.name, native_repeat(address, rows, [out], memory), len(rows), value)

    def solution(self) -> Contender | None:
        return None

    def batch(self, quantity: Quantity, count: int) -> Contender | None:
        return None

    def parallel(self, quantity: Quantity, count: int, threads: int) -> Contender | None:
        return None


def _compiled(casadi: Any, compiler: str, function: Any, folder: Path) -> Any:
    """Return the loaded library, whose file may be deleted."""
    generator = casadi.CodeGenerator("kernel.c")
    generator.add(function)
    generator.generate(f"{folder}/")
    source, library = folder / "kernel.c", folder / "kernel.so"
    command = [compiler, "-O3", "-march=native", "-fPIC", "-shared", str(source), "-o", str(library), "-lm"]
    subprocess.run(command, check=True, capture_output=True)
    return ctypes.CDLL(str(library))


def _function(casadi: Any, program: Program) -> Any:
    """Return a program as a function of CasADi."""
    inputs = [casadi.SX.sym(port.name, port.size) for port in program.inputs]
    values: list[Any] = [x for vector in inputs for x in casadi.vertsplit(vector)]

    def operand(r: int) -> Any:
        return values[r] if r >= 0 else casadi.SX(program.constants[~r])

    table = _operations(casadi)
    for op, *operands in program.code:
        if op == Op.POSITIVE:
            values.append(operand(operands[0]))
        else:
            values.append(table[Op(op)](*map(operand, operands)))
    return casadi.Function("kernel", inputs, [casadi.vertcat(*map(operand, program.results))])


def _is_supported(casadi: Any, program: Program) -> bool:
    """Return whether CasADi has all operations of a program; it has no calls of intrinsics."""
    return {Op(code[0]) for code in program.code} <= _operations(casadi).keys() | {Op.POSITIVE}


def _operations(casadi: Any) -> dict[Op, Callable[..., Any]]:
    """Return the function of CasADi for each operation."""
    return {
        **{op: op.row.evaluate for op in (Op.ADD, Op.SUB, Op.MUL, Op.NEG, *FUSED.values())},
        Op.DIV: _quotient,
        Op.SQRT: casadi.sqrt,
        Op.ABS: casadi.fabs,
        Op.SIN: casadi.sin,
        Op.COS: casadi.cos,
        Op.LESS: operator.lt,
        Op.LESS_EQUAL: operator.le,
        Op.AND: casadi.logic_and,
        Op.OR: casadi.logic_or,
        Op.NOT: casadi.logic_not,
        Op.SELECT: casadi.if_else,
    }


def _quotient(a: Any, b: Any) -> Any:
    return a / b
