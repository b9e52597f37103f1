"""`write_mjcf`: the inverse of reading, for what MJCF can say.

A mechanism that was read is written, read and written again without a change of one byte. Text is read before it is
returned: nothing is written that the reader would refuse.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from typing import Final, final

import attrs
import numpy as np

from rbd.arguments import flag, names_in, require_kind
from rbd.errors import ArgumentError, MjcfError, quoted
from rbd.files.formats import MJCF
from rbd.files.names import free_name
from rbd.files.pose import Pose, pose_of
from rbd.files.writing import element, floats, numbers_text, write_text
from rbd.joints import Fixed, Prismatic, QuaternionFloating, QuaternionSpherical, Revolute
from rbd.mechanism import Coupling, Joint, Mechanism, RigidBody
from rbd.mjcf.bodies import WORLD
from rbd.mjcf.read import parse_mjcf
from rbd.mjcf.report import MjcfWarning
from rbd.mjcf.xml_elements import (
    constraint_tag,
    inertial_line,
    joint_line,
    pose_attributes,
    refusal,
    site_line,
)
from rbd.scalars import to_float
from rbd.spatial import Frame

_COEFFICIENTS: Final = 5
_LEAST: Final = 1e-15  # mass and moments of moving bodies, for MuJoCo
_COMPILER: Final = {"angle": "radian", "autolimits": "true", "inertiafromgeom": "false"}


def write_mjcf(
    mechanism: Mechanism,
    path: str | os.PathLike[str],
    *,
    name: str = "robot",
    frames: Sequence[str] = (),
    strict: bool = True,
) -> None:
    """Write the mechanism as an MJCF file; arguments and errors are those of `format_mjcf`.

    The file appears complete or not at all. Raises MjcfPathError where it cannot be written.

    >>> import pathlib, rbd, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "arm.xml"
    ...     rbd.write_mjcf(rbd.robots.arm7(), path, name="arm", frames=["tool"])
    ...     rbd.load_mjcf(path).nv
    7
    """
    require_kind(path, str, os.PathLike, operation="write_mjcf", argument="path")
    write_text(path, format_mjcf(mechanism, name=name, frames=frames, strict=strict), MJCF)


def format_mjcf(mechanism: Mechanism, *, name: str = "robot", frames: Sequence[str] = (), strict: bool = True) -> str:
    """Return the mechanism as MJCF text, which reads back, here and in MuJoCo, with the same dynamics.

    Bodies and joints come depth first, each with its subtree. A massless body between two joints is written as a second
    joint of the body behind it. `frames` names further body-fixed frames to keep, as sites. Loops are written as
    `connect` and `weld` between sites, revolute ones as two connections on the axis; couplings as `equality` of joints.
    Velocity bounds, contact points and all other frames are not written; nor, with `strict=False`, are joint parameters
    MJCF cannot express (bound springs, one-sided bounds, unequal damping), and couplings of a degree above four.

    Raises ArgumentError, whose `joint` or `body` names the culprit, for joint types other than revolute, prismatic,
    fixed, quaternion spherical and quaternion floating (from the world, placed at its origin), for loop joints other
    than quaternion spherical, revolute and fixed, and for bodies that move and have no mass, which MuJoCo refuses;
    UnknownNameError for a frame that is not there.

    >>> import numpy as np
    >>> from rbd import Frame, Joint, Mechanism, Revolute, RigidBody, SpatialInertia
    >>> mechanism = Mechanism()
    >>> inertia = SpatialInertia(Frame("arm"), mass=2.0, com=(0.1, 0, 0), moment_about_com=np.diag([0.01, 0.02, 0.02]))
    >>> arm = RigidBody("arm", inertia)
    >>> mechanism.attach("world", arm, Joint("shoulder", Revolute((0, 1, 0))))
    >>> print(format_mjcf(mechanism, name="arm"))
    <?xml version="1.0" encoding="UTF-8"?>
    <mujoco model="arm">
      <compiler angle="radian" autolimits="true" inertiafromgeom="false"/>
      <option gravity="0.0 0.0 -9.81"/>
      <worldbody>
        <body name="arm">
          <inertial pos="0.1 0.0 0.0" mass="2.0" diaginertia="0.01 0.02 0.02"/>
          <joint name="shoulder" type="hinge" axis="0.0 1.0 0.0"/>
        </body>
      </worldbody>
    </mujoco>
    <BLANKLINE>
    """
    require_kind(mechanism, Mechanism, operation="format_mjcf", argument="mechanism")
    require_kind(name, str, operation="format_mjcf", argument="name")
    frames = names_in(frames, "frames")
    flag(strict, "strict")
    if strict and mechanism.root_body.name != WORLD:
        message = f"the root body of MJCF is {WORLD!r}, not {quoted(mechanism.root_body.name)}; strict=False renames it"
        raise ArgumentError(message, argument="mechanism", body=mechanism.root_body.name)
    text = _MjcfWriter(mechanism, frames, strict=strict).text(name)
    _require_readable(text, strict=strict)
    return text


def _require_readable(text: str, *, strict: bool) -> None:
    """Raise ArgumentError for a text that the reader refuses."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MjcfWarning)  # doubts about the mechanism, not about a file
            parse_mjcf(text, remove_fixed_joints=False, strict=strict)
    except MjcfError as error:
        message = f"MJCF cannot express this mechanism: {error.message}"
        raise ArgumentError(message, argument="mechanism") from error


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
class _MjcfWriter:
    """Writes one mechanism."""

    def __init__(self, mechanism: Mechanism, frames: Sequence[str], *, strict: bool) -> None:
        self._mechanism = mechanism
        self._strict = strict
        self._sites: dict[RigidBody, list[tuple[str, Pose]]] = {body: [] for body in mechanism.bodies}
        self._names = {body.name for body in mechanism.bodies}
        for name in frames:
            self._keep(mechanism.frame(name), name)
        self._constraint_names: set[str] = set()
        self._constraints = [line for joint in mechanism.loop_joints for line in self._loop(joint)]
        self._constraints += [line for coupling in mechanism.couplings for line in self._coupling(coupling)]

    def text(self, name: str) -> str:
        """Return the file."""
        gravity = numbers_text(floats(self._mechanism.gravity.xyz_components))
        lines = [
            '<?xml version="1.0" encoding="UTF-8"?>', element("mujoco", {"model": name}, closed=False),
            f"  {element('compiler', _COMPILER)}", f"  {element('option', {'gravity': gravity})}",
            "  <worldbody>", *self._tree(), "  </worldbody>",
        ]  # fmt: skip
        if self._constraints:
            lines += ["  <equality>", *(f"    {line}" for line in self._constraints), "  </equality>"]
        return "\n".join([*lines, "</mujoco>", ""])

    # ---------------------------------------------------------------- sites

    def _keep(self, frame: Frame, name: str) -> None:
        body = self._mechanism.body_of_frame(frame)
        if frame is self._frame(body):
            return
        if name in self._names:
            message = f"frame {quoted(name)} has the name of a body or of another site"
            raise ArgumentError(message, argument="frames", value=name)
        self._names.add(name)
        self._sites[body].append((name, self._pose(body, frame)))

    def _loop(self, joint: Joint) -> Iterator[str]:
        """Yield the constraints that close a loop: two points of its axis stay together for a revolute joint."""
        tag = constraint_tag(joint)
        yield self._constraint(joint, tag, joint.name, Pose())
        if isinstance(joint.type, Revolute):
            x, y, z = joint.type.axis
            yield self._constraint(joint, tag, f"{joint.name}#axis", Pose(translation=(x, y, z)))

    def _coupling(self, coupling: Coupling) -> Iterator[str]:
        """Yield the constraint that a coupling is; raise ArgumentError when its polynomial is too long."""
        if len(coupling.coefficients) > _COEFFICIENTS:
            if self._strict:
                message = f"MJCF has no polynomials of degree {len(coupling.coefficients) - 1}, as that of coupling"
                raise refusal(coupling.joint, f"{message} {quoted(coupling.name)}; strict=False leaves it out")
            return
        ends = {"joint1": coupling.joint.name}
        if coupling.source is not None:
            ends["joint2"] = coupling.source.name
        name = free_name(coupling.name, self._constraint_names)
        yield element("joint", {"name": name, **ends, "polycoef": numbers_text(_polynomial(coupling))})

    def _constraint(self, joint: Joint, tag: str, name: str, pose: Pose) -> str:
        """Return a constraint between two sites, which have that pose in the frames before and after a joint."""
        predecessor, successor = self._mechanism.predecessor(joint), self._mechanism.successor(joint)
        ends = [(predecessor, joint.frame_before), (successor, joint.frame_after)]
        ends.sort(key=lambda end: end[0] is not self._mechanism.root_body)  # the reader puts the world first
        self._constraint_names.add(name)
        names = [free_name(f"{name}#{which}", self._names) for which in ("before", "after")]
        for (body, frame), site in zip(ends, names, strict=True):
            self._sites[body].append((site, self._pose(body, frame) @ pose))
        return element(tag, {"name": name, "site1": names[0], "site2": names[1]})

    def _frame(self, body: RigidBody) -> Frame:
        """Return the frame that a body has in the file: the one of its name, or else its default frame."""
        return next((frame for frame in body.frames if frame.name == body.name), body.default_frame)

    # ---------------------------------------------------------------- bodies

    def _tree(self) -> Iterator[str]:
        """Yield the lines of all bodies, depth first, without recursion."""
        root = self._mechanism.root_body
        yield from ("    " + site_line(*site) for site in self._sites[root])
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
        return [self._group(child, depth) for child in self._mechanism.children(body)]

    def _group(self, body: RigidBody, depth: int) -> _FileBody:
        """Return the body of the file that begins with a body: with those behind it as long as these are massless."""
        bodies = [body]
        while self._is_between_joints(bodies[-1]):
            bodies += self._mechanism.children(bodies[-1])
        joints = tuple(self._joint(each) for each in bodies)
        group = _FileBody(tuple(bodies), joints, depth)
        self._require_mass(group)
        return group

    def _joint(self, body: RigidBody) -> Joint:
        joint = self._mechanism.parent_joint(body)
        assert joint is not None  # the root is no body of a group
        return joint

    def _is_between_joints(self, body: RigidBody) -> bool:
        children = self._mechanism.children(body)
        if _has_mass(body) or len(children) != 1 or self._sites[body]:
            return False
        behind = type(self._joint(children[0]).type) in (Revolute, Prismatic, QuaternionSpherical)
        return behind and type(self._joint(body).type) in (Revolute, Prismatic)

    def _require_mass(self, group: _FileBody) -> None:
        """Raise ArgumentError for a body that moves and has, with what is fixed to it, no mass or no inertia."""
        if all(isinstance(joint.type, Fixed) for joint in group.joints):
            return
        rigid = [group.body]
        for body in rigid:  # it grows
            if _has_mass(body):
                return
            children = self._mechanism.children(body)
            rigid += (child for child in children if isinstance(self._joint(child).type, Fixed))
        message = f"body {quoted(group.body.name)} moves and has no mass or no inertia, which MuJoCo refuses"
        raise ArgumentError(message, argument="mechanism", body=group.body.name)

    def _body_lines(self, group: _FileBody) -> Iterator[str]:
        body = group.body
        yield element("body", {"name": body.name, **pose_attributes(self._placement(group))}, closed=False)
        if body.inertia is not None:
            tf = body.fixed_transform(body.default_frame, self._frame(body))
            yield from (f"  {line}" for line in inertial_line(body.inertia.transformed(tf)))
        for joint, pose in zip(group.joints, self._joint_poses(group), strict=True):
            if not isinstance(joint.type, Fixed):
                yield f"  {joint_line(joint, pose, strict=self._strict)}"
        yield from ("  " + site_line(*site) for site in self._sites[body])

    # ---------------------------------------------------------------- poses, in the zero configuration

    def _pose(self, body: RigidBody, frame: Frame) -> Pose:
        """Return the pose of a frame in the frame that its body has in the file."""
        return pose_of(body.fixed_transform(frame, self._frame(body)))

    def _placement(self, group: _FileBody) -> Pose:
        parent = self._mechanism.predecessor(group.joints[0])
        pose = self._pose(parent, parent.default_frame)
        for joint in group.joints:
            pose = pose @ pose_of(self._mechanism.placement(joint))
        pose = pose @ self._pose(group.body, group.body.default_frame).inverse()
        if isinstance(group.joints[0].type, QuaternionFloating):
            self._require_free(group.joints[0], pose)
        return pose

    def _require_free(self, joint: Joint, pose: Pose) -> None:
        if self._mechanism.predecessor(joint) is not self._mechanism.root_body:
            raise refusal(joint, "in MJCF only children of the world float")
        if pose_attributes(pose):
            raise refusal(joint, "in MJCF a free joint is placed at the origin of the world")

    def _joint_poses(self, group: _FileBody) -> list[Pose]:
        """Return the poses of the frames after the joints in the frame of the body."""
        pose = self._pose(group.body, group.body.default_frame)
        poses = [pose]
        for joint in reversed(group.joints[1:]):
            pose = pose @ pose_of(self._mechanism.placement(joint)).inverse()
            poses.append(pose)
        return poses[::-1]


def _polynomial(coupling: Coupling) -> list[float]:
    """Return all coefficients of the format: those it takes for missing ones are not zero."""
    return [*floats(coupling.coefficients), *[0.0] * (_COEFFICIENTS - len(coupling.coefficients))]


def _has_mass(body: RigidBody) -> bool:
    if body.inertia is None:
        return False
    moments = np.linalg.eigvalsh(np.array([floats(row) for row in body.inertia.moment_components]))
    return to_float(body.inertia.mass) >= _LEAST and float(moments[-1]) >= _LEAST
