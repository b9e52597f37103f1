"""Articulated mobility: how a body that hangs in a mechanism answers wrenches.

Featherstone (2008), section 7.3 (inverse inertia).
"""

from __future__ import annotations

from typing import Any, Generic, final

import attrs

from rbd.scalars import Matrix, Scalar
from rbd.scalars.arrays import Array, to_float_array
from rbd.spatial.acceleration import SpatialAcceleration
from rbd.spatial.force import Wrench
from rbd.spatial.frame import F, Frame, check_frame
from rbd.spatial.linalg import Vec3
from rbd.spatial.values import require_kind


@final
@attrs.frozen(eq=False)
class ArticulatedMobility(Generic[F]):
    """A symmetric map from wrenches on `body` to changes of its acceleration with respect to `base`, in `frame`."""

    body: Frame[Any]
    base: Frame[Any]
    frame: Frame[F]
    components: Matrix
    """The 6x6 matrix, angular rows and columns first, whatever scalars it holds."""

    @property
    def matrix(self) -> Array:
        """The 6x6 matrix as a fresh array, angular rows and columns first."""
        return to_float_array(self.components)

    def __matmul__(self, wrench: Wrench[F]) -> SpatialAcceleration[Any, Any, F]:
        require_kind(wrench, Wrench, operation="ArticulatedMobility @ wrench", argument="wrench")
        check_frame(wrench.frame, self.frame, operation="ArticulatedMobility @ wrench", argument="wrench.frame")
        push = (*wrench.angular_components, *wrench.linear_components)
        a, b, c, x, y, z = (_dot(row, push) for row in self.components)
        angular: Vec3 = (a, b, c)
        return SpatialAcceleration.trusted(self.body, self.base, self.frame, angular, (x, y, z))


def _dot(row: tuple[Scalar, ...], push: tuple[Scalar, ...]) -> Scalar:
    total: Scalar = 0
    for a, b in zip(row, push, strict=True):
        total = total + a * b
    return total
