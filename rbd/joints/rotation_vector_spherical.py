"""The spherical joint with a rotation vector."""

from __future__ import annotations

from typing import ClassVar, final

import attrs

from rbd.joints.charts import RotationChart, RotationVectorChart
from rbd.joints.spherical import SphericalJoint


@final
@attrs.frozen
class RotationVectorSpherical(SphericalJoint):
    """A joint that turns about every axis: q is a rotation vector, v the angular velocity after the joint.

    q is singular at full turns, where it cannot follow every velocity: `principal_value` keeps away from there.

    >>> from rbd import RotationVectorSpherical
    >>> RotationVectorSpherical().velocity((0.0, 0.0, 0.5), (0.0, 0.0, 2.0))[2]
    2.0
    """

    _chart: ClassVar[RotationChart] = RotationVectorChart()
