"""Functions with their domains and derivatives, shared by tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mpmath import mp

from rbd.scalars import Scalar, acos, asin, cos, exp, log, sin, sqrt, tan, tanh


@dataclass(frozen=True)
class Function:
    """A function of ours, mpmath's, its derivative in mpmath's numbers, and an interval to draw arguments from."""

    ours: Callable[[Scalar], Scalar]
    theirs: Callable[[Any], Any]
    derivative: Callable[[Any], Any]
    low: float
    high: float

    @property
    def name(self) -> str:
        """The name, as `ScalarFamily` spells it."""
        return self.ours.__name__


FUNCTIONS = [
    Function(sin, mp.sin, mp.cos, -50.0, 50.0),
    Function(cos, mp.cos, lambda x: -mp.sin(x), -50.0, 50.0),
    Function(tan, mp.tan, lambda x: 1 + mp.tan(x) ** 2, -50.0, 50.0),
    Function(asin, mp.asin, lambda x: 1 / mp.sqrt(1 - x * x), -1.0, 1.0),
    Function(acos, mp.acos, lambda x: -1 / mp.sqrt(1 - x * x), -1.0, 1.0),
    Function(sqrt, mp.sqrt, lambda x: 1 / (2 * mp.sqrt(x)), 1e-300, 1e300),
    Function(exp, mp.exp, mp.exp, -700.0, 700.0),
    Function(log, mp.log, lambda x: 1 / x, 1e-300, 1e300),
    Function(tanh, mp.tanh, lambda x: 1 - mp.tanh(x) ** 2, -20.0, 20.0),
]

NAMES = [f.name for f in FUNCTIONS]


def close(actual: object, expected: Any, tolerance: float = 4e-16) -> bool:
    """Whether a float (or complex number) agrees with a reference, relatively."""
    return bool(abs(mp.mpmathify(actual) - expected) <= tolerance * abs(expected) + mp.mpf("1e-320"))
