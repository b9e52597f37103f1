"""Contenders: a function to time, and its results for comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, Final, Protocol, final

import attrs
import numpy as np
from typing_extensions import override

from rbd.errors import SolverError
from rbd.scalars.arrays import Array

RBD: Final = "rbd"
"""Name of rbd, called from Python, in reports."""


_CALLS_UNTIL_BUILTIN: Final = 32
"""Number of calls before measurements; fewer suffice."""


class Quantity(StrEnum):
    """A computed quantity."""

    POSES = "poses of all bodies"
    INVERSE = "inverse dynamics"
    MASS = "mass matrix"
    FORWARD = "forward dynamics"
    INVERSE_DERIVATIVES = "derivatives of inverse dynamics"
    FORWARD_DERIVATIVES = "derivatives of forward dynamics"

    @property
    def is_derivative(self) -> bool:
        """Whether the output is three derivatives: by position (along velocities), velocity, and vd or torques."""
        return self in (Quantity.INVERSE_DERIVATIVES, Quantity.FORWARD_DERIVATIVES)


@final
@attrs.frozen(eq=False)
class Contender:
    """One way to compute a quantity for a fixed list of states."""

    name: str
    run: Callable[[int], object]
    """Run a number of passes over all states."""
    states: int
    """Number of states per pass."""
    value: Callable[[int], Array] | None
    """The result for one of the states, in rbd's conventions; None without results."""

    @override
    def __repr__(self) -> str:
        return f"<{self.name}, {self.states} states>"


class Peer(Protocol):
    """Another engine, with one robot loaded."""

    name: str

    def single(self, quantity: Quantity) -> Contender | None:
        """Compute one state per call; None if the engine has no such function."""
        ...

    def solution(self) -> Contender | None:
        """Compute the mass matrix and the accelerations, one state per call."""
        ...

    def batch(self, quantity: Quantity, count: int) -> Contender | None:
        """Compute `count` states, one per call."""
        ...

    def parallel(self, quantity: Quantity, count: int, threads: int) -> Contender | None:
        """Compute `count` states with the threads of the engine."""
        ...


def call_until_builtin(function: Callable[..., Any], arguments: Sequence[tuple[object, ...]]) -> None:
    """Call a function so often, with the arguments in turn, that its program becomes a builtin."""
    for k in range(_CALLS_UNTIL_BUILTIN):
        function(*arguments[k % len(arguments)])


def calls(function: Callable[..., Any], arguments: Sequence[tuple[object, ...]]) -> Callable[[int], None]:
    """Return a pass that calls a function with each tuple; unpacking costs the same for all contenders."""

    def run(times: int) -> None:
        for _ in range(times):
            for values in arguments:
                function(*values)

    return run


def repeated(action: Callable[[], object]) -> Callable[[int], None]:
    """Return a function that repeats an action."""

    def run(times: int) -> None:
        for _ in range(times):
            action()

    return run


TOLERANCE = 1e-6


def difference(contender: Contender, reference: Contender, states: Sequence[int]) -> float | None:
    """Return the largest relative difference of the results of two contenders; None if one has none to compare.

    Differences are relative to the largest entry. Raises SolverError if they exceed a tolerance.
    """
    if contender.value is None or reference.value is None:
        return None
    worst = 0.0
    for k in states:
        mine, theirs = contender.value(k), reference.value(k)
        scale = float(np.max(np.abs(theirs), initial=0.0)) or 1.0
        worst = float(np.maximum(worst, np.max(np.abs(mine - theirs), initial=0.0) / scale))  # propagates NaN
    if not worst <= TOLERANCE:
        raise SolverError(f"{contender.name} and {reference.name} differ by {worst:.1e}", difference=worst)
    return worst
