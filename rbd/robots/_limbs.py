"""Limbs of robot models: links in series, each a solid box on a revolute joint (internal)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from rbd.mechanism import Mechanism, RigidBody
from rbd.robots._build import Axis, add_link, bounded_revolute
from rbd.spatial import Frame, SpatialInertia
from rbd.spatial.linalg import Vec3

Side: TypeAlias = Literal["left", "right"]
SIDES: Final[tuple[Side, ...]] = ("left", "right")


class BoxLink(NamedTuple):
    """A revolute joint and its link, a solid box."""

    joint_name: str
    axis: Axis
    joint_position: Vec3  # in the link before (m)
    name: str
    mass: float  # kg
    size: tuple[float, float, float]  # m
    center: Vec3  # of the box, in the link's frame (m)
    bounds: tuple[float, float]  # rad
    speed: float  # rad / s
    effort: float  # N m

    def named(self, prefix: str) -> BoxLink:
        """Return the link with a prefix before the names of joint and link."""
        return self._replace(joint_name=f"{prefix}_{self.joint_name}", name=f"{prefix}_{self.name}")

    def mirrored(self) -> BoxLink:
        """Return the mirror image in y = 0: negate y coordinates, and swap the bounds of rotations about x and z."""
        low, high = self.bounds
        bounds = self.bounds if self.axis == "y" else (-high, -low)
        return self._replace(
            joint_position=_mirrored_point(self.joint_position), center=_mirrored_point(self.center), bounds=bounds
        )


def add_limb(mechanism: Mechanism, body: RigidBody, links: Sequence[BoxLink]) -> RigidBody:
    """Attach links in series; return the last one."""
    for link in links:
        inertia = SpatialInertia.box(Frame(link.name), mass=link.mass, size=link.size, com=link.center)
        joint = bounded_revolute(
            link.joint_name, link.axis, position_bounds=link.bounds, speed=link.speed, effort=link.effort
        )
        body = add_link(mechanism, body, joint, inertia, joint_position=link.joint_position)
    return body


def links_of_side(links: Sequence[BoxLink], side: Side) -> tuple[BoxLink, ...]:
    """Return the links of a left limb, or their mirror images for the side "right"; names have no side yet."""
    return tuple(links if side == "left" else (link.mirrored() for link in links))


def _mirrored_point(point: Vec3) -> Vec3:
    x, y, z = point
    return (x, -y if y else y, z)
