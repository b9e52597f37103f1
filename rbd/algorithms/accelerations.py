"""Spatial accelerations of bodies for given accelerations of the joints: Featherstone (2008), sections 2.11 and 5.3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from numpy.typing import NDArray

from rbd.engine.fast_path import fast_path
from rbd.indexing.layout import FrameLike
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import kernel, require_state
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.kinematics.queries import State
from rbd.mechanism import RigidBody
from rbd.scalars import Scalar, Vector
from rbd.spatial import SpatialAcceleration
from rbd.spatial.frame import F

Vd: TypeAlias = Sequence[Scalar] | NDArray[Any]
"""Accelerations of the joints as users give them: one number per velocity."""


@kernel
def spatial_accelerations_kernel(state: StateView, vd: Vector) -> tuple[SpatialAcceleration[Any, Any, Any], ...]:
    """Return the spatial acceleration of every body with respect to the root, in the root frame."""
    rows = zip(passes.accelerations(state, vd), passes.to_root(state), strict=True)
    return tuple(acceleration.transformed(tf) for acceleration, tf in rows)


@fast_path(vectors=1)
def spatial_accelerations(state: State[Any], vd: Vd) -> Call[Mapping[RigidBody, SpatialAcceleration[Any, Any, Any]]]:
    """Spatial acceleration of every body when the joints accelerate at `vd`, in the root frame.

    Accelerations are true ones, without gravity. Raises ShapeError, NotFiniteError.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 0.5])
    >>> hand = state.mechanism.body("lower_link")
    >>> rbd.spatial_accelerations(state, [0.0, 0.0])[hand].isclose(state.bias_acceleration(hand))
    True
    """
    args, bodies = (state.vector(vd, state.layout.nv, "vd"),), state.layout.bodies

    def by_body(accelerations: Sequence[SpatialAcceleration[Any, Any, Any]]) -> Mapping[RigidBody, SpatialAcceleration]:
        return dict(zip(bodies, accelerations, strict=True))

    return KernelCall(spatial_accelerations_kernel, args, convert=by_body)


def relative_acceleration(
    state: State[Any],
    vd: Vd,
    body: RigidBody | str,
    base: RigidBody | str,
    *,
    frame: FrameLike[F] | None = None,
) -> SpatialAcceleration[Any, Any, F]:
    """Spatial acceleration of `body` with respect to `base` when the joints accelerate at `vd`.

    It is expressed in `frame`, any frame fixed to a body (the root frame when not given), which may move. Raises
    ShapeError, NotFiniteError, UnknownNameError, FrameMismatchError.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 0.5])
    >>> rbd.relative_acceleration(state, [0.0, 2.0], "lower_link", "upper_link", frame="lower_link").angular
    array([0., 2., 0.])
    """
    require_state(state, "relative_acceleration")
    accelerations, layout = spatial_accelerations(state, vd), state.layout
    relative = -accelerations[layout.body(base)] + accelerations[layout.body(body)]
    target: FrameLike[F] = layout.root_frame if frame is None else frame
    return state.transform(relative, target)
