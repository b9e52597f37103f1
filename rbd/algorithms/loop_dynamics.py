"""Forces and motion of mechanisms with loops: M vd + c = tau + passive - Kᵀ λ, with K vd = -k.

Featherstone (2008), section 8.4; how the equations are solved is in `constrained.py`.
"""

from __future__ import annotations

from rbd.algorithms.constrained import WhiteProblem, constrained_solution
from rbd.algorithms.external import External
from rbd.algorithms.inverse_dynamics import dynamics_bias_kernel
from rbd.algorithms.loops import loop_equations
from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.algorithms.passive import passive_torques_kernel
from rbd.algorithms.stabilization import STANDARD, LoopGainsPerLoop
from rbd.scalars import Matrix, Scalar, Vector
from rbd.state import StateView, kernel, passes

Solution = tuple[Vector, Matrix, Vector, Vector, Vector, Matrix, Vector, Vector, Scalar]


@kernel(regroup=True)
def constrained_dynamics_kernel(
    state: StateView, torques: Vector, external: External = None, gains: LoopGainsPerLoop = STANDARD
) -> Solution:
    """Return vd, M, c, the passive torques, dq/dt, K, k, the multipliers and the rank of K."""
    matrix, bias = mass_matrix_kernel(state), dynamics_bias_kernel(state, external)
    passive = passive_torques_kernel(state)
    right = tuple(a + b - c for a, b, c in zip(torques, passive, bias, strict=True))
    equations = loop_equations(state, gains)
    found = constrained_solution(matrix, factored(state, matrix), equations, right)
    rates = passes.configuration_rates(state)
    loops = (equations.jacobian, equations.bias, found.multipliers, found.rank)
    return found.vd, matrix, bias, passive, rates, *loops


def constrained_accelerations(state: StateView, drive: Vector, external: External, gains: LoopGainsPerLoop) -> Vector:
    """Return vd for all torques of the joints, passive ones included."""
    right = tuple(a - b for a, b in zip(drive, dynamics_bias_kernel(state, external), strict=True))
    factor = factored(state, mass_matrix_kernel(state))
    vd, _ = WhiteProblem.of(factor, loop_equations(state, gains), right).accelerations()
    return vd
