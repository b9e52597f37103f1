"""Arithmetic of transforms and motions on numbers in memory: the readable source, translated to machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

from rbd.spatial import Frame, Transform
from rbd.spatial.linalg import transform_motion

if TYPE_CHECKING:
    from rbd.native.runtime.jit import Library

_POSE: Final = 12
"""Numbers of a pose: the rows of the rotation, then the translation."""
_MOTION: Final = 6
_FRAME: Final = Frame[Any]("symbolic")


def _as_pose(x: Sequence[Any]) -> Transform[Any, Any]:
    rotation = (tuple(x[:3]), tuple(x[3:6]), tuple(x[6:9]))
    return Transform.trusted(_FRAME, _FRAME, cast("Any", rotation), cast("Any", tuple(x[9:])))


def _numbers_of(tf: Transform[Any, Any]) -> Sequence[Any]:
    (a, b, c), p = tf.components
    return (*a, *b, *c, *p)


def _moved(a: Sequence[Any], b: Sequence[Any]) -> Sequence[Any]:
    tf = _as_pose(a)
    angular, linear = transform_motion(tf.rotation_components, tf.translation_components, cast("Any", (b[:3], b[3:])))
    return (*angular, *linear)


ARITHMETIC: Final[Mapping[str, Callable[[Sequence[Any], Sequence[Any]], Sequence[Any]]]] = {
    "compose": lambda a, b: _numbers_of(_as_pose(a) @ _as_pose(b)),
    "invert": lambda a, _: _numbers_of(_as_pose(a).inverse()),
    "move": _moved,
    "subtract": lambda a, b: [x - y for x, y in zip(a, b, strict=True)],
}
"""The readable source on numbers, by name."""


@cache
def arithmetic_code() -> Library:
    """Return the arithmetic of transforms as machine code."""
    from rbd.native.builtins.arithmetic_ir import arithmetic_function, arithmetic_library

    motions = _MOTION, _MOTION
    sizes = {"compose": (_POSE, _POSE), "invert": (_POSE, 0), "move": (_POSE, _MOTION), "subtract": motions}
    texts = [arithmetic_function(name, function, *sizes[name]) for name, function in ARITHMETIC.items()]
    return arithmetic_library(texts, tuple(ARITHMETIC))
