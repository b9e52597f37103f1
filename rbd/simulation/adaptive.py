"""Runge-Kutta methods that choose their own steps, on the manifold of configurations.

J. Dormand and P. Prince, A family of embedded Runge-Kutta formulae, Journal of Computational and Applied Mathematics 6
(1980); control of the step after Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I (1993), section
II.4. Both results of a step live in the coordinates around its beginning, where they can be compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, final

import attrs
import numpy as np
from typing_extensions import override

from rbd.arguments import require_kind, whole_number
from rbd.errors import ArgumentError, NotFiniteError, SolverError
from rbd.scalars.arrays import Array
from rbd.scalars.number_checks import above_zero
from rbd.simulation.equations_of_motion import EquationsOfMotion
from rbd.simulation.integrator import Integrator, RightHandSide
from rbd.simulation.munthe_kaas import Stages, take_stages
from rbd.simulation.tableau import DORMAND_PRINCE, ButcherTableau, error_weights
from rbd.state import MechanismState
from rbd.state.saved_state import SavedState

_SAFETY, _MIN_FACTOR, _MAX_FACTOR = 0.9, 0.2, 5.0
_MIN_RELATIVE_STEP = 1e-13  # relative to the time
_STEPS_BEFORE_FORECAST = 1000
"""Steps between two samples after which a run is given up if it would need ten times `most_steps` at its step size."""

AttemptFunction = Callable[[RightHandSide, MechanismState, Array, float, float], tuple[Array, float]]
"""attempt(rhs, state, s, start, end) -> s at the end and the error, in units of the tolerance."""


@final
@attrs.frozen
class AdaptiveMuntheKaas(Integrator):
    """An embedded pair that keeps the error of every step below `atol + rtol * size`.

    Errors of configurations count in radians and metres (size 1), those of velocities and contact states by their own
    size. Between two samples it takes as many steps as that needs: `dt` of `simulate` is the interval of the samples.
    Raises ArgumentError unless the tolerances are positive and the tableau has an embedded method. A run raises
    SolverError when the steps become too short to go on, as they do where the motion jumps, and when it takes more than
    `most_steps` attempts between two samples; after a thousand of them already, when steps of the present size would
    take ten times as many.

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
            above_zero(value, name)
        whole_number(self.most_steps, "most_steps", 1)
        require_kind(self.tableau, ButcherTableau, operation="AdaptiveMuntheKaas", argument="tableau")
        if self.tableau.b_hat is None:
            message = "the tableau has no embedded method (b_hat), which estimates the error"
            raise ArgumentError(message, argument="tableau", value=self.tableau, allowed="a tableau with b_hat")

    @override
    def begin(self) -> Integrator:
        return self.controlling(self.attempt)

    def controlling(self, attempt: AttemptFunction) -> Integrator:
        """Return the integrator of one run whose steps `attempt` takes."""
        return _StepSizeControl(self, attempt)

    @override
    def step(self, rhs: RightHandSide, state: MechanismState, s: Array, start: float, end: float) -> Array:
        return self.begin().step(rhs, state, s, start, end)

    def attempt(
        self, rhs: RightHandSide, state: MechanismState, s: Array, t: float, t_next: float
    ) -> tuple[Array, float]:
        """Move the state to `t_next`; return the contact states there and the error in units of the tolerance."""
        v = state.v.copy()
        stages = take_stages(self.tableau, rhs, state, s, t, t_next)
        s_end = stages.set_state(self.tableau.b)
        return s_end, self._error(stages, v, state.v, s, s_end)

    def _error(self, stages: Stages, v0: Array, v1: Array, s0: Array, s1: Array) -> float:
        weights, rtol, atol = error_weights(self.tableau), self.rtol, self.atol
        parts = (
            stages.weighted_sum(weights, stages.phi_rates) / (atol + rtol),
            stages.weighted_sum(weights, stages.vd) / (atol + rtol * np.maximum(np.abs(v0), np.abs(v1))),
            stages.weighted_sum(weights, stages.sd) / (atol + rtol * np.maximum(np.abs(s0), np.abs(s1))),
        )
        errors = np.concatenate(parts)
        return float(np.sqrt(np.mean(errors * errors))) if errors.size else 0.0


@final
class _StepSizeControl(Integrator):
    """Steps of one run; the size of the next follows from the error of the last."""

    def __init__(self, integrator: AdaptiveMuntheKaas, attempt: AttemptFunction) -> None:
        self._integrator, self._attempt_step = integrator, attempt
        self._step = math.inf
        self._attempts = 0
        self._exponent = 1 / (_error_order(integrator.tableau) + 1)  # Hairer et al., (4.13)

    @override
    def begin(self) -> Integrator:
        return self

    @override
    def step(self, rhs: RightHandSide, state: MechanismState, s: Array, start: float, end: float) -> Array:
        t, self._attempts = start, 0
        while t < end:
            h = min(self._step, end - t)
            t_next = end if t + 1.01 * h >= end else t + h
            t, s = self._one_step(rhs, state, s, t, t_next)
            if self._attempts > _STEPS_BEFORE_FORECAST and end - t > 10 * self._integrator.most_steps * self._step:
                raise self._too_many(t, f"at steps of {self._step:.3g} s")
        return s

    def _too_many(self, t: float, how: str) -> SolverError:
        message = f"more than {self._integrator.most_steps} steps between two samples, at t = {t!r}: {how}"
        return SolverError(message, status="too many steps", time=t)

    def _one_step(
        self, rhs: RightHandSide, state: MechanismState, s: Array, t: float, t_next: float
    ) -> tuple[float, Array]:
        """Take one step to `t_next`, or shorter ones until the error is within the tolerance; return its end and s."""
        saved, attempt = SavedState(state), self._attempt(rhs, state, s, t, t_next)
        while not attempt.error <= 1:
            saved.restore()
            self._step = (t_next - t) * min(self._factor(attempt.error), 1.0)
            t_next = t + self._step
            _require_progress(t, t_next, attempt.callback_error)
            attempt = self._attempt(rhs, state, s, t, t_next)
        self._step = self._following_step(t_next - t, self._factor(attempt.error))
        return t_next, attempt.s

    def _attempt(self, rhs: RightHandSide, state: MechanismState, s: Array, t: float, t_next: float) -> _Attempt:
        """Move the state to `t_next`; where numbers are not finite, the error is infinite."""
        self._attempts += 1
        if self._attempts > self._integrator.most_steps:
            raise self._too_many(t, f"the last was {t_next - t:.3g} s")
        try:
            return _Attempt(*self._attempt_step(rhs, state, s, t, t_next), None)
        except NotFiniteError as error:
            return _Attempt(s, math.inf, error if _is_of_callback(error, rhs) else None)

    def _factor(self, error: float) -> float:
        """Return the size of the next step over that of one with this error."""
        return _MAX_FACTOR if error == 0 else min(_MAX_FACTOR, max(_MIN_FACTOR, _SAFETY * error**-self._exponent))

    def _following_step(self, h: float, factor: float) -> float:
        """Return the size of the step after one of size `h` whose error allows `factor` times as much.

        A step that ends early, at a sample, may allow far more than the largest factor: the size planned before stays.
        """
        return max(self._step, h * factor) if factor == _MAX_FACTOR else h * factor


def _error_order(tableau: ButcherTableau) -> int:
    """Return the lower order of the two methods of a pair; four, if it is above four."""
    assert tableau.b_hat is not None
    return min(tableau.order, ButcherTableau(tableau.a, tableau.b_hat).order)


class _Attempt(NamedTuple):
    """The end of an attempt: contact states, and the error in units of the tolerance."""

    s: Array
    error: float
    callback_error: NotFiniteError | None
    """The exception of a callback that ended the step."""


def _require_progress(t: float, t_next: float, callback_error: NotFiniteError | None) -> None:
    """Raise SolverError, or the exception of a callback, for a step no longer than rounding of the time."""
    if t_next - t > _MIN_RELATIVE_STEP * max(1.0, abs(t)):
        return
    if callback_error is not None:
        raise callback_error
    message = f"the tolerance cannot be kept at t = {t!r}: steps would be shorter than {t_next - t:.3g} s"
    raise SolverError(message, status="step too short", time=t)


def _is_of_callback(error: NotFiniteError, rhs: RightHandSide) -> bool:
    return isinstance(rhs, EquationsOfMotion) and error is rhs.callback_error
