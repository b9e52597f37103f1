"""The revolute joint: turning about an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs
from typing_extensions import override

from rbd.joints.axis import Axis, flipped_axis, lifted, nearest_turn, turn_angle, unit_axis
from rbd.joints.one_dof import OneDofJoint
from rbd.joints.turning import TurningJoint
from rbd.scalars import cos, sin
from rbd.spatial import Transform
from rbd.spatial.linalg import zero3
from rbd.spatial.so3 import rotation_about

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rbd.scalars import Vector
    from rbd.spatial import Frame
    from rbd.spatial.frame import A, B


@final
@attrs.frozen(init=False)
class Revolute(TurningJoint, OneDofJoint):
    """A joint that turns about `axis`: q is the angle, v its rate.

    `axis` has the same coordinates in the frames before and after the joint; it is scaled to length one. Raises
    ArgumentError when it is zero, ShapeError or NotFiniteError when it is not three finite numbers.

    >>> from rbd import Revolute
    >>> Revolute((0, 0, 2))
    Revolute(axis=(0.0, 0.0, 1.0))
    """

    axis: Axis

    def __init__(self, axis: ArrayLike) -> None:
        object.__setattr__(self, "axis", unit_axis(axis, "axis"))

    @property
    @override
    def position_names(self) -> tuple[str, ...]:
        return ("angle",)

    @override
    def transform(self, q: Vector, after: Frame[A], before: Frame[B]) -> Transform[A, B]:
        rotation = rotation_about(lifted(self.axis, q), cos(q[0]), sin(q[0]))
        return Transform.trusted(after, before, rotation, zero3())

    @override
    def project(self, transform: Transform[A, B], near: Vector | None = None) -> Vector:
        """Return the angle whose rotation is nearest; the translation does not matter.

        Without `near` it is from -π to π. All angles are equally near to half a turn about an orthogonal axis.
        """
        rotation = transform.rotation_components
        angle = turn_angle(rotation, lifted(self.axis, rotation[0]))
        return (angle if near is None else nearest_turn(angle, near[0]),)

    @override
    def flipped(self) -> Revolute:
        return Revolute(flipped_axis(self.axis))
