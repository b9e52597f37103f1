"""Joint contract, numerical checks: all methods against derivatives of the transform."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rbd.scalars import to_float
from rbd.testing.comparison import (
    adjoint,
    as_floats,
    derivative,
    largest,
    matrix_of_columns,
    matrix_of_rows,
    pose_matrix,
    require,
    require_close,
    vector,
)
from rbd.testing.joint_case import JointCase

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rbd.scalars import Array, Vector

_CONDITION = 100.0  # largest condition number of constraint wrenches, in metres and radians
_STEP, _NEARER = 1e-3, 1e-10  # step to configurations beside the nearest one, rounding of squared distances
_SIZES = (1e-16, 1e-14, 1e-12, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.3, 1.0)


# ---------------------------------------------------------------- kinematics and forces


def transform_is_rigid(case: JointCase) -> None:
    """Check that the transform is a rotation and a translation, on and off the manifold."""
    for q in (case.q, case.q_unnormalized):
        rotation = case.pose(q)[:3, :3].real
        require_close(rotation @ rotation.T, np.eye(3), "rotation times its transpose")
        require_close(float(np.linalg.det(rotation)), 1.0, "determinant")


def position_subspace(case: JointCase) -> None:
    """Check that H is the derivative of the transform along every coordinate, on and off the manifold."""
    for q in (case.q, case.q_unnormalized):
        jacobian = matrix_of_columns(case.joint_type.position_subspace(q, case.after, case.before)).real
        for k, unit in enumerate(np.eye(case.joint_type.nq)):
            require_close(jacobian[:, k], case.measured_twist(q, as_floats(unit)), f"column {k}")


def motion_subspace(case: JointCase) -> None:
    """Check that S is the derivative of the transform along N, H N = S, and the twist is S v."""
    joint = case.joint_type
    for q in (case.q, case.q_unnormalized):
        subspace, n = case.subspace(q).real, matrix_of_rows(joint.configuration_derivative_jacobian(q), joint.nv).real
        for k in range(joint.nv):
            require_close(subspace[:, k], case.measured_twist(q, as_floats(n[:, k])), f"column {k}")
        h = matrix_of_columns(joint.position_subspace(q, case.after, case.before)).real
        require_close(h @ n, subspace, "H N = S")
        twist = joint.twist(q, case.v, case.after, case.before)
        components = vector(twist.components)
        require_close(components, subspace @ vector(case.v), "twist = S v")


def bias_acceleration(case: JointCase) -> None:
    """Check that the rate of S is its derivative along N v, and the bias acceleration is this rate times v."""
    joint, q, v = case.joint_type, case.q, case.v
    expected = derivative(case.subspace, q, joint.configuration_derivative(q, v))
    rate = matrix_of_columns(joint.motion_subspace_rate(q, v, case.after, case.before))
    require_close(rate, expected, "rate of the motion subspace")
    bias = joint.bias_acceleration(q, v, case.after, case.before)
    require_close(vector(bias.components), rate @ vector(v), "bias acceleration")


def bias_acceleration_derivatives(case: JointCase) -> None:
    """Check that the derivatives of the bias acceleration are those along every velocity."""
    joint, v, n = (
        case.joint_type,
        case.v,
        matrix_of_rows(case.joint_type.configuration_derivative_jacobian(case.q), case.joint_type.nv).real,
    )

    def bias(q: Vector) -> NDArray[np.complex128]:
        return vector(joint.bias_acceleration(q, v, case.after, case.before).components)

    jacobian = matrix_of_columns(joint.bias_acceleration_derivatives(case.q, v, case.after, case.before)).real
    for k in range(joint.nv):
        require_close(jacobian[:, k], derivative(bias, case.q, as_floats(n[:, k])), f"column {k}", 1e-11)


def torque(case: JointCase) -> None:
    """Check that the torque is S transposed times the wrench."""
    torque = case.joint_type.torque(case.q, case.wrench(), case.after, case.before)
    require_close(vector(torque), case.subspace(case.q).T @ vector(case.wrench_components), "torque")


def constraint_wrenches(case: JointCase) -> None:
    """Check that there are 6 - nv well-conditioned constraint wrenches, orthogonal to S."""
    wrenches = matrix_of_columns(case.joint_type.constraint_wrench_subspace(case.q, case.after)).real
    nv = case.joint_type.nv
    require_close(case.subspace(case.q).real.T @ wrenches, np.zeros((nv, wrenches.shape[1])), "work", 1e-15)
    require(wrenches.shape[1] == 6 - nv, f"{wrenches.shape[1]} wrenches, should be {6 - nv}")
    if wrenches.size:
        singular = np.linalg.svd(wrenches, compute_uv=False)
        require(bool(singular[0] < _CONDITION * singular[-1]), f"singular values {singular}")


# ---------------------------------------------------------------- coordinates


def rate_matrices(case: JointCase) -> None:
    """Check that the maps between v and qd have the stated matrices, and are inverse to each other."""
    joint, v, qd = case.joint_type, case.v, case.qd
    for q in (case.q, case.q_unnormalized):
        n = matrix_of_rows(joint.configuration_derivative_jacobian(q), joint.nv)
        inverse = matrix_of_rows(joint.velocity_jacobian(q), joint.nq)
        require_close(vector(joint.configuration_derivative(q, v)), n @ vector(v), "N v")
        require_close(vector(joint.velocity(q, qd)), inverse @ vector(qd), "matrix of velocity times qd")
        require_close(inverse @ n, np.eye(joint.nv), "velocity is the inverse of configuration_derivative")
        require_close(vector(joint.velocity(q, joint.configuration_derivative(q, v))), vector(v), "velocity of N v")


def local_coordinates(case: JointCase) -> None:
    """Check that local coordinates are exactly zero at q0, and inverse to global coordinates."""
    joint, q0 = case.joint_type, case.q
    for q in (q0, case.q_other, joint.zero()):
        require(all(c == 0 for c in joint.local_coordinates(q, q)), "they are zero at q0")
    for size in _SIZES:
        phi = tuple(size * c for c in case.phi)
        for base in (q0, joint.zero()):
            moved = joint.global_coordinates(base, phi)
            require_close(vector(joint.local_coordinates(base, moved)), vector(phi), f"round trip at {size}", 1e-14)
    there = joint.global_coordinates(q0, joint.local_coordinates(q0, case.q_other))
    require_close(case.pose(there), case.pose(case.q_other), "pose of global after local")


def local_coordinates_rate(case: JointCase) -> None:
    """Check that the rate of local coordinates is their derivative along N v, for small to large ones."""
    joint, v = case.joint_type, case.v
    for size in (0.0, *_SIZES):
        q0, q = case.q, joint.global_coordinates(case.q, tuple(size * c for c in case.phi))
        rate = vector(joint.local_coordinates_rate(q0, q, v))
        qd = joint.configuration_derivative(q, v)
        expected = derivative(lambda x: vector(joint.local_coordinates(case.q, x)), q, qd)
        require_close(rate, expected, f"at {size}")


def projection(case: JointCase) -> None:
    """Check that project() finds the pose of a reachable transform and, with `near`, its coordinates."""
    joint = case.joint_type
    factors = (1.0, case.spread) if joint.nq == joint.nv else (1.0,)
    for q in [tuple(f * c for c in q) for f in factors for q in (joint.zero(), case.q, case.q_other)]:
        transform = case.transform(q)
        require_close(case.pose(joint.project(transform)), case.pose(q), "pose")
        require_close(vector(joint.project(transform, q)), vector(q), "coordinates with near = q")
        require_close(vector(joint.project(transform, _perturbed(q))), vector(q), "coordinates with near beside q")


def projection_of_unreachable_poses(case: JointCase) -> None:
    """Check that no configuration is nearer than that of project(): by rotation, at a reachable one by position."""
    turned, moved = case.unreachable, _offset(case.pose(case.q).real, case.unreachable[:3, 3])
    projected = case.joint_type.project(case.transform_of(turned))
    distance = _rotation_distance(case, projected, turned)
    for q in (*_neighbours(case, projected), case.q, case.q_other, case.joint_type.zero()):
        require(distance <= _rotation_distance(case, q, turned) + _NEARER, "another rotation is nearer")
    projected = case.joint_type.project(case.transform_of(moved), case.q)
    require_close(
        case.pose(projected)[:3, :3], moved[:3, :3], "rotation of a pose that is reachable but for its position"
    )
    distance = _distance(case.pose(projected)[:3, 3], moved[:3, 3])
    for q in _neighbours(case, projected):
        if _rotation_distance(case, q, moved) <= _NEARER:  # the step is a translation
            require(distance <= _distance(case.pose(q)[:3, 3], moved[:3, 3]) + _NEARER, "another position is nearer")


def _offset(pose: Array, offset: Array) -> Array:
    """Return a pose with another position."""
    result = pose.copy()
    result[:3, 3] += offset
    return result


def _neighbours(case: JointCase, q: Vector) -> list[Vector]:
    """Return configurations a small step away, in both directions of every coordinate and of one more line."""
    steps = [*np.eye(case.joint_type.nv), vector(case.phi).real]
    return [case.joint_type.global_coordinates(q, as_floats(h * step)) for step in steps for h in (_STEP, -_STEP)]


def _rotation_distance(case: JointCase, q: Vector, pose: Array) -> float:
    return _distance(case.pose(q)[:3, :3], pose[:3, :3])


def _distance(a: NDArray[np.complex128], b: Array) -> float:
    """Return the squared distance, which is smooth where it is zero."""
    return float(np.sum((a.real - b) ** 2))


def normalization(case: JointCase) -> None:
    """Check that normalize() and principal_value() keep the pose and are idempotent."""
    joint = case.joint_type
    for q in (case.q, case.q_unnormalized, tuple(-c for c in case.q_unnormalized)):
        for name, function in (("normalize", joint.normalize), ("principal_value", joint.principal_value)):
            changed = function(q)
            require_close(case.pose(changed), case.pose(q), f"pose after {name}")
            require_close(vector(function(changed)), vector(changed), f"{name} twice", 1e-15)
        left = to_float(joint.normalization_error(joint.normalize(q)))
        require_close(left, 0.0, "normalization error after normalize", 1e-14)
        moved = largest(vector(joint.normalize(q)) - vector(q))
        error = to_float(joint.normalization_error(q))
        require(
            error >= 0 and (error > 1e-14 or moved < 1e-13), "if normalization_error is zero, normalize changes nothing"
        )


def reversal(case: JointCase) -> None:
    """Check that the reversed joint has the inverse transform and the opposite twist, and reverses back."""
    joint, q, v = case.joint_type, case.q, case.v
    reverse, q_reverse, v_reverse = joint.flipped(), joint.flip_configuration(q), joint.flip_velocity(q, v)
    pose = case.pose(q).real
    pose_reverse = pose_matrix(reverse.transform(q_reverse, case.before, case.after))
    require_close(pose_reverse @ pose, np.eye(4), "transform of the reversed joint is the inverse")
    subspace = matrix_of_columns(reverse.motion_subspace(q_reverse, case.before, case.after))
    twist = -adjoint(pose) @ case.subspace(q) @ vector(v)
    require_close(subspace @ vector(v_reverse), twist, "twist of the reversed joint")
    rate = derivative(lambda x: vector(joint.flip_configuration(x)), q, joint.configuration_derivative(q, v))
    require_close(vector(reverse.configuration_derivative(q_reverse, v_reverse)), rate, "rate of reversed coordinates")
    again, q_again = reverse.flipped(), reverse.flip_configuration(q_reverse)
    require_close(pose_matrix(again.transform(q_again, case.after, case.before)), pose, "transform reversed twice")
    twice = matrix_of_columns(again.motion_subspace(q_again, case.after, case.before))
    v_again = reverse.flip_velocity(q_reverse, v_reverse)
    require_close(twice @ vector(v_again), case.subspace(q) @ vector(v), "twist reversed twice")


def _perturbed(q: Vector) -> Vector:
    return tuple(c + 0.01 for c in q)
