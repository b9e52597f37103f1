"""Proportional-derivative control: of numbers, vectors, rotations and poses.

F. Bullo and R. Murray, Proportional derivative (PD) control on the Euclidean group, European Control Conference (1995):
the "double geodesic" law takes the rotation vector of the error, the "linearized" one its approximation (R - R^T) / 2.
Plain formulas in scalars: controllers can be recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, TypeVar, cast, final, get_args, overload

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbd.arguments import described, require_choice, require_kind
from rbd.errors import ArgumentError, ShapeError, quoted
from rbd.kernels.finite import require_finite_numbers
from rbd.scalars import Matrix, Scalar, Vector
from rbd.scalars.arrays import matrix_scalars, pack, scalars
from rbd.scalars.entries import any_array, check_finite
from rbd.scalars.linear_algebra import matvec
from rbd.scalars.number_checks import finite
from rbd.spatial import Frame, FreeVector, SpatialAcceleration, Transform, Twist
from rbd.spatial.congruence import similarity
from rbd.spatial.frame import A, B, C, F, G, check_frame, require_frame
from rbd.spatial.linalg import Mat3, Vec3, tmatvec
from rbd.spatial.so3 import linearized_rotation_vector, rotation_log
from rbd.spatial.values import require_number

Gain: TypeAlias = "Scalar | Vector | Matrix"
Method: TypeAlias = Literal["geodesic", "linearized"]
_METHODS: tuple[Method, ...] = get_args(Method)
Numbers = TypeVar("Numbers", bound=NDArray[Any])


def _as_gain(value: Gain | ArrayLike) -> Gain:
    """Return a gain as a number, a tuple with one per coordinate, or the rows of a square matrix."""
    array = any_array(value, "a gain", dtype=np.object_)
    if array.ndim == 0:
        number: object = array.item()
        require_number(number, "a gain")
        return cast("Scalar", number)
    if array.ndim == 1:
        return scalars(array, len(array), "a gain")
    return matrix_scalars(array, array.shape[0], array.shape[0], "a gain")


@final
@attrs.frozen
class PDGains:
    """Stiffness `k` and damping `d`: numbers, one number per coordinate, or square matrices.

    Vectors and matrices of gains belong to the coordinates of a frame, which is checked if `frame` is given. Gains with
    a frame control free vectors and poses only.

    >>> import rbd
    >>> gains = rbd.PDGains(k=100.0, d=20.0)
    >>> rbd.pd(gains, 0.5, 0.25)
    -55.0
    """

    k: Gain = attrs.field(converter=_as_gain)
    d: Gain = attrs.field(converter=_as_gain)
    frame: Frame[Any] | None = None

    def __attrs_post_init__(self) -> None:
        if self.frame is not None:
            require_frame(self.frame, "frame")

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


@overload
def pd(
    gains: PDGains,
    x: FreeVector[F],
    rate: FreeVector[F],
    *,
    desired: FreeVector[F] | None = None,
    desired_rate: FreeVector[F] | None = None,
) -> FreeVector[F]: ...
@overload
def pd(
    gains: PDGains,
    x: Transform[A, B],
    rate: Twist[A, B, A],
    *,
    desired: Transform[C, B] | None = None,
    desired_rate: Twist[C, B, Any] | None = None,
    method: Method = "geodesic",
) -> FreeVector[A]: ...
@overload
def pd(
    gains: SE3PDGains,
    x: Transform[A, B],
    rate: Twist[A, B, A],
    *,
    desired: Transform[C, B] | None = None,
    desired_rate: Twist[C, B, Any] | None = None,
    method: Method = "geodesic",
) -> SpatialAcceleration[A, Any, A]: ...
@overload
def pd(
    gains: PDGains, x: Numbers, rate: Numbers, *, desired: Numbers | None = None, desired_rate: Numbers | None = None
) -> Numbers: ...
@overload
def pd(
    gains: PDGains, x: Scalar, rate: Scalar, *, desired: Scalar | None = None, desired_rate: Scalar | None = None
) -> Scalar: ...
def pd(
    gains: Any, x: Any, rate: Any, *, desired: Any = None, desired_rate: Any = None, method: Method = "geodesic"
) -> Any:
    """Return the PD law -k e - d de/dt for `x`, with rate `rate`, towards `desired`, with rate `desired_rate`.

    The result is a torque or an acceleration, depending on the gains. Numbers and arrays:
    e = x - desired, zero at rest if not given. Free vectors must be in one frame.

    Poses: `x` maps the body's frame to a base, `rate` is the twist of the body with respect to the base, expressed in
    the body's frame; `desired` maps the frame where the body should be to the same base, `desired_rate` is that frame's
    twist, expressed in itself or in the body's frame. Without `desired` the base is the desired frame. With
    `PDGains` only the rotation is controlled and the result is a FreeVector in the body's frame; with `SE3PDGains` a
    SpatialAcceleration of the body with respect to the desired frame, expressed in the body's frame.

    `method`, for poses only: "geodesic" takes the rotation vector of the error, up to half a turn; "linearized" the
    approximation (R - R^T) / 2, which is smooth everywhere but weak beyond a quarter turn.

    Raises FrameMismatchError, ShapeError, ArgumentError for arguments that do not fit together, and NotFiniteError for
    numbers that are not finite or are too large.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.4, 0.0])
    >>> rbd.pd(rbd.PDGains(k=[10.0, 5.0], d=1.0), state.q, state.v)
    array([-4., -0.])
    """
    if not (isinstance(method, str) and method in _METHODS):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers err
        require_choice(method, _METHODS, "method", "method")
    if issubclass(type(x), Transform):
        return _pose_law(gains, x, rate, desired, desired_rate, method)
    require_kind(gains, PDGains, operation="pd", argument="gains")
    if method != "geodesic":
        message = f"pd: method {method!r} is for poses; x is {described(x)}"
        raise ArgumentError(message, operation="pd", argument="method", value=method, allowed="geodesic")
    if issubclass(type(x), FreeVector):
        return _vector_law(gains, x, rate, desired, desired_rate)
    if gains.frame is not None:
        message = f"pd: gains in {quoted(gains.frame.name)} need x with a frame; x is {described(x)}"
        raise ArgumentError(message, operation="pd", argument="gains", value=gains, allowed="gains without a frame")
    error = _difference(x, desired, "x", "desired")
    error_rate = _difference(rate, desired_rate, "rate", "desired_rate")
    if np.ndim(error) == 0 and np.ndim(error_rate) == 0:
        return _number_law(gains, error, error_rate)
    return _array_law(gains, np.asarray(error), np.asarray(error_rate))


def _numbers(value: object, argument: str) -> Any:
    """Return a number unchanged, and several numbers as an array; raise for anything else."""
    if type(value) is float:
        return finite(value, argument)
    if isinstance(value, (list, tuple)):
        return pack(scalars(cast("Sequence[object]", value), None, argument))
    array: NDArray[Any] = any_array(value, argument)
    if array.ndim == 0:
        return scalars([array.item()], 1, argument)[0]
    if array.dtype != np.float64:
        return pack(scalars(array, None, argument))
    check_finite(array, argument)
    return array


def _difference(value: object, desired: object, name: str, desired_name: str) -> Any:
    """Return value - desired; a single number may be desired of all."""
    x = _numbers(value, name)
    if desired is None:
        return x
    y = _numbers(desired, desired_name)
    if np.ndim(y) and np.shape(y) != np.shape(x):
        message = f"{desired_name} has shape {np.shape(y)}, {name} {np.shape(x)}"
        raise ShapeError(message, argument=desired_name, expected=np.shape(x), actual=np.shape(y))
    with np.errstate(over="ignore"):  # the law raises
        return x - y


def _number_law(gains: PDGains, error: Scalar, rate: Scalar) -> Scalar:
    if isinstance(gains.k, tuple) or isinstance(gains.d, tuple):
        raise ArgumentError("gains of one number are numbers", argument="gains", value=gains, allowed="numbers")
    result = -(gains.k * error) - gains.d * rate
    require_finite_numbers((result,), "pd")
    return result


def _array_law(gains: PDGains, error: NDArray[Any], rate: NDArray[Any]) -> NDArray[Any]:
    if error.shape != rate.shape or error.ndim != 1:
        message = f"x has shape {error.shape} and rate {rate.shape}; they must be one vector each, of one length"
        raise ShapeError(message, argument="rate", expected=error.shape, actual=rate.shape)
    values = _law(gains, tuple(error.tolist()), tuple(rate.tolist()))
    floats = error.dtype != np.object_ and rate.dtype != np.object_
    return np.array(values, dtype=np.float64 if floats else np.object_)


def _vector_law(gains: PDGains, x: FreeVector[G], rate: Any, desired: Any, desired_rate: Any) -> FreeVector[G]:
    require_kind(rate, FreeVector, operation="pd", argument="rate")
    error = x if desired is None else x - desired
    error_rate = rate if desired_rate is None else rate - desired_rate
    check_frame(error_rate.frame, error.frame, operation="pd", argument="rate.frame")
    return _framed_law(gains, error.frame, error.xyz_components, error_rate.xyz_components)


def _pose_law(
    gains: Any, x: Transform[Any, Any], rate: Any, desired: Any, desired_rate: Any, method: Method
) -> FreeVector[Any] | SpatialAcceleration[Any, Any, Any]:
    require_kind(gains, PDGains, SE3PDGains, operation="pd", argument="gains")
    require_kind(rate, Twist, operation="pd", argument="rate")
    error, error_twist = _pose_error(x, rate, desired, desired_rate)
    rotation, body = error.rotation_components, error.from_frame
    rotation_error = rotation_log(rotation) if method == "geodesic" else linearized_rotation_vector(rotation)
    angular = _framed_law(
        gains if isinstance(gains, PDGains) else gains.angular, body, rotation_error, error_twist.angular_components
    )
    if isinstance(gains, PDGains):
        return angular
    position_error = tmatvec(rotation, error.translation_components)
    linear = _framed_law(gains.linear, body, position_error, error_twist.linear_components)
    return SpatialAcceleration.trusted(
        error_twist.body, error_twist.base, body, angular.xyz_components, linear.xyz_components
    )


def _pose_error(
    x: Transform[Any, Any], rate: Twist[Any, Any, Any], desired: Any, desired_rate: Any
) -> tuple[Transform[Any, Any], Twist[Any, Any, Any]]:
    """Return the pose of the body in the desired frame, and its twist with respect to it in the body's frame."""
    for name, actual, expected in (
        ("rate.body", rate.body, x.from_frame),
        ("rate.base", rate.base, x.to_frame),
        ("rate.frame", rate.frame, x.from_frame),
    ):
        check_frame(actual, expected, operation="pd", argument=name)
    if desired is None:
        if desired_rate is not None:
            raise ArgumentError("desired_rate needs desired", argument="desired_rate", value=desired_rate)
        return x, rate
    require_kind(desired, Transform, operation="pd", argument="desired")
    error = desired.inverse() @ x
    if desired_rate is None:
        return error, rate.with_base(desired.from_frame)
    require_kind(desired_rate, Twist, operation="pd", argument="desired_rate")
    desired_twist = desired_rate if desired_rate.frame == rate.frame else desired_rate.transformed(error.inverse())
    return error, -desired_twist + rate


def _framed_law(gains: PDGains, frame: Frame[G], error: Vec3, rate: Vec3) -> FreeVector[G]:
    if gains.frame is not None:
        check_frame(gains.frame, frame, operation="pd", argument="gains.frame")
    x, y, z = _law(gains, error, rate)
    return FreeVector.trusted(frame, (x, y, z))


def _law(gains: PDGains, error: Vector, rate: Vector) -> Vector:
    pairs = zip(_product(gains.k, error), _product(gains.d, rate), strict=True)
    result = tuple(-(a + b) for a, b in pairs)
    require_finite_numbers(result, "pd")
    return result


def _product(gain: Gain, vector: Vector) -> Vector:
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
