"""Registry of the members of a mechanism: bodies, joints and frames by name, tags of frames, and version counters.

All bodies and joints of a mechanism refer to its registry (`members.py`). So a frame added to a body or a parameter set
on a joint changes the versions, and bodies and joints need not know the mechanism.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, final

from rbd.errors import AmbiguousNameError, FrameMismatchError, TopologyError, quoted
from rbd.mechanism.members import PARAMETERS, STRUCTURE, data_of, rebase
from rbd.mechanism.names import unknown_name
from rbd.spatial import SpatialInertia
from rbd.spatial.frame import require_frame

if TYPE_CHECKING:
    from rbd.mechanism.body import RigidBody
    from rbd.mechanism.joint import Joint
    from rbd.spatial import Frame, Tag


@final
class MemberRegistry:
    """The bodies, joints, frames, tags and versions of one mechanism."""

    __slots__ = (
        "_frame_names",
        "bodies",
        "failure",
        "frame_owner",
        "in_transaction",
        "joints",
        "merged",
        "orphaned_frames",
        "tags",
        "versions",
    )

    def __init__(self) -> None:
        """Start empty."""
        self.versions = array("q", [0, 0])
        """Of structure and parameters. Changed in place, never moved: machine code looks at these words."""
        self.bodies: dict[str, RigidBody] = {}
        self.joints: dict[str, Joint] = {}
        self.frame_owner: dict[Frame, str] = {}
        """Names of the bodies, by frame."""
        self.orphaned_frames: set[Frame] = set()
        """Frames of removed joints: they stay on their bodies until they are fixed elsewhere."""
        self.tags: dict[Frame, type[Tag]] = {}
        self.merged: dict[str, str] = {}
        """Names of merged bodies, with those of the bodies they went to."""
        self._frame_names: dict[str, tuple[Frame, ...]] = {}
        self.in_transaction = False
        """Whether an edit is under way that restores everything when it fails."""
        self.failure: BaseException | None = None
        """Exception raised by a nested edit."""

    # ---------------------------------------------------------------- versions

    @property
    def structure_version(self) -> int:
        """Return a number that grows with every change of bodies and joints."""
        return self.versions[STRUCTURE]

    @property
    def parameter_version(self) -> int:
        """Return a number that grows with every change of a parameter."""
        return self.versions[PARAMETERS]

    def structure_changed(self) -> None:
        """Increment the structure version."""
        self.versions[STRUCTURE] += 1

    def parameters_changed(self) -> None:
        """Increment the parameter version."""
        self.versions[PARAMETERS] += 1

    # ---------------------------------------------------------------- members

    def add_body(self, body: RigidBody, *, root: bool = False) -> None:
        """Register a body and its frames; unless it is the root, it gets an inertia."""
        data = data_of(body)
        data.registry, data.is_root = self, root
        if root:
            data.inertia = None
        elif data.inertia is None:
            data.inertia = SpatialInertia.zero(data.default_frame)
        self.bodies[data.name] = body
        for frame in data.frames:
            self.register_frame(frame, data.name)

    def remove_body(self, body: RigidBody) -> None:
        """Remove a body and its frames."""
        data = data_of(body)
        del self.bodies[data.name]
        for frame in data.frames:
            self.unregister_frame(frame)
        data.registry, data.is_root = None, False

    def release_body(self, body: RigidBody) -> None:
        """Remove a body, and give it the default frame it was made with."""
        self.remove_body(body)
        rebase(body, data_of(body).original_frame)

    def add_joint(self, joint: Joint) -> None:
        """Register a joint."""
        data_of(joint).registry = self
        self.joints[joint.name] = joint

    def remove_joint(self, joint: Joint) -> None:
        """Remove a joint."""
        del self.joints[joint.name]
        data_of(joint).registry = None

    # ---------------------------------------------------------------- frames

    def register_frame(self, frame: Frame, body: str) -> None:
        """Register a frame of the body of that name, or move a frame of a removed joint to that body.

        A frame that moves has another pose, a second frame of one name makes the name ambiguous: both count as changes
        of parameters, so that states look again.
        """
        if frame in self.orphaned_frames:
            data_of(self.bodies[self.frame_owner[frame]]).frames.pop(frame)
            self.unregister_frame(frame)
            self.parameters_changed()
        if frame.name in self._frame_names:
            self.parameters_changed()
        self.frame_owner[frame] = body
        self._frame_names[frame.name] = (*self._frame_names.get(frame.name, ()), frame)

    def unregister_frame(self, frame: Frame) -> None:
        """Unregister a frame."""
        del self.frame_owner[frame]
        self.orphaned_frames.discard(frame)
        self.tags.pop(frame, None)
        namesakes = tuple(other for other in self._frame_names.pop(frame.name) if other != frame)
        if namesakes:
            self._frame_names[frame.name] = namesakes

    def require_new_frame(self, frame: Frame, argument: str) -> None:
        """Raise TopologyError if `frame` is already fixed to a body, unless a removed joint left it there."""
        owner = self.frame_owner.get(frame)
        if owner is not None and frame not in self.orphaned_frames:
            raise TopologyError(
                f"{argument}: frame {quoted(frame.name)} is already fixed to body {quoted(owner)}", body=owner
            )

    def bodies_with_orphaned_frames(self, frames: Iterable[Frame]) -> list[RigidBody]:
        """Return the bodies that hold frames which removed joints left."""
        return [self.bodies[self.frame_owner[frame]] for frame in frames if frame in self.orphaned_frames]

    def body_of_frame(self, frame: Frame, argument: str = "frame") -> RigidBody:
        """Return the body `frame` is fixed to; raise FrameMismatchError if there is none."""
        owner = self.frame_owner.get(require_frame(frame, argument))
        if owner is None:
            is_known = frame.name in self._frame_names
            remark = "; a body has a frame of that name, but this is another frame" if is_known else ""
            raise FrameMismatchError(
                f"{argument}: {frame!r} is fixed to no body of this mechanism{remark}",
                operation="look-up of a frame",
                argument=argument,
                actual=frame,
                expected=self._frame_names.get(frame.name, ()),
            )
        return self.bodies[owner]

    def body_and_frame_named(self, name: str) -> tuple[RigidBody, Frame]:
        """Return the body of that name and its default frame, or else the only frame of that name and its body."""
        body = self.bodies.get(name)
        if body is not None:
            return body, body.default_frame
        if name not in self._frame_names:
            raise unknown_name("body or frame", name, {**self.bodies, **self._frame_names})
        frame = self.frame_named(name)
        return self.bodies[self.frame_owner[frame]], frame

    def frame_named(self, name: str) -> Frame:
        """Return the only frame of that name; raise UnknownNameError or AmbiguousNameError."""
        frames = self._frame_names.get(name, ())
        if len(frames) == 1:
            return frames[0]
        if frames:
            owners = ", ".join(quoted(self.frame_owner[frame]) for frame in frames[:4])
            raise AmbiguousNameError(
                f"{len(frames)} frames are named {quoted(name)}, on bodies {owners}", kind="frame", name=name
            )
        body = self.bodies.get(name)
        remark = f", but a body is; its frames: {', '.join(quoted(f.name) for f in body.frames[:6])}" if body else ""
        raise unknown_name("frame", name, self._frame_names, remark)

    def bind_tag(self, frame: Frame, tag: type[Tag]) -> None:
        """Bind a tag to a frame once and for all; a second, different one raises FrameMismatchError."""
        bound = self.tags.setdefault(frame, tag)
        if bound is not tag:
            raise FrameMismatchError(
                f"frame {quoted(frame.name)} is bound to tag {bound.__name__} in this mechanism, not to {tag.__name__}",
                operation="typed look-up of a frame",
                argument="tag",
                actual=tag,
                expected=bound,
            )

    # ---------------------------------------------------------------- names

    def body_named(self, name: str) -> RigidBody:
        """Return the body of that name; raise UnknownNameError, naming the body it was merged into."""
        body = self.bodies.get(name)
        if body is None:
            target = self.merged.get(name)
            remark = f": it was merged into body {quoted(target)}" if target else ""
            raise unknown_name("body", name, self.bodies, remark, self._frame_advice(name))
        return body

    def _frame_advice(self, name: str) -> str:
        """Return advice for a body's name that is the name of frames; else an empty text."""
        owners = [quoted(self.frame_owner[frame]) for frame in self._frame_names.get(name, ())]
        if len(owners) > 1:
            return f"; bodies {', '.join(owners[:4])} have frames of that name: write the name of one of them"
        write = f"write {{}} for the body, mechanism.frame({quoted(name)}) for the frame"
        return "".join(f"; body {owner} has a frame of that name: {write.format(owner)}" for owner in owners)

    def joint_named(self, name: str) -> Joint:
        """Return the joint of that name; raise UnknownNameError."""
        joint = self.joints.get(name)
        if joint is None:
            raise unknown_name("joint", name, self.joints)
        return joint

    def require_new_name(self, name: str, table: Mapping[str, object], kind: str, advice: str = "") -> None:
        """Raise TopologyError if something in `table` has that name already; the message ends with the advice."""
        if name in table:
            raise TopologyError(f"the mechanism already has a {kind} named {quoted(name)}{advice}", **{kind: name})
