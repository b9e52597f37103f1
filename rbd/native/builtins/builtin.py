"""Compiled programs as builtin functions, made at run time.

The interpreter calls such a builtin directly. Machine code looks at every argument and, when all are arrays just as the
program wants them, runs it between them, memory the builtin is bound to, and new arrays. Batches and strided
arrays go the same way, once there is code for rows. In every other case (lists, other dtypes or shapes, most keywords,
a status that is not clean, no memory for results) it calls the fallback with the same arguments, which converts,
computes or raises; without a fallback it returns NotImplemented.

The code that looks at arguments is the same for all programs and made once per process. Addresses of this process are
baked into it, so it never goes to disk.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, final

import attrs

from rbd.native.builtins.builtin_ir import builtin_functions
from rbd.native.builtins.call_context import CONTEXT, MAX_LAYOUT_WORDS, MAX_PORTS
from rbd.native.builtins.context import (
    FAST_WITH_KEYWORDS,
    BuiltinContext,
    Copies,
    Guards,
    Table,
    Word,
    address_table,
    copy_table,
    guard_table,
    word_table,
)
from rbd.native.builtins.objects_ir import with_addresses
from rbd.native.builtins.parameters import CallSignature, Overloads, signature_words
from rbd.native.builtins.records import structure_fields
from rbd.native.compiled_program import CompiledProgram
from rbd.native.runtime import abi
from rbd.native.runtime.jit import Library, assemble_shared
from rbd.native.runtime.locks import once_under_compiler_lock
from rbd.scalars.arrays import Array

F = TypeVar("F", bound=Callable[..., object] | None)


@final
@attrs.frozen(eq=False)
class Binding:
    """Arrays and words of a builtin. All arrays are float64, C-contiguous, of the shapes of the program's ports."""

    owner: Word | None = None
    """Holds the thread that may call; None for any thread."""
    guards: Guards = ()
    inputs: tuple[Array | None, ...] = ()
    """In the order of the program's; None for those that are arguments, which follow each other. () makes all so."""
    outputs: tuple[Array, ...] | None = None
    """Arrays for the results; the builtin then returns None. Without them it returns a new array, or several; a
    single one may go to `out`."""
    copies: Copies = ()
    """Copies after success: from, to."""
    counter: Word | None = None
    """Counts successful calls that write to `outputs`."""
    signature: CallSignature | None = None
    """Parameters of calls with keywords; without it `out` is the only one, and for a single result."""
    series_input: int | None = None
    """Of a rollout: the input that may have a row per call. The last argument is the number of calls then."""


@final
class _CallContext(BuiltinContext):
    """The `self` of these builtins. Being called, it passes the call on to the fallback."""

    _fields_ = structure_fields(CONTEXT)

    fallback: Callable[..., object] | None

    def __call__(self, *arguments: object, **named: object) -> object:
        assert self.fallback is not None
        return self.fallback(*arguments, **named)


def make_builtin(
    compiled: CompiledProgram,
    fallback: F,
    binding: Binding | None = None,
    *,
    name: str = "",
    documentation: str = "",
    overloads: Overloads | None = None,
) -> Callable[..., Any] | F:
    """Return a builtin of a compiled program for one state; where that is not possible, `fallback` itself.

    It takes one C-contiguous float64 array per input that `binding` does not hold (a scalar input may be a float).
    Calls that do not fit its signature go to its `overloads`; every other call it does not serve goes to `fallback`;
    None stands for the result NotImplemented. `documentation` may begin with a signature, as builtins have it.
    """
    if not _is_possible(compiled, binding):
        return fallback
    context = _context(compiled, binding or Binding(), overloads, has_fallback=fallback is not None)
    context.fallback = fallback
    return context.builtin(_code().address("builtin"), name or compiled.outline.name, FAST_WITH_KEYWORDS, documentation)


def add_overload(compiled: CompiledProgram, binding: Binding, overloads: Overloads) -> None:
    """Add the builtin of another program to the overloads of a method, if that is possible."""
    if _is_possible(compiled, binding):
        overloads.append(_context(compiled, binding, None, has_fallback=False))


def _is_possible(compiled: CompiledProgram, binding: Binding | None) -> bool:
    """Return whether there may be a builtin of a program."""
    ports = compiled.outline
    arguments = len(ports.inputs) + (binding is not None and binding.series_input is not None)
    if not abi.is_supported() or max(arguments, len(ports.outputs)) > MAX_PORTS:
        return False
    if binding is not None and binding.signature is not None and not binding.signature.is_possible(arguments):
        return False
    return sum(1 + len(port.shape) for port in (*ports.inputs, *ports.outputs)) <= MAX_LAYOUT_WORDS


@once_under_compiler_lock
def _code() -> Library:
    """Return the code all builtins share, which is kept for good."""
    return Library(assemble_shared(with_addresses(builtin_functions(), abi.symbol_addresses())), ("builtin",))


def _context(
    compiled: CompiledProgram, binding: Binding, overloads: Overloads | None, *, has_fallback: bool
) -> _CallContext:
    """Return the words for machine code."""
    ports, inputs, owner = compiled.outline, binding.inputs, binding.owner
    free = [k for k, each in enumerate(inputs or (None,) * len(ports.inputs)) if each is None]
    counter = binding.counter or Word(array("q", [0]), 0)
    compiled.compile_single_unless_rows()
    argument_count = len(free) + (binding.series_input is not None)
    parameters, referenced = signature_words(binding.signature, argument_count)
    guards, copies = guard_table(binding.guards), copy_table(binding.copies)
    bound_inputs, bound_outputs = address_table(inputs), address_table(binding.outputs or ())
    shapes = _shape_table([*(ports.inputs[k].shape for k in free), *(port.shape for port in ports.outputs)])
    context = _CallContext.of(
        entries=compiled.entries.buffer_info()[0],
        max_small_batch_rows=0 if inputs or binding.outputs is not None else compiled.max_small_batch_rows,
        owner=None if owner is None else owner.address,
        guards=ctypes.addressof(guards), guard_count=len(binding.guards),
        bound_inputs=ctypes.addressof(bound_inputs), bound_input_count=len(inputs), shapes=ctypes.addressof(shapes),
        first_argument=free[0] if free else 0, argument_count=argument_count,
        series_input=-1 if binding.series_input is None else binding.series_input,
        bound_outputs=None if binding.outputs is None else ctypes.addressof(bound_outputs),
        output_count=len(ports.outputs),
        copies=ctypes.addressof(copies), copy_count=len(binding.copies), counter=counter.address,
        has_fallback=has_fallback,
        next_overload=None if overloads is None else overloads.first, **parameters,
    )  # fmt: skip
    tables = guards, bound_inputs, shapes, bound_outputs, copies
    context.references = (compiled, binding, tables, counter, referenced, overloads, _code())
    return context


def _shape_table(shapes: Sequence[tuple[int, ...]]) -> Table:
    """Return the number of axes and the lengths of all shapes."""
    return word_table([n for shape in shapes for n in (len(shape), *shape)])
