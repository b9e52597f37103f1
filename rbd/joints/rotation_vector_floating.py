"""The floating joint with a rotation vector."""

from __future__ import annotations

from typing import ClassVar, final

import attrs

from rbd.joints.charts import RotationChart, RotationVectorChart
from rbd.joints.floating import FloatingJoint


@final
@attrs.frozen
class RotationVectorFloating(FloatingJoint):
    """A joint that allows every motion: q is a rotation vector, then the position; v is the twist.

    The rotation vector is singular at full turns: `principal_value` keeps away from there. The position is that of the
    origin of the frame after the joint, in the frame before it; the twist, angular part first, is expressed in the
    frame after the joint.

    >>> from rbd import RotationVectorFloating
    >>> RotationVectorFloating().zero()
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    """

    _chart: ClassVar[RotationChart] = RotationVectorChart()
