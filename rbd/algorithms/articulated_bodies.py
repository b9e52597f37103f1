"""Everything the articulated-body algorithm finds, body by body, at any reference point.

The recursion is in `articulated_motion.py` and runs in body frames, so that nothing depends on where the world's origin
is; values are carried to the frame asked for when they are asked for.
"""

from __future__ import annotations

from typing import Any, Generic, TypeAlias, TypeVar, final

import attrs

from rbd.algorithms.articulated_motion import Motion, articulated_motion
from rbd.algorithms.external import BodyWrenches, ExternalWrenches, body_wrenches, less_external
from rbd.algorithms.forward_dynamics import Torques
from rbd.algorithms.hybrid_dynamics import JointAccelerations, prescribed_of
from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.algorithms.passive import passive_torques_kernel
from rbd.algorithms.trees import require_tree
from rbd.errors import UnknownNameError
from rbd.joints.tuples import dot
from rbd.mechanism import RigidBody
from rbd.scalars import Scalar, absolute, maximum
from rbd.spatial import Frame, GeometricJacobian, Point, SpatialAcceleration, Transform, Twist, Wrench
from rbd.spatial.articulated import ArticulatedInertia
from rbd.spatial.linalg import identity3, neg3
from rbd.spatial.mobility import ArticulatedMobility
from rbd.spatial.values import require_kind
from rbd.state import ArrayOf, State, StateView, passes

A = TypeVar("A", bound=ArrayOf)
Reference: TypeAlias = "Frame[Any] | Point[Any]"
"""Where values are wanted: a frame, or a point, with the axes of its frame."""


@final
@attrs.frozen(eq=False)
class ArticulatedBody:
    """A body as part of what moves, with respect to the root; all values in one frame.

    joint_wrench = articulated_inertia @ acceleration + articulated_bias, and for every body
    joint_wrench - those of the joints it carries + weight + external = inertia @ acceleration + bias_force.
    """

    body: RigidBody
    screws: GeometricJacobian[Any, Any, Any]
    """s: the motion of the body per unit of each velocity of its joint."""
    twist: Twist[Any, Any, Any]
    bias_acceleration: SpatialAcceleration[Any, Any, Any]
    """κ: what velocities alone add to the acceleration across its joint."""
    bias_force: Wrench[Any]
    """p: the wrench its velocity alone takes."""
    weight: Wrench[Any]
    articulated_inertia: ArticulatedInertia
    """What the body with all it carries is like to push; I^A."""
    articulated_bias: Wrench[Any]
    """p^A: the wrench it takes to keep the body from accelerating, weights and external wrenches being helped by."""
    acceleration: SpatialAcceleration[Any, Any, Any]
    """a, spatial, without gravity."""
    joint_wrench: Wrench[Any]
    """f: what its joint applies to it."""


@final
@attrs.frozen(eq=False)
class ArticulatedBodies(Generic[A]):
    """A motion and what caused it; see `articulated_bodies`."""

    vd: A
    torques: A
    """As given, or as prescribed accelerations need them."""
    frame: Frame[Any]
    """Where all values are expressed."""
    bodies: tuple[ArticulatedBody, ...]
    """In the order of `mechanism.bodies`, the root left out."""
    differences: tuple[Scalar, ...]
    """What is left of the balance of every body and joint, as found in the frames of the bodies."""

    @property
    def residual(self) -> Scalar:
        """The largest entry, in N or N m, by which the balance of a body or the torque of a joint is not met."""
        largest: Scalar = 0
        for entry in self.differences:
            largest = maximum(largest, absolute(entry))
        return largest

    def body(self, body: RigidBody) -> ArticulatedBody:
        """Return what was found for a body; raise UnknownNameError for the root or a body of another mechanism."""
        for found in self.bodies:
            if found.body is body:
                return found
        raise UnknownNameError(f"{body!r} is not carried by any joint here", kind="body", name=str(body))


def articulated_bodies(
    state: State[A],
    torques: Torques,
    external_wrenches: ExternalWrenches | None = None,
    *,
    prescribed: JointAccelerations | None = None,
    at: Reference | None = None,
) -> ArticulatedBodies[A]:
    """Return the motion `torques` make with everything the articulated-body algorithm finds for each body.

    `external_wrenches` and `prescribed` as in `forward_dynamics`. Values are expressed in `at`: a frame attached to any
    body, or a point in such a frame (moments and velocities are then about the point), the root frame when not given.
    Frames count as at rest, wherever their body moves: only coordinates change with them. Raises as
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
    drive, external = state.vector(torques, state.layout.nv, "torques"), body_wrenches(state, external_wrenches)
    motion = articulated_motion(state, drive, prescribed_of(state, prescribed), external)
    frame, steps = _reference(state, at)
    bodies = tuple(_body(state, motion, link.index, steps[link.index]) for link in state.links)
    shape, differences = (state.layout.nv,), _differences(state, motion, external)
    pack = state.engine.pack
    vd, needed = pack(motion.vd, "vd", shape), pack(motion.torques, "torques", shape)
    return ArticulatedBodies(vd, needed, frame, bodies, differences)


def _reference(state: State[Any], at: Reference | None) -> tuple[Frame[Any], tuple[Transform[Any, Any], ...]]:
    """Return the frame meant, and the transforms to it from the frames of all bodies."""
    place = state.layout.root_frame if at is None else at
    require_kind(place, Frame, Point, operation="choice of a reference", argument="at")
    frame = place.frame if isinstance(place, Point) else place
    steps = tuple(state.relative_transform(body.default_frame, frame) for body in state.layout.bodies)
    if isinstance(place, Frame):
        return place, steps
    new: Frame[Any] = Frame(f"point in {frame.name}")
    shift = Transform.trusted(frame, new, identity3(), neg3(place.xyz_components))
    return new, tuple(shift @ step for step in steps)


def _body(state: StateView, motion: Motion, index: int, tf: Transform[Any, Any]) -> ArticulatedBody:
    rigid = motion.rigid[index]
    return ArticulatedBody(
        state.layout.bodies[index],
        passes.subspaces(state)[index - 1].transformed(tf),
        passes.body_twists(state)[index].transformed(tf),
        rigid.drift.transformed(tf),
        rigid.bias.transformed(tf),
        rigid.weight.transformed(tf),
        motion.inertias[index].transformed(tf),
        motion.biases[index].transformed(tf),
        motion.accelerations[index].transformed(tf),
        motion.wrenches[index].transformed(tf),
    )


def _differences(state: StateView, motion: Motion, external: BodyWrenches | None) -> tuple[Scalar, ...]:
    """Return the entries by which the forces on bodies and the torques of joints do not balance, in body frames."""
    rests = less_external([_load(state, motion, i) for i in range(len(motion.rigid))], external)
    for link, tf in zip(state.links, passes.to_parent(state), strict=True):
        rests[link.index] = rests[link.index] - motion.wrenches[link.index]
        rests[link.parent] = rests[link.parent] + motion.wrenches[link.index].transformed(tf)
    entries = [x for rest in rests[1:] for x in (*rest.angular_components, *rest.linear_components)]
    passive = passive_torques_kernel(state)
    for link, subspace in zip(state.links, passes.subspaces(state), strict=True):
        armature, at = state.joint_parameter(link.joint, "armature"), link.v
        torques = subspace.torque_components(motion.wrenches[link.index])
        rows = zip(torques, armature, motion.vd[at], passive[at], motion.torques[at], strict=True)
        entries += [torque + rotor * rate - own - given for torque, rotor, rate, own, given in rows]
    return tuple(entries)


def _load(state: StateView, motion: Motion, index: int) -> Wrench[Any]:
    """Return what a body's motion takes less its weight."""
    inertia, rigid = ArticulatedInertia.of_rigid_body(passes.body_inertias(state)[index]), motion.rigid[index]
    return inertia @ motion.accelerations[index] + rigid.bias - rigid.weight


def articulated_mobility(
    state: State[Any], body: RigidBody, *, at: Reference | None = None
) -> ArticulatedMobility[Any]:
    """Return how `body`, with all joints free, answers wrenches: its acceleration changes by the mobility times one.

    That is J M^-1 J^T with J the Jacobian of the body, singular where the body cannot move in every way. `at` as in
    `articulated_bodies`. Raises UnknownNameError, TopologyError for mechanisms with loop joints, and SingularError,
    naming the joint, when M cannot be inverted.

    >>> import numpy as np, rbd
    >>> mechanism = rbd.robots.double_pendulum()
    >>> state, hand = rbd.MechanismState(mechanism, [0.5, 0.2]), mechanism.bodies[-1]
    >>> push = rbd.Wrench(mechanism.root_frame, [0, 0.3, 0], [1, 0, 0])
    >>> change = rbd.articulated_mobility(state, hand) @ push
    >>> before, after = (rbd.articulated_bodies(state, [0, 0], w).body(hand).acceleration for w in ({}, {hand: push}))
    >>> bool(np.allclose(after.vector - before.vector, change.vector))
    True
    """
    require_tree(state, "articulated_mobility")
    index = state.layout.body_index(body)
    frame, steps = _reference(state, at)
    rows: list[list[Scalar]] = [[0] * state.layout.nv for _ in range(6)]
    for link in (state.links[i - 1] for i in state.layout.ancestors(index)):
        columns = passes.subspaces(state)[link.index - 1].transformed(steps[link.index]).columns
        for k, (angular, linear) in enumerate(columns, start=link.v.start):
            for i, x in enumerate(angular + linear):
                rows[i][k] = x
    factor = factored(state, mass_matrix_kernel(state))
    answers = [factor.solve(row) for row in rows]
    upper = [[dot(tuple(rows[i]), answers[j]) for j in range(6)] for i in range(6)]
    matrix = tuple(tuple(upper[min(i, j)][max(i, j)] for j in range(6)) for i in range(6))
    return ArticulatedMobility(body.default_frame, state.layout.root_frame, frame, matrix)
