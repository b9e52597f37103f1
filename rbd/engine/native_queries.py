"""Builtins of framed queries of live states: poses of frames, twists of bodies, transforms between frames.

The passes fill buffers; from their numbers machine code computes what was asked for, with the operations of the
readable source in their order, and makes the framed value. The results have the bits of the source on floats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, final

import attrs

from rbd.engine.live_buffers import LiveBuffers
from rbd.engine.pass_values import PassValues
from rbd.engine.value_plans import Numbers, PlanBuilder, framed_offsets
from rbd.indexing.layout import Layout
from rbd.kernels.cached_pass import pass_kernel_of
from rbd.kernels.kernel import Kernel
from rbd.kernels.query_builtins import BodyFixedFrame, unanswered
from rbd.kinematics import passes
from rbd.mechanism import Mechanism
from rbd.pytrees.flattening import UnsuitableError
from rbd.recorder.kernel_cache import KernelCache
from rbd.recorder.recorded_kernel import RecordedKernel
from rbd.spatial import Frame, SpatialAcceleration, Transform, Twist

Builtin = Callable[[], Any]
MotionVector: TypeAlias = Twist[Any, Any, Any] | SpatialAcceleration[Any, Any, Any]
_FRAME: Final = Frame[Any]("symbolic")


class _NoCodeYetError(Exception):
    """There is no machine code of a pass yet."""


def _fixed_frame_pose(builder: PlanBuilder, pose: Numbers, fixed_frame: BodyFixedFrame) -> Numbers:
    """Return the pose of a frame from that of its body."""
    return (
        pose
        if fixed_frame.to_default is None
        else builder.call("compose", pose, builder.constant(fixed_frame.to_default))
    )


@final
class NativeQueries:
    """Maker of the builtins of one state."""

    def __init__(self, mechanism: Mechanism, layout: Layout, buffers: LiveBuffers, kernels: KernelCache) -> None:
        """Start without passes."""
        self._mechanism, self._layout, self._buffers, self._kernels = mechanism, layout, buffers, kernels
        self._passes: dict[object, PassValues] = {}

    def pose(self, fixed_frame: BodyFixedFrame) -> Builtin | None:
        """Return a builtin of the transform from a body-fixed frame to the root frame."""

        def plan(builder: PlanBuilder) -> None:
            pose, in_pass = self._gather(builder, passes.to_root, fixed_frame.index), fixed_frame.to_default is None
            pose = _fixed_frame_pose(builder, pose, fixed_frame)
            builder.instance(Transform, pose, fixed_frame.frame, self._layout.root_frame, 9, 3, is_checked=in_pass)

        return self._planned(plan)

    def motion(self, look_up: Callable[..., Any], kind: type[MotionVector], index: int) -> Builtin | None:
        """Return a builtin of a body's twist or acceleration, which are in its frame in a pass, in the root frame."""
        body, root = self._layout.bodies[index].default_frame, self._layout.root_frame

        def plan(builder: PlanBuilder) -> None:
            pose = self._gather(builder, passes.to_root, index)
            moved = builder.call("move", pose, self._gather(builder, look_up, index))
            builder.instance(kind, moved, 3, 3, body, root, root)

        return self._planned(plan)

    def relative_transform(self, start: BodyFixedFrame, end: BodyFixedFrame) -> Builtin | None:
        """Return a builtin of the transform between two body-fixed frames."""

        def plan(builder: PlanBuilder) -> None:
            builder.instance(Transform, self._frame_transform(builder, start, end), start.frame, end.frame, 9, 3)

        return self._planned(plan)

    def relative_twist(self, moving: BodyFixedFrame, fixed: BodyFixedFrame, target: BodyFixedFrame) -> Builtin | None:
        """Return a builtin of the twist of a body-fixed frame with respect to another, in a third."""
        here = attrs.evolve(moving, to_default=None)

        def plan(builder: PlanBuilder) -> None:
            there = self._body_transform(builder, fixed.index, moving.index)
            there = builder.call("move", there, self._gather(builder, passes.body_twists, fixed.index))
            twist = self._gather(builder, passes.body_twists, moving.index)
            relative = builder.call("subtract", there, twist)
            moved = builder.call("move", self._frame_transform(builder, here, target), relative)
            builder.instance(Twist, moved, 3, 3, moving.frame, fixed.frame, target.frame)

        return self._planned(plan)

    def _frame_transform(self, builder: PlanBuilder, start: BodyFixedFrame, end: BodyFixedFrame) -> Numbers:
        """Return the transform from one body-fixed frame to another."""
        between = _fixed_frame_pose(builder, self._body_transform(builder, start.index, end.index), start)
        if end.from_default is None:
            return between
        return builder.call("compose", builder.constant(end.from_default), between)

    def _body_transform(self, builder: PlanBuilder, i: int, j: int) -> Numbers:
        """Return the transform from body i to body j, by the steps of `passes.body_transform`."""
        if not j:
            return self._gather(builder, passes.to_root, i)
        if not i:
            pose = self._gather(builder, passes.to_root, j)
            return builder.call("invert", pose, pose)
        nodes = self._layout.nodes
        up: Numbers | None = None
        down: Numbers | None = None
        while i != j:
            step = self._gather(builder, passes.to_parent, max(i, j) - 1)
            if i > j:
                up, i = step if up is None else builder.call("compose", step, up), nodes[i - 1].parent
            else:
                down, j = step if down is None else builder.call("compose", step, down), nodes[j - 1].parent
        if up is None:
            up = builder.constant(Transform.identity(_FRAME, _FRAME))
        return up if down is None else builder.call("compose", builder.call("invert", down, down), up)

    def _gather(self, builder: PlanBuilder, look_up: Callable[..., Any], index: int) -> Numbers:
        """Return the numbers of a value of a pass, as `_recorded_pass` does."""
        kernel, depends = pass_kernel_of(look_up)
        version, kept = self._buffers.versions[1], self._passes.get(kernel)
        if kept is None or kept.version != version:
            kept = self._passes[kernel] = self._recorded_pass(kernel, version, needs_v=depends == "qv")
        return builder.gather(kept, index)

    def _recorded_pass(self, kernel: Kernel[[], Any], version: int, *, needs_v: bool) -> PassValues:
        """Return the buffer of a pass.

        Raises _NoCodeYetError, and UnsuitableError if there will be no machine code for these parameters. A state at
        rest keeps the result of a pass, so that the pass is not run again: its queries count instead.
        """
        from rbd.native.builtins.value_builtin import PassBuffer

        recorded, _ = self._kernels.get_or_record(self._mechanism, version, kernel, ())
        if not isinstance(recorded, RecordedKernel) or len(framed_offsets()) != 3:
            raise UnsuitableError(f"{kernel.name} has no program, or values have no slots")
        code = recorded.executable.counted()
        if code is None:
            raise _NoCodeYetError
        buffer = PassBuffer(code, recorded.inputs(self._buffers.q, self._buffers.v), needs_v=needs_v)
        return PassValues.of(version, buffer, recorded.form.template)

    def _planned(self, plan: Callable[[PlanBuilder], None]) -> Builtin | None:
        """Return the builtin of a plan; None while a pass has no machine code, `unanswered` if it will have none."""
        builder = PlanBuilder()
        try:
            plan(builder)
        except _NoCodeYetError:
            return None
        except UnsuitableError:
            return unanswered
        return builder.builtin(self._buffers) or unanswered
