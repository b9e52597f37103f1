"""Meshes on the ground: their convex hulls, of a few vertices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from rbd.cli.robot_file import RobotFile
from rbd.errors import FileError, MissingPackageError
from rbd.meshes.rounded_hulls import MeshHull

if TYPE_CHECKING:
    from rbd.contact import CollisionModel
    from rbd.files.collision_shapes import ShapeMaker
    from rbd.mjcf import MjcfReport
    from rbd.urdf import UrdfReport

_POINTS: Final = 32
"""Points of a hull, at most."""
_ROUNDING: Final = 1e-6
"""Radius of hulls (m): distances from the ground need none."""
_Mesh: TypeAlias = tuple[int, Callable[[], MeshHull]]
"""The index of the shape of a mesh in its report, and what makes its hull."""


def model_with_meshes(robot: RobotFile) -> tuple[CollisionModel, list[str]]:
    """Return the collision model of a file, with convex hulls of meshes, and what was done to these as lines."""
    from rbd.mjcf.collisions import model_with_hulls as model_of_mjcf
    from rbd.urdf import UrdfReport
    from rbd.urdf.collisions import model_with_hulls as model_of_urdf

    report = robot.report
    if isinstance(report, UrdfReport):
        hulls, lines = _hulls(_of_urdf(report))
        return model_of_urdf(robot.mechanism, report, hulls), lines
    hulls, lines = _hulls(_of_mjcf(report))
    return model_of_mjcf(robot.mechanism, report, hulls), lines


def _hulls(meshes: Iterator[_Mesh]) -> tuple[dict[int, ShapeMaker], list[str]]:
    """Return the hulls of the meshes that can be read, by index, and what was done as lines."""
    hulls: dict[int, ShapeMaker] = {}
    lines: Counter[str] = Counter()
    for index, make in meshes:
        try:
            hull = make()
        except (FileError, MissingPackageError) as error:
            lines[f"meshes left out: {error}"] += 1
        else:
            hulls[index] = hull.shape
            lines[_hull_line(hull)] += 1
    return hulls, [f"{line} ({count})" for line, count in lines.items()]


def _hull_line(hull: MeshHull) -> str:
    """Return the line about a mesh that is replaced by its hull."""
    if hull.vertices == len(hull.points):
        return "meshes taken for their convex hulls"
    some = f"{len(hull.points)} of {hull.vertices} vertices"
    return f"meshes taken for convex hulls of {some}, others up to {hull.beyond:.2g} m outside"


def _of_urdf(report: UrdfReport) -> Iterator[_Mesh]:
    from rbd.urdf.meshes import hull_of_mesh

    for index, geometry in enumerate(report.geometries):
        if geometry.use == "collision" and geometry.shape == "mesh":
            yield index, partial(hull_of_mesh, report, geometry, _POINTS, _ROUNDING)


def _of_mjcf(report: MjcfReport) -> Iterator[_Mesh]:
    from rbd.mjcf.collisions import geoms_in_pairs

    for index, geom in geoms_in_pairs(report).items():
        if geom.mesh is not None:
            yield index, partial(report.mesh_hull, geom, _POINTS, rounding=_ROUNDING)
