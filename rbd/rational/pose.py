"""Poses with entries that are polynomials or rational functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, SupportsIndex, TypeAlias, TypeVar, cast, final, overload

import attrs
import numpy as np
from typing_extensions import override

from rbd.arguments import require_kind
from rbd.array_functions.function import RecordedFunction
from rbd.errors import ShapeError
from rbd.lazy_property import lazy_property
from rbd.rational.polynomials import printing, recorded_functions
from rbd.rational.polynomials.derivatives import derivatives
from rbd.rational.polynomials.half_angle import rational_function
from rbd.rational.polynomials.polynomial import Polynomial
from rbd.rational.polynomials.rational_function import RationalFunction
from rbd.rational.polynomials.ring import Ring
from rbd.rational.polynomials.ring_element import Latex
from rbd.rational.polynomials.s_checks import checked_s
from rbd.rational.polynomials.substitution import array_values
from rbd.scalars import Vector
from rbd.scalars.arrays import Array
from rbd.spatial import Frame, GeometricJacobian, Point, Transform
from rbd.spatial.frame import check_frame
from rbd.spatial.linalg import Mat3, Vec3, cross3, matmul, sub3, transpose3
from rbd.spatial.values import require_finite

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rbd.scalars import Scalar

T = TypeVar("T", bound=Polynomial | RationalFunction)
Triple: TypeAlias = tuple[T, T, T]


@final
@attrs.frozen(eq=False)
class Matrix3(Generic[T]):
    """Three rows of three entries: `rows[i][j]`, or `rows[i, j]` as with arrays."""

    rows: tuple[Triple[T], Triple[T], Triple[T]]

    def __iter__(self) -> Iterator[Triple[T]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Triple[T]: ...
    @overload
    def __getitem__(self, index: tuple[int, int]) -> T: ...
    def __getitem__(self, index: int | tuple[int, int]) -> Triple[T] | T:
        return self.rows[index] if isinstance(index, int) else self.rows[index[0]][index[1]]


@attrs.frozen(eq=False, repr=False, slots=False)
class AlgebraicPose(Latex, Generic[T]):
    """Pose of `from_frame` in `to_frame`, with entries that are polynomials or rational functions of s."""

    ring: Ring
    from_frame: Frame[Any]
    to_frame: Frame[Any]
    rotation: Matrix3[T]
    translation: Triple[T]

    @property
    def entries(self) -> tuple[tuple[T, ...], ...]:
        """Three rows of four entries: rotation, then position."""
        return tuple((*row, x) for row, x in zip(self.rotation, self.translation, strict=True))

    def __call__(self, s: ArrayLike | Iterable[Scalar]) -> Transform[Any, Any]:
        """Return the pose at one s, of any scalars; entries of angles and rotations may be infinite.

        Raises ShapeError or NotFiniteError naming s.
        """
        point = checked_s(self.ring, s)
        if not isinstance(point, tuple) and point.ndim != 1:
            message = f"s has shape {point.shape}, must be ({self.ring.s_count},); use evaluate() for many s"
            raise ShapeError(message, argument="s", expected=(self.ring.s_count,), actual=point.shape)
        rows = tuple(tuple(entry(point) for entry in row) for row in self.rotation)
        translation = tuple(entry(point) for entry in self.translation)
        pose = Transform.trusted(self.from_frame, self.to_frame, cast("Mat3", rows), cast("Vec3", translation))
        return require_finite(pose, "s")

    def to_sympy(self) -> Any:
        """Return a 4×4 SymPy matrix."""
        rows = [[entry.to_sympy() for entry in row] for row in self.entries]
        return printing.sympy_module().Matrix([*rows, [0, 0, 0, 1]])

    @override
    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"<{kind} of {self.from_frame.name!r} in {self.to_frame.name!r}, terms {self._counts()}>"

    @override
    def __str__(self) -> str:
        names = [name for i in range(3) for name in (f"R{i}0", f"R{i}1", f"R{i}2", f"p{i}")]
        flat: list[T] = [entry for row in self.entries for entry in row]
        return "\n".join(f"{name} = {entry}" for name, entry in zip(names, flat, strict=True))

    def _counts(self) -> list[list[int]]:
        return [[len(_numerator(entry).terms) for entry in row] for row in self.entries]

    @override
    def latex(self) -> str:
        """Return the homogeneous matrix as LaTeX, which notebooks show; of long entries the number of terms."""
        rows = [" & ".join(_latex(entry) for entry in row) for row in self.entries]
        body = " \\\\ ".join([*rows, "0 & 0 & 0 & 1"])
        return f"\\begin{{pmatrix}} {body} \\end{{pmatrix}}"


def _numerator(entry: Polynomial | RationalFunction) -> Polynomial:
    return entry if isinstance(entry, Polynomial) else entry.numerator


def _latex(entry: Polynomial | RationalFunction) -> str:
    """Return an entry as LaTeX; of a long one the number of terms."""
    if len(_numerator(entry).terms) > printing.LONGEST // 4:
        return f"\\text{{({len(_numerator(entry).terms)} terms)}}"
    return entry.latex()


@final
class RationalPose(AlgebraicPose[RationalFunction]):
    """Pose of a body as rational functions of s.

    >>> import rbd
    >>> from rbd.rational import RationalForwardKinematics
    >>> pendulum = rbd.robots.double_pendulum()
    >>> kinematics = RationalForwardKinematics(pendulum)
    >>> pose = kinematics.pose_polynomial([0, 0], pendulum.body("upper_link")).rational()
    >>> pose.rotation[0][2]
    2*s[0] / (1 + s[0]**2)
    """


@final
class MultilinearPose(AlgebraicPose[Polynomial]):
    """Pose of a body as multilinear polynomials in cosines and sines of the angles q - q*, and in displacements.

    In every monomial each variable has degree at most one, and an angle occurs by its cosine or its sine. Rotations
    about any axis occur as products of two entries of their quaternion.

    >>> import rbd
    >>> from rbd.rational import RationalForwardKinematics
    >>> pendulum = rbd.robots.double_pendulum()
    >>> pose = RationalForwardKinematics(pendulum).pose_polynomial([0, 0], pendulum.frame("tip"))
    >>> pose.translation[0]
    -sin[0] - cos[0]*sin[1] - sin[0]*cos[1]
    """

    @staticmethod
    def of(ring: Ring, tf: Transform[Any, Any]) -> MultilinearPose:
        """Return a transform of polynomials as a pose; numbers become constant polynomials."""

        def triple(values: Vec3) -> Triple[Polynomial]:
            x, y, z = (x if isinstance(x, Polynomial) else Polynomial.constant(ring, x) for x in values)
            return x, y, z

        a, b, c = tf.rotation_components
        rows = Matrix3((triple(a), triple(b), triple(c)))
        return MultilinearPose(ring, tf.from_frame, tf.to_frame, rows, triple(tf.translation_components))

    @property
    def transform(self) -> Transform[Any, Any]:
        """The pose as a frame-checked transform of polynomials."""
        return Transform.trusted(
            self.from_frame, self.to_frame, cast("Mat3", self.rotation.rows), cast("Vec3", self.translation)
        )

    def point(self, point: Point[Any]) -> Triple[Polynomial]:
        """Return the coordinates in `to_frame` of a point fixed in `from_frame`, three polynomials.

        Raises ArgumentError unless `point` is a Point, FrameMismatchError when it is in another frame.
        """
        require_kind(point, Point, operation="MultilinearPose.point", argument="point")
        check_frame(point.frame, self.from_frame, operation="MultilinearPose.point", argument="point")
        return MultilinearPose.of(self.ring, _shifted(self.transform, self.transform @ point)).translation

    def rational(self) -> RationalPose:
        """Return all entries as rational functions of s."""
        a, b, c, p = (_each(rational_function, row) for row in (*self.rotation, self.translation))
        return RationalPose(self.ring, self.from_frame, self.to_frame, Matrix3((a, b, c)), p)

    def derivative(self, index: SupportsIndex) -> tuple[tuple[Polynomial, ...], ...]:
        """Return the derivative of the three rows of `entries` by s[index].

        Raises ArgumentError when there is no such variable.
        """
        return tuple(tuple(entry.derivative(index) for entry in row) for row in self.entries)

    def jacobian(self, s: ArrayLike | Iterable[Scalar]) -> GeometricJacobian[Any, Any, Any]:
        """Return the geometric Jacobian by s: times ds/dt it is the twist of `from_frame`, expressed in `to_frame`.

        Columns of infinite s are zero. Raises ShapeError or NotFiniteError naming s.
        """
        pose = self(s)
        flat = [entry.expansion.terms for row in self.entries for entry in row]
        slopes = zip(*derivatives(self.ring, flat, s), strict=True)
        columns = tuple(_column(pose, slope) for slope in slopes)
        return require_finite(GeometricJacobian.trusted(self.from_frame, self.to_frame, self.to_frame, columns), "s")

    def compile(self) -> RecordedFunction:
        """Return a native function of s with two outputs, `rotation` and `translation`."""
        return recorded_functions.recorded_polynomials(self.ring, "pose", self._outputs())

    def _outputs(self) -> dict[str, object]:
        rotation = tuple(tuple(entry.expansion.terms for entry in row) for row in self.rotation)
        return {"rotation": rotation, "translation": tuple(entry.expansion.terms for entry in self.translation)}

    @lazy_property
    def _native(self) -> RecordedFunction:
        return recorded_functions.recorded_in_variables(self.ring, "pose", self._outputs())

    def evaluate(self, s: ArrayLike, *, threads: int = 1) -> Array:
        """Return homogeneous 4×4 matrices at many s (rows of an array), by machine code compiled once.

        Entries of angles and rotations may be infinite. Raises ShapeError or NotFiniteError naming s.
        """
        rows = checked_s(self.ring, s)
        if isinstance(rows, tuple):
            raise ShapeError("s must be an array of floats", argument="s", expected=(self.ring.s_count,))
        if not self.ring.names:
            return np.tile(self(()).matrix, (*rows.shape[:-1], 1, 1))
        values = array_values(self.ring, rows)
        variables = np.stack([values[g] for g in range(len(self.ring.names))], axis=-1)
        for block in self.ring.blocks:
            if block.circle:  # poses do not contain the s of angles, which may be infinite
                variables[..., block.s] = 0.0
        rotation, translation = self._native(np.ascontiguousarray(variables), threads=threads)
        matrices = np.zeros((*rows.shape[:-1], 4, 4))
        matrices[..., :3, :3], matrices[..., :3, 3], matrices[..., 3, 3] = rotation, translation, 1.0
        return matrices


def _each(convert: Callable[[Polynomial], RationalFunction], row: Triple[Polynomial]) -> Triple[RationalFunction]:
    a, b, c = row
    return convert(a), convert(b), convert(c)


def _shifted(tf: Transform[Any, Any], point: Point[Any]) -> Transform[Any, Any]:
    return Transform.trusted(tf.from_frame, tf.to_frame, tf.rotation_components, point.xyz_components)


def _column(pose: Transform[Any, Any], slope: Vector) -> tuple[Vec3, Vec3]:
    """Return the twist with these derivatives of the twelve entries."""
    rows = [slope[i : i + 4] for i in (0, 4, 8)]
    rate: Vector = tuple(row[3] for row in rows)
    turning = matmul(cast("Mat3", tuple(row[:3] for row in rows)), transpose3(pose.rotation_components))
    angular = (turning[2][1], turning[0][2], turning[1][0])
    return angular, sub3(cast("Vec3", rate), cross3(angular, pose.translation_components))
