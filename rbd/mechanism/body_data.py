"""What a rigid body consists of, and the changes only its mechanism may make."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs

from rbd.errors import FrameMismatchError, TopologyError, quoted
from rbd.mechanism.soft_contact import SoftContact
from rbd.spatial import Frame, Point, SpatialInertia, Transform
from rbd.spatial.frame import A, require_frame
from rbd.spatial.values import require_finite

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn

    from rbd.mechanism.books import Books


@final
@attrs.frozen(eq=False)
class ContactPoint:
    """A point of a body that may touch the environment, and the model of what happens then.

    `location` is in the body's default frame.

    >>> from rbd import HuntCrossley, Point, RigidBody, SoftContact
    >>> foot = RigidBody("foot")
    >>> foot.add_contact_point(Point(foot.default_frame, (0, 0, -0.1)), SoftContact(HuntCrossley.hertz())).location
    Point in 'foot': (0, 0, -0.1)
    """

    location: Point
    model: SoftContact


@final
@attrs.frozen(eq=False)
class View:
    """What a body consists of, expressed in one of its frames."""

    frame: Frame
    frames: dict[Frame, Transform]
    inertia: SpatialInertia | None
    contact_points: list[ContactPoint]


@final
@attrs.define(eq=False)
class BodyData:
    """Name, frames, inertia and contact points of a body; everything is expressed in the default frame.

    `own_frame` is the default frame the body was made with; `books` are those of the mechanism it belongs to.
    """

    name: str
    own_frame: Frame
    default_frame: Frame
    inertia: SpatialInertia | None
    frames: dict[Frame, Transform]
    contact_points: list[ContactPoint]
    books: Books | None = None
    is_root: bool = False

    @classmethod
    def new(cls, name: str, frame: Frame, inertia: SpatialInertia | None) -> BodyData:
        """Return the data of a body that has one frame."""
        return cls(name, frame, frame, inertia, {frame: Transform.identity(frame, frame)}, [])

    def definition(self, frame: Frame[A], operation: str, argument: str) -> Transform[A, Any]:
        """Return the transform from one of the body's frames to the default frame; raise FrameMismatchError."""
        found = self.frames.get(require_frame(frame, argument))
        if found is None:
            self.refuse_frame(frame, operation, argument, "not fixed to")
        return found

    def refuse_frame(self, frame: Frame, operation: str, argument: str, what: str) -> NoReturn:
        """Raise FrameMismatchError, naming the frames the body has."""
        known = ", ".join(repr(own) for own in list(self.frames)[:6])
        raise FrameMismatchError(
            f"{operation}: {argument}: {frame!r} is {what} body {quoted(self.name)}, which has {known}",
            operation=operation,
            argument=argument,
            actual=frame,
            expected=tuple(self.frames),
        )

    def require_new_frame(self, frame: Frame, argument: str) -> None:
        """Raise TopologyError if a frame is already fixed to this or another body of the mechanism."""
        if self.books is not None:
            self.books.require_new_frame(frame, argument)
        elif frame in self.frames:
            raise TopologyError(f"{argument}: {frame!r} is already fixed to body {quoted(self.name)}", body=self.name)

    def seen_from(self, frame: Frame, placement: Transform | None, argument: str) -> View:
        """Return everything expressed in a frame: one of the body's, or a new one with a placement on it.

        Raises NotFiniteError, naming `argument`, when numbers overflow there.
        """
        if frame == self.default_frame:
            return View(frame, self.frames, self.inertia, self.contact_points)
        placements = self.frames if placement is None else {**self.frames, frame: placement}
        change = require_finite(placements[frame].inverse(), argument)
        frames = {known: require_finite(change @ old, argument) for known, old in placements.items()}
        frames[frame] = Transform.identity(frame, frame)  # exactly, where the product is only nearly so
        points = [
            ContactPoint(require_finite(change @ point.location, argument), point.model)
            for point in self.contact_points
        ]
        inertia = None if self.inertia is None else require_finite(self.inertia.transformed(change), argument)
        return View(frame, frames, inertia, points)

    def note_parameters(self) -> None:
        """Note that parameters changed."""
        if self.books is not None:
            self.books.parameter_version += 1

    def note_structure(self) -> None:
        """Note that the structure changed."""
        if self.books is not None:
            self.books.structure_version += 1

    # ---------------------------------------------------------------- unchecked changes

    def fix_frame(self, to_default: Transform) -> None:
        """Fix a frame to the body; `to_default` maps it to the default frame."""
        self.frames[to_default.from_frame] = to_default
        if self.books is not None:
            self.books.enter_frame(to_default.from_frame, self.name)

    def drop_frame(self, frame: Frame) -> None:
        """Take a frame that is not the default frame off the body."""
        del self.frames[frame]
        if self.books is not None:
            self.books.drop_frame(frame)

    def rebase(self, frame: Frame) -> None:
        """Make another of the body's frames its default frame, and re-express everything in it."""
        self.take(self.seen_from(frame, None, self.name))

    def take(self, view: View) -> None:
        """Make the frame of a view the default frame, and the view what the body consists of."""
        self.default_frame, self.frames, self.inertia = view.frame, view.frames, view.inertia
        self.contact_points = view.contact_points

    def enter(self, books: Books, *, root: bool) -> None:
        """Enter the frames in the books of a mechanism; what is not the root gets an inertia."""
        self.books, self.is_root = books, root
        if root:
            self.inertia = None
        elif self.inertia is None:
            self.inertia = SpatialInertia.zero(self.default_frame)
        for frame in self.frames:
            books.enter_frame(frame, self.name)

    def strike(self) -> None:
        """Strike the body, with its frames, from the books."""
        if self.books is not None:
            del self.books.bodies[self.name]
            for frame in self.frames:
                self.books.drop_frame(frame)
        self.books, self.is_root = None, False

    def copied(self, name: str, frames: Mapping[Frame, Frame]) -> BodyData:
        """Return a loose copy; `frames` gives the copies of the frames."""
        default = frames[self.default_frame]
        inertia = None if self.inertia is None else _inertia_in(default, self.inertia)
        fixed = {frames[frame]: relabelled(tf, frames[frame], default) for frame, tf in self.frames.items()}
        points = [
            ContactPoint(Point.trusted(default, point.location.xyz_components), point.model)
            for point in self.contact_points
        ]
        return BodyData(name, frames[self.own_frame], default, inertia, fixed, points)


def relabelled(tf: Transform, from_frame: Frame, to_frame: Frame) -> Transform:
    """Return a transform of the same components between other frames."""
    return Transform.trusted(from_frame, to_frame, tf.rotation_components, tf.translation_components)


def _inertia_in(frame: Frame, inertia: SpatialInertia) -> SpatialInertia:
    return SpatialInertia.trusted(frame, inertia.moment_components, inertia.cross_part_components, inertia.mass)
