"""Runge-Kutta methods that stay on the manifold of configurations.

H. Munthe-Kaas, High order Runge-Kutta methods on manifolds, Applied Numerical Mathematics 29 (1999): the stages live in
the local coordinates phi around the configuration q0 at which the step began, where their rates are exact, so the
method keeps its classical order on every joint type and quaternions stay on the unit sphere.
"""

from __future__ import annotations

from typing import final

import attrs
import numpy as np
from typing_extensions import override

from rbd.arguments import require_kind
from rbd.scalars.arrays import Array
from rbd.simulation.integrator import Integrator, RightHandSide, weighted_step
from rbd.simulation.tableau import RUNGE_KUTTA_4, ButcherTableau
from rbd.state import MechanismState


@final
@attrs.frozen(eq=False)
class Stages:
    """The initial state of a step, and the slopes of its stages so far."""

    state: MechanismState
    q: Array
    v: Array
    s: Array
    h: float
    phi_rates: list[Array] = attrs.field(factory=list[Array])
    vd: list[Array] = attrs.field(factory=list[Array])
    sd: list[Array] = attrs.field(factory=list[Array])

    def set_state(self, weights: tuple[float, ...]) -> Array:
        """Set the state to the start plus h times the weighted slopes; return s there."""
        weights = weights[: len(self.vd)]  # those of later stages are zero
        phi = weighted_step(np.zeros_like(self.v), "phi", self.h, weights, self.phi_rates)
        v = weighted_step(self.v, "v", self.h, weights, self.vd)
        self.state.global_coordinates(self.q, phi)
        self.state.set_velocity(v)
        return weighted_step(self.s, "s", self.h, weights, self.sd)

    def weighted_sum(self, weights: tuple[float, ...], slopes: list[Array]) -> Array:
        """Return h Σ weight slope."""
        return weighted_step(np.zeros_like(slopes[0]), "the error of a step", self.h, weights, slopes)

    def evaluate(self, rhs: RightHandSide, t: float, s: Array) -> None:
        """Evaluate the rates at the current state."""
        _, phi_rate = self.state.local_coordinates(self.q)
        rates = rhs(t, self.state, s)
        self.phi_rates.append(phi_rate)
        self.vd.append(rates.vd)
        self.sd.append(rates.sd)


def take_stages(
    tableau: ButcherTableau, rhs: RightHandSide, state: MechanismState, s: Array, start: float, end: float
) -> Stages:
    """Evaluate all stages of a step; the state is left at the last one."""
    stages = Stages(state, state.q.copy(), state.v.copy(), s, end - start)
    stages.evaluate(rhs, start, s)
    for fraction, weights in zip(tableau.c[1:], tableau.a[1:], strict=True):
        s_stage = stages.set_state(weights)
        # `end` itself, not start + h: controllers compare times.
        stages.evaluate(rhs, end if fraction == 1 else start + fraction * stages.h, s_stage)
    return stages


@final
@attrs.frozen
class MuntheKaas(Integrator):
    """The Munthe-Kaas method of an explicit tableau; classical fourth order unless another is given.

    >>> import rbd
    >>> from rbd.simulation import HEUN, MuntheKaas
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.1, 0.2])
    >>> len(rbd.simulate(state, 0.01, integrator=MuntheKaas(HEUN)))
    11
    """

    tableau: ButcherTableau = RUNGE_KUTTA_4

    def __attrs_post_init__(self) -> None:
        require_kind(self.tableau, ButcherTableau, operation="MuntheKaas", argument="tableau")

    @override
    def step(self, rhs: RightHandSide, state: MechanismState, s: Array, start: float, end: float) -> Array:
        return take_stages(self.tableau, rhs, state, s, start, end).set_state(self.tableau.b)
