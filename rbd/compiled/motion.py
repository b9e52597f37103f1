"""Steps in time and rollouts of one mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from numpy.typing import ArrayLike

from rbd.algorithms.stabilization import DEFAULT, STANDARD, Stabilization, gains_in
from rbd.compiled.function import RecordedFunction
from rbd.compiled.functions import Functions
from rbd.compiled.recipes import step_recipe
from rbd.compiled.rollout import rollout
from rbd.compiled.stepping import Integrator
from rbd.errors import ArgumentError
from rbd.scalars.arrays import Array
from rbd.state.layout import layout_of


class Motion(Functions):
    """How a mechanism moves on, a step or many."""

    @overload
    def step(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        dt: ArrayLike,
        *,
        s: None = None,
        integrator: Integrator = "munthe-kaas-rk4",
        stabilization: Stabilization = DEFAULT,
        out: Sequence[Array] | None = None,
        threads: int = 1,
        **parameters: ArrayLike,
    ) -> tuple[Array, Array]: ...
    @overload
    def step(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        dt: ArrayLike,
        *,
        s: ArrayLike,
        integrator: Integrator = "munthe-kaas-rk4",
        stabilization: Stabilization = DEFAULT,
        out: Sequence[Array] | None = None,
        threads: int = 1,
        **parameters: ArrayLike,
    ) -> tuple[Array, Array, Array]: ...
    def step(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        dt: ArrayLike,
        *,
        s: ArrayLike | None = None,
        integrator: Integrator = "munthe-kaas-rk4",
        stabilization: Stabilization = DEFAULT,
        out: Sequence[Array] | None = None,
        threads: int = 1,
        **parameters: ArrayLike,
    ) -> tuple[Array, ...]:
        """Return (q, v) a time `dt` later, the torques held; `dt` is one number, or one per member of the batch.

        Mechanisms with contact states take them as `s`, (..., ns), and return (q, v, s). Loops are kept, and drawn
        together by `stabilization`, that of `rbd.dynamics`: each other one is compiled on its own.
        """
        function, start = self._stepping(integrator, stabilization, q, v, s)
        result = function.call((*start, tau, dt), parameters, out, threads)
        if integrator == "munthe-kaas-rk4" and s is None and stabilization is DEFAULT:
            self._offer("step", function)
        return tuple(result)

    def _stepping(
        self, integrator: Integrator, stabilization: Stabilization, q: ArrayLike, v: ArrayLike, s: ArrayLike | None
    ) -> tuple[RecordedFunction, tuple[ArrayLike, ...]]:
        """Return what takes a step, and what it begins with."""
        layout = layout_of(self._mechanism)
        ns, gains = layout.ns, gains_in(layout, stabilization)
        if (s is None) != (ns == 0):
            message = f"s must be {'left out' if s is not None else 'given'}: the mechanism has {ns} contact states"
            raise ArgumentError(message, argument="s", value=s, allowed=ns)
        usual = gains is STANDARD or not layout.loops
        key = f"step {integrator}" if usual else f"step {integrator} {gains!r}"
        function = self._function(key, lambda: step_recipe(integrator, ns, STANDARD if usual else gains))
        return function, (q, v) if s is None else (q, v, s)

    @overload
    def rollout(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        dt: float,
        steps: int,
        *,
        s: None = None,
        integrator: Integrator = "munthe-kaas-rk4",
        stabilization: Stabilization = DEFAULT,
        out: Sequence[Array] | None = None,
        threads: int = 1,
        **parameters: ArrayLike,
    ) -> tuple[Array, Array]: ...
    @overload
    def rollout(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        dt: float,
        steps: int,
        *,
        s: ArrayLike,
        integrator: Integrator = "munthe-kaas-rk4",
        stabilization: Stabilization = DEFAULT,
        out: Sequence[Array] | None = None,
        threads: int = 1,
        **parameters: ArrayLike,
    ) -> tuple[Array, Array, Array]: ...
    def rollout(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        dt: float,
        steps: int,
        *,
        s: ArrayLike | None = None,
        integrator: Integrator = "munthe-kaas-rk4",
        stabilization: Stabilization = DEFAULT,
        out: Sequence[Array] | None = None,
        threads: int = 1,
        **parameters: ArrayLike,
    ) -> tuple[Array, ...]:
        """Return (q, v) at all `steps` + 1 times, a time axis before the last one.

        `tau` is held for the whole time, (..., nv), or has one row per step: (..., steps, nv). To tell them apart, tau
        with a time axis must have one more axis than q. Errors say in a note which step they are from. Mechanisms with
        contact states take those at the beginning as `s` and return (q, v, s). `stabilization` as in `step`. `out`, a
        sequence of arrays, is filled when all steps are taken.
        """
        function, start = self._stepping(integrator, stabilization, q, v, s)
        return rollout(function.evaluation, (*start, tau, dt), steps, threads, parameters, out)
