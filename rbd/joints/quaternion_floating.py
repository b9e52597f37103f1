"""The floating joint with a quaternion."""

from __future__ import annotations

from typing import ClassVar, final

import attrs

from rbd.joints.charts import QuaternionChart, RotationChart
from rbd.joints.floating import FloatingJoint


@final
@attrs.frozen
class QuaternionFloating(FloatingJoint):
    """A joint that allows every motion: q is a quaternion (w, x, y, z), then the position; v is the twist.

    The position is that of the origin of the frame after the joint, in the frame before it; the twist, angular part
    first, is expressed in the frame after the joint. The quaternion is scaled to length one on use, hence derivatives
    are defined off the unit sphere too.

    >>> from rbd import QuaternionFloating
    >>> QuaternionFloating().zero()
    (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    """

    _chart: ClassVar[RotationChart] = QuaternionChart()
