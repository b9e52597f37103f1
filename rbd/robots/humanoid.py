"""Humanoid with a floating base and thirty revolute joints: a design of rbd."""

from __future__ import annotations

from rbd.joints import QuaternionFloating
from rbd.mechanism import Joint, Mechanism
from rbd.robots._build import add_link, add_named_frame
from rbd.robots._limbs import SIDES, BoxLink, Side, add_limb, links_of_side
from rbd.spatial import Frame, SpatialInertia

_PELVIS_MASS = 9.0
_PELVIS_SIZE = (0.16, 0.26, 0.16)

# joint, axis, position (m), link, mass (kg), size (m), centre (m), bounds (rad), speed (rad / s), effort (N m)
_TRUNK = (
    BoxLink("waist_yaw", "z", (0, 0, 0.09), "waist", 1.0, (0.12, 0.14, 0.06), (0, 0, 0), (-1.2, 1.2), 6, 120),
    BoxLink("waist_pitch", "y", (0, 0, 0.04), "lumbar", 1.0, (0.10, 0.14, 0.06), (0, 0, 0), (-0.5, 1.0), 6, 180),
    BoxLink("waist_roll", "x", (0, 0, 0), "chest", 19.0, (0.20, 0.32, 0.38), (0.01, 0, 0.22), (-0.5, 0.5), 6, 180),
)
# joint, axis, position (m), link, mass (kg), size (m), centre (m), bounds (rad), speed (rad / s), effort (N m)
_NECK = (
    BoxLink("neck_yaw", "z", (0, 0, 0.43), "neck", 0.4, (0.07, 0.07, 0.07), (0, 0, 0.02), (-1.4, 1.4), 6, 12),
    BoxLink("neck_pitch", "y", (0, 0, 0.06), "nape", 0.4, (0.06, 0.06, 0.05), (0, 0, 0), (-0.7, 0.9), 6, 12),
    BoxLink("neck_roll", "x", (0, 0, 0), "head", 4.0, (0.18, 0.15, 0.23), (0.02, 0, 0.11), (-0.6, 0.6), 6, 12),
)
# joint, axis, position (m), link, mass (kg), size (m), centre (m), bounds (rad), speed (rad / s), effort (N m)
_ARM = (
    BoxLink(
        "shoulder_pitch", "y", (0, 0.2, 0.36), "clavicle", 0.8, (0.09, 0.09, 0.09), (0, 0.02, 0), (-3.0, 1.2), 8, 70
    ),
    BoxLink("shoulder_roll", "x", (0, 0.04, 0), "deltoid", 0.7, (0.09, 0.08, 0.10), (0, 0, -0.03), (-0.4, 2.8), 8, 70),
    BoxLink(
        "shoulder_yaw", "z", (0, 0, -0.06), "upper_arm", 1.5, (0.08, 0.08, 0.24), (0, 0, -0.11), (-1.6, 1.6), 8, 45
    ),
    BoxLink("elbow", "y", (0, 0, -0.23), "forearm", 1.0, (0.07, 0.07, 0.20), (0, 0, -0.09), (-2.4, 0.0), 9, 45),
    BoxLink("wrist_yaw", "z", (0, 0, -0.20), "wrist", 0.3, (0.05, 0.05, 0.06), (0, 0, -0.02), (-1.6, 1.6), 9, 15),
    BoxLink("wrist_pitch", "y", (0, 0, -0.05), "hand", 0.5, (0.03, 0.08, 0.17), (0, 0, -0.08), (-1.2, 1.2), 9, 15),
)
# joint, axis, position (m), link, mass (kg), size (m), centre (m), bounds (rad), speed (rad / s), effort (N m)
_LEG = (
    BoxLink("hip_yaw", "z", (0, 0.10, -0.05), "hip", 1.4, (0.11, 0.11, 0.08), (0, 0, 0), (-0.7, 0.9), 8, 110),
    BoxLink("hip_roll", "x", (0, 0, -0.04), "groin", 1.4, (0.11, 0.11, 0.09), (0, 0, 0), (-0.4, 0.9), 8, 150),
    BoxLink("hip_pitch", "y", (0, 0, 0), "thigh", 6.6, (0.14, 0.13, 0.38), (0, 0, -0.18), (-2.1, 0.8), 9, 220),
    BoxLink("knee", "y", (0, 0, -0.40), "shank", 3.2, (0.10, 0.10, 0.37), (0, 0, -0.17), (0.0, 2.4), 10, 240),
    BoxLink("ankle_pitch", "y", (0, 0, -0.39), "ankle", 0.5, (0.07, 0.06, 0.05), (0, 0, 0), (-0.9, 0.7), 9, 130),
    BoxLink("ankle_roll", "x", (0, 0, 0), "foot", 1.1, (0.24, 0.10, 0.06), (0.04, 0, -0.04), (-0.5, 0.5), 9, 70),
)
_PALM = (0, 0, -0.10)
_SOLE = (0, 0, -0.07)


def humanoid() -> Mechanism:
    """Return a humanoid with a quaternion floating base and thirty revolute joints: nq = 37, nv = 36.

    In the zero configuration it stands upright with hanging arms: x forward, y to its left, z up, the pelvis frame at
    the world's origin, the soles 0.95 m below. It is about 1.8 m tall and has a mass of 73 kg. Joints of the limbs are
    named "left_..." and "right_..."; the right side mirrors the left in the plane y = 0. Every link is a solid box. The
    frames "left_sole", "right_sole", "left_palm" and "right_palm" are fixed to feet and hands. The revolute joints have
    bounds.

    >>> import rbd
    >>> robot = rbd.robots.humanoid()
    >>> robot.nq, robot.nv
    (37, 36)
    """
    mechanism = Mechanism()
    inertia = SpatialInertia.box(Frame("pelvis"), mass=_PELVIS_MASS, size=_PELVIS_SIZE)
    pelvis = add_link(mechanism, mechanism.root_body, Joint("floating_base", QuaternionFloating()), inertia)
    chest = add_limb(mechanism, pelvis, _TRUNK)
    add_limb(mechanism, chest, _NECK)
    for side in SIDES:
        hand = add_limb(mechanism, chest, _limb(_ARM, side))
        add_named_frame(hand, f"{side}_palm", position=_PALM)
        foot = add_limb(mechanism, pelvis, _limb(_LEG, side))
        add_named_frame(foot, f"{side}_sole", position=_SOLE)
    return mechanism


def _limb(links: tuple[BoxLink, ...], side: Side) -> tuple[BoxLink, ...]:
    return tuple(link.named(side) for link in links_of_side(links, side))
