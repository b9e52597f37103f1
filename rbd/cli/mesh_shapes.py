"""Meshes on the ground: their convex hulls, of a few vertices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from rbd.cli.robot_file import RobotFile
from rbd.errors import FileError, MissingPackageError
from rbd.files.mesh_hulls import MeshHull
from rbd.files.meshes import FORMATS, Vertices, read_vertices
from rbd.files.shapes import in_new_frame

if TYPE_CHECKING:
    from rbd.contact import CollisionModel, Shape
    from rbd.files.pose import Matrix3, Triple
    from rbd.mjcf import MjcfReport
    from rbd.urdf import UrdfReport

_POINTS: Final = 32
"""Points of a hull, at most."""
_ROUNDING: Final = 1e-6
"""Radius of hulls (m): distances from the ground need none."""
_Mesh: TypeAlias = "tuple[str, tuple[Matrix3, Triple], Callable[[], MeshHull]]"
"""The link of a mesh, its pose there, and what makes its hull."""


def add_meshes(robot: RobotFile, model: CollisionModel) -> tuple[list[Shape], list[str]]:
    """Add the convex hulls of collision meshes; return the shapes, and what was done as lines."""
    from rbd.urdf import UrdfReport

    shapes: list[Shape] = []
    lines: Counter[str] = Counter()
    report = robot.report
    meshes = _of_urdf(report) if isinstance(report, UrdfReport) else _of_mjcf(report)
    for number, (link, pose, make) in enumerate(meshes):
        try:
            hull = make()
        except (FileError, MissingPackageError) as error:
            lines[f"meshes left out: {error}"] += 1
        else:
            shape = in_new_frame(robot.mechanism, link, f"{link}#mesh{number}", pose, hull.shape)
            shapes.append(shape.add_to(model))
            lines[_taken(hull)] += 1
    return shapes, [f"{line} ({count})" for line, count in lines.items()]


def _taken(hull: MeshHull) -> str:
    """Return what a mesh was taken for."""
    if hull.vertices == len(hull.points):
        return "meshes taken for their convex hulls"
    some = f"{len(hull.points)} of {hull.vertices} vertices"
    return f"meshes taken for convex hulls of {some}, others up to {hull.beyond:.2g} m outside"


def _of_urdf(report: UrdfReport) -> Iterator[_Mesh]:
    from rbd.urdf.meshes import hull_of_mesh

    for geometry in report.geometries:
        if geometry.use == "collision" and geometry.shape == "mesh":
            hull = partial(hull_of_mesh, report, geometry, _POINTS, _ROUNDING, _vertices)
            yield geometry.link, (geometry.rotation, geometry.translation), hull


def _of_mjcf(report: MjcfReport) -> Iterator[_Mesh]:
    from rbd.mjcf.collisions import geoms_in_pairs

    for geom in geoms_in_pairs(report).values():
        if geom.mesh is not None:
            hull = partial(report.mesh_hull, geom, _POINTS, rounding=_ROUNDING)
            yield geom.body, (geom.rotation, geom.translation), hull


def _vertices(data: bytes, suffix: str) -> Vertices:
    """Return the vertices of a mesh; of formats that hulls are not made of, those that the viewer shows."""
    from rbd.viz.mesh_surfaces import read_surfaces

    if suffix.lower() in FORMATS:
        return read_vertices(data, suffix)
    return np.concatenate([surface.vertices for surface, _ in read_surfaces(data, suffix)])
