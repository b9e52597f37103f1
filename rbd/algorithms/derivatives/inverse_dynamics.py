"""Derivatives of inverse dynamics by position, velocity and acceleration: Singh, Russell and Wensing (2022).

The recursion is in `rnea.py`; armature, passive torques and external wrenches are added here.
"""

from __future__ import annotations

from rbd.algorithms.accelerations import Vd
from rbd.algorithms.derivatives.applied_forces import applied_force_derivatives
from rbd.algorithms.derivatives.rnea import rigid_body_derivatives
from rbd.algorithms.derivatives.space import Space, check_space, column_count, in_space
from rbd.algorithms.external_wrenches import AppliedWrenches, ExternalWrenches, applied_wrenches
from rbd.algorithms.mass_matrix import add_armature
from rbd.algorithms.trees import require_tree
from rbd.engine.fast_path import fast_path
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics.queries import ArrayT, State
from rbd.scalars import Matrix, Vector
from rbd.scalars.linear_algebra import add_matrices, freeze


@kernel(regroup=True, multiple_outputs=True)
def inverse_dynamics_derivatives_kernel(
    state: StateView, vd: Vector, external: AppliedWrenches = (), space: Space = "tangent"
) -> tuple[Matrix, Matrix, Matrix]:
    """Return the derivatives of M vd + c - passive by position, by v, and by vd, which is M."""
    rigid, extra = rigid_body_derivatives(state, vd), applied_force_derivatives(state, external)
    for node in state.nodes:
        add_armature(state, node, rigid.by_acceleration)
    by_position = add_matrices(rigid.by_position, extra.by_position)
    by_velocity = add_matrices(rigid.by_velocity, extra.by_velocity)
    return in_space(state, by_position, space), by_velocity, freeze(rigid.by_acceleration)


@fast_path(vectors=1)
def inverse_dynamics_derivatives(
    state: State[ArrayT], vd: Vd, external_wrenches: ExternalWrenches | None = None, *, space: Space = "tangent"
) -> Call[tuple[ArrayT, ArrayT, ArrayT]]:
    """First derivatives (d_dq, d_dv, d_dvd) of `inverse_dynamics`; d_dvd is the mass matrix.

    `space` says what the columns of d_dq are: "tangent", motion along each of the nv velocities, or "coordinates", the
    nq entries of q (of the normalised configuration). External wrenches stay constant in the frames they are given in:
    those in the frame of their own body turn with it. Raises ArgumentError for another space, ShapeError,
    NotFiniteError, FrameMismatchError, and TopologyError for mechanisms with loop joints.

    >>> import numpy as np, rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    >>> d_dq, d_dv, d_dvd = rbd.inverse_dynamics_derivatives(state, [0.5, -0.5])
    >>> bool(np.array_equal(d_dvd, rbd.mass_matrix(state)))
    True
    """
    require_tree(state, "inverse_dynamics_derivatives")
    check_space(space)
    nv = state.layout.nv
    rates = state.vector(vd, nv, "vd")
    n = column_count(state, space)
    shapes = {"derivative by position": (nv, n), "derivative by velocity": (nv, nv), "mass matrix": (nv, nv)}
    args = rates, applied_wrenches(state, external_wrenches), space
    return KernelCall(inverse_dynamics_derivatives_kernel, args, shapes)
