"""The kinematic questions every state answers with framed values.

Unless a frame is named, answers are in the root frame.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeAlias, TypeVar, overload

from numpy.typing import NDArray

from rbd.mechanism import Joint, RigidBody
from rbd.scalars import Scalar, Vector
from rbd.spatial import (
    Frame,
    FreeVector,
    GeometricJacobian,
    Momentum,
    MomentumMatrix,
    Point,
    PointJacobian,
    SpatialAcceleration,
    SpatialInertia,
    Transform,
    Twist,
    Wrench,
    WrenchMatrix,
)
from rbd.spatial.frame import B, C, F
from rbd.state import passes
from rbd.state.base import StateView
from rbd.state.frames import body_and_frame, express

ArrayOf: TypeAlias = NDArray[Any]
"""Any array an algorithm may return."""
A = TypeVar("A", bound=ArrayOf)
Motion = TypeVar("Motion", Twist, SpatialAcceleration)
Place: TypeAlias = "RigidBody | Frame[Any]"
"""A body (its default frame is meant) or a frame attached to a body."""


class State(StateView, Generic[A]):
    """A mechanism with coordinates. `A` is the kind of array its results come in.

    Live states (`MechanismState`) give float64 arrays; scalar states (`ScalarState`) give arrays of their scalars.
    """

    @property
    @abstractmethod
    def q(self) -> A:
        """The configuration, one entry per position coordinate."""

    @property
    @abstractmethod
    def v(self) -> A:
        """The velocity, one entry per degree of freedom."""

    def _checked(self, value: Motion, name: str) -> Motion:
        self.engine.require_finite(name, *value.angular_components, *value.linear_components)
        return value

    # --- poses -------------------------------------------------------------------------------------

    def transform_to_root(self, place: Place) -> Transform[Any, Any]:
        """Return the transform from `place`, a body or a frame attached to one, to the root frame.

        Raises FrameMismatchError when a frame, UnknownNameError when a body is not part of the mechanism.
        """
        body, frame = body_and_frame(self, place)
        pose = passes.to_root(self)[self.layout.body_index(body)]
        if frame is body.default_frame:
            return pose
        return pose @ self.lifted_transform(body.fixed_transform(frame, body.default_frame))

    @overload
    def relative_transform(self, a: Frame[B], b: Frame[C]) -> Transform[B, C]: ...
    @overload
    def relative_transform(self, a: Place, b: Place) -> Transform[Any, Any]: ...
    def relative_transform(self, a: Place, b: Place) -> Transform[Any, Any]:
        """Return the transform from `a` to `b`, each a body or a frame attached to one.

        It is found along the path between them, so that it does not lose accuracy far from the root.
        """
        body_a, frame_a = body_and_frame(self, a)
        body_b, frame_b = body_and_frame(self, b)
        between = passes.between(self, body_a, body_b)
        if frame_a is not body_a.default_frame:
            between = between @ self.lifted_transform(body_a.fixed_transform(frame_a, body_a.default_frame))
        if frame_b is not body_b.default_frame:
            between = self.lifted_transform(body_b.fixed_transform(body_b.default_frame, frame_b)) @ between
        return between

    def joint_transform(self, joint: Joint) -> Transform[Any, Any]:
        """Return the transform from the joint's frame_after to its frame_before; of loop joints as the tree has it."""
        if self.layout.loop(joint) is not None:
            return self.relative_transform(joint.frame_after, joint.frame_before)
        return passes.joint_transforms(self)[self.layout.link(joint).index - 1]

    # --- velocities and accelerations --------------------------------------------------------------

    def twist(self, body: RigidBody) -> Twist[Any, Any, Any]:
        """Return the twist of `body` with respect to the root, in the root frame."""
        index = self.layout.body_index(body)
        return self._checked(passes.body_twists(self)[index].transformed(passes.to_root(self)[index]), "twist")

    def relative_twist(self, body: Place, base: Place, *, frame: Frame[Any] | None = None) -> Twist[Any, Any, Any]:
        """Return the twist of `body` with respect to `base` (bodies or attached frames).

        It is expressed in `frame`, any frame attached to a body (the root frame when not given). The difference is
        taken in the frame of `body`: asked for in a frame near it, it does not lose accuracy far from the root.
        """
        moving, body_frame = body_and_frame(self, body)
        fixed, base_frame = body_and_frame(self, base)
        twists, layout = passes.body_twists(self), self.layout
        here = twists[layout.body_index(moving)].with_body(body_frame)
        there = twists[layout.body_index(fixed)].transformed(self.relative_transform(fixed, moving))
        wanted = layout.root_frame if frame is None else frame
        relative = -there.with_body(base_frame) + here
        return self._checked(relative.transformed(self.relative_transform(moving, wanted)), "relative twist")

    def bias_acceleration(self, body: RigidBody) -> SpatialAcceleration[Any, Any, Any]:
        """Return the spatial acceleration of `body` when vd is zero, without gravity, in the root frame."""
        index = self.layout.body_index(body)
        acceleration = passes.bias_accelerations(self)[index].transformed(passes.to_root(self)[index])
        return self._checked(acceleration, "bias acceleration")

    # --- inertia and joints ------------------------------------------------------------------------

    def composite_inertia(self, body: RigidBody) -> SpatialInertia[Any]:
        """Return the inertia of `body` and everything it carries, as if rigid, in the root frame."""
        index = self.layout.body_index(body)
        return passes.composite_inertias(self)[index].transformed(passes.to_root(self)[index])

    def motion_subspace(self, joint: Joint) -> GeometricJacobian[Any, Any, Any]:
        """Return the motion subspace of tree joint `joint`, one column per velocity, in the root frame."""
        link = self.layout.link(joint)
        return passes.subspaces(self)[link.index - 1].transformed(passes.to_root(self)[link.index])

    def constraint_wrench_subspace(self, joint: Joint) -> WrenchMatrix[Any]:
        """Return a basis of the wrenches `joint` can bear, in the root frame."""
        pose = self.joint_transform(joint)
        q = joint.type.project(pose) if self.layout.loop(joint) else self.joint_q(self.layout.link(joint))
        subspace = joint.type.constraint_wrench_subspace(q, joint.frame_after)
        return subspace.transformed(self.transform_to_root(joint.frame_after))

    # --- expressing values elsewhere ---------------------------------------------------------------

    @overload
    def transform(self, value: Point[Any], frame: Frame[F]) -> Point[F]: ...
    @overload
    def transform(self, value: FreeVector[Any], frame: Frame[F]) -> FreeVector[F]: ...
    @overload
    def transform(self, value: Twist[B, C, Any], frame: Frame[F]) -> Twist[B, C, F]: ...
    @overload
    def transform(self, value: SpatialAcceleration[B, C, Any], frame: Frame[F]) -> SpatialAcceleration[B, C, F]: ...
    @overload
    def transform(self, value: Wrench[Any], frame: Frame[F]) -> Wrench[F]: ...
    @overload
    def transform(self, value: Momentum[Any], frame: Frame[F]) -> Momentum[F]: ...
    @overload
    def transform(self, value: SpatialInertia[Any], frame: Frame[F]) -> SpatialInertia[F]: ...
    @overload
    def transform(self, value: GeometricJacobian[B, C, Any], frame: Frame[F]) -> GeometricJacobian[B, C, F]: ...
    @overload
    def transform(self, value: PointJacobian[Any], frame: Frame[F]) -> PointJacobian[F]: ...
    @overload
    def transform(self, value: MomentumMatrix[Any], frame: Frame[F]) -> MomentumMatrix[F]: ...
    @overload
    def transform(self, value: WrenchMatrix[Any], frame: Frame[F]) -> WrenchMatrix[F]: ...
    def transform(self, value: Any, frame: Frame[Any]) -> Any:
        """Return `value` expressed in `frame`, any frame attached to a body of the mechanism.

        Spatial accelerations get the terms that the motion of the two frames demands.
        """
        return express(self, value, frame)

    # --- coordinates -------------------------------------------------------------------------------

    def configuration(self, joint: Joint) -> A:
        """Return a copy of the configuration of tree joint `joint`."""
        link = self.layout.link(joint)
        array: A = self.engine.pack(self.joint_q(link), "configuration", (joint.nq,))
        return array

    def velocity(self, joint: Joint) -> A:
        """Return a copy of the velocity of tree joint `joint`."""
        link = self.layout.link(joint)
        array: A = self.engine.pack(self.joint_v(link), "velocity", (joint.nv,))
        return array

    def configuration_derivative(self, *, out: A | None = None) -> A:
        """Return dq/dt for the state's velocity."""
        array: A = self.engine.pack(self.configuration_derivative_scalars(), "qd", (self.layout.nq,), out)
        return array

    def configuration_derivative_scalars(self) -> Vector:
        """Return dq/dt as scalars."""
        return passes.configuration_rates(self)

    def local_coordinates(self, q0: Sequence[Scalar] | NDArray[Any]) -> tuple[A, A]:
        """Return (phi, dphi/dt): the configuration as seen from `q0`, in each joint's exponential coordinates."""
        self.engine.check()
        start = self.vector(q0, self.layout.nq, "q0")
        phi: list[Scalar] = []
        rate: list[Scalar] = []
        for link in self.links:
            q, kind = self.joint_q(link), link.joint.type
            phi += kind.local_coordinates(start[link.q], q)
            rate += kind.local_coordinates_rate(start[link.q], q, self.joint_v(link))
        shape = (self.layout.nv,)
        return self.engine.pack(phi, "phi", shape), self.engine.pack(rate, "phidot", shape)
