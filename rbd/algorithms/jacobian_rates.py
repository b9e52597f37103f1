"""Rates of Jacobians, and the Jacobian of the centre of mass."""

from __future__ import annotations

from functools import partial
from typing import Any, TypeVar

from rbd.algorithms.center_of_mass import mass_moment_kernel
from rbd.algorithms.jacobians import Columns, check_path, jacobian_along
from rbd.errors import SingularError
from rbd.mechanism import RigidBody, TreePath
from rbd.scalars import is_float, to_float
from rbd.spatial import Frame, GeometricJacobian, PointJacobian, Transform, Twist
from rbd.spatial.coriolis import carried, summed
from rbd.spatial.linalg import Vec3, matvec, neg3
from rbd.spatial.values import require_kind
from rbd.state import ArrayOf, Link, State, StateView, kernel, passes
from rbd.state.engine import Call, KernelCall
from rbd.state.fast_path import fast_path
from rbd.state.frames import attachment, body_and_frame

A = TypeVar("A", bound=ArrayOf)


@kernel
def geometric_jacobian_rate_kernel(state: StateView, path: TreePath, body: RigidBody, to_frame: Transform) -> Columns:
    """Return the columns of dJ/dt in a frame attached to `body`; `to_frame` leads there from its default one."""
    columns: list[tuple[Vec3, Vec3]] = [((0, 0, 0), (0, 0, 0))] * state.layout.nv
    for joint, direction in path:
        link = state.layout.link(joint)
        own, subspace = passes.subspace_rates(state)[link.index - 1], passes.subspaces(state)[link.index - 1]
        rate = summed(carried(subspace, _seen_from(state, body, link)), own)
        moved = rate.transformed(to_frame @ passes.between(state, link.body, body))
        for k, (angular, linear) in enumerate(moved.columns, start=link.v.start):
            columns[k] = (angular, linear) if direction > 0 else (neg3(angular), neg3(linear))
    return tuple(columns)


def _seen_from(state: StateView, body: RigidBody, link: Link) -> Twist:
    """Return the twist of the body of `link` with respect to `body`, in the frame of the former."""
    twists = passes.body_twists(state)
    there = twists[state.layout.body_index(body)].transformed(passes.between(state, body, link.body))
    return -there + twists[link.index]


@fast_path(objects=1, frame=True)
def geometric_jacobian_rate(
    state: State[A], path: TreePath, *, frame: Frame[Any] | None = None
) -> Call[GeometricJacobian[Any, Any, Any]]:
    """Return dJ/dt of `geometric_jacobian(state, path, frame=frame)`: how its components change with the motion.

    In the root frame, for a path from the root, dJ/dt v is the bias acceleration of the path's target. `frame` may
    move; what its motion does is included. Raises as `geometric_jacobian` does.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 0.5])
    >>> hand = state.mechanism.bodies[-1]
    >>> rate = rbd.algorithms.geometric_jacobian_rate(state, state.mechanism.path(state.mechanism.root_body, hand))
    >>> bool(abs(rate.matrix @ state.v - state.bias_acceleration(hand).vector).max() < 1e-12)
    True
    """
    require_kind(path, TreePath, operation="geometric_jacobian_rate", argument="path")
    check_path(state, path)
    body, wanted = body_and_frame(state, state.layout.root_frame if frame is None else frame)
    args = path, body, attachment(state, body, wanted)
    return KernelCall(geometric_jacobian_rate_kernel, args, finish=jacobian_along(state, path, wanted))


@kernel
def center_of_mass_jacobian_kernel(state: StateView) -> tuple[Vec3, ...]:
    """Return, per velocity, the velocity of the centre of mass: the momentum of what the joint carries by all mass."""
    total, _ = mass_moment_kernel(state, tuple(range(1, len(state.layout.bodies))))
    if is_float(total) and to_float(total) <= 0:
        raise SingularError("bodies without mass have no centre of mass", what="mass")
    columns: list[Vec3] = []
    for link, subspace in zip(state.links, passes.subspaces(state), strict=True):
        rotation = passes.to_root(state)[link.index].rotation_components
        for _, linear in (passes.composite_inertias(state)[link.index] @ subspace).columns:
            x, y, z = matvec(rotation, linear)
            columns.append((x / total, y / total, z / total))
    return tuple(columns)


@fast_path()
def center_of_mass_jacobian(state: State[A]) -> Call[PointJacobian[Any]]:
    """Return the Jacobian of the centre of mass of all bodies, in the root frame: J @ v is its velocity.

    Raises SingularError when the bodies have no mass.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 0.5])
    >>> velocity = rbd.algorithms.center_of_mass_jacobian(state) @ state.v
    >>> bool(abs(velocity.xyz * state.mechanism.mass - rbd.momentum(state).linear).max() < 1e-12)
    True
    """
    finish = partial(PointJacobian.trusted, state.layout.root_frame)
    return KernelCall(center_of_mass_jacobian_kernel, finish=finish)
