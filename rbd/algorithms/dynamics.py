"""The whole solution of the equations of motion, filled into a result.

M by composite rigid bodies, c by Newton and Euler, then one solve.
"""

from __future__ import annotations

from typing import Any, Final

from rbd.algorithms.external import External, ExternalWrenches, held, on_bodies
from rbd.algorithms.forward_dynamics import Torques
from rbd.algorithms.inverse_dynamics import dynamics_bias_kernel
from rbd.algorithms.loop_dynamics import constrained_dynamics_kernel
from rbd.algorithms.mass_matrix import factored as factored
from rbd.algorithms.mass_matrix import mass_matrix_kernel
from rbd.algorithms.passive import passive_torques_kernel
from rbd.algorithms.reactions import LOOP_WRENCHES, TREE_WRENCHES
from rbd.algorithms.soft_contact import ContactStates, contact_forces_kernel, with_contacts
from rbd.algorithms.soft_contact import contact_states as contact_states_of
from rbd.algorithms.stabilization import DEFAULT, Stabilization, gains_of_loops, unless_standard
from rbd.scalars import Matrix, Vector
from rbd.spatial.values import require_kind
from rbd.state import DynamicsResult, State, StateView, kernel, passes
from rbd.state.fast_path import fast_path
from rbd.state.kernel import require_state
from rbd.state.solution import Solve, SolvingKernel


@kernel(regroup=True)
def dynamics_kernel(
    state: StateView, torques: Vector, external: External = None
) -> tuple[Vector, Matrix, Vector, Vector, Vector]:
    """Return vd, M, c, the passive torques and dq/dt, with M vd + c = torques + passive."""
    matrix, bias = mass_matrix_kernel(state), dynamics_bias_kernel(state, external)
    passive = passive_torques_kernel(state)
    right = tuple(a + b - c for a, b, c in zip(torques, passive, bias, strict=True))
    return factored(state, matrix).solve(right), matrix, bias, passive, passes.configuration_rates(state)


_TREE = ("vd", "mass_matrix", "dynamics_bias", "passive_torques", "qd")
_LOOPS = (*_TREE, "constraint_jacobian", "constraint_bias", "multipliers", "rank")
TREE: Final = SolvingKernel(dynamics_kernel, _TREE, TREE_WRENCHES)
LOOPS: Final = SolvingKernel(constrained_dynamics_kernel, _LOOPS, LOOP_WRENCHES)


@fast_path(objects=1, vectors=1, wrenches=True, zeros=True)
def dynamics(
    result: DynamicsResult,
    state: State[Any],
    torques: Torques | None = None,
    external_wrenches: ExternalWrenches | None = None,
    *,
    stabilization: Stabilization = DEFAULT,
    contact_states: ContactStates | None = None,
) -> Solve:
    """Solve the equations of motion and fill `result`: everything in it then belongs to this solution.

    M vd + c = torques + passive - Kᵀ λ, and K vd = -k for the loops. `torques` None means zero; `external_wrenches` as
    in `inverse_dynamics`; `stabilization` as in `constraint_bias`. Returns `result`. A failed call leaves it as it was.

    Contact points that touch half-spaces count as external wrenches, here and in no other function: friction starts
    from the displacements `contact_states` (None means zero), point after point, and `result.sd` are their rates.

    Redundant constraints are legal: `result.constraint_rank` says how many are independent, and the multipliers are
    the smallest that make the motion. Constraints that contradict each other, as they may where a loop cannot be closed
    or in a singular configuration, are kept in the least-squares sense: K vd + k says how well.

    Raises ShapeError, NotFiniteError, FrameMismatchError, StaleStateError, ArgumentError or UnknownNameError about
    the stabilisation, and SingularError, naming the joint, when M cannot be inverted.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.5, 0.2])
    >>> result = rbd.dynamics(rbd.DynamicsResult(state.mechanism), state, [0.0, 0.1])
    >>> result.vd.shape, result.mass_matrix.shape
    ((2,), (2, 2))
    """
    require_state(state, "dynamics")
    require_kind(result, DynamicsResult, operation="dynamics", argument="result")
    result.require_mechanism(state)
    nv = state.layout.nv
    drive = state.vector((0,) * nv if torques is None else torques, nv, "torques")
    external: External = held(state, external_wrenches)
    gains = gains_of_loops(state, stabilization)
    solver = LOOPS if state.layout.loops else TREE
    further = unless_standard(gains) if state.layout.loops else ()
    if not state.layout.touches:
        frames = {body: wrench.frame for body, wrench in (external_wrenches or {}).items()}
        return Solve(solver, state, (drive, external, *further), external, frames)
    contact = contact_forces_kernel(state, contact_states_of(state, contact_states))
    external = with_contacts(on_bodies(state, external), contact)
    return Solve(solver, state, (drive, external, *further), external, {}, contact.wrenches, {"sd": contact.sd})
