"""Derivatives of a time step by configuration, velocity and torques.

Integrators are those of compiled robots and of `rbd.simulate` (Munthe-Kaas, 1999; semi-implicit Euler), differentiated
stage by stage in `step_stages.py`.
"""

from __future__ import annotations

from typing import Generic, final

import attrs

from rbd.algorithms.derivatives.space import Space, check_space, column_count, in_space
from rbd.algorithms.derivatives.sparse_products import sparse_product
from rbd.algorithms.derivatives.step_coordinates import DifferentiatedVector
from rbd.algorithms.derivatives.step_stages import DIFFERENTIATED_STEPS, StepStart
from rbd.algorithms.external_wrenches import AppliedWrenches, ExternalWrenches, applied_wrenches
from rbd.algorithms.loops.loop_gains import DEFAULT_GAINS, ConstraintGains, gain_arguments
from rbd.algorithms.loops.stabilization import DEFAULT_STABILIZATION, Stabilization
from rbd.algorithms.time_steps.fixed_step import FixedStepMethod
from rbd.algorithms.torques import Torques, torques_of
from rbd.algorithms.trees import require_no_contacts
from rbd.arguments import require_choice
from rbd.display import fields_repr
from rbd.engine.fast_path import fast_path
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics.queries import ArrayT, State
from rbd.scalars import Matrix, Scalar, Vector


@final
@attrs.frozen(eq=False)
class StepDerivatives(Generic[ArrayT]):
    """Derivatives of the state after a step by the state before it and the torques.

    In `"tangent"` space positions move along velocities on both sides, (nv, nv); in `"coordinates"`, q_by_q is
    (nq, nq), q_by_v and q_by_torques (nq, nv), v_by_q (nv, nq).
    """

    q_by_q: ArrayT
    q_by_v: ArrayT
    q_by_torques: ArrayT
    v_by_q: ArrayT
    v_by_v: ArrayT
    v_by_torques: ArrayT

    __repr__ = fields_repr


@kernel(regroup=True, multiple_outputs=True)
def step_derivatives_kernel(
    state: StateView,
    torques: Vector,
    dt: Scalar,
    external: AppliedWrenches = (),
    space: Space = "tangent",
    integrator: FixedStepMethod = "semi-implicit-euler",
    gains: ConstraintGains = DEFAULT_GAINS,
) -> tuple[Matrix, Matrix, Matrix, Matrix, Matrix, Matrix]:
    """Return the derivatives of q+ by q, v and torques, then those of v+."""
    q, v = DIFFERENTIATED_STEPS[integrator](StepStart(state, torques, external, gains), dt)
    after = q.jacobian if space == "tangent" else _on_coordinates(state, q)
    (q_by_q, q_by_v, q_by_torques), (v_by_q, v_by_v, v_by_torques) = _blocks(state, after), _blocks(state, v.jacobian)
    by_q = in_space(state, q_by_q, space), in_space(state, v_by_q, space)
    return by_q[0], q_by_v, q_by_torques, by_q[1], v_by_v, v_by_torques


def _blocks(state: StateView, rows: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Return the columns by the configuration, by v and by the torques."""
    nv = state.layout.nv
    by_q, by_v, by_torques = (tuple(row[k * nv : (k + 1) * nv] for row in rows) for k in range(3))
    return by_q, by_v, by_torques


def _on_coordinates(state: StateView, after: DifferentiatedVector) -> Matrix:
    """Return the Jacobian of q+ with a row per coordinate instead of one per velocity."""
    rows: list[Vector] = []
    for node in state.nodes:
        jacobian = node.joint.type.configuration_derivative_jacobian(after.value[node.q_slice])
        rows += sparse_product(jacobian, after.jacobian[node.v_slice])
    return tuple(rows)


@fast_path(vectors=2)
def step_derivatives(
    state: State[ArrayT],
    torques: Torques | None,
    dt: Scalar,
    external_wrenches: ExternalWrenches | None = None,
    *,
    space: Space = "tangent",
    integrator: FixedStepMethod = "semi-implicit-euler",
    stabilization: Stabilization = DEFAULT_STABILIZATION,
) -> Call[StepDerivatives[ArrayT]]:
    """First derivatives of the state after one step of length `dt` by q, v and torques, in closed form.

    The step is that of `robot.step(..., integrator=integrator)`: "semi-implicit-euler", or "munthe-kaas-rk4", the
    default of that function, of rollouts and of `simulate`. `torques` (None means zero) are constant, and so are
    external wrenches, in the frames they are given in. Constraints of loops are as in `dynamics`, with its
    `stabilization`. `space` and `external_wrenches` as in `forward_dynamics_derivatives`. Raises what that does,
    ArgumentError for another integrator, and TopologyError for a mechanism with contact points and half-spaces, whose
    contact forces are not differentiated.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    >>> slopes = rbd.step_derivatives(state, [0.0, 0.0], 1e-3)
    >>> slopes.v_by_v.shape
    (2, 2)
    >>> finer = rbd.step_derivatives(state, [0.0, 0.0], 1e-3, integrator="munthe-kaas-rk4")
    >>> bool(abs(finer.v_by_v - slopes.v_by_v).max() < 1e-4)
    True
    """
    require_no_contacts(state.layout, "step_derivatives", "rbd.bridges.torch_step differentiates steps with contacts")
    check_space(space)
    require_choice(integrator, tuple(DIFFERENTIATED_STEPS), "integrator", "integrator")
    nv, n = state.layout.nv, column_count(state, space)
    tau, (step,) = torques_of(state, torques), state.vector((dt,), 1, "dt")
    parts = {"q by q": (n, n), "q by v": (n, nv), "q by torques": (n, nv)}
    parts |= {"v by q": (nv, n), "v by v": (nv, nv), "v by torques": (nv, nv)}
    shapes = {f"derivative of {name}": shape for name, shape in parts.items()}
    external, gains = applied_wrenches(state, external_wrenches), gain_arguments(state, stabilization)
    args = tau, step, external, space, integrator, *gains
    return KernelCall(step_derivatives_kernel, args, shapes, StepDerivatives)
