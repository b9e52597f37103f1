"""Cutting a program into functions of bearable size, and finding places for what crosses the cuts.

Room: native; knows nothing of robots. May import: errors and scalars. Straight-line code compiles in linear time only
in pieces of about a thousand instructions. The order stays the recorded one: it is the best one measured.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import zip_longest
from typing import final

import attrs

from rbd.scalars.opcodes import Op
from rbd.scalars.program import Program

CHUNK = 1000
"""Instructions per function; measured: compile time becomes linear, run time is as good as that of one function."""


@final
@attrs.frozen
class Angle:
    """An operand whose sine or cosine is taken: instruction numbers of both, None for one not asked for."""

    operand: int
    sine: int | None
    cosine: int | None


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

    def is_angle(self, index: int) -> bool:
        """Return whether instruction `index` is a sine or cosine, written along with its partner."""
        return self.program.code[index][0] in (Op.SIN, Op.COS)


def plan(program: Program, chunk: int = CHUNK) -> Plan:
    """Cut `program` into functions of `chunk` instructions."""
    first, later = _angles(program)
    size = len(program.code)
    chunks = tuple(range(start, min(start + chunk, size)) for start in range(0, size, chunk))
    homes = _homes(program, chunks, first, later)
    slots, count = _slots(program, homes, len(chunks))
    return Plan(program, first, later, chunks, slots, count)


def input_count(program: Program) -> int:
    """Return how many scalars go in."""
    return sum(port.size for port in program.inputs)


def operands(program: Program, instruction: tuple[int, ...]) -> tuple[int, ...]:
    """Return the operands of an instruction (a check's label is none)."""
    return instruction[1:2] if instruction[0] == Op.POSITIVE else instruction[1:]


def _angles(program: Program) -> tuple[tuple[Angle, ...], dict[int, Angle]]:
    """Return the angles that are inputs, and the others by the first instruction that needs them."""
    sines, cosines = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    for index, instruction in enumerate(program.code):
        if instruction[0] in (Op.SIN, Op.COS):
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


def _last_uses(program: Program, homes: dict[int, int]) -> dict[int, int]:
    """Return, per value used in a later function than its own, the last function that uses it."""
    inputs, last = input_count(program), dict[int, int]()
    for index, instruction in enumerate(program.code):
        for operand in operands(program, instruction):
            source = operand - inputs
            if source >= 0 and homes[source] < homes[index]:
                last[source] = max(last.get(source, -1), homes[index])
    return last


def _slots(program: Program, homes: dict[int, int], functions: int) -> tuple[dict[int, int], int]:
    """Return a workspace place per value that crosses functions; places are used again when their value is dead."""
    last = _last_uses(program, homes)
    born: dict[int, list[int]] = {}
    for index in sorted(last):
        born.setdefault(homes[index], []).append(index)
    slots: dict[int, int] = {}
    free: list[int] = []
    ending: dict[int, list[int]] = {}
    fresh = _counter()
    count = 0
    for function in range(-1, functions):
        free += ending.pop(function, [])
        for index in born.get(function, ()):
            slot = free.pop() if free else next(fresh)
            count = max(count, slot + 1)
            slots[index] = slot
            ending.setdefault(last[index] + 1, []).append(slot)
    return slots, count


def _counter() -> Iterator[int]:
    number = 0
    while True:
        yield number
        number += 1
