"""Jacobians: how velocities along a path of joints move a body or a point."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from rbd.errors import ArgumentError
from rbd.mechanism import RigidBody, TreePath
from rbd.scalars import Scalar
from rbd.spatial import Frame, GeometricJacobian, Point, PointJacobian, Transform
from rbd.spatial.linalg import Vec3, add3, cross3, neg3
from rbd.spatial.values import require_kind
from rbd.state import ArrayOf, State, StateView, kernel, passes
from rbd.state.engine import Call, KernelCall
from rbd.state.fast_path import fast_path
from rbd.state.frames import attachment, body_and_frame
from rbd.state.kernel import require_state

A = TypeVar("A", bound=ArrayOf)
Columns = tuple[tuple[Vec3, Vec3], ...]


@kernel
def geometric_jacobian_kernel(state: StateView, path: TreePath, body: RigidBody, to_frame: Transform) -> Columns:
    """Return the columns of the Jacobian in a frame attached to `body`; `to_frame` leads there from its default one."""
    columns: list[tuple[Vec3, Vec3]] = [((0, 0, 0), (0, 0, 0))] * state.layout.nv
    for joint, direction in path:
        link = state.layout.link(joint)
        step = to_frame @ passes.between(state, link.body, body)
        moved = passes.subspaces(state)[link.index - 1].transformed(step)
        for column, (angular, linear) in zip(range(link.v.start, link.v.stop), moved.columns, strict=True):
            columns[column] = (angular, linear) if direction > 0 else (neg3(angular), neg3(linear))
    return tuple(columns)


@fast_path(objects=1, frame=True)
def geometric_jacobian(
    state: State[A], path: TreePath, *, frame: Frame[Any] | None = None, out: A | None = None
) -> Call[GeometricJacobian[Any, Any, Any]]:
    """Return the Jacobian J of `path`: J @ v is the twist of the path's target with respect to its source.

    `path` comes from `mechanism.path(source, target)`. The Jacobian is expressed in `frame`, any frame attached to a
    body (the root frame when not given). Columns of joints off the path are zero. `out`, a (6, nv) array, is filled
    with its numbers, angular rows first. Raises ShapeError, UnknownNameError for the path of another mechanism,
    FrameMismatchError for a frame of none of its bodies.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), v=[1.0, 0.5])
    >>> hand = state.mechanism.bodies[-1]
    >>> jacobian = rbd.geometric_jacobian(state, state.mechanism.path(state.mechanism.root_body, hand))
    >>> (jacobian @ state.v).isclose(state.twist(hand))
    True
    """
    require_kind(path, TreePath, operation="geometric_jacobian", argument="path")
    check_path(state, path)
    body, wanted = body_and_frame(state, state.layout.root_frame if frame is None else frame)
    args = path, body, attachment(state, body, wanted)
    return KernelCall(geometric_jacobian_kernel, args, finish=jacobian_along(state, path, wanted, out))


def jacobian_along(
    state: State[A], path: TreePath, frame: Frame[Any], out: A | None = None
) -> Callable[[Columns], GeometricJacobian[Any, Any, Any]]:
    """Return what makes the Jacobian of a path of its columns, filling `out` when given."""
    target, source = path.target.default_frame, path.source.default_frame
    if out is None:
        return partial(GeometricJacobian.trusted, target, source, frame)
    pack, shape = state.engine.pack, (6, state.layout.nv)

    def packed(columns: Columns) -> GeometricJacobian[Any, Any, Any]:
        pack(rows_of(columns), "jacobian", shape, out)
        return GeometricJacobian.trusted(target, source, frame, columns)

    return packed


def rows_of(columns: Columns) -> tuple[tuple[Scalar, ...], ...]:
    """Return columns of angular and linear parts as six rows."""
    return tuple(zip(*(angular + linear for angular, linear in columns), strict=True)) or ((),) * 6


def check_path(state: StateView, path: TreePath) -> None:
    """Raise UnknownNameError or ArgumentError unless `path` leads through the tree as it is, not as it was once."""
    require_state(state, "geometric_jacobian")
    here, target = (state.layout.body_index(end) for end in (path.source, path.target))
    links = [(state.layout.link(joint), direction) for joint, direction in path]
    for link, direction in links:
        start, end = (link.parent, link.index) if direction > 0 else (link.index, link.parent)
        here = end if here == start else -1
    if here != target:
        raise ArgumentError(
            f"{path!r} is no way through this tree any more; ask mechanism.path again after an edit",
            argument="path",
            value=path,
        )


def point_jacobian(state: State[A], path: TreePath, point: Point[Any], *, out: A | None = None) -> PointJacobian[Any]:
    """Return the Jacobian J of a point fixed to the target of `path`: J @ v is its velocity as seen from the source.

    `point` may be given in any frame attached to a body; the Jacobian is expressed in that frame. `out`, a (3, nv)
    array, is filled with its numbers. Raises as `geometric_jacobian` does.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), v=[1.0, 0.5])
    >>> root, hand = state.mechanism.root_body, state.mechanism.bodies[-1]
    >>> tip = state.transform(rbd.Point(hand.default_frame, [0.0, 0.0, -1.0]), state.mechanism.root_frame)
    >>> velocity = rbd.point_jacobian(state, state.mechanism.path(root, hand), tip) @ state.v
    >>> velocity.isclose(state.twist(hand).point_velocity(tip))
    True
    """
    require_kind(point, Point, operation="point_jacobian", argument="point")
    jacobian = geometric_jacobian(state, path, frame=point.frame)
    arm = point.xyz_components
    columns = tuple(add3(linear, cross3(angular, arm)) for angular, linear in jacobian.columns)
    if out is not None:
        state.engine.pack(tuple(zip(*columns, strict=True)) or ((),) * 3, "point jacobian", (3, state.layout.nv), out)
    return PointJacobian.trusted(point.frame, columns)
