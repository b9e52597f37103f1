"""The whole solution of the equations of motion, filled into a result.

Room: algorithms; may import state and above. M by composite rigid bodies, c by Newton and Euler, then one solve.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from rbd.algorithms.external import External, ExternalWrenches, held, on_bodies
from rbd.algorithms.forward_dynamics import Torques
from rbd.algorithms.inverse_dynamics import dynamics_bias_kernel
from rbd.algorithms.loop_dynamics import constrained_dynamics_kernel
from rbd.algorithms.mass_matrix import factored as factored
from rbd.algorithms.mass_matrix import mass_matrix_kernel
from rbd.algorithms.newton_euler import wrenches_of_motion
from rbd.algorithms.passive import passive_torques_kernel
from rbd.algorithms.reactions import joint_wrenches_with_loops, reactions
from rbd.algorithms.soft_contact import ContactForces, ContactStates, contact_forces_kernel, with_contacts
from rbd.algorithms.soft_contact import contact_states as contact_states_of
from rbd.algorithms.stabilization import DEFAULT, LoopGainsPerLoop, Stabilization, gains_of_loops, unless_standard
from rbd.scalars import Matrix, Vector
from rbd.spatial import Wrench
from rbd.spatial.values import require_kind
from rbd.state import DynamicsResult, State, StateView, kernel, passes
from rbd.state.kernel import require_state
from rbd.state.short_ways import BodyWrenchesOf, LoopReactions, ShortWay
from rbd.state.solving import solving


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


Reading = tuple[BodyWrenchesOf, LoopReactions | None]


def _reading_of_trees(external: ExternalWrenches | None, vd: Vector) -> Reading:
    """Return how to find the joint wrenches of a motion."""
    return partial(_wrenches_in_trees, external, vd), None


def _wrenches_in_trees(external: ExternalWrenches | None, vd: Vector, state: StateView) -> tuple[Wrench[Any], ...]:
    return wrenches_of_motion(vd, held(state, external), state)


def _reading_of_loops(external: ExternalWrenches | None, vd: Vector, multipliers: Vector, rank: Vector) -> Reading:
    """Return how to find joint wrenches and loop reactions of a motion."""
    return partial(_wrenches_with_loops, external, vd, multipliers), reactions(multipliers, rank[0])


def _wrenches_with_loops(
    external: ExternalWrenches | None, vd: Vector, multipliers: Vector, state: StateView
) -> tuple[Wrench[Any], ...]:
    return joint_wrenches_with_loops(vd, held(state, external), multipliers, state)


@solving(
    ShortWay(dynamics_kernel, _TREE, ("vd",), _reading_of_trees),
    ShortWay(constrained_dynamics_kernel, _LOOPS, ("vd", "multipliers", "rank"), _reading_of_loops),
)
def dynamics(
    result: DynamicsResult,
    state: State[Any],
    torques: Torques | None = None,
    external_wrenches: ExternalWrenches | None = None,
    *,
    stabilization: Stabilization = DEFAULT,
    contact_states: ContactStates | None = None,
) -> DynamicsResult:
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
    contact = contact_forces_kernel(state, contact_states_of(state, contact_states))
    external = with_contacts(on_bodies(state, external), contact) if state.layout.touches else external
    if state.layout.loops:
        _take_constrained(result, state, drive, external, gains, contact)
    else:
        vd, matrix, bias, passive, rates = dynamics_kernel(state, drive, external)
        wrenches = partial(wrenches_of_motion, vd, external)
        result.take(
            state,
            vd,
            wrenches,
            contacts=contact.wrenches,
            mass_matrix=matrix,
            dynamics_bias=bias,
            passive_torques=passive,
            qd=rates,
            sd=contact.sd,
        )
    return result


def _take_constrained(
    result: DynamicsResult,
    state: State[Any],
    drive: Vector,
    external: External,
    gains: LoopGainsPerLoop,
    contact: ContactForces,
) -> None:
    """Fill a result with the solution of a mechanism with loops."""
    solution = constrained_dynamics_kernel(state, drive, external, *unless_standard(gains))
    vd, matrix, bias, passive, rates, jacobian, terms, multipliers, rank = solution
    result.take(
        state,
        vd,
        partial(joint_wrenches_with_loops, vd, external, multipliers),
        loops=reactions(multipliers, rank),
        contacts=contact.wrenches,
        sd=contact.sd,
        mass_matrix=matrix,
        dynamics_bias=bias,
        passive_torques=passive,
        qd=rates,
        constraint_jacobian=jacobian,
        constraint_bias=terms,
        multipliers=multipliers,
    )
