"""Hand of Pinocchio's contact exercise: thirteen joints, seventeen shapes, four collision pairs.

Lengths are in centimetres. Inertias are those of the exercise, which are not physical: a body's moment of inertia is
the square of its mass.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rbd.contact import Box, Capsule, CollisionModel
from rbd.files.pose import FloatVec3
from rbd.joints import Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.robots._build import AXES, Axis, add_link
from rbd.spatial import Frame, SpatialInertia, Transform
from rbd.spatial.linalg import Mat3, identity3, matmul
from rbd.spatial.so3 import rotation_about

_CENTIMETRE = 1 / 100
_Rotations = tuple[tuple[Axis, float], ...]
"""Coordinate axes and angles, in multiples of pi; the first rotation is about an axis of the parent."""


class _HandJoint(NamedTuple):
    """A joint and its body."""

    name: str
    parent: str
    position: FloatVec3  # in the parent (cm)
    mass: float  # kg
    rotations: _Rotations = ()
    axis: FloatVec3 = (0, 1, 0)


class _HandCapsule(NamedTuple):
    """A capsule along the z axis of its frame."""

    name: str
    body: str
    position: FloatVec3  # in the body (cm)
    radius: float  # cm
    length: float  # cm
    rotations: _Rotations = ()


_ACROSS: _Rotations = (("x", 1 / 2),)
_ALONG: _Rotations = (("y", 1 / 2),)
_JOINTS = (
    _HandJoint("wrist", "world", (0, 0, 0), 3),
    _HandJoint("palm", "wrist", (5, 0, 0), 2),
    _HandJoint("finger11", "palm", (2, 2.5, 0), 0.5),
    _HandJoint("finger12", "finger11", (4, 0, 0), 0.5),
    _HandJoint("finger13", "finger12", (2, 0, 0), 0.3),
    _HandJoint("finger21", "palm", (2, 0, 0), 0.5),
    _HandJoint("finger22", "finger21", (4, 0, 0), 0.5),
    _HandJoint("finger23", "finger22", (3, 0, 0), 0.3),
    _HandJoint("finger31", "palm", (2, -2.5, 0), 0.5),
    _HandJoint("finger32", "finger31", (4, 0, 0), 0.5),
    _HandJoint("finger33", "finger32", (2, 0, 0), 0.3),
    _HandJoint("thumb1", "wrist", (1, -4, 0), 0.5),
    _HandJoint("thumb2", "thumb1", (3, -1.8, 0), 0.4, (("z", 1 / 3), ("x", 1)), (0, 0, 1)),
)
_CAPSULES = (
    _HandCapsule("wpalmb", "wrist", (0, 0, 0), 1, 5, _ACROSS),
    _HandCapsule("wpalmt", "wrist", (3, 0, 0), 1, 5, _ACROSS),
    _HandCapsule("wpalml", "wrist", (1.5, -2.5, 0), 1, 3, _ALONG),
    _HandCapsule("wpalmr", "wrist", (1.5, 2.5, 0), 1, 3, _ALONG),
    _HandCapsule("palm2", "palm", (0, 0, 0), 1, 5, _ACROSS),
    _HandCapsule("finger11", "finger11", (1, 0, 0), 1, 2, _ALONG),
    _HandCapsule("finger12", "finger12", (1, 0, 0), 1, 2, _ALONG),
    _HandCapsule("finger13", "finger13", (2, 0, 0), 1, 0),
    _HandCapsule("finger21", "finger21", (1, 0, 0), 1, 2, _ALONG),
    _HandCapsule("finger22", "finger22", (1, 0, 0), 1, 2, _ALONG),
    _HandCapsule("finger23", "finger23", (1, 0, 0), 1, 0),
    _HandCapsule("finger31", "finger31", (1, 0, 0), 1, 2, _ALONG),
    _HandCapsule("finger32", "finger32", (1, 0, 0), 1, 2, _ALONG),
    _HandCapsule("finger33", "finger33", (2, 0, 0), 1, 0),
    _HandCapsule("thumb1", "thumb1", (1, -1, 0), 1, 2, (("z", 1 / 3), ("x", 1 / 2))),
    _HandCapsule("thumb2", "thumb2", (-0.7, 0.8, -0.5), 1, 2, (("x", 1 / 3),)),
)
_PALM_SIZE = (3, 5, 2)  # cm; the box between the capsules of the palm, which is drawn but in no pair
_PALM_EDGE = "wpalmt"
"""The capsule that the tips touch, the upper edge of the palm."""
_TIPS = ("finger13", "finger23", "finger33", "thumb2")


class Hand(NamedTuple):
    """A hand and its collision model."""

    mechanism: Mechanism
    collision_model: CollisionModel


def hand() -> Hand:
    """Return a hand with thirteen joints and its collision model, as in Pinocchio's contact exercise.

    The joints are those of the wrist (about y), the palm, three fingers of three joints each and a thumb of two; bodies
    and joints have the same names. The frames of the seventeen shapes have "shape" in their names. The collision pairs
    are the tips of the fingers and the thumb with the upper edge of the palm.

    >>> import rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> mechanism.nv, len(model.shapes), len(model.pairs)
    (13, 17, 4)
    """
    mechanism = Mechanism()
    for entry in _JOINTS:
        frame = Frame(entry.name)
        inertia = SpatialInertia(frame, mass=entry.mass, moment_about_com=np.eye(3) * entry.mass**2)
        joint, parent = Joint(entry.name, Revolute(entry.axis)), mechanism.body(entry.parent)
        position, rotation = _in_metres(entry.position), _rotation(entry.rotations)
        add_link(mechanism, parent, joint, inertia, joint_position=position, rotation=rotation)
    return Hand(mechanism, _collision_model(mechanism))


def _collision_model(mechanism: Mechanism) -> CollisionModel:
    model = CollisionModel(mechanism)
    wrist = mechanism.body("wrist")
    palm = wrist.add_frame(_pose(Frame("wpalm shape"), wrist, (1.5, 0, 0), ()))
    model.add(wrist, Box(palm, [_CENTIMETRE * edge for edge in _PALM_SIZE]))
    shapes: dict[str, Capsule[Any]] = {}
    for capsule in _CAPSULES:
        body = mechanism.body(capsule.body)
        frame = body.add_frame(_pose(Frame(f"{capsule.name} shape"), body, capsule.position, capsule.rotations))
        shape = Capsule(frame, _CENTIMETRE * capsule.length, _CENTIMETRE * capsule.radius)
        shapes[capsule.name] = model.add(body, shape)
    for tip in _TIPS:
        model.add_pair(shapes[_PALM_EDGE], shapes[tip])
    return model


def _pose(frame: Frame, body: RigidBody, position: FloatVec3, rotations: _Rotations) -> Transform:
    return Transform(frame, body.default_frame, _rotation(rotations), _in_metres(position))


def _in_metres(position: FloatVec3) -> FloatVec3:
    x, y, z = position
    return _CENTIMETRE * x, _CENTIMETRE * y, _CENTIMETRE * z


def _rotation(rotations: _Rotations) -> Mat3:
    """Return the product of rotations; multiples of pi / 2 are exact."""
    product = identity3()
    for axis, angle_in_pi in rotations:
        c, s = math.cos(math.pi * angle_in_pi), math.sin(math.pi * angle_in_pi)
        if 2 * angle_in_pi == round(2 * angle_in_pi):
            c, s = round(c), round(s)
        product = matmul(product, rotation_about(AXES[axis], c, s))
    return product
