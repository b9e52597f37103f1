"""Derivatives of one step in time.

The rules are those of compiled robots and of `rbd.simulate`, taken with their derivatives in `step_stages.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar, final

import attrs

from rbd.algorithms.external import ExternalWrenches, HeldWrench, held_wrenches
from rbd.algorithms.forward_dynamics import Torques
from rbd.algorithms.products import product
from rbd.algorithms.spaces import SPACES, Space, check_space, in_space, positions
from rbd.algorithms.stabilization import (
    DEFAULT,
    STANDARD,
    LoopGainsPerLoop,
    Stabilization,
    gains_of_loops,
    unless_standard,
)
from rbd.algorithms.step_charts import Varied
from rbd.algorithms.step_stages import RULES, STEP_RULES, Start, StepRule
from rbd.arguments import require_choice
from rbd.scalars import Matrix, Scalar, Vector
from rbd.state import ArrayOf, State, StateView, kernel
from rbd.state.engine import Call, KernelCall
from rbd.state.fast_path import fast_path
from rbd.state.kernel import require_state

A = TypeVar("A", bound=ArrayOf)


@final
@attrs.frozen(eq=False)
class StepDerivatives(Generic[A]):
    """How the state after a step answers the state before it and the torques.

    In `"tangent"` space positions move along velocities on both sides, (nv, nv); in `"coordinates"`, q_by_q is
    (nq, nq), q_by_v and q_by_torques (nq, nv), v_by_q (nv, nq).
    """

    q_by_q: A
    q_by_v: A
    q_by_torques: A
    v_by_q: A
    v_by_v: A
    v_by_torques: A


@kernel(regroup=True, several=True)
def step_derivatives_kernel(
    state: StateView,
    torques: Vector,
    dt: Scalar,
    held: Sequence[HeldWrench] = (),
    space: Space = "tangent",
    integrator: StepRule = "semi-implicit-euler",
    gains: LoopGainsPerLoop = STANDARD,
) -> tuple[Matrix, Matrix, Matrix, Matrix, Matrix, Matrix]:
    """Return the derivatives of q+ by q, v and torques, then those of v+."""
    q, v = RULES[integrator](Start(state, torques, held, gains), dt)
    after = q.rows if space == "tangent" else _on_coordinates(state, q)
    (q_by_q, q_by_v, q_by_torques), (v_by_q, v_by_v, v_by_torques) = _blocks(state, after), _blocks(state, v.rows)
    by_q = in_space(state, q_by_q, space), in_space(state, v_by_q, space)
    return by_q[0], q_by_v, q_by_torques, by_q[1], v_by_v, v_by_torques


def _blocks(state: StateView, rows: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Return what belongs to the configuration, to v and to the torques."""
    nv = state.layout.nv
    by_q, by_v, by_torques = (tuple(row[k * nv : (k + 1) * nv] for row in rows) for k in range(3))
    return by_q, by_v, by_torques


def _on_coordinates(state: StateView, after: Varied) -> Matrix:
    """Return the rows of q+ by its coordinates instead of along its velocities."""
    rows: list[Vector] = []
    for link in state.links:
        jacobian = link.joint.type.configuration_derivative_jacobian(after.value[link.q])
        rows += product(jacobian, after.rows[link.v])
    return tuple(rows)


@fast_path(vectors=2, wrenches=True, choices={"space": SPACES, "integrator": STEP_RULES})
def step_derivatives(
    state: State[A],
    torques: Torques,
    dt: Scalar,
    external_wrenches: ExternalWrenches | None = None,
    *,
    space: Space = "tangent",
    integrator: StepRule = "semi-implicit-euler",
    stabilization: Stabilization = DEFAULT,
) -> Call[StepDerivatives[A]]:
    """Return the derivatives of the state after one step of length `dt` by q, v and torques, in closed form.

    The step is that of `robot.step(..., integrator=integrator)`: "semi-implicit-euler", or "munthe-kaas-rk4", which is
    what that function, rollouts and `simulate` take if not told otherwise. Torques are held, and so are external
    wrenches, in the frames they are given in. Loops are kept, drawn together by `stabilization` as in `dynamics`;
    points of contact are not felt, as in `forward_dynamics`. `space` and `external_wrenches` as in its derivatives.
    Raises what that does, and ArgumentError for another integrator.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    >>> slopes = rbd.step_derivatives(state, [0.0, 0.0], 1e-3)
    >>> slopes.v_by_v.shape
    (2, 2)
    >>> finer = rbd.step_derivatives(state, [0.0, 0.0], 1e-3, integrator="munthe-kaas-rk4")
    >>> bool(abs(finer.v_by_v - slopes.v_by_v).max() < 1e-4)
    True
    """
    require_state(state, "step_derivatives")
    check_space(space)
    require_choice(integrator, STEP_RULES, "integrator", "integrator")
    nv, n = state.layout.nv, positions(state, space)
    drive, (step,) = state.vector(torques, nv, "torques"), state.vector((dt,), 1, "dt")
    parts = {"q by q": (n, n), "q by v": (n, nv), "q by torques": (n, nv)}
    parts |= {"v by q": (nv, n), "v by v": (nv, nv), "v by torques": (nv, nv)}
    shapes = {f"derivative of {name}": shape for name, shape in parts.items()}
    held, gains = held_wrenches(state, external_wrenches), unless_standard(gains_of_loops(state, stabilization))
    args = drive, step, held, space, integrator, *gains
    return KernelCall(step_derivatives_kernel, args, shapes, StepDerivatives)
