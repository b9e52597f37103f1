"""Evaluating a function of a state and a collision model: as machine code on live states, as it is on others.

Room: contact, internal. A body is a plain function of a scalar state and named vectors, that returns named arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeAlias, cast

import numpy as np

from rbd.compiled.evaluation import Result
from rbd.contact.model import CollisionModel
from rbd.scalars import Vector
from rbd.scalars.arrays import pack
from rbd.state import MechanismState, ScalarState, State

Body: TypeAlias = Callable[..., Mapping[str, object]]


def evaluate(
    model: CollisionModel, state: State[Any], key: Hashable, body: Body, **arguments: Vector | Any
) -> dict[str, Any]:
    """Return what `body(state, **arguments)` gives, arrays by name; `key` tells it from other bodies of the model."""
    model.require(state)
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
