"""The whole solution of the equations of motion, filled into a result.

Room: algorithms; may import state and above. M by composite rigid bodies, c by Newton and Euler, then one solve.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from rbd.algorithms.external import BodyWrenches, ExternalWrenches, body_wrenches
from rbd.algorithms.forward_dynamics import Torques
from rbd.algorithms.inverse_dynamics import dynamics_bias_kernel
from rbd.algorithms.mass_matrix import mass_matrix_kernel
from rbd.algorithms.newton_euler import wrenches_of_motion
from rbd.algorithms.passive import passive_torques_kernel
from rbd.algorithms.trees import require_tree
from rbd.scalars import Matrix, Vector
from rbd.scalars.linear import Factor
from rbd.state import DynamicsResult, State, StateView, kernel


@kernel
def dynamics_kernel(
    state: StateView, torques: Vector, external: BodyWrenches | None = None
) -> tuple[Vector, Matrix, Vector, Vector]:
    """Return vd, M, c and the passive torques, with M vd + c = torques + passive."""
    matrix, bias = mass_matrix_kernel(state), dynamics_bias_kernel(state, external)
    passive = passive_torques_kernel(state)
    right = tuple(a + b - c for a, b, c in zip(torques, passive, bias, strict=True))
    return factored(state, matrix).solve(right), matrix, bias, passive


def factored(state: StateView, matrix: Matrix) -> Factor:
    """Factor a mass matrix; raise SingularError naming the joint that moves nothing that has inertia."""
    labels = [f"the inertia that joint '{link.joint.name}' moves" for link in state.links for _ in range(link.joint.nv)]
    return Factor.of(matrix, labels)


def dynamics(
    result: DynamicsResult,
    state: State[Any],
    torques: Torques | None = None,
    external_wrenches: ExternalWrenches | None = None,
) -> DynamicsResult:
    """Solve M vd + c = torques + passive and fill `result`: everything in it then belongs to this solution.

    `torques` None means zero; `external_wrenches` as in `inverse_dynamics`. Returns `result`. A failed call leaves
    it as it was. Raises ShapeError, NotFiniteError, FrameMismatchError, StaleStateError, TopologyError for mechanisms
    with loop joints, and SingularError, naming the joint, when M cannot be inverted.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.5, 0.2])
    >>> result = rbd.dynamics(rbd.DynamicsResult(state.mechanism), state, [0.0, 0.1])
    >>> result.vd.shape, result.mass_matrix.shape
    ((2,), (2, 2))
    """
    require_tree(state, "dynamics")
    result.require_mechanism(state)
    nv = state.layout.nv
    drive: Vector = (0,) * nv if torques is None else state.vector(torques, nv, "torques")
    external = body_wrenches(state, external_wrenches)
    vd, matrix, bias, passive = dynamics_kernel(state, drive, external)
    wrenches = partial(wrenches_of_motion, vd, external)
    result.take(state, vd, wrenches, mass_matrix=matrix, dynamics_bias=bias, passive_torques=passive)
    return result
