"""The interface of integrators: one-step methods that advance a state.

An integrator depends on states and their rates of change, not on controllers or contacts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple, Protocol

import numpy as np

from rbd.errors import NotFiniteError
from rbd.scalars.arrays import Array
from rbd.state import MechanismState


class Rates(NamedTuple):
    """Rates of change at one instant: accelerations `vd`, and `sd` of the additional (contact) states.

    >>> Rates(vd=np.array([0.5]), sd=np.zeros(0))
    Rates(vd=array([0.5]), sd=array([], dtype=float64))
    """

    vd: Array
    sd: Array


class RightHandSide(Protocol):
    """The right-hand side of the equations of motion; it does not change the state.

    >>> import rbd
    >>> class Explicit(Integrator):
    ...     def step(self, rhs, state, s, start, end):
    ...         rates = rhs(start, state, s)
    ...         state.global_coordinates(state.q.copy(), (end - start) * state.v)
    ...         state.set_velocity(state.v + (end - start) * rates.vd)
    ...         return s + (end - start) * rates.sd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.3, 0.0])
    >>> rbd.simulate(state, 0.1, dt=0.01, integrator=Explicit())
    Trajectory(11 samples, t = 0 ... 0.1 s)
    """

    def __call__(self, t: float, state: MechanismState, s: Array, /) -> Rates:
        """Return the rates of `state` with additional states `s` at time `t`; the arrays belong to the caller."""
        ...


class Integrator(ABC):
    """A one-step method for mechanisms. Derive from it to bring your own; `simulate` takes an instance.

    Configurations do not form a vector space, so a step works in local coordinates around its initial configuration:
    `state.local_coordinates(q0)` gives them and their rate, `state.global_coordinates(q0, phi)` goes back.

    >>> import rbd
    >>> class Midpoint(Integrator):
    ...     def step(self, rhs, state, s, start, end):
    ...         h, q0, v0 = end - start, state.q.copy(), state.v.copy()
    ...         rates = rhs(start, state, s)
    ...         state.global_coordinates(q0, 0.5 * h * v0)
    ...         state.set_velocity(v0 + 0.5 * h * rates.vd)
    ...         half, v = rhs(start + 0.5 * h, state, s + 0.5 * h * rates.sd), state.v.copy()
    ...         state.global_coordinates(q0, h * v)
    ...         state.set_velocity(v0 + h * half.vd)
    ...         return s + h * half.sd
    >>> pendulum, ends = rbd.robots.double_pendulum(), []
    >>> for integrator in (Midpoint(), "munthe-kaas-rk4"):
    ...     state = rbd.MechanismState(pendulum, q=[0.3, 0.0])
    ...     ends.append(rbd.simulate(state, 1.0, dt=1e-3, integrator=integrator).q[-1])
    >>> bool(abs(ends[0] - ends[1]).max() < 1e-5)
    True
    """

    resets_contacts = False
    """Whether `step` resets the contact states of points that have lifted off; otherwise `simulate` does."""

    @abstractmethod
    def step(self, rhs: RightHandSide, state: MechanismState, s: Array, start: float, end: float) -> Array:
        """Advance `state` from time `start` to time `end`; return the additional states at `end`.

        Raises NotFiniteError when a number becomes infinite or NaN.
        """

    def begin(self) -> Integrator:
        """Return the integrator of one run: itself, unless it keeps data between steps."""
        return self


def weighted_step(x0: Array, what: str, h: float, weights: tuple[float, ...], slopes: list[Array]) -> Array:
    """Return x0 + h Σ weight slope, in a fixed order; raise NotFiniteError naming `what` if that overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        return finite_array(x0 + h * _weighted_sum(x0, weights, slopes), what)


def _weighted_sum(x0: Array, weights: tuple[float, ...], slopes: list[Array]) -> Array:
    total = np.zeros_like(x0)
    for weight, slope in zip(weights, slopes, strict=True):
        if weight:
            total += weight * slope
    return total


def finite_array(values: Array, what: str) -> Array:
    """Return `values`; raise NotFiniteError naming `what` and the first offender unless all are finite."""
    if not np.isfinite(values).all():
        index = int(np.flatnonzero(~np.isfinite(values))[0])
        raise NotFiniteError(f"{what}[{index}] is {values[index]}", argument=what, index=index)
    return values
