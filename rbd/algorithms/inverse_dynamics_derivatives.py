"""Derivatives of the torques a motion takes.

The recursion is in `rigid_derivatives.py`; armature, passive torques and external wrenches are added here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from rbd.algorithms.external import ExternalWrenches, HeldWrench, held_wrenches
from rbd.algorithms.extra_derivatives import extra_derivatives
from rbd.algorithms.inverse_dynamics import Vd
from rbd.algorithms.rigid_derivatives import Rows, fixed, rigid_body_derivatives, sum_of
from rbd.algorithms.spaces import SPACES, Space, check_space, in_space, positions
from rbd.algorithms.trees import require_tree
from rbd.scalars import Matrix, Vector
from rbd.state import ArrayOf, State, StateView, kernel
from rbd.state.engine import Call, KernelCall
from rbd.state.fast_path import fast_path

A = TypeVar("A", bound=ArrayOf)


@kernel(regroup=True, several=True)
def inverse_dynamics_derivatives_kernel(
    state: StateView, vd: Vector, held: Sequence[HeldWrench] = (), space: Space = "tangent"
) -> tuple[Matrix, Matrix, Matrix]:
    """Return the derivatives of M vd + c - passive by position, by v, and by vd, which is M."""
    rigid, extra = rigid_body_derivatives(state, vd), extra_derivatives(state, held)
    add_armature(state, rigid.by_acceleration)
    by_position = sum_of(rigid.by_position, extra.by_position)
    by_velocity = sum_of(rigid.by_velocity, extra.by_velocity)
    return in_space(state, by_position, space), by_velocity, fixed(rigid.by_acceleration)


def add_armature(state: StateView, rows: Rows) -> None:
    """Add the rotors to a mass matrix under construction."""
    for link in state.links:
        for i, armature in enumerate(state.joint_parameter(link.joint, "armature"), start=link.v.start):
            rows[i][i] = rows[i][i] + armature


@fast_path(vectors=1, wrenches=True, choices={"space": SPACES})
def inverse_dynamics_derivatives(
    state: State[A], vd: Vd, external_wrenches: ExternalWrenches | None = None, *, space: Space = "tangent"
) -> Call[tuple[A, A, A]]:
    """Return (d_dq, d_dv, d_dvd), the derivatives of `inverse_dynamics`; d_dvd is the mass matrix.

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
    return KernelCall(
        inverse_dynamics_derivatives_kernel,
        (rates, held_wrenches(state, external_wrenches), space),
        {
            "derivative by position": (nv, positions(state, space)),
            "derivative by velocity": (nv, nv),
            "mass matrix": (nv, nv),
        },
    )
