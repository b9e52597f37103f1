"""`load_mjcf` and `parse_mjcf`: construction of a Mechanism from an MJCF file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, final

import attrs

from rbd.arguments import boolean, file_path, require_kind
from rbd.errors import MjcfSyntaxError, quoted
from rbd.files.formats import MJCF
from rbd.files.reading import check_arguments
from rbd.files.report import emit_warning
from rbd.files.source import read_bytes, text_bytes
from rbd.files.xml import XmlElement, parse_xml
from rbd.mechanism import Mechanism
from rbd.mjcf.assets import Assets
from rbd.mjcf.bodies import read_bodies
from rbd.mjcf.build import build_mechanism
from rbd.mjcf.contacts import MjcfContacts, read_contacts
from rbd.mjcf.damping_ratios import resolve_ratios
from rbd.mjcf.defaults import read_defaults
from rbd.mjcf.equality import read_equality
from rbd.mjcf.files import IncludeExpander, ModelFiles
from rbd.mjcf.forces import MjcfForces, read_forces
from rbd.mjcf.inertials import inertials_of_bodies
from rbd.mjcf.keyframes import MjcfKeyframes, read_keyframes
from rbd.mjcf.limits import MjcfLimits
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
    data, file = read_bytes(path, limits.bytes, MJCF), os.fsdecode(path)
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
    strict, remove_fixed_joints = boolean(strict, "strict"), boolean(remove_fixed_joints, "remove_fixed_joints")
    couple_joints = boolean(couple_joints, "couple_joints")
    require_kind(file, str, operation="parse_mjcf", argument="file")
    reading = MjcfReading(strict=strict, couple_joints=couple_joints, limits=limits)
    files = ModelFiles(_path(directory, "directory"), _path(root, "root"), limits)
    tree = parse_xml(text_bytes(text, file, MJCF), file=file, limits=limits, file_format=MJCF)
    model = _read_model(reading, tree, files)
    if remove_fixed_joints:
        with reading.errors_at(tree):
            model.mechanism.remove_fixed_joints()
    contents = _report(reading, model, tree.attributes.get("model", ""), file)
    emit_warning(contents, MjcfWarning)
    if report is not None:
        report.update_from(contents)
    return model.mechanism


@final
@attrs.frozen(eq=False)
class _Model:
    """The contents of a file: a mechanism, and what mechanisms do not have."""

    mechanism: Mechanism
    forces: MjcfForces
    contacts: MjcfContacts
    keyframes: MjcfKeyframes
    assets: Assets


def _read_model(reading: MjcfReading, tree: XmlElement, files: ModelFiles) -> _Model:
    """Return the contents of a file; its errors are collected before and after there is a mechanism."""
    _read_preliminaries(reading, tree, files)
    assets = Assets(reading, tree, files)
    bodies = read_bodies(reading, tree, assets)
    inertials = inertials_of_bodies(reading, bodies)
    forces = read_forces(reading, tree, bodies, inertials)
    constraints = read_equality(reading, tree, bodies)
    reading.raise_collected()
    mechanism = build_mechanism(reading, bodies, inertials, forces.armatures, constraints)
    contacts = read_contacts(reading, tree, bodies)
    keyframes = read_keyframes(reading, tree, bodies, mechanism, len(forces.actuators))
    reading.raise_collected()
    ratios = resolve_ratios(reading, tree, bodies, forces, mechanism, keyframes.reference)
    for name, damping in ratios.joint_damping.items():
        mechanism.joint(name).damping = damping
    return _Model(mechanism, ratios.forces, contacts, keyframes, assets)


def _read_preliminaries(reading: MjcfReading, tree: XmlElement, files: ModelFiles) -> None:
    """Include files, check the sections, and read the settings and default classes, which other sections need."""
    _check_root(reading, tree)
    IncludeExpander(files).expand(tree)
    _check_sections(reading, tree)
    reading.settings = read_settings(reading, tree)
    reading.defaults = read_defaults(reading, tree)


def _report(reading: MjcfReading, model: _Model, name: str, file: str) -> MjcfReport:
    """Return the findings, and the contents of the file that a mechanism does not have."""
    forces, contacts, report = model.forces, model.contacts, MjcfReport()
    report.name, report.file, report.time_step = name, file, reading.settings.time_step
    report.ignored, report.warnings = reading.ignored, reading.warnings
    supported = [k for k, actuator in enumerate(forces.actuators) if actuator is not None]
    report.actuators = [actuator for actuator in forces.actuators if actuator is not None]
    report.controls = {name: control[supported] for name, control in model.keyframes.controls.items()}
    report.keyframes, report.springs = model.keyframes.states, forces.springs
    report.gravity_compensations = forces.gravity_compensations
    report.compensated_by_actuators = forces.compensated_by_actuators
    report.geoms, report.pairs, report.pair_friction = contacts.geoms, contacts.pairs, contacts.pair_friction
    report.set_assets(model.assets)
    return report


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


def _path(path: str | os.PathLike[str] | None, argument: str) -> Path | None:
    return None if path is None else file_path(path, operation="parse_mjcf", argument=argument)
