"""`load_urdf` and `parse_urdf`: construction of a Mechanism from a URDF file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal, TypeAlias

from rbd.arguments import boolean, require_choice, require_kind
from rbd.files.formats import URDF
from rbd.files.reading import check_arguments
from rbd.files.report import emit_warning
from rbd.files.source import read_bytes, text_bytes
from rbd.files.xml import parse_xml
from rbd.mechanism import Mechanism
from rbd.urdf.build import build_mechanism
from rbd.urdf.description import UrdfRobot
from rbd.urdf.packages import Packages, check_packages
from rbd.urdf.reading import UrdfLimits, UrdfReading
from rbd.urdf.report import UrdfReport, UrdfWarning
from rbd.urdf.robot import read_robot

ImpossibleInertias: TypeAlias = Literal["keep", "project"]
"""Inertias that no body can have are kept, or projected to the nearest possible ones."""

_LIMITS: Final = UrdfLimits()
_GRAVITY: Final = (0.0, 0.0, -9.81)


def load_urdf(
    path: str | os.PathLike[str],
    *,
    floating: bool = False,
    remove_fixed_joints: bool = True,
    couple_joints: bool = True,
    packages: Packages | None = None,
    limits: UrdfLimits = _LIMITS,
    strict: bool = False,
    inertia: ImpossibleInertias = "keep",
    snap: bool = True,
    gravity: Sequence[float] = _GRAVITY,
    report: UrdfReport | None = None,
) -> Mechanism:
    """Return the mechanism a URDF file describes.

    The root body is "world". The file's root link is fixed to it, or with `floating=True` joined by a
    `QuaternionFloating`, in either case by a joint named `<link>_to_world`; a root link named "world" is the root
    itself. Joints come in file order, parents first. Each link's frame (`mechanism.frame(link)`) coincides with
    the frame after its joint, also where fixed joints are merged away. Mimic joints are coupled, or with
    `couple_joints=False` left independent and only listed in `report.mimics`; `<loop_joint>`, an extension of the
    format, closes loops.

    A file loads whenever its dynamics are defined. What is wrong and can be mended, such as a revolute joint without
    limits, and inertias that no body can have are listed in `report.warnings` and announced by one UrdfWarning;
    `strict=True` refuses such files. `inertia="project"` replaces impossible inertias by the nearest possible ones,
    which "keep" keeps.

    `snap` makes exact what was meant to be: angles within 5e-8 (seven decimals) of a multiple of a right angle, and
    entries of placements and axes within 1e-8 of those of a coordinate-aligned one. `report` receives what was ignored,
    snapped and warned of, and the shapes; `packages` is where it finds `package://` meshes, which loading never opens.
    `gravity` is in the root frame.

    Raises UrdfError (`.file .line .column .element`); ArgumentError for a wrong argument.

    >>> import tempfile, pathlib
    >>> from rbd.urdf import load_urdf
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "arm.urdf"
    >>> size = path.write_text('''<robot name="arm"><link name="base"/><link name="arm"/>
    ...   <joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>''')
    >>> [joint.name for joint in load_urdf(path).joints]
    ['shoulder']
    """
    check_arguments("load_urdf", limits, UrdfLimits, report, UrdfReport)
    data, file = read_bytes(path, limits.bytes, URDF), os.fsdecode(path)
    mechanism = parse_urdf(
        data, file=file, floating=floating, remove_fixed_joints=remove_fixed_joints, couple_joints=couple_joints,
        packages=packages, limits=limits, strict=strict, inertia=inertia, snap=snap, gravity=gravity, report=report,
    )  # fmt: skip
    if report is not None:
        report.directory = Path(file).parent
    return mechanism


def parse_urdf(
    text: str | bytes,
    *,
    file: str = "<string>",
    floating: bool = False,
    remove_fixed_joints: bool = True,
    couple_joints: bool = True,
    packages: Packages | None = None,
    limits: UrdfLimits = _LIMITS,
    strict: bool = False,
    inertia: ImpossibleInertias = "keep",
    snap: bool = True,
    gravity: Sequence[float] = _GRAVITY,
    report: UrdfReport | None = None,
) -> Mechanism:
    """Return the mechanism a URDF text describes; `file` is its name in messages. Else as `load_urdf`.

    >>> from rbd.urdf import parse_urdf
    >>> parse_urdf("<robot name='r'><link name='a'/><link name='a'/></robot>")
    Traceback (most recent call last):
    rbd.errors.UrdfTopologyError: <string>:1:33: link 'a': a second link 'a'; the first is in line 1
    """
    check_arguments("parse_urdf", limits, UrdfLimits, report, UrdfReport)
    floating, remove_fixed_joints = boolean(floating, "floating"), boolean(remove_fixed_joints, "remove_fixed_joints")
    strict, snap = boolean(strict, "strict"), boolean(snap, "snap")
    couple_joints = boolean(couple_joints, "couple_joints")
    require_kind(file, str, operation="parse_urdf", argument="file")
    require_choice(inertia, ("keep", "project"), "inertia", "treatment of inertias")
    reading = UrdfReading(strict=strict, snap=snap, project_inertias=inertia == "project", limits=limits)
    declared = check_packages(packages)
    robot = read_robot(reading, parse_xml(text_bytes(text, file, URDF), file=file, limits=limits, file_format=URDF))
    mechanism = build_mechanism(
        reading, robot, floating=floating, couple_joints=couple_joints, remove_fixed_joints=remove_fixed_joints,
        gravity=gravity,
    )  # fmt: skip
    contents = _report(reading, robot, declared, file)
    emit_warning(contents, UrdfWarning)
    if report is not None:
        report.update_from(contents)
    return mechanism


def _report(reading: UrdfReading, robot: UrdfRobot, packages: Packages, file: str) -> UrdfReport:
    """Return the findings, and the contents of the file that a mechanism does not have."""
    report = UrdfReport()
    report.name, report.file, report.packages = robot.name, file, packages
    report.ignored, report.warnings, report.snapped = reading.ignored, reading.warnings, reading.snapped
    report.mimics = [joint.mimic.entry for joint in robot.joints.values() if joint.mimic is not None]
    report.geometries = [geometry for link in robot.links.values() for geometry in link.geometries]
    return report
