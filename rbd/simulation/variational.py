"""The variational midpoint rule: a symplectic method on the manifold of configurations.

J. Marsden and M. West, Discrete mechanics and variational integrators, Acta Numerica 10 (2001); N. Bou-Rabee and J.
Marsden, Hamilton-Pontryagin integrators on Lie groups, Foundations of Computational Mathematics 9 (2009). The action of
a step from q0 to q1 is h L(qm, vm): the middle qm lies at phi / 2 and q1 at phi in the joints' own coordinates around
q0, and vm is the velocity there at which they change by phi / h. The derivatives of the action by q0 and q1 are the
momenta M v at both ends.

With D the derivative of L by the configuration at constant velocity, f the forces at the middle and p = M vm,

    momentum at the start = J0^T (h G0^T p - h/2 B0^T (D + f)),    at the end = J1^T (h G1^T p + h/2 B1^T (D + f)),

where J, B and G are the derivatives, by the local coordinates of one end around the other, of that end, of the middle
and of vm. The accelerations vd at the middle give D + f = M vd + (dM/dt) vm + the Boltzmann-Hamel terms of
quasi-velocities.
"""

from __future__ import annotations

from typing import final

import attrs
import numpy as np
from typing_extensions import override

from rbd.algorithms import coriolis_matrix, mass_matrix
from rbd.errors import SolverError
from rbd.scalars.arrays import Array
from rbd.simulation.integrator import Flow, Integrator, finite, solve
from rbd.simulation.local_coordinate_derivatives import (
    boltzmann_hamel_force,
    local_rate_matrix,
    midpoint_velocity_jacobian,
)
from rbd.state import MechanismState

_MAX_ITERATIONS = 100
_TOLERANCE, _STAGNATION_TOLERANCE = 1e-15, 1e-11


@final
@attrs.frozen
class VariationalMidpoint(Integrator):
    """Second order, implicit and symplectic: energy oscillates but does not drift, momenta of symmetries are conserved.

    For long runs of mechanisms without friction. A step is solved by fixed-point iteration, some ten evaluations; where
    forces are so stiff that it does not converge, SolverError asks for a smaller dt. Loop joints and contacts are
    evaluated at the midpoint: energy and momenta may then drift.

    >>> import rbd
    >>> from rbd.simulation import VariationalMidpoint
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.5, 0.0])
    >>> trajectory = rbd.simulate(state, 2.0, dt=0.02, integrator=VariationalMidpoint())
    >>> energy = trajectory.energies(state.mechanism).total
    >>> bool(abs(energy - energy[0]).max() < 0.01)
    True
    """

    @override
    def step(self, flow: Flow, state: MechanismState, s: Array, start: float, end: float) -> Array:
        step = _Step(flow, state, s, start, end)
        return step.end_step(step.solve())


@final
class _Step:
    """One step: its initial state and the quantities at its middle."""

    def __init__(self, flow: Flow, state: MechanismState, s: Array, start: float, end: float) -> None:
        self._flow, self._state, self._s = flow, state, s
        self._h, self._t_mid = end - start, 0.5 * (start + end)
        self._q, self._v = state.q.copy(), state.v.copy()
        self._momentum = mass_matrix(state) @ self._v
        self._sd = np.zeros_like(s)
        self._p = self._impulse = np.zeros(0)

    def solve(self) -> Array:
        """Return the coordinates phi of the end around the beginning."""
        velocity = self._v
        phi = self._h * (local_rate_matrix(self._state, self._q, self._q) @ velocity)
        last = change = np.inf
        for _ in range(_MAX_ITERATIONS):
            phi, new = self._iterate(phi)
            change = float(np.abs(new - velocity).max(initial=0)) / (1 + float(np.abs(new).max(initial=0)))
            velocity = new
            if change <= _TOLERANCE or (change <= _STAGNATION_TOLERANCE and change >= last):
                return phi
            last = change
        message = f"the step of {self._h:.3g} s did not converge (last change {change:.3g}); a smaller dt may help"
        raise SolverError(message, status="no convergence", time=self._t_mid)

    def _iterate(self, phi: Array) -> tuple[Array, Array]:
        """Return the next iterate of phi, and the velocity in the middle from the momentum at the start."""
        state, half = self._state, 0.5 * self._h
        end, middle = self._set_local_coordinates(phi), self._set_local_coordinates(0.5 * phi)
        mean = local_rate_matrix(state, self._q, middle)
        velocity = solve(mean, phi) / self._h
        state.set_velocity(finite(velocity, "v"))
        rates = self._flow(self._t_mid, state, self._s + half * self._sd)
        self._sd = rates.sd
        mass, coriolis = mass_matrix(state), coriolis_matrix(state)
        velocity_force = (
            coriolis.T @ velocity
            + coriolis @ velocity
            + boltzmann_hamel_force(state, middle, velocity, mass @ velocity)
        )
        self._impulse = half * (mass @ rates.vd + velocity_force)
        rhs = solve(local_rate_matrix(state, end, self._q).T, self._momentum)
        rhs += solve(local_rate_matrix(state, end, middle).T, self._impulse)
        self._p = solve(midpoint_velocity_jacobian(state, end, -phi).T, rhs)
        better = finite(solve(mass, self._p), "v")
        return self._h * (mean @ better), better

    def end_step(self, phi: Array) -> Array:
        """Move the state to the end; return the contact states there."""
        state = self._state
        middle, end = self._set_local_coordinates(0.5 * phi), self._set_local_coordinates(phi)
        rhs = midpoint_velocity_jacobian(state, self._q, phi).T @ self._p
        rhs += solve(local_rate_matrix(state, self._q, middle).T, self._impulse)
        momentum = local_rate_matrix(state, self._q, end).T @ rhs
        state.set_velocity(finite(solve(mass_matrix(state), momentum), "v"))
        return self._s + self._h * self._sd

    def _set_local_coordinates(self, phi: Array) -> Array:
        """Set the state to local coordinates `phi` around the beginning; return its configuration."""
        self._state.global_coordinates(self._q, finite(phi, "phi"))
        return self._state.q.copy()
