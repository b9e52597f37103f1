"""The interface of integrators: one-step methods that advance a state.

An integrator depends on states and their rates of change, not on controllers or contacts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple, Protocol

import numpy as np

from rbd.errors import NotFiniteError, SingularError
from rbd.scalars.arrays import Array
from rbd.state import MechanismState


class Rates(NamedTuple):
    """Rates of change at one instant: accelerations `vd`, and `sd` of the additional (contact) states."""

    vd: Array
    sd: Array


class Flow(Protocol):
    """The right-hand side of the equations of motion; it does not change the state."""

    def __call__(self, t: float, state: MechanismState, s: Array, /) -> Rates:
        """Return the rates of `state` with additional states `s` at time `t`; the arrays belong to the caller."""
        ...


class Integrator(ABC):
    """A one-step method for mechanisms. Derive from it to bring your own; `simulate` takes an instance.

    Configurations do not form a vector space, so a step works in local coordinates around its initial configuration:
    `state.local_coordinates(q0)` gives them and their rate, `state.global_coordinates(q0, phi)` goes back.
    """

    settles = False
    """Whether `step` resets the contact states of points that have lifted off; otherwise `simulate` does."""

    @abstractmethod
    def step(self, flow: Flow, state: MechanismState, s: Array, start: float, end: float) -> Array:
        """Advance `state` from time `start` to time `end`; return the additional states at `end`.

        Raises NotFiniteError when a number becomes infinite or NaN.
        """

    def begin(self) -> Integrator:
        """Return the integrator of one run: itself, unless it keeps data between steps."""
        return self


def weighted_step(origin: Array, what: str, h: float, weights: tuple[float, ...], slopes: list[Array]) -> Array:
    """Return origin + h Σ weight slope, in a fixed order; raise NotFiniteError naming `what` if that overflows."""
    total = np.zeros_like(origin)
    with np.errstate(over="ignore", invalid="ignore"):
        for weight, slope in zip(weights, slopes, strict=True):
            if weight:
                total += weight * slope
        return finite(origin + h * total, what)


def finite(values: Array, what: str) -> Array:
    """Return `values`; raise NotFiniteError naming `what` and the first offender unless all are finite."""
    if not np.isfinite(values).all():
        index = int(np.flatnonzero(~np.isfinite(values))[0])
        raise NotFiniteError(f"{what}[{index}] is {values[index]}", argument=what, index=index)
    return values


def solve(matrix: Array, right: Array) -> Array:
    """Return the solution of a linear system as float64; raise SingularError when its matrix is singular."""
    try:
        return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise SingularError("the equations of a step are singular; a smaller dt may help", what="step") from None
