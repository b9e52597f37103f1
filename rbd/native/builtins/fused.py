"""Fused multiply-adds of the interpreter as builtins: the C library's function without ctypes, ten times as fast.

Machine code reads three floats, changes signs, calls the function and returns a float. Everything else goes to the
function that the interpreter called before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from rbd.native.builtins.context import BuiltinContext, context_fields
from rbd.native.builtins.ir_parts import FIND_CONTEXT, context_loads, filled
from rbd.native.codegen.arithmetic import library_symbol
from rbd.native.runtime import abi
from rbd.native.runtime.jit import Library, assemble_shared
from rbd.native.runtime.locks import once_under_compiler_lock
from rbd.program import interpret
from rbd.program.opcodes import Op
from rbd.scalars import libm

_CONTEXT: Final = ("product_sign", "addend_sign")
"""The words of the structure: what is added, by exclusive or, to the bits of the first and of the last operand."""
_FAST: Final = 0x80
_SIGN_BIT: Final = -(2**63)
_OPERANDS: Final = "abc"


@final
class _FusedContext(BuiltinContext):
    """The `self` of these builtins. Being called, it passes the call on to the fallback."""

    _fields_ = context_fields(_CONTEXT)

    fallback: Callable[..., float]

    def __call__(self, *operands: object) -> float:
        return self.fallback(*operands)


@once_under_compiler_lock
def use_fused_builtins() -> None:
    """Let the interpreter call builtins for fused multiply-adds from now on, where they can be made."""
    if not abi.is_supported():
        return
    code = Library(assemble_shared(_module()), ("fused",))
    for op in (Op.FMA, Op.FMS, Op.FNMA, Op.FNMS):
        signs = op.row.signs or (1, 1)
        builtin = _builtin(code, op, *signs)
        if _rounds_once(builtin, *signs):
            interpret.set_function(op, builtin)
    libm.set_fma(interpret.FUNCTIONS[Op.FMA])


def _builtin(code: Library, op: Op, product: int, addend: int) -> libm.Ternary:
    """Return the builtin of +-(a b) +- c."""
    context = _FusedContext(*(0 if sign > 0 else _SIGN_BIT for sign in (product, addend)))
    context.kept, context.fallback = (code,), interpret.FUNCTIONS[op]
    return context.builtin(code.address("fused"), op.name.lower(), _FAST)


def _rounds_once(builtin: libm.Ternary, product: int, addend: int) -> bool:
    return libm.is_fma(lambda a, b, c: builtin(product * a, b, addend * c))


def _module() -> str:
    """Return the module; all builtins share its function, whose structures differ."""
    begin = "define ptr @fused(ptr %self, ptr %args, i64 %count) nounwind {\nbegin:\n"
    loads, calls = "".join(map(_float, _OPERANDS)) + "d_is_next:\n", FIND_CONTEXT + context_loads(_CONTEXT) + _COMPUTE
    declared = f"declare double @{library_symbol('fma')}(double, double, double)\n"
    return filled(declared + begin + _THREE + loads + calls + _DECLINE, abi.addresses())


def _float(name: str) -> str:
    """Return the load of an operand, which must be a float."""
    following = f"{chr(ord(name) + 1)}_is_next"
    return f"""\
{name}_is_next:
  %{name}_at = getelementptr ptr, ptr %args, i64 {_OPERANDS.index(name)}
  %{name}_object = load ptr, ptr %{name}_at
  %{name}_type_at = getelementptr i8, ptr %{name}_object, i64 $OBJECT_TYPE
  %{name}_type = load ptr, ptr %{name}_type_at
  %{name}_is_float = icmp eq ptr %{name}_type, $float
  %{name}_value_at = getelementptr i8, ptr %{name}_object, i64 $FLOAT_VALUE
  br i1 %{name}_is_float, label %{following}, label %decline
"""


_THREE: Final = """\
  %is_three = icmp eq i64 %count, 3
  br i1 %is_three, label %a_is_next, label %decline
"""

_COMPUTE: Final = f"""\
  %a_bits = load i64, ptr %a_value_at
  %b = load double, ptr %b_value_at
  %c_bits = load i64, ptr %c_value_at
  %a_signed = xor i64 %a_bits, %product_sign
  %c_signed = xor i64 %c_bits, %addend_sign
  %a = bitcast i64 %a_signed to double
  %c = bitcast i64 %c_signed to double
  %value = call double @{library_symbol("fma")}(double %a, double %b, double %c)
  %result = call ptr $PyFloat_FromDouble(double %value)
  ret ptr %result
"""

_DECLINE: Final = """\
decline:
  %answer = call ptr $PyObject_Vectorcall(ptr %self, ptr %args, i64 %count, ptr null)
  ret ptr %answer
}
"""
