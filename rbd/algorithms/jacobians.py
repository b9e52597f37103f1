"""Geometric Jacobians of bodies and points, and their rates: Murray, Li and Sastry (1994), chapter 3.

Column i is the motion subspace S_i, carried to the frame of the result; its rate is S_d_i = V_i x S_i plus the rate of
S_i in its body (Featherstone 2008, section 2.10), carried likewise.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from rbd.arguments import described, isinstance_untyped, require_kind
from rbd.engine.fast_path import fast_path
from rbd.errors import ArgumentError
from rbd.indexing.layout import FrameLike, TreeNode
from rbd.kernels.body_fixed_frames import result_frame, transform_to_fixed_frame
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import kernel, require_state
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.kinematics.queries import ArrayT, State
from rbd.mechanism import RigidBody, TreePath
from rbd.scalars.arrays import Array
from rbd.scalars.linear_algebra import transpose
from rbd.spatial import Frame, GeometricJacobian, Point, PointJacobian, Transform, Twist
from rbd.spatial.frame import F
from rbd.spatial.linalg import Vec3, add3, cross3, neg3
from rbd.spatial.recursions.column_operations import add_columns, motion_cross_columns
from rbd.spatial.values import vec3

M = TypeVar("M")
Columns = tuple[tuple[Vec3, Vec3], ...]


@kernel
def geometric_jacobian_kernel(state: StateView, path: TreePath, body: RigidBody, to_frame: Transform) -> Columns:
    """Return the columns of J in a frame fixed to `body`; `to_frame` maps its default frame to that frame."""
    return _columns(state, path, body, to_frame)


def _columns(state: StateView, path: TreePath, body: RigidBody, to_frame: Transform) -> Columns:
    columns: list[tuple[Vec3, Vec3]] = [((0, 0, 0), (0, 0, 0))] * state.layout.nv
    for joint, direction in path:
        node = state.layout.node(joint)
        X = to_frame @ passes.body_transform(state, node.body, body)
        S = passes.subspaces(state)[node.index - 1].transformed(X)
        for k, (angular, linear) in enumerate(S.columns, start=node.v_slice.start):
            columns[k] = (angular, linear) if direction > 0 else (neg3(angular), neg3(linear))
    return tuple(columns)


@fast_path(target=True)
def geometric_jacobian(
    state: State[ArrayT],
    path: TreePath | RigidBody | str,
    *,
    frame: FrameLike[F] | None = None,
    out: ArrayT | None = None,
) -> Call[GeometricJacobian[Any, Any, F]]:
    """Geometric Jacobian J of `path`: J @ v is the twist of the path's target with respect to its source.

    `path` comes from `mechanism.path(source, target)`; a body, or its name, means the path to it from the root. The
    Jacobian is expressed in `frame`, any frame fixed to a body, or its name (the root frame when not given). Columns
    of joints off the path are zero. `out`, a (6, nv) array, is filled with its numbers, angular rows first. Raises
    ShapeError, UnknownNameError for the path or body of another mechanism, FrameMismatchError for a frame of none of
    its bodies.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), v=[1.0, 0.5])
    >>> jacobian = rbd.geometric_jacobian(state, "lower_link")
    >>> (jacobian @ state.v).isclose(state.twist("lower_link"))
    True
    """
    path = _path_of(state, path, "geometric_jacobian")
    body, target = result_frame(state, frame)
    args = path, body, transform_to_fixed_frame(state, body, target)
    convert, convert_array = (
        _converter(state, path, target, out),
        _array_converter(path, target) if out is None else None,
    )
    return KernelCall(
        geometric_jacobian_kernel, args, convert=convert, convert_array=convert_array, key_determines_args=True
    )


def _converter(
    state: State[ArrayT], path: TreePath, frame: Frame[Any], out: ArrayT | None = None
) -> Callable[[Columns], GeometricJacobian[Any, Any, Any]]:
    """Return the function from columns to the Jacobian of a path, which fills `out` when given."""
    make = partial(GeometricJacobian.trusted, path.target.default_frame, path.source.default_frame, frame)
    return from_columns(state, make, "jacobian", out)


def _array_converter(path: TreePath, frame: Frame[Any]) -> Callable[[Array], GeometricJacobian[Any, Any, Any]]:
    """Return the function from columns in an array to the Jacobian of a path."""
    return partial(GeometricJacobian.of_array, path.target.default_frame, path.source.default_frame, frame)


def from_columns(
    state: State[ArrayT], make: Callable[[Columns], M], name: str, out: ArrayT | None
) -> Callable[[Columns], M]:
    """Return the function from columns to a matrix of six rows, which fills `out` when given."""
    if out is None:
        return make
    pack, shape = state.engine.pack, (6, state.layout.nv)

    def packed(columns: Columns) -> M:
        rows = tuple(zip(*(angular + linear for angular, linear in columns), strict=True)) or ((),) * 6
        pack(rows, name, shape, out)
        return make(columns)

    return packed


def _path_of(state: StateView, path: TreePath | RigidBody | str, operation: str) -> TreePath:
    """Return a path, or the path from the root to a body; raise ArgumentError or UnknownNameError."""
    if isinstance(path, TreePath):
        _check_path(state, path)
        return path
    if not isinstance_untyped(path, RigidBody, str):
        message = (
            f"{operation}: path must be a body, its name, or a path from mechanism.path(source, target), "
            f"not {described(path)}"
        )
        raise ArgumentError(message, operation=operation, argument="path", value=path)
    return state.mechanism.path(state.layout.bodies[0], state.layout.body(path))


def _check_path(state: StateView, path: TreePath) -> None:
    """Raise ArgumentError or UnknownNameError unless `path` is a path of the mechanism as it is now."""
    reached, target = (state.layout.body_index(end) for end in (path.source, path.target))
    nodes = [(state.layout.node(joint), direction) for joint, direction in path]
    for node, direction in nodes:
        start, end = (node.parent, node.index) if direction > 0 else (node.index, node.parent)
        reached = end if reached == start else -1
    if reached != target:
        raise ArgumentError(
            f"{path!r} is not a path of this tree any more; call mechanism.path again after an edit",
            argument="path",
            value=path,
        )


def point_jacobian(
    state: State[ArrayT], path: TreePath | RigidBody | str, point: Point[F], *, out: ArrayT | None = None
) -> PointJacobian[F]:
    """Jacobian J of a point fixed to the target of `path`: J @ v is its velocity as seen from the source.

    `path` as in `geometric_jacobian`: a body means the path to it from the root.

    `point` may be given in any frame fixed to a body; the Jacobian is expressed in that frame. `out`, a (3, nv)
    array, is filled with its numbers. Raises as `geometric_jacobian` does.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), v=[1.0, 0.5])
    >>> hand = state.mechanism.body("lower_link")
    >>> tip = state.transform(rbd.Point(hand.default_frame, [0.0, 0.0, -1.0]), state.mechanism.root_frame)
    >>> velocity = rbd.point_jacobian(state, hand, tip) @ state.v
    >>> velocity.isclose(state.twist(hand).point_velocity(tip))
    True
    """
    if type(point) is not Point:
        require_kind(point, Point, operation="point_jacobian", argument="point")
    require_state(state, "point_jacobian")
    arm = point.xyz if state.engine.takes_arrays else point.xyz_components
    jacobian = _point_jacobian(state, path, arm, frame=point.frame)
    if out is not None:
        rows = transpose(jacobian.columns) or ((),) * 3
        state.engine.pack(rows, "point jacobian", (3, state.layout.nv), out)
    return jacobian


@kernel
def point_jacobian_kernel(
    state: StateView, path: TreePath, body: RigidBody, to_frame: Transform, arm: Vec3
) -> tuple[Vec3, ...]:
    """Return the columns of the Jacobian of the point `arm` in a frame fixed to `body`; `to_frame` leads to it."""
    return tuple(add3(linear, cross3(angular, arm)) for angular, linear in _columns(state, path, body, to_frame))


@fast_path(target=True, vectors=1)
def _point_jacobian(
    state: State[Any], path: TreePath | RigidBody | str, arm: Any, *, frame: Frame[F]
) -> Call[PointJacobian[F]]:
    """Return the Jacobian of a point, given by its coordinates."""
    path = _path_of(state, path, "point_jacobian")
    body, target = result_frame(state, frame)
    args = (
        path,
        body,
        transform_to_fixed_frame(state, body, target),
        vec3(arm, "point") if state.engine.takes_arrays else arm,
    )
    make = partial(PointJacobian.trusted, target)

    def convert(columns: tuple[Vec3, ...]) -> PointJacobian[Any]:
        return state.checked(make(columns), "point jacobian")

    convert_array = partial(PointJacobian.of_array, target)
    return KernelCall(
        point_jacobian_kernel, args, convert=convert, convert_array=convert_array, key_determines_args=True
    )


@kernel
def geometric_jacobian_rate_kernel(state: StateView, path: TreePath, body: RigidBody, to_frame: Transform) -> Columns:
    """Return the columns of dJ/dt in a frame fixed to `body`; `to_frame` maps its default frame to that frame."""
    columns: list[tuple[Vec3, Vec3]] = [((0, 0, 0), (0, 0, 0))] * state.layout.nv
    for joint, direction in path:
        node = state.layout.node(joint)
        S_rate, S = passes.subspace_rates(state)[node.index - 1], passes.subspaces(state)[node.index - 1]
        rate = add_columns(motion_cross_columns(_relative_twist(state, body, node), S), S_rate)
        S_d = rate.transformed(to_frame @ passes.body_transform(state, node.body, body))
        for k, (angular, linear) in enumerate(S_d.columns, start=node.v_slice.start):
            columns[k] = (angular, linear) if direction > 0 else (neg3(angular), neg3(linear))
    return tuple(columns)


def _relative_twist(state: StateView, body: RigidBody, node: TreeNode) -> Twist:
    """Return the twist of the body of `node` with respect to `body`, in the frame of the former."""
    twists = passes.body_twists(state)
    base_twist = twists[state.layout.body_index(body)].transformed(passes.body_transform(state, body, node.body))
    return -base_twist + twists[node.index]


@fast_path(target=True)
def geometric_jacobian_rate(
    state: State[ArrayT], path: TreePath | RigidBody | str, *, frame: FrameLike[F] | None = None
) -> Call[GeometricJacobian[Any, Any, F]]:
    """Rate dJ/dt of `geometric_jacobian(state, path, frame=frame)`: the rate of its components along the motion.

    In the root frame, for a path from the root, dJ/dt v is the bias acceleration of the path's target. `frame` may
    move; its motion is included. Raises as `geometric_jacobian` does.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 0.5])
    >>> hand = state.mechanism.bodies[-1]
    >>> rate = rbd.algorithms.geometric_jacobian_rate(state, hand)
    >>> bool(abs(rate.matrix @ state.v - state.bias_acceleration(hand).vector).max() < 1e-12)
    True
    """
    path = _path_of(state, path, "geometric_jacobian_rate")
    body, target = result_frame(state, frame)
    args = path, body, transform_to_fixed_frame(state, body, target)
    convert, convert_array = _converter(state, path, target), _array_converter(path, target)
    return KernelCall(
        geometric_jacobian_rate_kernel, args, convert=convert, convert_array=convert_array, key_determines_args=True
    )


def point_jacobian_rate(state: State[Any], path: TreePath | RigidBody | str, point: Point[F]) -> PointJacobian[F]:
    """Rate dJ/dt of `point_jacobian(state, path, point)`: the rate of its components along the motion.

    The point is fixed to the target of `path` and moves with it, also when it is given in another frame; that frame may
    move too. In the root frame, for a path from the root, J vd + dJ/dt v is the acceleration of the point. Raises as
    `point_jacobian` does.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), v=[2.0, 0.0])
    >>> hand = state.mechanism.bodies[-1]
    >>> tip = state.transform(rbd.Point(hand.default_frame, [0.0, 0.0, -1.0]), state.mechanism.root_frame)
    >>> rate = rbd.algorithms.point_jacobian_rate(state, hand, tip)
    >>> bool(abs((rate @ state.v).xyz - [0.0, 0.0, 2.0**2 * 2.0]).max() < 1e-12)   # towards the shoulder, 2 m above
    True
    """
    require_state(state, "point_jacobian_rate")
    path = _path_of(state, path, "point_jacobian_rate")
    require_kind(point, Point, operation="point_jacobian_rate", argument="point")
    jacobian = geometric_jacobian(state, path, frame=point.frame)
    rate = geometric_jacobian_rate(state, path, frame=point.frame)
    twist = state.relative_twist(path.target, point.frame, frame=point.frame)
    p, pd = point.xyz_components, twist.point_velocity(point).xyz_components
    columns = tuple(
        add3(linear_rate, add3(cross3(angular_rate, p), cross3(angular, pd)))
        for (angular, _), (angular_rate, linear_rate) in zip(jacobian.columns, rate.columns, strict=True)
    )
    return state.checked(PointJacobian.trusted(point.frame, columns), "point jacobian rate")
