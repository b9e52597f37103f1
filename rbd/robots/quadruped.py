"""Quadruped with a floating base and twelve revolute joints: a design of rbd."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from rbd.arguments import require_kind
from rbd.contact import CollisionModel, FrictionCone, HeightField, Sphere
from rbd.errors import ArgumentError
from rbd.joints import QuaternionFloating
from rbd.mechanism import Joint, Mechanism
from rbd.robots._build import add_link, add_named_frame
from rbd.robots._limbs import SIDES, BoxLink, Side, add_limb, links_of_side
from rbd.scalars.arrays import Array
from rbd.scalars.number_checks import any_number
from rbd.spatial import Frame, FreeVector, Point, SpatialInertia
from rbd.spatial.half_space import HalfSpace

_TRUNK_MASS = 6.4
_TRUNK_SIZE = (0.38, 0.20, 0.12)
_LENGTH = 0.21  # from hip pitch to knee, and from knee to the centre of the foot (m)
_FOOT_RADIUS = 0.022  # radius of the foot (m)
_MAX_BEND = 2.7  # how far knees bend (rad)
_MIN_COSINE = math.cos(_MAX_BEND / 2)  # of the hip pitch, below which knees would bend farther
# joint, axis, position (m), link, mass (kg), size (m), centre (m), bounds (rad), speed (rad / s), effort (N m)
_LEG = (
    BoxLink("hip_roll", "x", (0.19, 0.05, 0), "hip", 0.6, (0.09, 0.06, 0.09), (0, 0.01, 0), (-0.8, 0.8), 24, 32),
    BoxLink("hip_pitch", "y", (0, 0.08, 0), "thigh", 1.0, (0.05, 0.04, 0.22), (0, 0, -0.05), (-1.2, 2.8), 24, 32),
    BoxLink("knee", "y", (0, 0, -_LENGTH), "shank", 0.2, (0.02, 0.02, 0.22), (0, 0, -0.10), (-_MAX_BEND, 0.0), 20, 45),
)
_LEGS: Final[tuple[tuple[str, Side], ...]] = tuple((end, side) for end in ("front", "rear") for side in SIDES)


def quadruped() -> Mechanism:
    """Return a quadruped with a quaternion floating base and twelve revolute joints: nq = 19, nv = 18.

    In the zero configuration its legs are straight down: x forward, y to its left, z up, the trunk frame at the world's
    origin. It has a mass of 13.6 kg. The joints of a leg, from the trunk: "front_left_hip_roll" (abduction), about x,
    "front_left_hip_pitch" and "front_left_knee", about y; legs are called "front_left", "front_right", "rear_left" and
    "rear_right". The right side mirrors the left in the plane y = 0, and rear legs equal front ones. Every link is a
    solid box. The frames "front_left_foot" and so on are at the centres of spherical feet, which
    `quadruped_collision_model` has as shapes. The revolute joints have bounds.

    >>> import rbd
    >>> robot = rbd.robots.quadruped()
    >>> state = rbd.MechanismState(robot, rbd.robots.quadruped_configuration())
    >>> model = rbd.robots.quadruped_collision_model(robot)
    >>> [round(float(near.value), 9) for near in model.distances(state)]
    [0.0, 0.0, 0.0, 0.0]
    """
    mechanism = Mechanism()
    inertia = SpatialInertia.box(Frame("trunk"), mass=_TRUNK_MASS, size=_TRUNK_SIZE)
    trunk = add_link(mechanism, mechanism.root_body, Joint("floating_base", QuaternionFloating()), inertia)
    for end, side in _LEGS:
        shank = add_limb(mechanism, trunk, [link.named(f"{end}_{side}") for link in _leg(end, side)])
        add_named_frame(shank, f"{end}_{side}_foot", position=(0, 0, -_LENGTH))
    return mechanism


def _leg(end: str, side: Side) -> list[BoxLink]:
    """Return the links of a leg, without its name; a rear leg is a front leg at the other end of the trunk."""
    hip, *others = links_of_side(_LEG, side)
    x, y, z = hip.joint_position
    return [hip._replace(joint_position=(x if end == "front" else -x, y, z)), *others]


def quadruped_configuration(height: float = 0.3) -> Array:
    """Return the configuration with all feet on the ground z = 0, below the hips, and the trunk at a height (m).

    Raises ArgumentError for a height out of reach within the bounds of the joints, 0.114 to 0.442 m.

    >>> import rbd
    >>> rbd.robots.quadruped_configuration(0.3)[4:10].round(3)
    array([ 0.   ,  0.   ,  0.3  ,  0.   ,  0.847, -1.695])
    """
    cosine = (any_number(height, "height") - _FOOT_RADIUS) / (2 * _LENGTH)
    if not _MIN_COSINE <= cosine <= 1.0:
        allowed = f"{_FOOT_RADIUS + 2 * _LENGTH * _MIN_COSINE:.4g} to {_FOOT_RADIUS + 2 * _LENGTH:.4g}"
        message = f"height is {height:g} m, the legs reach {allowed} m"
        raise ArgumentError(message, argument="height", value=height, allowed=allowed)
    thigh = math.acos(cosine)
    return np.array([1, 0, 0, 0, 0, 0, height, *(0, thigh, -2 * thigh) * len(_LEGS)], dtype=np.float64)


def quadruped_collision_model(
    mechanism: Mechanism,
    ground: HalfSpace[Any] | HeightField[Any] | None = None,
    *,
    friction_cone: FrictionCone = "polyhedral",
) -> CollisionModel:
    """Return the collision model of a quadruped on the `ground`: four spherical feet, each paired with the ground.

    By default the ground is z = 0; others are fixed to the world, in one of its frames. Pairs are in the order of the
    legs: front left, front right, rear left, rear right. `friction_cone` as in `CollisionModel`. Raises
    UnknownNameError for a mechanism without the feet of `quadruped`, FrameMismatchError for ground in other frames.

    >>> import rbd
    >>> rbd.robots.quadruped_collision_model(rbd.robots.quadruped())
    <collision model: 5 shapes, 4 pairs>
    """
    require_kind(mechanism, Mechanism, operation="quadruped_collision_model", argument="mechanism")
    model, root = CollisionModel(mechanism, friction_cone=friction_cone), mechanism.root_frame
    if ground is None:
        ground = HalfSpace(Point(root, (0, 0, 0)), FreeVector(root, (0, 0, 1)))
    model.add(mechanism.root_body, ground)
    for end, side in _LEGS:
        frame = mechanism.frame(f"{end}_{side}_foot")
        model.add_pair(model.add(mechanism.body_of_frame(frame), Sphere(frame, _FOOT_RADIUS)), ground)
    return model
