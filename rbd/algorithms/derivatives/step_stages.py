"""Time steps with their derivatives: the chain rule through the stages of an integrator.

Integrators: semi-implicit Euler, and the fourth-order Runge-Kutta method of Munthe-Kaas (1999), with the stages of
compiled robots and of `rbd.simulate`. Every vector carries its Jacobian by the configuration at the start (along
velocities), the velocity there, and the torques; nv columns each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, final

import attrs

from rbd.algorithms.derivatives.constrained_dynamics import constrained_derivatives_kernel
from rbd.algorithms.derivatives.forward_dynamics import linearized_dynamics
from rbd.algorithms.derivatives.sparse_products import sparse_product
from rbd.algorithms.derivatives.step_coordinates import (
    DifferentiatedVector,
    configuration_after,
    coordinate_rate,
    stage_coordinates,
)
from rbd.algorithms.external_wrenches import AppliedWrenches
from rbd.algorithms.forward_dynamics import forward_dynamics_kernel
from rbd.algorithms.loops.loop_gains import DEFAULT_GAINS, ConstraintGains
from rbd.algorithms.time_steps.fixed_step import FixedStepMethod
from rbd.algorithms.time_steps.runge_kutta import CLASSICAL, weighted_sum
from rbd.kernels.state_view import StateView
from rbd.scalars import Matrix, Scalar, Vector
from rbd.scalars.linear_algebra import hstack, identity


@final
@attrs.frozen(eq=False)
class StepStart:
    """The start of a step, with the torques and external wrenches that are constant during it."""

    state: StateView
    torques: Vector
    external: AppliedWrenches = ()
    gains: ConstraintGains = DEFAULT_GAINS

    @property
    def q_jacobian(self) -> Matrix:
        """The Jacobian of the configuration."""
        return self._rows(0)

    @property
    def v(self) -> DifferentiatedVector:
        """The velocity."""
        return DifferentiatedVector(self.state.velocity_scalars(), self._rows(1))

    def _rows(self, block: int) -> Matrix:
        """Return the Jacobian of an independent variable: a block of the identity."""
        nv = self.state.layout.nv
        return identity(3 * nv)[block * nv : (block + 1) * nv]

    @property
    def phi(self) -> DifferentiatedVector:
        """The local coordinates at the start: zero."""
        nv = self.state.layout.nv
        return DifferentiatedVector((0,) * nv, ((0,) * (3 * nv),) * nv)

    def accelerations(self) -> DifferentiatedVector:
        """Return vd at the start."""
        if self.state.layout.is_constrained:
            return self.accelerations_at(self.state, self.q_jacobian, self.v)
        motion = linearized_dynamics(self.state, self.torques, self.external)
        return DifferentiatedVector(motion.vd, hstack(*motion.slopes()))

    def accelerations_at(self, state: StateView, q: Matrix, v: DifferentiatedVector) -> DifferentiatedVector:
        """Return vd at a state whose configuration has the Jacobian `q`, with the constraints of loops."""
        torques = self._rows(2)
        if not state.layout.is_constrained:
            motion = linearized_dynamics(state, self.torques, self.external)
            return DifferentiatedVector(motion.vd, motion.chained(q, v.jacobian, torques))
        vd = forward_dynamics_kernel(state, self.torques, self.external, self.gains)
        slopes = constrained_derivatives_kernel(state, self.torques, self.external, "tangent", self.gains)[:3]
        return DifferentiatedVector(vd, sparse_product(hstack(*slopes), (*q, *v.jacobian, *torques)))


@final
@attrs.frozen(eq=False)
class DifferentiatedRates:
    """Rates of local coordinates and velocities at a stage, with their Jacobians."""

    phid: DifferentiatedVector
    vd: DifferentiatedVector


def _semi_implicit(start: StepStart, dt: Scalar) -> tuple[DifferentiatedVector, DifferentiatedVector]:
    """Semi-implicit Euler: v first, then q with the new v."""
    v = start.v.stepped(start.accelerations(), dt)
    phi = start.phi.stepped(coordinate_rate(start.state, start.q_jacobian, v), dt)
    return configuration_after(start.state, start.q_jacobian, phi), v


def _munthe_kaas(start: StepStart, dt: Scalar) -> tuple[DifferentiatedVector, DifferentiatedVector]:
    """Munthe-Kaas Runge-Kutta: four stages in local coordinates around the configuration at the start.

    Each stage of the classical method uses the rates of the stage before only, for the time to it: a[k][k-1] = c[k].
    """
    times, stages = [dt if c == 1 else dt * c for c in CLASSICAL.c[1:]], [_first(start)]
    for ahead in times:
        stages.append(_stage(start, stages[-1], ahead))
    phi = start.phi.stepped(_weighted([stage.phid for stage in stages]), dt)
    v = start.v.stepped(_weighted([stage.vd for stage in stages]), dt)
    return configuration_after(start.state, start.q_jacobian, phi), v


DIFFERENTIATED_STEPS: Final[
    Mapping[FixedStepMethod, Callable[[StepStart, Scalar], tuple[DifferentiatedVector, DifferentiatedVector]]]
] = MappingProxyType({"semi-implicit-euler": _semi_implicit, "munthe-kaas-rk4": _munthe_kaas})
"""Method -> function that returns q and v after a step of length dt; the default of `step_derivatives` first."""


def _first(start: StepStart) -> DifferentiatedRates:
    phid = coordinate_rate(start.state, start.q_jacobian, start.v)
    return DifferentiatedRates(phid, start.accelerations())


def _stage(start: StepStart, before: DifferentiatedRates, ahead: Scalar) -> DifferentiatedRates:
    """Return the rates at the state that the rates of the stage before lead to."""
    v = start.v.stepped(before.vd, ahead)
    q, phid = stage_coordinates(start.state, start.q_jacobian, start.phi.stepped(before.phid, ahead), v)
    stage_state = start.state.with_scalars(q.value, v.value)
    return DifferentiatedRates(phid, start.accelerations_at(stage_state, q.jacobian, v))


def _weighted(rates: Sequence[DifferentiatedVector]) -> DifferentiatedVector:
    """Return the weighted mean of the four stages."""
    rows = zip(*(rate.jacobian for rate in rates), strict=True)
    return DifferentiatedVector(_mean([rate.value for rate in rates]), tuple(map(_mean, rows)))


def _mean(rates: Sequence[Vector]) -> Vector:
    return weighted_sum(CLASSICAL.b, dict(enumerate(rates)))
