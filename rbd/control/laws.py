"""Proportional-derivative laws of an error and its rate: of numbers, arrays, vectors in a frame and poses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from numpy.typing import NDArray

from rbd.control.gains import PDGains, SE3PDGains, gain_times
from rbd.errors import ArgumentError, ShapeError
from rbd.program.status import range_error
from rbd.pytrees.finite import require_finite_numbers
from rbd.scalars import Scalar, Vector
from rbd.scalars.arrays import pack
from rbd.spatial import Frame, FreeVector, SpatialAcceleration, Transform, Twist
from rbd.spatial.frame import A, B, G, check_frame
from rbd.spatial.linalg import Vec3, tmatvec
from rbd.spatial.so3 import linearized_rotation_vector, rotation_log

Method: TypeAlias = Literal["geodesic", "linearized"]


def number_law(gains: PDGains, error: Scalar, rate: Scalar) -> Scalar:
    """Return -k e - d de/dt of a number; raise NotFiniteError when it is too large."""
    if isinstance(gains.k, tuple) or isinstance(gains.d, tuple):
        raise ArgumentError("gains of one number are numbers", argument="gains", value=gains, allowed="numbers")
    return _finite(lambda: (-(gains.k * error) - gains.d * rate,))[0]


def array_law(gains: PDGains, error: NDArray[Any], rate: NDArray[Any]) -> NDArray[Any]:
    """Return -k e - d de/dt of an array with one axis; raise ShapeError for others."""
    if error.shape != rate.shape or error.ndim != 1:
        message = f"x has shape {error.shape} and rate {rate.shape}; they must be one vector each, of one length"
        raise ShapeError(message, argument="rate", expected=error.shape, actual=rate.shape)
    return pack(_components(gains, tuple(error.tolist()), tuple(rate.tolist())))


def framed_law(gains: PDGains, frame: Frame[G], error: Vec3, rate: Vec3) -> FreeVector[G]:
    """Return -k e - d de/dt of components in a frame; raise FrameMismatchError for gains in another."""
    if gains.frame is not None:
        check_frame(gains.frame, frame, operation="pd", argument="gains.frame")
    x, y, z = _components(gains, error, rate)
    return FreeVector.trusted(frame, (x, y, z))


def pose_law(
    gains: PDGains | SE3PDGains, error: Transform[A, B], twist: Twist[A, B, A], method: Method
) -> FreeVector[A] | SpatialAcceleration[A, B, A]:
    """Return the law of the rotation, or of rotation and translation, in the body's frame.

    `error` maps the body's frame to the desired one, `twist` is that of the body with respect to the desired frame.
    """
    rotation, body = error.rotation_components, error.from_frame
    rotation_error = rotation_log(rotation) if method == "geodesic" else linearized_rotation_vector(rotation)
    if isinstance(gains, PDGains):
        return framed_law(gains, body, rotation_error, twist.angular_components)
    angular = framed_law(gains.angular, body, rotation_error, twist.angular_components)
    position_error = tmatvec(rotation, error.translation_components)
    linear = framed_law(gains.linear, body, position_error, twist.linear_components)
    return SpatialAcceleration.trusted(twist.body, twist.base, body, angular.xyz_components, linear.xyz_components)


def _finite(law: Callable[[], Vector]) -> Vector:
    """Return the numbers of a law; raise NotFiniteError for those that are too large."""
    try:
        result = law()
    except OverflowError:  # of fractions, of which each is in the range of floats
        raise range_error("pd") from None
    require_finite_numbers(result, "pd")
    return result


def _components(gains: PDGains, error: Vector, rate: Vector) -> Vector:
    def law() -> Vector:
        pairs = zip(gain_times(gains.k, error), gain_times(gains.d, rate), strict=True)
        return tuple(-(a + b) for a, b in pairs)

    return _finite(law)
