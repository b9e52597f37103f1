"""`<worldbody>` as text: the tree of bodies with their inertias, joints and sites."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

import attrs
import numpy as np

from rbd.errors import ArgumentError, quoted
from rbd.files.pose import Pose, pose_of
from rbd.files.writing import element, floats, refusal
from rbd.joints import Fixed, Prismatic, QuaternionFloating, QuaternionSpherical, Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.mjcf.write_elements import inertial_line, joint_line, pose_attributes
from rbd.mjcf.write_sites import SitesWriter, file_frame, file_pose
from rbd.scalars import to_float

_MIN_MASS_AND_MOMENT: Final = 1e-15  # mass and moments of moving bodies, for MuJoCo


@final
@attrs.frozen(eq=False)
class _FileBody:
    """A body of the file: a body of the mechanism, and the massless bodies between it and its parent, before it."""

    bodies: tuple[RigidBody, ...]
    joints: tuple[Joint, ...]
    depth: int

    @property
    def body(self) -> RigidBody:
        """The body that has the name and the mass."""
        return self.bodies[-1]


@final
@attrs.frozen(eq=False)
class WorldbodyWriter:
    """Writes the bodies of a mechanism, whose sites are complete."""

    mechanism: Mechanism
    sites: SitesWriter
    strict: bool

    def lines(self) -> Iterator[str]:
        """Yield the lines of all bodies, depth first, without recursion."""
        root = self.mechanism.root_body
        yield from ("    " + line for line in self.sites.lines(root))
        stack: list[_FileBody | str] = list(reversed(self._children(root, 2)))
        while stack:
            entry = stack.pop()
            if isinstance(entry, str):
                yield entry
                continue
            indent = "  " * entry.depth
            yield from (indent + line for line in self._body_lines(entry))
            stack.append(f"{indent}</body>")
            stack += reversed(self._children(entry.body, entry.depth + 1))

    def _children(self, body: RigidBody, depth: int) -> list[_FileBody]:
        return [self._file_body(child, depth) for child in self.mechanism.children(body)]

    def _file_body(self, body: RigidBody, depth: int) -> _FileBody:
        """Return the body of the file that begins with a body: with those behind it as long as these are massless."""
        bodies = [body]
        while self._is_between_joints(bodies[-1]):
            bodies += self.mechanism.children(bodies[-1])
        file_body = _FileBody(tuple(bodies), tuple(self._joint(each) for each in bodies), depth)
        self._require_mass(file_body)
        return file_body

    def _joint(self, body: RigidBody) -> Joint:
        joint = self.mechanism.parent_joint(body)
        assert joint is not None  # the root is no child
        return joint

    def _is_between_joints(self, body: RigidBody) -> bool:
        children = self.mechanism.children(body)
        if _has_mass(body) or len(children) != 1 or self.sites.has(body):
            return False
        behind = type(self._joint(children[0]).type) in (Revolute, Prismatic, QuaternionSpherical)
        return behind and type(self._joint(body).type) in (Revolute, Prismatic)

    def _require_mass(self, file_body: _FileBody) -> None:
        """Raise ArgumentError for a body that moves and has, with what is fixed to it, no mass or no inertia."""
        if all(isinstance(joint.type, Fixed) for joint in file_body.joints):
            return
        rigid = [file_body.body]
        for body in rigid:  # it grows
            if _has_mass(body):
                return
            children = self.mechanism.children(body)
            rigid += (child for child in children if isinstance(self._joint(child).type, Fixed))
        name = file_body.body.name
        message = f"body {quoted(name)} moves and has no mass or no inertia, which MuJoCo refuses"
        raise ArgumentError(message, argument="mechanism", body=name)

    def _body_lines(self, file_body: _FileBody) -> Iterator[str]:
        body = file_body.body
        yield element("body", {"name": body.name, **pose_attributes(self._placement(file_body))}, closed=False)
        if body.inertia is not None:
            tf = body.fixed_transform(body.default_frame, file_frame(body))
            yield from (f"  {line}" for line in inertial_line(body.inertia.transformed(tf)))
        for joint, pose in zip(file_body.joints, self._joint_poses(file_body), strict=True):
            if type(joint.type) is not Fixed:
                yield f"  {joint_line(joint, pose, strict=self.strict)}"
        yield from ("  " + line for line in self.sites.lines(body))

    # ---------------------------------------------------------------- poses, in the zero configuration

    def _placement(self, file_body: _FileBody) -> Pose:
        parent = self.mechanism.predecessor(file_body.joints[0])
        pose = file_pose(parent, parent.default_frame)
        for joint in file_body.joints:
            pose = pose @ pose_of(self.mechanism.placement(joint))
        pose = pose @ file_pose(file_body.body, file_body.body.default_frame).inverse()
        if isinstance(file_body.joints[0].type, QuaternionFloating):
            self._require_free(file_body.joints[0], pose)
        return pose

    def _require_free(self, joint: Joint, pose: Pose) -> None:
        if self.mechanism.predecessor(joint) is not self.mechanism.root_body:
            raise refusal(joint, "in MJCF only children of the world float")
        if pose_attributes(pose):
            raise refusal(joint, "in MJCF a free joint is placed at the origin of the world")

    def _joint_poses(self, file_body: _FileBody) -> list[Pose]:
        """Return the poses of the frames after the joints in the frame of the body."""
        pose = file_pose(file_body.body, file_body.body.default_frame)
        poses = [pose]
        for joint in reversed(file_body.joints[1:]):
            pose = pose @ pose_of(self.mechanism.placement(joint)).inverse()
            poses.append(pose)
        return poses[::-1]


def _has_mass(body: RigidBody) -> bool:
    if body.inertia is None:
        return False
    moments = np.linalg.eigvalsh(np.array([floats(row) for row in body.inertia.moment_components]))
    return to_float(body.inertia.mass) >= _MIN_MASS_AND_MOMENT and float(moments[-1]) >= _MIN_MASS_AND_MOMENT
