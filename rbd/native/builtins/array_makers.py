"""Builtins that make arrays: of tuples of numbers, and of matrices in column order, faster than NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, final

from rbd.native.builtins.array_ir import array_functions
from rbd.native.builtins.context import ONE_ARGUMENT, BuiltinContext
from rbd.native.builtins.objects_ir import with_addresses
from rbd.native.builtins.records import structure_fields
from rbd.native.runtime import abi
from rbd.native.runtime.jit import Library, assemble_shared
from rbd.native.runtime.locks import once_under_compiler_lock
from rbd.scalars.native_functions import NATIVE_FUNCTIONS


@final
class _ArrayContext(BuiltinContext):
    """The `self` of these builtins, which need no words."""

    _fields_ = structure_fields({})


@once_under_compiler_lock
def install_array_makers() -> None:
    """Let `rbd.scalars.arrays` make arrays with builtins from now on."""
    code = Library(assemble_shared(with_addresses(array_functions(), abi.symbol_addresses())), ("array", "row_order"))
    NATIVE_FUNCTIONS.array_of_tuples = _array_maker(code, "array")
    NATIVE_FUNCTIONS.copy_in_row_order = _array_maker(code, "row_order")


def _array_maker(code: Library, name: str) -> Callable[[object], Any]:
    context = _ArrayContext.of()
    context.references = (code,)
    return context.builtin(code.address(name), name, ONE_ARGUMENT)
