"""Workspace slots of values that cross functions: register allocation by last use, with low slots first."""

from __future__ import annotations

from collections.abc import Collection
from heapq import heappop, heappush

from rbd.native.codegen.function_split import FunctionSplit
from rbd.program.opcodes import Op, operands_of


def value_slots(split: FunctionSplit, kept: Collection[int]) -> tuple[dict[int, int], int]:
    """Return a workspace slot per value that crosses functions, and the number of slots.

    Values that are `kept` in slots of calls have none.

    A function loads a value once, for the first instruction that needs it; in the last function that does, the slot
    is free from there on. Low slots are reused first: they are the cheapest to address.
    """
    at, loads = split.computed_at, _last_loads(split)
    defined_at = {index: at.get(index, index) if split.function_of[index] >= 0 else -1 for index in loads.keys() - kept}
    slots, free, live = dict[int, int](), list[int](), list[tuple[int, int]]()
    for index in sorted(defined_at, key=lambda index: (defined_at[index], index)):
        while live and live[0][0] <= defined_at[index]:
            heappush(free, heappop(live)[1])
        slots[index] = heappop(free) if free else len(live)
        heappush(live, (loads[index], slots[index]))
    return slots, max(slots.values(), default=-1) + 1


def _last_loads(split: FunctionSplit) -> dict[int, int]:
    """Return, per value used in a later function than its own, the instruction for which the last one loads it."""
    input_size, code, starts = split.program.input_size, split.program.code, split.region_starts
    function_of, at = split.function_of, split.computed_at
    last, loads = dict[int, int](), dict[int, int]()
    for index, instruction in enumerate(code):
        if instruction[0] in (Op.PICK, Op.CALL) and index not in starts:
            continue  # they have slots of their own
        function = function_of[index]
        for operand in operands_of(instruction):
            source = operand - input_size
            if source < 0 or max(function_of[source], last.get(source, -1)) >= function:
                continue
            is_stored = source >= starts.get(index, index)  # to the slots of a call, in its region
            if not is_stored and not split.layout.contains(source) and code[source][0] != Op.PICK:
                last[source], loads[source] = function, at.get(index, index)
    return loads
