"""Poses of viser's nodes, set without its setters: their comparisons take most of the time of a frame."""

# The handles of nodes have no other way to send a pose, and pyright does not know their types:
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from rbd.scalars.arrays import Array

if TYPE_CHECKING:
    from viser import FrameHandle


def set_positions(nodes: Sequence[FrameHandle], positions: Array, before: Array) -> None:
    """Move the nodes whose positions (n, 3) have changed."""
    from viser._messages import SetPositionMessage

    for k in (positions != before).any(axis=1).nonzero()[0].tolist():
        node = cast("Any", nodes[k])._impl
        x, y, z = positions[k].tolist()
        node.position[:] = x, y, z
        node.api._queue_scene_message(SetPositionMessage(node.name, (x, y, z)))


def set_orientations(nodes: Sequence[FrameHandle], orientations: Array, before: Array) -> None:
    """Turn the nodes whose unit quaternions (n, 4) have changed."""
    from viser._messages import SetOrientationMessage

    for k in (orientations != before).any(axis=1).nonzero()[0].tolist():
        node = cast("Any", nodes[k])._impl
        w, x, y, z = orientations[k].tolist()
        node.wxyz[:] = w, x, y, z
        node.api._queue_scene_message(SetOrientationMessage(node.name, (w, x, y, z)))
