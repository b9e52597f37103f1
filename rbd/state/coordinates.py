"""Validation and conversion of coordinates."""

from __future__ import annotations

import math
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike
from typing_extensions import TypeIs

from rbd.arguments import boolean, described
from rbd.errors import ArgumentError, NotFiniteError, RotationError
from rbd.indexing.layout import Layout, TreeNode
from rbd.scalars import Vector, to_float
from rbd.scalars.arrays import Array, float_array
from rbd.scalars.entries import any_array
from rbd.solvers.equations.ltdl_factor import Factor
from rbd.spatial import GeometricJacobian, Transform, Twist
from rbd.spatial.frame import check_frame

_NORM_TOLERANCE = 1e-6
_ROUNDING = 4 * float(np.finfo(np.float64).eps)


def checked_configuration(layout: Layout, q: ArrayLike, *, normalize: bool = False) -> Array:
    """Return `q` as a fresh array with unit quaternions; raise ShapeError, NotFiniteError or RotationError."""
    boolean(normalize, "normalize")
    array = checked_vector(layout, q, "q")
    for node in layout.nodes:
        _normalize_joint(node, array, normalize)
    return array


def checked_vector(layout: Layout, values: ArrayLike, name: Literal["q", "v"]) -> Array:
    """Return a fresh float64 array for q or v; raise ShapeError, or NotFiniteError naming the joint."""
    size = layout.nq if name == "q" else layout.nv
    try:
        return float_array(values, (size,), name)
    except NotFiniteError as error:
        index = cast("tuple[int, ...] | None", error.fields.get("index"))
        joint = _joint_at(layout, name, index[0]) if index else None
        if joint is None:
            raise
        raise NotFiniteError(f"{error.message}, of joint '{joint}'", **{**error.fields, "joint": joint}) from None


def _joint_at(layout: Layout, name: Literal["q", "v"], index: int) -> str | None:
    """Return the name of the joint of entry `index` of q or v."""
    for node in layout.nodes:
        part = node.q_slice if name == "q" else node.v_slice
        if part.start <= index < part.stop:
            return node.joint.name
    return None


def _normalize_joint(node: TreeNode, q: Array, accepts_any_norm: bool) -> None:
    """Normalise the coordinates of one joint in place; raise RotationError if the norm is too far from one."""
    joint_type = node.joint.type
    if joint_type.nq == joint_type.nv:
        return
    values: Vector = tuple(q[node.q_slice].tolist())
    defect = to_float(joint_type.normalization_error(values))
    if abs(defect) <= _ROUNDING:
        return
    normalised = _normalised(node, values)
    if normalised is None or (abs(defect) > _NORM_TOLERANCE and not accepts_any_norm):
        advice = "" if normalised is None else "; state.set_configuration(..., normalize=True) would normalise it"
        raise RotationError(
            f"the configuration of joint '{node.joint.name}' is {abs(defect):.6g} away from norm 1{advice}",
            argument="q",
            joint=node.joint.name,
            defect=defect,
        )
    q[node.q_slice] = normalised


def _normalised(node: TreeNode, values: Vector) -> list[float] | None:
    """Return the normalised coordinates of one joint; None if their norm is zero or overflows."""
    try:
        normalised = [to_float(x) for x in node.joint.type.normalize(values)]
    except (ZeroDivisionError, OverflowError):
        return None
    return normalised if all(map(math.isfinite, normalised)) else None


def _is_transform(value: object) -> TypeIs[Transform[Any, Any]]:
    return isinstance(value, Transform)


def _is_twist(value: object) -> TypeIs[Twist[Any, Any, Any]]:
    return isinstance(value, Twist)


def configuration_of(node: TreeNode, value: ArrayLike | Transform | None, near: Vector) -> Array:
    """Return the coordinates of one joint from a number, an array or a Transform across it."""
    joint = node.joint
    if _is_transform(value):
        check_frame(value.from_frame, joint.frame_after, operation="set_configuration", argument="value (from)")
        check_frame(value.to_frame, joint.frame_before, operation="set_configuration", argument="value (to)")
        return np.array([to_float(x) for x in joint.type.project(value, near)], dtype=np.float64)
    return _joint_vector(value, joint.nq, joint.name)


def nearest_velocity(subspace: GeometricJacobian, twist: Twist) -> Vector:
    """Return the velocity of a joint with this motion subspace whose twist is nearest, in the frame of both."""
    check_frame(twist.frame, subspace.frame, operation="projection on a motion subspace", argument="twist")
    gram = tuple(subspace.products(*column) for column in subspace.columns)
    right = subspace.products(twist.angular_components, twist.linear_components)
    return Factor.of(gram, ["the motion subspace of a joint"] * len(right)).solve(right)


def velocity_of(node: TreeNode, value: ArrayLike | Twist | None, q: Vector) -> Array:
    """Return the velocity of one joint from a number, an array or a Twist across it."""
    joint = node.joint
    if not _is_twist(value):
        return _joint_vector(value, joint.nv, joint.name)
    for actual, expected, which in (
        (value.body, joint.frame_after, "body"),
        (value.base, joint.frame_before, "base"),
        (value.frame, joint.frame_after, "frame"),
    ):
        check_frame(actual, expected, operation="set_velocity", argument=f"value ({which})")
    subspace = joint.type.motion_subspace(q, joint.frame_after, joint.frame_before)
    return np.array([to_float(x) for x in nearest_velocity(subspace, value)], dtype=np.float64)


def _joint_vector(value: ArrayLike | None, size: int, name: str) -> Array:
    if value is None:
        raise ArgumentError(f"the value for joint '{name}' is missing", argument="value", value=None)
    return float_array([value] if _is_single_number(value) else value, (size,), f"value for joint '{name}'")


def _is_single_number(value: object) -> bool:
    return not isinstance(value, (list, tuple)) and any_array(value, "value").ndim == 0


def not_a_joint_error(target: object, value: object) -> ArgumentError:
    """Return the error for a value given with a target that is not a joint."""
    message = (
        f"a value is given beside {described(target)}: set_configuration(joint, value) takes a Joint or its name "
        "first, set_configuration(q) all coordinates at once; set_velocity likewise"
    )
    return ArgumentError(message, argument="value", value=value)
