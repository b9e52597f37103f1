"""`load_mjcf` and `parse_mjcf`: construction of a Mechanism from an MJCF file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, final

import attrs

from rbd.arguments import flag, require_kind
from rbd.errors import MjcfSyntaxError, quoted
from rbd.files.formats import MJCF
from rbd.files.reading import check_arguments
from rbd.files.report import emit_warning
from rbd.files.source import read_bytes, text_bytes
from rbd.files.xml import XmlElement, parse_xml
from rbd.mechanism import Mechanism
from rbd.mjcf.bodies import BodyReader
from rbd.mjcf.build import Builder
from rbd.mjcf.contacts import ContactReader
from rbd.mjcf.damping_ratios import apply_damping_ratios
from rbd.mjcf.defaults import read_defaults
from rbd.mjcf.description import MjcfBody
from rbd.mjcf.equality import EqualityReader
from rbd.mjcf.files import Files, Inclusion
from rbd.mjcf.forces import Actuators, read_forces
from rbd.mjcf.geoms import GeomReader
from rbd.mjcf.keyframes import KeyframeReader
from rbd.mjcf.limits import MjcfLimits
from rbd.mjcf.masses import assign_masses
from rbd.mjcf.meshes import Meshes
from rbd.mjcf.options import read_settings
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.report import MjcfReport, MjcfWarning
from rbd.mjcf.schema import SECTIONS, SECTIONS_WITHOUT_EFFECT

_LIMITS: Final = MjcfLimits()


def load_mjcf(
    path: str | os.PathLike[str],
    *,
    strict: bool = False,
    remove_fixed_joints: bool = True,
    couple_joints: bool = True,
    root: str | os.PathLike[str] | None = None,
    limits: MjcfLimits = _LIMITS,
    report: MjcfReport | None = None,
) -> Mechanism:
    """Return the mechanism of an MJCF file; its dynamics are those of MuJoCo's model without contacts and constraints.

    The root body is "world". Bodies and joints come in the order of the file, with their names; a nameless one is
    called `body#3` or `joint#2` after its number. A body with several joints is a chain of bodies, of which the last
    has the mass and the name. Joint coordinates are MuJoCo's, but for free joints (`from_mujoco`). Sites are frames,
    connections and welds loop joints, and equality constraints of joints couplings, which `couple_joints=False` leaves
    out and lists in `report.ignored`. Bodies without joints are merged into their parents unless
    `remove_fixed_joints=False`.

    `report` receives what mechanisms do not have: keyframes, actuators, springs, geoms. Unsupported elements that
    affect the dynamics are listed in `report.warnings` and announced by one MjcfWarning; `strict=True` refuses such
    files. Included files and meshes must be below the directory of the file, or below `root`. A mesh is opened only if
    the mass of a body depends on it.

    Raises MjcfError (`.file .line .column .element`); ArgumentError for a wrong argument.

    >>> import tempfile, pathlib
    >>> from rbd.mjcf import load_mjcf
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "arm.xml"
    >>> size = path.write_text('''<mujoco><worldbody><body name="arm">
    ...   <joint name="shoulder" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
    ... </body></worldbody></mujoco>''')
    >>> [joint.name for joint in load_mjcf(path).joints]
    ['shoulder']
    """
    check_arguments("load_mjcf", limits, MjcfLimits, report, MjcfReport)
    data, file = read_bytes(path, limits.bytes, MJCF)
    return parse_mjcf(
        data, file=file, directory=Path(file).parent, strict=strict, remove_fixed_joints=remove_fixed_joints,
        couple_joints=couple_joints, root=root, limits=limits, report=report,
    )  # fmt: skip


def parse_mjcf(
    text: str | bytes,
    *,
    file: str = "<string>",
    directory: str | os.PathLike[str] | None = None,
    strict: bool = False,
    remove_fixed_joints: bool = True,
    couple_joints: bool = True,
    root: str | os.PathLike[str] | None = None,
    limits: MjcfLimits = _LIMITS,
    report: MjcfReport | None = None,
) -> Mechanism:
    """Return the mechanism an MJCF text describes; `file` is its name in messages. Else as `load_mjcf`.

    Without a `directory` for relative paths, no other file is opened.

    >>> from rbd.mjcf import parse_mjcf
    >>> parse_mjcf("<mujoco><worldbody><body><geom size='-1'/></body></worldbody></mujoco>")
    Traceback (most recent call last):
    rbd.errors.MjcfValueError: <string>:1:26: worldbody > body > geom: a sphere needs 1 positive number in 'size'
    """
    check_arguments("parse_mjcf", limits, MjcfLimits, report, MjcfReport)
    strict, remove_fixed_joints = flag(strict, "strict"), flag(remove_fixed_joints, "remove_fixed_joints")
    couple_joints = flag(couple_joints, "couple_joints")
    require_kind(file, str, operation="parse_mjcf", argument="file")
    reading = MjcfReading(strict=strict, couple_joints=couple_joints, limits=limits)
    files = Files(_path(directory), _path(root), limits)
    tree = parse_xml(text_bytes(text, file, MJCF), file=file, limits=limits, file_format=MJCF)
    mechanism = _read(reading, tree, files, remove_fixed_joints)
    reading.report.name, reading.report.file = tree.attributes.get("model", ""), file
    emit_warning(reading.report, MjcfWarning)
    if report is not None:
        report.update_from(reading.report)
    return mechanism


@final
@attrs.frozen(eq=False)
class _Model:
    """Model of a file before there is a mechanism: meshes, bodies, actuators."""

    meshes: Meshes
    bodies: list[MjcfBody]
    actuators: Actuators


def _read(reading: MjcfReading, tree: XmlElement, files: Files, remove_fixed_joints: bool) -> Mechanism:
    """Return the mechanism of a file."""
    _check_root(reading, tree)
    Inclusion(files).expand(tree)
    _check_sections(reading, tree)
    model = _model(reading, tree, files)
    mechanism = _mechanism(reading, tree, model)
    reading.report.time_step, reading.report.meshes = reading.settings.time_step, model.meshes
    if remove_fixed_joints:
        with reading.errors_at(tree):
            mechanism.remove_fixed_joints()
    return mechanism


def _model(reading: MjcfReading, tree: XmlElement, files: Files) -> _Model:
    """Read the bodies with their masses, and the forces; raise what was collected."""
    read_settings(reading, tree)
    read_defaults(reading, tree)
    meshes = Meshes(reading, tree, files)
    bodies = BodyReader(reading, GeomReader(reading, meshes)).read(tree)
    assign_masses(reading, bodies)
    actuators = read_forces(reading, tree, bodies)
    reading.raise_collected()
    return _Model(meshes, bodies, actuators)


def _mechanism(reading: MjcfReading, tree: XmlElement, model: _Model) -> Mechanism:
    """Build the mechanism, then read what refers to its joints; raise what was collected."""
    bodies = model.bodies
    builder = Builder(reading, bodies, model.actuators.armatures)
    builder.build()
    EqualityReader(reading, bodies, builder).read(tree)
    ContactReader(reading, bodies).read(tree)
    KeyframeReader(reading, bodies, builder.mechanism, model.actuators.supported).read(tree)
    reading.raise_collected()
    apply_damping_ratios(reading, tree, bodies, builder.mechanism)
    return builder.mechanism


def _check_root(reading: MjcfReading, tree: XmlElement) -> None:
    if tree.tag != "mujoco":
        hint = ": this is a URDF file; rbd.load_urdf reads those" if tree.tag == "robot" else ""
        raise reading.error(MjcfSyntaxError, tree, f"the root element must be <mujoco>, not {quoted(tree.tag)}{hint}")


def _check_sections(reading: MjcfReading, tree: XmlElement) -> None:
    for node in tree.children:
        if node.tag in SECTIONS_WITHOUT_EFFECT:
            reading.ignore(node, reason="without effect on the dynamics")
        elif node.tag not in SECTIONS:
            reading.warn_or_refuse(node, "unknown section")


def _path(path: str | os.PathLike[str] | None) -> Path | None:
    return None if path is None else Path(path)
