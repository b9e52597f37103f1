"""Kernels as builtin functions of arrays, made at run time.

The interpreter calls such a builtin directly; machine code looks at every argument and, when all are arrays just as the
program wants them, runs the kernel between them and new arrays. In every other case (lists, other dtypes, shapes or
orders, batches, most keywords, a status that is not clean) it calls the fallback with the same arguments, which
converts, computes or raises.

The code that looks at arguments is the same for all kernels and made once per process. Addresses of this process are
baked into it, so it never goes to disk.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable
from typing import Any, final

import attrs

from rbd.native import abi
from rbd.native.entry_code import MOST, entry_module
from rbd.native.jit import Library, assemble
from rbd.native.kernel import NativeKernel
from rbd.native.locks import once
from rbd.program.outline import Outline
from rbd.program.program import Program

_FAST_WITH_KEYWORDS = 0x80 | 0x02


@final
@attrs.frozen(eq=False)
class Guard:
    """Two words in memory, changed in place and never moved, and what they must be; if not, the fallback decides."""

    words: array[int]
    expected: tuple[int, int]

    def address(self) -> int:
        """Return where the words are."""
        return self.words.buffer_info()[0]


class _Definition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    ]


@final
class _Context(ctypes.Structure):
    """What a builtin is bound to: the fields machine code reads, and everything that must live as long.

    Being called, it passes the call on to the fallback.
    """

    _fields_ = [
        ("kernel", ctypes.c_void_p),
        ("guard", ctypes.c_void_p),
        ("first", ctypes.c_int64),
        ("second", ctypes.c_int64),
        ("inputs", ctypes.c_int64),
        ("outputs", ctypes.c_int64),
        ("shapes", ctypes.c_void_p),
        ("fresh", ctypes.c_void_p),
    ]

    definition: _Definition
    fallback: Callable[..., object]
    kept: tuple[object, ...]

    def __call__(self, *arguments: object, **named: object) -> object:
        return self.fallback(*arguments, **named)


def make_entry(
    kernel: NativeKernel,
    fallback: Callable[..., object],
    *,
    name: str = "",
    documentation: str = "",
    guard: Guard | None = None,
) -> Callable[..., Any]:
    """Return a builtin over the kernel for one state; where that is not possible, `fallback` itself.

    It takes one C-contiguous float64 array per input (a scalar input may be a float) and returns one new array, or a
    tuple of them; a single result may go to the keyword `out`. Everything else, and every call while `guard` does not
    hold, is handed to `fallback`. `documentation` may begin with a signature, as builtins have it.
    """
    if not abi.known() or not supports(kernel.outline):
        return fallback
    context, code = _context(kernel, guard), _code()
    context.fallback = fallback
    context.kept = (*context.kept, code)
    return new_builtin(name or kernel.outline.name, code.address("entry"), documentation, context)


def supports(program: Program | Outline) -> bool:
    """Return whether a builtin can serve a program: pointers to its arrays go on the stack."""
    return max(len(program.inputs), len(program.outputs)) <= MOST


@once
def _code() -> Library:
    """Return the code all builtins share, which is kept for good."""
    return Library(assemble(entry_module(abi.addresses())), ("entry",))


def _context(kernel: NativeKernel, guard: Guard | None) -> _Context:
    """Return what the entry must know of a kernel."""
    inputs, outputs = kernel.outline.inputs, kernel.outline.outputs
    words = [word for port in inputs + outputs for word in (len(port.shape), *port.shape)]
    shapes = (ctypes.c_int64 * max(len(words), 1))(*words)
    code = kernel.single_library
    context = _Context(code.address("single"), inputs=len(inputs), outputs=len(outputs))
    context.shapes = ctypes.addressof(shapes)
    context.fresh = code.address("fresh")
    if guard is None:  # two words are compared with themselves
        context.guard = ctypes.addressof(context) + _Context.first.offset
    else:
        context.guard = guard.address()
        context.first, context.second = guard.expected
    context.kept = (kernel, code, guard, shapes)
    return context


def new_builtin(name: str, code: int, documentation: str, context: Any) -> Callable[..., Any]:
    """Return a builtin over the machine code at an address, bound to a ctypes structure, which keeps its definition."""
    context.definition = _Definition(name.encode(), code, _FAST_WITH_KEYWORDS, documentation.encode() or None)
    function = ctypes.cast(ctypes.pythonapi.PyCFunction_NewEx, ctypes.c_void_p).value or 0
    prototype = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    builtin: Callable[..., Any] = prototype(function)(ctypes.addressof(context.definition), context, None)
    return builtin
