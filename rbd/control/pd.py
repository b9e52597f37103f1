"""Proportional-derivative control: of numbers, vectors, rotations and poses.

F. Bullo and R. Murray, Proportional derivative (PD) control on the Euclidean group, European Control Conference (1995):
the "double geodesic" law takes the rotation vector of the error, the "linearized" one its approximation (R - R^T) / 2.
Plain formulas in scalars: controllers can be recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, cast, get_args, overload

import numpy as np
from numpy.typing import NDArray

from rbd.arguments import described, isinstance_untyped, require_choice, require_kind
from rbd.control.gains import PDGains, SE3PDGains
from rbd.control.laws import Method, array_law, framed_law, number_law, pose_law
from rbd.errors import ArgumentError, ShapeError, quoted
from rbd.scalars import Scalar
from rbd.scalars.arrays import pack, scalar, scalars
from rbd.scalars.entries import any_array, check_finite
from rbd.scalars.number_checks import finite
from rbd.spatial import Frame, FreeVector, SpatialAcceleration, Transform, Twist
from rbd.spatial.frame import A, B, C, F, check_frame
from rbd.spatial.linalg import Vec3

_METHODS: tuple[Method, ...] = get_args(Method)
Numbers = TypeVar("Numbers", bound=NDArray[Any])
K = TypeVar("K")


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
    gains: object,
    x: object,
    rate: object,
    *,
    desired: object = None,
    desired_rate: object = None,
    method: Method = "geodesic",
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
    if isinstance_untyped(x, Transform):
        require_kind(gains, PDGains, SE3PDGains, operation="pd", argument="gains")
        return pose_law(cast("PDGains | SE3PDGains", gains), *_pose_error(x, rate, desired, desired_rate), method)
    plain = _of_kind(gains, PDGains, "gains")
    if method != "geodesic":
        message = f"pd: method {method!r} is for poses; x is {described(x)}"
        raise ArgumentError(message, operation="pd", argument="method", value=method, allowed="geodesic")
    if isinstance_untyped(x, FreeVector):
        return framed_law(plain, *_vector_error(x, rate, desired, desired_rate))
    if plain.frame is not None:
        message = f"pd: gains in {quoted(plain.frame.name)} need x with a frame; x is {described(x)}"
        raise ArgumentError(message, operation="pd", argument="gains", value=gains, allowed="gains without a frame")
    return _law_of_numbers(
        plain, _difference(x, desired, "x", "desired"), _difference(rate, desired_rate, "rate", "desired_rate")
    )


def _law_of_numbers(gains: PDGains, error: Any, error_rate: Any) -> Any:
    """Return the law of one number, or of an array."""
    if np.ndim(error) == 0 and np.ndim(error_rate) == 0:
        return number_law(gains, error, error_rate)
    return array_law(gains, np.asarray(error), np.asarray(error_rate))


def _numbers(value: object, argument: str) -> Any:
    """Return a number unchanged, and several numbers as an array; raise for anything else."""
    if type(value) is float:
        return finite(value, argument)
    if isinstance(value, (list, tuple)):
        return pack(scalars(cast("Sequence[object]", value), None, argument))
    array: NDArray[Any] = any_array(value, argument)
    if array.ndim == 0:
        return scalar(array.item(), argument)
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


def _vector_error(x: object, rate: object, desired: object, desired_rate: object) -> tuple[Frame[Any], Vec3, Vec3]:
    """Return the frame of a vector, its error and the rate of it."""
    error: FreeVector[Any] = _of_kind(x, FreeVector, "x")
    error_rate: FreeVector[Any] = _of_kind(rate, FreeVector, "rate")
    if desired is not None:
        error = error - _of_kind(desired, FreeVector, "desired")
    if desired_rate is not None:
        error_rate = error_rate - _of_kind(desired_rate, FreeVector, "desired_rate")
    check_frame(error_rate.frame, error.frame, operation="pd", argument="rate.frame")
    return error.frame, error.xyz_components, error_rate.xyz_components


def _pose_error(
    x: object, rate: object, desired: object, desired_rate: object
) -> tuple[Transform[Any, Any], Twist[Any, Any, Any]]:
    """Return the pose of the body in the desired frame, and its twist with respect to it in the body's frame."""
    pose: Transform[Any, Any] = _of_kind(x, Transform, "x")
    twist: Twist[Any, Any, Any] = _of_kind(rate, Twist, "rate")
    _check_rate(twist, pose, "rate")
    check_frame(twist.frame, pose.from_frame, operation="pd", argument="rate.frame")
    if desired is None:
        if desired_rate is not None:
            raise ArgumentError("desired_rate needs desired", argument="desired_rate", value=desired_rate)
        return pose, twist
    target: Transform[Any, Any] = _of_kind(desired, Transform, "desired")
    error = target.inverse() @ pose
    if desired_rate is None:
        return error, twist.with_base(target.from_frame)
    target_twist: Twist[Any, Any, Any] = _of_kind(desired_rate, Twist, "desired_rate")
    _check_rate(target_twist, target, "desired_rate")
    if target_twist.frame != twist.frame:
        target_twist = target_twist.transformed(error.inverse())
    return error, -target_twist + twist


def _check_rate(rate: Twist[Any, Any, Any], pose: Transform[Any, Any], argument: str) -> None:
    """Raise FrameMismatchError unless `rate` is a twist of the frame whose pose this is."""
    check_frame(rate.body, pose.from_frame, operation="pd", argument=f"{argument}.body")
    check_frame(rate.base, pose.to_frame, operation="pd", argument=f"{argument}.base")


def _of_kind(value: object, kind: type[K], argument: str) -> K:
    """Return an argument of a class; raise ArgumentError for others."""
    require_kind(value, kind, operation="pd", argument=argument)
    return cast("K", value)
