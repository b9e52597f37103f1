"""Forces of compliant contact between points of bodies and the half-spaces around them.

The models are in `mechanism/soft_contact.py`. Which points touch is a question of values, so every point is evaluated
against every half-space; what does not touch gives zero.

The states s of contact (displacements of friction, in the root frame) are not part of a mechanism's state: they come
as an argument, point after point in the order of `state.layout.touches`, and their rates are a result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, final

import attrs
from numpy.typing import NDArray

from rbd.algorithms.external import BodyWrenches
from rbd.scalars import Scalar, Vector, less_equal, where
from rbd.spatial import FreeVector, Wrench
from rbd.spatial.half_space import HalfSpace
from rbd.state import StateView, Touch, kernel, passes

ContactStates: TypeAlias = Sequence[Scalar] | NDArray[Any]


@final
@attrs.frozen(eq=False)
class ContactForces:
    """What contact does at one instant: wrenches on bodies, in body frames, and the rates of the contact states."""

    wrenches: BodyWrenches
    sd: Vector


@kernel
def contact_forces_kernel(state: StateView, s: Vector) -> ContactForces:
    """Return the wrenches of all contacts, each body's in its frame, and the rates of the contact states."""
    wrenches: list[Wrench[Any] | None] = [None] * len(state.layout.bodies)
    rates: list[Scalar] = [0] * state.layout.ns
    for touch in state.layout.touches:
        wrench, rates[touch.s] = _touch_forces(state, touch, s[touch.s])
        known = wrenches[touch.body]
        wrenches[touch.body] = wrench if known is None else known + wrench
    return ContactForces(tuple(wrenches), tuple(rates))


def _touch_forces(state: StateView, touch: Touch, s: Vector) -> tuple[Wrench[Any], Vector]:
    """Return the wrench of one point against one half-space, in the body's frame, and the rates of its states."""
    pose, location = passes.to_root(state)[touch.body], state.lifted_point(touch.point.location)
    solid, model = lifted_half_space(state, touch.half_space), touch.point.model
    velocity = passes.body_twists(state)[touch.body].point_velocity(location).transformed(pose)
    leaving = velocity.dot(solid.normal)
    push = model.normal.force(-solid.separation(pose @ location), -leaving)
    force = solid.normal * push
    rates: Vector = ()
    if model.friction is not None:
        displacement = FreeVector.trusted(velocity.frame, (s[0], s[1], s[2]))
        drag = model.friction.force(displacement, velocity - solid.normal * leaving, push)
        force, rates = force + drag, model.friction.rate(displacement, drag).xyz_components
    return Wrench.of_force(location, force.transformed(pose.inverse())), rates


def lifted_half_space(state: StateView, half_space: HalfSpace[Any]) -> HalfSpace[Any]:
    """Return a half-space in the state's family of scalars."""
    point = state.lifted_point(half_space.point)
    x, y, z = map(state.lifted, half_space.normal.xyz_components)
    return HalfSpace.trusted(point, FreeVector.trusted(half_space.frame, (x, y, z)))


@kernel
def settled_contacts_kernel(state: StateView, s: Vector) -> Vector:
    """Return the contact states with those of points that touch nothing reset to zero."""
    settled = list(s)
    for touch in state.layout.touches:
        point = passes.to_root(state)[touch.body] @ state.lifted_point(touch.point.location)
        inside = less_equal(lifted_half_space(state, touch.half_space).separation(point), 0)
        settled[touch.s] = [where(inside, x, 0) for x in s[touch.s]]
    return tuple(settled)


@kernel
def contact_energy_kernel(state: StateView) -> Scalar:
    """Return the energy that contacts hold in their normal direction."""
    energy: Scalar = 0
    for touch in state.layout.touches:
        point = passes.to_root(state)[touch.body] @ state.lifted_point(touch.point.location)
        separation = lifted_half_space(state, touch.half_space).separation(point)
        energy = energy + touch.point.model.normal.energy(-separation)
    return energy


def with_contacts(external: BodyWrenches | None, contact: ContactForces) -> BodyWrenches:
    """Return the external wrenches and those of contacts together, per body."""
    both = zip(external or (None,) * len(contact.wrenches), contact.wrenches, strict=True)
    return tuple(a if b is None else b if a is None else a + b for a, b in both)


def contact_states(state: StateView, s: ContactStates | None) -> Vector:
    """Return contact states as scalars; None means zero. Raises ShapeError or NotFiniteError naming contact_states."""
    ns = state.layout.ns
    return (0,) * ns if s is None else state.vector(s, ns, "contact_states")
