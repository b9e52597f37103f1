"""Conversions between v and dq/dt of all joints, and their adjoints for forces; velocities of joints from twists.

N maps v to dq/dt; its left inverse maps dq/dt to v. Their transposes map forces on dq/dt to forces on v, and back, with
the same power.
"""

from __future__ import annotations

from rbd.kernels.state_view import StateView
from rbd.scalars import Scalar, Vector
from rbd.scalars.linear_algebra import dot
from rbd.spatial import GeometricJacobian, Twist
from rbd.spatial.frame import check_frame


def configuration_derivative(state: StateView, v: Vector) -> Vector:
    """Return dq/dt for a velocity."""
    return tuple(
        x for node in state.nodes for x in node.joint.type.configuration_derivative(state.joint_q(node), v[node.v])
    )


def velocity_from_configuration_derivative(state: StateView, qd: Vector) -> Vector:
    """Return the velocity for a dq/dt."""
    return tuple(x for node in state.nodes for x in node.joint.type.velocity(state.joint_q(node), qd[node.q]))


def force_on_velocity(state: StateView, force: Vector) -> Vector:
    """Return the force on v, N transposed times the force on dq/dt."""
    v_force: list[Scalar] = []
    for node in state.nodes:
        rows = node.joint.type.configuration_derivative_jacobian(state.joint_q(node))
        v_force += [dot(column, force[node.q]) for column in zip(*rows, strict=True)]
    return tuple(v_force)


def force_on_configuration_derivative(state: StateView, force: Vector) -> Vector:
    """Return the force on dq/dt, the left inverse of N transposed times the force on v."""
    qd_force: list[Scalar] = []
    for node in state.nodes:
        rows = node.joint.type.velocity_jacobian(state.joint_q(node))
        qd_force += [dot(column, force[node.v]) for column in zip(*rows, strict=True)]
    return tuple(qd_force)


def nearest_velocity(subspace: GeometricJacobian, twist: Twist) -> Vector:
    """Return the velocity of a joint with this motion subspace whose twist is nearest, in the frame of both."""
    from rbd.solvers.equations.ltdl_factor import Factor

    check_frame(twist.frame, subspace.frame, operation="projection on a motion subspace", argument="twist")
    gram = tuple(subspace.products(*column) for column in subspace.columns)
    right = subspace.products(twist.angular_components, twist.linear_components)
    return Factor.of(gram, ["the motion subspace of a joint"] * len(right)).solve(right)
