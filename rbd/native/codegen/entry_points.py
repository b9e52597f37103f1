"""Entry points of a program for one state, with memory of their own or of the caller.

An entry point checks that inputs and outputs are finite, and writes outputs only if the status is clean.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, final

import attrs

from rbd.native.codegen.bounds import outputs_to_test
from rbd.native.codegen.call_slots import aligned
from rbd.native.codegen.finite import any_nonfinite
from rbd.native.codegen.ir import ALIGNMENT_BYTES, Lanes, Write, Writer, attributes
from rbd.native.codegen.signature import write_call
from rbd.native.codegen.statuses import first_status
from rbd.program.ports import Port, offsets
from rbd.program.program import Program
from rbd.program.status import BAD_INPUT, BAD_OUTPUT, NO_MEMORY

STACK_LIMIT: Final = 64 * 1024
"""Maximum size in bytes of a workspace on the stack; larger ones are allocated: threads have small stacks."""
_PADDING = 16
"""Doubles behind the workspace and behind the outputs, so that both blocks may be rounded up to cache lines."""


@final
class ScratchMemory:
    """Memory of one call: values that cross functions, outputs, and blocks of inputs for lanes."""

    def __init__(self, w: Writer, doubles: int) -> None:
        """Write the allocation of `doubles` doubles, aligned for vectors."""
        self._w, bytes_needed = w, 8 * doubles + ALIGNMENT_BYTES
        self.on_heap = bytes_needed > STACK_LIMIT
        if self.on_heap:
            self._raw = w.call("ptr", "@rbd_malloc", f"i64 {bytes_needed}")
            self.pointer = w.aligned(self._raw)
        else:
            self.pointer = w.assign(f"alloca [{doubles} x double], align {ALIGNMENT_BYTES}")

    def require(self, fail: Write) -> None:
        """Write the end of the function by `fail` for the case that the allocation fails."""
        if self.on_heap:
            self._w.if_(self._w.is_null(self._raw), fail)

    def free(self) -> None:
        """Write the release of memory from the heap."""
        if self.on_heap:
            self._w.call("void", "@rbd_free", f"ptr {self._raw}")


@final
class CallerMemory:
    """Memory that the caller of a function gives."""

    pointer = "%ws"

    def require(self, fail: Write) -> None:
        """Write nothing: the memory is there."""

    def free(self) -> None:
        """Write nothing: the memory is the caller's."""


def workspace_size(program: Program, slots: int) -> int:
    """Return the number of doubles of the workspace of a `workspace_function`."""
    return slots + program.output_size + _PADDING


def workspace_function(name: str, program: Program, slots: int, names: list[str]) -> str:
    """Return `i64 @name(ptr in, ptr out, ptr ws)`, which computes one state in memory that the caller gives."""
    return _function(_Variant(name, outputs_to_test(program), takes_workspace=True), program, slots, names)


def single_functions(program: Program, slots: int, names: list[str]) -> str:
    """Return `i64 @single(ptr in, ptr out)` and `@in_place`, which may leave anything in outputs if the status is bad.

    Both compute one state. The second is for new arrays as outputs, which are not visible before the status is known,
    and are written in place.
    """
    tested = outputs_to_test(program)
    variants = _Variant("single", tested), _Variant("in_place", tested, in_place=True)
    return "".join(_function(variant, program, slots, names) for variant in variants)


@final
@attrs.frozen
class _Variant:
    """A function that computes one state."""

    name: str
    tested: list[range]
    """The outputs that are tested."""
    in_place: bool = False
    """Whether outputs are computed where they go."""
    takes_workspace: bool = False
    """Whether the caller gives the memory."""


def _function(variant: _Variant, program: Program, slots: int, names: list[str]) -> str:
    """Return a function that computes one state."""
    w, last = Writer(), ", ptr noalias %ws" if variant.takes_workspace else ""
    w.begin_function(f"i64 @{variant.name}(ptr noalias %in, ptr noalias %out{last}) {attributes(1)}")
    memory = _memory(w, variant, program, slots)
    outputs = _targets(w, program) if variant.in_place else _own(w, program, w.address(memory.pointer, aligned(slots)))
    status = w.assign("alloca i64, align 8")
    w.store("i64", "0", status)
    _run(w, variant, program, names, (outputs, memory.pointer, status))
    result = w.load("i64", status)
    memory.free()
    w.end_function(f"i64 {result}")
    return w.text()


def _memory(w: Writer, variant: _Variant, program: Program, slots: int) -> CallerMemory | ScratchMemory:
    """Return the workspace and block of outputs of a function, which ends without that memory."""
    size = workspace_size(program, slots) - (program.output_size if variant.in_place else 0)
    memory = CallerMemory() if variant.takes_workspace else ScratchMemory(w, size)
    memory.require(lambda: w.ret(f"i64 {NO_MEMORY}"))
    return memory


def _run(
    w: Writer, variant: _Variant, program: Program, names: list[str], pointers: tuple[list[str], str, str]
) -> None:
    """Write the check of inputs and the computation; `pointers` are those to outputs, workspace and status."""
    outputs, workspace, status = pointers
    ports = [w.load("ptr", w.address("%in", k, "ptr")) for k in range(len(program.inputs))]
    bad_input = any_nonfinite(w, _sized(ports, program.inputs))

    def run() -> None:
        for name in names:
            write_call(w, name, (*ports, *outputs, workspace, status))
        _finish(w, variant, program, outputs, status)

    w.if_(bad_input, lambda: w.store("i64", str(BAD_INPUT), status), run)


def _targets(w: Writer, program: Program) -> list[str]:
    """Return the pointers to the caller's outputs."""
    return [w.load("ptr", w.address("%out", k, "ptr")) for k in range(len(program.outputs))]


def _own(w: Writer, program: Program, start: str) -> list[str]:
    """Return pointers to memory for all outputs from `start` on."""
    return [w.address(start, before) for before, _ in offsets(program.outputs)]


def _sized(pointers: Sequence[str], ports: Sequence[Port]) -> list[tuple[str, int]]:
    return [(pointer, port.size) for pointer, port in zip(pointers, ports, strict=True)]


def _finish(w: Writer, variant: _Variant, program: Program, blocks: Sequence[str], status: str) -> None:
    """Write the end of the computation: the check of outputs, and their copying if the status is clean."""
    if variant.tested:
        _set_output_status(w, status, any_nonfinite(w, list(_tested(w, variant, program, blocks))))
    if not variant.in_place:
        clean = w.test(f"eq i64 {w.load('i64', status)}, 0")
        w.if_(clean, lambda: _copy_outputs(w, program, blocks))


def _tested(w: Writer, variant: _Variant, program: Program, blocks: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Write the addresses of tested outputs; yield pointers and lengths."""
    for block, (start, port) in zip(blocks, offsets(program.outputs), strict=True):
        for each in variant.tested:
            if start <= each.start < start + port.size:
                yield w.address(block, each.start - start), len(each)


def _set_output_status(w: Writer, status: str, bad_output: str) -> None:
    """Write the status of an output that is not finite, unless a check has failed before."""
    earlier, later = w.load("i64", status), w.select("i64", bad_output, BAD_OUTPUT, "0")
    w.store("i64", first_status(w, Lanes(1), earlier, later), status)


def _copy_outputs(w: Writer, program: Program, blocks: Sequence[str]) -> None:
    """Write the copying of all outputs to the caller's."""
    for target, (source, size) in zip(_targets(w, program), _sized(blocks, program.outputs), strict=True):
        memory = f"ptr align 8 {target}", f"ptr align 8 {source}", f"i64 {8 * size}"
        w.call("void", "@llvm.memcpy.p0.p0.i64", *memory, "i1 false")
