"""Fused multiply-adds of the interpreter as builtins: the C library's function without ctypes, ten times as fast.

Machine code reads three floats, changes signs, calls the function and returns a float. Everything else goes to the
function that the interpreter called before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from rbd.native.builtins.context import FAST, BuiltinContext
from rbd.native.builtins.context_ir import context_of
from rbd.native.builtins.objects_ir import field, has_type, with_addresses
from rbd.native.builtins.records import INTEGER, structure_fields
from rbd.native.codegen.arithmetic import library_symbol
from rbd.native.codegen.ir import Writer
from rbd.native.runtime import abi
from rbd.native.runtime.jit import Library, assemble_shared
from rbd.native.runtime.locks import once_under_compiler_lock
from rbd.program import interpret
from rbd.program.opcodes import Op
from rbd.scalars import libm
from rbd.scalars.native_functions import NATIVE_FUNCTIONS

_CONTEXT: Final = {"product_sign": INTEGER, "addend_sign": INTEGER}
"""The words of the structure: what is added, by exclusive or, to the bits of the first and of the last operand."""
_SIGN_BIT: Final = -(2**63)


@final
class _FusedContext(BuiltinContext):
    """The `self` of these builtins. Being called, it passes the call on to the fallback."""

    _fields_ = structure_fields(_CONTEXT)

    fallback: Callable[..., float]

    def __call__(self, *operands: object) -> float:
        return self.fallback(*operands)


@once_under_compiler_lock
def use_fused_builtins() -> None:
    """Let the interpreter call builtins for fused multiply-adds from now on, where they can be made."""
    if not abi.is_supported():
        return
    code = Library(assemble_shared(with_addresses(_function(), abi.symbol_addresses())), ("fused",))
    for op in (Op.FMA, Op.FMS, Op.FNMA, Op.FNMS):
        signs = op.row.signs or (1, 1)
        builtin = _builtin(code, op, *signs)
        if _rounds_once(builtin, *signs):
            interpret.FLOAT_FUNCTIONS[op] = builtin
    NATIVE_FUNCTIONS.fma = interpret.FLOAT_FUNCTIONS[Op.FMA]


def _builtin(code: Library, op: Op, product: int, addend: int) -> libm.Ternary:
    """Return the builtin of +-(a b) +- c."""
    product_sign, addend_sign = (0 if sign > 0 else _SIGN_BIT for sign in (product, addend))
    context = _FusedContext.of(product_sign=product_sign, addend_sign=addend_sign)
    context.references, context.fallback = (code,), interpret.FLOAT_FUNCTIONS[op]
    return context.builtin(code.address("fused"), op.name.lower(), FAST)


def _rounds_once(builtin: libm.Ternary, product: int, addend: int) -> bool:
    return libm.is_fma(lambda a, b, c: builtin(product * a, b, addend * c))


def _function() -> str:
    """Return `@fused(self, arguments, count)`, which all builtins share; their contexts differ."""
    w, fma = Writer(), f"@{library_symbol('fma')}"
    w.begin_function("ptr @fused(ptr %self, ptr %args, i64 %count) nounwind")
    w.leave_unless(w.test("eq i64 %count, 3"), "declined")
    a, b, c = (_float(w, k) for k in range(3))
    context = context_of(w, "%self", _CONTEXT)
    a, c = _signed(w, a, context["product_sign"]), _signed(w, c, context["addend_sign"])
    value = w.call("double", fma, f"double {a}", f"double {b}", f"double {c}")
    w.ret(f"ptr {w.call('ptr', '$PyFloat_FromDouble', f'double {value}')}")
    w.begin_block("declined")
    answer = w.call("ptr", "$PyObject_Vectorcall", "ptr %self", "ptr %args", "i64 %count", "ptr null")
    w.end_function(f"ptr {answer}")
    return f"declare double {fma}(double, double, double)\n{w.text()}"


def _float(w: Writer, index: int) -> str:
    """Write the load of an operand, which must be a float."""
    operand = w.element("%args", index)
    w.leave_unless(has_type(w, operand, "float"), "declined")
    return field(w, operand, abi.FLOAT_VALUE, "double")


def _signed(w: Writer, number: str, sign: str) -> str:
    """Write the addition, by exclusive or, of a sign to the bits of a number."""
    bits = w.assign(f"bitcast double {number} to i64")
    return w.assign(f"bitcast i64 {w.assign(f'xor i64 {bits}, {sign}')} to double")
