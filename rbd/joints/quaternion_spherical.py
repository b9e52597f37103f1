"""The spherical joint with a quaternion."""

from __future__ import annotations

from typing import ClassVar, final

import attrs

from rbd.joints.charts import QuaternionChart, RotationChart
from rbd.joints.spherical import SphericalJoint


@final
@attrs.frozen
class QuaternionSpherical(SphericalJoint):
    """A joint that turns about every axis: q is a quaternion (w, x, y, z), v the angular velocity after the joint.

    q is scaled to length one on use, hence derivatives are defined off the unit sphere too: the derivative of q at
    velocity v scales with |q|, and the velocity that goes with a change of q is that of q / |q|.

    >>> from rbd import QuaternionSpherical
    >>> QuaternionSpherical().configuration_derivative((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 2.0))[3]
    1.0
    """

    _chart: ClassVar[RotationChart] = QuaternionChart()
