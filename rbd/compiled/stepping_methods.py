"""Methods of compiled robots for time steps and rollouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from numpy.typing import ArrayLike

from rbd.algorithms.loops.stabilization import DEFAULT, STANDARD, Stabilization, gains_in
from rbd.algorithms.time_steps.formulas import FixedStepMethod
from rbd.algorithms.time_steps.step_dynamics import PLAIN, StepOptions
from rbd.compiled.compiled_functions import CompiledFunctions
from rbd.compiled.function import RecordedFunction
from rbd.compiled.parameter_checks import require_possible
from rbd.compiled.recording_specs import step_spec
from rbd.compiled.rollout import rollout
from rbd.compiled.status import RowStatus
from rbd.compiled.wrenches import Places, WrenchArrays, WrenchFrame, key_with_wrenches, with_wrenches
from rbd.errors import ArgumentError
from rbd.indexing.layout import layout_of
from rbd.scalars.arrays import Array


class SteppingMethods(CompiledFunctions):
    """Time steps and rollouts, as methods of compiled robots."""

    @overload
    def step(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None,
        dt: ArrayLike,
        *,
        s: None = None,
        integrator: FixedStepMethod = "munthe-kaas-rk4",
        stabilization: Stabilization = DEFAULT,
        external_wrenches: WrenchArrays | None = None,
        wrench_frame: WrenchFrame = "body",
        out: Sequence[Array] | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> tuple[Array, Array]: ...
    @overload
    def step(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None,
        dt: ArrayLike,
        *,
        s: ArrayLike,
        integrator: FixedStepMethod = "munthe-kaas-rk4",
        stabilization: Stabilization = DEFAULT,
        external_wrenches: WrenchArrays | None = None,
        wrench_frame: WrenchFrame = "body",
        out: Sequence[Array] | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> tuple[Array, Array, Array]: ...
    def step(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None,
        dt: ArrayLike,
        *,
        s: ArrayLike | None = None,
        integrator: FixedStepMethod = "munthe-kaas-rk4",
        stabilization: Stabilization = DEFAULT,
        external_wrenches: WrenchArrays | None = None,
        wrench_frame: WrenchFrame = "body",
        out: Sequence[Array] | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> tuple[Array, ...]:
        """Return (q, v) after a time step `dt` with constant torques; `dt` may have batch axes.

        `tau` None means zero. Mechanisms with contact states take them as `s`, (..., ns), and return (q, v, s). Loop
        constraints are stabilised by `stabilization`, as in `rbd.dynamics`; each value is compiled separately.
        `external_wrenches` as in the class; they are constant in their frames during the step.
        """
        places, wrenches = self._placed(external_wrenches, wrench_frame)
        start = self._start(q, v, s)
        function = self._step_function(integrator, stabilization, places)
        require_possible(parameters)
        result = function.call((*start, self._torques(tau), dt, *wrenches), parameters, out, threads, status)
        if integrator == "munthe-kaas-rk4" and s is None and stabilization is DEFAULT and not places:
            self._offer("step", function)
        return tuple(result)

    def _start(self, q: ArrayLike, v: ArrayLike, s: ArrayLike | None) -> tuple[ArrayLike, ...]:
        """Return the initial arrays; raise ArgumentError unless contact states are given where there are any."""
        ns = layout_of(self.mechanism).ns
        if (s is None) != (ns == 0):
            message = f"s must be {'left out' if s is not None else 'given'}: the mechanism has {ns} contact states"
            raise ArgumentError(message, argument="s", value=s, allowed=ns)
        return (q, v) if s is None else (q, v, s)

    def _step_function(
        self, integrator: FixedStepMethod, stabilization: Stabilization, places: Places
    ) -> RecordedFunction:
        """Return the function of a step."""
        layout = layout_of(self.mechanism)
        gains = gains_in(layout, stabilization)
        usual = gains is STANDARD or not layout.is_constrained
        key = f"step {integrator}" if usual else f"step {integrator} {gains!r}"
        options = PLAIN if usual else StepOptions(gains)
        return self._table.recorded(
            key_with_wrenches(key, places), lambda: with_wrenches(step_spec(integrator, layout.ns, options), places)
        )

    @overload
    def rollout(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None,
        dt: float,
        steps: int,
        *,
        s: None = None,
        integrator: FixedStepMethod = "munthe-kaas-rk4",
        stabilization: Stabilization = DEFAULT,
        external_wrenches: WrenchArrays | None = None,
        wrench_frame: WrenchFrame = "body",
        out: Sequence[Array] | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> tuple[Array, Array]: ...
    @overload
    def rollout(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None,
        dt: float,
        steps: int,
        *,
        s: ArrayLike,
        integrator: FixedStepMethod = "munthe-kaas-rk4",
        stabilization: Stabilization = DEFAULT,
        external_wrenches: WrenchArrays | None = None,
        wrench_frame: WrenchFrame = "body",
        out: Sequence[Array] | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> tuple[Array, Array, Array]: ...
    def rollout(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None,
        dt: float,
        steps: int,
        *,
        s: ArrayLike | None = None,
        integrator: FixedStepMethod = "munthe-kaas-rk4",
        stabilization: Stabilization = DEFAULT,
        external_wrenches: WrenchArrays | None = None,
        wrench_frame: WrenchFrame = "body",
        out: Sequence[Array] | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> tuple[Array, ...]:
        """Return (q, v) at all `steps` + 1 times, a time axis before the last one.

        `tau` is constant, (..., nv), or has one row per step, (..., steps, nv); None means zero. With a time axis, tau
        must have one more axis than q. Errors have a note with the number of the step. Mechanisms with contact states
        take the initial ones as `s` and return (q, v, s). `stabilization` as in `step`. `out`, a sequence of arrays, is
        written after the last step. With `status`, rows that diverge are NaN after their last finite state, and
        `status.steps` has their numbers of steps; other rows are not affected. `external_wrenches` as in the class,
        constant in their frames.
        """
        places, wrenches = self._placed(external_wrenches, wrench_frame)
        start = self._start(q, v, s)
        function = self._step_function(integrator, stabilization, places)
        arrays, named = (
            (*start, self._torques(tau), dt),
            dict(zip([each.name for each in places], wrenches, strict=True)),
        )
        require_possible(parameters)
        return rollout(function.evaluation, arrays, steps, threads, {**parameters, **named}, out, status)
