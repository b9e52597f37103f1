"""Evaluating a function of a state and a collision model: as machine code on live states, as it is on others.

Room: contact, internal. A body is a plain function of a scalar state and named vectors, that returns named arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from rbd.algorithms.trees import require_tree
from rbd.compiled.evaluation import Result
from rbd.contact.model import CollisionModel
from rbd.errors import ArgumentError
from rbd.scalars import Scalar, Vector
from rbd.scalars.arrays import pack
from rbd.state import MechanismState, ScalarState, State

Body: TypeAlias = Callable[..., Mapping[str, object]]


def evaluate(
    model: CollisionModel,
    state: State[Any],
    key: tuple[str, *tuple[Hashable, ...]],
    body: Body,
    **arguments: Vector | Any,
) -> dict[str, Any]:
    """Return what `body(state, **arguments)` gives, arrays by name; `key` tells it from other bodies of the model.

    The key begins with the name of the operation. Raises TopologyError for mechanisms with loops.
    """
    model.require(state)
    require_tree(state, key[0])
    if not isinstance(state, MechanismState):
        named = body(cast("ScalarState", state), **arguments)
        return {name: pack(value) for name, value in named.items()}
    lengths = {name: len(value) for name, value in arguments.items()}
    function = model.function(key, body, lengths)
    found = function(state.q, state.v, *(np.asarray(x, dtype=np.float64) for x in arguments.values()))
    names = [port.name for port in function.program.outputs]
    return dict(zip(names, as_tuple(found), strict=True))


def as_tuple(result: Result) -> tuple[Any, ...]:
    """Return the arrays of a result."""
    return result if isinstance(result, tuple) else (result,)


def number(x: Any) -> Any:
    """Return the one number of an array without axes."""
    return x.item() if hasattr(x, "item") else x


def sums(values: Vector, owners: Sequence[int], count: int) -> Vector:
    """Return the sums of the values of each of `count` owners."""
    totals: list[Scalar] = [0] * count
    for owner, x in zip(owners, values, strict=True):
        totals[owner] = totals[owner] + x
    return tuple(totals)


# --- what arguments must be -------------------------------------------------------------------------------------------


def one_of(value: str, allowed_values: tuple[str, ...], argument: str) -> None:
    """Raise ArgumentError unless `value` is one of the allowed ones."""
    if value not in allowed_values:
        raise ArgumentError(
            f"{argument} is {value!r}, must be one of {', '.join(map(repr, allowed_values))}",
            argument=argument,
            value=value,
            allowed=allowed_values,
        )


def at_least_zero(value: float, argument: str) -> None:
    """Raise ArgumentError unless `value` is a finite number and not negative."""
    if not 0 <= value < math.inf:
        raise ArgumentError(f"{argument} is {value}, must be at least 0 and finite", argument=argument, value=value)


def positive_time(value: float, argument: str) -> None:
    """Raise ArgumentError unless `value` is a finite number above zero."""
    if not 0 < value < math.inf:
        raise ArgumentError(f"{argument} is {value}, must be positive and finite", argument=argument, value=value)
