"""A process whose free memory lies far apart: run as a script, it links machine code there and says what came out.

Linux gives out the highest gap that is large enough. All gaps there are get filled; below them, gaps of a single page
are left, with more than 2 GB reserved between any two. What is asked for page by page then lands where no 32-bit
displacement reaches from one page to the next.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from rbd.native.compiled_program import CompiledProgram
from rbd.native.runtime.jit import host_processor
from rbd.program.graph import Graph
from rbd.program.program import Program

PAGE = 4096
APART = 3 << 30
STACK = 8 << 20
GAPS = (*(PAGE,) * 40, *(16384 * PAGE,) * 4)
"""From above: single pages for the pieces of small functions, then room for everything else."""
_NOTHING, _PRIVATE, _ANONYMOUS, _NO_RESERVE, _HERE = 0, 0x02, 0x20, 0x4000, 0x100000
_library = ctypes.CDLL(None, use_errno=True)
_library.mmap.restype = ctypes.c_void_p
_library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]


def take(size: int, at: int | None = None) -> int:
    """Reserve `size` bytes of address space, that at `at` or any; return where they are."""
    flags = _PRIVATE | _ANONYMOUS | _NO_RESERVE | (0 if at is None else _HERE)
    found = _library.mmap(at, size, _NOTHING, flags, -1, 0)
    if found is None or found == 2**64 - 1:
        raise MemoryError(f"no {size} bytes at {at}: error {ctypes.get_errno()}")
    return int(found)


def mappings() -> list[tuple[int, int]]:
    """Return beginning and end of all mappings of this process, with room for the stack, which grows."""
    found = list[tuple[int, int]]()
    for line in Path("/proc/self/maps").read_text().splitlines():
        low, high = (int(each, 16) for each in line.split()[0].split("-"))
        found.append((low - STACK if line.endswith("[stack]") else low, high))
    return found


def scatter() -> None:
    """Fill the gaps between the program and the stack, and leave others, far apart, below the program."""
    known = [(low, high) for low, high in mappings() if low > 2**46]
    for (_, end), (begin, _) in pairwise(known):
        if PAGE <= begin - end < 2**46:
            take(begin - end, end)
    lowest = known[0][0]
    for gap in GAPS:
        lowest -= gap + APART
        take(APART, lowest)


def spread() -> int:
    """Return how far apart at least pages land that are asked for one after the other."""
    places = sorted(take(PAGE) for _ in range(4))
    return min(b - a for a, b in pairwise(places))


def programs() -> Iterator[tuple[Program, list[float]]]:
    """Yield programs with constants and calls of the C library, of a few instructions and of thousands."""
    from rbd import scalars

    for size in (3, 3000):
        graph = Graph()
        x, y = graph.input("x", (2,))
        for k in range(size):
            x, y = scalars.sin(x) + y * (0.1 + 1e-4 * k), scalars.exp(-y * y) + scalars.atan2(x, 2.5)
        yield Program.of(graph, f"program{size}", {"z": (x, y)}), [0.3, -0.7]


def main() -> None:
    """Link and run in scattered memory; print how far apart it was."""
    host_processor()
    ready = [(program, inputs, program.interpret_flat(inputs)[0]) for program, inputs in programs()]
    scatter()
    apart = spread()
    for program, inputs, wanted in ready:
        found = np.empty(2)
        status = CompiledProgram(program).run([np.array(inputs)], [found])
        assert status == 0
        assert found.tolist() == wanted
    print(f"linked and run; pieces land {apart} bytes apart")


if __name__ == "__main__":
    main()
