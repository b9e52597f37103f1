"""`<geom>`: shape, size, pose, and the mass it gives its body."""

from __future__ import annotations

from typing import Final, NamedTuple, final

import attrs

from rbd.arguments import with_article
from rbd.files.pose import IDENTITY, ZERO, ZERO_MATRIX, FloatMat3, FloatVec3, Pose, float_vector
from rbd.mjcf.assets import Assets
from rbd.mjcf.contact_friction import read_geom_friction
from rbd.mjcf.description import MjcfGeom, ShapeKind
from rbd.mjcf.element import MjcfElement
from rbd.mjcf.geom_inertias import geom_inertia
from rbd.mjcf.mesh_inertias import MeshInertia
from rbd.mjcf.orientation import read_fromto, read_pose
from rbd.mjcf.reading import MjcfReading
from rbd.spatial.linalg import scale33

_SHAPES: Final[tuple[ShapeKind, ...]] = (
    "plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf",
)  # fmt: skip
_SIZES: Final = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
_STRETCHED: Final = frozenset({"capsule", "cylinder", "ellipsoid", "box"})
_DENSITY: Final = 1000.0
_MIN_VOLUME: Final = 1e-14


class _GeomShape(NamedTuple):
    """Pose and size of a geom, and the inertia of its mesh if that gives its mass."""

    pose: Pose
    size: FloatVec3
    mesh_inertia: MeshInertia | None = None


@final
@attrs.frozen(eq=False)
class GeomReader:
    """Reads geoms; `with_mass` tells which of them give mass."""

    reading: MjcfReading
    assets: Assets

    def read(self, element: MjcfElement, name: str | None, frame: Pose, *, with_mass: bool) -> MjcfGeom:
        """Return a geom given in a `frame` of its body; it has a mass only `with_mass`."""
        self.reading.check_attributes(element.node)
        shape: ShapeKind = element.choice("type", _SHAPES, "sphere")
        group = element.integer("group", 0)
        first_group, last_group = self.reading.settings.inertia_groups
        with_mass = with_mass and first_group <= group <= last_group
        pose, size, inertia = self._geom_shape(element, shape, with_mass)
        mass, moment = self._mass(element, shape, size, inertia) if with_mass else (0.0, ZERO_MATRIX)
        return MjcfGeom(
            element.node, name, shape, frame @ pose, size, group=group,
            contype=element.integer("contype", 1), conaffinity=element.integer("conaffinity", 1),
            friction=read_geom_friction(element), mass=mass, moment=moment, color=self._color(element),
            mesh=element.text("mesh") if shape == "mesh" else None,
            mesh_origin=ZERO if inertia is None else inertia.center,
            height_field=element.text("hfield") if shape == "hfield" else None,
        )  # fmt: skip

    def _color(self, element: MjcfElement) -> tuple[float, float, float, float] | None:
        """Return the own colour of a geom, or that of its material."""
        if element.has("rgba"):
            return element.color((0.5, 0.5, 0.5, 1.0))
        material = element.text("material")
        return self.assets.colors.get(material) if material else None

    # ---------------------------------------------------------------- pose and size

    def _geom_shape(self, element: MjcfElement, shape: ShapeKind, with_mass: bool) -> _GeomShape:
        if element.has("mesh") or shape in ("mesh", "sdf"):
            return self._mesh_shape(element, shape, with_mass)
        if shape == "hfield":
            x, y, up, down = self.assets.field_size(element.place("hfield"), self._reference(element, "hfield"))
            return _GeomShape(read_pose(element), (x, y, up / 4 + down / 2))
        if element.has("fromto"):
            return self._stretched(element, shape)
        size = self._size(element, shape, _SIZES.get(shape, 0))
        return _GeomShape(read_pose(element), size)

    def _reference(self, element: MjcfElement, kind: str) -> str:
        name = element.text(kind)
        if not name:
            message = f"a geom of this type needs the attribute {kind!r}"
            raise element.error(kind, message)
        return name

    def _size(self, element: MjcfElement, shape: ShapeKind, count: int) -> FloatVec3:
        x, y, z = element.vector("size", ZERO, 1)
        if min((x, y, z)[:count], default=1.0) <= 0.0:
            message = f"{with_article(shape)} needs {count} positive number{'s' if count > 1 else ''} in 'size'"
            raise element.error("size", message)
        return x, y, z

    def _stretched(self, element: MjcfElement, shape: ShapeKind) -> _GeomShape:
        """Return a shape that reaches from one point to another."""
        if shape not in _STRETCHED:
            message = f"fromto is for {', '.join(sorted(_STRETCHED))}, not for {with_article(shape)}"
            raise element.error("fromto", message)
        pose, half = read_fromto(element)
        width = self._size(element, shape, 1)[0]
        return _GeomShape(pose, (width, half, 0.0) if shape in ("capsule", "cylinder") else (width, width, half))

    def _mesh_shape(self, element: MjcfElement, shape: ShapeKind, with_mass: bool) -> _GeomShape:
        """Return a mesh, or the simple shape that is fitted to it."""
        name, place = self._reference(element, "mesh"), element.place("mesh")
        if element.has("fromto"):
            raise element.error("fromto", "a mesh has no fromto")
        pose = read_pose(element)
        if shape == "sdf":
            self.reading.warn_or_refuse(element.node, "signed distance fields are not supported; the geom has no mass")
            return _GeomShape(pose, ZERO)
        if shape == "mesh":
            self.assets.require_mesh(place, name)
            inertia = self.assets.mesh_inertia(place, name) if with_mass else None
            return _GeomShape(pose if inertia is None else pose @ Pose(IDENTITY, inertia.center), ZERO, inertia)
        inertia = self.assets.mesh_inertia(place, name)
        size, center = self._fitted_size(element, shape, inertia)
        return _GeomShape(pose @ inertia.principal @ Pose(IDENTITY, center), size)

    def _fitted_size(self, element: MjcfElement, shape: ShapeKind, inertia: MeshInertia) -> tuple[FloatVec3, FloatVec3]:
        if shape not in _SIZES:
            raise element.error("type", f"no {shape} is fitted to a mesh")
        scale = element.quantity("fitscale", 1.0)
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
        self, element: MjcfElement, shape: ShapeKind, size: FloatVec3, inertia: MeshInertia | None
    ) -> tuple[float, FloatMat3]:
        """Return the mass, and the moment about its centre in the axes of the geom."""
        if shape == "sdf":
            return 0.0, ZERO_MATRIX
        shell = element.flag("shellinertia", False)
        if inertia is not None:
            if shell:
                message = "shellinertia: the inertia of a mesh is an attribute of the mesh"
                raise element.error("shellinertia", message)
            mass = self._mass_of_volume(element, inertia.volume)
            a, b, c = scale33(inertia.moment, mass / inertia.volume)
            return mass, (float_vector(a), float_vector(b), float_vector(c))
        volume, (x, y, z) = geom_inertia(shape, size, shell=shell)
        mass = self._mass_of_volume(element, volume)
        return mass, ((mass * x, 0.0, 0.0), (0.0, mass * y, 0.0), (0.0, 0.0, mass * z))

    def _mass_of_volume(self, element: MjcfElement, volume: float) -> float:
        attribute = "mass" if element.has("mass") else "density"
        value = element.quantity(attribute, _DENSITY)
        if value < 0.0:
            raise element.error(attribute, f"{attribute} {value:.9g} is negative")
        if attribute == "density":
            return value * volume
        return value if volume > _MIN_VOLUME else 0.0


def _enclosing_size(half: FloatVec3, shape: ShapeKind) -> FloatVec3:
    """Return the size of the smallest shape around a box of half lengths `half`, each axis for itself."""
    x, y, z = half
    if shape == "sphere":
        return max(half), 0.0, 0.0
    if shape == "capsule":
        return max(x, y), max(0.0, z - max(x, y)), 0.0
    return (max(x, y), z, 0.0) if shape == "cylinder" else half


def _equivalent_size(half: FloatVec3, shape: ShapeKind) -> FloatVec3:
    """Return the size of a shape about as large as a box of half lengths `half`."""
    x, y, z = half
    if shape == "sphere":
        return (x + y + z) / 3, 0.0, 0.0
    if shape == "capsule":
        return (x + y) / 2, max(0.0, z - (x + y) / 4), 0.0
    return ((x + y) / 2, z, 0.0) if shape == "cylinder" else half
