"""Kernels as builtin functions, made at run time.

The interpreter calls such a builtin directly. Machine code looks at every argument and, when all are arrays just as the
program wants them, runs the kernel between them, memory the builtin is bound to, and new arrays. Batches and strided
arrays go the same way, once there is code for rows. In every other case (lists, other dtypes or shapes, most keywords,
a status that is not clean) it calls the fallback with the same arguments, which converts, computes or raises;
without a fallback it returns NotImplemented.

The code that looks at arguments is the same for all kernels and made once per process. Addresses of this process are
baked into it, so it never goes to disk.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, TypeVar, final

import attrs

from rbd.native.builtins.builtin_ir import CONTEXT, MOST, builtin_module, is_count
from rbd.native.builtins.rows_ir import MOST_STEPS
from rbd.native.compiled_program import CompiledProgram
from rbd.native.runtime import abi
from rbd.native.runtime.jit import Library, assemble
from rbd.native.runtime.locks import once_under_compiler_lock
from rbd.scalars.arrays import Array

F = TypeVar("F", bound=Callable[..., object] | None)
_FAST_WITH_KEYWORDS: Final = 0x80 | 0x02


@final
@attrs.frozen(eq=False)
class Word:
    """A 64-bit word in an array that is never moved."""

    words: array[int]
    index: int

    @property
    def address(self) -> int:
        """Where it is."""
        return self.words.buffer_info()[0] + self.index * self.words.itemsize


Guards: TypeAlias = tuple[tuple[Word, int], ...]
"""Words, and what must be in them for a builtin to run."""


@final
@attrs.frozen(eq=False)
class Binding:
    """What a builtin is bound to. All arrays are float64, C-contiguous, of the shapes the kernel wants."""

    owner: Word | None = None
    """Holds the thread that may call; None for any thread."""
    guards: Guards = ()
    inputs: tuple[Array | None, ...] = ()
    """In the order of the kernel's; None for those that are arguments, which follow each other. () makes all so."""
    outputs: tuple[Array, ...] | None = None
    """Where results go; the builtin then returns None. Without them it returns a new array, or a tuple of several; a
    single one may go to `out`."""
    copies: tuple[tuple[Array, Array], ...] = ()
    """What is copied after success: from, to."""
    counter: Word | None = None
    """Counts successful calls that write to `outputs`."""


class Definition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    ]


@final
class _Context(ctypes.Structure):
    """What a builtin's `self` is: the words machine code reads, and everything that must live as long.

    Being called, it passes the call on to the fallback.
    """

    _fields_ = [(name, ctypes.c_int64 if is_count(name) else ctypes.c_void_p) for name in CONTEXT]

    definition: Definition
    fallback: Callable[..., object] | None
    kept: tuple[object, ...]

    def __call__(self, *arguments: object, **named: object) -> object:
        assert self.fallback is not None
        return self.fallback(*arguments, **named)


def make_builtin(
    kernel: CompiledProgram, fallback: F, binding: Binding | None = None, *, name: str = "", documentation: str = ""
) -> Callable[..., Any] | F:
    """Return a builtin over the kernel for one state; where that is not possible, `fallback` itself.

    It takes one C-contiguous float64 array per input that `binding` does not hold (a scalar input may be a float).
    Every call it does not serve goes to `fallback`; None stands for the result NotImplemented. `documentation` may
    begin with a signature, as builtins have it.
    """
    ports = kernel.outline
    if not abi.is_supported() or max(len(ports.inputs), len(ports.outputs)) > MOST:
        return fallback
    if sum(1 + len(port.shape) for port in (*ports.inputs, *ports.outputs)) > MOST_STEPS:
        return fallback
    context, code = _context(kernel, binding or Binding()), _code()
    context.has_fallback, context.fallback = fallback is not None, fallback
    context.kept = (*context.kept, code)
    context.definition = Definition(
        (name or ports.name).encode(), code.address("builtin"), _FAST_WITH_KEYWORDS, documentation.encode() or None
    )
    return builtin_of(context.definition, context)


def builtin_of(definition: Definition, context: ctypes.Structure) -> Callable[..., Any]:
    """Return a new builtin with `context` as `self`, which must hold `definition`."""
    function = ctypes.cast(ctypes.pythonapi.PyCFunction_NewEx, ctypes.c_void_p).value or 0
    prototype = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    builtin: Callable[..., Any] = prototype(function)(ctypes.addressof(definition), context, None)
    return builtin


@once_under_compiler_lock
def _code() -> Library:
    """Return the code all builtins share, which is kept for good."""
    return Library(assemble(builtin_module(abi.addresses())), ("builtin",))


def _context(kernel: CompiledProgram, binding: Binding) -> _Context:
    """Return the words for machine code."""
    ports, inputs, owner = kernel.outline, binding.inputs, binding.owner
    free = [k for k, each in enumerate(inputs or (None,) * len(ports.inputs)) if each is None]
    own = array("q", [0])
    kernel.load_entries()
    tables = (
        word_table([x for word, expected in binding.guards for x in (word.address, expected)]),
        word_table([0 if each is None else each.ctypes.data for each in inputs]),
        word_table([n for p in (*(ports.inputs[k] for k in free), *ports.outputs) for n in (len(p.shape), *p.shape)]),
        word_table([each.ctypes.data for each in binding.outputs or ()]),
        word_table([x for source, to in binding.copies for x in (source.ctypes.data, to.ctypes.data, source.nbytes)]),
    )
    guards, bound, shapes, targets, copies = map(ctypes.addressof, tables)
    context = _Context(
        entries=kernel.entries.buffer_info()[0],
        row_limit_count=0 if inputs or binding.outputs is not None else kernel.small_batch,
        owner=None if owner is None else owner.address,
        guards=guards, guard_count=len(binding.guards), bound=bound, bound_count=len(inputs), shapes=shapes,
        first_argument=free[0] if free else 0, argument_count=len(free),
        targets=None if binding.outputs is None else targets, output_count=len(ports.outputs),
        copies=copies, copy_count=len(binding.copies), counter=(binding.counter or Word(own, 0)).address,
    )  # fmt: skip
    context.kept = (kernel, binding, tables, own)
    return context


def word_table(words: Sequence[int]) -> ctypes.Array[ctypes.c_int64]:
    """Return words in memory."""
    return (ctypes.c_int64 * max(len(words), 1))(*words)
