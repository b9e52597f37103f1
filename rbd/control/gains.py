"""Gains of proportional-derivative control: of numbers, vectors and poses."""

from __future__ import annotations

from typing import Any, TypeAlias, cast, final

import attrs
import numpy as np
from numpy.typing import ArrayLike

from rbd.arguments import require_kind
from rbd.errors import ShapeError
from rbd.scalars import Matrix, Scalar, Vector
from rbd.scalars.arrays import matrix_scalars, scalars
from rbd.scalars.entries import any_array
from rbd.scalars.linear_algebra import matvec
from rbd.scalars.number_checks import require_number
from rbd.spatial import Frame, Transform
from rbd.spatial.congruence import similarity
from rbd.spatial.frame import check_frame, require_frame
from rbd.spatial.linalg import Mat3, Vec3

Gain: TypeAlias = "Scalar | Vector | Matrix"


def _as_gain(value: Gain | ArrayLike, argument: str) -> Gain:
    """Return a gain as a number, a tuple with one per coordinate, or the rows of a square matrix."""
    array = any_array(value, argument, dtype=np.object_)
    if array.ndim == 0:
        number: object = array.item()
        require_number(number, argument)
        return cast("Scalar", number)
    if array.size == 0:
        message = f"{argument} has no entries; a number is a gain of any number of coordinates"
        raise ShapeError(message, argument=argument, actual=array.shape)
    if array.ndim == 1:
        return scalars(array, len(array), argument)
    return matrix_scalars(array, array.shape[0], array.shape[0], argument)


def _as_stiffness(value: Gain | ArrayLike) -> Gain:
    return _as_gain(value, "k")


def _as_damping(value: Gain | ArrayLike) -> Gain:
    return _as_gain(value, "d")


@final
@attrs.frozen
class PDGains:
    """Stiffness `k` and damping `d`: numbers, one number per coordinate, or square matrices.

    Vectors and matrices of gains belong to the coordinates of a frame, which is checked if `frame` is given. Gains with
    a frame control free vectors and poses only. Raises ShapeError for gains without entries, and for stiffness and
    damping of different numbers of coordinates.

    >>> import rbd
    >>> gains = rbd.PDGains(k=100.0, d=20.0)
    >>> rbd.pd(gains, 0.5, 0.25)
    -55.0
    """

    k: Gain = attrs.field(converter=_as_stiffness)
    d: Gain = attrs.field(converter=_as_damping)
    frame: Frame[Any] | None = None

    def __attrs_post_init__(self) -> None:
        if self.frame is not None:
            require_frame(self.frame, "frame")
        rows = [len(gain) for gain in (self.k, self.d) if isinstance(gain, tuple)]
        if len(set(rows)) > 1:
            message = f"k is for {rows[0]} coordinates, d for {rows[1]}"
            raise ShapeError(message, argument="d", expected=(rows[0],), actual=(rows[1],))

    def transformed(self, tf: Transform[Any, Any]) -> PDGains:
        """Return the same gains in `tf.to_frame`.

        Raises FrameMismatchError unless they are in `tf.from_frame`, ShapeError unless they are numbers or have three
        rows.
        """
        require_kind(tf, Transform, operation="PDGains.transformed", argument="tf")
        if self.frame is not None:
            check_frame(tf.from_frame, self.frame, operation="PDGains.transformed", argument="tf.from_frame")
        k, d = (_rotated(gain, tf.rotation_components) for gain in (self.k, self.d))
        return PDGains(k, d, tf.to_frame)


@final
@attrs.frozen
class SE3PDGains:
    """Gains of a pose: `angular` for its rotation, `linear` for its translation, in the frame of the body.

    >>> import rbd
    >>> gains = rbd.SE3PDGains(angular=rbd.PDGains(80.0, 16.0), linear=rbd.PDGains(100.0, 20.0))
    """

    angular: PDGains
    linear: PDGains

    def __attrs_post_init__(self) -> None:
        require_kind(self.angular, PDGains, operation="SE3PDGains", argument="angular")
        require_kind(self.linear, PDGains, operation="SE3PDGains", argument="linear")


def gain_times(gain: Gain, vector: Vector) -> Vector:
    """Return gain times vector."""
    if not isinstance(gain, tuple):
        return tuple(gain * x for x in vector)
    if len(gain) != len(vector):
        message = f"a gain has {len(gain)} rows, the vector {len(vector)} entries"
        raise ShapeError(message, argument="gains", expected=(len(vector),), actual=(len(gain),))
    if not any(isinstance(row, tuple) for row in gain):
        return tuple(k * x for k, x in zip(cast("Vector", gain), vector, strict=True))
    return matvec(cast("Matrix", gain), vector)


def _rotated(gain: Gain, rotation: Mat3) -> Gain:
    """Return a gain of three coordinates in a frame rotated by `rotation`."""
    if not isinstance(gain, tuple):
        return gain
    rows = cast("Mat3", gain)
    if len(gain) != 3:
        message = f"a gain has {len(gain)} rows; those of vectors in a frame have three"
        raise ShapeError(message, argument="gains", expected=(3,), actual=(len(gain),))
    if not any(isinstance(row, tuple) for row in gain):
        x, y, z = cast("Vec3", gain)
        rows = ((x, 0, 0), (0, y, 0), (0, 0, z))
    return similarity(rotation, rows)
