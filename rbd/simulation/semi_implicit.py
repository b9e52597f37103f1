"""The semi-implicit Euler method: one evaluation a step, first order.

It keeps energy in the mean only where the mass matrix is constant; elsewhere energy drifts, as with any method of first
order.

Hairer, Lubich and Wanner, Geometric Numerical Integration (2006), section I.1.2.
"""

from __future__ import annotations

from typing import final

import attrs
import numpy as np
from typing_extensions import override

from rbd.scalars.arrays import Array
from rbd.simulation.integrator import Integrator, RightHandSide, weighted_step
from rbd.state import MechanismState


@final
@attrs.frozen
class SemiImplicitEuler(Integrator):
    """Velocities first, then configurations with the new velocities."""

    @override
    def step(self, rhs: RightHandSide, state: MechanismState, s: Array, start: float, end: float) -> Array:
        h, q = end - start, state.q.copy()
        rates = rhs(start, state, s)
        state.set_velocity(weighted_step(state.v, "v", h, (1.0,), [rates.vd]))
        _, phi_rate = state.local_coordinates(q)
        state.global_coordinates(q, weighted_step(np.zeros_like(rates.vd), "phi", h, (1.0,), [phi_rate]))
        return weighted_step(s, "s", h, (1.0,), [rates.sd])
