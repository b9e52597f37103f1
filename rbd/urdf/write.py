"""`write_urdf` and `format_urdf`: mechanisms as URDF, as far as the format can express them.

A mechanism that was read (and so snapped) is written, read and written again without a change of one byte. Text is read
before it is returned: nothing is written that the reader would refuse.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence

from rbd.arguments import boolean, name_sequence, require_kind
from rbd.errors import ArgumentError, UrdfError
from rbd.files.formats import URDF
from rbd.files.writing import element, write_text
from rbd.mechanism import Mechanism
from rbd.spatial import Transform
from rbd.urdf.read import parse_urdf
from rbd.urdf.report import UrdfWarning
from rbd.urdf.write_constraints import loop_joint_lines, mimic_elements
from rbd.urdf.write_elements import joint_lines, link_lines, origin_line


def write_urdf(
    mechanism: Mechanism,
    path: str | os.PathLike[str],
    *,
    name: str = "robot",
    frames: Sequence[str] = (),
    strict: bool = True,
) -> None:
    """Write the mechanism as a URDF file; arguments and errors are those of `format_urdf`.

    The file appears complete or not at all. Raises UrdfPathError where it cannot be written.

    >>> import pathlib, rbd, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "arm.urdf"
    ...     rbd.write_urdf(rbd.robots.arm7(), path, name="arm", frames=["tool"])
    ...     rbd.load_urdf(path).nv
    7
    """
    text = format_urdf(mechanism, name=name, frames=frames, strict=strict)
    write_text(path, text, URDF)


def format_urdf(mechanism: Mechanism, *, name: str = "robot", frames: Sequence[str] = (), strict: bool = True) -> str:
    """Return the mechanism as URDF text, which reads back with the same joints, coordinates and dynamics.

    `frames` names further body-fixed frames to keep, as massless links on fixed joints. Gravity, contact points and all
    other frames are not written; nor, with `strict=False`, are joint parameters URDF cannot express (armature, bound
    springs, unequal damping, `friction_velocity`).

    Linear couplings are written as `<mimic>`, of which a joint can have one; their names are not. Loop joints are
    written as `<loop_joint>`, which other readers do not know; they may be spherical, too.

    Raises ArgumentError, whose `joint` or `body` names the culprit, for joint types other than revolute, prismatic,
    fixed, quaternion floating and planar (with its in-plane axes turned the least from the normal's), for other
    couplings (`strict=False` leaves them out), for bounds of velocity or effort that are not symmetric;
    UnknownNameError for a frame that is not there.

    >>> from rbd import Joint, Mechanism, Revolute, RigidBody
    >>> mechanism = Mechanism()
    >>> mechanism.attach("world", RigidBody("arm"), Joint("shoulder", Revolute((0, 0, 1))))
    >>> print(format_urdf(mechanism, name="arm"))
    <?xml version="1.0" encoding="UTF-8"?>
    <robot name="arm">
      <link name="world"/>
      <link name="arm"/>
      <joint name="shoulder" type="continuous">
        <parent link="world"/>
        <child link="arm"/>
        <axis xyz="0.0 0.0 1.0"/>
      </joint>
    </robot>
    <BLANKLINE>
    """
    require_kind(mechanism, Mechanism, operation="format_urdf", argument="mechanism")
    require_kind(name, str, operation="format_urdf", argument="name")
    frames = name_sequence(frames, "frames")
    boolean(strict, "strict")
    text = _text(mechanism, name, frames, strict=strict)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UrdfWarning)  # of the mechanism, not of a file
            parse_urdf(text, remove_fixed_joints=False, strict=strict)
    except UrdfError as error:
        message = f"URDF cannot express this mechanism: {error.message}"
        raise ArgumentError(message, argument="mechanism") from error
    return text


def _text(mechanism: Mechanism, name: str, frames: Sequence[str], *, strict: bool) -> str:
    bodies = mechanism.bodies
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', element("robot", {"name": name}, closed=False)]
    for body in bodies:
        lines += link_lines(body)
    lines += (f"  {element('link', {'name': frame})}" for frame in frames)
    mimics = mimic_elements(mechanism, strict=strict)
    for joint in mechanism.tree_joints:
        ends = mechanism.predecessor(joint), mechanism.successor(joint)
        lines += joint_lines(joint, *ends, mechanism.placement(joint), mimics.get(joint), strict=strict)
    for joint in mechanism.loop_joints:
        ends = mechanism.predecessor(joint), mechanism.successor(joint)
        placements = mechanism.placement(joint), mechanism.successor_placement(joint)
        lines += loop_joint_lines(joint, *ends, *placements, strict=strict)
    lines += _frame_joints(mechanism, frames)
    return "\n".join([*lines, "</robot>", ""])


def _frame_joints(mechanism: Mechanism, frames: Iterable[str]) -> Iterable[str]:
    for name in frames:
        frame = mechanism.frame(name)
        body = mechanism.body_of_frame(frame)
        placement: Transform = body.fixed_transform(frame, body.default_frame)
        yield "  " + element("joint", {"name": f"{name}_to_{body.name}", "type": "fixed"}, closed=False)
        yield f"    {element('parent', {'link': body.name})}"
        yield f"    {element('child', {'link': name})}"
        yield from origin_line(placement)
        yield "  </joint>"
