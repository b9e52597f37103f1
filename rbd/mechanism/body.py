"""Rigid bodies: an inertia, and frames and contact points fixed to it.

The functions at the end are for the mechanism only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs
from typing_extensions import override

from rbd.errors import AmbiguousNameError, TopologyError, quoted
from rbd.mechanism.body_data import BodyData, ContactPoint, relabelled
from rbd.mechanism.books import checked_name, text_of, unknown_name
from rbd.mechanism.soft_contact import SoftContact
from rbd.spatial import Frame, Point, SpatialInertia, Transform
from rbd.spatial.frame import A, B
from rbd.spatial.values import require_finite, require_kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rbd.mechanism.books import Books


@final
class RigidBody:
    """A rigid body: named, with an inertia, and with any number of frames fixed to it.

    Without an `inertia` the body is massless (the root of a mechanism always is). The frame of the inertia, or a new
    frame with the body's name, is the body's default frame until it is attached to a mechanism; it stays one of the
    body's frames afterwards.

    >>> from rbd import Frame, RigidBody, SpatialInertia, Transform
    >>> inertia = SpatialInertia(Frame("link"), mass=2.0, moment_about_com=[[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> link = RigidBody("link", inertia)
    >>> tip = link.add_frame(Transform(Frame("tip"), link.default_frame, translation=(0, 0, 1)))
    >>> link.fixed_transform(tip, link.default_frame).translation
    array([0., 0., 1.])
    """

    __slots__ = ("__weakref__", "_data")

    def __init__(self, name: str, inertia: SpatialInertia | None = None) -> None:
        """Make a body that belongs to no mechanism yet."""
        checked_name(name, "body")
        if inertia is not None:
            require_kind(inertia, SpatialInertia, operation="RigidBody", argument="inertia")
        own = inertia.frame if inertia is not None else Frame(name)
        self._data = BodyData.new(name, own, inertia)

    # ---------------------------------------------------------------- what it is

    @property
    def name(self) -> str:
        """Return the name."""
        return self._data.name

    @property
    def default_frame(self) -> Frame:
        """Return the frame the inertia and all other frames are given in.

        In a mechanism this is the frame after the joint that carries the body.
        """
        return self._data.default_frame

    @property
    def is_root(self) -> bool:
        """Return whether the body is the root of a mechanism."""
        return self._data.is_root

    @override
    def __repr__(self) -> str:
        return f"RigidBody({self.name!r})"

    # ---------------------------------------------------------------- inertia

    @property
    def inertia(self) -> SpatialInertia | None:
        """Return the inertia, in the default frame; None for the root and for a loose body made without one."""
        return self._data.inertia

    def set_inertia(self, inertia: SpatialInertia) -> None:
        """Replace the inertia; it may be given in any frame of the body.

        Raises FrameMismatchError for any other frame, TopologyError for the root, which never moves, NotFiniteError
        when numbers overflow in the default frame.
        """
        require_kind(inertia, SpatialInertia, operation="set_inertia", argument="inertia")
        data = self._data
        if data.is_root:
            raise TopologyError(
                f"body {quoted(data.name)} is the root: it never moves, and has no inertia", body=data.name
            )
        here = data.definition(inertia.frame, "set_inertia", "inertia")
        data.inertia = require_finite(inertia.transformed(here), "inertia")
        data.note_parameters()

    # ---------------------------------------------------------------- frames

    @property
    def frames(self) -> tuple[Frame, ...]:
        """Return all frames fixed to the body, in the order they were added."""
        return tuple(self._data.frames)

    def has_frame(self, frame: Frame) -> bool:
        """Return whether `frame` is fixed to this body; raise ArgumentError for what is no frame."""
        require_kind(frame, Frame, operation="has_frame", argument="frame")
        return frame in self._data.frames

    def frame(self, name: str) -> Frame:
        """Return the frame of that name; raise UnknownNameError or AmbiguousNameError."""
        name = text_of(name, "name", "the name of a frame")
        found = [frame for frame in self._data.frames if frame.name == name]
        if len(found) == 1:
            return found[0]
        kind = f"frame of body {quoted(self.name)}"
        if found:
            raise AmbiguousNameError(
                f"{len(found)} frames of body {quoted(self.name)} are named {quoted(name)}", kind=kind, name=name
            )
        raise unknown_name(kind, name, [frame.name for frame in self._data.frames])

    def add_frame(self, transform: Transform[A, B]) -> Frame[A]:
        """Fix a new frame to the body and return it; `transform` maps it to any frame the body has.

        Raises FrameMismatchError if `transform.to_frame` is not a frame of this body, TopologyError if the new frame
        is already fixed to this or another body of the mechanism.
        """
        require_kind(transform, Transform, operation="add_frame", argument="transform")
        to_default = self._data.definition(transform.to_frame, "add_frame", "transform.to_frame")
        self._data.require_new_frame(transform.from_frame, "transform.from_frame")
        self._data.fix_frame(require_finite(to_default @ transform, "transform"))
        return transform.from_frame

    def move_frame(self, transform: Transform[A, B]) -> None:
        """Put a frame of the body elsewhere on it; `transform` maps it to any other frame of the body.

        Moving the frame before a joint moves the joint: mechanisms note it as a change of parameters. The default frame
        cannot be moved (TopologyError). Raises FrameMismatchError if a frame is not the body's, or both are the same.
        """
        require_kind(transform, Transform, operation="move_frame", argument="transform")
        data, frame = self._data, transform.from_frame
        data.definition(frame, "move_frame", "transform.from_frame")
        to_default = data.definition(transform.to_frame, "move_frame", "transform.to_frame")
        if frame == transform.to_frame:
            data.refuse_frame(frame, "move_frame", "transform.to_frame", "itself the frame to be moved on")
        if frame == data.default_frame:
            raise TopologyError(
                f"{frame!r} is the default frame of body {quoted(data.name)}: it cannot be moved", body=data.name
            )
        data.frames[frame] = require_finite(to_default @ transform, "transform")
        data.note_parameters()

    def fixed_transform(self, from_frame: Frame[A], to_frame: Frame[B]) -> Transform[A, B]:
        """Return the constant transform between two frames of this body; raise FrameMismatchError for other frames."""
        first = self._data.definition(from_frame, "fixed_transform", "from_frame")
        last = self._data.definition(to_frame, "fixed_transform", "to_frame")
        if to_frame == self.default_frame:
            return first
        result: Transform[A, B] = last.inverse() @ first
        return result

    # ---------------------------------------------------------------- contact points

    @property
    def contact_points(self) -> tuple[ContactPoint, ...]:
        """Return the contact points, with locations in the default frame."""
        return tuple(self._data.contact_points)

    def add_contact_point(self, point: Point, model: SoftContact) -> ContactPoint:
        """Let the body touch the half-spaces around at `point`, in any frame of the body; `model` gives the forces.

        This is a change of structure: contact points may have states. Raises FrameMismatchError if the point is in
        another frame.
        """
        require_kind(point, Point, operation="add_contact_point", argument="point")
        require_kind(model, SoftContact, operation="add_contact_point", argument="model")
        location = self._data.definition(point.frame, "add_contact_point", "point") @ point
        contact = ContactPoint(require_finite(location, "point"), model)
        self._data.contact_points.append(contact)
        self._data.note_structure()
        return contact

    # ---------------------------------------------------------------- pickling and copying

    @override
    def __getstate__(self) -> BodyData:
        """Leave the books out: a body pickled or copied alone is loose, a mechanism enters its bodies again."""
        data = self._data
        frames, points = dict(data.frames), list(data.contact_points)  # shallow copies must not share them
        return attrs.evolve(data, books=None, is_root=False, frames=frames, contact_points=points)

    def __setstate__(self, data: BodyData) -> None:
        self._data = data


# -------------------------------------------------------------------- for the mechanism only


def data_of(body: RigidBody) -> BodyData:
    """Return what the body consists of."""
    return body._data  # pyright: ignore[reportPrivateUsage]  # the one way in


def books_of(body: RigidBody) -> Books | None:
    """Return the books of the mechanism the body belongs to."""
    return data_of(body).books


def enter(body: RigidBody, books: Books, *, root: bool = False) -> None:
    """Enter a body in the books of a mechanism."""
    books.bodies[body.name] = body
    data_of(body).enter(books, root=root)


def leave(body: RigidBody) -> None:
    """Strike a body from the books, and give it the default frame it was made with."""
    data = data_of(body)
    data.strike()
    data.rebase(data.own_frame)


def copied(body: RigidBody, name: str, frames: Mapping[Frame, Frame]) -> RigidBody:
    """Return a loose copy of a body; `frames` gives the copies of its frames."""
    new = RigidBody.__new__(RigidBody)
    new.__setstate__(data_of(body).copied(name, frames))
    return new


def require_shareable(source: RigidBody, pose: Transform, argument: str) -> None:
    """Raise NotFiniteError, naming `argument`, when frames or contact points of a body overflow where `pose` leads."""
    data = data_of(source)
    for tf in data.frames.values():
        require_finite(pose @ tf, argument)
    for point in data.contact_points:
        require_finite(pose @ point.location, argument)


def share(source: RigidBody, target: RigidBody, frames: Mapping[Frame, Frame], pose: Transform) -> None:
    """Give a body frames and contact points of another; `frames` says what the frames are called there.

    `pose` maps the source's default frame to the target's default frame.
    """
    data, default = data_of(source), target.default_frame
    for frame, tf in tuple(data.frames.items()):  # source and target may be one
        data_of(target).fix_frame(relabelled(pose @ tf, frames[frame], default))
    for point in tuple(data.contact_points):
        target.add_contact_point(pose @ point.location, point.model)
