"""Articulated mobility: the inverse articulated inertia of a body in a mechanism (Featherstone 2008, section 2.15)."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, final

import attrs
from typing_extensions import override

from rbd.scalars import Matrix, Vector
from rbd.scalars.arrays import Array, array_of
from rbd.scalars.linear_algebra import dot, symmetric_from_upper, transpose
from rbd.spatial.force import Wrench
from rbd.spatial.frame import F, Frame, G
from rbd.spatial.linalg import Vec3, transform_motion
from rbd.spatial.motion import SpatialAcceleration
from rbd.spatial.transform import Transform
from rbd.spatial.values import SpatialValue, format_numbers, require_kind_in_frame
from rbd.spatial.vectors import check_source


@final
@attrs.frozen(eq=False, repr=False)
class ArticulatedMobility(SpatialValue, Generic[F]):
    """A symmetric map from wrenches on `body` to changes of its acceleration with respect to `base`, in `frame`.

    >>> import rbd
    >>> arm = rbd.robots.arm7()
    >>> state = rbd.MechanismState(arm, q=[0.1] * 7)
    >>> mobility = rbd.articulated_mobility(state, "link7")
    >>> wrench = Wrench(mobility.frame, (0, 0, 0), (0, 0, 1.0))
    >>> bool((mobility @ wrench).linear[2] > 0)
    True
    """

    _frame_names: ClassVar[tuple[str, ...]] = ("body", "base", "frame")

    body: Frame[Any]
    base: Frame[Any]
    frame: Frame[F]
    components: Matrix
    """The 6x6 matrix, angular rows and columns first, as scalars."""

    @property
    def matrix(self) -> Array:
        """The 6x6 matrix as a fresh array, angular rows and columns first."""
        return array_of(self.components)

    def __matmul__(self, wrench: Wrench[F]) -> SpatialAcceleration[Any, Any, F]:
        require_kind_in_frame(wrench, Wrench, self.frame, "ArticulatedMobility @ wrench", "wrench")
        f = (*wrench.angular_components, *wrench.linear_components)
        a, b, c, x, y, z = (dot(row, f) for row in self.components)
        angular: Vec3 = (a, b, c)
        return SpatialAcceleration.trusted(self.body, self.base, self.frame, angular, (x, y, z))

    def transformed(self, tf: Transform[F, G]) -> ArticulatedMobility[G]:
        """Return the same mobility, of wrenches and accelerations in `tf.to_frame`.

        Raises FrameMismatchError unless `tf` starts in the mobility's frame.
        """
        if getattr(tf, "from_frame", None) is not self.frame:
            check_source(tf, self.frame, "ArticulatedMobility.transformed")
        half = _rows_as_motions(tf, self.components)
        rows = _rows_as_motions(tf, transpose(half))
        # X L X^T is symmetric, though not to the last bit: both triangles are the upper one.
        matrix = symmetric_from_upper(rows)
        return ArticulatedMobility(self.body, self.base, tf.to_frame, matrix)

    @override
    def _parts(self) -> tuple[Vector, ...]:
        upper, lower = self.components[:3], self.components[3:]
        blocks = ([row[:3] for row in upper], [row[3:] for row in upper], [row[3:] for row in lower])
        return tuple(a + b + c for a, b, c in blocks)

    @override
    def __repr__(self) -> str:
        angular, cross, linear = map(format_numbers, self._parts())
        return (
            f"ArticulatedMobility of {self.body.name!r} with respect to {self.base.name!r} in {self.frame.name!r}: "
            f"angular {angular}, cross {cross}, linear {linear}"
        )


def _rows_as_motions(tf: Transform[Any, Any], rows: Matrix) -> Matrix:
    """Return the rows of a matrix as motion vectors, angular part first, in the frame `tf` maps to."""
    moved: list[Vector] = []
    for a, b, c, x, y, z in rows:
        angular, linear = transform_motion(tf.rotation_components, tf.translation_components, ((a, b, c), (x, y, z)))
        moved.append(angular + linear)
    return tuple(moved)
