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

from rbd.algorithms import mass_matrix
from rbd.engine.fast_path import fast_path
from rbd.errors import SolverError
from rbd.kernels.calls import Call, KernelCall
from rbd.kinematics.queries import State
from rbd.scalars import Vector
from rbd.scalars.arrays import Array
from rbd.simulation.integrator import Integrator, RightHandSide, finite_array
from rbd.simulation.variational_kernels import (
    end_velocity_kernel,
    midpoint_velocity_kernel,
    variational_iteration_kernel,
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
    def step(self, rhs: RightHandSide, state: MechanismState, s: Array, start: float, end: float) -> Array:
        step = _Step(rhs, state, s, start, end)
        return step.end_step(step.solve())


@final
class _Step:
    """One step: its initial state, and p and the impulse of its last iteration."""

    def __init__(self, rhs: RightHandSide, state: MechanismState, s: Array, start: float, end: float) -> None:
        self._rhs, self._state, self._s = rhs, state, s
        self._h, self._t_mid = end - start, 0.5 * (start + end)
        self._q, self._v = state.q.copy(), state.v.copy()
        self._momentum = mass_matrix(state) @ self._v
        self._sd = np.zeros_like(s)
        self._p = self._impulse = np.zeros(0)

    def solve(self) -> Array:
        """Return the coordinates phi of the end around the beginning."""
        velocity = self._v
        phi = self._h * self._state.local_coordinates(self._q)[1]
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
        state, h = self._state, self._h
        self._set_local_coordinates(0.5 * phi)
        state.set_velocity(_midpoint_velocity(state, self._q, phi, h))
        rates = self._rhs(self._t_mid, state, self._s + 0.5 * h * self._sd)
        self._sd = rates.sd
        phi, vm, self._p, self._impulse = _iteration(state, self._q, phi, h, self._momentum, rates.vd)
        return phi, vm

    def end_step(self, phi: Array) -> Array:
        """Move the state to the end; return the contact states there."""
        self._set_local_coordinates(phi)
        self._state.set_velocity(_end_velocity(self._state, self._q, phi, self._p, self._impulse))
        return self._s + self._h * self._sd

    def _set_local_coordinates(self, phi: Array) -> None:
        """Set the state to local coordinates `phi` around the beginning."""
        self._state.global_coordinates(self._q, finite_array(phi, "phi"))


@fast_path(vectors=3)
def _midpoint_velocity(state: State[Array], q0: Array, phi: Array, h: float) -> Call[Array]:
    """Return the velocity of a state in the middle of a step."""
    args = (_configuration(state, q0), _tangent(state, phi, "phi"), state.lifted(h))
    return KernelCall(midpoint_velocity_kernel, args, {"velocity": (state.layout.nv,)})


@fast_path(vectors=5)
def _iteration(
    state: State[Array], q0: Array, phi: Array, h: float, momentum: Array, vd: Array
) -> Call[tuple[Array, Array, Array, Array]]:
    """Return the next phi, the velocity in the middle, its momentum, and the impulse; for a state in the middle."""
    args = (
        _configuration(state, q0),
        _tangent(state, phi, "phi"),
        state.lifted(h),
        _tangent(state, momentum, "momentum"),
        _tangent(state, vd, "vd"),
    )
    names = "phi", "velocity", "momentum", "impulse"
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(names, (state.layout.nv,))
    return KernelCall(variational_iteration_kernel, args, shapes)


@fast_path(vectors=4)
def _end_velocity(state: State[Array], q0: Array, phi: Array, p: Array, impulse: Array) -> Call[Array]:
    """Return the velocity of a state at the end of a step."""
    tangents = (_tangent(state, x, name) for x, name in ((phi, "phi"), (p, "momentum"), (impulse, "impulse")))
    return KernelCall(end_velocity_kernel, (_configuration(state, q0), *tangents), {"velocity": (state.layout.nv,)})


def _configuration(state: State[Array], q: Array) -> Vector:
    return state.vector(q, state.layout.nq, "q")


def _tangent(state: State[Array], values: Array, name: str) -> Vector:
    return state.vector(values, state.layout.nv, name)
