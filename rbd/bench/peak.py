"""The peak of the processor: fused multiply-adds and nothing else, as a contender."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from rbd.bench.contender import Contender

if TYPE_CHECKING:
    from rbd.native.codegen.ir import Lanes, Writer

PEAK: Final = "fused multiply-adds at the peak"
_CHAINS: Final = 24
"""Sums that are added to in turn: enough to hide the latency, and a register for each."""


def peak(operations: int, states: int) -> Contender:
    """Return as many operations per state as an algorithm has, all of them fused multiply-adds on full vectors."""
    loop, lanes = _loop()
    rounds = -(-operations * states // (2 * lanes * _CHAINS))

    def run(times: int) -> None:
        loop(times * rounds)

    return Contender(PEAK, run, states, None)


@functools.cache
def _loop() -> tuple[Callable[[int], float], int]:
    """Return a function that adds to every sum a number of times, and how many numbers a vector has."""
    from rbd.native.runtime.jit import Library, assemble, host_processor

    lanes = host_processor().lanes
    library = Library(assemble(_text(lanes)), ("peak",))
    entry = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64)(library.address("peak"))

    def run(times: int, _kept: object = library) -> float:
        return float(entry(times))

    return run, lanes


def _text(width: int) -> str:
    """Return a function that runs chains of fused multiply-adds as LLVM IR."""
    from rbd.native.codegen.ir import ATTRIBUTES, Lanes, Writer

    w, lanes = Writer(), Lanes(width)
    fma = lanes.llvm_function("fma")
    w.add(f"declare {lanes.double} {fma}({', '.join([lanes.double] * 3)})")
    w.begin_function(f"double @peak(i64 %count) {ATTRIBUTES}")
    factor, one = lanes.double_constant(0.999), lanes.double_constant(1.0)
    addends = [lanes.double_constant(0.001 * n) for n in range(_CHAINS)]

    def fused(x: str, y: str) -> str:
        operands = ", ".join(f"{lanes.double} {number}" for number in (x, factor, y))
        return w.assign(f"call {lanes.double} {fma}({operands})")

    def iteration(_: str, chains: Sequence[str]) -> list[str]:
        return [fused(x, y) for x, y in zip(chains, addends, strict=True)]

    w.end_function(f"double {_sum(w, lanes, w.loop('%count', iteration, [(lanes.double, one)] * _CHAINS))}")
    return w.text()


def _sum(w: Writer, lanes: Lanes, numbers: Sequence[str]) -> str:
    """Write the sum of vectors; return its first lane."""
    total, *others = numbers
    for other in others:
        total = w.assign(f"fadd {lanes.double} {total}, {other}")
    return total if lanes.width == 1 else w.assign(f"extractelement {lanes.double} {total}, i64 0")
