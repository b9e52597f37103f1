"""Shapes on the ground in place of those that collision models lack: cylinders, ellipsoids and meshes.

Long cylinders become capsules of their length, as legs are, short ones spheres of their radius, as wheels are;
ellipsoids and meshes become the boxes around them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

import attrs
import numpy as np

from rbd.cli.robot_file import RobotFile
from rbd.errors import MissingPackageError, MjcfError, UrdfPathError
from rbd.files.pose import Pose
from rbd.files.shapes import SHAPES, add_shape

if TYPE_CHECKING:
    from rbd.contact import CollisionModel, Shape
    from rbd.mjcf import MjcfReport
    from rbd.mjcf.report import Geom
    from rbd.scalars.arrays import Array
    from rbd.spatial import Frame
    from rbd.urdf import Geometry, UrdfReport

_THINNEST: Final = 1e-4
"""The shortest edge of a box (m)."""
Made: TypeAlias = "tuple[str, Pose, Callable[[Frame[Any]], Shape]]"
"""What shapes are taken for; the pose of one in the frame of its link; the shape in a frame."""


@final
@attrs.frozen(eq=False)
class _Other:
    """A shape of a file that collision models lack, and how to make its stand-in."""

    kind: str
    link: str
    make: Callable[[], Made]


def add_stand_ins(robot: RobotFile, model: CollisionModel) -> tuple[list[Shape], list[str]]:
    """Add what stands for the collision shapes that models lack; return the shapes, and what was done as lines."""
    from rbd.urdf import UrdfReport
    from rbd.viz.mesh_files import MeshFileError

    shapes: list[Shape] = []
    lines: Counter[str] = Counter()
    report = robot.report
    for number, other in enumerate(_of_urdf(report) if isinstance(report, UrdfReport) else _of_mjcf(report)):
        try:
            taken_for, pose, shape = other.make()
        except (MeshFileError, UrdfPathError, MjcfError, MissingPackageError) as error:
            lines[f"{other.kind} left out: {error}"] += 1
        else:
            name, place = f"{other.link}#stand-in{number}", (pose.rotation, pose.translation)
            shapes.append(add_shape(model, robot.mechanism, other.link, name, place, shape))
            lines[f"{other.kind} taken for {taken_for}"] += 1
    return shapes, [f"{line} ({count})" for line, count in lines.items()]


def _of_urdf(report: UrdfReport) -> Iterator[_Other]:
    for geometry in report.geometries:
        if geometry.use == "collision" and geometry.shape not in SHAPES:
            pose = Pose(geometry.rotation, geometry.translation)
            if geometry.shape == "cylinder":
                yield _Other("cylinders", geometry.link, partial(_round, pose, *geometry.size))
            else:
                yield _Other("meshes", geometry.link, partial(_around, pose, partial(_vertices, report, geometry)))


def _of_mjcf(report: MjcfReport) -> Iterator[_Other]:
    for number in sorted({number for pair in report.pairs for number in pair}):
        geom = report.geoms[number]
        pose, (x, y, z) = Pose(geom.rotation, geom.translation), geom.size
        if geom.shape == "cylinder":
            yield _Other("cylinders", geom.body, partial(_round, pose, x, 2 * y))
        elif geom.shape == "ellipsoid":
            corners = np.array([(-x, -y, -z), (x, y, z)])
            yield _Other("ellipsoids", geom.body, partial(_around, pose, corners.copy))
        elif geom.mesh is not None:
            yield _Other("meshes", geom.body, partial(_around, pose, partial(_corners, report, geom)))


def _vertices(report: UrdfReport, geometry: Geometry) -> Array:
    from rbd.viz.mesh_files import read_surfaces

    surfaces = read_surfaces(report.resolve_mesh(geometry))
    points = np.concatenate([surface.vertices for surface, _ in surfaces])
    return np.asarray(points * np.array(geometry.size), dtype=np.float64)


def _corners(report: MjcfReport, geom: Geom) -> Array:
    return report.surface(geom)[0]


def _round(pose: Pose, radius: float, length: float) -> Made:
    from rbd.contact import Capsule, Sphere

    if length < 2 * radius:
        return "spheres", pose, lambda frame: Sphere(frame, radius)
    return "capsules", pose, lambda frame: Capsule(frame, length - 2 * radius, radius)


def _around(pose: Pose, vertices: Callable[[], Array]) -> Made:
    from rbd.contact import Box

    points = vertices()
    low, high = points.min(axis=0), points.max(axis=0)
    size = np.maximum(high - low, _THINNEST)
    x, y, z = ((low + high) / 2).tolist()
    return "the boxes around them", pose @ Pose(translation=(x, y, z)), lambda frame: Box(frame, size)
