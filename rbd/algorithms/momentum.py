"""Momentum of a mechanism: what it is, how velocities make it, how it changes.

Centroidal quantities: Orin, Goswami and Lee (2013).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from rbd.algorithms.center_of_mass import center_from_trunk, center_of_mass
from rbd.algorithms.jacobians import rows_of
from rbd.algorithms.newton_euler import body_loads, motions
from rbd.mechanism import RigidBody
from rbd.spatial import Frame, Momentum, MomentumMatrix, Transform, Wrench
from rbd.spatial.linalg import Vec3, identity3, matvec, neg3
from rbd.state import ArrayOf, State, StateView, kernel, passes
from rbd.state.engine import Call, KernelCall
from rbd.state.fast_path import fast_path
from rbd.state.frames import attachment, body_and_frame
from rbd.state.kernel import require_state

A = TypeVar("A", bound=ArrayOf)
Columns = tuple[tuple[Vec3, Vec3], ...]


@kernel
def momentum_matrix_kernel(state: StateView, body: RigidBody, to_frame: Transform) -> Columns:
    """Return the columns in a frame attached to `body`; `to_frame` leads there from its default frame."""
    return _columns(state, tuple(to_frame @ passes.between(state, each, body) for each in state.layout.bodies))


@kernel
def centroidal_momentum_matrix_kernel(state: StateView) -> Columns:
    """Return the columns about the centre of mass, in axes parallel to the root's."""
    center, trunk = center_from_trunk(state), passes.to_root(state)[state.layout.trunk]
    rotation = trunk.rotation_components
    away = neg3(matvec(rotation, center.xyz_components))
    here = Transform.trusted(center.frame, state.layout.com_frame, rotation, away)
    return _columns(state, tuple(here @ pose for pose in passes.to_trunk(state)))


def _columns(state: StateView, to_frame: tuple[Transform, ...]) -> Columns:
    """Return the columns of the momentum matrix; `to_frame` maps each body's frame to the one wanted."""
    columns: list[tuple[Vec3, Vec3]] = []
    composites = passes.composite_inertias(state)
    for link, subspace in zip(state.links, passes.subspaces(state), strict=True):
        momenta = composites[link.index] @ subspace
        columns += momenta.transformed(to_frame[link.index]).columns
    return tuple(columns)


@fast_path(frame=True)
def momentum_matrix(
    state: State[A], *, frame: Frame[Any] | None = None, out: A | None = None
) -> Call[MomentumMatrix[Any]]:
    """Return the matrix A with A @ v the mechanism's momentum, in `frame` (the root frame when not given).

    `frame` may be any frame attached to a body; the momentum is then about that frame's origin, still with respect to
    the root. `out`, a (6, nv) array, is filled with the numbers, angular rows first.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.1], [1.0, 0.5])
    >>> (rbd.momentum_matrix(state) @ state.v).isclose(rbd.momentum(state))
    True
    """
    require_state(state, "momentum_matrix")
    body, wanted = body_and_frame(state, state.layout.root_frame if frame is None else frame)
    args = body, attachment(state, body, wanted)
    return KernelCall(momentum_matrix_kernel, args, finish=_matrix_in(state, wanted, out))


@fast_path()
def centroidal_momentum_matrix(state: State[A], *, out: A | None = None) -> Call[MomentumMatrix[Any]]:
    """Return the momentum matrix about the centre of mass, in axes parallel to the root frame's.

    The result's frame is a frame of its own, at the centre of mass; see `centroidal_transform`.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.1], [1.0, 0.5])
    >>> momentum = rbd.centroidal_momentum_matrix(state) @ state.v
    >>> momentum.isclose(rbd.momentum(state).transformed(rbd.algorithms.centroidal_transform(state)))
    True
    """
    require_state(state, "centroidal_momentum_matrix")
    return KernelCall(centroidal_momentum_matrix_kernel, finish=_matrix_in(state, state.layout.com_frame, out))


def centroidal_transform(state: State[Any]) -> Transform[Any, Any]:
    """Return the transform from the root frame to the frame at the centre of mass with axes parallel to the root's."""
    center = center_of_mass(state)
    root, frame = state.layout.root_frame, state.layout.com_frame
    return Transform.trusted(root, frame, identity3(), neg3(center.xyz_components))


def _matrix_in(state: State[A], frame: Frame[Any], out: A | None) -> Callable[[Columns], MomentumMatrix[Any]]:
    """Return what makes the momentum matrix of its columns, filling `out` when given."""
    if out is None:
        return partial(MomentumMatrix.trusted, frame)
    pack, shape = state.engine.pack, (6, state.layout.nv)

    def packed(columns: Columns) -> MomentumMatrix[Any]:
        pack(rows_of(columns), "momentum matrix", shape, out)
        return MomentumMatrix.trusted(frame, columns)

    return packed


@kernel
def momentum_kernel(state: StateView) -> Momentum[Any]:
    """Return the sum of all bodies' momenta, in the root frame."""
    total = Momentum.trusted(state.layout.root_frame, (0, 0, 0), (0, 0, 0))
    rows = zip(passes.body_inertias(state), passes.body_twists(state), passes.to_root(state), strict=True)
    for inertia, twist, pose in rows:
        total = total + (inertia @ twist).transformed(pose)
    return total


@fast_path()
def momentum(state: State[Any]) -> Call[Momentum[Any]]:
    """Return the momentum of all bodies, about the origin of the root frame and in it.

    >>> import rbd
    >>> bool(rbd.momentum(rbd.MechanismState(rbd.robots.double_pendulum())).linear.any())   # at rest
    False
    """
    return KernelCall(momentum_kernel)


@kernel
def momentum_rate_bias_kernel(state: StateView) -> Wrench[Any]:
    """Return the sum of what all bodies' motion takes when vd is zero, in the root frame."""
    total = Wrench.trusted(state.layout.root_frame, (0, 0, 0), (0, 0, 0))
    loads = body_loads(state, motions(state, None, gravity=False), None)
    for load, pose in zip(loads, passes.to_root(state), strict=True):
        total = total + load.transformed(pose)
    return total


@fast_path()
def momentum_rate_bias(state: State[Any]) -> Call[Wrench[Any]]:
    """Return the rate of change of the momentum when vd is zero, gravity left out, in the root frame.

    With A the momentum matrix, d/dt (A v) = A vd + momentum_rate_bias.

    >>> import rbd
    >>> bool(rbd.momentum_rate_bias(rbd.MechanismState(rbd.robots.double_pendulum())).linear.any())   # at rest
    False
    """
    return KernelCall(momentum_rate_bias_kernel)
