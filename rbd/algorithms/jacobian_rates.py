"""Rates of Jacobians, and the Jacobian of the centre of mass.

Room: algorithms; may import state and above.
"""

from __future__ import annotations

from typing import Any, TypeVar

from rbd.algorithms.center_of_mass import mass_moment_kernel
from rbd.algorithms.jacobians import check_path
from rbd.errors import SingularError
from rbd.mechanism import TreePath
from rbd.scalars import is_float, to_float
from rbd.spatial import Frame, GeometricJacobian, PointJacobian
from rbd.spatial.coriolis import carried, summed
from rbd.spatial.linalg import Vec3, matvec, neg3
from rbd.spatial.values import require_kind
from rbd.state import ArrayOf, State, StateView, kernel, passes
from rbd.state.frames import body_and_frame

A = TypeVar("A", bound=ArrayOf)


def geometric_jacobian_rate(
    state: State[A], path: TreePath, *, frame: Frame[Any] | None = None
) -> GeometricJacobian[Any, Any, Any]:
    """Return dJ/dt of `geometric_jacobian(state, path, frame=frame)`: how its components change with the motion.

    In the root frame, for a path from the root, dJ/dt v is the bias acceleration of the path's target. `frame` may
    move; what its motion does is included. Raises as `geometric_jacobian` does.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 0.5])
    >>> hand = state.mechanism.bodies[-1]
    >>> rate = rbd.algorithms.geometric_jacobian_rate(state, state.mechanism.path(state.mechanism.root_body, hand))
    >>> bool(abs(rate.matrix @ state.v - state.bias_acceleration(hand).vector).max() < 1e-12)
    True
    """
    require_kind(path, TreePath, operation="geometric_jacobian_rate", argument="path")
    check_path(state, path)
    wanted = state.layout.root_frame if frame is None else body_and_frame(state, frame)[1]
    columns: list[tuple[Vec3, Vec3]] = [((0, 0, 0), (0, 0, 0))] * state.layout.nv
    for joint, direction in path:
        link = state.layout.link(joint)
        seen = state.relative_twist(link.body, wanted, frame=link.body.default_frame)
        own = passes.subspace_rates(state)[link.index - 1]
        rate = summed(carried(passes.subspaces(state)[link.index - 1], seen), own)
        moved = rate.transformed(state.relative_transform(link.body, wanted))
        for k, (angular, linear) in enumerate(moved.columns, start=link.v.start):
            columns[k] = (angular, linear) if direction > 0 else (neg3(angular), neg3(linear))
    ends = path.target.default_frame, path.source.default_frame
    return GeometricJacobian.trusted(*ends, wanted, tuple(columns))


@kernel
def center_of_mass_jacobian_kernel(state: StateView) -> tuple[Vec3, ...]:
    """Return, per velocity, the velocity of the centre of mass: the momentum of what the joint carries by all mass."""
    total, _ = mass_moment_kernel(state, tuple(range(1, len(state.layout.bodies))))
    if is_float(total) and to_float(total) <= 0:
        raise SingularError("bodies without mass have no centre of mass", what="mass")
    columns: list[Vec3] = []
    for link, subspace in zip(state.links, passes.subspaces(state), strict=True):
        rotation = passes.to_root(state)[link.index].rotation_components
        for _, linear in (passes.composite_inertias(state)[link.index] @ subspace).columns:
            x, y, z = matvec(rotation, linear)
            columns.append((x / total, y / total, z / total))
    return tuple(columns)


def center_of_mass_jacobian(state: State[A]) -> PointJacobian[Any]:
    """Return the Jacobian of the centre of mass of all bodies, in the root frame: J @ v is its velocity.

    Raises SingularError when the bodies have no mass.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 0.5])
    >>> velocity = rbd.algorithms.center_of_mass_jacobian(state) @ state.v
    >>> bool(abs(velocity.xyz * state.mechanism.mass - rbd.momentum(state).linear).max() < 1e-12)
    True
    """
    return PointJacobian.trusted(state.layout.root_frame, center_of_mass_jacobian_kernel(state))
