"""The revolute joint: rotation about an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, final

import attrs
from typing_extensions import override

from rbd.joints.axis import lifted, nearest_rotation_angle, rotation_by_angle, unwrap_angle
from rbd.joints.one_axis import AxisRotationJoint, OneCoordinateJoint
from rbd.spatial import Transform
from rbd.spatial.linalg import zero3

if TYPE_CHECKING:
    from rbd.scalars import Vector
    from rbd.spatial import Frame
    from rbd.spatial.frame import A, B


@final
@attrs.frozen
class Revolute(AxisRotationJoint, OneCoordinateJoint):
    """A joint that rotates about `axis`: q is the angle, v its rate.

    `axis` has the same coordinates in the frames before and after the joint; it is scaled to length one. Raises
    ArgumentError when it is zero, ShapeError or NotFiniteError when it is not three finite numbers.

    >>> from rbd import Revolute
    >>> Revolute((0, 0, 2))
    Revolute(axis=(0.0, 0.0, 1.0))
    """

    _positions: ClassVar[tuple[str, ...]] = ("angle",)

    @override
    def transform(self, q: Vector, after: Frame[A], before: Frame[B]) -> Transform[A, B]:
        rotation = rotation_by_angle(self.axis, q[0])
        return Transform.trusted(after, before, rotation, zero3())

    @override
    def project(self, transform: Transform[A, B], near: Vector | None = None) -> Vector:
        """Return the angle of the nearest rotation; the translation has no effect.

        Without `near` it is from -π to π. All angles are equally near to a rotation by π about an orthogonal axis.
        """
        rotation = transform.rotation_components
        angle = nearest_rotation_angle(rotation, lifted(self.axis, rotation[0]))
        return (angle if near is None else unwrap_angle(angle, near[0]),)
