"""Motion vectors (Featherstone 2008, section 2.2): frames of twists and accelerations, and which may be added."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Self

import attrs
from typing_extensions import override

from rbd.arguments import require_kind
from rbd.spatial.frame import A, B, C, D, E, F, Frame, check_frame, require_frame, same_frame
from rbd.spatial.linalg import Vec3
from rbd.spatial.spatial_vector import SpatialVector
from rbd.spatial.values import VectorLike
from rbd.spatial.vectors import FreeVector, vec3_in_frame

_set = object.__setattr__


@attrs.frozen(eq=False, repr=False, init=False)
class MotionVector(SpatialVector, Generic[B, A, E]):
    """A twist or spatial acceleration of `body` with respect to `base`, expressed in `frame`; abstract."""

    body: Frame[B]
    base: Frame[A]
    frame: Frame[E]
    _frame_names: ClassVar[tuple[str, ...]] = ("body", "base", "frame")

    def __init__(
        self,
        body: Frame[B],
        base: Frame[A],
        frame: Frame[E],
        angular: VectorLike | FreeVector[E],
        linear: VectorLike | FreeVector[E],
    ) -> None:
        for name, value in zip(("body", "base", "frame"), checked_frames_of_motion(body, base, frame), strict=True):
            _set(self, name, value)
        operation = type(self).__name__
        _set(self, "angular_components", vec3_in_frame(angular, frame, "angular", operation))
        _set(self, "linear_components", vec3_in_frame(linear, frame, "linear", operation))

    @override
    def _with(self, angular: Vec3, linear: Vec3) -> Self:
        kind: Any = type(self)
        value: Self = kind.trusted(self.body, self.base, self.frame, angular, linear)
        return value

    @override
    def __repr__(self) -> str:
        return (
            f"{type(self).__name__} of {self.body.name!r} with respect to {self.base.name!r} in {self.frame.name!r}: "
            f"{self._numbers()}"
        )


def checked_frames_of_motion(body: Frame[C], base: Frame[D], frame: Frame[F]) -> tuple[Frame[C], Frame[D], Frame[F]]:
    """Return the three frames of a motion vector; raise ArgumentError, naming the one that is no frame."""
    return require_frame(body, "body"), require_frame(base, "base"), require_frame(frame, "frame")


def check_sum(a: MotionVector[Any, Any, Any], b: MotionVector[Any, Any, Any]) -> None:
    """Raise unless a + b is a chain (b starts where a ends) or both are of the same pair of frames."""
    kind = type(a).__name__
    operation = f"{kind} + {kind}"
    require_kind(b, type(a), operation=operation, argument="other")
    if b.frame is not a.frame:
        check_frame(b.frame, a.frame, operation=operation, argument="other.frame")
    if a.body is b.base or same_frame(a.body, b.base):
        return
    if same_frame(a.body, b.body) and same_frame(a.base, b.base):
        return
    hint = "the other order would fit" if same_frame(b.body, a.base) else ""
    check_frame(b.base, a.body, operation=operation, argument="other.base", hint=hint)


def difference_frames(a: MotionVector[Any, Any, Any], b: MotionVector[Any, Any, Any]) -> tuple[Frame[Any], Frame[Any]]:
    """Return body and base of a - b: the same pair, or the chain that is left when the common end is dropped."""
    kind = type(a).__name__
    operation = f"{kind} - {kind}"
    require_kind(b, type(a), operation=operation, argument="other")
    check_frame(b.frame, a.frame, operation=operation, argument="other.frame")
    if same_frame(a.base, b.base):
        return (a.body, a.base) if same_frame(a.body, b.body) else (a.body, b.body)
    if same_frame(a.body, b.body):
        return b.base, a.base
    hint = "the sum would fit" if same_frame(a.body, b.base) else ""
    check_frame(b.base, a.base, operation=operation, argument="other.base", hint=hint)
    raise AssertionError("unreachable: the bases differ")
