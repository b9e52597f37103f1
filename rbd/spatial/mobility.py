"""Articulated mobility: the inverse articulated inertia of a body in a mechanism (Featherstone 2008, section 2.15)."""

from __future__ import annotations

from typing import Any, Generic, final

import attrs

from rbd.arguments import require_kind
from rbd.scalars import Matrix
from rbd.scalars.arrays import Array, array_of
from rbd.scalars.linear_algebra import dot
from rbd.spatial.force import Wrench
from rbd.spatial.frame import F, Frame, check_frame
from rbd.spatial.linalg import Vec3
from rbd.spatial.motion import SpatialAcceleration


@final
@attrs.frozen(eq=False)
class ArticulatedMobility(Generic[F]):
    """A symmetric map from wrenches on `body` to changes of its acceleration with respect to `base`, in `frame`.

    >>> import rbd
    >>> arm = rbd.robots.arm7()
    >>> state = rbd.MechanismState(arm, q=[0.1] * 7)
    >>> mobility = rbd.articulated_mobility(state, "link7")
    >>> push = Wrench(mobility.frame, (0, 0, 0), (0, 0, 1.0))
    >>> bool((mobility @ push).linear[2] > 0)
    True
    """

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
        require_kind(wrench, Wrench, operation="ArticulatedMobility @ wrench", argument="wrench")
        check_frame(wrench.frame, self.frame, operation="ArticulatedMobility @ wrench", argument="wrench.frame")
        f = (*wrench.angular_components, *wrench.linear_components)
        a, b, c, x, y, z = (dot(row, f) for row in self.components)
        angular: Vec3 = (a, b, c)
        return SpatialAcceleration.trusted(self.body, self.base, self.frame, angular, (x, y, z))
