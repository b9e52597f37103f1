"""Mechanisms that touch the ground."""

from __future__ import annotations

import math

import numpy as np

import rbd
from rbd.contact import HalfSpace

UP = (0.0, 0.0, 1.0)


def floor(mechanism: rbd.Mechanism, normal: tuple[float, float, float] = UP, height: float = 0.0) -> HalfSpace:
    """Put a half-space under a mechanism."""
    root = mechanism.root_frame
    return mechanism.add_half_space(HalfSpace(rbd.Point(root, (0, 0, height)), rbd.FreeVector(root, normal)))


def ball(model: rbd.SoftContact, radius: float = 0.0) -> rbd.Mechanism:
    """Return a ball that only rises and falls, touching with its lowest point."""
    mechanism = rbd.Mechanism()
    body = rbd.RigidBody("ball", rbd.SpatialInertia(rbd.Frame("ball"), mass=1.0, moment_about_com=0.01 * np.eye(3)))
    mechanism.attach("world", body, rbd.Joint("height", rbd.Prismatic((0, 0, 1))))
    body.add_contact_point(rbd.Point(body.default_frame, (0, 0, -radius)), model)
    floor(mechanism)
    return mechanism


def block(model: rbd.SoftContact, points: int) -> rbd.Mechanism:
    """Return a free block of 1 kg; with one point it touches below its centre of mass, otherwise with its corners."""
    mechanism = rbd.Mechanism()
    moment = np.diag([0.02, 0.02, 0.02])
    body = rbd.RigidBody("block", rbd.SpatialInertia(rbd.Frame("block"), mass=1.0, moment_about_com=moment))
    mechanism.attach("world", body, rbd.Joint("free", rbd.QuaternionFloating()))
    frame = body.default_frame
    if points == 1:
        body.add_contact_point(rbd.Point(frame, (0, 0, 0)), model)
    else:
        corners = [(x, y, z) for x in (-0.2, 0.2) for y in (-0.2, 0.2) for z in (0.0, 0.2)]
        for corner in corners[:points]:
            body.add_contact_point(rbd.Point(frame, corner), model)
    return mechanism


def slope(angle: float) -> tuple[float, float, float]:
    """Return the normal of a plane that falls along x."""
    return (math.sin(angle), 0.0, math.cos(angle))
