"""`write_mjcf` and `format_mjcf`: mechanisms as MJCF, as far as the format can express them.

A mechanism that was read is written, read and written again without a change of one byte. Text is read before it is
returned: nothing is written that the reader would refuse.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import Final

from rbd.arguments import boolean, name_sequence, require_kind
from rbd.errors import ArgumentError, MjcfError, quoted
from rbd.files.formats import MJCF
from rbd.files.writing import element, floats, numbers_text, write_text
from rbd.mechanism import Mechanism
from rbd.mjcf.bodies import WORLD
from rbd.mjcf.read import parse_mjcf
from rbd.mjcf.report import MjcfWarning
from rbd.mjcf.write_equality import EqualityWriter
from rbd.mjcf.write_sites import SitesWriter
from rbd.mjcf.write_worldbody import WorldbodyWriter

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
    write_text(path, format_mjcf(mechanism, name=name, frames=frames, strict=strict), MJCF)


def format_mjcf(mechanism: Mechanism, *, name: str = "robot", frames: Sequence[str] = (), strict: bool = True) -> str:
    """Return the mechanism as MJCF text, which reads back, here and in MuJoCo, with the same dynamics.

    Bodies and joints come depth first, each with its subtree. A massless body between two joints is written as a second
    joint of the body behind it. `frames` names further body-fixed frames to keep, as sites. Loops are written as
    `connect` and `weld` between sites, revolute ones as two connections on the axis; couplings as `equality` of joints.
    Velocity bounds, contact points and all other frames are not written; nor, with `strict=False`, are joint parameters
    MJCF cannot express (bound springs, equal or one-sided bounds, unequal damping, `friction_velocity`, those of loop
    joints), and couplings above degree four; ball and free joints whose frame is turned in the frame of their body then
    get coordinates about the latter.

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
    frames = name_sequence(frames, "frames")
    boolean(strict, "strict")
    if strict and mechanism.root_body.name != WORLD:
        message = f"the root body of MJCF is {WORLD!r}, not {quoted(mechanism.root_body.name)}; strict=False renames it"
        raise ArgumentError(message, argument="mechanism", body=mechanism.root_body.name)
    text = _text(mechanism, name, frames, strict=strict)
    _require_readable(text, strict=strict)
    return text


def _require_readable(text: str, *, strict: bool) -> None:
    """Raise ArgumentError for a text that the reader refuses."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MjcfWarning)  # of the mechanism, not of a file
            parse_mjcf(text, remove_fixed_joints=False, strict=strict)
    except MjcfError as error:
        message = f"MJCF cannot express this mechanism: {error.message}"
        raise ArgumentError(message, argument="mechanism") from error


def _text(mechanism: Mechanism, name: str, frames: Sequence[str], *, strict: bool) -> str:
    sites = SitesWriter(mechanism)
    for frame_name in frames:
        frame = mechanism.frame(frame_name)
        sites.keep(mechanism.body_of_frame(frame), frame, frame_name)
    constraints = EqualityWriter(mechanism, sites, strict=strict).lines()  # before the bodies, which get their sites
    gravity = numbers_text(floats(mechanism.gravity.xyz_components))
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>', element("mujoco", {"model": name}, closed=False),
        f"  {element('compiler', _COMPILER)}", f"  {element('option', {'gravity': gravity})}",
        "  <worldbody>", *WorldbodyWriter(mechanism, sites, strict).lines(), "  </worldbody>",
    ]  # fmt: skip
    if constraints:
        lines += ["  <equality>", *(f"    {line}" for line in constraints), "  </equality>"]
    return "\n".join([*lines, "</mujoco>", ""])
