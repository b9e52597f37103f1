"""Sites of the MJCF file that is written, and the frames of its bodies, in which they are placed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

from rbd.errors import ArgumentError, quoted
from rbd.files.names import claim_name
from rbd.files.pose import Pose, pose_of
from rbd.mechanism import Mechanism, RigidBody
from rbd.mjcf.write_elements import site_line
from rbd.spatial import Frame


@final
class SitesWriter:
    """Sites by body, with names that differ from those of bodies."""

    def __init__(self, mechanism: Mechanism) -> None:
        """Begin without sites."""
        self._sites: dict[RigidBody, list[tuple[str, Pose]]] = {body: [] for body in mechanism.bodies}
        self._names = {body.name for body in mechanism.bodies}

    def keep(self, body: RigidBody, frame: Frame, name: str) -> None:
        """Add the site of a frame; raise ArgumentError if its name is taken. The frame of a body needs none."""
        if frame is file_frame(body):
            return
        if name in self._names:
            message = f"frame {quoted(name)} has the name of a body or of another site"
            raise ArgumentError(message, argument="frames", value=name)
        self._names.add(name)
        self._sites[body].append((name, file_pose(body, frame)))

    def add(self, body: RigidBody, pose: Pose, name: str) -> str:
        """Add a site; return its name, which is new: `name` if that is free."""
        new_name = claim_name(name, self._names)
        self._sites[body].append((new_name, pose))
        return new_name

    def has(self, body: RigidBody) -> bool:
        """Return whether a body has sites."""
        return bool(self._sites[body])

    def lines(self, body: RigidBody) -> Iterator[str]:
        """Yield the lines of the sites of a body."""
        return (site_line(*site) for site in self._sites[body])


def file_frame(body: RigidBody) -> Frame:
    """Return the frame that a body has in the file: the one of its name, or else its default frame."""
    return next((frame for frame in body.frames if frame.name == body.name), body.default_frame)


def file_pose(body: RigidBody, frame: Frame) -> Pose:
    """Return the pose of a frame in the frame that its body has in the file."""
    return pose_of(body.fixed_transform(frame, file_frame(body)))
