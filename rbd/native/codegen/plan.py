"""Splits a program into functions and assigns spill slots in the workspace.

Straight-line code compiles in linear time only in functions of about a thousand instructions.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import chain, pairwise, repeat, zip_longest
from typing import final

import attrs

from rbd.intrinsics.intrinsic import IntrinsicCall
from rbd.native.codegen.loop_operands import LoopLayout, RolledLoop
from rbd.program.opcodes import Op, operands_of
from rbd.program.program import Program
from rbd.program.rolling import THRESHOLD, Loop, find_loops

CHUNK = 1000
"""Instructions per function; measured: compile time becomes linear, run time is as good as that of one function."""
_CACHE_LINE = 8
"""Doubles in a cache line."""


@final
@attrs.frozen
class SinCosPair:
    """An operand with the instruction numbers of its sine and cosine; None for one that is not computed."""

    operand: int
    sine: int | None
    cosine: int | None


@final
@attrs.frozen
class CallSlots:
    """Slots of a call of an intrinsic in the workspace."""

    call: IntrinsicCall
    inputs: int
    outputs: int
    work: int
    """Shared by all calls: work arrays, or one lane's copy of all arrays."""
    all_lanes: bool
    """Whether one call computes all lanes."""


@final
@attrs.frozen(eq=False)
class Plan:
    """The split of a program: sines and cosines of inputs first, then chunks of instructions."""

    program: Program
    input_angles: tuple[SinCosPair, ...]
    """Angles that are inputs; their sines and cosines are packed into lanes even for one state."""
    computed_angles: dict[int, SinCosPair]
    """Angles that instructions compute, by instruction number of the earlier of sine and cosine."""
    chunks: tuple[range, ...]
    slots: dict[int, int]
    """Instruction number -> workspace slot, for values used in a later function than their own."""
    slot_count: int
    calls: dict[int, CallSlots]
    """By instruction number."""
    argument_slots: dict[int, list[int]]
    """Instruction number -> slots of calls' arguments that it is stored to when it is computed."""
    initial_argument_slots: tuple[tuple[int, int], ...]
    """(slot, operand) of inputs and constants that calls and loops read."""
    late_argument_slots: dict[int, tuple[tuple[int, int], ...]]
    """Instruction number of a call with a region -> (slot, operand) of inputs and constants that it reads."""
    loops: dict[int, RolledLoop]
    """By the number of their function among the chunks."""
    copies: dict[int, list[tuple[int, int]]]
    """(slot to, slot from) of results of loops and calls that a call reads, by instruction number."""
    results: tuple[tuple[int, int], ...]
    """(output, slot) of outputs that loops and calls compute."""
    regions: dict[int, range]
    """Instruction number of a guarded call -> numbers of the functions that are skipped with it."""

    def stored_outputs(self) -> dict[int, list[int]]:
        """Return the outputs that instructions store when they are computed, by instruction number."""
        outputs: dict[int, list[int]] = {}
        first, copied = self.program.input_size, {output for output, _ in self.results}
        for output, operand in enumerate(self.program.results):
            if operand >= first and output not in copied:
                outputs.setdefault(operand - first, []).append(output)
        return outputs


def make_plan(
    program: Program,
    chunk: int = CHUNK,
    width: int = 1,
    threshold: int = THRESHOLD,
    regions: Sequence[range] = (),
) -> Plan:
    """Split `program` into functions of `chunk` instructions, for `width` lanes.

    In programs of more than `threshold` instructions, loops are recovered; each is a function of its own. Others may
    have `regions`, each of which ends with a guarded call.
    """
    recovered = () if regions else find_loops(program, threshold)
    layout, starts = LoopLayout(program, recovered), {each[-1]: each[0] for each in regions}
    input_angles, computed_angles = _angles(program, layout)
    chunks = tuple(_chunks(len(program.code), chunk, layout.loops, regions))
    kept = {} if layout.loops else _kept_operands(program, width, starts)
    function_of = _function_of(program, chunks, input_angles, computed_angles)
    slots, count = _slots(program, function_of, computed_angles, layout, starts, kept)
    calls, count = _call_slots(program, aligned(count) if program.calls else count, width)
    slots.update(_pick_slots(program, calls))
    slots.update({source: calls[call].inputs + place for source, (call, place) in kept.items()})
    slots, loops, count = _with_loops(layout, chunks, slots, count)
    arguments, initial, late = _argument_slots(program, calls, starts)
    in_memory = _results_in_memory(program, layout)
    arguments, copies = _split_copies(arguments, calls, slots, in_memory, starts)
    return Plan(
        program=program,
        input_angles=input_angles,
        computed_angles=computed_angles,
        chunks=chunks,
        slots=slots,
        slot_count=count,
        calls=calls,
        argument_slots=arguments,
        initial_argument_slots=(*initial, *((slot, operand) for operand, slot in layout.spilled_operands.items())),
        late_argument_slots=late,
        loops=loops,
        copies=copies,
        results=_result_slots(program, slots, in_memory),
        regions=_functions_of_regions(chunks, regions),
    )


def _functions_of_regions(chunks: Sequence[range], regions: Sequence[range]) -> dict[int, range]:
    """Return, by the call that ends a region, the numbers of its functions."""
    starts = [chunk.start for chunk in chunks]
    return {each[-1]: range(bisect_left(starts, each.start), bisect_left(starts, each.stop)) for each in regions}


def _results_in_memory(program: Program, layout: LoopLayout) -> set[int]:
    """Return the results of loops and calls, which are copied from the workspace."""
    return {index for index, code in enumerate(program.code) if code[0] == Op.PICK or layout.computed(index)}


def _chunks(size: int, chunk: int, loops: Sequence[Loop], regions: Sequence[range]) -> Iterator[range]:
    """Yield the instructions of every function: loops, and regions and the code between them in chunks."""
    start = 0
    for stop, following in [*((loop.first, loop.stop) for loop in loops), (size, size)]:
        cuts = [start, *(cut for each in regions for cut in (each.start, each.stop)), stop]
        for first, last in pairwise(cuts):
            yield from (range(k, min(k + chunk, last)) for k in range(first, last, chunk))
        if following > stop:
            yield range(stop, following)
        start = following


def _result_slots(program: Program, slots: dict[int, int], in_memory: set[int]) -> tuple[tuple[int, int], ...]:
    """Return (output, slot) of the outputs that are copied from the workspace."""
    sources = [(output, operand - program.input_size) for output, operand in enumerate(program.results)]
    return tuple((output, slots[source]) for output, source in sources if source in in_memory)


def _with_loops(
    layout: LoopLayout, chunks: tuple[range, ...], slots: dict[int, int], count: int
) -> tuple[dict[int, int], dict[int, RolledLoop], int]:
    """Return the slots of results with those of loops, the loops by function, and the number of slots."""
    if not layout.loops:
        return slots, {}, count
    count = layout.assign_slots(count)
    slots = layout.add_slots(slots)
    starts, rolled = {loop.first: k for k, loop in enumerate(layout.loops)}, dict[int, RolledLoop]()
    for number, chunk in enumerate(chunks):
        if chunk.start in starts:
            rolled[number], count = layout.resolve(starts[chunk.start], count)
    return slots, rolled, count


def _split_copies(
    argument_slots: dict[int, list[int]],
    calls: dict[int, CallSlots],
    slots: dict[int, int],
    in_memory: set[int],
    starts: Mapping[int, int],
) -> tuple[dict[int, list[int]], dict[int, list[tuple[int, int]]]]:
    """Return the arguments of calls that straight code computes, and those that are copied from other slots.

    Calls with regions copy what is computed outside.
    """
    owners = sorted((call_slots.inputs, index) for index, call_slots in calls.items())
    stored, copies = defaultdict[int, list[int]](list), defaultdict[int, list[tuple[int, int]]](list)
    first_slots = [start for start, _ in owners]
    for slot, source in sorted((slot, source) for source, every in argument_slots.items() for slot in every):
        call = owners[bisect_right(first_slots, slot) - 1][1]
        if source in in_memory or source < starts.get(call, 0):
            copies[call].append((slot, slots[source]))
        elif slot != slots.get(source):
            stored[source].append(slot)
    return dict(stored), dict(copies)


def _angles(program: Program, layout: LoopLayout) -> tuple[tuple[SinCosPair, ...], dict[int, SinCosPair]]:
    """Return the angles that are inputs, and the others by the first instruction that needs them."""
    sines, cosines = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    for index, instruction in enumerate(program.code):
        if instruction[0] in (Op.SIN, Op.COS) and not layout.computed(index):
            (sines if instruction[0] == Op.SIN else cosines)[instruction[1]].append(index)
    inputs = program.input_size
    angles = [
        SinCosPair(operand, *pair)
        for operand in dict.fromkeys((*sines, *cosines))
        for pair in zip_longest(sines[operand], cosines[operand])
    ]
    first = tuple(angle for angle in angles if 0 <= angle.operand < inputs)
    later = {min(_members(angle)): angle for angle in angles if not 0 <= angle.operand < inputs}
    return first, later


def _members(angle: SinCosPair) -> list[int]:
    return [index for index in (angle.sine, angle.cosine) if index is not None]


def _function_of(
    program: Program, chunks: tuple[range, ...], first: tuple[SinCosPair, ...], later: dict[int, SinCosPair]
) -> dict[int, int]:
    """Return, per instruction, the number of the function that computes it; -1 is that of the input angles."""
    function_of = {index: number for number, chunk in enumerate(chunks) for index in chunk}
    for angle in first:
        function_of.update(dict.fromkeys(_members(angle), -1))
    for start, angle in later.items():
        function_of.update(dict.fromkeys(_members(angle), function_of[start]))
    return function_of


def _last_loads(
    program: Program,
    function_of: dict[int, int],
    at: dict[int, int],
    layout: LoopLayout,
    starts: Mapping[int, int],
) -> dict[int, int]:
    """Return, per value used in a later function than its own, the instruction for which the last one loads it."""
    inputs, last, loads = program.input_size, dict[int, int](), dict[int, int]()
    for index, instruction in enumerate(program.code):
        if instruction[0] in (Op.PICK, Op.CALL) and index not in starts:
            continue  # they have slots of their own
        function = function_of[index]
        for operand in operands_of(instruction):
            source = operand - inputs
            if source < 0 or max(function_of[source], last.get(source, -1)) >= function:
                continue
            is_stored = source >= starts.get(index, index)  # to the slots of a call, in its region
            if not is_stored and not layout.rolled(source) and program.code[source][0] != Op.PICK:
                last[source], loads[source] = function, at.get(index, index)
    return loads


def _slots(
    program: Program,
    function_of: dict[int, int],
    later: dict[int, SinCosPair],
    layout: LoopLayout,
    starts: Mapping[int, int],
    kept: Collection[int],
) -> tuple[dict[int, int], int]:
    """Return a workspace slot per value that crosses functions, and the number of slots.

    Those that are `kept` elsewhere have none.

    A function loads a value once, for the first instruction that needs it; in the last function that does, the slot
    is free from there on. Low slots are reused first: they are the cheapest to address.
    """
    at = {index: start for start, angle in later.items() for index in _members(angle)}
    loads = _last_loads(program, function_of, at, layout, starts)
    defined_at = {index: at.get(index, index) if function_of[index] >= 0 else -1 for index in loads.keys() - kept}
    slots, free, live = dict[int, int](), list[int](), list[tuple[int, int]]()
    for index in sorted(defined_at, key=lambda index: (defined_at[index], index)):
        while live and live[0][0] <= defined_at[index]:
            heappush(free, heappop(live)[1])
        slots[index] = heappop(free) if free else len(live)
        heappush(live, (loads[index], slots[index]))
    return slots, max(slots.values(), default=-1) + 1


def _kept_operands(program: Program, width: int, starts: Mapping[int, int]) -> dict[int, tuple[int, int]]:
    """Return, per value that an operand slot of a call keeps, the call's instruction number and the operand's place.

    Calls that write to an operand keep none of its array, nor do those with regions: they may be skipped.
    """
    inputs, kept = program.input_size, dict[int, tuple[int, int]]()
    for index, instruction in enumerate(program.code):
        if instruction[0] != Op.CALL or index in starts:
            continue
        call = program.calls[instruction[1]]
        written = call.intrinsic.written_operands if _all_lanes_together(call, width) else frozenset[str]()
        lengths = zip(call.intrinsic.layout.names("operand"), call.lengths.inputs, strict=True)
        keeps = chain.from_iterable(repeat(name not in written, length) for name, length in lengths)
        for place, (operand, stays) in enumerate(zip(operands_of(instruction), keeps, strict=True)):
            if stays and operand >= inputs and program.code[operand - inputs][0] != Op.PICK:
                kept.setdefault(operand - inputs, (index, place))
    return kept


def _call_slots(program: Program, start: int, width: int) -> tuple[dict[int, CallSlots], int]:
    """Return the slots of calls, from `start` on, and the number of slots in all."""
    indices = [index for index, instruction in enumerate(program.code) if instruction[0] == Op.CALL]
    calls = [program.calls[program.code[index][1]] for index in indices]
    work = start + sum(aligned(size) for call in calls for size in _in_and_out(call))
    slots, at = dict[int, CallSlots](), start
    for index, call in zip(indices, calls, strict=True):
        inputs, outputs = map(aligned, _in_and_out(call))
        slots[index] = CallSlots(call, at, at + inputs, work, _all_lanes_together(call, width))
        at += inputs + outputs
    return slots, work + max((_work_size(call, width) for call in calls), default=0)


def _in_and_out(call: IntrinsicCall) -> tuple[int, int]:
    return sum(call.lengths.inputs), sum(call.lengths.outputs)


def _all_lanes_together(call: IntrinsicCall, width: int) -> bool:
    return width == 1 or call.intrinsic.has_uniform_control_flow


def aligned(size: int) -> int:
    """Return `size` rounded up to whole cache lines."""
    return -(-size // _CACHE_LINE) * _CACHE_LINE


def _work_size(call: IntrinsicCall, width: int) -> int:
    """Return the number of slots of the work area of a call, which all calls share."""
    doubles = sum(call.lengths.work) + sum(call.lengths.integers)
    return doubles if _all_lanes_together(call, width) else -(-(doubles + sum(_in_and_out(call))) // width)


def _pick_slots(program: Program, calls: dict[int, CallSlots]) -> dict[int, int]:
    """Return the slots of picked outputs: those of the call's outputs."""
    inputs, code = program.input_size, program.code
    return {
        index: calls[instruction[1] - inputs].outputs + instruction[2]
        for index, instruction in enumerate(code)
        if instruction[0] == Op.PICK
    }


def _argument_slots(
    program: Program, calls: dict[int, CallSlots], starts: Mapping[int, int]
) -> tuple[dict[int, list[int]], tuple[tuple[int, int], ...], dict[int, tuple[tuple[int, int], ...]]]:
    """Return the slots of calls' arguments: of results of instructions, then of inputs and constants.

    Inputs and constants of calls with regions are apart.
    """
    inputs, argument_slots, first = program.input_size, defaultdict[int, list[int]](list), list[tuple[int, int]]()
    late = dict[int, tuple[tuple[int, int], ...]]()
    for index, call_slots in calls.items():
        given = list[tuple[int, int]]()
        for slot, operand in enumerate(operands_of(program.code[index]), call_slots.inputs):
            if operand >= inputs:
                argument_slots[operand - inputs].append(slot)
            else:
                given.append((slot, operand))
        if index in starts:
            late[index] = tuple(given)
        else:
            first += given
    return dict(argument_slots), tuple(first), late
