"""Evaluating a function of a state and a collision model: as machine code on live states, as it is on others.

A body is a plain function of a scalar state and named vectors, that returns named arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from rbd.algorithms.trees import require_tree
from rbd.compiled.evaluation import Result
from rbd.contact.arguments import float_vector
from rbd.contact.model import CollisionModel
from rbd.scalars import Scalar, Vector
from rbd.scalars.arrays import Array, pack
from rbd.spatial.values import wrong_kind
from rbd.state import MechanismState, ScalarState, State

Body: TypeAlias = Callable[..., Mapping[str, object]]


def require_both(state: object, model: object, operation: str) -> None:
    """Raise ArgumentError unless these are a collision model and a state of its mechanism."""
    if not isinstance(model, CollisionModel):
        raise wrong_kind(model, "CollisionModel", operation, "model")
    model.require(cast("State[Any]", state))


def drive_of(state: State[Any], torques: object) -> Vector | Array:
    """Return torques as a state's numbers: an array of floats for live states. Raises errors that name `torques`."""
    if isinstance(state, MechanismState):
        return float_vector(torques, state.layout.nv, "torques")
    return state.vector(cast("Vector", torques), state.layout.nv, "torques")


def evaluate(
    model: CollisionModel,
    state: State[Any],
    key: tuple[str, *tuple[Hashable, ...]],
    body: Body,
    **arguments: Vector | Any,
) -> dict[str, Any]:
    """Return what `body(state, **arguments)` gives, arrays by name; `key` tells it from other bodies of the model.

    The key begins with the name of the operation; the state is one of the model's mechanism. Raises TopologyError for
    mechanisms with loops.
    """
    require_tree(state, key[0])
    if not isinstance(state, MechanismState):
        named = body(cast("ScalarState", state), **arguments)
        return {name: pack(value) for name, value in named.items()}
    lengths = {name: len(value) for name, value in arguments.items()}
    function = model.functions.of(key, body, lengths)
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
