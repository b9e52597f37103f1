"""Workspace slots of calls of intrinsics: operands, results, and a work area that all calls share.

An operand that an instruction computes is stored to the slot of the call at once; one that a loop or another call
leaves in the workspace is copied before the call. A value that a slot of an operand keeps is read from there by others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain, count, repeat
from typing import NamedTuple, final

import attrs

from rbd.intrinsics.intrinsic import IntrinsicCall
from rbd.native.codegen.function_split import FunctionSplit
from rbd.program.opcodes import Op, operands_of
from rbd.program.program import Program

_CACHE_LINE = 8
"""Doubles in a cache line."""


@final
@attrs.frozen
class CallSlots:
    """Slots of a call of an intrinsic in the workspace."""

    call: IntrinsicCall
    operands: int
    results: int
    work: int
    """Shared by all calls: work arrays, or one lane's copy of all arrays."""
    all_lanes: bool
    """Whether one call computes all lanes."""


def call_slots(program: Program, start: int, width: int) -> tuple[dict[int, CallSlots], int]:
    """Return the slots of calls, from `start` on, and the number of slots in all."""
    indices = [index for index, instruction in enumerate(program.code) if instruction[0] == Op.CALL]
    calls = [program.calls[program.code[index][1]] for index in indices]
    work = start + sum(aligned(size) for call in calls for size in _entry_counts(call))
    slots, at = dict[int, CallSlots](), start
    for index, call in zip(indices, calls, strict=True):
        operands, results = map(aligned, _entry_counts(call))
        slots[index] = CallSlots(call, at, at + operands, work, _all_lanes_together(call, width))
        at += operands + results
    return slots, work + max((_work_size(call, width) for call in calls), default=0)


def _entry_counts(call: IntrinsicCall) -> tuple[int, int]:
    return sum(call.lengths.operands), sum(call.lengths.results)


def _all_lanes_together(call: IntrinsicCall, width: int) -> bool:
    return width == 1 or call.intrinsic.has_uniform_control_flow


def aligned(size: int) -> int:
    """Return `size` rounded up to whole cache lines."""
    return -(-size // _CACHE_LINE) * _CACHE_LINE


def _work_size(call: IntrinsicCall, width: int) -> int:
    """Return the number of slots of the work area of a call, which all calls share."""
    doubles = sum(call.lengths.work_floats) + sum(call.lengths.work_ints)
    return doubles if _all_lanes_together(call, width) else -(-(doubles + sum(_entry_counts(call))) // width)


def pick_slots(program: Program, calls: dict[int, CallSlots]) -> dict[int, int]:
    """Return the slots of picked results: those of the call's results."""
    input_size, code = program.input_size, program.code
    return {
        index: calls[instruction[1] - input_size].results + instruction[2]
        for index, instruction in enumerate(code)
        if instruction[0] == Op.PICK
    }


def kept_operands(split: FunctionSplit) -> dict[int, tuple[int, int]]:
    """Return, per value that an operand slot of a call keeps, the call's instruction number and the operand's place.

    Calls that write to an operand keep none of its array, nor do those with regions: they may be skipped. Programs with
    loops keep none.
    """
    program, kept = split.program, dict[int, tuple[int, int]]()
    for index, instruction in enumerate(program.code):
        if instruction[0] != Op.CALL or index in split.region_starts or split.layout.loops:
            continue
        stays = _kept_places(program.calls[instruction[1]], split.lanes)
        for place, (operand, is_kept) in enumerate(zip(operands_of(instruction), stays, strict=True)):
            source = operand - program.input_size
            if is_kept and source >= 0 and program.code[source][0] != Op.PICK:
                kept.setdefault(source, (index, place))
    return kept


def _kept_places(call: IntrinsicCall, width: int) -> chain[bool]:
    """Return of each operand of a call whether its slot keeps it."""
    written = call.intrinsic.written_operands if _all_lanes_together(call, width) else frozenset[str]()
    lengths = zip(call.intrinsic.layout.names("operand"), call.lengths.operands, strict=True)
    return chain.from_iterable(repeat(name not in written, length) for name, length in lengths)


@final
class OperandSlots(NamedTuple):
    """Slots of operands of calls, by how the operands come into them."""

    stored: dict[int, list[int]]
    """Instruction number -> slots that it is stored to when it is computed."""
    copies: dict[int, list[tuple[int, int]]]
    """Instruction number of a call -> (slot to, slot from) of what other slots have."""
    initial: tuple[tuple[int, int], ...]
    """(slot, operand) of inputs and constants, stored at the beginning."""
    late: dict[int, tuple[tuple[int, int], ...]]
    """Instruction number of a call with a region -> (slot, operand) of inputs and constants, stored in the region."""

    @classmethod
    def of(cls, split: FunctionSplit, calls: Mapping[int, CallSlots], slots: Mapping[int, int]) -> OperandSlots:
        """Return the slots of operands of all calls, for the slots of values."""
        stored, copies = defaultdict[int, list[int]](list), defaultdict[int, list[tuple[int, int]]](list)
        for slot, source, call in _computed_operands(split.program, calls):
            if split.is_in_memory(source) or source < split.region_starts.get(call, 0):
                copies[call].append((slot, slots[source]))
            elif slot != slots.get(source):
                stored[source].append(slot)
        given = {call: tuple(_given_operands(split.program, call, each)) for call, each in calls.items()}
        late = {call: each for call, each in given.items() if call in split.region_starts}
        initial = chain.from_iterable(each for call, each in given.items() if call not in late)
        return cls(dict(stored), dict(copies), tuple(initial), late)


def _slots_of_operands(program: Program, call: int, slots: CallSlots) -> Iterator[tuple[int, int]]:
    """Yield the slot of each operand of a call, and the operand."""
    return zip(count(slots.operands), operands_of(program.code[call]))


def _given_operands(program: Program, call: int, slots: CallSlots) -> Iterator[tuple[int, int]]:
    """Yield (slot, operand) of the inputs and constants of a call."""
    return (each for each in _slots_of_operands(program, call, slots) if each[1] < program.input_size)


def _computed_operands(program: Program, calls: Mapping[int, CallSlots]) -> list[tuple[int, int, int]]:
    """Return (slot, instruction number, call) of the operands that instructions compute, by slot."""
    return sorted(
        (slot, operand - program.input_size, call)
        for call, slots in calls.items()
        for slot, operand in _slots_of_operands(program, call, slots)
        if operand >= program.input_size
    )
