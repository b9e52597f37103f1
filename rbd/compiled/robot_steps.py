"""Time steps of compiled robots: steps, rollouts, derivatives of steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self, overload

import numpy as np
from numpy.typing import ArrayLike

from rbd.algorithms.derivatives.space import Space
from rbd.algorithms.derivatives.step_derivatives import StepDerivatives
from rbd.algorithms.loops.stabilization import DEFAULT, Stabilization
from rbd.algorithms.time_steps.formulas import FixedStepMethod
from rbd.compiled.call_options import CallOptions
from rbd.compiled.function import RecordedFunction
from rbd.compiled.method_builtins import builtin_documentation, version_guards
from rbd.compiled.parameter_checks import check_parameters
from rbd.compiled.robot_functions import RobotFunctions
from rbd.compiled.status import RowStatus
from rbd.compiled.step_derivatives import CompliantStepDerivatives
from rbd.compiled.trajectory import trajectory
from rbd.compiled.wrenches import WrenchArrays, WrenchFrame
from rbd.scalars.arrays import Array


class RobotSteps:
    """The methods of a compiled robot that go forward in time."""

    def __init__(self, functions: RobotFunctions) -> None:
        """Set the recorded functions."""
        self._functions = functions
        self._replaces_methods = True

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
        start = self._functions.initial_arrays(q, v, s)
        places, wrenches = self._functions.placed(external_wrenches, wrench_frame)
        options = CallOptions(out, threads, status, parameters)
        function = self._functions.step(integrator, stabilization, places)
        result = options.call(function, (*start, self._torques(tau), dt, *wrenches))
        if integrator == "munthe-kaas-rk4" and s is None and stabilization is DEFAULT and not places:
            self._replace_by_builtin("step", function)
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
        arrays = (*self._functions.initial_arrays(q, v, s), self._torques(tau), dt)
        places, wrenches = self._functions.placed(external_wrenches, wrench_frame)
        check_parameters(parameters)
        function = self._functions.step(integrator, stabilization, places)
        named = {**parameters, **dict(zip([each.name for each in places], wrenches, strict=True))}
        return trajectory(function.evaluation, arrays, steps, threads, named, out, status)

    @overload
    def step_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None,
        dt: ArrayLike,
        *,
        s: None = None,
        integrator: FixedStepMethod = "munthe-kaas-rk4",
        space: Space = "tangent",
        out: Sequence[Array] | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
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
        integrator: FixedStepMethod = "munthe-kaas-rk4",
        space: Space = "tangent",
        out: Sequence[Array] | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> CompliantStepDerivatives: ...
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
        arrays = (*self._functions.initial_arrays(q, v, s), self._torques(tau), dt)
        options = CallOptions(out, threads, status, parameters)
        found = options.call(self._functions.step_derivatives(integrator, space), arrays)
        return StepDerivatives(*found) if s is None else CompliantStepDerivatives(*found)

    def _torques(self, tau: ArrayLike | None) -> ArrayLike:
        """Return torques unchanged, zeros for None."""
        return np.zeros(self._functions.table.mechanism.nv) if tau is None else tau

    def _replace_by_builtin(self, name: str, function: RecordedFunction) -> None:
        """Replace the method `name` of this robot by a builtin, once it is called often.

        For other calls the builtin calls the method of a twin without builtins, with the same functions. This avoids
        reference cycles, so that the robot is freed with its last reference.
        """
        table = self._functions.table
        if self._replaces_methods and not table.parameters and function.is_warm and name not in self.__dict__:
            method: Callable[..., object] = getattr(self._twin(self._functions), name)
            guards = version_guards(table.mechanism, table.versions)
            setattr(self, name, function.builtin(method, name, builtin_documentation(method), guards))

    @classmethod
    def _twin(cls, functions: RobotFunctions) -> Self:
        """Return a robot with these functions that keeps its methods."""
        twin = cls.__new__(cls)
        twin._functions, twin._replaces_methods = functions, False
        return twin
