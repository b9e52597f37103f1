"""Limbs of robot models: links in series, each a solid box on a revolute joint (internal)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rbd.mechanism import Mechanism, RigidBody
from rbd.robots._build import add_link, bounded_revolute
from rbd.robots._shapes import Axis, box_inertia
from rbd.spatial import Frame
from rbd.spatial.linalg import Vec3


class BoxLink(NamedTuple):
    """A joint and its link."""

    joint: str
    axis: Axis
    joint_position: Vec3  # in the link before (m)
    link: str
    mass: float  # kg
    size: tuple[float, float, float]  # m
    center: Vec3  # of the box, in the link's frame (m)
    bounds: tuple[float, float]  # rad
    speed: float  # rad / s
    effort: float  # N m

    def named(self, prefix: str) -> BoxLink:
        """Return the link with a prefix before the names of joint and link."""
        return self._replace(joint=f"{prefix}_{self.joint}", link=f"{prefix}_{self.link}")

    def mirrored(self) -> BoxLink:
        """Return the mirror image in y = 0: negate y coordinates, and swap the bounds of rotations about x and z."""
        low, high = self.bounds
        bounds = self.bounds if self.axis == "y" else (-high, -low)
        return self._replace(
            joint_position=_mirrored_point(self.joint_position), center=_mirrored_point(self.center), bounds=bounds
        )


def add_limb(mechanism: Mechanism, body: RigidBody, links: Sequence[BoxLink]) -> RigidBody:
    """Attach links in series; return the last one."""
    for row in links:
        inertia = box_inertia(Frame(row.link), mass=row.mass, size=row.size, center=row.center)
        joint = bounded_revolute(row.joint, row.axis, position_bounds=row.bounds, speed=row.speed, effort=row.effort)
        body = add_link(mechanism, body, joint, inertia, joint_position=row.joint_position)
    return body


def sided(links: Sequence[BoxLink], side: str) -> tuple[BoxLink, ...]:
    """Return the links of a side, "left" or "right", without names of it: those given are the left ones."""
    return tuple(links if side == "left" else (link.mirrored() for link in links))


def _mirrored_point(point: Vec3) -> Vec3:
    x, y, z = point
    return (x, -y if y else y, z)
