"""The fused multiply-add of integer operations has the bits of the processor's."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd.native.codegen.software_fma import SOFTWARE_FMA
from rbd.native.runtime.jit import Library, assemble
from rbd.scalars import libm

Fma = Callable[[float, float, float], float]
_DOUBLE = ctypes.c_double
SPECIAL = (0.0, 5e-324, 2.0**-1022, 1.0, 1 + 2.0**-52, 1.7976931348623157e308, math.inf, math.nan)


@pytest.fixture(scope="module")
def fma() -> Fma:
    """The function under a name that the C library does not have."""
    library = Library(assemble(SOFTWARE_FMA.replace("@fma(", "@software_fma(")), ("software_fma",))
    function = ctypes.CFUNCTYPE(_DOUBLE, _DOUBLE, _DOUBLE, _DOUBLE)(library.address("software_fma"))

    def call(x: float, y: float, z: float) -> float:
        _ = library  # the code lives as long as it
        return float(function(x, y, z))

    return call


def _same(a: float, b: float) -> bool:
    return struct.pack("<d", a) == struct.pack("<d", b) or (math.isnan(a) and math.isnan(b))


def test_special_numbers(fma: Fma) -> None:
    numbers = [*SPECIAL, *(-x for x in SPECIAL)]
    for triple in ((x, y, z) for x in numbers for y in numbers for z in numbers):
        assert _same(fma(*triple), libm.fma(*triple)), triple


@given(st.floats(), st.floats(), st.floats())
def test_any_numbers(fma: Fma, x: float, y: float, z: float) -> None:
    assert _same(fma(x, y, z), libm.fma(x, y, z))


def test_cancellation_ties_and_subnormal_results(fma: Fma) -> None:
    """Addends near the negative product, products of few bits, exponents at both ends of the range."""
    rng = np.random.default_rng(4)
    for _ in range(20_000):
        low, high = (-540, 500) if rng.random() < 0.5 else (-30, 30)
        steps = 2 ** (1, 2, 26, 52)[int(rng.integers(4))]
        x, y = (math.ldexp(1 + int(rng.integers(steps)) / steps, int(rng.integers(low, high))) for _ in range(2))
        apart = math.ldexp(1.0, int(rng.integers(-110, 110))) if rng.random() < 0.5 else 1.0
        near = math.ldexp(-x * y, int(rng.integers(-3, 4))) if rng.random() < 0.3 else -x * y
        z = float(np.clip(near * apart * (1 + rng.integers(-4, 5) * 2.0**-52), -1e308, 1e308))
        assert _same(fma(x, y, z), libm.fma(x, y, z)), (x.hex(), y.hex(), z.hex())
        assert _same(fma(-x, y, z), libm.fma(-x, y, z)), (x.hex(), y.hex(), z.hex())
