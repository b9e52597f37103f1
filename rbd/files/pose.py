"""Vectors and matrices of floats, and poses of one frame in another."""

from __future__ import annotations

from typing import Final, TypeAlias, final

import attrs

from rbd.scalars import to_float
from rbd.spatial import Frame, Transform
from rbd.spatial.linalg import Mat3, Vec3, add3, matmul, matvec, neg3, tmatvec, transpose3

Triple: TypeAlias = tuple[float, float, float]
Rows: TypeAlias = tuple[Triple, Triple, Triple]

ZERO: Final[Triple] = (0.0, 0.0, 0.0)
NOTHING: Final[Rows] = (ZERO, ZERO, ZERO)
UPRIGHT: Final[Rows] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def triple(vector: Vec3) -> Triple:
    """Return a vector of scalars as floats, without negative zeros."""
    x, y, z = vector
    return to_float(x) + 0.0, to_float(y) + 0.0, to_float(z) + 0.0


def rows(matrix: Mat3) -> Rows:
    """Return a matrix of scalars as floats, without negative zeros."""
    return triple(matrix[0]), triple(matrix[1]), triple(matrix[2])


@final
@attrs.frozen(eq=False)
class Pose:
    """Where a frame is in another: rotation (rows) and translation map its coordinates to those of the other."""

    rotation: Rows = UPRIGHT
    translation: Triple = ZERO

    def __matmul__(self, other: Pose) -> Pose:
        """Return the pose of the frame that `other` places in this one."""
        return Pose(rows(matmul(self.rotation, other.rotation)), self.point(other.translation))

    def point(self, xyz: Vec3) -> Triple:
        """Return the coordinates of a point of this frame in the other."""
        return triple(add3(self.translation, matvec(self.rotation, xyz)))

    def direction(self, xyz: Vec3) -> Triple:
        """Return the components of a vector of this frame in the other."""
        return triple(matvec(self.rotation, xyz))

    def inverse(self) -> Pose:
        """Return the pose of the other frame in this one."""
        return Pose(rows(transpose3(self.rotation)), triple(neg3(tmatvec(self.rotation, self.translation))))

    def transform(self, frame: Frame, to_frame: Frame) -> Transform:
        """Return the transform from `frame`, which has this pose in `to_frame`."""
        return Transform.trusted(frame, to_frame, self.rotation, self.translation)


def pose_of(transform: Transform) -> Pose:
    """Return the pose of a transform's frame in the frame it maps to."""
    return Pose(rows(transform.rotation_components), triple(transform.translation_components))
