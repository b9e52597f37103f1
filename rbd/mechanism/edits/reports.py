"""Reports of edits: maps from old to new bodies, joints, frames and coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, TypeVar, final, overload

import attrs
from typing_extensions import override

from rbd.arguments import require_kind
from rbd.errors import AmbiguousNameError, ArgumentError, FrameMismatchError, ShapeError, TopologyError, quoted
from rbd.mechanism.body import RigidBody
from rbd.mechanism.joint import Joint
from rbd.mechanism.names import unknown_name

if TYPE_CHECKING:
    from rbd.mechanism.coupling import Coupling
    from rbd.scalars import Scalar, Vector
    from rbd.spatial import Frame
    from rbd.spatial.frame import F

    Named = TypeVar("Named", RigidBody, Joint)


@final
@attrs.frozen(eq=False, repr=False)
class FrameMap:
    """The map from the frames, bodies and joints of an original to those of its copy.

    >>> from rbd import Mechanism
    >>> original = Mechanism()
    >>> copy, frames = original.copy()
    >>> frames[original.root_frame] == copy.root_frame, original.root_frame == copy.root_frame
    (True, False)
    >>> frames["world"] == copy.root_frame
    True
    """

    frames: Mapping[Frame, Frame]
    bodies: Mapping[RigidBody, RigidBody]
    joints: Mapping[Joint, Joint]

    @override
    def __repr__(self) -> str:
        return f"<frame map: {len(self.frames)} frames, {len(self.bodies)} bodies, {len(self.joints)} joints>"

    @overload
    def __getitem__(self, frame: str) -> Frame: ...
    @overload
    def __getitem__(self, frame: Frame[F]) -> Frame[F]: ...
    def __getitem__(self, frame: str | Frame[F]) -> Frame[Any]:
        """Return the copy of a frame, itself or by name.

        Raises FrameMismatchError if the frame was not copied, UnknownNameError or AmbiguousNameError for a name that is
        not that of one frame.
        """
        if isinstance(frame, str):
            return self._named(frame)
        copy = self.frames.get(frame)
        if copy is None:
            raise FrameMismatchError(
                f"{frame!r} was not copied",
                operation="FrameMap",
                argument="frame",
                actual=frame,
                expected=tuple(self.frames),
            )
        return copy

    def _named(self, name: str) -> Frame:
        copies = [copy for original, copy in self.frames.items() if original.name == name]
        if not copies:
            raise unknown_name("frame", name, (original.name for original in self.frames))
        if len(copies) > 1:
            raise AmbiguousNameError(f"{len(copies)} frames are named {quoted(name)}", kind="frame", name=name)
        return copies[0]

    def __contains__(self, frame: object) -> bool:
        return any(each.name == frame for each in self.frames) if isinstance(frame, str) else frame in self.frames

    def __len__(self) -> int:
        return len(self.frames)

    def __iter__(self) -> Iterator[Frame]:
        return iter(self.frames)

    def body(self, body: str | RigidBody) -> RigidBody:
        """Return the copy of a body, itself or by name; raise TopologyError if it was not copied."""
        require_kind(body, RigidBody, str, operation="FrameMap.body", argument="body")
        return _copy_of(body, self.bodies, "body")

    def joint(self, joint: str | Joint) -> Joint:
        """Return the copy of a joint, itself or by name; raise TopologyError if it was not copied."""
        require_kind(joint, Joint, str, operation="FrameMap.joint", argument="joint")
        return _copy_of(joint, self.joints, "joint")


def _copy_of(original: str | Named, copies: Mapping[Named, Named], kind: str) -> Named:
    """Return the copy of an original, itself or by name; raise TopologyError if there is none."""
    if isinstance(original, str):
        name, copy = original, next((copy for known, copy in copies.items() if known.name == original), None)
    else:
        name, copy = original.name, copies.get(original)
    if copy is None:
        raise TopologyError(f"{kind} {quoted(name)} was not copied", **{kind: name})
    return copy


@final
@attrs.frozen(eq=False)
class MergeReport:
    """The report of `remove_fixed_joints`: the body each merged body went into, and the removed joints.

    >>> from rbd import Fixed, Joint, Mechanism, Revolute, RigidBody
    >>> mechanism = Mechanism()
    >>> mechanism.attach("world", RigidBody("wrist"), Joint("turn", Revolute((0, 0, 1))))
    >>> mechanism.attach("wrist", RigidBody("tool"), Joint("mount", Fixed()))
    >>> report = mechanism.remove_fixed_joints()
    >>> [(body.name, kept.name) for body, kept in report.merged.items()]
    [('tool', 'wrist')]
    """

    merged: Mapping[RigidBody, RigidBody]
    removed_joints: tuple[Joint, ...]


@final
@attrs.frozen(eq=False)
class RerootReport:
    """Report of a change of the spanning tree: joints that changed, and the conversion of coordinates.

    `flipped` maps the old joints to the reversed joints that replaced them; `entered` are the new tree joints
    that closed loops before, `left` those that close loops now; `removed` are the removed joints, `uncoupled` the
    couplings that went with them; `dropped` names the bounds that reversing dropped, by joint name. A loop joint has no
    coordinates: those of `entered` must be found from the bodies' poses (`JointType.project`).

    >>> from rbd import Joint, Mechanism, Revolute, RigidBody
    >>> hinge, mechanism = Revolute((0, 0, 1)), Mechanism()
    >>> mechanism.attach("world", RigidBody("a"), Joint("one", hinge))
    >>> mechanism.attach("a", RigidBody("b"), Joint("two", hinge))
    >>> mechanism.attach("world", "b", Joint("three", hinge))
    >>> report = mechanism.remove_joint("one")
    >>> [joint.name for joint in report.new_tree], [joint.name for joint in report.flipped]
    (['three', 'two'], ['two'])
    """

    old_tree: tuple[Joint, ...]
    new_tree: tuple[Joint, ...]
    flipped: Mapping[Joint, Joint]
    removed: tuple[Joint, ...]
    dropped: Mapping[str, tuple[str, ...]]
    uncoupled: tuple[Coupling, ...] = ()

    @property
    def entered(self) -> tuple[Joint, ...]:
        """Return the tree joints that closed loops before."""
        before = {self.joint(joint) for joint in self.old_tree}
        return tuple(joint for joint in self.new_tree if joint not in before)

    @property
    def left(self) -> tuple[Joint, ...]:
        """Return the joints that were tree joints and close loops now."""
        now = set(self.new_tree)
        joints = (self.joint(joint) for joint in self.old_tree)
        return tuple(joint for joint in joints if joint is not None and joint not in now)

    def joint(self, joint: Joint) -> Joint | None:
        """Return the new joint of a joint: itself, its reversed one, or None if it was removed."""
        return None if joint in self.removed else self.flipped.get(joint, joint)

    def configuration(self, q: Sequence[Scalar], entered: Mapping[Joint, Sequence[Scalar]] | None = None) -> Vector:
        """Return the configuration of the new tree that belongs to the old one.

        `entered` gives the coordinates of the joints in `.entered`. Raises ShapeError or ArgumentError.
        """
        parts = {joint: tuple(value) for joint, value in (entered or {}).items()}
        for joint, part in zip(self.old_tree, _split(q, [joint.nq for joint in self.old_tree], "q"), strict=True):
            new = self.flipped.get(joint)
            parts[new or joint] = joint.type.flip_configuration(part) if new else part
        return self._concatenated(parts, "configuration")

    def velocity(
        self, q: Sequence[Scalar], v: Sequence[Scalar], entered: Mapping[Joint, Sequence[Scalar]] | None = None
    ) -> Vector:
        """Return the velocity of the new tree that belongs to the old configuration and velocity.

        `entered` gives the velocities of the joints in `.entered`. Raises ShapeError or ArgumentError.
        """
        parts = {joint: tuple(value) for joint, value in (entered or {}).items()}
        qs = _split(q, [joint.nq for joint in self.old_tree], "q")
        vs = _split(v, [joint.nv for joint in self.old_tree], "v")
        for joint, part_q, part_v in zip(self.old_tree, qs, vs, strict=True):
            new = self.flipped.get(joint)
            parts[new or joint] = joint.type.flip_velocity(part_q, part_v) if new else part_v
        return self._concatenated(parts, "velocity")

    def _concatenated(self, parts: Mapping[Joint, Vector], what: str) -> Vector:
        missing = [quoted(joint.name) for joint in self.new_tree if joint not in parts]
        if missing:
            raise ArgumentError(
                f"entered: the {what} of {', '.join(missing)} is not determined by the old one",
                argument="entered",
                value=parts,
            )
        return tuple(number for joint in self.new_tree for number in parts[joint])


def _split(values: Sequence[Scalar], sizes: Sequence[int], argument: str) -> list[Vector]:
    """Return a vector cut into pieces of the given sizes."""
    stops = tuple(accumulate(sizes, initial=0))
    total = stops[-1]
    if len(values) != total:
        raise ShapeError(
            f"{argument} has {len(values)} entries, needs {total}",
            argument=argument,
            expected=(total,),
            actual=(len(values),),
        )
    return [tuple(values[start:stop]) for start, stop in pairwise(stops)]
