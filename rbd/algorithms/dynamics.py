"""Forward dynamics with all its terms, M, c, vd and more, in a result: Featherstone (2008), chapter 6.

M by the composite-rigid-body algorithm, c by recursive Newton-Euler, then M vd = tau + passive - c by a sparse factor.
"""

from __future__ import annotations

from typing import Any, Final, overload

from rbd.algorithms.external_wrenches import AppliedWrenches, ExternalWrenches, applied_wrenches
from rbd.algorithms.loops.dynamics import constrained_dynamics_kernel
from rbd.algorithms.loops.loop_gains import gain_arguments
from rbd.algorithms.loops.stabilization import DEFAULT_STABILIZATION, Stabilization
from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.algorithms.newton_euler import dynamics_bias_kernel, net_torques
from rbd.algorithms.passive import passive_torques_kernel
from rbd.algorithms.results.dynamics_result import DynamicsResult
from rbd.algorithms.results.solution import ResultCall, ResultKernel
from rbd.algorithms.soft_contact import ContactStates, contact_forces_kernel, with_contacts
from rbd.algorithms.soft_contact import contact_states as contact_states_of
from rbd.algorithms.torques import Torques, torques_of
from rbd.arguments import require_kind
from rbd.engine.fast_path import fast_path
from rbd.errors import ArgumentError
from rbd.kernels.kernel import kernel, require_state
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.kinematics.queries import State
from rbd.scalars import Matrix, Vector


@kernel(regroup=True)
def dynamics_kernel(
    state: StateView, torques: Vector, external: AppliedWrenches = ()
) -> tuple[Vector, Matrix, Vector, Vector, Vector]:
    """Return vd, M, c, the passive torques and dq/dt, with M vd + c = torques + passive."""
    matrix, bias = mass_matrix_kernel(state), dynamics_bias_kernel(state, external)
    passive = passive_torques_kernel(state)
    right = net_torques(torques, passive, bias)
    return factored(state, matrix).solve(right), matrix, bias, passive, passes.configuration_derivative(state)


_TREE = ("vd", "mass_matrix", "dynamics_bias", "passive_torques", "qd")
_LOOPS = (*_TREE, "constraint_jacobian", "constraint_bias", "multipliers", "rank")
TREE_KERNEL: Final = ResultKernel(dynamics_kernel, _TREE)
LOOP_KERNEL: Final = ResultKernel(constrained_dynamics_kernel, _LOOPS)


@overload
def dynamics(
    result: DynamicsResult,
    state: State[Any],
    torques: Torques | None = None,
    external_wrenches: ExternalWrenches | None = None,
    *,
    stabilization: Stabilization = DEFAULT_STABILIZATION,
    contact_states: ContactStates | None = None,
) -> DynamicsResult: ...
@overload
def dynamics(
    state: State[Any],
    torques: Torques | None = None,
    external_wrenches: ExternalWrenches | None = None,
    *,
    stabilization: Stabilization = DEFAULT_STABILIZATION,
    contact_states: ContactStates | None = None,
) -> DynamicsResult: ...
@fast_path(result=DynamicsResult)  # type: ignore[misc]  # makes the result where there is none
def dynamics(
    result: DynamicsResult,
    state: State[Any],
    torques: Torques | None = None,
    external_wrenches: ExternalWrenches | None = None,
    *,
    stabilization: Stabilization = DEFAULT_STABILIZATION,
    contact_states: ContactStates | None = None,
) -> ResultCall:
    """Forward dynamics with all its terms: fill `result`; everything in it then belongs to this solution.

    M vd + c = torques + passive - Kᵀ λ, and K vd = -k for loops and couplings. `torques` None means zero;
    `external_wrenches` as in `inverse_dynamics`; `stabilization` as in `constraint_bias`. Returns `result`, or a new
    one where none is given: `dynamics(state, torques)`. A failed call leaves `result` as it was.

    Contact points that touch half-spaces count as external wrenches, here and in no other function: friction starts
    from the displacements `contact_states` (None means zero), point after point, and `result.sd` are their rates.

    Redundant constraints are legal: `result.constraint_rank` says how many are independent, and the multipliers are
    the smallest solution. Contradictory constraints, as in singular configurations or where a loop cannot be closed,
    are satisfied in the least-squares sense: K vd + k is the residual.

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
    _refuse_result(torques)
    tau = torques_of(state, torques)
    external: AppliedWrenches = applied_wrenches(state, external_wrenches)
    gains = gain_arguments(state, stabilization)
    result_kernel, further = (LOOP_KERNEL, gains) if state.layout.is_constrained else (TREE_KERNEL, ())
    s = contact_states_of(state, contact_states)
    if not state.layout.contact_pairs:
        frames = {body: wrench.frame for body, wrench in (external_wrenches or {}).items()}
        return ResultCall(result_kernel, state, (tau, external, *further), external_wrenches=external, frames=frames)
    contact = contact_forces_kernel(state, s)
    external = with_contacts(external, contact)
    return ResultCall(
        result_kernel,
        state,
        (tau, external, *further),
        external_wrenches=external,
        contacts=contact.wrenches,
        further_arrays={"sd": contact.sd},
    )


def _refuse_result(torques: object) -> None:
    """Raise ArgumentError for a result where torques belong, as in `dynamics(state, result)`."""
    if isinstance(torques, DynamicsResult):
        message = "dynamics: torques is a DynamicsResult; the result comes first: dynamics(result, state, torques)"
        raise ArgumentError(message, operation="dynamics", argument="torques", value=torques)
