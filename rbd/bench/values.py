"""Values with frames as contenders: operations on plain floats, without a mechanism."""

from __future__ import annotations

import operator
from collections.abc import Callable
from enum import StrEnum
from typing import Any, final

import numpy as np

import rbd
from rbd.bench.contender import RBD, Contender, calls
from rbd.bench.samples import COUNT
from rbd.scalars.arrays import Array
from rbd.testing.random_mechanisms import random_rotation


class Operation(StrEnum):
    """Operations on poses."""

    MAKE = "a pose of a matrix and a vector"
    COMPOSE = "composition of two poses"
    INVERT = "inverse of a pose"
    LOG = "logarithm of a pose"
    EXP = "exponential of a twist"
    POINT = "a point in another frame"
    MATRIX = "matrix of a pose"


@final
class Poses:
    """Random poses as arrays."""

    def __init__(self, count: int = COUNT, seed: int = 1) -> None:
        """Draw them."""
        rng = np.random.default_rng(seed)
        self.rotations = [random_rotation(rng) for _ in range(count)]
        self.translations = list(rng.standard_normal((count, 3)))

    def contender(self, operation: Operation) -> Contender:
        """Return rbd as a contender."""
        function, arguments = _function(operation), self._arguments(operation)
        return Contender(RBD, calls(function, arguments), len(arguments), lambda k: _as_array(function(*arguments[k])))

    def _arguments(self, operation: Operation) -> list[tuple[Any, ...]]:
        """Return the arguments of an operation, pose by pose."""
        a, b = rbd.Frame("a"), rbd.Frame("b")
        pairs = list(zip(self.rotations, self.translations, strict=True))
        if operation is Operation.MAKE:
            return [(a, b, rotation, translation) for rotation, translation in pairs]
        poses = [rbd.Transform(a, b, rotation, translation) for rotation, translation in pairs]
        if operation is Operation.COMPOSE:
            return [(pose, rbd.Transform(b, a, *pair)) for pose, pair in zip(poses, pairs[1:] + pairs[:1], strict=True)]
        if operation is Operation.POINT:
            return [(pose, rbd.Point(a, pair[1])) for pose, pair in zip(poses, pairs, strict=True)]
        return [(pose.log(),) if operation is Operation.EXP else (pose,) for pose in poses]


def _function(operation: Operation) -> Callable[..., Any]:
    functions: dict[Operation, Callable[..., Any]] = {
        Operation.MAKE: rbd.Transform,
        Operation.COMPOSE: rbd.Transform.__matmul__,
        Operation.INVERT: rbd.Transform.inverse,
        Operation.LOG: rbd.Transform.log,
        Operation.EXP: rbd.Twist.exp,
        Operation.POINT: rbd.Transform.__matmul__,
        Operation.MATRIX: operator.attrgetter("matrix"),
    }
    return functions[operation]


def _as_array(result: Any) -> Array:
    """Return a result as an array."""
    if isinstance(result, rbd.Twist):
        return result.vector
    array: Array = result.matrix if isinstance(result, rbd.Transform) else getattr(result, "xyz", result)
    return array
