"""Rigid bodies: an inertia, and frames and contact points fixed to it.

Room: mechanism. May import `errors`, `scalars` and `spatial`. The functions at the end are for the mechanism only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs

from rbd.errors import ArgumentError, FrameMismatchError, TopologyError, quoted
from rbd.mechanism.books import checked_name, unknown_name
from rbd.spatial import Frame, Point, SpatialInertia, Transform
from rbd.spatial.frame import A, B
from rbd.spatial.linalg import zero3, zero33

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn

    from rbd.mechanism.books import Books


@final
@attrs.frozen(eq=False)
class ContactPoint:
    """A point of a body that may touch the environment, and the model of what happens then.

    `location` is in the body's default frame.
    """

    location: Point
    model: object


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

    __slots__ = (
        "__weakref__",
        "_books",
        "_contact_points",
        "_default_frame",
        "_frames",
        "_inertia",
        "_is_root",
        "_name",
        "_own_frame",
    )

    def __init__(self, name: str, inertia: SpatialInertia | None = None) -> None:
        """Make a body that belongs to no mechanism yet."""
        self._name = checked_name(name, "body")
        if inertia is not None and not isinstance(inertia, SpatialInertia):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers need not be typed
            raise ArgumentError(
                f"inertia must be a SpatialInertia, not {type(inertia).__name__}", argument="inertia", value=inertia
            )
        own = inertia.frame if inertia is not None else Frame(name)
        self._own_frame: Frame = own
        self._default_frame: Frame = own
        self._inertia = inertia
        self._frames: dict[Frame, Transform] = {own: Transform.identity(own, own)}
        self._contact_points: list[ContactPoint] = []
        self._books: Books | None = None
        self._is_root = False

    # ---------------------------------------------------------------- what it is

    @property
    def name(self) -> str:
        """Return the name."""
        return self._name

    @property
    def default_frame(self) -> Frame:
        """Return the frame the inertia and all other frames are given in.

        In a mechanism this is the frame after the joint that carries the body.
        """
        return self._default_frame

    @property
    def is_root(self) -> bool:
        """Return whether the body is the root of a mechanism."""
        return self._is_root

    def __repr__(self) -> str:
        return f"RigidBody({self._name!r})"

    # ---------------------------------------------------------------- inertia

    @property
    def inertia(self) -> SpatialInertia | None:
        """Return the inertia, in the default frame; None for the root and for a loose body made without one."""
        return self._inertia

    def set_inertia(self, inertia: SpatialInertia) -> None:
        """Replace the inertia; it may be given in any frame of the body.

        Raises FrameMismatchError for any other frame, TopologyError for the root, which never moves.
        """
        if self._is_root:
            raise TopologyError(
                f"body {quoted(self._name)} is the root: it never moves, and has no inertia", body=self._name
            )
        to_default = self._definition(inertia.frame, "set_inertia", "inertia")
        self._inertia = inertia.transformed(to_default)
        self._note_parameters()

    # ---------------------------------------------------------------- frames

    @property
    def frames(self) -> tuple[Frame, ...]:
        """Return all frames fixed to the body, in the order they were added."""
        return tuple(self._frames)

    def has_frame(self, frame: Frame) -> bool:
        """Return whether `frame` is fixed to this body."""
        return frame in self._frames

    def frame(self, name: str) -> Frame:
        """Return the first frame of that name; raise UnknownNameError if there is none."""
        for frame in self._frames:
            if frame.name == name:
                return frame
        raise unknown_name(f"frame of body {quoted(self._name)}", name, [frame.name for frame in self._frames])

    def add_frame(self, transform: Transform[A, B]) -> Frame[A]:
        """Fix a new frame to the body and return it; `transform` maps it to any frame the body has.

        Raises FrameMismatchError if `transform.to_frame` is not a frame of this body, TopologyError if the new frame
        is already fixed to this or another body of the mechanism.
        """
        to_default = self._definition(transform.to_frame, "add_frame", "transform.to_frame")
        self._require_new(transform.from_frame)
        fix_frame(self, to_default @ transform)
        return transform.from_frame

    def move_frame(self, transform: Transform[A, B]) -> None:
        """Put a frame of the body elsewhere on it; `transform` maps it to any other frame of the body.

        Moving the frame before a joint moves the joint: mechanisms note it as a change of parameters. The default frame
        cannot be moved (TopologyError). Raises FrameMismatchError if a frame is not the body's, or both are the same.
        """
        frame = transform.from_frame
        self._definition(frame, "move_frame", "transform.from_frame")
        to_default = self._definition(transform.to_frame, "move_frame", "transform.to_frame")
        if frame == transform.to_frame:
            _refuse_frame(self, frame, "move_frame", "transform.to_frame")
        if frame == self._default_frame:
            raise TopologyError(
                f"{frame!r} is the default frame of body {quoted(self._name)}: it cannot be moved", body=self._name
            )
        self._frames[frame] = to_default @ transform
        self._note_parameters()

    def fixed_transform(self, from_frame: Frame[A], to_frame: Frame[B]) -> Transform[A, B]:
        """Return the constant transform between two frames of this body; raise FrameMismatchError for other frames."""
        first = self._definition(from_frame, "fixed_transform", "from_frame")
        last = self._definition(to_frame, "fixed_transform", "to_frame")
        if to_frame == self._default_frame:
            return first
        result: Transform[A, B] = last.inverse() @ first
        return result

    def _definition(self, frame: Frame[A], operation: str, argument: str) -> Transform[A, Any]:
        """Return the transform from one of the body's frames to the default frame."""
        found = self._frames.get(frame)
        if found is None:
            _refuse_frame(self, frame, operation, argument)
        return found

    def _require_new(self, frame: Frame) -> None:
        if self._books is not None:
            self._books.require_new_frame(frame, "transform.from_frame")
        elif frame in self._frames:
            raise TopologyError(f"{frame!r} is already fixed to body {quoted(self._name)}", body=self._name)

    def _note_parameters(self) -> None:
        if self._books is not None:
            self._books.parameter_version += 1

    # ---------------------------------------------------------------- contact points

    @property
    def contact_points(self) -> tuple[ContactPoint, ...]:
        """Return the contact points, with locations in the default frame."""
        return tuple(self._contact_points)

    def add_contact_point(self, point: Point, model: object) -> ContactPoint:
        """Let the body touch the environment at `point`, in any frame of the body; `model` says what happens then.

        Raises FrameMismatchError if the point is in another frame.
        """
        location = self._definition(point.frame, "add_contact_point", "point") @ point
        contact = ContactPoint(location, model)
        self._contact_points.append(contact)
        self._note_parameters()
        return contact

    # ---------------------------------------------------------------- pickling and copying

    def __getstate__(self) -> dict[str, object]:
        """Leave the books out: a body pickled or copied alone is loose, a mechanism enters its bodies again."""
        return {
            "name": self._name,
            "own_frame": self._own_frame,
            "default_frame": self._default_frame,
            "inertia": self._inertia,
            "frames": self._frames,
            "contact_points": self._contact_points,
        }

    def __setstate__(self, state: dict[str, object]) -> None:
        for name, value in state.items():
            setattr(self, f"_{name}", value)
        self._books = None
        self._is_root = False


def _refuse_frame(body: RigidBody, frame: Frame, operation: str, argument: str) -> NoReturn:
    raise FrameMismatchError(
        f"{operation}: {argument}: {frame!r} is no (other) frame of body {quoted(body.name)}; it has "
        + ", ".join(repr(known) for known in body.frames[:6]),
        operation=operation,
        argument=argument,
        actual=frame,
        expected=body.frames,
    )


# -------------------------------------------------------------------- for the mechanism only


def books_of(body: RigidBody) -> Books | None:
    """Return the books of the mechanism the body belongs to."""
    return body._books


def enter(body: RigidBody, books: Books, *, root: bool = False) -> None:
    """Enter a body, with its frames, in the books of a mechanism; what is not the root gets an inertia."""
    body._books, body._is_root = books, root
    if root:
        body._inertia = None
    elif body._inertia is None:
        body._inertia = SpatialInertia.trusted(body._default_frame, zero33(), zero3(), 0.0)
    books.bodies[body.name] = body
    for frame in body._frames:
        books.enter_frame(frame, body)


def strike(body: RigidBody) -> None:
    """Strike a body, with its frames, from the books."""
    books = body._books
    if books is not None:
        del books.bodies[body.name]
        for frame in body._frames:
            books.drop_frame(frame)
    body._books, body._is_root = None, False


def leave(body: RigidBody) -> None:
    """Strike a body from the books, and give it the default frame it was made with."""
    strike(body)
    rebase(body, body._own_frame)


def definition(body: RigidBody, frame: Frame[A], operation: str, argument: str) -> Transform[A, Any]:
    """Return the transform from one of the body's frames to its default frame; raise FrameMismatchError."""
    return body._definition(frame, operation, argument)


def fix_frame(body: RigidBody, to_default: Transform) -> None:
    """Fix a frame to the body, unchecked; `to_default` maps it to the default frame."""
    body._frames[to_default.from_frame] = to_default
    if body._books is not None:
        body._books.enter_frame(to_default.from_frame, body)


def drop_frame(body: RigidBody, frame: Frame) -> None:
    """Take a frame that is not the default frame off the body."""
    del body._frames[frame]
    if body._books is not None:
        body._books.drop_frame(frame)


def rebase(body: RigidBody, frame: Frame) -> None:
    """Make another of the body's frames its default frame, and re-express everything in it."""
    if frame == body._default_frame:
        return
    change = body._frames[frame].inverse()
    body._frames = {known: change @ old for known, old in body._frames.items()}
    body._frames[frame] = Transform.identity(frame, frame)  # exactly, where the product is only nearly so
    body._contact_points = [ContactPoint(change @ point.location, point.model) for point in body._contact_points]
    if body._inertia is not None:
        body._inertia = body._inertia.transformed(change)
    body._default_frame = frame


def copied(body: RigidBody, name: str, frames: Mapping[Frame, Frame], *, massless: bool = False) -> RigidBody:
    """Return a loose copy of a body; `frames` gives the copies of its frames."""
    new = RigidBody(name)
    default = frames[body._default_frame]
    inertia = None if massless else body._inertia
    new._own_frame, new._default_frame = frames[body._own_frame], default
    new._frames = {frames[frame]: _relabelled(tf, frames[frame], default) for frame, tf in body._frames.items()}
    if inertia is not None:
        parts = inertia.moment_components, inertia.cross_part_components, inertia.mass
        new._inertia = SpatialInertia.trusted(default, *parts)
    new._contact_points = [
        ContactPoint(Point.trusted(default, p.location.xyz_components), p.model) for p in body._contact_points
    ]
    return new


def copy_frames(source: RigidBody, target: RigidBody, frames: Mapping[Frame, Frame], pose: Transform) -> None:
    """Give a body the copies of the frames and contact points of another.

    `pose` maps the source's default frame to the target's default frame.
    """
    for frame, tf in source._frames.items():
        fix_frame(target, _relabelled(pose @ tf, frames[frame], target._default_frame))
    for point in source._contact_points:
        target.add_contact_point(pose @ point.location, point.model)


def _relabelled(tf: Transform, from_frame: Frame, to_frame: Frame) -> Transform:
    return Transform.trusted(from_frame, to_frame, tf.rotation_components, tf.translation_components)
