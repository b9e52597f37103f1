"""Report of reading a URDF file: ignored elements, snapped values, warnings, shapes.

A `UrdfReport` is filled by `load_urdf(..., report=report)` when loading succeeds; a refused file leaves it as it was.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, final

import attrs
from typing_extensions import override

from rbd.arguments import require_kind
from rbd.errors import ArgumentError
from rbd.files.pose import FloatMat3, FloatVec3
from rbd.files.report import FileReport
from rbd.scalars.number_checks import above_zero
from rbd.urdf.packages import Packages, resolve_mesh

if TYPE_CHECKING:
    from rbd.contact import CollisionModel
    from rbd.mechanism import Mechanism
    from rbd.meshes.rounded_hulls import MeshHull


Snappable: TypeAlias = Literal["rotation", "translation", "axis"]


@final
@attrs.frozen
class Snapped:
    """A placement or axis that was changed to a coordinate-aligned value within rounding errors.

    >>> from rbd.urdf import parse_urdf
    >>> report = UrdfReport()
    >>> robot = parse_urdf('''<robot name="r"><link name="a"/><link name="b"/><joint name="turn" type="continuous">
    ...   <parent link="a"/><child link="b"/><origin rpy="1.5707963 0 0"/></joint></robot>''', report=report)
    >>> report.snapped[0].element, report.snapped[0].what
    ("joint 'turn' > origin", 'rotation')
    """

    element: str
    what: Snappable
    line: int
    old: tuple[float, ...]
    new: tuple[float, ...]


@final
class UrdfWarning(UserWarning):
    """A file was loaded with corrected values, or with inertias that no rigid body has."""


@final
@attrs.frozen
class Mimic:
    """A joint that asks to follow another: position = multiplier * source + offset.

    It becomes a coupling of the mechanism, unless a warning says otherwise.

    >>> from rbd.urdf import parse_urdf
    >>> report = UrdfReport()
    >>> robot = parse_urdf('''<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
    ...   <joint name="left" type="continuous"><parent link="a"/><child link="b"/></joint>
    ...   <joint name="right" type="continuous"><parent link="a"/><child link="c"/>
    ...     <mimic joint="left" multiplier="-1"/></joint></robot>''', report=report)
    >>> [(mimic.joint, mimic.source, mimic.multiplier) for mimic in report.mimics]
    [('right', 'left', -1.0)]
    """

    joint: str
    source: str
    multiplier: float
    offset: float
    line: int


@final
@attrs.frozen
class Geometry:
    """One visual or collision shape; meshes are references, never opened while loading.

    `rotation` (rows) and `translation` place the shape in the frame of `link`. `size`: box edge lengths; radius and
    length of a cylinder or capsule; radius of a sphere; the three scale factors of a mesh.

    >>> from rbd.urdf import parse_urdf
    >>> report = UrdfReport()
    >>> robot = parse_urdf('''<robot name="r"><link name="a"><collision>
    ...   <geometry><box size="1 2 3"/></geometry></collision></link></robot>''', report=report)
    >>> report.geometries[0].link, report.geometries[0].shape, report.geometries[0].size
    ('a', 'box', (1.0, 2.0, 3.0))
    """

    link: str
    use: Literal["visual", "collision"]
    shape: Literal["box", "cylinder", "sphere", "capsule", "mesh"]
    size: tuple[float, ...]
    rotation: FloatMat3
    translation: FloatVec3
    line: int
    mesh: str | None = None
    color: tuple[float, float, float, float] | None = None
    name: str | None = None


@final
class UrdfReport(FileReport):
    """Report of `load_urdf`: ignored elements, snapped values, warnings, shapes.

    >>> from rbd.urdf import UrdfReport, parse_urdf
    >>> report = UrdfReport()
    >>> robot = parse_urdf("<robot name='r'><link name='a'/><gadget/></robot>", report=report)
    >>> [(entry.element, entry.line) for entry in report.ignored]
    [('gadget', 1)]
    """

    def __init__(self) -> None:
        """Begin empty."""
        super().__init__()
        self.directory: Path | None = None
        self.packages: Packages = {}
        self.snapped: list[Snapped] = []
        self.mimics: list[Mimic] = []
        self.geometries: list[Geometry] = []

    @property
    def meshes(self) -> list[Geometry]:
        """The visual and collision shapes that are mesh files."""
        return [geometry for geometry in self.geometries if geometry.mesh is not None]

    def resolve_mesh(self, mesh: Geometry | str, packages: Mapping[str, str | os.PathLike[str]] | None = None) -> Path:
        """Return the file `mesh` names, inside its package or the robot file's directory; raise UrdfPathError."""
        require_kind(mesh, Geometry, str, operation="UrdfReport.resolve_mesh", argument="mesh")
        reference = mesh if isinstance(mesh, str) else mesh.mesh or ""
        places = self.packages if packages is None else packages
        return resolve_mesh(reference, packages=places, directory=self.directory)

    def mesh_hull(self, mesh: Geometry, points: int = 32, *, rounding: float = 1e-3) -> MeshHull:
        """Return the convex hull of a mesh, of its farthest vertices, in its own frame; this opens its file.

        There are at most `points`, from 4 to 128. Faces are where those of these vertices are; edges have the radius
        `rounding` (m), less if the hull is thin, which cuts sharp corners by more. Flat meshes and those thinner than
        1e-8 of their extent are rounded on both sides, those of more than 500 km by more than a millimetre. Coordinates
        are rounded to single precision. Raises ArgumentError, UrdfPathError for a file that cannot be read,
        UrdfRefusedError for one of more than 100 MB, and UrdfValueError for one that is no mesh in the format STL, OBJ
        or MSH, nor one that trimesh reads (extra `viz`): COLLADA, GLB, OFF, PLY; or a mesh without a hull.
        """
        from rbd.contact.geometry.convex_hulls import checked_hull_points
        from rbd.urdf.meshes import hull_of_mesh

        require_kind(mesh, Geometry, operation="UrdfReport.mesh_hull", argument="mesh")
        if mesh.mesh is None:
            raise ArgumentError(f"mesh is a {mesh.shape}, not a mesh", argument="mesh", value=mesh)
        return hull_of_mesh(self, mesh, checked_hull_points(points, "points"), above_zero(rounding, "rounding"))

    def collision_model(self, mechanism: Mechanism, *, hull_points: int | None = None) -> CollisionModel:
        """Return the collision model of a mechanism that was read with this report.

        It has the collision shapes that are boxes, spheres, capsules and cylinders, and all pairs of bodies that no
        joint connects, except those of a cylinder and anything but a sphere, whose distance is not known. With
        `hull_points`, from 4 to 128, it has these, too, by hulls with so many corners (`Cylinder.hull_points`), and the
        convex hulls of meshes (`mesh_hull`), which opens their files. Hulls may overlap only up to their radii. Each
        shape adds a frame to its body.

        >>> from rbd.urdf import UrdfReport, parse_urdf
        >>> report = UrdfReport()
        >>> ball = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
        >>> robot = parse_urdf(f"<robot name='r'><link name='a'>{ball}</link></robot>", report=report, floating=True)
        >>> report.collision_model(robot)
        <collision model: 1 shapes, 0 pairs>
        """
        from rbd.urdf.collisions import collision_model

        return collision_model(mechanism, self, hull_points)

    @override
    def counts(self) -> dict[str, int]:
        return {
            "ignored": len(self.ignored), "snapped": len(self.snapped), "warnings": len(self.warnings),
            "meshes": len(self.meshes),
        }  # fmt: skip
