"""Evaluates functions of a state and a collision model: recorded on live states, from source on others."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, cast, final, overload

import numpy as np

from rbd.algorithms.torques import Torques
from rbd.algorithms.trees import require_tree
from rbd.arguments import kind_error
from rbd.array_functions.evaluation import Result
from rbd.contact.arguments import float_vector
from rbd.contact.geometry.height_fields import HeightField
from rbd.contact.model.collision_model import CollisionModel
from rbd.contact.model.contact_kinematics import HEIGHT_FIELD_REACH
from rbd.errors import ArgumentError
from rbd.kinematics.queries import State
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Vector
from rbd.scalars.arrays import Array, pack
from rbd.state import MechanismState

P = ParamSpec("P")
Floats = TypeVar("Floats", covariant=True)
Scalars = TypeVar("Scalars", covariant=True)


class StateFunction(Protocol[P, Floats, Scalars]):
    """A function whose result holds floats for live states, and a scalar state's own scalars for that."""

    @overload
    def __call__(self, state: MechanismState, /, *args: P.args, **named: P.kwargs) -> Floats: ...
    @overload
    def __call__(self, state: State[Any], /, *args: P.args, **named: P.kwargs) -> Scalars: ...


@final
class typed_results(Generic[Floats, Scalars]):
    """Static types of the results of a function of a state: `floats` for live states, `scalars` for others."""

    def __init__(self, floats: type[Floats], scalars: type[Scalars]) -> None:
        """Take both kinds of result."""

    def __call__(self, function: Callable[Concatenate[State[Any], P], Any]) -> StateFunction[P, Floats, Scalars]:
        """Return the function itself."""
        return cast("StateFunction[P, Floats, Scalars]", function)


def require_model_and_state(state: object, model: object, operation: str) -> None:
    """Raise ArgumentError unless these are a collision model and a state of its mechanism."""
    if not isinstance(model, CollisionModel):
        raise kind_error(model, "CollisionModel", operation, "model")
    model.require(cast("State[Any]", state))


def require_within_reach(model: CollisionModel, distance: float, argument: str) -> None:
    """Raise ArgumentError for distances at which points above height fields are not found."""
    if distance > HEIGHT_FIELD_REACH and any(isinstance(shape, HeightField) for shape in model.shapes):
        message = (
            f"{argument} is {distance:g}, distances from height fields are exact up to {HEIGHT_FIELD_REACH:g} m only"
        )
        raise ArgumentError(message, argument=argument, value=distance, allowed=f"at most {HEIGHT_FIELD_REACH:g}")


def torque_vector(state: State[Any], torques: Torques | None) -> Vector | Array:
    """Return torques as scalars of the state, zeros for None; an array of floats for live states."""
    if torques is None:
        torques = (0.0,) * state.layout.nv
    if isinstance(state, MechanismState):
        return float_vector(torques, state.layout.nv, "torques")
    return state.vector(torques, state.layout.nv, "torques")


def evaluate(
    model: CollisionModel,
    state: State[Any],
    key: tuple[str, *tuple[Hashable, ...]],
    function: Callable[..., Mapping[str, object]],
    **arguments: Vector | Any,
) -> dict[str, Any]:
    """Return the named results of `function(state, **arguments)`; `key` identifies the function in the model's cache.

    They are arrays, and numbers where an array would have no axes. The key begins with the name of the operation; the
    state is one of the model's mechanism. Raises TopologyError for mechanisms with loops.
    """
    require_tree(state, key[0])
    if not isinstance(state, MechanismState):
        named = function(cast("ScalarState", state), **arguments)
        return {name: array_or_number(pack(value)) for name, value in named.items()}
    lengths = {name: len(value) for name, value in arguments.items()}
    recorded = model.functions.recorded(key, function, lengths)
    results = recorded(state.q, state.v, *(np.asarray(x, dtype=np.float64) for x in arguments.values()))
    names = [port.name for port in recorded.program.outputs]
    return dict(zip(names, map(array_or_number, as_tuple(results)), strict=True))


def as_tuple(result: Result) -> tuple[Any, ...]:
    """Return the arrays of a result."""
    return result if isinstance(result, tuple) else (result,)


def array_or_number(x: Any) -> Any:
    """Return an array, or the one number of an array without axes."""
    return x.item() if getattr(x, "shape", None) == () else x
