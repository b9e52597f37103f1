"""Momentum, momentum matrix and rate of momentum; centroidal momentum matrix: Orin, Goswami and Lee (2013).

"Centroidal dynamics of a humanoid robot." It differs in one thing: columns come from composite inertias, I^C_i S_i, as
in Wensing and Orin (2016), not from the inertias of single bodies.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from rbd.algorithms.center_of_mass import center_from_trunk, center_of_mass
from rbd.algorithms.jacobians import Columns, from_columns
from rbd.algorithms.newton_euler import body_wrenches, motions
from rbd.engine.fast_path import fast_path
from rbd.indexing.layout import FrameLike
from rbd.kernels.body_fixed_frames import result_frame, transform_to_fixed_frame
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import kernel, require_state
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.kinematics.queries import ArrayT, State
from rbd.mechanism import RigidBody
from rbd.spatial import Momentum, MomentumMatrix, Transform, Wrench
from rbd.spatial.frame import F
from rbd.spatial.linalg import Vec3, identity3, matvec, neg3


@kernel
def momentum_matrix_kernel(state: StateView, body: RigidBody, to_frame: Transform) -> Columns:
    """Return the momentum matrix in a frame fixed to `body`; `to_frame` maps its default frame to that frame."""
    return _columns(state, tuple(to_frame @ passes.body_transform(state, other, body) for other in state.layout.bodies))


@kernel
def centroidal_momentum_matrix_kernel(state: StateView) -> Columns:
    """Return the momentum matrix about the centre of mass, in axes parallel to the root's."""
    center, trunk = center_from_trunk(state), passes.to_root(state)[state.layout.trunk]
    rotation = trunk.rotation_components
    away = neg3(matvec(rotation, center.xyz_components))
    to_com = Transform.trusted(center.frame, state.layout.com_frame, rotation, away)
    return _columns(state, tuple(to_com @ pose for pose in passes.to_trunk(state)))


def _columns(state: StateView, to_frame: tuple[Transform, ...]) -> Columns:
    """Return the columns X I^C_i S_i, with X = `to_frame` per body."""
    columns: list[tuple[Vec3, Vec3]] = []
    I_C = passes.composite_inertias(state)
    for node, S in zip(state.nodes, passes.subspaces(state), strict=True):
        columns += (I_C[node.index] @ S).transformed(to_frame[node.index]).columns
    return tuple(columns)


@fast_path()
def momentum_matrix(
    state: State[ArrayT], *, frame: FrameLike[F] | None = None, out: ArrayT | None = None
) -> Call[MomentumMatrix[F]]:
    """Momentum matrix A, in `frame` (the root frame when not given): A @ v is the momentum of the mechanism.

    `frame` may be any frame fixed to a body; the momentum is then about that frame's origin, still with respect to
    the root. `out`, a (6, nv) array, is filled with the numbers, angular rows first. Raises FrameMismatchError for a
    frame of no body, UnknownNameError for a name of none.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.1], [1.0, 0.5])
    >>> (rbd.momentum_matrix(state) @ state.v).isclose(rbd.momentum(state))
    True
    """
    body, target = result_frame(state, frame)
    args = body, transform_to_fixed_frame(state, body, target)
    return KernelCall(
        momentum_matrix_kernel,
        args,
        convert=from_columns(state, partial(MomentumMatrix.trusted, target), "momentum matrix", out),
        key_determines_args=True,
    )


@fast_path()
def centroidal_momentum_matrix(state: State[ArrayT], *, out: ArrayT | None = None) -> Call[MomentumMatrix[Any]]:
    """Centroidal momentum matrix: about the centre of mass, in axes parallel to the root frame's.

    The result's frame is a frame of its own, at the centre of mass; see `centroidal_transform`. Raises SingularError
    for bodies without mass.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.1], [1.0, 0.5])
    >>> momentum = rbd.centroidal_momentum_matrix(state) @ state.v
    >>> momentum.isclose(rbd.momentum(state).transformed(rbd.algorithms.centroidal_transform(state)))
    True
    """
    make = partial(MomentumMatrix.trusted, state.layout.com_frame)
    return KernelCall(centroidal_momentum_matrix_kernel, convert=from_columns(state, make, "momentum matrix", out))


def centroidal_transform(state: State[Any]) -> Transform[Any, Any]:
    """Centroidal transform: from the root frame to the frame at the centre of mass with axes parallel to the root's.

    Raises SingularError for bodies without mass.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum())
    >>> centroidal_transform(state) @ rbd.center_of_mass(state)
    Point in 'center of mass': (0, 0, 0)
    """
    require_state(state, "centroidal_transform")
    center = center_of_mass(state)
    root, frame = state.layout.root_frame, state.layout.com_frame
    return Transform.trusted(root, frame, identity3(), neg3(center.xyz_components))


@kernel
def momentum_kernel(state: StateView) -> Momentum[Any]:
    """Return the sum of I V over all bodies, in the root frame (Featherstone 2008, section 2.12)."""
    total = Momentum.trusted(state.layout.root_frame, (0, 0, 0), (0, 0, 0))
    rows = zip(passes.body_inertias(state), passes.body_twists(state), passes.to_root(state), strict=True)
    for I, V, X_WB in rows:
        total = total + (I @ V).transformed(X_WB)
    return total


@fast_path()
def momentum(state: State[Any]) -> Call[Momentum[Any]]:
    """Spatial momentum of all bodies, about the origin of the root frame and in it.

    >>> import rbd
    >>> rbd.momentum(rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 0.5])).linear
    array([-2.00663637,  0.        ,  0.92644358])
    """
    return KernelCall(momentum_kernel)


@kernel
def momentum_rate_bias_kernel(state: StateView) -> Wrench[Any]:
    """Return the sum of the wrenches of all bodies' motion for vd = 0, without gravity, in the root frame."""
    total = Wrench.trusted(state.layout.root_frame, (0, 0, 0), (0, 0, 0))
    f_B = body_wrenches(state, motions(state, None, gravity=False))
    for f, X_WB in zip(f_B, passes.to_root(state), strict=True):
        total = total + f.transformed(X_WB)
    return total


@fast_path()
def momentum_rate_bias(state: State[Any]) -> Call[Wrench[Any]]:
    """Bias of the momentum rate: the rate of change of the momentum for vd = 0, without gravity, in the root frame.

    With A the momentum matrix, d/dt (A v) = A vd + momentum_rate_bias.

    >>> import rbd
    >>> rbd.momentum_rate_bias(rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 0.5])).linear
    array([1.16802521, 0.        , 2.29345219])
    """
    return KernelCall(momentum_rate_bias_kernel)
