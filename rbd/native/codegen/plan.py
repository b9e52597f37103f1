"""Plan of a program's machine code: its functions, and the slots of the workspace through which they share numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

import attrs

from rbd.lazy_property import lazy_property
from rbd.native.codegen.call_slots import CallSlots, OperandSlots, aligned, call_slots, kept_operands, pick_slots
from rbd.native.codegen.function_split import CHUNK_SIZE, FunctionSplit, SinCosPair
from rbd.native.codegen.loop_operands import RolledLoop
from rbd.native.codegen.value_slots import value_slots
from rbd.program.program import Program
from rbd.program.rolling import ROLLING_THRESHOLD


@final
@attrs.frozen(eq=False, slots=False)
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
    operand_slots: dict[int, list[int]]
    """Instruction number -> slots of calls' operands that it is stored to when it is computed."""
    initial_operand_slots: tuple[tuple[int, int], ...]
    """(slot, operand) of inputs and constants that calls and loops read."""
    late_operand_slots: dict[int, tuple[tuple[int, int], ...]]
    """Instruction number of a call with a region -> (slot, operand) of inputs and constants that it reads."""
    loops: dict[int, RolledLoop]
    """By the number of their function among the chunks."""
    copies: dict[int, list[tuple[int, int]]]
    """(slot to, slot from) of results of loops and calls that a call reads, by instruction number."""
    output_slots: tuple[tuple[int, int], ...]
    """(output, slot) of outputs that loops and calls compute."""
    regions: dict[int, range]
    """Instruction number of a guarded call -> numbers of the functions that are skipped with it."""

    @lazy_property
    def stored_outputs(self) -> dict[int, list[int]]:
        """The outputs that instructions store when they are computed, by instruction number."""
        outputs: dict[int, list[int]] = {}
        first, copied = self.program.input_size, {output for output, _ in self.output_slots}
        for output, operand in enumerate(self.program.results):
            if operand >= first and output not in copied:
                outputs.setdefault(operand - first, []).append(output)
        return outputs


def make_plan(
    program: Program,
    chunk_size: int = CHUNK_SIZE,
    lanes: int = 1,
    rolling_threshold: int = ROLLING_THRESHOLD,
    regions: Sequence[range] = (),
) -> Plan:
    """Split `program` into functions of `chunk_size` instructions, for so many lanes.

    In programs of more than `rolling_threshold` instructions, loops are recovered; each is a function of its own.
    Others may have `regions`, each of which ends with a guarded call. The workspace has slots of values, of calls, then
    of loops.
    """
    split = FunctionSplit.of(program, chunk_size, lanes, rolling_threshold, regions)
    slots, calls, count = _slots_of_values_and_calls(split)
    placed = split.layout.placed(slots, count)
    operands = OperandSlots.of(split, calls, placed.slots)
    return Plan(
        program=program,
        input_angles=split.input_angles,
        computed_angles=split.computed_angles,
        chunks=split.chunks,
        slots=placed.slots,
        slot_count=placed.slot_count,
        calls=calls,
        operand_slots=operands.stored,
        initial_operand_slots=(*operands.initial, *placed.spilled),
        late_operand_slots=operands.late,
        loops=_loops_by_function(split, placed.loops),
        copies=operands.copies,
        output_slots=_output_slots(split, placed.slots),
        regions=split.functions_of_regions,
    )


def _slots_of_values_and_calls(split: FunctionSplit) -> tuple[dict[int, int], dict[int, CallSlots], int]:
    """Return the slots of values that cross functions, those of calls, and the number of slots.

    Outputs of calls that are picked, and values that slots of operands keep, are in the slots of the calls.
    """
    program, kept = split.program, kept_operands(split)
    slots, count = value_slots(split, kept)
    calls, count = call_slots(program, aligned(count) if program.calls else count, split.lanes)
    slots.update(pick_slots(program, calls))
    slots.update({source: calls[call].operands + place for source, (call, place) in kept.items()})
    return slots, calls, count


def _loops_by_function(split: FunctionSplit, loops: Sequence[RolledLoop]) -> dict[int, RolledLoop]:
    """Return the loops by the numbers of the functions that they are."""
    by_start = {rolled.loop.first: rolled for rolled in loops}
    starts = enumerate(chunk.start for chunk in split.chunks)
    return {number: by_start[start] for number, start in starts if start in by_start}


def _output_slots(split: FunctionSplit, slots: Mapping[int, int]) -> tuple[tuple[int, int], ...]:
    """Return (output, slot) of the outputs that are copied from the workspace."""
    first = split.program.input_size
    sources = [(output, operand - first) for output, operand in enumerate(split.program.results) if operand >= first]
    return tuple((output, slots[source]) for output, source in sources if split.is_in_memory(source))
