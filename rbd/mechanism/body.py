"""Rigid bodies: an inertia, and frames and contact points fixed to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs
from typing_extensions import override

from rbd.arguments import require_kind
from rbd.errors import AmbiguousNameError, FrameMismatchError, TopologyError, quoted
from rbd.mechanism.names import require_name, require_text, unknown_name
from rbd.mechanism.soft_contact import SoftContact
from rbd.mechanism.transaction import transaction
from rbd.spatial import Frame, Point, SpatialInertia, Transform
from rbd.spatial.frame import A, B, require_frame
from rbd.spatial.values import require_finite

if TYPE_CHECKING:
    from typing import Any, NoReturn

    from rbd.mechanism.registry import MemberRegistry


@final
@attrs.frozen(eq=False)
class ContactPoint:
    """A point of a body that may touch half-spaces, and its contact model.

    `location` is in the body's default frame.

    >>> from rbd import HuntCrossley, Point, RigidBody, SoftContact
    >>> foot = RigidBody("foot")
    >>> foot.add_contact_point(Point(foot.default_frame, (0, 0, -0.1)), SoftContact(HuntCrossley.hertz())).location
    Point in 'foot': (0, 0, -0.1)
    """

    location: Point
    model: SoftContact


@final
@attrs.define(eq=False)
class BodyData:
    """Name, frames, inertia and contact points of a body; everything is expressed in the default frame.

    `original_frame` is the default frame the body was made with; `registry` is that of the mechanism it belongs to.
    """

    name: str
    original_frame: Frame
    default_frame: Frame
    inertia: SpatialInertia | None
    frames: dict[Frame, Transform]
    contact_points: list[ContactPoint]
    registry: MemberRegistry | None = None
    is_root: bool = False

    def to_default(self, frame: Frame[A], operation: str, argument: str) -> Transform[A, Any]:
        """Return the transform from one of the body's frames to the default frame; raise FrameMismatchError."""
        to_default = self.frames.get(require_frame(frame, argument))
        if to_default is None:
            self.refuse_frame(frame, operation, argument, "is not fixed to")
        return to_default

    def refuse_frame(self, frame: Frame, operation: str, argument: str, what: str) -> NoReturn:
        """Raise FrameMismatchError, naming the frames the body has."""
        names = ", ".join(repr(own) for own in list(self.frames)[:6])
        raise FrameMismatchError(
            f"{operation}: {argument}: {frame!r} {what} body {quoted(self.name)}, which has {names}",
            operation=operation,
            argument=argument,
            actual=frame,
            expected=tuple(self.frames),
        )

    def require_new_frame(self, frame: Frame, argument: str) -> None:
        """Raise TopologyError if a frame is already fixed to this or another body of the mechanism."""
        if self.registry is not None:
            self.registry.require_new_frame(frame, argument)
        elif frame in self.frames:
            raise TopologyError(f"{argument}: {frame!r} is already fixed to body {quoted(self.name)}", body=self.name)

    def expressed_in(self, frame: Frame, pose: Transform | None, argument: str) -> BodyData:
        """Return the same data with another default frame: one of the body's, or a new one with its pose.

        Raises NotFiniteError, naming `argument`, when numbers overflow there.
        """
        if frame == self.default_frame:
            return self
        poses = self.frames if pose is None else {**self.frames, frame: pose}
        change = require_finite(poses[frame].inverse(), argument)
        frames = {known: require_finite(change @ old, argument) for known, old in poses.items()}
        frames[frame] = Transform.identity(frame, frame)  # exactly, where the product is only nearly so
        points = [
            ContactPoint(require_finite(change @ point.location, argument), point.model)
            for point in self.contact_points
        ]
        inertia = None if self.inertia is None else require_finite(self.inertia.transformed(change), argument)
        return attrs.evolve(self, default_frame=frame, frames=frames, inertia=inertia, contact_points=points)

    def parameters_changed(self) -> None:
        """Increment the parameter version."""
        if self.registry is not None:
            self.registry.parameters_changed()

    def structure_changed(self) -> None:
        """Increment the structure version."""
        if self.registry is not None:
            self.registry.structure_changed()

    def add_contact_point(self, contact: ContactPoint) -> None:
        """Add a contact point."""
        self.contact_points.append(contact)
        self.structure_changed()

    def fix_frame(self, to_default: Transform) -> None:
        """Fix a frame to the body, unchecked; `to_default` maps it to the default frame."""
        if self.registry is not None:
            self.registry.register_frame(to_default.from_frame, self.name)
        self.frames[to_default.from_frame] = to_default

    def remove_frame(self, frame: Frame) -> None:
        """Remove a frame other than the default frame from the body, unchecked."""
        del self.frames[frame]
        if self.registry is not None:
            self.registry.unregister_frame(frame)


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
        require_name(name, "body")
        if inertia is not None:
            require_kind(inertia, SpatialInertia, operation="RigidBody", argument="inertia")
        default_frame = inertia.frame if inertia is not None else Frame(name)
        self._data = BodyData(
            name,
            default_frame,
            default_frame,
            inertia,
            {default_frame: Transform.identity(default_frame, default_frame)},
            [],
        )

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

    @property
    def has_inertia(self) -> bool:
        """Return whether an inertia is defined; not for the root, nor for a loose body made without one."""
        return self._data.inertia is not None

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
        here = data.to_default(inertia.frame, "set_inertia", "inertia")
        moved = require_finite(inertia.transformed(here), "inertia")
        data.parameters_changed()  # first: interrupted in between, states compute again what they knew
        data.inertia = moved

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
        name = require_text(name, "name", "the name of a frame")
        same_name = [frame for frame in self._data.frames if frame.name == name]
        if len(same_name) == 1:
            return same_name[0]
        kind = f"frame of body {quoted(self.name)}"
        if same_name:
            raise AmbiguousNameError(
                f"{len(same_name)} frames of body {quoted(self.name)} are named {quoted(name)}", kind=kind, name=name
            )
        raise unknown_name(kind, name, [frame.name for frame in self._data.frames])

    def add_frame(self, transform: Transform[A, B]) -> Frame[A]:
        """Fix a new frame to the body and return it; `transform` maps it to any frame the body has.

        Raises FrameMismatchError if `transform.to_frame` is not a frame of this body, TopologyError if the new frame
        is already fixed to this or another body of the mechanism.
        """
        require_kind(transform, Transform, operation="add_frame", argument="transform")
        to_default = self._data.to_default(transform.to_frame, "add_frame", "transform.to_frame")
        self._data.require_new_frame(transform.from_frame, "transform.from_frame")
        placed = require_finite(to_default @ transform, "transform")
        registry = self._data.registry
        holders = () if registry is None else registry.bodies_with_orphaned_frames([placed.from_frame])
        transaction(lambda: self._data.fix_frame(placed), registry, (self, *holders))
        return transform.from_frame

    def move_frame(self, transform: Transform[A, B]) -> None:
        """Put a frame of the body elsewhere on it; `transform` maps it to any other frame of the body.

        Moving the frame before a joint moves the joint: mechanisms note it as a change of parameters. The default frame
        cannot be moved (TopologyError). Raises FrameMismatchError if a frame is not the body's, or both are the same.
        """
        require_kind(transform, Transform, operation="move_frame", argument="transform")
        data, frame = self._data, transform.from_frame
        data.to_default(frame, "move_frame", "transform.from_frame")
        to_default = data.to_default(transform.to_frame, "move_frame", "transform.to_frame")
        if frame == transform.to_frame:
            data.refuse_frame(
                frame, "move_frame", "transform.to_frame", "is the frame to be moved; it must be another frame of"
            )
        if frame == data.default_frame:
            raise TopologyError(
                f"{frame!r} is the default frame of body {quoted(data.name)}: it cannot be moved", body=data.name
            )
        placed = require_finite(to_default @ transform, "transform")
        data.parameters_changed()  # first: interrupted in between, states compute again what they knew
        data.frames[frame] = placed

    def fixed_transform(self, from_frame: Frame[A], to_frame: Frame[B]) -> Transform[A, B]:
        """Return the constant transform between two frames of this body; raise FrameMismatchError for other frames."""
        first = self._data.to_default(from_frame, "fixed_transform", "from_frame")
        last = self._data.to_default(to_frame, "fixed_transform", "to_frame")
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
        """Add a contact point: soft contact of `point`, in any frame of the body, with the mechanism's half-spaces.

        This is a change of structure: contact points may have states. Raises FrameMismatchError if the point is in
        another frame.
        """
        require_kind(point, Point, operation="add_contact_point", argument="point")
        require_kind(model, SoftContact, operation="add_contact_point", argument="model")
        location = self._data.to_default(point.frame, "add_contact_point", "point") @ point
        contact = ContactPoint(require_finite(location, "point"), model)
        transaction(lambda: self._data.add_contact_point(contact), self._data.registry, (self,))
        return contact

    # ---------------------------------------------------------------- pickling and copying

    @override
    def __getstate__(self) -> BodyData:
        """Omit the registry: a copy belongs to no mechanism until a mechanism registers it."""
        data = self._data
        frames, points = dict(data.frames), list(data.contact_points)  # shallow copies must not share them
        return attrs.evolve(data, registry=None, is_root=False, frames=frames, contact_points=points)

    def __setstate__(self, data: BodyData) -> None:
        self._data = data
