"""The peak of the processor: fused multiply-adds and nothing else, as a contender."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Final

from rbd.bench.contender import Contender

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
    from rbd.native.codegen.ir import ATTRIBUTES, Lanes, Writer

    w, lanes = Writer(), Lanes(width)
    fma = lanes.llvm_function("fma")
    w.add(f"declare {lanes.double} {fma}({', '.join([lanes.double] * 3)})")
    w.add(f"define double @peak(i64 %count) {ATTRIBUTES} {{\nentry:\n  br label %round\nround:")
    w.add("  %k = phi i64 [0, %entry], [%next, %round]")
    factor, one = lanes.double_constant(0.999), lanes.double_constant(1.0)
    for n in range(_CHAINS):
        w.add(f"  %x{n} = phi {lanes.double} [{one}, %entry], [%y{n}, %round]")
    for n in range(_CHAINS):
        operands = ", ".join(f"{lanes.double} {x}" for x in (f"%x{n}", factor, lanes.double_constant(0.001 * n)))
        w.add(f"  %y{n} = call {lanes.double} {fma}({operands})")
    w.add(
        "  %next = add i64 %k, 1\n  %more = icmp slt i64 %next, %count\n  br i1 %more, label %round, label %end\nend:"
    )
    total = "%y0"
    for n in range(1, _CHAINS):
        total = w.assign(f"fadd {lanes.double} {total}, %y{n}")
    first = total if width == 1 else w.assign(f"extractelement {lanes.double} {total}, i64 0")
    w.add(f"  ret double {first}\n}}")
    return w.text()
