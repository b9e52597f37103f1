"""`<geom>`: shape, size, pose, and the mass it gives its body."""

from __future__ import annotations

import math
from typing import Final, final

import attrs

from rbd.arguments import with_article
from rbd.errors import MjcfValueError
from rbd.files.pose import IDENTITY, ZERO, ZERO_MATRIX, Matrix3, Pose, Triple, float_vector
from rbd.mjcf.description import MjcfGeom, Shape
from rbd.mjcf.element import MjcfElement
from rbd.mjcf.geom_inertias import extent
from rbd.mjcf.mesh_inertias import MeshInertia
from rbd.mjcf.meshes import Meshes
from rbd.mjcf.orientation import read_pose
from rbd.mjcf.pair_friction import PairFriction
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.rotations import rotation_of_z_axis
from rbd.spatial.linalg import scale33

_SHAPES: Final[tuple[Shape, ...]] = (
    "plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf",
)  # fmt: skip
_SIZES: Final = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
_STRETCHED: Final = frozenset({"capsule", "cylinder", "ellipsoid", "box"})
_DENSITY: Final = 1000.0
_SMALLEST: Final = 1e-14


@final
@attrs.frozen(eq=False)
class GeomReader:
    """Reads geoms; `with_mass` tells which of them give mass."""

    reading: MjcfReading
    meshes: Meshes

    def read(self, element: MjcfElement, frame: Pose, *, with_mass: bool) -> MjcfGeom:
        """Return a geom given in a `frame` of its body; it has a mass only `with_mass`."""
        self.reading.check(element.node)
        shape: Shape = element.choice("type", _SHAPES, "sphere")
        group = element.integer("group", 0)
        with_mass = with_mass and self.reading.settings.groups[0] <= group <= self.reading.settings.groups[1]
        pose, size, inertia = self._form(element, shape, with_mass)
        mass, moment = self._mass(element, shape, size, inertia) if with_mass else (0.0, ZERO_MATRIX)
        return MjcfGeom(
            element.node, element.name(), shape, frame @ pose, size, group,
            element.integer("contype", 1), element.integer("conaffinity", 1), self._friction(element), mass, moment,
            self._color(element), element.text("mesh") if shape == "mesh" else None,
            ZERO if inertia is None else inertia.center, element.text("hfield") if shape == "hfield" else None,
        )  # fmt: skip

    def _friction(self, element: MjcfElement) -> PairFriction:
        slide, spin, roll = friction_numbers(element, (1.0, 0.005, 0.0001))
        return PairFriction(dimensions(element, 3), slide, spin, roll, element.integer("priority", 0))

    def _color(self, element: MjcfElement) -> tuple[float, ...] | None:
        """Return the own colour of a geom, or that of its material."""
        if element.has("rgba"):
            return element.vector("rgba", (0.5, 0.5, 0.5, 1.0))
        material = element.text("material")
        return self.meshes.colors.get(material) if material else None

    # ---------------------------------------------------------------- pose and size

    def _form(self, element: MjcfElement, shape: Shape, with_mass: bool) -> tuple[Pose, Triple, MeshInertia | None]:
        if element.has("mesh") or shape in ("mesh", "sdf"):
            return self._mesh_shape(element, shape, with_mass)
        if shape == "hfield":
            x, y, up, down = self.meshes.field_size(element.node, self._reference(element, "hfield"))
            return read_pose(element), (x, y, up / 4 + down / 2), None
        if element.has("fromto"):
            return (*self._stretched(element, shape), None)
        size = self._size(element, shape, _SIZES.get(shape, 0))
        return read_pose(element), size, None

    def _reference(self, element: MjcfElement, kind: str) -> str:
        name = element.text(kind)
        if not name:
            message = f"a geom of this type needs the attribute {kind!r}"
            raise self.reading.error(MjcfValueError, element.node, message, attribute=kind)
        return name

    def _size(self, element: MjcfElement, shape: Shape, count: int) -> Triple:
        x, y, z = element.vector("size", ZERO, 1)
        if min((x, y, z)[:count], default=1.0) <= 0.0:
            node = element.source("size") or element.node
            message = f"{with_article(shape)} needs {count} positive number{'s' if count > 1 else ''} in 'size'"
            raise self.reading.error(MjcfValueError, node, message, attribute="size")
        return x, y, z

    def _stretched(self, element: MjcfElement, shape: Shape) -> tuple[Pose, Triple]:
        """Return pose and size of a shape that reaches from one point to another."""
        if shape not in _STRETCHED:
            message = f"fromto is for {', '.join(sorted(_STRETCHED))}, not for {with_article(shape)}"
            raise self.reading.error(MjcfValueError, element.node, message, attribute="fromto")
        pose, half = self.fromto_pose(element)
        width = self._size(element, shape, 1)[0]
        return pose, (width, half, 0.0) if shape in ("capsule", "cylinder") else (width, width, half)

    def fromto_pose(self, element: MjcfElement) -> tuple[Pose, float]:
        """Return the pose half way between the points of `fromto`, its z axis along them, and half their distance."""
        a, b, c, x, y, z = element.vector("fromto", (0.0,) * 6)
        along = (a - x, b - y, c - z)
        rotation = rotation_of_z_axis(along)
        if rotation is None:
            raise self.reading.error(MjcfValueError, element.node, "fromto: the points are one", attribute="fromto")
        return Pose(rotation, ((a + x) / 2, (b + y) / 2, (c + z) / 2)), math.hypot(*along) / 2

    def _mesh_shape(
        self, element: MjcfElement, shape: Shape, with_mass: bool
    ) -> tuple[Pose, Triple, MeshInertia | None]:
        """Return pose and size of a mesh, or of the simple shape that is fitted to it."""
        name = self._reference(element, "mesh")
        if element.has("fromto"):
            raise self.reading.error(MjcfValueError, element.node, "a mesh has no fromto", attribute="fromto")
        pose = read_pose(element)
        if shape == "sdf":
            self.reading.warn_or_refuse(element.node, "signed distance fields are not supported; the geom has no mass")
            return pose, ZERO, None
        if shape == "mesh":
            self.meshes.require(element.node, name)
            inertia = self.meshes.mesh_inertia(element.node, name) if with_mass else None
            return (pose if inertia is None else pose @ Pose(IDENTITY, inertia.center)), ZERO, inertia
        inertia = self.meshes.mesh_inertia(element.node, name)
        size, center = self._fitted_size(element, shape, inertia)
        return pose @ inertia.principal @ Pose(IDENTITY, center), size, None

    def _fitted_size(self, element: MjcfElement, shape: Shape, inertia: MeshInertia) -> tuple[Triple, Triple]:
        if shape not in _SIZES:
            raise self.reading.error(MjcfValueError, element.node, f"no {shape} is fitted to a mesh", attribute="type")
        scale = element.number("fitscale", 1.0)
        if self.reading.settings.fit_boxes:
            center = [(low + high) / 2 for low, high in zip(inertia.low, inertia.high, strict=True)]
            x, y, z = (high - middle for high, middle in zip(inertia.high, center, strict=True))
            size = _enclosing_size((x, y, z), shape)
        else:
            center = [0.0, 0.0, 0.0]
            size = _equivalent_size(inertia.half_sizes, shape)
        x, y, z = (scale * s for s in size)
        return (x, y, z), float_vector((center[0], center[1], center[2]))

    # ---------------------------------------------------------------- mass

    def _mass(
        self, element: MjcfElement, shape: Shape, size: Triple, inertia: MeshInertia | None
    ) -> tuple[float, Matrix3]:
        """Return the mass, and the moment about its centre in the axes of the geom."""
        if shape == "sdf":
            return 0.0, ZERO_MATRIX
        shell = element.flag("shellinertia", False)
        if inertia is not None:
            if shell:
                message = "shellinertia: the inertia of a mesh is an attribute of the mesh"
                raise self.reading.error(MjcfValueError, element.node, message, attribute="shellinertia")
            mass = self._mass_of_volume(element, inertia.volume)
            a, b, c = scale33(inertia.moment, mass / inertia.volume)
            return mass, (float_vector(a), float_vector(b), float_vector(c))
        volume, (x, y, z) = extent(shape, size, shell=shell)
        mass = self._mass_of_volume(element, volume)
        return mass, ((mass * x, 0.0, 0.0), (0.0, mass * y, 0.0), (0.0, 0.0, mass * z))

    def _mass_of_volume(self, element: MjcfElement, volume: float) -> float:
        attribute = "mass" if element.has("mass") else "density"
        value = element.quantity(attribute, _DENSITY)
        if value < 0.0:
            node = element.source(attribute) or element.node
            raise self.reading.error(MjcfValueError, node, f"{attribute} {value:.9g} is negative", attribute=attribute)
        if attribute == "density":
            return value * volume
        return value if volume > _SMALLEST else 0.0


def friction_numbers(element: MjcfElement, default: tuple[float, ...]) -> tuple[float, ...]:
    """Return the coefficients of friction of a geom or pair; raise MjcfValueError for negative ones."""
    coefficients = element.vector("friction", default, 1)
    for value in coefficients:
        if value < 0.0:
            node = element.source("friction") or element.node
            raise element.reading.error(MjcfValueError, node, f"friction {value:.9g} is negative", attribute="friction")
    return coefficients


def dimensions(element: MjcfElement, default: int) -> int:
    """Return the dimensions of the contacts of a geom or pair."""
    return int(element.choice("condim", ("1", "3", "4", "6"), str(default)))


def _enclosing_size(half: Triple, shape: Shape) -> Triple:
    """Return the size of the smallest shape around a box of half lengths `half`, each axis for itself."""
    x, y, z = half
    if shape == "sphere":
        return max(half), 0.0, 0.0
    if shape == "capsule":
        return max(x, y), max(0.0, z - max(x, y)), 0.0
    return (max(x, y), z, 0.0) if shape == "cylinder" else half


def _equivalent_size(half: Triple, shape: Shape) -> Triple:
    """Return the size of a shape about as large as a box of half lengths `half`."""
    x, y, z = half
    if shape == "sphere":
        return (x + y + z) / 3, 0.0, 0.0
    if shape == "capsule":
        return (x + y) / 2, max(0.0, z - (x + y) / 4), 0.0
    return ((x + y) / 2, z, 0.0) if shape == "cylinder" else half
