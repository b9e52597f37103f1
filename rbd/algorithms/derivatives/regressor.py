"""Derivatives of inverse dynamics by inertial parameters (regressor), gravity and external wrenches.

Atkeson, An and Hollerbach (1986): torques are linear in all three. With loops, torques are those of the spanning tree,
M vd + c: the constraint torques of given multipliers do not depend on these parameters.
"""

from __future__ import annotations

from typing import Any

from rbd.algorithms.accelerations import Vd
from rbd.algorithms.assembly import write_block, zeros
from rbd.algorithms.newton_euler import motions
from rbd.engine.fast_path import fast_path
from rbd.indexing.layout import FrameLike
from rbd.kernels.body_fixed_frames import result_frame, transform_to_fixed_frame
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.kinematics.queries import ArrayT, State
from rbd.mechanism import RigidBody
from rbd.scalars import Matrix, Vector
from rbd.scalars.linear_algebra import freeze, unit
from rbd.spatial import FreeVector, SpatialInertia, Transform, WrenchMatrix
from rbd.spatial.linalg import cross3, identity3, neg3, scale3, symmetric
from rbd.spatial.recursions.classical import ClassicalMotion
from rbd.spatial.recursions.column_operations import transpose_product

PARAMETERS_PER_BODY = 10
"""Per body: moment xx, xy, xz, yy, yz, zz about the frame's origin, mass times centre of mass, mass."""


@kernel
def regressor_kernel(state: StateView, vd: Vector) -> Matrix:
    """Return Y: for each body, S_j^T of the wrenches of unit parameters, for every joint j that carries it."""
    Y = zeros(state.layout.nv, PARAMETERS_PER_BODY * len(state.nodes))
    body_motions, to_parent, subspaces = motions(state, vd), passes.to_parent(state), passes.subspaces(state)
    for node in state.nodes:
        wrenches = _unit_wrenches(body_motions[node.index])
        for ancestor in state.layout.nodes_to_root(node.index):
            write_block(
                Y,
                ancestor.v_slice.start,
                PARAMETERS_PER_BODY * (node.index - 1),
                transpose_product(subspaces[ancestor.index - 1], wrenches),
            )
            wrenches = wrenches.transformed(to_parent[ancestor.index - 1])
    return freeze(Y)


def _unit_wrenches(motion: ClassicalMotion) -> WrenchMatrix[Any]:
    """Return the wrench of a body's motion per unit of each of its parameters."""
    columns: list[Any] = []
    for k in range(PARAMETERS_PER_BODY):
        xx, xy, xz, yy, yz, zz, x, y, z, mass = unit(PARAMETERS_PER_BODY, k)
        inertia = SpatialInertia.trusted(motion.body, symmetric(xx, xy, xz, yy, yz, zz), (x, y, z), mass)
        wrench = motion.wrench(inertia)
        columns.append((wrench.angular_components, wrench.linear_components))
    return WrenchMatrix.trusted(motion.body, tuple(columns))


@fast_path(vectors=1)
def regressor(state: State[ArrayT], vd: Vd) -> Call[ArrayT]:
    """Regressor Y of inverse dynamics by inertial parameters, (nv, 10 nb): Y @ p are the torques for `vd`.

    p has ten parameters for each body but the root, in the order of `mechanism.bodies`: the moment about the origin of
    the body's frame (xx, xy, xz, yy, yz, zz), mass times centre of mass, mass. It is what `inverse_dynamics` gives but
    for armature and passive torques, and its derivative by the parameters. That of `forward_dynamics` is minus the
    inverse of M times Y, taken at its vd; with loops, `torques` here means those of the tree, M vd + c, and the
    derivatives of vd and multipliers are minus `vd_by_torques` and `multipliers_by_torques` of
    `constrained_dynamics_derivatives` times Y. Raises ShapeError, NotFiniteError.

    >>> import numpy as np, rbd
    >>> mechanism = rbd.robots.double_pendulum()
    >>> state = rbd.MechanismState(mechanism, [0.3, 0.4], [1.0, 2.0])
    >>> p = np.concatenate([body.inertia.components for body in mechanism.bodies[1:]])
    >>> bool(np.allclose(rbd.regressor(state, [0.5, 0.6]) @ p, rbd.inverse_dynamics(state, [0.5, 0.6])))
    True
    """
    shape = {"regressor": (state.layout.nv, PARAMETERS_PER_BODY * len(state.nodes))}
    return KernelCall(regressor_kernel, (state.vector(vd, state.layout.nv, "vd"),), shape)


@kernel(regroup=True)
def gravity_derivatives_kernel(state: StateView) -> Matrix:
    """Return minus S^T of the weight of each composite body in unit fields along the root's axes."""
    rows: list[Vector] = []
    for node, subspace in zip(state.nodes, passes.subspaces(state), strict=True):
        composite, pose = passes.composite_inertias(state)[node.index], passes.to_root(state)[node.index]
        wrenches: list[Any] = []
        for axis in identity3():
            field = (pose.inverse() @ FreeVector.trusted(pose.to_frame, axis)).xyz_components
            wrenches.append(
                (neg3(cross3(composite.first_moment_components, field)), scale3(neg3(field), composite.mass)),
            )
        rows += transpose_product(subspace, WrenchMatrix.trusted(composite.frame, tuple(wrenches)))
    return tuple(rows)


@fast_path()
def gravity_derivatives(state: State[ArrayT]) -> Call[ArrayT]:
    """Partial derivative of inverse dynamics by gravity (root frame), (nv, 3); times g it is `gravity_torques`.

    The derivative of forward dynamics is minus the inverse of M times this; see `regressor` for loops.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4])
    >>> torques = rbd.algorithms.gravity_derivatives(state) @ state.gravity.xyz
    >>> bool(abs(torques - rbd.gravity_torques(state)).max() < 1e-12)
    True
    """
    return KernelCall(gravity_derivatives_kernel, (), {"gravity derivatives": (state.layout.nv, 3)})


@kernel
def external_wrench_derivatives_kernel(state: StateView, index: int, holder: RigidBody, to_frame: Transform) -> Matrix:
    """Return minus the Jacobian of a body, transposed; `to_frame` leads to the frame wanted from that of `holder`."""
    rows: list[Vector] = [(0,) * 6] * state.layout.nv
    for node in state.layout.nodes_to_root(index):
        tf = to_frame @ passes.body_transform(state, node.body, holder)
        S = passes.subspaces(state)[node.index - 1].transformed(tf)
        rows[node.v_slice] = [tuple(-x for x in (*angular, *linear)) for angular, linear in S.columns]
    return tuple(rows)


@fast_path(target=True)
def external_wrench_derivatives(
    state: State[ArrayT], body: RigidBody | str, *, frame: FrameLike | None = None
) -> Call[ArrayT]:
    """Partial derivative of inverse dynamics by a wrench on `body`, (nv, 6): minus its Jacobian, transposed.

    The wrench, angular part first, is in `frame`, any frame fixed to a body (the root frame when not given). The
    derivative of forward dynamics is minus the inverse of M times this; see `regressor` for loops. Raises
    UnknownNameError, FrameMismatchError.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4])
    >>> rbd.algorithms.external_wrench_derivatives(state, state.mechanism.bodies[-1])[:, 3:]
    array([[-0.        , -0.        , -0.        ],
           [-0.95533649, -0.        ,  0.29552021]])
    """
    index = state.layout.body_index(body)
    holder, place = result_frame(state, frame)
    args = index, holder, transform_to_fixed_frame(state, holder, place)
    shape = {"external wrench derivatives": (state.layout.nv, 6)}
    return KernelCall(external_wrench_derivatives_kernel, args, shape, key_determines_args=True)
