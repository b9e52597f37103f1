"""Members of a mechanism: the data of bodies and joints.

This is the only access to their data from outside of their classes.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final, TypeAlias, overload

if TYPE_CHECKING:
    from rbd.mechanism.body import BodyData, RigidBody
    from rbd.mechanism.joint import Joint, JointData
    from rbd.mechanism.mechanism import Mechanism
    from rbd.mechanism.registry import MemberRegistry
    from rbd.spatial import Frame

Member: TypeAlias = "RigidBody | Joint"
STRUCTURE: Final = 0
"""Index of the version of the structure in the versions of a mechanism."""
PARAMETERS: Final = 1
"""Index of the version of the parameters."""


@overload
def data_of(member: RigidBody) -> BodyData: ...
@overload
def data_of(member: Joint) -> JointData: ...
@overload
def data_of(member: Member) -> BodyData | JointData: ...
def data_of(member: Member) -> BodyData | JointData:
    """Return the data of a body or a joint."""
    return member._data  # pyright: ignore[reportPrivateUsage]  # a class of this package


def registry_of(member: Member) -> MemberRegistry | None:
    """Return the registry of the mechanism that a body or a joint belongs to."""
    return member._data.registry  # pyright: ignore[reportPrivateUsage]  # a class of this package


def versions_of(mechanism: Mechanism) -> array[int]:
    """Return the versions of a mechanism's structure and parameters, an array that edits change in place."""
    registry = registry_of(mechanism.root_body)
    assert registry is not None  # the root body of a mechanism has one
    return registry.versions


def set_data(body: RigidBody, data: BodyData) -> None:
    """Replace the data of a body."""
    body._data = data  # pyright: ignore[reportPrivateUsage]  # as `data_of`


def rebase(body: RigidBody, frame: Frame) -> None:
    """Make another of the body's frames its default frame, and express everything in it."""
    set_data(body, data_of(body).expressed_in(frame, None, body.name))
