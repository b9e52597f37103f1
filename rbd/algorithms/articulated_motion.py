"""The articulated-body recursion with everything it finds on the way, some joints' accelerations being prescribed.

Featherstone (2008), table 7.1 and section 9.2, with spatial accelerations and gravity as weights, in body frames.
`forward_dynamics.py` has the leaner form for accelerations alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, final

import attrs

from rbd.algorithms.external import BodyWrenches, less_external
from rbd.algorithms.passive import passive_torques_kernel
from rbd.scalars import Matrix, Scalar, Vector
from rbd.solvers.linear import Factor
from rbd.spatial import FreeVector, GeometricJacobian, SpatialAcceleration, Twist, Wrench
from rbd.spatial.articulated import ArticulatedInertia
from rbd.spatial.linalg import cross3, scale3
from rbd.spatial.pairing import combined, pair
from rbd.state import Link, StateView, passes

Prescribed: TypeAlias = Mapping[int, Vector]
"""Index of a link -> accelerations of its joint."""


@final
@attrs.frozen(eq=False)
class Rigid:
    """What is known of a body before any acceleration is: in its own frame."""

    drift: SpatialAcceleration[Any, Any, Any]
    """What velocities alone add to the acceleration across its joint."""
    bias: Wrench[Any]
    """What its velocity alone takes."""
    weight: Wrench[Any]


@final
@attrs.frozen(eq=False)
class Motion:
    """Accelerations and what caused them: one entry per body, the root first, each in the frame of the body."""

    rigid: tuple[Rigid, ...]
    inertias: tuple[ArticulatedInertia, ...]
    biases: tuple[Wrench[Any], ...]
    """What the bodies from here outwards take when this one is held, less their weights and external wrenches."""
    accelerations: tuple[SpatialAcceleration[Any, Any, Any], ...]
    wrenches: tuple[Wrench[Any], ...]
    """What each joint applies to its body."""
    vd: Vector
    torques: Vector


def articulated_motion(
    state: StateView, torques: Vector, prescribed: Prescribed, external: BodyWrenches | None
) -> Motion:
    """Return the motion that `torques` make; joints of `prescribed` move as they have to, whatever it takes."""
    rigid = tuple(_rigid(state, index) for index in range(len(state.layout.bodies)))
    inertias = [ArticulatedInertia.of_rigid_body(inertia) for inertia in passes.body_inertias(state)]
    biases = less_external([each.bias - each.weight for each in rigid], external)
    drive = tuple(a + b for a, b in zip(torques, passive_torques_kernel(state), strict=True))
    factors = _inwards(state, drive, prescribed, rigid, inertias, biases)
    return _outwards(state, drive, torques, prescribed, rigid, inertias, biases, factors)


def _rigid(state: StateView, index: int) -> Rigid:
    inertia, twist = passes.body_inertias(state)[index], passes.body_twists(state)[index]
    still = SpatialAcceleration.zero(twist.body, twist.base, twist.frame)
    return Rigid(_drift(state, index, twist), inertia.newton_euler(still, twist), _weight(state, index))


def _drift(state: StateView, index: int, twist: Twist) -> SpatialAcceleration[Any, Any, Any]:
    if index == 0:
        return SpatialAcceleration.zero(twist.body, twist.base, twist.frame)
    bias = passes.joint_biases(state)[index - 1]
    turning = twist.cross(passes.joint_twists(state)[index - 1])
    return bias + turning.with_body(bias.body).with_base(bias.base)


def _weight(state: StateView, index: int) -> Wrench[Any]:
    inertia = passes.body_inertias(state)[index]
    gravity: FreeVector[Any] = passes.to_root(state)[index].inverse() @ state.gravity
    field = gravity.xyz_components
    return Wrench.trusted(inertia.frame, cross3(inertia.cross_part_components, field), scale3(field, inertia.mass))


def _inwards(
    state: StateView,
    drive: Vector,
    prescribed: Prescribed,
    rigid: tuple[Rigid, ...],
    inertias: list[ArticulatedInertia],
    biases: list[Wrench[Any]],
) -> dict[int, Factor]:
    """Add to every body what hangs on it, and return how the joints that are free give way."""
    factors: dict[int, Factor] = {}
    rows = list(zip(state.links, passes.to_parent(state), passes.subspaces(state), strict=True))
    for link, tf, subspace in reversed(rows):
        left, rates = inertias[link.index], prescribed.get(link.index)
        handed = biases[link.index] + left @ rigid[link.index].drift
        if rates is not None:
            handed = handed + left @ along_joint(subspace, rates)
        elif link.joint.nv:
            wrenches = left.wrenches(subspace)
            factor = factors[link.index] = joint_factor(state, link, pair(subspace, wrenches))
            spare = [a - b for a, b in zip(drive[link.v], subspace.torque_components(handed), strict=True)]
            handed = handed + Wrench.trusted(handed.frame, *wrenches.combination(factor.solve(spare)))
            left = left.without(wrenches, combined(wrenches, factor.inverse()))
        inertias[link.parent] = inertias[link.parent] + left.transformed(tf)
        biases[link.parent] = biases[link.parent] + handed.transformed(tf)
    return factors


def joint_factor(state: StateView, link: Link, own: Matrix) -> Factor:
    """Factor the inertia of a joint along its own axes, armature included."""
    armature = state.joint_parameter(link.joint, "armature")
    rows = tuple(
        tuple(entry + armature[i] if i == j else entry for j, entry in enumerate(row)) for i, row in enumerate(own)
    )
    return Factor.of(rows, [f"the inertia that joint '{link.joint.name}' moves"] * link.joint.nv)


def along_joint(subspace: GeometricJacobian[Any, Any, Any], rates: Vector) -> SpatialAcceleration[Any, Any, Any]:
    """Return the acceleration that a joint's own accelerations make."""
    return SpatialAcceleration.trusted(subspace.body, subspace.base, subspace.frame, *subspace.combination(rates))


def _outwards(
    state: StateView,
    drive: Vector,
    torques: Vector,
    prescribed: Prescribed,
    rigid: tuple[Rigid, ...],
    inertias: list[ArticulatedInertia],
    biases: list[Wrench[Any]],
    factors: dict[int, Factor],
) -> Motion:
    """Return the accelerations, found from the root outwards, and with them all forces."""
    root = state.layout.root_frame
    accelerations = [SpatialAcceleration.zero(root, root, root)]
    wrenches = [biases[0]]
    vd: list[Scalar] = []
    needed: list[Scalar] = []
    rows = zip(state.links, passes.to_parent(state), passes.subspaces(state), strict=True)
    for link, tf, subspace in rows:
        inertia, bias, drift = inertias[link.index], biases[link.index], rigid[link.index].drift
        carried = accelerations[link.parent].transformed(tf.inverse()).with_body(drift.base) + drift
        rates = prescribed.get(link.index)
        if rates is None:
            missing = subspace.torque_components(inertia @ carried + bias)
            spare = [a - b for a, b in zip(drive[link.v], missing, strict=True)]
            rates = factors[link.index].solve(spare) if link.joint.nv else ()
        own = along_joint(subspace, rates)
        accelerations.append(carried + own.with_body(carried.body).with_base(carried.base))
        wrenches.append(inertia @ accelerations[-1] + bias)
        vd += rates
        if link.index in prescribed:
            needed += _torques_for(state, link, subspace, rates, wrenches[-1])
        else:
            needed += torques[link.v]
    return Motion(
        rigid, tuple(inertias), tuple(biases), tuple(accelerations), tuple(wrenches), tuple(vd), tuple(needed)
    )


def _torques_for(
    state: StateView, link: Link, subspace: GeometricJacobian[Any, Any, Any], rates: Vector, wrench: Wrench[Any]
) -> list[Scalar]:
    """Return the torques a joint needs to move as prescribed under its wrench."""
    armature, own = state.joint_parameter(link.joint, "armature"), passive_torques_kernel(state)[link.v]
    rows = zip(subspace.torque_components(wrench), armature, rates, own, strict=True)
    return [torque + rotor * rate - passive for torque, rotor, rate, passive in rows]
