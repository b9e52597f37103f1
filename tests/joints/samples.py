"""The joint types the tests run over, and small helpers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbd.joints import (
    Fixed,
    JointType,
    MRPFloating,
    Planar,
    Prismatic,
    QuaternionFloating,
    QuaternionSpherical,
    Revolute,
    RotationVectorFloating,
    RotationVectorSpherical,
    Screw,
    SinCosRevolute,
    Universal,
)
from rbd.scalars import Vector
from rbd.spatial import Frame, Transform

AXES = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1), (0, -1, 0), (1, 2, 3), (-0.3, 0.1, -2.0), (1e-9, 0, 1)]

JOINTS: list[JointType] = [
    *(Revolute(axis) for axis in AXES),
    *(Prismatic(axis) for axis in AXES),
    *(SinCosRevolute(axis) for axis in AXES),
    *(Screw(axis, pitch) for axis, pitch in [((0, 0, 1), 0.3), ((1, 0, 0), -2.0), ((1, 2, 3), 0.01), ((3, 2, 1), 0)]),
    Fixed(),
    Planar((1, 0, 0), (0, 1, 0)),
    Planar((0, 0, -1), (0, 1, 0)),
    Planar((1, 1, 0), (1, -1, 1)),
    Universal((1, 0, 0), (0, 1, 0)),
    Universal((0, 0, 1), (-1, 0, 0)),
    Universal((1, 2, 3), (3, 0, -1)),
    Universal((1, 0, 0), (1, 0.2, 0)),
    QuaternionSpherical(),
    RotationVectorSpherical(),
    QuaternionFloating(),
    MRPFloating(),
    RotationVectorFloating(),
]

BEFORE, AFTER = Frame("before"), Frame("after")


def pose(joint: JointType, q: Vector) -> NDArray[np.float64]:
    """Return the joint's transform as a 4 by 4 matrix."""
    return joint.transform(q, AFTER, BEFORE).matrix


def rotation_matrix(axis: object, angle: float) -> NDArray[np.float64]:
    """Return the rotation about an axis of any length, by Rodrigues' formula."""
    x, y, z = np.asarray(axis, dtype=float) / np.linalg.norm(np.asarray(axis, dtype=float))
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)


def random_rotation(rng: np.random.Generator) -> NDArray[np.float64]:
    """Return a rotation drawn uniformly."""
    q, r = np.linalg.qr(rng.standard_normal((3, 3)))
    q *= np.sign(np.diag(r))
    return q * np.linalg.det(q)


def transform_of(rotation: object, translation: object = (0, 0, 0)) -> Transform:
    """Return a transform from AFTER to BEFORE."""
    return Transform(AFTER, BEFORE, rotation, translation)
