"""Runge-Kutta methods that choose their own steps, on the manifold of configurations.

J. Dormand and P. Prince, A family of embedded Runge-Kutta formulae, Journal of Computational and Applied Mathematics 6
(1980); control of the step after Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I (1993), section
II.4. Both results of a step live in the coordinates around its beginning, where they can be compared.
"""

from __future__ import annotations

import math
from typing import final

import attrs
import numpy as np
from typing_extensions import override

from rbd.arguments import is_finite, whole_number
from rbd.errors import ArgumentError, NotFiniteError, SolverError
from rbd.scalars import is_float
from rbd.scalars.arrays import Array
from rbd.simulation.integrator import Flow, Integrator
from rbd.simulation.munthe_kaas import Slopes, take_stages
from rbd.simulation.tableau import DORMAND_PRINCE, ButcherTableau
from rbd.spatial.values import require_kind
from rbd.state import MechanismState

_SAFETY, _LEAST, _MOST = 0.9, 0.2, 5.0
_TINY = 1e-13  # of the time: steps cannot be shorter


@final
@attrs.frozen
class AdaptiveMuntheKaas(Integrator):
    """An embedded pair that keeps the error of every step below `atol + rtol * size`.

    Errors of configurations count in radians and metres (size 1), those of velocities and contact states by their own
    size. Between two samples it takes as many steps as that needs: `dt` of `simulate` is how often results are wanted.
    Raises ArgumentError unless the tolerances are positive and the tableau has an embedded method. A run raises
    SolverError when the steps become too short to go on, as they do where the motion jumps, and when it takes more than
    `most_steps` attempts between two samples.

    >>> import rbd
    >>> from rbd.simulation import AdaptiveMuntheKaas
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[1.0, 2.0])
    >>> trajectory = rbd.simulate(state, 1.0, dt=0.25, integrator=AdaptiveMuntheKaas(rtol=1e-8, atol=1e-10))
    >>> energy = trajectory.energies(state.mechanism).total
    >>> bool(abs(energy - energy[0]).max() < 1e-6)
    True
    """

    rtol: float = 1e-6
    atol: float = 1e-9
    tableau: ButcherTableau = DORMAND_PRINCE
    most_steps: int = 100_000

    def __attrs_post_init__(self) -> None:
        for name, value in (("rtol", self.rtol), ("atol", self.atol)):
            if not (is_float(value) and value > 0 and is_finite(value)):
                message = f"{name} is {value}, needs a finite number above 0"
                raise ArgumentError(message, argument=name, value=value, allowed="a number above 0")
        whole_number(self.most_steps, "most_steps", 1)
        require_kind(self.tableau, ButcherTableau, operation="AdaptiveMuntheKaas", argument="tableau")
        if self.tableau.b_hat is None:
            message = "the tableau has no embedded method (b_hat) to tell errors with"
            raise ArgumentError(message, argument="tableau", value=self.tableau, allowed="a tableau with b_hat")

    @override
    def begin(self) -> Integrator:
        return _Run(self)

    @override
    def step(self, flow: Flow, state: MechanismState, s: Array, start: float, end: float) -> Array:
        return _Run(self).step(flow, state, s, start, end)


@final
class _Run(Integrator):
    """One run, which remembers the step that was good last."""

    def __init__(self, method: AdaptiveMuntheKaas) -> None:
        self._method = method
        self._step = math.inf
        self._attempts = 0
        self._exponent = 1 / max(2, min(5, method.tableau.order + 1))

    @override
    def begin(self) -> Integrator:
        return self

    @override
    def step(self, flow: Flow, state: MechanismState, s: Array, start: float, end: float) -> Array:
        t, self._attempts = start, 0
        while t < end:
            wanted = min(self._step, end - t)
            stop = end if t + 1.01 * wanted >= end else t + wanted
            t, s = self._one_step(flow, state, s, t, stop)
        return s

    def _one_step(self, flow: Flow, state: MechanismState, s: Array, t: float, stop: float) -> tuple[float, Array]:
        """Take one step to `stop`, or to as far as the tolerance allows."""
        q, v = state.q.copy(), state.v.copy()
        while True:
            try:
                end, error = self._attempt(flow, state, s, t, stop)
            except NotFiniteError:
                end, error = s, math.inf
                if stop - t <= 2 * _TINY * max(1.0, abs(t)):
                    raise
            factor = _MOST if error == 0 else min(_MOST, max(_LEAST, _SAFETY * error**-self._exponent))
            if error <= 1:
                self._step = (stop - t) * factor
                return stop, end
            state.set_configuration(q)
            state.set_velocity(v)
            stop = t + (stop - t) * min(factor, 1.0)
            self._require_progress(t, stop)

    def _require_progress(self, t: float, stop: float) -> None:
        if not stop - t > _TINY * max(1.0, abs(t)):
            message = f"the tolerance cannot be kept at t = {t!r}: steps would be shorter than {stop - t:.3g} s"
            raise SolverError(message, reason="step too short", time=t)

    def _attempt(self, flow: Flow, state: MechanismState, s: Array, t: float, stop: float) -> tuple[Array, float]:
        """Move the state to `stop`; return the contact states there and the error in units of the tolerance."""
        self._attempts += 1
        if self._attempts > self._method.most_steps:
            message = f"more than {self._method.most_steps} steps between two samples: {stop - t:.3g} s at t = {t!r}"
            raise SolverError(message, reason="too many steps", time=t)
        tableau, v = self._method.tableau, state.v.copy()
        slopes = take_stages(tableau, flow, state, s, t, stop)
        end = slopes.move(tableau.b)
        return end, self._error(slopes, v, state.v, s, end)

    def _error(self, slopes: Slopes, v0: Array, v1: Array, s0: Array, s1: Array) -> float:
        b, b_hat = self._method.tableau.b, self._method.tableau.b_hat or ()
        weights = tuple(x - y for x, y in zip(b, b_hat, strict=True))
        rtol, atol = self._method.rtol, self._method.atol
        parts = (
            slopes.sum(weights, slopes.phi_rates) / (atol + rtol),
            slopes.sum(weights, slopes.vd) / (atol + rtol * np.maximum(np.abs(v0), np.abs(v1))),
            slopes.sum(weights, slopes.sd) / (atol + rtol * np.maximum(np.abs(s0), np.abs(s1))),
        )
        whole = np.concatenate(parts)
        return float(np.sqrt(np.mean(whole * whole))) if whole.size else 0.0
