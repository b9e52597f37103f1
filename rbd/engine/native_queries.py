"""Builtins of framed queries of live states: poses of frames, twists of bodies, transforms between frames.

The passes fill buffers; from their numbers machine code computes what was asked for, with the operations of the
readable source in their order, and makes the framed value. The results have the bits of the source on floats.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias, final

import attrs

from rbd.engine.bound_builtin import Builtin
from rbd.engine.live_buffers import LiveBuffers
from rbd.engine.pass_values import PassValues
from rbd.engine.value_plans import Numbers, PlanBuilder, framed_offsets
from rbd.indexing.layout import Layout
from rbd.kernels.body_fixed_frames import BodyFixedFrame
from rbd.kernels.cached_pass import Pass
from rbd.kernels.query_builtins import no_builtin
from rbd.kinematics import passes
from rbd.mechanism import Mechanism
from rbd.mechanism.members import PARAMETERS
from rbd.pytrees.flattening import FlatteningError
from rbd.recorder.kernel_cache import KernelCache
from rbd.recorder.recorded_kernel import RecordedKernel
from rbd.spatial import Frame, SpatialAcceleration, Transform, Twist

MotionVector: TypeAlias = Twist[Any, Any, Any] | SpatialAcceleration[Any, Any, Any]
_FRAME: Final = Frame[Any]("symbolic")


class _NoCodeYetError(Exception):
    """There is no machine code of a pass yet."""


@final
@attrs.frozen(eq=False)
class _PlannedTransform:
    """A transform that the builtin of a plan computes."""

    builder: PlanBuilder
    numbers: Numbers

    def __matmul__(self, other: _PlannedTransform) -> _PlannedTransform:
        return _PlannedTransform(self.builder, self.builder.call("compose", self.numbers, other.numbers))

    def inverse(self) -> _PlannedTransform:
        """Return the inverse."""
        return _PlannedTransform(self.builder, self.builder.call("invert", self.numbers, self.numbers))

    def moved(self, motion: Numbers) -> Numbers:
        """Return a motion in the frame to which this transform leads."""
        return self.builder.call("move", self.numbers, motion)


@final
class NativeQueries:
    """Builtins of the framed queries of one state, made when they are asked for."""

    def __init__(self, mechanism: Mechanism, layout: Layout, buffers: LiveBuffers, kernels: KernelCache) -> None:
        """Start without passes."""
        self._mechanism, self._layout, self._buffers, self._kernels = mechanism, layout, buffers, kernels
        self._passes: dict[Pass[Any], PassValues] = {}

    def pose(self, fixed_frame: BodyFixedFrame) -> Builtin | None:
        """Return a builtin of the transform from a body-fixed frame to the root frame."""

        def plan(builder: PlanBuilder) -> None:
            pose = self._from_frame(self._pass_transform(builder, passes.to_root, fixed_frame.index), fixed_frame)
            in_pass, root = fixed_frame.to_default is None, self._layout.root_frame
            builder.make_instance(Transform, pose.numbers, fixed_frame.frame, root, 9, 3, is_checked=in_pass)

        return self._planned(plan)

    def motion(self, body_motions: Pass[Any], kind: type[MotionVector], index: int) -> Builtin | None:
        """Return a builtin of a body's twist or acceleration, which are in its frame in a pass, in the root frame."""
        body, root = self._layout.bodies[index].default_frame, self._layout.root_frame

        def plan(builder: PlanBuilder) -> None:
            pose = self._pass_transform(builder, passes.to_root, index)
            builder.make_instance(kind, pose.moved(self._gather(builder, body_motions, index)), 3, 3, body, root, root)

        return self._planned(plan)

    def relative_transform(self, start: BodyFixedFrame, end: BodyFixedFrame) -> Builtin | None:
        """Return a builtin of the transform between two body-fixed frames."""

        def plan(builder: PlanBuilder) -> None:
            tf = self._frame_transform(builder, start, end)
            builder.make_instance(Transform, tf.numbers, start.frame, end.frame, 9, 3)

        return self._planned(plan)

    def relative_twist(self, moving: BodyFixedFrame, fixed: BodyFixedFrame, target: BodyFixedFrame) -> Builtin | None:
        """Return a builtin of the twist of a body-fixed frame with respect to another, in a third."""
        moving_default = attrs.evolve(moving, to_default=None)

        def plan(builder: PlanBuilder) -> None:
            to_moving = self._body_transform(builder, fixed.index, moving.index)
            fixed_twist = to_moving.moved(self._gather(builder, passes.body_twists, fixed.index))
            moving_twist = self._gather(builder, passes.body_twists, moving.index)
            relative = builder.call("subtract", moving_twist, fixed_twist)
            moved = self._frame_transform(builder, moving_default, target).moved(relative)
            builder.make_instance(Twist, moved, 3, 3, moving.frame, fixed.frame, target.frame)

        return self._planned(plan)

    def _from_frame(self, tf: _PlannedTransform, fixed_frame: BodyFixedFrame) -> _PlannedTransform:
        """Return a transform of a body as one of a frame fixed to it."""
        return tf if fixed_frame.to_default is None else tf @ _constant(tf.builder, fixed_frame.to_default)

    def _frame_transform(self, builder: PlanBuilder, start: BodyFixedFrame, end: BodyFixedFrame) -> _PlannedTransform:
        """Return the transform from one body-fixed frame to another."""
        between = self._from_frame(self._body_transform(builder, start.index, end.index), start)
        return between if end.from_default is None else _constant(builder, end.from_default) @ between

    def _body_transform(self, builder: PlanBuilder, i: int, j: int) -> _PlannedTransform:
        """Return the transform from body i to body j, as `MechanismState` does."""
        if not (i and j):
            pose = self._pass_transform(builder, passes.to_root, i or j)
            return pose.inverse() if j else pose
        to_parent = partial(self._pass_transform, builder, passes.to_parent)
        identity = partial(_constant, builder, Transform.identity(_FRAME, _FRAME))
        transform: _PlannedTransform = passes.path_transform(self._layout, i, j, to_parent, identity)
        return transform

    def _pass_transform(self, builder: PlanBuilder, transforms: Pass[Any], index: int) -> _PlannedTransform:
        return _PlannedTransform(builder, self._gather(builder, transforms, index))

    def _gather(self, builder: PlanBuilder, source: Pass[Any], index: int) -> Numbers:
        """Return the numbers of a value of a pass, as `_recorded_pass` does."""
        version, pass_values = self._buffers.versions[PARAMETERS], self._passes.get(source)
        if pass_values is None or pass_values.version != version:
            pass_values = self._passes[source] = self._recorded_pass(source, version)
        return builder.gather(pass_values, index)

    def _recorded_pass(self, source: Pass[Any], version: int) -> PassValues:
        """Return the buffer of a pass.

        Raises _NoCodeYetError, and FlatteningError if there will be no machine code for these parameters. A state at
        rest keeps the result of a pass, so that the pass is not run again: its queries count instead.
        """
        from rbd.native.builtins.value_builtin import PassBuffer

        recorded, _ = self._kernels.get_or_record(self._mechanism, source.kernel, ())
        if not isinstance(recorded, RecordedKernel) or len(framed_offsets()) != 3:
            raise FlatteningError(f"{source.kernel.name} has no program, or values have no slots")
        code = recorded.executable.code_for_query()
        if code is None:
            raise _NoCodeYetError
        buffer = PassBuffer(
            code, recorded.inputs(self._buffers.q, self._buffers.v), needs_v=source.dependencies == "qv"
        )
        return PassValues.of(version, buffer, recorded.form.template)

    def _planned(self, plan: Callable[[PlanBuilder], None]) -> Builtin | None:
        """Return the builtin of a plan; None while a pass has no machine code, `no_builtin` if it will have none."""
        builder = PlanBuilder()
        try:
            plan(builder)
        except _NoCodeYetError:
            return None
        except FlatteningError:
            return no_builtin
        return builder.builtin(self._buffers) or no_builtin


def _constant(builder: PlanBuilder, tf: Transform[Any, Any]) -> _PlannedTransform:
    return _PlannedTransform(builder, builder.constant(tf))
