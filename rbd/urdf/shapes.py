"""Reader of `<visual>`, `<collision>` and `<material>`: visual and collision shapes; no file is opened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, TypeAlias, get_args

from rbd.errors import UrdfValueError
from rbd.files.collision_shapes import reason_pairs_are_left_out, reason_shape_is_left_out
from rbd.files.xml import XmlElement
from rbd.urdf.origins import read_origin
from rbd.urdf.reading import UrdfReading
from rbd.urdf.report import Geometry

Color: TypeAlias = tuple[float, float, float, float]
Colors: TypeAlias = dict[str, Color]
_ShapeKind: TypeAlias = Literal["box", "cylinder", "sphere", "capsule", "mesh"]

_SHAPES: Final[tuple[_ShapeKind, ...]] = get_args(_ShapeKind)
_ROUND: Final[dict[str, tuple[str, ...]]] = {
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "sphere": ("radius",),
}


def read_shapes(reading: UrdfReading, link: XmlElement, name: str, colors: Colors) -> Iterator[Geometry]:
    """Yield the shapes of a link in file order."""
    for child in link.children:
        if child.tag == "visual":
            yield _shape(reading, child, name, "visual", colors)
        elif child.tag == "collision":
            yield _shape(reading, child, name, "collision", colors)


def read_colors(reading: UrdfReading, robot: XmlElement) -> Colors:
    """Return the colours of the materials defined once for the whole robot."""
    colors: Colors = {}
    for node in robot.children:
        if node.tag == "material":
            _color(reading, node, colors)
    return colors


def _shape(
    reading: UrdfReading, node: XmlElement, link: str, use: Literal["visual", "collision"], colors: Colors
) -> Geometry:
    known = {"origin", "geometry"} | ({"material"} if use == "visual" else set[str]())
    reading.ignore_unknown(node, frozenset({"name"}), frozenset(known))
    pose = read_origin(reading, node, snap=False)
    material = reading.single_child(node, "material") if use == "visual" else None
    color = None if material is None else _color(reading, material, colors)
    shape, shape_node = _geometry(reading, node)
    size = _size(reading, shape_node, shape)
    reason = reason_shape_is_left_out(shape, size) or reason_pairs_are_left_out(shape)
    if use == "collision" and reason is not None:
        reading.ignore(shape_node, reason=reason)
    return Geometry(
        link=link, use=use, shape=shape, size=size, rotation=pose.rotation,
        translation=pose.translation, line=shape_node.line, mesh=_mesh(reading, shape_node, shape), color=color,
        name=node.attributes.get("name"),
    )  # fmt: skip


def _geometry(reading: UrdfReading, node: XmlElement) -> tuple[_ShapeKind, XmlElement]:
    geometry = reading.single_child(node, "geometry")
    if geometry is None:
        raise reading.error(UrdfValueError, node, "<geometry> is missing")
    reading.ignore_unknown(geometry, frozenset(), frozenset(_SHAPES))
    shapes: list[tuple[_ShapeKind, XmlElement]] = [
        (each.tag, each) for each in geometry.children if each.tag in _SHAPES
    ]
    if not shapes:
        raise reading.error(UrdfValueError, geometry, f"needs one of {', '.join(_SHAPES)}")
    if len(shapes) > 1:
        reading.warn_or_refuse(
            shapes[1][1], f"a second shape; the first is in line {shapes[0][1].line}", remedy="the first is taken"
        )
    return shapes[0]


def _size(reading: UrdfReading, node: XmlElement, shape: _ShapeKind) -> tuple[float, ...]:
    if shape == "mesh":
        reading.ignore_unknown(node, frozenset({"filename", "scale"}))
        return reading.vector(node, "scale", (1.0, 1.0, 1.0))
    if shape == "box":
        reading.ignore_unknown(node, frozenset({"size"}))
        if "size" not in node.attributes:
            raise reading.error(UrdfValueError, node, "attribute 'size' is missing", attribute="size")
        return _lengths(reading, node, "size", reading.vector(node, "size", (0.0, 0.0, 0.0)))
    attributes = _ROUND[shape]
    reading.ignore_unknown(node, frozenset(attributes))
    return sum((_lengths(reading, node, name, (reading.quantity(node, name),)) for name in attributes), ())


def _lengths(reading: UrdfReading, node: XmlElement, attribute: str, lengths: tuple[float, ...]) -> tuple[float, ...]:
    if min(lengths) < 0.0:
        reading.warn_or_refuse(node, f"{attribute} is negative", remedy="its size is taken", attribute=attribute)
    return tuple(map(abs, lengths))


def _mesh(reading: UrdfReading, node: XmlElement, shape: _ShapeKind) -> str | None:
    if shape != "mesh":
        return None
    reference = node.attributes.get("filename", "")
    if not reference:
        raise reading.error(UrdfValueError, node, "attribute 'filename' is missing or empty", attribute="filename")
    if not reference.isprintable():
        raise reading.error(UrdfValueError, node, "filename has control characters", attribute="filename")
    return reference


def _color(reading: UrdfReading, material: XmlElement, colors: Colors) -> Color | None:
    """Return the colour of a material: its own, which also defines its name, or the colour defined for that name."""
    reading.ignore_unknown(material, frozenset({"name"}), frozenset({"color", "texture"}))
    for texture in (child for child in material.children if child.tag == "texture"):
        reading.ignore(texture, reason="textures are not read")
    name, color = material.attributes.get("name", ""), reading.single_child(material, "color")
    if color is None:
        return colors.get(name)
    reading.ignore_unknown(color, frozenset({"rgba"}))
    red, green, blue, alpha = reading.vector(color, "rgba", (0.0, 0.0, 0.0, 1.0))
    if name:
        colors.setdefault(name, (red, green, blue, alpha))
    return red, green, blue, alpha
