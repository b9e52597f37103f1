"""Shapes as bare numbers in one common frame: a point, segment, plane or box, and a skin around it.

Everything here is in whatever frame the shapes were placed in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from rbd.contact.shapes import Box, Capsule, Shape, Sphere
from rbd.scalars import Scalar, const
from rbd.spatial import Transform
from rbd.spatial.linalg import Mat3, Vec3, add3, cross3, dot3, matvec, scale3, sub3, transpose3

_HALF = const(1, 2)


class Ball(NamedTuple):
    """A point."""

    center: Vec3
    skin: Scalar


class Stick(NamedTuple):
    """A segment of positive length: its middle, and half of it as a vector."""

    center: Vec3
    half: Vec3
    skin: Scalar


class Plane(NamedTuple):
    """A point of a plane and its outward normal of length one."""

    center: Vec3
    normal: Vec3


class Brick(NamedTuple):
    """A box: its middle, its axes (three rows of length one) and half its edges."""

    center: Vec3
    axes: Mat3
    half: Vec3


Core: TypeAlias = "Ball | Stick | Plane | Brick"


class Closest(NamedTuple):
    """The distance of two shapes, where they come closest, and the normal, which points from b to a."""

    value: Scalar
    on_a: Vec3
    on_b: Vec3
    normal: Vec3

    def swapped(self) -> Closest:
        """Return the same for the shapes in the other order."""
        x, y, z = self.normal
        return Closest(self.value, self.on_b, self.on_a, (-x, -y, -z))


def _itself(x: Scalar) -> Scalar:
    return x


def place(shape: Shape, tf: Transform[Any, Any], lift: Callable[[Scalar], Scalar] = _itself) -> Core:
    """Return `shape` in the frame that `tf` leads to from the shape's frame; `lift` makes its sizes exact scalars."""
    origin, axes = tf.translation_components, transpose3(tf.rotation_components)
    if isinstance(shape, Sphere) or (isinstance(shape, Capsule) and shape.length == 0):
        return Ball(origin, lift(shape.radius))
    if isinstance(shape, Capsule):
        return Stick(origin, scale3(axes[2], _HALF * lift(shape.length)), lift(shape.radius))
    if isinstance(shape, Box):
        x, y, z = (_HALF * lift(edge) for edge in shape.size)
        return Brick(origin, axes, (x, y, z))
    point, normal = (
        (lift(x), lift(y), lift(z)) for x, y, z in (shape.point.xyz_components, shape.normal.xyz_components)
    )
    return Plane(add3(matvec(tf.rotation_components, point), origin), matvec(tf.rotation_components, normal))


def along(origin: Vec3, direction: Vec3, amount: Scalar) -> Vec3:
    """Return the point `amount` times `direction` away from `origin`."""
    return add3(origin, scale3(direction, amount))


def gap_along(a: Vec3, b: Vec3, normal: Vec3) -> Scalar:
    """Return how far `a` lies beyond `b` in the direction of `normal`."""
    return dot3(sub3(a, b), normal)


def perpendicular(a: Vec3, b: Vec3) -> Vec3:
    """Return a x b."""
    return cross3(a, b)
