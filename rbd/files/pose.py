"""Vectors and matrices of floats, and poses of one frame in another."""

from __future__ import annotations

from typing import Final, TypeAlias, final

import attrs

from rbd.scalars import to_float
from rbd.scalars.arrays import Array
from rbd.spatial import Frame, Transform
from rbd.spatial.linalg import Mat3, Vec3, add3, matmul, matvec, neg3, tmatvec, transpose3

FloatVec3: TypeAlias = tuple[float, float, float]
FloatMat3: TypeAlias = tuple[FloatVec3, FloatVec3, FloatVec3]
"""`Vec3` and `Mat3` of floats; those of `rbd.spatial.linalg` hold scalars of any kind."""

ZERO: Final[FloatVec3] = (0.0, 0.0, 0.0)
ZERO_MATRIX: Final[FloatMat3] = (ZERO, ZERO, ZERO)
IDENTITY: Final[FloatMat3] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def float_vector(vector: Vec3) -> FloatVec3:
    """Return a vector of scalars as floats, without negative zeros."""
    x, y, z = vector
    return to_float(x) + 0.0, to_float(y) + 0.0, to_float(z) + 0.0


def float_matrix(matrix: Mat3) -> FloatMat3:
    """Return a matrix of scalars as floats, without negative zeros."""
    return float_vector(matrix[0]), float_vector(matrix[1]), float_vector(matrix[2])


def matrix_of_array(matrix: Array) -> FloatMat3:
    """Return a 3×3 array as a matrix of floats."""
    (a, b, c), (d, e, f), (g, h, i) = matrix.tolist()
    return (a, b, c), (d, e, f), (g, h, i)


@final
@attrs.frozen(eq=False)
class Pose:
    """Pose of a frame in another: rotation (rows) and translation map its coordinates to those of the other."""

    rotation: FloatMat3 = IDENTITY
    translation: FloatVec3 = ZERO

    def __matmul__(self, other: Pose) -> Pose:
        """Return the pose of the frame that `other` places in this one."""
        return Pose(float_matrix(matmul(self.rotation, other.rotation)), self.point(other.translation))

    def point(self, xyz: Vec3) -> FloatVec3:
        """Return the coordinates of a point of this frame in the other."""
        return float_vector(add3(self.translation, matvec(self.rotation, xyz)))

    def direction(self, xyz: Vec3) -> FloatVec3:
        """Return the components of a vector of this frame in the other."""
        return float_vector(matvec(self.rotation, xyz))

    def inverse(self) -> Pose:
        """Return the pose of the other frame in this one."""
        return Pose(
            float_matrix(transpose3(self.rotation)), float_vector(neg3(tmatvec(self.rotation, self.translation)))
        )

    def transform(self, frame: Frame, to_frame: Frame) -> Transform:
        """Return the transform from `frame`, which has this pose in `to_frame`."""
        return Transform.trusted(frame, to_frame, self.rotation, self.translation)


def pose_of(transform: Transform) -> Pose:
    """Return the pose of a transform's frame in the frame it maps to."""
    return Pose(float_matrix(transform.rotation_components), float_vector(transform.translation_components))
