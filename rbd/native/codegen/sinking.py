"""Code sinking: what only a guarded call needs is computed in front of it, in a region that is skipped with the call.

A guarded call, such as a solver that is rarely needed, is skipped where its last operand is zero in all lanes. Then
instructions whose results nothing else uses need not run either. Instructions stay the same, so that bits do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, final

from rbd.native.codegen.ordering import reordered
from rbd.program.opcodes import Op, operands_of
from rbd.program.program import Program

_STAYS: Final = frozenset((Op.CALL, Op.PICK, Op.POSITIVE, Op.SIN, Op.COS))
"""Operations that are never in a region: they may fail, or are computed together with others."""
_NOWHERE: Final = -1


@final
class SunkProgram(NamedTuple):
    """A program with the regions of its guarded calls: ranges of instructions of which the last one is the call."""

    program: Program
    regions: tuple[range, ...]


def sink_guarded_code(program: Program) -> SunkProgram:
    """Return an equivalent program in which regions are in front of their calls."""
    owners = _owners(program)
    if not owners:
        return SunkProgram(program, ())
    order = list(_order(program, owners))
    return SunkProgram(reordered(program, order), _regions(order, owners))


def is_sinkable(program: Program, instruction: tuple[int, ...]) -> bool:
    """Return whether an instruction is a guarded call whose guard is computed."""
    if instruction[0] != Op.CALL or not program.calls[instruction[1]].intrinsic.guarded:
        return False
    return instruction[-1] >= program.input_size


def _owners(program: Program) -> dict[int, int]:
    """Return, per instruction in a region, the call it is sunk to; calls are in their own regions."""
    first, owners = program.input_size, dict.fromkeys((r - program.input_size for r in program.results), _NOWHERE)
    for index in reversed(range(len(program.code))):
        instruction = program.code[index]
        owner = owners.get(index, _NOWHERE)
        if is_sinkable(program, instruction):
            owner = owners[index] = index
            owners[instruction[-1] - first] = _NOWHERE
        elif instruction[0] in _STAYS:
            owner = owners[index] = _NOWHERE
        for operand in operands_of(instruction):
            if owners.setdefault(operand - first, owner) != owner:
                owners[operand - first] = _NOWHERE
    return {index: owner for index, owner in owners.items() if index >= 0 and owner != _NOWHERE}


def _order(program: Program, owners: dict[int, int]) -> Iterator[int]:
    """Yield the instructions in their new order."""
    sunk = dict[int, list[int]]()
    for index in sorted(owners):
        sunk.setdefault(owners[index], []).append(index)
    for index in range(len(program.code)):
        if index not in owners:
            yield index
        elif owners[index] == index:
            yield from sunk[index]


def _regions(order: list[int], owners: dict[int, int]) -> tuple[range, ...]:
    """Return the places of regions in the new order."""
    starts = dict[int, int]()
    for place, index in enumerate(order):
        if index in owners:
            starts.setdefault(owners[index], place)
    ends = {index: place + 1 for place, index in enumerate(order) if owners.get(index) == index}
    return tuple(range(starts[call], ends[call]) for call in sorted(starts))
