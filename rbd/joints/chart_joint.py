"""Joints whose coordinates are those of a rotation, in a chart, and of a position."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from typing_extensions import override

from rbd.joints.base import TurningJoint
from rbd.joints.charts import RotationChart
from rbd.spatial.quaternion import quaternion_normalized, rotation_to_quaternion

if TYPE_CHECKING:
    import numpy as np

    from rbd.scalars import Scalar, Vector
    from rbd.spatial import Transform
    from rbd.spatial.frame import A, B


class ChartJoint(TurningJoint):
    """A joint that rotates about every axis; abstract.

    q is the rotation in a chart, then the position, if it is free.
    """

    __slots__ = ()

    _chart: ClassVar[RotationChart]
    _displacements: ClassVar[tuple[str, ...]] = ()
    """Names of the coordinates of the position."""

    @property
    @override
    def position_names(self) -> tuple[str, ...]:
        return self._chart.names + self._displacements

    def _split(self, q: Vector) -> tuple[Vector, Vector]:
        """Return the coordinates of the rotation, and the position."""
        count = len(q) - len(self._displacements)
        return tuple(q[:count]), tuple(q[count:])

    @override
    def project(self, transform: Transform[A, B], near: Vector | None = None) -> Vector:
        """Return the coordinates of the pose; where several fit, those nearest to `near`.

        The translation has no effect where the position is not free.
        """
        quaternion = quaternion_normalized(rotation_to_quaternion(transform.rotation_components))
        r = self._chart.coordinates(quaternion, None if near is None else self._split(near)[0])
        return (*r, *transform.translation_components[: len(self._displacements)])

    @override
    def zero(self) -> tuple[float, ...]:
        return self._chart.zero() + (0.0,) * len(self._displacements)

    @override
    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        """Return a rotation drawn uniformly and a position in the cube of side one around the origin."""
        rotation = self._chart.random(rng)
        return (*rotation, *(float(x) for x in rng.uniform(-1, 1, len(self._displacements)) / 2))

    @override
    def normalize(self, q: Vector) -> Vector:
        r, position = self._split(q)
        return (*self._chart.normalize(r), *position)

    @override
    def normalization_error(self, q: Vector) -> Scalar:
        return self._chart.normalization_error(self._split(q)[0])

    @override
    def principal_value(self, q: Vector) -> Vector:
        r, position = self._split(q)
        return (*self._chart.principal_value(r), *position)

    @override
    def flipped(self) -> Self:
        """Return the joint itself: reversing changes the coordinates."""
        return self
