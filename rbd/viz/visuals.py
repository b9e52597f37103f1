"""Visuals of bodies: shapes of robot files or of a collision model, or boxes with the inertia of bodies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal, TypeAlias, final

import attrs
import numpy as np

from rbd.arguments import require_kind
from rbd.contact import CollisionModel
from rbd.contact.geometry.shapes import Shape, is_ground
from rbd.errors import ArgumentError, MissingPackageError, MjcfError, UrdfError
from rbd.mechanism import Mechanism, RigidBody
from rbd.meshes.colored_meshes import Color
from rbd.meshes.mesh_files import MeshFault
from rbd.mjcf import MjcfReport
from rbd.mjcf.report import Geom
from rbd.scalars import to_float_array
from rbd.scalars.arrays import Array
from rbd.spatial.half_space import HalfSpace
from rbd.urdf import Geometry, UrdfReport
from rbd.urdf.meshes import read_mesh_file
from rbd.viz.shape_surfaces import PALETTE, largest_radius, surface_of
from rbd.viz.surfaces import (
    ColoredSurface,
    Surface,
    box,
    capsule,
    cylinder,
    ellipsoid,
    height_field,
    read_surfaces,
    sphere,
    square,
)

Shapes: TypeAlias = "CollisionModel | UrdfReport | MjcfReport"
Use: TypeAlias = Literal["visual", "collision", "inertia"]

_MESH: Final[Color] = (0.75, 0.77, 0.80, 1.0)
_COLLISION: Final[Color] = (0.85, 0.45, 0.15, 0.5)
_GROUND: Final[Color] = (0.85, 0.85, 0.85, 0.6)
_THINNEST: Final = 1e-4
_HIDDEN_GROUP: Final = 3
"""Geoms of MJCF files with this group or a higher one are for collisions only, by convention."""


@final
@attrs.frozen(eq=False)
class Visual:
    """A surface fixed to a body; `pose` (4, 4) maps its coordinates to those of the body's default frame."""

    body: RigidBody
    use: Use
    surface: Surface
    pose: Array
    color: Color


@final
class Visuals:
    """The visuals of a mechanism, and why shapes of the file are missing."""

    def __init__(self, mechanism: Mechanism, shapes: Shapes | None = None) -> None:
        """Collect them; `shapes` is a collision model, or the report of the file the mechanism was read from."""
        self.mechanism = mechanism
        self.missing: list[str] = []
        self._meshes: dict[str, list[ColoredSurface] | None] = {}
        read = [] if shapes is None else self._of(shapes)
        self.all: list[Visual] = [*read, *inertia_boxes(mechanism)]

    def _of(self, shapes: Shapes) -> list[Visual]:
        require_kind(shapes, CollisionModel, UrdfReport, MjcfReport, operation="Viewer", argument="shapes")
        if isinstance(shapes, CollisionModel):
            if shapes.mechanism is not self.mechanism:
                message = "shapes: the collision model belongs to another mechanism"
                raise ArgumentError(message, argument="shapes", value=shapes)
            return [_of_model(shapes, shape) for shape in shapes.shapes]
        if isinstance(shapes, UrdfReport):
            return [visual for geometry in shapes.geometries for visual in self._of_urdf(shapes, geometry)]
        return [visual for geom in shapes.geoms for visual in self._of_mjcf(shapes, geom)]

    def shown(self, body: RigidBody) -> list[Visual]:
        """Return the visuals of a body: its visual shapes, else its collision shapes, else its inertia box."""
        own = [visual for visual in self.all if visual.body is body]
        for use in ("visual", "collision", "inertia"):
            chosen = [visual for visual in own if visual.use == use]
            if chosen:
                return chosen
        return []

    # ---------------------------------------------------------------- files

    def _placed(self, link: str, rotation: Any, translation: Any) -> tuple[RigidBody, Array]:
        """Return the body of a link's frame, and a pose given in that frame in the body's default frame."""
        frame = self.mechanism.frame(link)
        body = self.mechanism.body_of_frame(frame)
        own = np.eye(4)
        own[:3, :3], own[:3, 3] = rotation, translation
        to_default = body.fixed_transform(frame, body.default_frame)
        return body, np.asarray(to_default.matrix @ own, dtype=np.float64)

    def _of_urdf(self, report: UrdfReport, geometry: Geometry) -> Iterator[Visual]:
        body, pose = self._placed(geometry.link, geometry.rotation, geometry.translation)
        plain = _MESH if geometry.use == "visual" else _COLLISION
        for surface, color in self._surfaces(report, geometry):
            yield Visual(body, geometry.use, surface, pose, geometry.color or color or plain)

    def _surfaces(self, report: UrdfReport, geometry: Geometry) -> list[ColoredSurface]:
        size = geometry.size
        if geometry.shape == "mesh":
            factors = size[0], size[1], size[2]
            return [(surface.scaled(factors), color) for surface, color in self._mesh(report, geometry.mesh or "")]
        if geometry.shape == "box":
            return [(box((size[0], size[1], size[2])), None)]
        if geometry.shape == "sphere":
            return [(sphere(size[0]), None)]
        return [((cylinder if geometry.shape == "cylinder" else capsule)(size[0], size[1]), None)]

    def _mesh(self, report: UrdfReport, reference: str) -> list[ColoredSurface]:
        """Return the surfaces of a mesh file, which is read once; note why there are none."""
        if reference not in self._meshes:
            try:
                self._meshes[reference] = read_surfaces(*read_mesh_file(report, reference))
            except (UrdfError, MeshFault, MissingPackageError) as error:
                text = str(error) if isinstance(error, UrdfError) else f"mesh {reference!r}: {error}"
                self.missing.append(text)
                self._meshes[reference] = None
        return self._meshes[reference] or []

    def _of_mjcf(self, report: MjcfReport, geom: Geom) -> Iterator[Visual]:
        surface = self._asset(report, geom) if geom.mesh or geom.height_field else _of_geom(geom)
        if surface is not None and (geom.color is None or geom.color[3] > 0):
            body, pose = self._placed(geom.body, geom.rotation, geom.translation)
            use: Use = "visual" if geom.group < _HIDDEN_GROUP else "collision"
            plain = _GROUND if geom.shape in ("plane", "hfield") else _MESH if use == "visual" else _COLLISION
            yield Visual(body, use, surface, pose, geom.color or plain)

    def _asset(self, report: MjcfReport, geom: Geom) -> Surface | None:
        """Return the surface of a mesh or height field; note why there is none."""
        try:
            if geom.height_field:
                return height_field((2 * geom.size[0], 2 * geom.size[1]), report.heights(geom))
            return Surface.of_triangles(*report.surface(geom))
        except (MjcfError, MissingPackageError) as error:
            if str(error) not in self.missing:
                self.missing.append(str(error))
            return None


def _of_geom(geom: Geom) -> Surface | None:
    x, y, z = geom.size
    if geom.shape == "plane":
        return square(max(x, y) or 5.0).two_sided()
    if geom.shape == "sphere":
        return sphere(x)
    if geom.shape == "box":
        return box((2 * x, 2 * y, 2 * z))
    if geom.shape == "ellipsoid":
        return ellipsoid(geom.size)
    if geom.shape in ("capsule", "cylinder"):
        return (capsule if geom.shape == "capsule" else cylinder)(x, 2 * y)
    return None


# -------------------------------------------------------------------- collision models


def _of_model(model: CollisionModel, shape: Shape) -> Visual:
    body = model.body(shape)
    pose = body.fixed_transform(shape.frame, body.default_frame).matrix
    surface = surface_of(shape, max(2.0, 2 * largest_radius(model)))
    if isinstance(shape, HalfSpace):
        surface = surface.two_sided()
    color = _GROUND if is_ground(shape) else palette_color(model.mechanism, body)
    return Visual(body, "visual", surface, pose, color)


# -------------------------------------------------------------------- inertias


def inertia_boxes(mechanism: Mechanism) -> list[Visual]:
    """Return a box per body with mass: solid, of uniform density, with the body's mass and moments of inertia."""
    return [
        Visual(body, "inertia", box(size), pose, palette_color(mechanism, body))
        for body in mechanism.bodies
        for size, pose in _inertia_box(body)
    ]


def _inertia_box(body: RigidBody) -> Iterator[tuple[tuple[float, float, float], Array]]:
    inertia = body.inertia
    if inertia is None or body.is_root or to_float_array((inertia.mass,))[0] <= 0:
        return
    moments, axes = np.linalg.eigh(np.array(inertia.moment_about_com, dtype=np.float64))
    if float(np.linalg.det(axes)) < 0:
        axes = -axes
    mass = float(to_float_array((inertia.mass,))[0])
    squares = (
        6 / mass * (moments.sum() - 2 * moments)
    )  # m (b^2 + c^2) / 12 is the first principal moment of a box a, b, c
    x, y, z = (max(float(edge), _THINNEST) for edge in np.sqrt(np.maximum(squares, 0.0)))
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = axes, inertia.center_of_mass.xyz
    yield (x, y, z), pose


def palette_color(mechanism: Mechanism, body: RigidBody) -> Color:
    """Return a body's colour of the palette."""
    text = PALETTE[mechanism.bodies.index(body) % len(PALETTE)]
    red, green, blue = (int(text[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return red, green, blue, 1.0
