"""Poses and twists of Pinocchio, called from Python."""

from __future__ import annotations

import operator
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from rbd.bench.contender import Contender, calls
from rbd.bench.values import Operation, Poses
from rbd.scalars.arrays import Array


def value_contender(poses: Poses, operation: Operation) -> Contender:
    """Return Pinocchio as a contender for an operation on values."""
    pin: Any = import_module("pinocchio")
    function, arguments = _function(pin, operation), _arguments(pin, poses, operation)
    return Contender(
        "Pinocchio", calls(function, arguments), len(arguments), lambda k: _as_array(pin, function(*arguments[k]))
    )


def _arguments(pin: Any, poses: Poses, operation: Operation) -> list[tuple[Any, ...]]:
    """Return the arguments of an operation, pose by pose."""
    pairs = list(zip(poses.rotations, poses.translations, strict=True))
    if operation is Operation.MAKE:
        return pairs
    places = [pin.SE3(*pair) for pair in pairs]
    if operation is Operation.COMPOSE:
        return list(zip(places, places[1:] + places[:1], strict=True))
    if operation is Operation.POINT:
        return [(place, pair[1]) for place, pair in zip(places, pairs, strict=True)]
    return [(pin.log6(place),) if operation is Operation.EXP else (place,) for place in places]


def _function(pin: Any, operation: Operation) -> Callable[..., Any]:
    functions: dict[Operation, Callable[..., Any]] = {
        Operation.MAKE: pin.SE3,
        Operation.COMPOSE: operator.mul,
        Operation.INVERT: pin.SE3.inverse,
        Operation.LOG: pin.log6,
        Operation.EXP: pin.exp6,
        Operation.POINT: pin.SE3.act,
        Operation.MATRIX: operator.attrgetter("homogeneous"),
    }
    return functions[operation]


def _as_array(pin: Any, result: Any) -> Array:
    """Return a result in rbd's conventions. The logarithm of a pose is a twist of its moving frame in both."""
    if isinstance(result, pin.Motion):
        return np.concatenate([result.angular, result.linear])
    return np.array(result.homogeneous if isinstance(result, pin.SE3) else result)
