"""Stick figure of a mechanism: lines between the joints of a body, named frames, joint origins, loop joints.

Everything is fixed to bodies and given in their default frames, so that it moves with the bodies' poses.
"""

from __future__ import annotations

from typing import Any, final

import attrs
import numpy as np

from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.scalars.arrays import Array
from rbd.spatial import Frame


@final
@attrs.frozen(eq=False)
class NamedFrame:
    """A frame of a body; `pose` (4, 4) maps its coordinates to those of the body's default frame."""

    name: str
    """Its own, or that of the body for the default frame."""
    pose: Array


@final
@attrs.frozen(eq=False)
class Bone:
    """Bone of the stick figure: the part that belongs to one body."""

    body: RigidBody
    segments: Array
    """Ends of lines (n, 2, 3)."""
    joints: Array
    """Origins of the joints whose frame after is fixed to the body (n, 3)."""
    frames: tuple[NamedFrame, ...]


@final
@attrs.frozen(eq=False)
class LoopEnds:
    """The two points of a loop joint, which coincide unless its type lets them move apart or the loop is open."""

    joint: Joint
    predecessor: RigidBody
    before: Array
    """Origin of the frame before, in the predecessor's default frame."""
    successor: RigidBody
    after: Array
    """Origin of the frame after, in the successor's default frame."""


def bones(mechanism: Mechanism) -> list[Bone]:
    """Return the stick figure, one bone per body in the order of `mechanism.bodies`."""
    before = {joint.frame_before: joint for joint in mechanism.joints}
    after = {joint.frame_after: joint for joint in mechanism.joints}
    return [_bone(mechanism, body, before, after) for body in mechanism.bodies]


def loop_ends(mechanism: Mechanism) -> list[LoopEnds]:
    """Return the points of the loop joints."""
    return [
        LoopEnds(joint, a, origin(a, joint.frame_before), b, origin(b, joint.frame_after))
        for joint in mechanism.loop_joints
        for a, b in [(mechanism.predecessor(joint), mechanism.successor(joint))]
    ]


def origin(body: RigidBody, frame: Frame[Any]) -> Array:
    """Return the origin of one of a body's frames, in its default frame."""
    return body.fixed_transform(frame, body.default_frame).translation


def _bone(
    mechanism: Mechanism, body: RigidBody, before: dict[Frame[Any], Joint], after: dict[Frame[Any], Joint]
) -> Bone:
    joints = [origin(body, frame) for frame in body.frames if frame in after]
    ends = [origin(body, frame) for frame in body.frames if frame in before]
    named = _named_frames(body, [frame for frame in body.frames if frame not in before and frame not in after])
    start, *others = joints or [np.zeros(3)]
    ends = [] if body is mechanism.root_body else ends or [_farthest(body, named)]
    segments = np.array([(start, end) for end in (*ends, *others)], dtype=np.float64).reshape(-1, 2, 3)
    lengths = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1)
    return Bone(body, segments[lengths > 0], np.array(joints, dtype=np.float64).reshape(-1, 3), tuple(named))


def _named_frames(body: RigidBody, frames: list[Frame[Any]]) -> list[NamedFrame]:
    """Return these frames, and the default frame unless one of them coincides with it."""
    default = body.default_frame
    named = [
        NamedFrame(body.name if frame is default else frame.name, body.fixed_transform(frame, default).matrix)
        for frame in frames
    ]
    if any(np.array_equal(each.pose, np.eye(4)) for each in named):
        return named
    return [NamedFrame(body.name, np.eye(4)), *named]


def _farthest(body: RigidBody, named: list[NamedFrame]) -> Array:
    """Return the end of a body without further joints: its most distant frame, or else its centre of mass."""
    best: Array = max((each.pose[:3, 3] for each in named), key=lambda point: float(np.linalg.norm(point)))
    inertia = body.inertia
    if best.any() or inertia is None or not inertia.mass:
        return best
    return inertia.center_of_mass.xyz
