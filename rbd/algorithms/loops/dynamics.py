"""Forward dynamics of mechanisms with loops: M vd + c = tau + passive - Kᵀ λ with K vd = -k.

Featherstone (2008), section 8.5, equations of motion of closed-loop systems; solved by `least_squares.py`.
"""

from __future__ import annotations

from rbd.algorithms.external_wrenches import AppliedWrenches
from rbd.algorithms.loops.kinematics import loop_equations
from rbd.algorithms.loops.least_squares import WhitenedProblem, constrained_solution
from rbd.algorithms.loops.loop_gains import DEFAULT_GAINS, ConstraintGains
from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.algorithms.newton_euler import dynamics_bias_kernel, net_torques
from rbd.algorithms.passive import passive_torques_kernel
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.scalars import Matrix, Scalar, Vector

ConstrainedDynamics = tuple[Vector, Matrix, Vector, Vector, Vector, Matrix, Vector, Vector, Scalar]


@kernel(regroup=True)
def constrained_dynamics_kernel(
    state: StateView, torques: Vector, external: AppliedWrenches = (), gains: ConstraintGains = DEFAULT_GAINS
) -> ConstrainedDynamics:
    """Return vd, M, c, the passive torques, dq/dt, K, k, the multipliers and the rank of K."""
    matrix, bias = mass_matrix_kernel(state), dynamics_bias_kernel(state, external)
    passive = passive_torques_kernel(state)
    right = net_torques(torques, passive, bias)
    equations = loop_equations(state, gains)
    solution = constrained_solution(matrix, factored(state, matrix), equations, right)
    rates = passes.configuration_derivative(state)
    loops = (equations.K, equations.k, solution.multipliers, solution.rank)
    return solution.vd, matrix, bias, passive, rates, *loops


def constrained_accelerations(
    state: StateView, joint_torques: Vector, external: AppliedWrenches, gains: ConstraintGains
) -> Vector:
    """Return vd for all torques of the joints, passive ones included."""
    right = tuple(a - b for a, b in zip(joint_torques, dynamics_bias_kernel(state, external), strict=True))
    factor = factored(state, mass_matrix_kernel(state))
    vd, _ = WhitenedProblem.of(factor, loop_equations(state, gains), right).accelerations()
    return vd
