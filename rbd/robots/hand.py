"""The hand of Pinocchio's contact exercise: thirteen joints, seventeen shapes, four watched pairs.

Lengths are in centimetres and all inertias are those of the exercise: a body's rotational inertia is the square of its
mass, which no real body has.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rbd.contact import Box, Capsule, CollisionModel
from rbd.joints import Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.scalars.arrays import Array
from rbd.spatial import Frame, SpatialInertia, Transform

CENTIMETRE = 1 / 100
Triple = tuple[float, float, float]
Turns = tuple[tuple[str, float], ...]


class _Row(NamedTuple):
    """One joint and its body."""

    name: str
    parent: str
    at: Triple  # in the parent (cm)
    mass: float  # kg
    turns: Turns = ()
    axis: Triple = (0, 1, 0)


class _Rod(NamedTuple):
    """One capsule, along the z-axis of its frame."""

    name: str
    body: str
    at: Triple  # in the body (cm)
    radius: float  # cm
    length: float  # cm
    turns: Turns = ()


_ACROSS: Turns = (("x", 1 / 2),)
_ALONG: Turns = (("y", 1 / 2),)
# Angles are in half turns.
_JOINTS = (
    _Row("wrist", "world", (0, 0, 0), 3),
    _Row("palm", "wrist", (5, 0, 0), 2),
    _Row("finger11", "palm", (2, 2.5, 0), 0.5),
    _Row("finger12", "finger11", (4, 0, 0), 0.5),
    _Row("finger13", "finger12", (2, 0, 0), 0.3),
    _Row("finger21", "palm", (2, 0, 0), 0.5),
    _Row("finger22", "finger21", (4, 0, 0), 0.5),
    _Row("finger23", "finger22", (3, 0, 0), 0.3),
    _Row("finger31", "palm", (2, -2.5, 0), 0.5),
    _Row("finger32", "finger31", (4, 0, 0), 0.5),
    _Row("finger33", "finger32", (2, 0, 0), 0.3),
    _Row("thumb1", "wrist", (1, -4, 0), 0.5),
    _Row("thumb2", "thumb1", (3, -1.8, 0), 0.4, (("z", 1 / 3), ("x", 1)), (0, 0, 1)),
)
_RODS = (
    _Rod("wpalmb", "wrist", (0, 0, 0), 1, 5, _ACROSS),
    _Rod("wpalmt", "wrist", (3, 0, 0), 1, 5, _ACROSS),
    _Rod("wpalml", "wrist", (1.5, -2.5, 0), 1, 3, _ALONG),
    _Rod("wpalmr", "wrist", (1.5, 2.5, 0), 1, 3, _ALONG),
    _Rod("palm2", "palm", (0, 0, 0), 1, 5, _ACROSS),
    _Rod("finger11", "finger11", (1, 0, 0), 1, 2, _ALONG),
    _Rod("finger12", "finger12", (1, 0, 0), 1, 2, _ALONG),
    _Rod("finger13", "finger13", (2, 0, 0), 1, 0),
    _Rod("finger21", "finger21", (1, 0, 0), 1, 2, _ALONG),
    _Rod("finger22", "finger22", (1, 0, 0), 1, 2, _ALONG),
    _Rod("finger23", "finger23", (1, 0, 0), 1, 0),
    _Rod("finger31", "finger31", (1, 0, 0), 1, 2, _ALONG),
    _Rod("finger32", "finger32", (1, 0, 0), 1, 2, _ALONG),
    _Rod("finger33", "finger33", (2, 0, 0), 1, 0),
    _Rod("thumb1", "thumb1", (1, -1, 0), 1, 2, (("z", 1 / 3), ("x", 1 / 2))),
    _Rod("thumb2", "thumb2", (-0.7, 0.8, -0.5), 1, 2, (("x", 1 / 3),)),
)
_PALM_SIZE = (3, 5, 2)  # cm; the box between the capsules of the palm, which is drawn and not watched
_WATCHED = ((2, 8), (2, 11), (2, 14), (2, 16))


def hand() -> tuple[Mechanism, CollisionModel]:
    """Return a hand of thirteen joints and the model of its collisions, as in Pinocchio's exercise on contacts.

    The wrist turns about y, then the palm, three fingers of three joints each and a thumb of two; bodies and joints
    have the same names. The seventeen shapes are frames of the bodies with "shape" in their names; the tips of the
    fingers and of the thumb are watched against the upper edge of the palm.

    >>> import rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> mechanism.nv, len(model.shapes), len(model.pairs)
    (13, 17, 4)
    """
    mechanism = Mechanism()
    for row in _JOINTS:
        frame = Frame(row.name)
        inertia = SpatialInertia(frame, mass=row.mass, moment_about_com=np.eye(3) * row.mass**2)
        joint, parent = Joint(row.name, Revolute(row.axis)), mechanism.body(row.parent)
        pose = _placement(joint.frame_before, parent, row.at, row.turns)
        mechanism.attach(parent, RigidBody(row.name, inertia), joint, joint_pose=pose)
    return mechanism, _collisions(mechanism)


def _collisions(mechanism: Mechanism) -> CollisionModel:
    model = CollisionModel(mechanism)
    wrist = mechanism.body("wrist")
    palm = wrist.add_frame(_placement(Frame("wpalm shape"), wrist, (1.5, 0, 0), ()))
    model.add(wrist, Box(palm, [CENTIMETRE * edge for edge in _PALM_SIZE]))
    for rod in _RODS:
        body = mechanism.body(rod.body)
        frame = body.add_frame(_placement(Frame(f"{rod.name} shape"), body, rod.at, rod.turns))
        model.add(body, Capsule(frame, CENTIMETRE * rod.length, CENTIMETRE * rod.radius))
    for a, b in _WATCHED:
        model.add_pair(model.shapes[a], model.shapes[b])
    return model


def _placement(frame: Frame, body: RigidBody, at: Triple, turns: Turns) -> Transform:
    rotation = np.eye(3)
    for axis, half_turns in turns:
        rotation = rotation @ _turn(axis, half_turns)
    return Transform(frame, body.default_frame, rotation, [CENTIMETRE * x for x in at])


def _turn(axis: str, half_turns: float) -> Array:
    """Return the rotation by some half turns about a coordinate axis; whole and half ones are exact."""
    c, s = math.cos(math.pi * half_turns), math.sin(math.pi * half_turns)
    if 2 * half_turns == round(2 * half_turns):
        c, s = round(c), round(s)
    rotation = np.zeros((3, 3))
    k = "xyz".index(axis)
    i, j = (k + 1) % 3, (k + 2) % 3
    rotation[k, k], rotation[i, i], rotation[j, j] = 1, c, c
    rotation[i, j], rotation[j, i] = -s, s
    return rotation
