"""Cutting a program into functions of bearable size, and finding places for what crosses the cuts.

Straight-line code compiles in linear time only in pieces of about a thousand instructions. The order stays the recorded
one: it is the best one measured.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import zip_longest
from typing import final

import attrs

from rbd.intrinsics.intrinsic import Call
from rbd.native.loop_operands import RolledLoop, Roller
from rbd.program.opcodes import Op, operands_of
from rbd.program.program import Program
from rbd.program.rolling import THRESHOLD, Loop, find_loops

CHUNK = 1000
"""Instructions per function; measured: compile time becomes linear, run time is as good as that of one function."""
_LINE = 8
"""Doubles in a line of the cache."""


@final
@attrs.frozen
class Angle:
    """An operand whose sine or cosine is taken: instruction numbers of both, None for one not asked for."""

    operand: int
    sine: int | None
    cosine: int | None


@final
@attrs.frozen
class CallPlace:
    """Where a call of an intrinsic finds its memory, in workspace places."""

    call: Call
    inputs: int
    outputs: int
    work: int
    """Shared by all calls: the arrays to work in, or one lane's copy of all arrays."""
    together: bool
    """Whether all lanes go through the call together."""


@final
@attrs.frozen(eq=False)
class Plan:
    """How a program is cut: angles that are inputs go first and together, then chunks of instructions."""

    program: Program
    first_angles: tuple[Angle, ...]
    """Angles known from the start; their sines and cosines are packed into lanes even for one state."""
    later_angles: dict[int, Angle]
    """By instruction number of the earlier of sine and cosine, angles that are computed."""
    chunks: tuple[range, ...]
    slots: dict[int, int]
    """Instruction number -> place in the workspace, for values used in a later function than their own."""
    slot_count: int
    calls: dict[int, CallPlace]
    """By instruction number."""
    feeds: dict[int, list[int]]
    """Instruction number -> places where calls find its value; it is put there when it is computed."""
    first_feeds: tuple[tuple[int, int], ...]
    """(place, operand) of inputs and constants that calls and loops take."""
    loops: dict[int, RolledLoop]
    """By the number of their function among the chunks."""
    copies: dict[int, list[tuple[int, int]]]
    """(place to, place from) of what loops and calls leave for a call, by instruction number."""
    results: tuple[tuple[int, int], ...]
    """(output, place) of what loops and calls leave for outputs."""


def plan(program: Program, chunk: int = CHUNK, width: int = 1, threshold: int = THRESHOLD) -> Plan:
    """Cut `program` into functions of `chunk` instructions, for `width` lanes.

    Programs of more than `threshold` instructions are looked through for loops, each a function of its own.
    """
    roller = Roller(program, find_loops(program, threshold))
    first, later = _angles(program, roller)
    chunks = tuple(_chunks(len(program.code), chunk, roller.loops))
    homes = _homes(program, chunks, first, later)
    slots, count = _slots(program, homes, later, roller)
    calls, count = _call_places(program, _aligned(count) if program.calls else count, width)
    slots.update(_picks(program, calls))
    feeds, first_feeds = _feeds(program, calls)
    loops = dict[int, RolledLoop]()
    if roller.loops:
        count = roller.lay_out(count)
        slots = roller.place(slots)
        loops, count = _loops(roller, chunks, count)
        first_feeds += tuple((place, operand) for operand, place in roller.extra.items())
    left = _left_in_place(program, roller)
    feeds, copies = _split(feeds, calls, slots, left)
    inputs = input_count(program)
    results = tuple(
        (output, slots[operand - inputs]) for output, operand in enumerate(program.results) if operand - inputs in left
    )
    return Plan(program, first, later, chunks, slots, count, calls, feeds, first_feeds, loops, copies, results)


def _left_in_place(program: Program, roller: Roller) -> set[int]:
    """Return the results that stay where a loop or a call leaves them, to be copied from there."""
    return {index for index, code in enumerate(program.code) if code[0] == Op.PICK or roller.computed(index)}


def _chunks(size: int, chunk: int, loops: Sequence[Loop]) -> Iterator[range]:
    """Yield the instructions of every function: loops, and what lies between them in pieces."""
    start = 0
    for stop, following in [*((loop.first, loop.stop) for loop in loops), (size, size)]:
        yield from (range(first, min(first + chunk, stop)) for first in range(start, stop, chunk))
        if following > stop:
            yield range(stop, following)
        start = following


def _loops(roller: Roller, chunks: tuple[range, ...], count: int) -> tuple[dict[int, RolledLoop], int]:
    """Return the loops by function, and the number of places."""
    starts, found = {loop.first: k for k, loop in enumerate(roller.loops)}, dict[int, RolledLoop]()
    for number, chunk in enumerate(chunks):
        if chunk.start in starts:
            found[number], count = roller.find(starts[chunk.start], count)
    return found, count


def _split(
    feeds: dict[int, list[int]], calls: dict[int, CallPlace], slots: dict[int, int], left: set[int]
) -> tuple[dict[int, list[int]], dict[int, list[tuple[int, int]]]]:
    """Return the operands of calls that straight code computes, and those that are copied from other places."""
    owners = sorted((place.inputs, index) for index, place in calls.items())
    copies, starts = defaultdict[int, list[tuple[int, int]]](list), [start for start, _ in owners]
    for source in sorted(left.intersection(feeds)):
        for place in feeds[source]:
            copies[owners[bisect_right(starts, place) - 1][1]].append((place, slots[source]))
    return {source: places for source, places in feeds.items() if source not in left}, dict(copies)


def input_count(program: Program) -> int:
    """Return how many scalars go in."""
    return sum(port.size for port in program.inputs)


def _angles(program: Program, roller: Roller) -> tuple[tuple[Angle, ...], dict[int, Angle]]:
    """Return the angles that are inputs, and the others by the first instruction that needs them."""
    sines, cosines = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    for index, instruction in enumerate(program.code):
        if instruction[0] in (Op.SIN, Op.COS) and not roller.computed(index):
            (sines if instruction[0] == Op.SIN else cosines)[instruction[1]].append(index)
    inputs = input_count(program)
    angles = [
        Angle(operand, *pair)
        for operand in dict.fromkeys((*sines, *cosines))
        for pair in zip_longest(sines[operand], cosines[operand])
    ]
    first = tuple(angle for angle in angles if 0 <= angle.operand < inputs)
    later = {min(_members(angle)): angle for angle in angles if not 0 <= angle.operand < inputs}
    return first, later


def _members(angle: Angle) -> list[int]:
    return [index for index in (angle.sine, angle.cosine) if index is not None]


def _homes(
    program: Program, chunks: tuple[range, ...], first: tuple[Angle, ...], later: dict[int, Angle]
) -> dict[int, int]:
    """Return, per instruction, the number of the function that computes it; -1 is the one of the first angles."""
    homes = {index: number for number, chunk in enumerate(chunks) for index in chunk}
    for angle in first:
        homes.update(dict.fromkeys(_members(angle), -1))
    for start, angle in later.items():
        homes.update(dict.fromkeys(_members(angle), homes[start]))
    return homes


def _last_loads(program: Program, homes: dict[int, int], at: dict[int, int], roller: Roller) -> dict[int, int]:
    """Return, per value used in a later function than its own, the instruction for which the last one loads it."""
    inputs, last, loads = input_count(program), dict[int, int](), dict[int, int]()
    for index, instruction in enumerate(program.code):
        if instruction[0] in (Op.PICK, Op.CALL):
            continue  # their memory is in places of its own
        for operand in operands_of(instruction):
            source = operand - inputs
            if source < 0 or roller.rolled(source) or program.code[source][0] == Op.PICK:
                continue
            if max(homes[source], last.get(source, homes[source])) < homes[index]:
                last[source], loads[source] = homes[index], at.get(index, index)
    return loads


def _slots(
    program: Program, homes: dict[int, int], later: dict[int, Angle], roller: Roller
) -> tuple[dict[int, int], int]:
    """Return a workspace place per value that crosses functions, and how many places there are.

    A function loads a value once, for the first instruction that needs it: in the last function that does, the place
    is free from there on. The first places are taken again and again: they are the ones that are reached best.
    """
    at = {index: start for start, angle in later.items() for index in _members(angle)}
    loads = _last_loads(program, homes, at, roller)
    born = {index: at.get(index, index) if homes[index] >= 0 else -1 for index in loads}
    slots, free, taken = dict[int, int](), list[int](), list[tuple[int, int]]()
    for index in sorted(born, key=lambda index: (born[index], index)):
        while taken and taken[0][0] <= born[index]:
            heappush(free, heappop(taken)[1])
        slots[index] = heappop(free) if free else len(taken)
        heappush(taken, (loads[index], slots[index]))
    return slots, max(slots.values(), default=-1) + 1


def _call_places(program: Program, start: int, width: int) -> tuple[dict[int, CallPlace], int]:
    """Return where calls find their memory, behind `start` places, and the number of places in all."""
    indices = [index for index, instruction in enumerate(program.code) if instruction[0] == Op.CALL]
    calls = [program.calls[program.code[index][1]] for index in indices]
    work = start + sum(_aligned(size) for call in calls for size in _in_and_out(call))
    places, at = dict[int, CallPlace](), start
    for index, call in zip(indices, calls, strict=True):
        inputs, outputs = map(_aligned, _in_and_out(call))
        places[index] = CallPlace(call, at, at + inputs, work, _together(call, width))
        at += inputs + outputs
    return places, work + max((_work(call, width) for call in calls), default=0)


def _in_and_out(call: Call) -> tuple[int, int]:
    return sum(call.lengths.inputs), sum(call.lengths.outputs)


def _together(call: Call, width: int) -> bool:
    return width == 1 or call.intrinsic.is_steady


def _aligned(size: int) -> int:
    """Return a multiple of eight not below `size`, so that what follows begins with a line of the cache."""
    return -(-size // _LINE) * _LINE


def _work(call: Call, width: int) -> int:
    """Return how many places the arrays of one call need that it shares with others."""
    doubles = sum(call.lengths.work) + sum(call.lengths.integers)
    return doubles if _together(call, width) else -(-(doubles + sum(_in_and_out(call))) // width)


def _picks(program: Program, calls: dict[int, CallPlace]) -> dict[int, int]:
    """Return the places of picked outputs: where the call leaves them."""
    inputs, code = input_count(program), program.code
    return {
        index: calls[instruction[1] - inputs].outputs + instruction[2]
        for index, instruction in enumerate(code)
        if instruction[0] == Op.PICK
    }


def _feeds(program: Program, calls: dict[int, CallPlace]) -> tuple[dict[int, list[int]], tuple[tuple[int, int], ...]]:
    """Return where the operands of calls go: results of instructions, then inputs and constants."""
    inputs, feeds, first = input_count(program), defaultdict[int, list[int]](list), list[tuple[int, int]]()
    for index, place in calls.items():
        for slot, operand in enumerate(operands_of(program.code[index]), place.inputs):
            if operand >= inputs:
                feeds[operand - inputs].append(slot)
            else:
                first.append((slot, operand))
    return dict(feeds), tuple(first)
