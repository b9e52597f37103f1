"""Time steps of compiled robots: steps, rollouts, derivatives of steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack, overload

from numpy.typing import ArrayLike

from rbd.algorithms.derivatives.space import Space
from rbd.algorithms.derivatives.step_derivatives import StepDerivatives
from rbd.algorithms.loops.stabilization import DEFAULT_STABILIZATION, Stabilization
from rbd.algorithms.time_steps.fixed_step import FixedStepMethod
from rbd.array_functions.row_status import RowStatus
from rbd.array_functions.wrench_inputs import WrenchArrays, WrenchFrame
from rbd.compiled.method_base import CallOptions, MethodBase, refuses_unknown_names
from rbd.compiled.rollout import rollout
from rbd.compiled.step_derivatives import CompliantStepDerivatives
from rbd.compiled.step_options import StepDerivativesOptions, StepOptions
from rbd.errors import ArgumentError
from rbd.indexing.layout import layout_of
from rbd.scalars.arrays import Array


class StepMethods(MethodBase):
    """The methods of a compiled robot for time integration."""

    @overload
    def step(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None,
        dt: ArrayLike,
        *,
        s: None = None,
        **options: Unpack[StepOptions],
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
        **options: Unpack[StepOptions],
    ) -> tuple[Array, Array, Array]: ...
    @refuses_unknown_names
    def step(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None,
        dt: ArrayLike,
        *,
        s: ArrayLike | None = None,
        integrator: FixedStepMethod = "munthe-kaas-rk4",
        stabilization: Stabilization = DEFAULT_STABILIZATION,
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
        `external_wrenches` as in `CompiledRobot`; they are constant in their frames during the step.
        """
        start = self._initial_arrays(q, v, s)
        wrenches, components = self._wrench_inputs(external_wrenches, wrench_frame)
        options = CallOptions(out, threads, status, parameters)
        function = self._table.step(integrator, stabilization, wrenches)
        result = options.call(function, (*start, self._torques(tau), dt, *components))
        if function.is_warm:
            given = self._wrench_options(external_wrenches, wrenches, wrench_frame)
            self._use_builtin("step", function, {"integrator": integrator, "stabilization": stabilization, **given})
        return tuple(result)

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
        **options: Unpack[StepOptions],
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
        **options: Unpack[StepOptions],
    ) -> tuple[Array, Array, Array]: ...
    @refuses_unknown_names
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
        stabilization: Stabilization = DEFAULT_STABILIZATION,
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
        `status.steps` has their numbers of steps; other rows are not affected. `external_wrenches` as in
        `CompiledRobot`, constant in their frames.
        """
        arrays = (*self._initial_arrays(q, v, s), self._torques(tau), dt)
        wrenches, components = self._wrench_inputs(external_wrenches, wrench_frame)
        function = self._table.step(integrator, stabilization, wrenches)
        named = {**parameters, **dict(zip([each.name for each in wrenches], components, strict=True))}
        history = rollout(function.evaluation, arrays, steps, threads, named, out, status)
        if function.is_warm:
            given = self._wrench_options(external_wrenches, wrenches, wrench_frame)
            self._use_builtin("rollout", function, {"integrator": integrator, "stabilization": stabilization, **given})
        return history

    @overload
    def step_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None,
        dt: ArrayLike,
        *,
        s: None = None,
        **options: Unpack[StepDerivativesOptions],
    ) -> StepDerivatives[Array]: ...
    @overload
    def step_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None,
        dt: ArrayLike,
        *,
        s: ArrayLike,
        **options: Unpack[StepDerivativesOptions],
    ) -> CompliantStepDerivatives: ...
    @refuses_unknown_names
    def step_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None,
        dt: ArrayLike,
        *,
        s: ArrayLike | None = None,
        integrator: FixedStepMethod = "munthe-kaas-rk4",
        space: Space = "tangent",
        out: Sequence[Array] | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> StepDerivatives[Array] | CompliantStepDerivatives:
        """Return the derivatives of `step` by configuration, velocity and torques, arrays with leading batch axes.

        See `rbd.step_derivatives`. Mechanisms with contact states take them as `s`, and return derivatives of and by
        these, too, in "tangent" space only. `out` has one array per field of the result. Loops have the default
        stabilisation.
        """
        arrays = (*self._initial_arrays(q, v, s), self._torques(tau), dt)
        options = CallOptions(out, threads, status, parameters)
        found = options.call(self._table.step_derivatives(integrator, space), arrays)
        return StepDerivatives(*found) if s is None else CompliantStepDerivatives(*found)

    def _initial_arrays(self, q: ArrayLike, v: ArrayLike, s: ArrayLike | None) -> tuple[ArrayLike, ...]:
        """Return the initial arrays of a step; raise ArgumentError unless contact states are given if there are any."""
        ns = layout_of(self._table.mechanism).ns
        if (s is None) != (ns == 0):
            message = f"s must be {'left out' if s is not None else 'given'}: the mechanism has {ns} contact states"
            raise ArgumentError(message, argument="s", value=s, allowed=ns)
        return (q, v) if s is None else (q, v, s)
