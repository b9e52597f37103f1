"""Kernels as builtin functions that read and write memory of their own choosing.

Where `entry` makes a function of arrays, this makes one that is bound to buffers: most inputs, or the outputs, are
arrays known beforehand. It runs only in the thread that owns the buffers, and only while guarded words in memory are
what they should be. Where it cannot serve a call it answers NotImplemented, and whoever asked goes the long way.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Sequence
from typing import Any, final

import attrs

from rbd.native import abi
from rbd.native.bound_code import bound_module
from rbd.native.entry import new_builtin, supports
from rbd.native.jit import Library, assemble
from rbd.native.kernel import NativeKernel
from rbd.native.locks import once
from rbd.scalars.arrays import Array


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


@final
@attrs.frozen(eq=False)
class Binding:
    """What a builtin is bound to. All arrays are float64, C-contiguous, of the shapes the kernel wants."""

    owner: Word
    """Holds the thread that may call."""
    guards: tuple[tuple[Word, int], ...]
    """Words, and what must be in them."""
    inputs: tuple[Array | None, ...]
    """In the order of the kernel's; None for those that are arguments, which follow each other."""
    outputs: tuple[Array, ...] | None = None
    """Where results go; the builtin then returns None. Without them it returns a new array, or a tuple of several; a
    single one may go to `out`."""
    copies: tuple[tuple[Array, Array], ...] = ()
    """What is copied after success: from, to."""
    counter: Word | None = None
    """Counts successful calls that write to `outputs`."""


class _Context(ctypes.Structure):
    """The words machine code reads, in the order `bound_code` says, and everything that must live as long."""

    _fields_ = [
        ("kernel", ctypes.c_void_p),
        ("owner", ctypes.c_void_p),
        ("guards", ctypes.c_void_p),
        ("guard_count", ctypes.c_int64),
        ("inputs", ctypes.c_void_p),
        ("input_count", ctypes.c_int64),
        ("first_free", ctypes.c_int64),
        ("free_count", ctypes.c_int64),
        ("targets", ctypes.c_void_p),
        ("outputs", ctypes.c_int64),
        ("shapes", ctypes.c_void_p),
        ("copies", ctypes.c_void_p),
        ("copy_count", ctypes.c_int64),
        ("counter", ctypes.c_void_p),
        ("fresh", ctypes.c_void_p),
    ]
    kept: tuple[object, ...]


def make_bound(kernel: NativeKernel, binding: Binding, name: str = "") -> Callable[..., Any] | None:
    """Return a builtin bound to memory; None where there can be none: on interpreters that are not known."""
    ports = kernel.outline
    if not abi.known() or not supports(ports) or not ports.outputs:
        return None
    context, code = _context(kernel, binding), _code()
    context.kept = (*context.kept, code)
    return new_builtin(name or ports.name, code.address("bound"), "", context)


def _context(kernel: NativeKernel, binding: Binding) -> _Context:
    """Return the words for machine code."""
    ports, free = kernel.outline, [k for k, array in enumerate(binding.inputs) if array is None]
    shapes = [w for p in (*(ports.inputs[k] for k in free), *ports.outputs) for w in (len(p.shape), *p.shape)]
    own, code = array("q", [0]), kernel.single_library
    counter = Word(own, 0) if binding.counter is None else binding.counter
    tables = (
        _table([x for word, expected in binding.guards for x in (word.address, expected)]),
        _table([0 if each is None else each.ctypes.data for each in binding.inputs]),
        _table(shapes),
        _table([each.ctypes.data for each in binding.outputs or ()]),
        _table([x for source, to in binding.copies for x in (source.ctypes.data, to.ctypes.data, source.size)]),
    )
    guards, inputs, lengths, targets, copies = map(ctypes.addressof, tables)
    context = _Context(
        kernel=code.address("single"), owner=binding.owner.address, guards=guards,
        guard_count=len(binding.guards), inputs=inputs, input_count=len(binding.inputs),
        first_free=free[0] if free else 0, free_count=len(free), targets=None if binding.outputs is None else targets,
        outputs=len(ports.outputs), shapes=lengths, copies=copies, copy_count=len(binding.copies),
        counter=counter.address, fresh=code.address("fresh"),
    )  # fmt: skip
    context.kept = (kernel, code, binding, tables, own)
    return context


def _table(words: Sequence[int]) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * max(len(words), 1))(*words)


@once
def _code() -> Library:
    """Return the code all such builtins share, which is kept for good."""
    addresses = abi.addresses() | {"None": id(None), "NotImplemented": id(NotImplemented)}
    return Library(assemble(bound_module(addresses)), ("bound",))
