"""Forward dynamics where the accelerations of some joints are given and their torques wanted.

Featherstone (2008), section 9.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar, cast, final

import attrs
from numpy.typing import NDArray

from rbd.algorithms.articulated_motion import Prescribed, articulated_motion
from rbd.algorithms.external import BodyWrenches
from rbd.errors import ArgumentError
from rbd.mechanism import Joint
from rbd.scalars import Scalar, Vector
from rbd.scalars.registry import ARRAYS
from rbd.spatial.values import require_kind
from rbd.state import ArrayOf, State, StateView, kernel

A = TypeVar("A", bound=ArrayOf)
JointAccelerations: TypeAlias = Mapping[Joint, Scalar | Sequence[Scalar] | NDArray[Any]]
"""Joint -> its acceleration: a number, or one per velocity of it."""


@final
@attrs.frozen(eq=False)
class HybridDynamics(Generic[A]):
    """A motion some joints of which were prescribed.

    >>> import rbd
    >>> mechanism = rbd.robots.double_pendulum()
    >>> state = rbd.MechanismState(mechanism, [0.3, 0.1])
    >>> locked = rbd.forward_dynamics(state, [0.0, 0.0], prescribed={mechanism.joint("elbow"): 0.0})
    >>> float(locked.vd[1]), bool(locked.torques[1])
    (0.0, True)
    """

    vd: A
    """The accelerations: as prescribed, or as torques make them."""
    torques: A
    """The torques: as given, or as prescribed accelerations need them."""


@kernel(regroup=True)
def hybrid_dynamics_kernel(
    state: StateView, torques: Vector, prescribed: Prescribed, external: BodyWrenches | None = None
) -> tuple[Vector, Vector]:
    """Return vd and the torques it takes."""
    motion = articulated_motion(state, torques, prescribed, external)
    return motion.vd, motion.torques


def prescribed_of(state: State[Any], accelerations: JointAccelerations | None) -> dict[int, Vector]:
    """Return prescribed accelerations by link; raise UnknownNameError, ShapeError, NotFiniteError, ArgumentError."""
    if accelerations is None:
        return {}
    require_kind(accelerations, Mapping, operation="prescribed accelerations", argument="prescribed")
    result: dict[int, Vector] = {}
    for joint, value in accelerations.items():
        link = state.layout.link(joint)
        values = cast("Sequence[Scalar]", value if _is_several(value) else (value,))
        result[link.index] = state.vector(values, joint.nv, f"the prescribed acceleration of joint '{joint.name}'")
    return result


def _is_several(value: object) -> bool:
    """Return whether a prescribed value is a sequence, and not one number, perhaps in an array without axes."""
    return getattr(value, "shape", None) != () and isinstance(value, (Sequence, *ARRAYS))


def refuse_out(out: object) -> None:
    """Raise ArgumentError when an array is given for a result that is two."""
    if out is not None:
        raise ArgumentError(
            "with prescribed accelerations the result is a HybridDynamics with arrays of its own; leave `out` away",
            argument="out",
            value=out,
        )


def hybrid_dynamics(
    state: State[A], torques: Vector, accelerations: JointAccelerations, external: BodyWrenches | None
) -> HybridDynamics[A]:
    """Return the motion under `torques` of the joints that are free; what `forward_dynamics` does when told so."""
    vd, needed = hybrid_dynamics_kernel(state, torques, prescribed_of(state, accelerations), external)
    shape = (state.layout.nv,)
    return HybridDynamics(state.engine.pack(vd, "vd", shape), state.engine.pack(needed, "torques", shape))
