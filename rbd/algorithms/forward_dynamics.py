"""The motion torques make, by articulated bodies; by a factored mass matrix where loops constrain it.

Featherstone (2008), table 7.1, with the accelerations of frame origins in place of spatial ones. Body frames
throughout.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, final, overload

import attrs
from numpy.typing import NDArray

from rbd.algorithms.articulated_motion import joint_factor
from rbd.algorithms.external import External, ExternalWrenches, held, less_external, on_bodies
from rbd.algorithms.hybrid_dynamics import HybridDynamics, JointAccelerations, hybrid_dynamics, refuse_out
from rbd.algorithms.loop_dynamics import constrained_accelerations
from rbd.algorithms.passive import passive_torques_kernel
from rbd.algorithms.stabilization import (
    DEFAULT,
    STANDARD,
    LoopGainsPerLoop,
    Stabilization,
    gains_of_loops,
    unless_standard,
)
from rbd.algorithms.trees import require_tree
from rbd.mechanism import RigidBody
from rbd.scalars import Scalar, Vector
from rbd.solvers.linear import Factor
from rbd.spatial import Wrench, WrenchMatrix
from rbd.spatial.articulated import ArticulatedInertia
from rbd.spatial.classical import ClassicalAcceleration, ClassicalMotion, gravity_as_acceleration
from rbd.spatial.pairing import combined, pair, resistance
from rbd.state import ArrayOf, Link, State, StateView, kernel, passes
from rbd.state.engine import Call, Done, KernelCall
from rbd.state.fast_path import fast_path
from rbd.state.kernel import require_state

A = TypeVar("A", bound=ArrayOf)
Torques = Sequence[Scalar] | NDArray[Any]


@final
@attrs.frozen(eq=False)
class Handle:
    """A joint as the articulated body behind it is felt through it (body frame)."""

    wrenches: WrenchMatrix
    """What unit accelerations of the joint take."""
    factor: Factor
    """The inertia along the joint's own axes, factored."""


@kernel(regroup=True)
def forward_dynamics_kernel(
    state: StateView, torques: Vector, external: External = None, gains: LoopGainsPerLoop = STANDARD
) -> Vector:
    """Return vd with M vd + c = torques + passive - Kᵀ λ and K vd = -k, the last with `gains` for open loops."""
    passive = passive_torques_kernel(state)
    drive = tuple(torque + own for torque, own in zip(torques, passive, strict=True))
    if state.layout.nc:
        return constrained_accelerations(state, drive, external, gains)
    return articulated_accelerations(state, drive, external)


def articulated_accelerations(state: StateView, drive: Vector, external: External) -> Vector:
    """Return vd for all torques of the joints: outwards for velocities, inwards for inertias, outwards for vd."""
    drifts, forces = _bias_terms(state, external)
    inertias, handles = articulated_inertias(state)
    efforts = _efforts(state, drive, drifts, forces, inertias, handles)
    return _accelerations(state, drifts, handles, efforts)


def _bias_terms(state: StateView, external: External) -> tuple[list[ClassicalAcceleration], list[Wrench[Any]]]:
    """Return, per body, the acceleration its velocity alone brings, and the wrench its velocity takes."""
    root = state.layout.root_frame
    coasting = [ClassicalMotion.fixed(root, (0, 0, 0))]
    drifts = [ClassicalAcceleration.zero(root, root)]
    rows = zip(
        state.links, passes.to_parent(state), passes.joint_twists(state), passes.joint_biases(state), strict=True
    )
    for link, tf, twist, bias in rows:
        moving = coasting[link.parent].across(tf, twist, bias)
        drifts.append(moving.acceleration)
        coasting.append(moving.coasting())
    forces = [motion.wrench(inertia) for motion, inertia in zip(coasting, passes.body_inertias(state), strict=True)]
    return drifts, less_external(forces, on_bodies(state, external))


def articulated_inertias(state: StateView) -> tuple[tuple[ArticulatedInertia, ...], tuple[Handle, ...]]:
    """Return the articulated inertia of every body, and per link how it is felt through its joint."""
    inertias = [ArticulatedInertia.of_rigid_body(inertia) for inertia in passes.body_inertias(state)]
    handles: list[Handle] = []
    rows = list(zip(state.links, passes.to_parent(state), passes.subspaces(state), strict=True))
    for link, tf, subspace in reversed(rows):
        inertia = inertias[link.index]
        wrenches = inertia.wrenches(subspace)
        handle = Handle(wrenches, joint_factor(state, link, pair(subspace, wrenches)))
        handles.append(handle)
        left = inertia.without(wrenches, combined(wrenches, handle.factor.inverse())) if link.joint.nv else inertia
        inertias[link.parent] = inertias[link.parent] + left.transformed(tf)
    return tuple(inertias), tuple(reversed(handles))


def _efforts(
    state: StateView,
    drive: Vector,
    drifts: list[ClassicalAcceleration],
    forces: list[Wrench[Any]],
    inertias: tuple[ArticulatedInertia, ...],
    handles: tuple[Handle, ...],
) -> list[Vector]:
    """Return, per link, the torque left to accelerate its joint, carrying what joints hand inwards on the way."""
    efforts: list[Vector] = []
    rows = list(zip(state.links, passes.to_parent(state), passes.subspaces(state), handles, strict=True))
    for link, tf, subspace, handle in reversed(rows):
        force = forces[link.index]
        own = subspace.torque_components(force)
        effort = tuple(a - b for a, b in zip(drive[link.v], own, strict=True))
        efforts.append(effort)
        if link.parent:
            handed = force + _handed_on(link, inertias[link.index], handle, drifts[link.index], effort)
            forces[link.parent] = forces[link.parent] + handed.transformed(tf)
    return efforts[::-1]


def _handed_on(
    link: Link, inertia: ArticulatedInertia, handle: Handle, drift: ClassicalAcceleration, effort: Vector
) -> Wrench[Any]:
    """Return what drifting and the joint's own effort add to the wrench that reaches the parent."""
    dragged = inertia @ drift
    if not link.joint.nv:
        return dragged
    spare = [a - b for a, b in zip(effort, resistance(handle.wrenches, drift), strict=True)]
    return dragged + Wrench.trusted(dragged.frame, *handle.wrenches.combination(handle.factor.solve(spare)))


def _accelerations(
    state: StateView, drifts: list[ClassicalAcceleration], handles: tuple[Handle, ...], efforts: list[Vector]
) -> Vector:
    """Return vd, from the root outwards; gravity counts as the root accelerating up."""
    root = state.layout.root_frame
    upward = gravity_as_acceleration(state.gravity.xyz_components)
    accelerations = [ClassicalAcceleration(root, root, (0, 0, 0), upward)]
    vd: list[Scalar] = []
    rows = zip(state.links, passes.to_parent(state), passes.subspaces(state), handles, efforts, strict=True)
    for link, tf, subspace, handle, effort in rows:
        carried = accelerations[link.parent].transported(tf) + drifts[link.index]
        spare = [a - b for a, b in zip(effort, resistance(handle.wrenches, carried), strict=True)]
        own = handle.factor.solve(spare)
        vd += own
        accelerations.append(carried.plus_joint(subspace, own))
    return tuple(vd)


@overload
def forward_dynamics(
    state: State[A],
    torques: Torques,
    external_wrenches: ExternalWrenches | None = None,
    *,
    prescribed: None = None,
    stabilization: Stabilization = DEFAULT,
    out: A | None = None,
) -> A: ...
@overload
def forward_dynamics(
    state: State[A],
    torques: Torques,
    external_wrenches: ExternalWrenches | None = None,
    *,
    prescribed: JointAccelerations,
) -> HybridDynamics[A]: ...
@fast_path(vectors=1, wrenches=True, out=True)
def forward_dynamics(
    state: State[A],
    torques: Torques,
    external_wrenches: ExternalWrenches | None = None,
    *,
    prescribed: JointAccelerations | None = None,
    stabilization: Stabilization = DEFAULT,
    out: A | None = None,
) -> Call[A | HybridDynamics[A]]:
    """Return vd, the accelerations `torques` make: M vd + c = torques + passive - Kᵀ λ, with K vd = -k for the loops.

    For trees, time is linear in the number of bodies. `external_wrenches` as in `inverse_dynamics`, loops and their
    `stabilization` as in `dynamics`, whose vd this is. Raises ShapeError, NotFiniteError, FrameMismatchError, and
    SingularError, naming the joint, when a joint moves nothing that has inertia.

    `prescribed` gives the accelerations of some joints (0 locks a joint that stands still); then the result is a
    `HybridDynamics` with all accelerations and all torques. The torques given for such joints do not matter. Raises
    UnknownNameError for a joint that is not in the tree, TopologyError for mechanisms with loop joints, ArgumentError
    when `out` is given too.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.5, 0.2], [1.0, -1.0])
    >>> vd = rbd.forward_dynamics(state, [0.1, 0.2])
    >>> bool(abs(rbd.inverse_dynamics(state, vd) - [0.1, 0.2]).max() < 1e-12)
    True
    """
    require_state(state, "forward_dynamics")
    drive = state.vector(torques, state.layout.nv, "torques")
    external = held(state, external_wrenches)
    if prescribed is not None:
        require_tree(state, "forward_dynamics with prescribed accelerations")
        refuse_out(out)
        return Done(hybrid_dynamics(state, drive, prescribed, on_bodies(state, external)))
    gains = unless_standard(gains_of_loops(state, stabilization))
    return KernelCall(forward_dynamics_kernel, (drive, external, *gains), {"vd": (state.layout.nv,)}, out=out)


@kernel
def articulated_inertia_kernel(state: StateView, index: int) -> ArticulatedInertia:
    """Return the articulated inertia of a body, in the root frame."""
    inertias, _ = articulated_inertias(state)
    return inertias[index].transformed(passes.to_root(state)[index])


def articulated_inertia(state: State[Any], body: RigidBody) -> ArticulatedInertia:
    """Return the articulated inertia of `body`, with all joints beyond it free, in the root frame.

    Raises SingularError, naming the joint, when a joint beyond moves nothing that has inertia.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4])
    >>> lower = state.mechanism.body("lower_link")
    >>> felt = rbd.articulated_inertia(state, lower)    # nothing hangs on it: its own inertia
    >>> bool(abs(felt.matrix - state.inertia(lower).transformed(state.transform_to_root(lower)).matrix).max() < 1e-12)
    True
    """
    require_state(state, "articulated_inertia")
    return articulated_inertia_kernel(state, state.layout.body_index(body))
