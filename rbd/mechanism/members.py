"""Members of a mechanism: the data of bodies and joints, and their entries in its registry.

This is the only access to their data from outside of their classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, overload

from rbd.spatial import SpatialInertia

if TYPE_CHECKING:
    from rbd.mechanism.body import RigidBody
    from rbd.mechanism.body_data import BodyData
    from rbd.mechanism.joint import Joint, JointData
    from rbd.mechanism.registry import NameRegistry
    from rbd.spatial import Frame

Member: TypeAlias = "RigidBody | Joint"


@overload
def data_of(member: RigidBody) -> BodyData: ...
@overload
def data_of(member: Joint) -> JointData: ...
@overload
def data_of(member: Member) -> BodyData | JointData: ...
def data_of(member: Member) -> BodyData | JointData:
    """Return the data of a body or a joint."""
    return member._data  # pyright: ignore[reportPrivateUsage]  # a class of this package


def registry_of(member: Member) -> NameRegistry | None:
    """Return the registry of the mechanism that a body or a joint belongs to."""
    return member._data.registry  # pyright: ignore[reportPrivateUsage]  # a class of this package


def set_data(body: RigidBody, data: BodyData) -> None:
    """Replace the data of a body."""
    body._data = data  # pyright: ignore[reportPrivateUsage]  # as `data_of`


def rebase(body: RigidBody, frame: Frame) -> None:
    """Make another of the body's frames its default frame, and express everything in it."""
    set_data(body, data_of(body).expressed_in(frame, None, body.name))


def register_body(body: RigidBody, registry: NameRegistry, *, root: bool = False) -> None:
    """Register a body and its frames in a mechanism; unless it is the root, it gets an inertia."""
    data = data_of(body)
    data.registry, data.is_root = registry, root
    if root:
        data.inertia = None
    elif data.inertia is None:
        data.inertia = SpatialInertia.zero(data.default_frame)
    registry.bodies[data.name] = body
    for frame in data.frames:
        registry.register_frame(frame, data.name)


def remove_from_registry(body: RigidBody) -> None:
    """Remove a body and its frames from its registry."""
    data = data_of(body)
    if data.registry is not None:
        del data.registry.bodies[data.name]
        for frame in data.frames:
            data.registry.unregister_frame(frame)
    data.registry, data.is_root = None, False


def unregister_body(body: RigidBody) -> None:
    """Remove a body from its registry, and give it the default frame it was made with."""
    remove_from_registry(body)
    rebase(body, data_of(body).own_frame)


def register_joint(joint: Joint, registry: NameRegistry) -> None:
    """Register a joint in a mechanism."""
    data_of(joint).registry = registry
    registry.joints[joint.name] = joint


def unregister_joint(joint: Joint) -> None:
    """Remove a joint from its registry."""
    data = data_of(joint)
    if data.registry is not None:
        del data.registry.joints[data.name]
    data.registry = None
