"""Data of bodies: name, frames, inertia and contact points, in the default frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs

from rbd.errors import FrameMismatchError, TopologyError, quoted
from rbd.mechanism.soft_contact import SoftContact
from rbd.spatial import Frame, Point, SpatialInertia, Transform
from rbd.spatial.frame import A, require_frame
from rbd.spatial.values import require_finite

if TYPE_CHECKING:
    from typing import Any, NoReturn

    from rbd.mechanism.registry import NameRegistry


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

    `own_frame` is the default frame the body was made with; `registry` is that of the mechanism it belongs to.
    """

    name: str
    own_frame: Frame
    default_frame: Frame
    inertia: SpatialInertia | None
    frames: dict[Frame, Transform]
    contact_points: list[ContactPoint]
    registry: NameRegistry | None = None
    is_root: bool = False

    def definition(self, frame: Frame[A], operation: str, argument: str) -> Transform[A, Any]:
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

    def expressed_in(self, frame: Frame, placement: Transform | None, argument: str) -> BodyData:
        """Return the same data with another default frame: one of the body's, or a new one with its placement.

        Raises NotFiniteError, naming `argument`, when numbers overflow there.
        """
        if frame == self.default_frame:
            return self
        placements = self.frames if placement is None else {**self.frames, frame: placement}
        change = require_finite(placements[frame].inverse(), argument)
        frames = {known: require_finite(change @ old, argument) for known, old in placements.items()}
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
