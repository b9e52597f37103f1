"""Compliant contact forces between points of bodies and half-spaces: Hunt and Crossley (1975).

The models of normal force and friction are in `mechanism/soft_contact.py`. Every point is evaluated against every
half-space; a point outside gives zero force.

The states s of contact (displacements of friction, in the root frame) are not part of a mechanism's state: they come
as an argument, point after point in the order of `state.layout.contact_pairs`, and their rates are a result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, final

import attrs
from numpy.typing import NDArray

from rbd.algorithms.external_wrenches import AppliedWrench, AppliedWrenches
from rbd.indexing.layout import ContactPair
from rbd.kernels.kernel import kernel
from rbd.kernels.lifting import lifted_point
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.scalars import Scalar, Vector, less_equal, where
from rbd.spatial import FreeVector, Wrench
from rbd.spatial.half_space import HalfSpace

ContactStates: TypeAlias = Sequence[Scalar] | NDArray[Any]


@final
@attrs.frozen(eq=False)
class ContactForces:
    """Wrenches of contacts on bodies, in body frames, and the rates of the contact states."""

    wrenches: tuple[Wrench[Any] | None, ...]
    """One per body, in the body's frame; None where there is no contact point."""
    sd: Vector


@kernel
def contact_forces_kernel(state: StateView, s: Vector) -> ContactForces:
    """Return the wrenches of all contacts, each body's in its frame, and the rates of the contact states."""
    wrenches: list[Wrench[Any] | None] = [None] * len(state.layout.bodies)
    rates: list[Scalar] = [0] * state.layout.ns
    for contact in state.layout.contact_pairs:
        wrench, rates[contact.s_slice] = _contact_forces(state, contact, s[contact.s_slice])
        wrench_before = wrenches[contact.body]
        wrenches[contact.body] = wrench if wrench_before is None else wrench_before + wrench
    return ContactForces(tuple(wrenches), tuple(rates))


def point_forces(state: StateView, s: Vector) -> tuple[Vector, ...]:
    """Return the forces of all contacts on the bodies with the points, in the root frame."""
    points = state.layout.contact_pairs
    return tuple(_point_force(state, contact, s[contact.s_slice])[0].xyz_components for contact in points)


def _contact_forces(state: StateView, contact: ContactPair, s: Vector) -> tuple[Wrench[Any], Vector]:
    """Return the wrench of one point against one half-space, in the body's frame, and the rates of its states."""
    force, rates = _point_force(state, contact, s)
    to_body = passes.to_root(state)[contact.body].inverse()
    return Wrench.of_force(lifted_point(state, contact.point.location), force.transformed(to_body)), rates


def _point_force(state: StateView, contact: ContactPair, s: Vector) -> tuple[FreeVector[Any], Vector]:
    """Return the force of one half-space on one point, in the root frame, and the rates of its states."""
    pose, location = passes.to_root(state)[contact.body], lifted_point(state, contact.point.location)
    solid, model = lifted_half_space(state, contact.half_space), contact.point.model
    velocity = passes.body_twists(state)[contact.body].point_velocity(location).transformed(pose)
    leaving = velocity.dot(solid.normal)
    normal_force = model.normal.force(-solid.separation(pose @ location), -leaving)
    force = solid.normal * normal_force
    rates: Vector = ()
    if model.friction is not None:
        displacement = _displacement(state, s)
        friction_force = model.friction.force(displacement, velocity - solid.normal * leaving, normal_force)
        force, rates = force + friction_force, model.friction.rate(displacement, friction_force).xyz_components
    return force, rates


def _displacement(state: StateView, s: Vector) -> FreeVector:
    """Return the displacement of friction, in the root frame."""
    return FreeVector.trusted(state.layout.root_frame, (s[0], s[1], s[2]))


def lifted_half_space(state: StateView, half_space: HalfSpace[Any]) -> HalfSpace[Any]:
    """Return a half-space in the state's family of scalars."""
    point = lifted_point(state, half_space.point)
    x, y, z = map(state.lifted, half_space.normal.xyz_components)
    return HalfSpace.trusted(point, FreeVector.trusted(half_space.frame, (x, y, z)))


@kernel
def reset_contacts_kernel(state: StateView, s: Vector) -> Vector:
    """Return the contact states, with those of points without contact reset to zero."""
    s_reset = list(s)
    for contact in state.layout.contact_pairs:
        point = passes.to_root(state)[contact.body] @ lifted_point(state, contact.point.location)
        inside = less_equal(lifted_half_space(state, contact.half_space).separation(point), 0)
        s_reset[contact.s_slice] = [where(inside, x, 0) for x in s[contact.s_slice]]
    return tuple(s_reset)


def contact_energy(state: StateView, s: Vector) -> Scalar:
    """Return the elastic energy of contacts: in their normal direction, and in the displacements of friction."""
    energy: Scalar = 0
    for contact in state.layout.contact_pairs:
        point = passes.to_root(state)[contact.body] @ lifted_point(state, contact.point.location)
        separation, model = lifted_half_space(state, contact.half_space).separation(point), contact.point.model
        energy = energy + model.normal.energy(-separation)
        if model.friction is not None:
            energy = energy + model.friction.energy(_displacement(state, s[contact.s_slice]))
    return energy


def with_contacts(external: AppliedWrenches, contact: ContactForces) -> AppliedWrenches:
    """Return the external wrenches and those of contacts together."""
    touching = (AppliedWrench(i, i, wrench) for i, wrench in enumerate(contact.wrenches) if wrench is not None)
    return (*external, *touching)


def contact_states(state: StateView, s: ContactStates | None) -> Vector:
    """Return contact states as scalars; None means zero. Raises ShapeError or NotFiniteError naming contact_states."""
    ns = state.layout.ns
    return (0,) * ns if s is None else state.vector(s, ns, "contact_states")
