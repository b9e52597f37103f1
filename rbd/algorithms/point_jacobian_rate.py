"""Rates of the Jacobians of points."""

from __future__ import annotations

from typing import Any

from rbd.algorithms.jacobian_rates import geometric_jacobian_rate
from rbd.algorithms.jacobians import geometric_jacobian
from rbd.mechanism import TreePath
from rbd.spatial import Point, PointJacobian
from rbd.spatial.linalg import add3, cross3
from rbd.spatial.values import require_kind
from rbd.state import State


def point_jacobian_rate(state: State[Any], path: TreePath, point: Point[Any]) -> PointJacobian[Any]:
    """Return dJ/dt of `point_jacobian(state, path, point)`: how its components change with the motion.

    The point is fixed to the target of `path` and moves with it, also when it is given in another frame; that frame may
    move too. In the root frame, for a path from the root, J vd + dJ/dt v is the acceleration of the point. Raises as
    `point_jacobian` does.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), v=[2.0, 0.0])
    >>> root, hand = state.mechanism.root_body, state.mechanism.bodies[-1]
    >>> tip = state.transform(rbd.Point(hand.default_frame, [0.0, 0.0, -1.0]), state.mechanism.root_frame)
    >>> rate = rbd.algorithms.point_jacobian_rate(state, state.mechanism.path(root, hand), tip)
    >>> bool(abs((rate @ state.v).xyz - [0.0, 0.0, 2.0**2 * 2.0]).max() < 1e-12)   # towards the shoulder, 2 m above
    True
    """
    require_kind(point, Point, operation="point_jacobian_rate", argument="point")
    jacobian = geometric_jacobian(state, path, frame=point.frame)
    rate = geometric_jacobian_rate(state, path, frame=point.frame)
    seen = state.relative_twist(path.target, point.frame, frame=point.frame)
    arm, moved = point.xyz_components, seen.point_velocity(point).xyz_components
    columns = (
        add3(linear, add3(cross3(turned, arm), cross3(angular, moved)))
        for (angular, _), (turned, linear) in zip(jacobian.columns, rate.columns, strict=True)
    )
    return PointJacobian.trusted(point.frame, tuple(columns))
