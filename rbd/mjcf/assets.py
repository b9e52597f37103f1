"""`<asset>`: meshes and height fields, read when a geom needs them."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from rbd.errors import MjcfRefusedError, MjcfValueError, quoted
from rbd.files.names import did_you_mean
from rbd.files.pose import ZERO
from rbd.files.xml import XmlElement
from rbd.meshes.height_grids import MAX_GRID_POINTS, Grid, GridFault, read_binary_grid, read_png_grid
from rbd.meshes.mesh_files import MeshFault, TriangleMesh, Vertices, check_mesh, read_mesh, single_precision
from rbd.meshes.rounded_hulls import MeshHull, mesh_hull
from rbd.mjcf.element import MjcfElement, with_defaults
from rbd.mjcf.files import ModelFiles
from rbd.mjcf.mesh_inertias import InertiaMode, MeshInertia, mesh_inertia, triangles_of_hull
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.rotations import rotation_of_quaternion

_INERTIA_MODES: Final[tuple[InertiaMode, ...]] = ("legacy", "exact", "convex", "shell")
_MAX_NUMBERS: Final = 10_000_000
_ALL: Final = -1
"""The value of `maxhullvert` of hulls with as many vertices as there are."""
_MIN_HULL_VERTICES: Final = 4
"""The least other value of `maxhullvert` that the format allows."""


@final
class Assets:
    """The meshes and height fields of a file, and the colours of its materials, by name."""

    def __init__(self, reading: MjcfReading, root: XmlElement, files: ModelFiles) -> None:
        """List them; nothing is opened yet."""
        self._reading = reading
        self._files = files
        self._meshes: dict[str, MjcfElement] = {}
        self._fields: dict[str, MjcfElement] = {}
        self._inertias: dict[str, MeshInertia] = {}
        self.colors: dict[str, tuple[float, float, float, float]] = {}
        """Those of materials."""
        for section in root.children:
            if section.tag == "asset":
                for node in section.children:
                    self._list(node)

    def _list(self, node: XmlElement) -> None:
        if node.tag == "material" and "rgba" in node.attributes:
            name, element = node.attributes.get("name", ""), MjcfElement(self._reading, node)
            self.colors[name] = element.color((1.0, 1.0, 1.0, 1.0))
        elif node.tag in ("mesh", "hfield"):
            self._list_shape(node, self._meshes if node.tag == "mesh" else self._fields)
        elif node.tag not in ("texture", "material", "skin", "model"):
            self._reading.warn_or_refuse(node, f"unknown asset {quoted(node.tag)}")

    def _list_shape(self, node: XmlElement, table: dict[str, MjcfElement]) -> None:
        """List a mesh or a height field by its name, or that of its file."""
        self._reading.check_attributes(node)
        name = node.attributes.get("name") or PurePosixPath(node.attributes.get("file", "")).stem
        if not name:
            raise self._reading.error(MjcfValueError, node, "has neither a name nor a file", attribute="name")
        if name in table:
            message = f"a second {node.tag} {quoted(name)}; the first is in line {table[name].node.line}"
            raise self._reading.error(MjcfValueError, node, message, attribute="name", value=name)
        table[name] = with_defaults(self._reading, node)
        self._check_hull_vertices(table[name])

    def _check_hull_vertices(self, element: MjcfElement) -> None:
        limit = element.integer("maxhullvert", _ALL)
        if limit != _ALL and limit < _MIN_HULL_VERTICES:
            allowed = f"at least {_MIN_HULL_VERTICES} vertices ({_ALL}: as many as there are)"
            message = f"maxhullvert: a hull has {allowed}, not {limit}"
            raise element.error("maxhullvert", message, value=limit)

    def field_size(self, node: XmlElement, name: str) -> tuple[float, ...]:
        """Return the four sizes of a height field."""
        element = self._named(node, "hfield", name, self._fields)
        if not element.has("size"):
            raise element.error("size", "attribute 'size' is missing")
        size = element.vector("size", (0.0,) * 4)
        if min(size) <= 0.0:
            raise element.error("size", "size: a height field needs four positive numbers", value=size)
        return size

    def heights(self, name: str) -> NDArray[np.float64]:
        """Return the heights of a height field (m), [x, y]; this opens its file."""
        element = self._fields[name]
        try:
            shares = _from_zero_to_one(self._grid(element))
        except GridFault as error:
            raise self._value_error(element, error) from None
        return shares.T * self.field_size(element.node, name)[2]

    def _grid(self, element: MjcfElement) -> Grid:
        """Return the numbers of a height field, row by row from the smallest y up; zeros if there are none."""
        if element.text("file"):
            path = self._path(element)
            data = self._files.read(element.node, path, self._files.limits.mesh_bytes)
            is_image = (element.text("content_type") or path.suffix.lower()) in (".png", "image/png")
            return read_png_grid(data) if is_image else read_binary_grid(data)
        rows, columns = (element.integer(attribute, 0) for attribute in ("nrow", "ncol"))
        if min(rows, columns) < 2 or rows * columns > MAX_GRID_POINTS:
            points = f"{rows:.6g} x {columns:.6g}"
            raise GridFault(f"needs a file, or from 2 x 2 to {MAX_GRID_POINTS} points by nrow and ncol, not {points}")
        numbers = element.quantities("elevation", MAX_GRID_POINTS) or (0.0,) * (rows * columns)
        if len(numbers) != rows * columns:
            raise GridFault(f"elevation has {len(numbers)} numbers, not nrow x ncol = {rows * columns}")
        return np.array(numbers, np.float32).reshape(rows, columns)[::-1]

    def require_mesh(self, node: XmlElement, name: str) -> None:
        """Raise MjcfValueError, at `node`, unless there is such a mesh."""
        self._named(node, "mesh", name, self._meshes)

    def mesh_inertia(self, node: XmlElement, name: str) -> MeshInertia:
        """Return the volume and inertia of a mesh; `node` is the geom that needs it."""
        element = self._named(node, "mesh", name, self._meshes)
        if name not in self._inertias:
            try:
                self._inertias[name] = self._inertia_of(element)
            except MeshFault as error:
                raise self._value_error(element, error) from None
        return self._inertias[name]

    def surface(self, name: str) -> TriangleMesh:
        """Return a mesh, with the triangles of its convex hull if it has no triangles of its own."""
        element = self._meshes[name]
        try:
            mesh = self._placed(element, self._mesh(element))
            return mesh if len(mesh.triangles) else TriangleMesh(mesh.vertices, triangles_of_hull(mesh.vertices))
        except MeshFault as error:
            raise self._value_error(element, error) from None

    def hull(self, name: str, vertices: Vertices, max_points: int, rounding: float) -> MeshHull:
        """Return the hull of vertices of a mesh, of `max_points` at most, or of `maxhullvert` if that is less."""
        element = self._meshes[name]
        limit = element.integer("maxhullvert", _ALL)
        try:
            return mesh_hull(vertices, max_points if limit == _ALL else min(max_points, limit), rounding)
        except MeshFault as error:
            raise self._value_error(element, error) from None

    def _value_error(self, element: MjcfElement, error: MeshFault | GridFault) -> MjcfValueError:
        """Return the error of a mesh or a height field, with its file and line."""
        return self._reading.error(MjcfValueError, element.node, str(error), reason=str(error))

    def _named(self, node: XmlElement, kind: str, name: str, table: dict[str, MjcfElement]) -> MjcfElement:
        if name not in table:
            message = f"there is no {kind} {quoted(name)}{did_you_mean(name, table)}"
            raise self._reading.error(MjcfValueError, node, message, attribute=kind, value=name)
        return table[name]

    def _inertia_of(self, element: MjcfElement) -> MeshInertia:
        mode: InertiaMode = element.choice("inertia", _INERTIA_MODES, "legacy")
        if mode == "convex" and element.has("maxhullvert"):
            self._reading.warn_or_refuse(
                element.place("maxhullvert"), "maxhullvert: the whole convex hull is weighed", attribute="maxhullvert"
            )
        return mesh_inertia(*self._placed(element, self._mesh(element)), mode)

    def _mesh(self, element: MjcfElement) -> TriangleMesh:
        node = element.node
        if element.has("builtin") or any(child.tag == "plugin" for child in node.children):
            raise self._reading.error(MjcfRefusedError, node, "meshes made by MuJoCo itself are not supported")
        if element.text("file"):
            path = self._path(element)
            data = self._files.read(node, path, self._files.limits.mesh_bytes)
            return read_mesh(data, path.suffix)
        return _mesh_of_numbers(element)

    def _path(self, element: MjcfElement) -> Path:
        reference = element.text("file") or ""
        if self._reading.settings.strip_path:
            reference = PurePosixPath(reference).name
        directory = self._files.directory
        start = None if directory is None else directory / self._reading.settings.mesh_directory
        return self._files.find(element.place("file"), reference, start)

    def _placed(self, element: MjcfElement, mesh: TriangleMesh) -> TriangleMesh:
        """Return the mesh moved, turned and scaled as the asset says."""
        vertices, triangles = mesh.vertices - np.array(element.vector("refpos", ZERO)), mesh.triangles
        rotation = rotation_of_quaternion(element.vector("refquat", (1.0, 0.0, 0.0, 0.0)))
        if rotation is None:
            raise element.error("refquat", "refquat is zero")
        scale = np.array(element.vector("scale", (1.0, 1.0, 1.0)))
        if not scale.all():
            raise element.error("scale", "scale is zero")
        placed = vertices @ np.array(rotation) * scale
        return TriangleMesh(placed, triangles[:, ::-1] if float(np.prod(np.sign(scale))) < 0 else triangles)


def _from_zero_to_one(grid: Grid) -> NDArray[np.float64]:
    """Return numbers as shares of the way from the least to the largest of them, in single precision as MuJoCo does."""
    if min(grid.shape) < 2:
        raise GridFault(f"needs at least 2 x 2 points, not {grid.shape[0]} x {grid.shape[1]}")
    with np.errstate(over="ignore", invalid="ignore"):
        above = grid - grid.min()
    if not np.isfinite(above).all():
        raise GridFault("a height, or the largest difference of two, is not finite in single precision")
    shares: NDArray[np.float64] = (above / (above.max() or 1)).astype(np.float64)
    return shares


def _mesh_of_numbers(element: MjcfElement) -> TriangleMesh:
    """Return the mesh that the file itself has; raise MeshFault for what is no mesh."""
    vertices = single_precision(np.array(element.quantities("vertex", _MAX_NUMBERS), dtype=np.float64))
    triangles = np.array(element.quantities("face", _MAX_NUMBERS), dtype=np.float64)
    if vertices.size % 3 or triangles.size % 3 or (triangles != np.floor(triangles)).any():
        raise MeshFault("vertices have three coordinates each, triangles three whole numbers")
    if (np.abs(triangles) > vertices.size).any():
        raise MeshFault("a triangle has a corner that is no vertex")
    mesh = TriangleMesh(vertices.reshape(-1, 3), triangles.astype(np.intp).reshape(-1, 3))
    check_mesh(*mesh)
    return mesh
