"""Constraint stabilisation of loops and couplings: Baumgarte (1972); Featherstone (2008), section 8.3.

The error e of a constraint obeys e'' + d e' + k e = 0 instead of e'' = 0, under which rounding errors accumulate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, Protocol, TypeAlias, final, runtime_checkable

import attrs

from rbd.errors import ArgumentError
from rbd.mechanism import Coupling, Joint
from rbd.scalars.number_checks import above_zero


def _time_constant(value: float) -> float:
    time = above_zero(value, "time_constant")
    square = time * time
    if not (square and math.isfinite(1 / square)):
        allowed = "so long that its gain 1/T² is finite"
        message = f"time_constant is {time:g}, must be {allowed}"
        raise ArgumentError(message, argument="time_constant", value=value, allowed=allowed)
    return time


@final
@attrs.frozen
class Baumgarte:
    """Stabilisation of constraints: errors decay as in a critically damped oscillator with this time constant (s).

    The error e obeys e'' + 2 e' / T + e / T² = 0; `SE3PDGains` have other gains of e and e'. Short times close
    gaps faster, but integrators need steps well below them. Raises ArgumentError unless the time is positive and
    finite, and so are the gains.

    >>> import rbd
    >>> rbd.Baumgarte(0.1)
    Baumgarte(time_constant=0.1)
    """

    time_constant: float = attrs.field(default=1 / 10, converter=_time_constant)

    @property
    def stiffness(self) -> float:
        """Return the gain of the error, 1/s²."""
        return 1 / (self.time_constant * self.time_constant)

    @property
    def damping(self) -> float:
        """Return the gain of its rate, 1/s."""
        return 2 / self.time_constant


DEFAULT_STABILIZATION: Final = Baumgarte()


@runtime_checkable
class ProportionalDerivative(Protocol):
    """Gains of an error (`k`) and of its rate (`d`): numbers or 3x3 matrices, as `PDGains` has them."""

    @property
    def k(self) -> Any:
        """The gain of the error."""

    @property
    def d(self) -> Any:
        """The gain of its rate."""


@runtime_checkable
class PoseGains(Protocol):
    """Gains of rotation and translation, as `SE3PDGains` has them."""

    @property
    def angular(self) -> Any:
        """The gains of the rotation."""

    @property
    def linear(self) -> Any:
        """The gains of the translation."""


LoopStabilization: TypeAlias = Baumgarte | PoseGains
Stabilization: TypeAlias = (
    LoopStabilization
    | Mapping[Joint, LoopStabilization]
    | Mapping[Coupling, LoopStabilization]
    | Mapping[Joint | Coupling, LoopStabilization]
    | Mapping[str, LoopStabilization]
    | None
)
"""One for all constraints, one per loop joint and coupling (those left out are not stabilised), or none at all."""
