"""Kinematic queries of states, with framed results.

Results are expressed in the root frame unless a frame is given. A query looks in its table for a builtin, by the names
or identities of its arguments. If there is none, or it returns NotImplemented, the query computes its result from
passes and requests one from the engine (`Engine.request_builtin`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from itertools import chain
from math import isfinite
from typing import Any, Final, Generic, NoReturn, TypeVar, overload

from numpy.typing import ArrayLike, NDArray

from rbd.arguments import require_kind
from rbd.errors import ArgumentError
from rbd.indexing.joint_values import JointValues
from rbd.indexing.layout import FrameLike, TreeNode
from rbd.kernels.body_fixed_frames import BodyFixedFrame, body_fixed_frame
from rbd.kernels.cached_pass import Pass
from rbd.kernels.query_builtins import QueryTable, no_builtin
from rbd.kernels.state_view import StateView
from rbd.kinematics import conversions, passes
from rbd.mechanism import Joint, Mechanism, RigidBody
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
    same_frame,
)
from rbd.spatial.frame import B, C, F
from rbd.spatial.mobility import ArticulatedMobility
from rbd.spatial.recursions.articulated import ArticulatedInertia
from rbd.spatial.values import SpatialValue, parts_of

_FRAMED: Final = (
    Point,
    FreeVector,
    Twist,
    SpatialAcceleration,
    Wrench,
    Momentum,
    SpatialInertia,
    ArticulatedInertia,
    ArticulatedMobility,
    GeometricJacobian,
    PointJacobian,
    MomentumMatrix,
    WrenchMatrix,
)
"""Types of the values that `State.transform` takes."""

ArrayT = TypeVar("ArrayT", bound=NDArray[Any])
"""Type of the arrays that queries and algorithms return for a state."""
Value = TypeVar("Value", bound=SpatialValue)
Motion = TypeVar("Motion", Twist[Any, Any, Any], SpatialAcceleration[Any, Any, Any])


def read_only_setter(name: str, instead: str) -> Callable[[object, object], NoReturn]:
    """Return the setter of a read-only property of states: it raises ArgumentError, which says what to write."""

    def refuse(_: object, value: object) -> NoReturn:
        """Raise ArgumentError."""
        raise ArgumentError(f"state.{name} is read-only; write {instead}", argument=name, value=value)

    return refuse


class State(StateView, Generic[ArrayT]):
    """A mechanism with coordinates. `ArrayT` is the type of arrays in results.

    Live states (`MechanismState`) return float64 arrays; scalar states (`ScalarState`) return arrays of their scalars.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        """Set the mechanism; there are no builtins of queries yet, and never any of scalar states."""
        super().__init__(mechanism)
        self._poses: QueryTable = {}
        self._transforms: QueryTable = {}
        self._twists: QueryTable = {}
        self._accelerations: QueryTable = {}

    @property
    @abstractmethod
    def q(self) -> ArrayT:
        """The configuration, one entry per position coordinate."""

    @property
    @abstractmethod
    def v(self) -> ArrayT:
        """The velocity, one entry per degree of freedom."""

    def checked(self, value: Value, name: str) -> Value:
        """Return a result; raise NotFiniteError, naming it, when a number of it is not finite (internal)."""
        parts = parts_of(value)
        try:
            if all(map(isfinite, chain.from_iterable(parts))):  # type: ignore[arg-type]  # most scalars are floats
                return value
        except (TypeError, ValueError, ArithmeticError):  # other scalars
            pass
        self.engine.require_finite(name, *chain.from_iterable(parts))
        return value

    def checked_pass(self, value: Value, name: str) -> Value:
        """Return a value of a pass as `checked` does; live states check passes when they compute them (internal)."""
        return self.checked(value, name)

    # --- poses -------------------------------------------------------------------------------------

    def transform_to_root(self, place: FrameLike[B]) -> Transform[B, Any]:
        """Return the transform from `place`, a body, a frame fixed to one, or the name of either, to the root frame.

        A name that is a body's means its default frame. Raises FrameMismatchError when a frame, UnknownNameError when
        a body or a name is not part of the mechanism.
        """
        key = place if isinstance(place, str) else id(place)
        pose: Transform[B, Any] = self._poses.get(key, no_builtin)()
        return self._pose(place, key) if pose is NotImplemented else pose

    def _pose(self, place: FrameLike[B], key: object) -> Transform[B, Any]:
        """Compute the transform from a place to the root frame; after many calls `key` has a builtin."""
        fixed_frame = body_fixed_frame(self, place)
        pose = passes.to_root(self)[fixed_frame.index]
        self.engine.request_builtin(self._poses, key, place, lambda builtins: builtins.pose(fixed_frame))
        if fixed_frame.to_default is None:
            return self.checked_pass(pose, "transform to root")
        return self.checked(pose @ fixed_frame.to_default, "transform to root")

    def relative_transform(self, a: FrameLike[B], b: FrameLike[C]) -> Transform[B, C]:
        """Return the transform from `a` to `b`, each a body, a frame fixed to one, or the name of either.

        It is computed along the path between them, and keeps its accuracy far from the root.
        """
        return self._transform_between(a, b, "b")

    def _transform_between(self, a: FrameLike[B], b: FrameLike[C], argument: str) -> Transform[B, C]:
        """Return the transform from `a` to `b`; errors name `b` as `argument` (internal)."""
        key = a if isinstance(a, str) else id(a), b if isinstance(b, str) else id(b)
        tf: Transform[B, C] = self._transforms.get(key, no_builtin)()
        if tf is not NotImplemented:
            return tf
        start, end = body_fixed_frame(self, a, "a"), body_fixed_frame(self, b, argument)
        self.engine.request_builtin(
            self._transforms, key, (a, b), lambda builtins: builtins.relative_transform(start, end)
        )
        return self.checked(self._frame_transform(start, end), "relative transform")

    def _frame_transform(self, start: BodyFixedFrame, end: BodyFixedFrame) -> Transform[Any, Any]:
        """Return the transform from one frame to another."""
        between = self._body_transform(start.body, end.body)
        if start.to_default is not None:
            between = between @ start.to_default
        return between if end.from_default is None else end.from_default @ between

    def _body_transform(self, a: RigidBody, b: RigidBody) -> Transform[Any, Any]:
        """Return the transform from body `a` to body `b`."""
        return passes.body_transform(self, a, b)

    def joint_transform(self, joint: Joint | str) -> Transform[Any, Any]:
        """Return the transform from the joint's frame_after to its frame_before; for loop joints, along the tree."""
        loop = self.layout.loop(joint)
        if loop is not None:
            return self.relative_transform(loop.joint.frame_after, loop.joint.frame_before)
        return self.checked_pass(passes.joint_transforms(self)[self.layout.node(joint).index - 1], "joint transform")

    # --- velocities and accelerations --------------------------------------------------------------

    def twist(self, body: RigidBody | str) -> Twist[Any, Any, Any]:
        """Return the twist of `body` with respect to the root, in the root frame."""
        key = body if isinstance(body, str) else id(body)
        twist: Twist[Any, Any, Any] = self._twists.get(key, no_builtin)()
        if twist is NotImplemented:
            return self._motion(body, (self._twists, key), passes.body_twists, Twist, "twist")
        return twist

    def bias_acceleration(self, body: RigidBody | str) -> SpatialAcceleration[Any, Any, Any]:
        """Return the bias acceleration of `body` (vd is zero, without gravity), in the root frame."""
        key = body if isinstance(body, str) else id(body)
        acceleration: SpatialAcceleration[Any, Any, Any] = self._accelerations.get(key, no_builtin)()
        if acceleration is NotImplemented:
            slot, body_motions = (self._accelerations, key), passes.bias_accelerations
            return self._motion(body, slot, body_motions, SpatialAcceleration, "bias acceleration")
        return acceleration

    def _motion(
        self,
        body: RigidBody | str,
        slot: tuple[QueryTable, object],
        body_motions: Pass[tuple[Motion, ...]],
        kind: type[Motion],
        name: str,
    ) -> Motion:
        """Compute a body's motion of a pass in the root frame; after many calls `slot` has a builtin."""
        index = self.layout.body_index(body)
        self.engine.request_builtin(*slot, body, lambda builtins: builtins.motion(body_motions, kind, index))
        motion: Any = body_motions(self)[index]
        moved: Motion = self.checked(motion.transformed(passes.to_root(self)[index]), name)
        return moved

    def relative_twist(
        self, body: FrameLike[B], base: FrameLike[C], *, frame: FrameLike[F] | None = None
    ) -> Twist[B, C, F]:
        """Return the twist of `body` with respect to `base`: bodies, frames fixed to them, or the names of either.

        It is expressed in `frame`, any frame fixed to a body (the root frame when not given). The difference is
        computed in the frame of `body`: in a frame near it, the result keeps its accuracy far from the root.
        """
        places: Any = body, base, self._layout.root_frame if frame is None else frame
        key = tuple([place if isinstance(place, str) else id(place) for place in places])
        twist: Twist[B, C, F] = self._twists.get(key, no_builtin)()
        return self._relative_twist(places, key) if twist is NotImplemented else twist

    def _relative_twist(self, places: tuple[FrameLike, FrameLike, FrameLike], key: object) -> Twist[Any, Any, Any]:
        """Compute the twist of the first place with respect to the second in the third, as `_pose` does a pose."""
        moving, fixed, target = map(body_fixed_frame, (self, self, self), places, ("body", "base", "frame"))
        here = body_fixed_frame(self, moving.body)
        self.engine.request_builtin(
            self._twists, key, places, lambda builtins: builtins.relative_twist(moving, fixed, target)
        )
        twists = passes.body_twists(self)
        there = twists[fixed.index].transformed(self._frame_transform(body_fixed_frame(self, fixed.body), here))
        relative = -there.with_body(fixed.frame) + twists[moving.index].with_body(moving.frame)
        return self.checked(relative.transformed(self._frame_transform(here, target)), "relative twist")

    # --- inertia and joints ------------------------------------------------------------------------

    def composite_inertia(self, body: RigidBody | str) -> SpatialInertia[Any]:
        """Return the composite inertia of `body`: that of its subtree as a rigid body, in the root frame."""
        index = self.layout.body_index(body)
        inertia = passes.composite_inertias(self)[index].transformed(passes.to_root(self)[index])
        return self.checked(inertia, "composite inertia")

    def motion_subspace(self, joint: Joint | str) -> GeometricJacobian[Any, Any, Any]:
        """Return the motion subspace of tree joint `joint`, one column per velocity, in the root frame."""
        node = self.layout.node(joint)
        subspace = passes.subspaces(self)[node.index - 1].transformed(passes.to_root(self)[node.index])
        return self.checked(subspace, "motion subspace")

    def constraint_wrench_subspace(self, joint: Joint | str) -> WrenchMatrix[Any]:
        """Return a basis of the constraint wrenches of `joint`, in the root frame."""
        pose, loop = self.joint_transform(joint), self.layout.loop(joint)
        node = self.layout.node(joint) if loop is None else loop
        joint = node.joint
        q = self.joint_q(node) if isinstance(node, TreeNode) else joint.type.project(pose)
        subspace = joint.type.constraint_wrench_subspace(q, joint.frame_after)
        wrenches = subspace.transformed(self.transform_to_root(joint.frame_after))
        return self.checked(wrenches, "constraint wrench subspace")

    # --- change of frame ---------------------------------------------------------------------------

    @overload
    def transform(self, value: Point[Any], frame: FrameLike[F]) -> Point[F]: ...
    @overload
    def transform(self, value: FreeVector[Any], frame: FrameLike[F]) -> FreeVector[F]: ...
    @overload
    def transform(self, value: Twist[B, C, Any], frame: FrameLike[F]) -> Twist[B, C, F]: ...
    @overload
    def transform(self, value: SpatialAcceleration[B, C, Any], frame: FrameLike[F]) -> SpatialAcceleration[B, C, F]: ...
    @overload
    def transform(self, value: Wrench[Any], frame: FrameLike[F]) -> Wrench[F]: ...
    @overload
    def transform(self, value: Momentum[Any], frame: FrameLike[F]) -> Momentum[F]: ...
    @overload
    def transform(self, value: SpatialInertia[Any], frame: FrameLike[F]) -> SpatialInertia[F]: ...
    @overload
    def transform(self, value: ArticulatedInertia[Any], frame: FrameLike[F]) -> ArticulatedInertia[F]: ...
    @overload
    def transform(self, value: ArticulatedMobility[Any], frame: FrameLike[F]) -> ArticulatedMobility[F]: ...
    @overload
    def transform(self, value: GeometricJacobian[B, C, Any], frame: FrameLike[F]) -> GeometricJacobian[B, C, F]: ...
    @overload
    def transform(self, value: PointJacobian[Any], frame: FrameLike[F]) -> PointJacobian[F]: ...
    @overload
    def transform(self, value: MomentumMatrix[Any], frame: FrameLike[F]) -> MomentumMatrix[F]: ...
    @overload
    def transform(self, value: WrenchMatrix[Any], frame: FrameLike[F]) -> WrenchMatrix[F]: ...
    def transform(self, value: Any, frame: FrameLike) -> Any:
        """Return `value` expressed in `frame`, any frame fixed to a body of the mechanism, or its name.

        For spatial accelerations this includes the terms of the relative motion of the two frames.
        """
        if type(value) not in _FRAMED:
            require_kind(value, *_FRAMED, operation="State.transform", argument="value")
        if isinstance(frame, Frame) and same_frame(value.frame, frame):
            transformed = value
        else:
            tf = self._transform_between(value.frame, frame, "frame")
            is_acceleration = type(value) is SpatialAcceleration
            transformed = self._transform_acceleration(value, tf) if is_acceleration else value.transformed(tf)
        return self.checked(transformed, f"{type(value).__name__} in the other frame")

    def _transform_acceleration(
        self, value: SpatialAcceleration[Any, Any, Any], tf: Transform[Any, Any]
    ) -> SpatialAcceleration[Any, Any, Any]:
        """Return an acceleration in the target frame of `tf`, with the terms of the relative motion of the frames."""
        current_wrt_new = self.relative_twist(value.frame, tf.to_frame, frame=value.frame)
        body_wrt_base = self.relative_twist(value.body, value.base, frame=value.frame)
        return value.transformed(tf, current_wrt_new, body_wrt_base)

    # --- coordinates -------------------------------------------------------------------------------

    def configuration(self, joint: Joint | str) -> ArrayT:
        """Return a copy of the configuration of tree joint `joint`."""
        node = self.layout.node(joint)
        array: ArrayT = self.engine.pack(self.joint_q(node), "configuration", (node.joint.nq,))
        return array

    def velocity(self, joint: Joint | str) -> ArrayT:
        """Return a copy of the velocity of tree joint `joint`."""
        node = self.layout.node(joint)
        array: ArrayT = self.engine.pack(self.joint_v(node), "velocity", (node.joint.nv,))
        return array

    def configuration_derivative(self, *, out: ArrayT | None = None) -> ArrayT:
        """Return dq/dt for the state's velocity."""
        array: ArrayT = self.engine.pack(self.configuration_derivative_scalars(), "qd", (self.layout.nq,), out)
        return array

    def velocity_to_configuration_derivative(self, v: Sequence[Scalar] | NDArray[Any]) -> ArrayT:
        """Return dq/dt at the state's configuration for any velocity `v`."""
        qd = conversions.configuration_derivative(self, self.vector(v, self.layout.nv, "v"))
        array: ArrayT = self.engine.pack(qd, "qd", (self.layout.nq,))
        return array

    def configuration_derivative_to_velocity(self, qd: Sequence[Scalar] | NDArray[Any]) -> ArrayT:
        """Return v for a derivative `qd` of the configuration; for a `qd` off the manifold, that of the pose."""
        velocity = conversions.velocity_from_configuration_derivative(self, self.vector(qd, self.layout.nq, "qd"))
        array: ArrayT = self.engine.pack(velocity, "v", (self.layout.nv,))
        return array

    def velocity_to_configuration_derivative_adjoint(self, force: Sequence[Scalar] | NDArray[Any]) -> ArrayT:
        """Return the force on v with the power of `force` on dq/dt, which converts gradients by q to those along v."""
        v_force = conversions.force_on_velocity(self, self.vector(force, self.layout.nq, "force"))
        array: ArrayT = self.engine.pack(v_force, "force", (self.layout.nv,))
        return array

    def configuration_derivative_to_velocity_adjoint(self, force: Sequence[Scalar] | NDArray[Any]) -> ArrayT:
        """Return the force on dq/dt with the power of `force`, such as torques, on v."""
        qd_force = conversions.force_on_configuration_derivative(self, self.vector(force, self.layout.nv, "force"))
        array: ArrayT = self.engine.pack(qd_force, "force", (self.layout.nq,))
        return array

    def by_joint(self, values: ArrayLike) -> JointValues:
        """Return an array of q, v, vd or torques, indexed by joints: `state.by_joint(tau)["elbow"]` is a view.

        Raises ShapeError unless the last axis of `values` has one entry per coordinate or one per velocity.
        """
        return JointValues(self.layout, values)

    def configuration_derivative_scalars(self) -> Vector:
        """Return dq/dt as scalars."""
        return passes.configuration_derivative(self)

    def local_coordinates(self, q0: Sequence[Scalar] | NDArray[Any]) -> tuple[ArrayT, ArrayT]:
        """Return (phi, dphi/dt): the local coordinates of the configuration around `q0`, and their rate.

        Raises RotationError for a `q0` whose quaternion is zero.
        """
        self.engine.check()
        start = self.vector(q0, self.layout.nq, "q0")
        conversions.require_rotations(self, start)
        phi: list[Scalar] = []
        rate: list[Scalar] = []
        for node in self.nodes:
            q, joint_type = self.joint_q(node), node.joint.type
            phi.extend(joint_type.local_coordinates(start[node.q_slice], q))
            rate.extend(joint_type.local_coordinates_rate(start[node.q_slice], q, self.joint_v(node)))
        shape = (self.layout.nv,)
        return self.engine.pack(phi, "phi", shape), self.engine.pack(rate, "phidot", shape)
