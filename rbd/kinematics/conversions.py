"""Conversions between v and dq/dt of all joints, and their adjoints for forces.

N maps v to dq/dt; its left inverse maps dq/dt to v. Their transposes map forces on dq/dt to forces on v, and back, with
the same power.
"""

from __future__ import annotations

from rbd.errors import RotationError, ShapeError
from rbd.indexing.layout import TreeNode
from rbd.kernels.state_view import StateView
from rbd.scalars import Scalar, Vector
from rbd.scalars.linear_algebra import dot


def require_rotations(state: StateView, q0: Vector) -> None:
    """Raise RotationError where the quaternion, or the sine and cosine, of a joint are zeros."""
    from rbd.scalars.opaque import OpaqueValue  # here: only recordings need it otherwise

    for node in state.nodes:
        values, joint = q0[node.q_slice], node.joint
        if joint.nq > joint.nv and not any(isinstance(x, OpaqueValue) for x in values):
            try:
                joint.type.normalize(values)
            except ZeroDivisionError:
                message = f"q0 has zeros for the rotation of joint '{joint.name}'"
                raise RotationError(message, argument="q0", joint=joint.name, defect=1.0) from None


def normalised_coordinates(node: TreeNode, q: Vector) -> Vector:
    """Return the normalised coordinates of a joint.

    Raises ShapeError naming it if its type returns another number of them: programs of steps have room for nq.
    """
    normalised, joint = tuple(node.joint.type.normalize(q)), node.joint
    if len(normalised) != joint.nq:
        message = f"{type(joint.type).__name__}.normalize of joint '{joint.name}' returns {len(normalised)} coordinates"
        raise ShapeError(
            f"{message}, needs {joint.nq}",
            argument="joint_type", joint=joint.name, expected=(joint.nq,), actual=(len(normalised),),
        )  # fmt: skip
    return normalised


def configuration_derivative(state: StateView, v: Vector) -> Vector:
    """Return dq/dt for a velocity."""
    return tuple(
        x
        for node in state.nodes
        for x in node.joint.type.configuration_derivative(state.joint_q(node), v[node.v_slice])
    )


def velocity_from_configuration_derivative(state: StateView, qd: Vector) -> Vector:
    """Return the velocity for a dq/dt."""
    return tuple(x for node in state.nodes for x in node.joint.type.velocity(state.joint_q(node), qd[node.q_slice]))


def force_on_velocity(state: StateView, force: Vector) -> Vector:
    """Return the force on v, N transposed times the force on dq/dt."""
    v_force: list[Scalar] = []
    for node in state.nodes:
        rows = node.joint.type.configuration_derivative_jacobian(state.joint_q(node))
        v_force += [dot(column, force[node.q_slice]) for column in zip(*rows, strict=True)]
    return tuple(v_force)


def force_on_configuration_derivative(state: StateView, force: Vector) -> Vector:
    """Return the force on dq/dt, the left inverse of N transposed times the force on v."""
    qd_force: list[Scalar] = []
    for node in state.nodes:
        rows = node.joint.type.velocity_jacobian(state.joint_q(node))
        qd_force += [dot(column, force[node.v_slice]) for column in zip(*rows, strict=True)]
    return tuple(qd_force)
