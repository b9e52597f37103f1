"""Motion of joints whose velocity is expressed in a frame that turns: floating, spherical and planar joints.

A step finds velocities in the frames at its beginning. Components in these frames must not be taken for components in
the frames at its end: the error is a rotation by dt omega, and adds kinetic energy. So the composite body of a joint
(all that it carries) moves as a rigid body from the beginning of the step to its end: its centre of mass goes straight
on, and its angular velocity changes by the implicit rule

    I (w⁺ - w) = dt L x (w⁺ + w) / 2,    L = I w + dt/2 (I w) x w

while the frame turns by dt (w⁺ + w) / 2. Multiplied by w⁺ + w, the right-hand side vanishes: kinetic energy stays as it
is, whatever L is. With this L the rule is the midpoint rule up to dt³, which also keeps the angular momentum in space
(Austin, Krishnaprasad, Wang, *Almost Poisson integration of rigid body systems*, 1993). In the equations of motion the
same transport is a part of the accelerations that needs no force: `transport_accelerations`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from rbd.indexing.layout import TreeNode
from rbd.joints.base import JointType, TurningJoint
from rbd.joints.planar import Planar
from rbd.joints.spherical import SphericalJoint
from rbd.kinematics import passes
from rbd.kinematics.conversions import normalised_coordinates
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Scalar, Vector, const, less
from rbd.scalars.conditions import inverse_or_zero
from rbd.spatial.linalg import (
    Mat3,
    Vec3,
    Vec6,
    add3,
    cross3,
    dot3,
    matvec,
    neg3,
    scale3,
    sub3,
    symmetric,
    zero3,
)
from rbd.spatial.quaternion import quaternion_conjugate, quaternion_exp, quaternion_rotate

_HALF: Final = const(1, 2)


class _Composite(NamedTuple):
    """The composite body of a joint: centre c, and the moment of inertia I about it with adjugate and determinant.

    c is the centre of mass; for spherical joints, which have a fixed point, that point.
    """

    c: Vec3
    I: Mat3
    adjugate: Mat3
    determinant: Scalar


def transport_accelerations(state: ScalarState) -> Vector | None:
    """Return the accelerations vd with which composite bodies move on without forces; None where all are zero."""
    if not any(isinstance(node.joint.type, TurningJoint) for node in state.nodes):
        return None
    vd = list[Scalar]()
    for node in state.nodes:
        turns = isinstance(node.joint.type, TurningJoint)
        vd += _acceleration(state, node) if turns else (0,) * node.joint.nv
    return tuple(vd)


def advance(state: ScalarState, v: Vector, correction: Vector, dt: Scalar) -> tuple[Vector, Vector]:
    """Return q and v after a time `dt`, from the velocities `v` in the frames at its beginning.

    Configurations move with `v` + `correction`; `correction` leaves no velocity.
    """
    q_next, v_next = list[Scalar](), list[Scalar]()
    for node in state.nodes:
        joint, joint_v, joint_correction = node.joint.type, tuple(v[node.v_slice]), tuple(correction[node.v_slice])
        if isinstance(joint, TurningJoint):
            q, joint_v = _advance_turning_joint(state, node, joint, joint_v, joint_correction, dt)
        else:
            q = _advance_joint(joint, state.joint_q(node), joint_v, joint_correction, dt)
        q_next += normalised_coordinates(node, q)
        v_next += joint_v
    return tuple(q_next), tuple(v_next)


def _advance_joint(joint: JointType, q: Vector, v: Vector, correction: Vector, dt: Scalar) -> Vector:
    """Return q of a joint that moves with constant components of its velocity."""
    rates = joint.local_coordinates_rate(q, q, tuple(x + y for x, y in zip(v, correction, strict=True)))
    return joint.global_coordinates(q, tuple(dt * rate for rate in rates))


def _advance_turning_joint(
    state: ScalarState, node: TreeNode, joint: TurningJoint, v: Vector, correction: Vector, dt: Scalar
) -> tuple[Vector, Vector]:
    """Return q and v of a joint whose frame turns."""
    body, S = _composite(state, node), passes.subspaces(state)[node.index - 1].columns
    (w, u), (correction_w, correction_u), c = _twist(S, v), _twist(S, correction), body.c
    after = w if isinstance(joint, Planar) else _next_angular_velocity(body, w, dt)
    turn = scale3(add3(scale3(add3(w, after), _HALF), correction_w), dt)
    step = quaternion_exp(turn)
    u_c, correction_c = add3(u, cross3(w, c)), add3(correction_u, cross3(correction_w, c))
    shift = add3(scale3(add3(u_c, correction_c), dt), sub3(c, quaternion_rotate(step, c)))
    linear = sub3(quaternion_rotate(quaternion_conjugate(step), u_c), cross3(after, c))
    return joint.displaced(state.joint_q(node), turn, shift), _components(S, after, linear)


def _next_angular_velocity(body: _Composite, w: Vec3, dt: Scalar) -> Vec3:
    """Return the angular velocity after a time `dt`, in the frame that has turned."""
    half, I_w = dt * _HALF, matvec(body.I, w)
    b = scale3(add3(I_w, scale3(cross3(I_w, w), half)), half)
    I_b, right = matvec(body.I, b), cross3(scale3(b, 2), w)
    solution = add3(matvec(body.adjugate, right), cross3(I_b, right))  # of I - [b]x, times its determinant; b'right = 0
    return add3(w, scale3(solution, _inverse(body, dot3(b, I_b))))


def _acceleration(state: ScalarState, node: TreeNode) -> Vector:
    """Return the accelerations of a joint with which its composite body moves on without forces."""
    body, S = _composite(state, node), passes.subspaces(state)[node.index - 1].columns
    w, u = _twist(S, state.joint_v(node))
    alpha = zero3()
    if not isinstance(node.joint.type, Planar):
        alpha = scale3(matvec(body.adjugate, cross3(matvec(body.I, w), w)), _inverse(body, 0))
    linear = add3(cross3(w, add3(u, cross3(w, body.c))), cross3(alpha, body.c))
    return _components(S, alpha, neg3(linear))


def _composite(state: ScalarState, node: TreeNode) -> _Composite:
    inertia = passes.composite_inertias(state)[node.index]
    m, first, moment = inertia.mass, inertia.first_moment_components, inertia.moment_components
    if isinstance(node.joint.type, SphericalJoint):
        return _Composite(zero3(), moment, *_adjugate(moment))
    c = scale3(first, inverse_or_zero(less(0, m), m))
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = moment
    (x, y, z), (a, b, d) = c, first
    about_c = symmetric(
        xx - y * b - z * d, xy + x * b, xz + x * d, yy - x * a - z * d, yz + y * d, zz - x * a - y * b
    )  # fmt: skip
    return _Composite(c, about_c, *_adjugate(about_c))


def _adjugate(matrix: Mat3) -> tuple[Mat3, Scalar]:
    """Return adjugate and determinant of a symmetric matrix."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = matrix
    a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    adjugate = symmetric(a, b, c, xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy)
    return adjugate, xx * a + xy * b + xz * c


def _inverse(body: _Composite, more: Scalar) -> Scalar:
    """Return 1 / (determinant of I + `more`); zero for bodies that have no inertia about some axis."""
    return inverse_or_zero(less(0, body.determinant), body.determinant + more)


def _twist(S: Sequence[Vec6], v: Vector) -> Vec6:
    angular, linear = zero3(), zero3()
    for (a, b), x in zip(S, v, strict=True):
        angular, linear = add3(angular, scale3(a, x)), add3(linear, scale3(b, x))
    return angular, linear


def _components(S: Sequence[Vec6], angular: Vec3, linear: Vec3) -> Vector:
    """Return the velocities of a twist; the columns of these joints are orthonormal."""
    return tuple(dot3(a, angular) + dot3(b, linear) for a, b in S)
