"""Robot files: found by path or in installed packages, read as URDF or MJCF."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, final

import attrs
import numpy as np

from rbd.cli.installed import installed_file
from rbd.errors import ArgumentError, printable
from rbd.files.xml import root_tag

if TYPE_CHECKING:
    from rbd.mechanism import Mechanism
    from rbd.mjcf import MjcfReport
    from rbd.urdf import UrdfReport

FileFormat: TypeAlias = Literal["urdf", "mjcf"]
Keyframes: TypeAlias = Mapping[str, tuple[np.ndarray, np.ndarray]]
"""Configurations and velocities by name."""

_BEGINNING = 1_000_000
"""Bytes in which the first element of a file is looked for."""


@final
@attrs.frozen(eq=False)
class RobotFile:
    """A robot file that was read: its path and format, the mechanism, and the report of the reader."""

    path: Path
    file_format: FileFormat
    mechanism: Mechanism
    report: UrdfReport | MjcfReport

    @property
    def printable_path(self) -> str:
        """The path, with control characters escaped."""
        return printable(str(self.path))

    @property
    def title(self) -> str:
        """The name of the robot, if it has one, and the path."""
        return f"{printable(self.report.name)} ({self.printable_path})" if self.report.name else self.printable_path

    @property
    def keyframes(self) -> Keyframes:
        """The keyframes; URDF has none."""
        from rbd.mjcf import MjcfReport

        return self.report.keyframes if isinstance(self.report, MjcfReport) else {}

    @property
    def summary(self) -> str:
        """The numbers of bodies, joints, coordinates and velocities, and the mass."""
        robot = self.mechanism
        bodies, joints = len(robot.bodies) - 1, len(robot.joints)
        return f"{bodies} bodies, {joints} joints, nq = {robot.nq}, nv = {robot.nv}, mass {robot.mass:g} kg"


def read_robot(options: argparse.Namespace) -> RobotFile:
    """Read the file of the options of `add_file`; warnings are in the report."""
    from rbd import mjcf, urdf

    path, packages = find_file(options.file)
    arguments: dict[str, Any] = {"remove_fixed_joints": not options.keep_fixed}
    if is_mjcf(path):
        _refuse_options_of_urdf(options)
        return _read(mjcf.load_mjcf, path, path, "mjcf", arguments)
    arguments |= {"floating": options.floating, "packages": packages | dict(options.package)}
    return _read(urdf.load_urdf, path, path, "urdf", arguments)


def _refuse_options_of_urdf(options: argparse.Namespace) -> None:
    if options.floating:
        message = "--floating is for URDF; an MJCF file says which bodies float (<freejoint/>)"
        raise ArgumentError(message, argument="floating", value=True)
    if options.package:
        message = "--package is for URDF; the paths of an MJCF file begin at its directory"
        raise ArgumentError(message, argument="package", value=options.package)


def parse_robot(text: str, file_format: FileFormat, path: Path) -> RobotFile:
    """Return the robot of a text, with its fixed joints, as if it were in the file `path`."""
    from rbd import mjcf, urdf

    reader = urdf.parse_urdf if file_format == "urdf" else mjcf.parse_mjcf
    return _read(reader, text, path, file_format, {"file": str(path), "remove_fixed_joints": False})


def _read(
    reader: Callable[..., Mechanism], source: str | Path, path: Path, file_format: FileFormat, options: dict[str, Any]
) -> RobotFile:
    """Return the robot that a reader makes of a source, a text or the path itself, with these options."""
    from rbd import mjcf, urdf

    report = urdf.UrdfReport() if file_format == "urdf" else mjcf.MjcfReport()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", urdf.UrdfWarning)
        warnings.simplefilter("ignore", mjcf.MjcfWarning)
        return RobotFile(path, file_format, reader(source, **options, report=report), report)


def find_file(text: str) -> tuple[Path, dict[str, Path]]:
    """Return the path of a file, by its path or as PACKAGE:NAME, and the packages that it lies in, by name.

    A folder above the file is the package of its name if it has a `package.xml`.
    """
    path = Path(text)
    package, colon, name = text.partition(":")
    if len(package) > 1 and colon and name and not path.exists():
        path = installed_file(package, name)
    return path, {folder.name: folder for folder in path.absolute().parents if (folder / "package.xml").is_file()}


def is_mjcf(path: Path) -> bool:
    """Whether the root element of a file is that of MJCF."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return root_tag(stream.read(_BEGINNING)) == "mujoco"
