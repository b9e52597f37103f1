"""Split of a program into functions: loops, regions, and chunks of bounded length between them.

Straight-line code compiles in linear time only in functions of about a thousand instructions.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import final

import attrs

from rbd.lazy_property import lazy_property
from rbd.native.codegen.loop_operands import LoopLayout
from rbd.program.opcodes import Op
from rbd.program.program import Program
from rbd.program.rolling import Loop, find_loops

CHUNK_SIZE = 1000
"""Instructions per function; measured: compile time becomes linear, run time is as good as that of one function."""


@final
@attrs.frozen
class SinCosPair:
    """An operand with the instruction numbers of its sine and cosine; None for one that is not computed."""

    operand: int
    sine: int | None
    cosine: int | None

    @property
    def members(self) -> list[int]:
        """The instruction numbers of sine and cosine, where they are computed."""
        return [index for index in (self.sine, self.cosine) if index is not None]


@final
@attrs.frozen(eq=False, slots=False)
class FunctionSplit:
    """A program whose instructions are split into functions: input angles, loops, regions, and chunks between them."""

    program: Program
    lanes: int
    """Rows that the code computes at a time."""
    layout: LoopLayout
    regions: Sequence[range]
    """Instructions of each region; the last one is a guarded call."""
    chunks: tuple[range, ...]
    """The instructions of each function."""
    input_angles: tuple[SinCosPair, ...]
    """Angles that are inputs, whose sines and cosines a first function computes."""
    computed_angles: dict[int, SinCosPair]
    """The other angles, by instruction number of the earlier of sine and cosine."""

    @classmethod
    def of(
        cls, program: Program, chunk_size: int, lanes: int, rolling_threshold: int, regions: Sequence[range]
    ) -> FunctionSplit:
        """Split a program; loops are recovered if it has more than `rolling_threshold` instructions and no regions."""
        layout = LoopLayout(program, () if regions else find_loops(program, rolling_threshold))
        chunks = tuple(_chunks(len(program.code), chunk_size, layout.loops, regions))
        return cls(program, lanes, layout, regions, chunks, *_angles(program, layout))

    @lazy_property
    def region_starts(self) -> dict[int, int]:
        """Instruction number of a guarded call -> the first instruction of its region."""
        return {each[-1]: each[0] for each in self.regions}

    @lazy_property
    def function_of(self) -> dict[int, int]:
        """Instruction number -> number of the function that computes it; -1 is that of the input angles."""
        function_of = {index: number for number, chunk in enumerate(self.chunks) for index in chunk}
        for angle in self.input_angles:
            function_of.update(dict.fromkeys(angle.members, -1))
        for start, angle in self.computed_angles.items():
            function_of.update(dict.fromkeys(angle.members, function_of[start]))
        return function_of

    @lazy_property
    def computed_at(self) -> dict[int, int]:
        """Instruction number of a sine or cosine of a computed angle -> that of the earlier of both."""
        return {index: start for start, angle in self.computed_angles.items() for index in angle.members}

    def is_in_memory(self, index: int) -> bool:
        """Return whether a loop or a call leaves the result of an instruction in the workspace."""
        return self.program.code[index][0] == Op.PICK or self.layout.computes(index)

    @property
    def functions_of_regions(self) -> dict[int, range]:
        """Instruction number of a guarded call -> numbers of the functions of its region."""
        starts = [chunk.start for chunk in self.chunks]
        return {
            each[-1]: range(bisect_left(starts, each.start), bisect_left(starts, each.stop)) for each in self.regions
        }


def _chunks(size: int, chunk_size: int, loops: Sequence[Loop], regions: Sequence[range]) -> Iterator[range]:
    """Yield the instructions of every function: loops, and regions and the code between them in chunks."""
    start = 0
    for stop, following in [*((loop.first, loop.stop) for loop in loops), (size, size)]:
        cuts = [start, *(cut for each in regions for cut in (each.start, each.stop)), stop]
        for first, last in pairwise(cuts):
            yield from (range(k, min(k + chunk_size, last)) for k in range(first, last, chunk_size))
        if following > stop:
            yield range(stop, following)
        start = following


def _angles(program: Program, layout: LoopLayout) -> tuple[tuple[SinCosPair, ...], dict[int, SinCosPair]]:
    """Return the angles that are inputs, and the others by the first instruction that needs them."""
    sines, cosines = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    for index, instruction in enumerate(program.code):
        if instruction[0] in (Op.SIN, Op.COS) and not layout.computes(index):
            (sines if instruction[0] == Op.SIN else cosines)[instruction[1]].append(index)
    input_size = program.input_size
    angles = [
        SinCosPair(operand, *pair)
        for operand in dict.fromkeys((*sines, *cosines))
        for pair in zip_longest(sines[operand], cosines[operand])
    ]
    first = tuple(angle for angle in angles if 0 <= angle.operand < input_size)
    later = {min(angle.members): angle for angle in angles if not 0 <= angle.operand < input_size}
    return first, later
