"""Forces and motion of mechanisms with loops: M vd + c = tau + passive - Kᵀ λ, with K vd = -k.

Room: algorithms; may import state and above. Featherstone (2008), section 8.4; how the equations are solved is in
`constrained.py`.
"""

from __future__ import annotations

from rbd.algorithms.constrained import WhiteProblem, constrained_solution
from rbd.algorithms.external import BodyWrenches
from rbd.algorithms.inverse_dynamics import dynamics_bias_kernel
from rbd.algorithms.loops import bias_terms, constraint_rows
from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.algorithms.passive import passive_torques_kernel
from rbd.algorithms.stabilization import LoopGainsPerLoop
from rbd.scalars import Matrix, Scalar, Vector
from rbd.state import StateView, kernel

Solution = tuple[Vector, Matrix, Vector, Vector, Matrix, Vector, Vector, Scalar]


@kernel(regroup=True)
def constrained_dynamics_kernel(
    state: StateView, torques: Vector, external: BodyWrenches | None = None, gains: LoopGainsPerLoop = None
) -> Solution:
    """Return vd, M, c, the passive torques, K, k, the multipliers and the rank of K."""
    matrix, bias = mass_matrix_kernel(state), dynamics_bias_kernel(state, external)
    passive = passive_torques_kernel(state)
    right = tuple(a + b - c for a, b, c in zip(torques, passive, bias, strict=True))
    jacobian, terms = constraint_rows(state), bias_terms(state, gains)
    found = constrained_solution(WhiteProblem.of(factored(state, matrix), jacobian, terms, right))
    return found.vd, matrix, bias, passive, jacobian, terms, found.multipliers, found.rank


def loop_problem(
    state: StateView, drive: Vector, external: BodyWrenches | None, gains: LoopGainsPerLoop
) -> WhiteProblem:
    """Pose the equations of motion for all torques of the joints, passive ones included."""
    right = tuple(a - b for a, b in zip(drive, dynamics_bias_kernel(state, external), strict=True))
    factor = factored(state, mass_matrix_kernel(state))
    return WhiteProblem.of(factor, constraint_rows(state), bias_terms(state, gains), right)
