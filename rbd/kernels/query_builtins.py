"""Builtins of framed queries: machine code that returns a transform or a motion of frames fixed to bodies."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from rbd.kernels.body_fixed_frames import BodyFixedFrame
    from rbd.kernels.cached_pass import Pass

QueryTable: TypeAlias = dict[object, Callable[[], Any]]
"""Builtins of queries by the identities, or names, of what they are about."""


def no_builtin() -> Any:
    """Return NotImplemented, as a builtin that refuses does: for queries without one."""
    return NotImplemented


class QueryBuiltins(Protocol):
    """Maker of builtins for framed queries.

    Each returns None while there is no machine code, `no_builtin` if there will be none for these parameters.
    """

    def pose(self, fixed_frame: BodyFixedFrame) -> Callable[[], Any] | None:
        """Return a builtin of the transform from a body-fixed frame to the root frame."""

    def motion(self, body_motions: Pass[Any], kind: Any, index: int) -> Callable[[], Any] | None:
        """Return a builtin of a body's twist or acceleration, which are in its frame in a pass, in the root frame."""

    def relative_transform(self, start: BodyFixedFrame, end: BodyFixedFrame) -> Callable[[], Any] | None:
        """Return a builtin of the transform between two body-fixed frames."""

    def relative_twist(
        self, moving: BodyFixedFrame, fixed: BodyFixedFrame, target: BodyFixedFrame
    ) -> Callable[[], Any] | None:
        """Return a builtin of the twist of a body-fixed frame with respect to another, in a third."""
