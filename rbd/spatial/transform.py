"""Rigid transforms: the pose of one frame in another.

`Transform[A, B]` maps coordinates in A to coordinates in B; composition reads right to left.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, Final, Generic, Never, NoReturn, final, overload

import attrs
from typing_extensions import override

from rbd.arguments import constructing_call, kind_error, require_kind
from rbd.display import latex_matrix, latex_name
from rbd.errors import RotationError, ShapeError
from rbd.scalars import Scalar, Vector, const, is_float, to_float
from rbd.scalars.arrays import Array, array_of, array_of_shape, matrix_scalars, scalars
from rbd.spatial.checks import check_rotation, check_unit_quaternion, plain_rotation
from rbd.spatial.frame import A, B, C, D, Frame, check_frame, require_frame, same_frame
from rbd.spatial.linalg import (
    Mat3,
    Vec3,
    Vec6,
    add3,
    add6,
    cross3,
    dot3,
    identity3,
    motion_cross,
    scale3,
    scale6,
    sub3,
    zero3,
)
from rbd.spatial.motion import Twist
from rbd.spatial.quaternion import quaternion_normalized, quaternion_to_rotation, rotation_to_quaternion
from rbd.spatial.so3 import rotation_log
from rbd.spatial.stumpff import inverse_jacobian_coefficient, log_rate_coefficients
from rbd.spatial.values import MatrixLike, SpatialValue, VectorLike, format_numbers, refuse_product, slot_setters
from rbd.spatial.vectors import FreeVector, Point, vec3_in_frame

_new = object.__new__
_HALF: Scalar = const(1, 2)
_INSTEAD_OF_ROTATION: Final[dict[object, str]] = {
    (3,): "write translation=(x, y, z) for a translation",
    (4,): "write Transform.from_quaternion for (w, x, y, z)",
    (4, 4): "write Transform.from_matrix for a homogeneous matrix",
}
"""Advice in error messages, by the shape of the array."""


@constructing_call("Transform(from_frame, to_frame, rotation, translation)", takes="numbers")
@final
@attrs.frozen(eq=False, repr=False, init=False)
class Transform(SpatialValue, Generic[A, B]):
    """Maps coordinates in `from_frame` to coordinates in `to_frame`: x_to = rotation x_from + translation.

    In other words the pose of `from_frame` in `to_frame`. Both parts default to the identity's. Raises ShapeError,
    NotFiniteError, RotationError unless the matrix is a rotation, ArgumentError when a frame is not a Frame.

    >>> camera, world = Frame("camera"), Frame("world")
    >>> tf = Transform(camera, world, translation=[0, 0, 1])
    >>> tf @ Point(camera, [1, 0, 0])
    Point in 'world': (1, 0, 1)
    """

    from_frame: Frame[A]
    to_frame: Frame[B]
    rotation_components: Mat3
    translation_components: Vec3

    def __init__(
        self,
        from_frame: Frame[A],
        to_frame: Frame[B],
        rotation: MatrixLike | None = None,
        translation: VectorLike | FreeVector[B] | None = None,
    ) -> None:
        _set_from(self, from_frame if type(from_frame) is Frame else require_frame(from_frame, "from_frame"))
        _set_to(self, to_frame if type(to_frame) is Frame else require_frame(to_frame, "to_frame"))
        _set_rotation(self, identity3() if rotation is None else _checked_rotation(rotation))
        offset = zero3() if translation is None else vec3_in_frame(translation, to_frame, "translation", "Transform")
        _set_translation(self, offset)

    @staticmethod
    def trusted(from_frame: Frame[C], to_frame: Frame[D], rotation: Mat3, translation: Vec3) -> Transform[C, D]:
        """Make a transform of scalars, unchecked."""
        self: Transform[C, D] = _new(Transform)
        _set_from(self, from_frame)
        _set_to(self, to_frame)
        _set_rotation(self, rotation)
        _set_translation(self, translation)
        return self

    @staticmethod
    def identity(from_frame: Frame[C], to_frame: Frame[D]) -> Transform[C, D]:
        """Return the transform of two frames that coincide."""
        require_frame(from_frame, "from_frame")
        require_frame(to_frame, "to_frame")
        return Transform.trusted(from_frame, to_frame, identity3(), zero3())

    @staticmethod
    def from_matrix(from_frame: Frame[C], to_frame: Frame[D], matrix: MatrixLike) -> Transform[C, D]:
        """Make a transform of a homogeneous 4x4 matrix.

        Raises what the constructor does, and RotationError when the last row is not (0, 0, 0, 1).
        """
        rows = matrix_scalars(matrix, 4, 4, "matrix")
        if any(is_float(x) and to_float(x) != e for x, e in zip(rows[3], (0, 0, 0, 1), strict=True)):
            raise RotationError(
                f"matrix: the last row of a pose is (0, 0, 0, 1), not {format_numbers(rows[3])}",
                argument="matrix",
                defect=rows[3],
            )
        rotation, translation = [row[:3] for row in rows[:3]], [row[3] for row in rows[:3]]
        return Transform(from_frame, to_frame, rotation, translation)

    @staticmethod
    def from_quaternion(
        from_frame: Frame[C],
        to_frame: Frame[D],
        quaternion: VectorLike,
        translation: VectorLike | FreeVector[D] | None = None,
    ) -> Transform[C, D]:
        """Make a transform of a unit quaternion (w, x, y, z).

        Raises what the constructor does, and RotationError when the quaternion's length is not one (to 1e-9).
        """
        w, x, y, z = scalars(quaternion, 4, "quaternion")
        check_unit_quaternion((w, x, y, z), "quaternion")
        rotation = quaternion_to_rotation(quaternion_normalized((w, x, y, z)))
        require_frame(from_frame, "from_frame")
        require_frame(to_frame, "to_frame")
        operation = "Transform.from_quaternion"
        offset = zero3() if translation is None else vec3_in_frame(translation, to_frame, "translation", operation)
        return Transform.trusted(from_frame, to_frame, rotation, offset)

    @property
    def rotation(self) -> Array:
        """The rotation as a fresh 3x3 array."""
        return array_of(self.rotation_components)

    @property
    def translation(self) -> Array:
        """The origin of `from_frame` in `to_frame` as an array."""
        return array_of(self.translation_components)

    @property
    def quaternion(self) -> Array:
        """The unit quaternion (w, x, y, z) of the rotation, with w >= 0, as a fresh array."""
        return array_of(rotation_to_quaternion(self.rotation_components))

    @property
    def matrix(self) -> Array:
        """The homogeneous matrix as a fresh 4x4 array."""
        ((a, b, c), (d, e, f), (g, h, i)), (x, y, z) = self.rotation_components, self.translation_components
        return array_of_shape((a, b, c, x, d, e, f, y, g, h, i, z, 0, 0, 0, 1), (4, 4))

    @property
    def components(self) -> tuple[Mat3, Vec3]:
        """The rows of the rotation, and the translation, as scalars."""
        return self.rotation_components, self.translation_components

    def inverse(self) -> Transform[B, A]:
        """Return the transform the other way, from `to_frame` to `from_frame`."""
        ((a, b, c), (d, e, f), (g, h, i)), (x, y, z) = self.rotation_components, self.translation_components
        x, y, z = a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z
        return Transform.trusted(self.to_frame, self.from_frame, ((a, d, g), (b, e, h), (c, f, i)), (-x, -y, -z))

    @overload
    def __matmul__(self, other: Transform[C, A]) -> Transform[C, B]: ...
    @overload
    def __matmul__(self, other: Point[A]) -> Point[B]: ...
    @overload
    def __matmul__(self, other: FreeVector[A]) -> FreeVector[B]: ...
    def __matmul__(
        self, other: Transform[C, A] | Point[A] | FreeVector[A]
    ) -> Transform[C, B] | Point[B] | FreeVector[B]:
        if type(other) is Transform:
            if other.to_frame is not self.from_frame:
                _check_composition(self, other)
            return self._composed(other)
        if not isinstance(other, (Point, FreeVector)):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
            allowed = "Transform, Point or FreeVector (all else has a method .transformed(tf))"
            raise kind_error(other, allowed, "Transform @ ...", "the right operand", kinds=(Point, FreeVector))
        return other.transformed(self)

    def _repr_latex_(self) -> str:
        rows = zip(self.rotation_components, self.translation_components, strict=True)
        matrix = latex_matrix([*((*row, x) for row, x in rows), (0, 0, 0, 1)])
        to, of = latex_name(self.to_frame.name), latex_name(self.from_frame.name)
        return f"$X^{{{to}}}_{{{of}}} = {matrix}$"

    def __mul__(self, other: Never, /) -> NoReturn:
        refuse_product(self, other)

    def _composed(self, other: Transform[C, A]) -> Transform[C, B]:
        """Return the composition, written out: most of the time would go into calls."""
        (a, b, c), (d, e, f), (g, h, i) = self.rotation_components
        (j, k, l), (m, n, o), (r, s, t) = other.rotation_components
        (x, y, z), (px, py, pz) = other.translation_components, self.translation_components
        x, y, z = a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z
        translation = x + px, y + py, z + pz
        rotation = (
            (a * j + b * m + c * r, a * k + b * n + c * s, a * l + b * o + c * t),
            (d * j + e * m + f * r, d * k + e * n + f * s, d * l + e * o + f * t),
            (g * j + h * m + i * r, g * k + h * n + i * s, g * l + h * o + i * t),
        )
        return Transform.trusted(other.from_frame, self.to_frame, rotation, translation)

    def expect(self, from_frame: Frame[C], to_frame: Frame[D]) -> Transform[C, D]:
        """Return this transform, known to type checkers by the two frames given.

        Raises FrameMismatchError unless they are its frames.
        """
        reverse = same_frame(self.from_frame, require_frame(to_frame, "to_frame")) and same_frame(
            self.to_frame, require_frame(from_frame, "from_frame")
        )
        hint = "its inverse would fit" if reverse else ""
        for name, mine, expected in (("from", self.from_frame, from_frame), ("to", self.to_frame, to_frame)):
            check_frame(mine, expected, operation="Transform.expect", argument=f"self.{name}_frame", hint=hint)
        return with_frames(self, from_frame, to_frame)

    def log(self) -> Twist[A, B, B]:
        """Return the twist of `from_frame` with respect to `to_frame`, in `to_frame`, whose exponential this is.

        Its angular part is at most pi long.
        """
        phi = rotation_log(self.rotation_components)
        p = self.translation_components
        once = cross3(phi, p)
        second_order = scale3(cross3(phi, once), inverse_jacobian_coefficient(dot3(phi, phi)))
        return Twist.trusted(
            self.from_frame, self.to_frame, self.to_frame, phi, add3(sub3(p, scale3(once, _HALF)), second_order)
        )

    def log_and_rate(self, twist: Twist[A, B, A]) -> tuple[Twist[A, B, B], Twist[A, B, B]]:
        """Return the logarithm and its derivative, both in `to_frame`.

        `twist` is of `from_frame` with respect to `to_frame`, expressed in `from_frame` (Bullo and Murray, 1995). The
        logarithm jumps where the angle is pi; there this is the derivative of the branch that `log` returns.
        Raises FrameMismatchError unless the frames fit.
        """
        require_kind(twist, Twist, operation="Transform.log_and_rate", argument="twist")
        expected = (("body", self.from_frame), ("base", self.to_frame), ("frame", self.from_frame))
        for name, frame in expected:
            actual: Frame[Any] = getattr(twist, name)
            check_frame(actual, frame, operation="Transform.log_and_rate", argument=f"twist.{name}")
        log = self.log()
        motion = twist.angular_components, twist.linear_components
        rate = log_rate((log.angular_components, log.linear_components), motion)
        return log, Twist.trusted(self.from_frame, self.to_frame, self.to_frame, *rate)

    @override
    def _frames(self) -> tuple[tuple[str, Frame[Any]], ...]:
        return ("from_frame", self.from_frame), ("to_frame", self.to_frame)

    @override
    def _parts(self) -> tuple[Vector, ...]:
        a, b, c = self.rotation_components
        return a + b + c, self.translation_components

    @override
    def __repr__(self) -> str:
        rotation = ", ".join(format_numbers(row) for row in self.rotation_components)
        return (
            f"Transform from {self.from_frame.name!r} to {self.to_frame.name!r}: "
            f"rotation ({rotation}), translation {format_numbers(self.translation_components)}"
        )


_set_from, _set_to, _set_rotation, _set_translation = slot_setters(Transform)


def with_frames(tf: Transform[Any, Any], from_frame: Frame[C], to_frame: Frame[D]) -> Transform[C, D]:
    """Return a transform of the same components between other frames."""
    return Transform.trusted(from_frame, to_frame, tf.rotation_components, tf.translation_components)


def log_rate(log: Vec6, motion: Vec6) -> Vec6:
    """Return the derivative of the logarithm of a pose at a twist, in its own frame (Bullo and Murray, 1995)."""
    a, b = log_rate_coefficients(dot3(log[0], log[0]))
    once = motion_cross(log, motion)
    twice = motion_cross(log, once)
    fourth = motion_cross(log, motion_cross(log, twice))
    return reduce(add6, (motion, scale6(once, _HALF), scale6(twice, a), scale6(fourth, b)))


def _checked_rotation(rotation: MatrixLike) -> Mat3:
    """Return the scalars of a rotation. Raises ShapeError, NotFiniteError, RotationError."""
    plain = plain_rotation(rotation)
    if plain is not None:
        return plain
    try:
        (a, b, c), (d, e, f), (g, h, i) = matrix_scalars(rotation, 3, 3, "rotation")
    except ShapeError as error:
        instead = _INSTEAD_OF_ROTATION.get(error.fields.get("actual"))
        raise error if instead is None else ShapeError(f"{error}; {instead}", **error.fields) from None
    matrix = (a, b, c), (d, e, f), (g, h, i)
    check_rotation(matrix, "rotation")
    return matrix


def _check_composition(left: Transform[Any, Any], right: Transform[Any, Any]) -> None:
    if same_frame(right.to_frame, left.from_frame):
        return
    if same_frame(right.from_frame, left.from_frame):
        hint = "the inverse of the right operand would fit"
    elif same_frame(right.from_frame, left.to_frame):
        hint = "the other order would fit"
    elif same_frame(right.to_frame, left.to_frame):
        hint = "the inverse of the left operand would fit"
    else:
        hint = ""
    check_frame(
        right.to_frame, left.from_frame, operation="Transform @ Transform", argument="other.to_frame", hint=hint
    )
