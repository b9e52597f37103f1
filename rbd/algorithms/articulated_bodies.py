"""Articulated-body inertias, bias forces, accelerations and mobilities, in any frame or about any point.

Featherstone (2008), chapter 7, by the recursion of `articulated_body_algorithm.py`. Its accelerations of frame origins
become spatial ones here, and gravity a weight: results are in the terms of the book.
"""

from __future__ import annotations

from typing import Any, Generic, TypeAlias, final

import attrs

from rbd.algorithms.articulated_body_algorithm import ArticulatedMotion, articulated_inertias
from rbd.algorithms.external_wrenches import AppliedWrenches, ExternalWrenches, applied_wrenches
from rbd.algorithms.hybrid_dynamics import JointAccelerations, hybrid_motion, prescribed_of
from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.algorithms.newton_euler import actuator_torques, body_wrenches, joint_torques, motions
from rbd.algorithms.torques import Torques, torques_of
from rbd.algorithms.trees import require_tree
from rbd.arguments import require_kind
from rbd.display import fields_repr
from rbd.indexing.layout import FrameLike
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.kinematics.queries import ArrayT, State
from rbd.mechanism import RigidBody
from rbd.mechanism.names import unknown_name
from rbd.pytrees.finite import require_finite_result
from rbd.scalars import Scalar, Vector, absolute, maximum
from rbd.scalars.linear_algebra import dot, subtract, symmetric_from_upper
from rbd.spatial import Frame, FreeVector, GeometricJacobian, Point, SpatialAcceleration, Transform, Twist, Wrench
from rbd.spatial.linalg import cross3, identity3, neg3, scale3, sub3
from rbd.spatial.mobility import ArticulatedMobility
from rbd.spatial.recursions.articulated import ArticulatedInertia
from rbd.spatial.recursions.classical import ClassicalAcceleration

Reference: TypeAlias = "FrameLike | Point[Any]"
"""Frame of values: a frame, perhaps by name, or a point, with the axes of its frame."""


@final
@attrs.frozen(eq=False)
class ArticulatedBody:
    """Motion and forces of one body of the articulated-body algorithm, with respect to the root; all in one frame.

    joint_wrench = articulated_inertia @ acceleration + articulated_bias, and for every body
    joint_wrench - those of the joints it carries + weight + external = inertia @ acceleration + bias_force.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.3, 0.4])
    >>> lower = rbd.articulated_bodies(state, [0.0, 0.0]).body("lower_link")
    >>> wrench = lower.articulated_inertia @ lower.acceleration + lower.articulated_bias
    >>> wrench.isclose(lower.joint_wrench)
    True
    """

    body: RigidBody
    screws: GeometricJacobian[Any, Any, Any]
    """S: the twist of the body per unit of each velocity of its joint."""
    twist: Twist[Any, Any, Any]
    bias_acceleration: SpatialAcceleration[Any, Any, Any]
    """c: the acceleration across its joint for vd = 0, due to velocities."""
    bias_force: Wrench[Any]
    """p: the wrench of its motion for zero spatial acceleration, V x* I V."""
    weight: Wrench[Any]
    articulated_inertia: ArticulatedInertia
    """I^A: apparent inertia of the body and its subtree."""
    articulated_bias: Wrench[Any]
    """p^A: the joint wrench for zero spatial acceleration, with gravity and external wrenches applied."""
    acceleration: SpatialAcceleration[Any, Any, Any]
    """a, spatial, without gravity."""
    joint_wrench: Wrench[Any]
    """f: the wrench of its joint on it."""


@final
@attrs.frozen(eq=False)
class ArticulatedBodies(Generic[ArrayT]):
    """The result of the articulated-body algorithm; see `articulated_bodies`.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.3, 0.4])
    >>> found = rbd.articulated_bodies(state, [0.5, 0.0])
    >>> [each.body.name for each in found.bodies], bool(found.residual < 1e-12)
    (['upper_link', 'lower_link'], True)
    """

    vd: ArrayT
    torques: ArrayT
    """As given; for prescribed accelerations as found."""
    frame: Frame[Any]
    """The frame of all values."""
    bodies: tuple[ArticulatedBody, ...]
    """In the order of `mechanism.bodies`, the root left out."""
    differences: tuple[Scalar, ...]
    """Residuals of the Newton-Euler equations of every body and joint, in body frames."""

    __repr__ = fields_repr

    @property
    def residual(self) -> Scalar:
        """The largest residual of a body or joint, in N or N m."""
        largest: Scalar = 0
        for entry in self.differences:
            largest = maximum(largest, absolute(entry))
        return largest

    def body(self, body: RigidBody | str) -> ArticulatedBody:
        """Return the `ArticulatedBody` of a body or name; raise UnknownNameError for the root and for others."""
        require_kind(body, RigidBody, str, operation="ArticulatedBodies.body", argument="body")
        for articulated in self.bodies:
            if articulated.body is body or articulated.body.name == body:
                return articulated
        name = body if isinstance(body, str) else body.name
        raise unknown_name("body", name, [articulated.body.name for articulated in self.bodies])


def articulated_bodies(
    state: State[ArrayT],
    torques: Torques | None = None,
    external_wrenches: ExternalWrenches | None = None,
    *,
    prescribed: JointAccelerations | None = None,
    at: Reference | None = None,
) -> ArticulatedBodies[ArrayT]:
    """Articulated-body algorithm: accelerations under `torques`, and the values of every body in the algorithm.

    `external_wrenches` and `prescribed` as in `forward_dynamics`. Values are expressed in `at`: a frame fixed to any
    body, or a point in such a frame (moments and velocities are then about the point), the root frame when not given.
    Frames count as at rest, even on a moving body: they only change coordinates. Raises as
    `forward_dynamics` does.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.5, 0.2])
    >>> found = rbd.articulated_bodies(state, [0.0, 0.1])
    >>> link = found.body(state.mechanism.bodies[1])
    >>> total = link.articulated_inertia @ link.acceleration + link.articulated_bias
    >>> total.isclose(link.joint_wrench), bool(found.residual < 1e-12)
    (True, True)
    """
    require_tree(state, "articulated_bodies")
    tau, external = torques_of(state, torques), applied_wrenches(state, external_wrenches)
    motion, tau = hybrid_motion(state, tau, prescribed_of(state, prescribed), external)
    frame, to_frame = _reference(state, at)
    bodies = tuple(_body(state, motion, node.index, to_frame[node.index]) for node in state.nodes)
    require_finite_result(bodies, "articulated bodies")
    pack, shape = state.engine.pack, (state.layout.nv,)
    vd, required_torques = pack(motion.vd, "vd", shape), pack(tau, "torques", shape)
    return ArticulatedBodies(vd, required_torques, frame, bodies, _residuals(state, motion, tau, external))


def _reference(state: State[Any], at: Reference | None) -> tuple[Frame[Any], tuple[Transform[Any, Any], ...]]:
    """Return the frame meant, and the transforms to it from the frames of all bodies."""
    place = state.layout.root_frame if at is None else at
    _, frame = state.layout.body_and_frame(place.frame if isinstance(place, Point) else place, "at")
    to_frame = tuple(state.relative_transform(body.default_frame, frame) for body in state.layout.bodies)
    if not isinstance(place, Point):
        return frame, to_frame
    new: Frame[Any] = Frame(f"point in {frame.name}")
    shift = Transform.trusted(frame, new, identity3(), neg3(place.xyz_components))
    return new, tuple(shift @ tf for tf in to_frame)


def _body(state: StateView, motion: ArticulatedMotion, index: int, tf: Transform[Any, Any]) -> ArticulatedBody:
    """Return the values of one body, carried from its own frame by `tf`."""
    I, V, S = passes.body_inertias(state)[index], passes.body_twists(state)[index], passes.subspaces(state)[index - 1]
    gravity: FreeVector[Any] = passes.to_root(state)[index].inverse() @ state.gravity
    g, omega, v = gravity.xyz_components, V.angular_components, V.linear_components
    # A body whose spatial acceleration is zero has this one of its origin, with gravity as an acceleration of the root.
    a_0 = ClassicalAcceleration(V.frame, V.base, (0, 0, 0), sub3(cross3(omega, v), g))
    I_A = motion.I_A[index]
    return ArticulatedBody(
        body=state.layout.bodies[index],
        screws=S.transformed(tf),
        twist=V.transformed(tf),
        bias_acceleration=_bias_acceleration(state, index, V).transformed(tf),
        bias_force=I.newton_euler(SpatialAcceleration.zero(V.body, V.base, V.frame), V).transformed(tf),
        weight=Wrench.trusted(I.frame, cross3(I.first_moment_components, g), scale3(g, I.mass)).transformed(tf),
        articulated_inertia=I_A.transformed(tf),
        articulated_bias=(motion.p_A[index] + I_A.wrench_of_classical(a_0)).transformed(tf),
        acceleration=passes.accelerations(state, motion.vd)[index].transformed(tf),
        joint_wrench=motion.f[index].transformed(tf),
    )


def _bias_acceleration(state: StateView, index: int, V: Twist) -> SpatialAcceleration[Any, Any, Any]:
    """Return c = c_J + V x V_J: Featherstone (2008), table 7.1."""
    c_J = passes.joint_bias_accelerations(state)[index - 1]
    return c_J + V.cross(passes.joint_twists(state)[index - 1]).with_body(c_J.body).with_base(c_J.base)


def _residuals(
    state: StateView, motion: ArticulatedMotion, torques: Vector, external: AppliedWrenches
) -> tuple[Scalar, ...]:
    """Return the residuals of the Newton-Euler equations of bodies and joints."""
    residuals, f = body_wrenches(state, motions(state, motion.vd), external), motion.f
    for node, X_PB in zip(state.nodes, passes.to_parent(state), strict=True):
        residuals[node.index] = residuals[node.index] - f[node.index]
        residuals[node.parent] = residuals[node.parent] + f[node.index].transformed(X_PB)
    entries = [x for wrench in residuals[1:] for x in (*wrench.angular_components, *wrench.linear_components)]
    return (*entries, *subtract(actuator_torques(state, joint_torques(state, f), motion.vd), torques))


@kernel
def articulated_inertia_kernel(state: StateView, index: int) -> ArticulatedInertia:
    """Return the articulated inertia of a body, in the root frame."""
    inertias = articulated_inertias(state)
    return inertias[index].transformed(passes.to_root(state)[index])


def articulated_inertia(state: State[Any], body: RigidBody | str) -> ArticulatedInertia:
    """Articulated-body inertia of `body`, with all joints beyond it free, in the root frame.

    Raises UnknownNameError, TopologyError for mechanisms with loop joints or couplings, and SingularError, naming the
    joint, when a joint beyond moves nothing that has inertia.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4])
    >>> lower = state.mechanism.body("lower_link")
    >>> inertia = rbd.articulated_inertia(state, lower)    # nothing hangs on it: its own inertia
    >>> own = state.inertia(lower).transformed(state.transform_to_root(lower))
    >>> bool(abs(inertia.matrix - own.matrix).max() < 1e-12)
    True
    """
    require_tree(state, "articulated_inertia")
    return articulated_inertia_kernel(state, state.layout.body_index(body))


def articulated_mobility(
    state: State[Any], body: RigidBody | str, *, at: Reference | None = None
) -> ArticulatedMobility[Any]:
    """Articulated mobility of `body`: the change of its acceleration per unit of wrench, all joints free.

    That is J M^-1 J^T with J the Jacobian of the body, singular where the body cannot move in every way. `at` as in
    `articulated_bodies`. Raises UnknownNameError, TopologyError for mechanisms with loop joints, and SingularError,
    naming the joint, when M cannot be inverted.

    >>> import numpy as np, rbd
    >>> mechanism = rbd.robots.double_pendulum()
    >>> state, hand = rbd.MechanismState(mechanism, [0.5, 0.2]), mechanism.bodies[-1]
    >>> wrench = rbd.Wrench(mechanism.root_frame, [0, 0.3, 0], [1, 0, 0])
    >>> change = rbd.articulated_mobility(state, hand) @ wrench
    >>> before, after = (rbd.articulated_bodies(state, [0, 0], w).body(hand).acceleration for w in ({}, {hand: wrench}))
    >>> bool(np.allclose(after.vector - before.vector, change.vector))
    True
    """
    require_tree(state, "articulated_mobility")
    index = state.layout.body_index(body)
    frame, to_frame = _reference(state, at)
    rows: list[list[Scalar]] = [[0] * state.layout.nv for _ in range(6)]
    for node in state.layout.nodes_to_root(index):
        columns = passes.subspaces(state)[node.index - 1].transformed(to_frame[node.index]).columns
        for k, (angular, linear) in enumerate(columns, start=node.v_slice.start):
            for i, x in enumerate(angular + linear):
                rows[i][k] = x
    factor = factored(state, mass_matrix_kernel(state))
    M_inv_J_T = [factor.solve(row) for row in rows]
    matrix = symmetric_from_upper([[dot(row, column) for column in M_inv_J_T] for row in rows])
    state.engine.require_finite("articulated mobility", *(x for row in matrix for x in row))
    moving = state.layout.bodies[index].default_frame
    return ArticulatedMobility(moving, state.layout.root_frame, frame, matrix)
