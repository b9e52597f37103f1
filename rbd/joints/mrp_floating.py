"""The floating joint with modified Rodrigues parameters."""

from __future__ import annotations

from typing import ClassVar, final

import attrs

from rbd.joints.charts import MRPChart, RotationChart
from rbd.joints.floating import FloatingJoint


@final
@attrs.frozen
class MRPFloating(FloatingJoint):
    """A joint that allows every motion: q is modified Rodrigues parameters, then the position; v is the twist.

    The parameters are axis times tan(angle / 4), singular at a full turn: `principal_value` keeps away from there. The
    position is that of the origin of the frame after the joint, in the frame before it; the twist, angular part first,
    is expressed in the frame after the joint.

    >>> from rbd import MRPFloating
    >>> MRPFloating().principal_value((2.0, 0.0, 0.0, 0.0, 0.0, 0.0))[0]
    -0.5
    """

    _chart: ClassVar[RotationChart] = MRPChart()
