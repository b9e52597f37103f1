"""External wrenches of recorded functions: arrays by body, in the bodies' default frames or in the root frame."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, final, get_args

import attrs
import numpy as np
from numpy.typing import ArrayLike
from typing_extensions import TypeIs

from rbd.algorithms.external_wrenches import indexed_wrenches
from rbd.arguments import require_choice
from rbd.array_functions.recording_spec import Inputs, RecordingSpec
from rbd.errors import FrameMismatchError
from rbd.indexing.layout import Layout
from rbd.mechanism import RigidBody
from rbd.scalar_states.scalar_state import ScalarState
from rbd.spatial import Wrench, same_frame

WrenchFrame = Literal["body", "root"]
WrenchArrays: TypeAlias = Mapping[RigidBody, ArrayLike | Wrench[Any]] | Mapping[str, ArrayLike | Wrench[Any]]
"""Body, or its name -> (..., 6), angular part first, about the origin of the frame; or one wrench."""


@final
@attrs.frozen
class WrenchInput:
    """An input of a recorded function: the external wrench on a body, in a frame."""

    index: int
    body: str
    frame: WrenchFrame

    @property
    def name(self) -> str:
        """The name of the input, an identifier; with the index of the body if its name is not an identifier."""
        named = re.sub(r"\W", "_", self.body)
        return f"external_wrench_on_{named}" if named == self.body else f"external_wrench_{self.index}_on_{named}"

    def wrench(self, state: ScalarState, components: Sequence[Any]) -> tuple[RigidBody, Wrench[Any]]:
        """Return the body and its wrench."""
        body = state.layout.bodies[self.index]
        frame = body.default_frame if self.frame == "body" else state.layout.root_frame
        angular, linear = tuple(components[:3]), tuple(components[3:])
        return body, Wrench.trusted(frame, angular, linear)


WrenchInputs: TypeAlias = tuple[WrenchInput, ...]


def wrench_inputs(
    layout: Layout, external: WrenchArrays, frame: WrenchFrame
) -> tuple[WrenchInputs, tuple[ArrayLike, ...]]:
    """Return the inputs of external wrenches, in the order of the bodies, and their components.

    Raises ArgumentError, UnknownNameError, and FrameMismatchError for a `Wrench` in any frame but the body's default
    frame and the root frame.
    """
    require_wrench_frame(frame)
    found = [_input_and_components(layout, index, value, frame) for index, value in indexed_wrenches(layout, external)]
    found.sort(key=lambda each: each[0].index)
    return tuple(each for each, _ in found), tuple(components for _, components in found)


def require_wrench_frame(frame: object) -> None:
    """Raise ArgumentError unless `frame` is a value of the option `wrench_frame`."""
    require_choice(frame, get_args(WrenchFrame), "wrench_frame", "wrench_frame")


def _is_wrench(value: object) -> TypeIs[Wrench[Any]]:
    return isinstance(value, Wrench)


def _input_and_components(layout: Layout, index: int, value: object, frame: WrenchFrame) -> tuple[WrenchInput, Any]:
    body = layout.bodies[index]
    if not _is_wrench(value):
        return WrenchInput(index, body.name, frame), value
    in_body_frame = same_frame(value.frame, body.default_frame)
    if not in_body_frame and not same_frame(value.frame, layout.root_frame):
        message = (
            f"the wrench on body '{body.name}' is in frame '{value.frame.name}'; compiled functions take wrenches in "
            f"the body's default frame '{body.default_frame.name}' or the root frame '{layout.root_frame.name}'"
        )
        fields = {"operation": "external wrenches", "argument": "external_wrenches"}
        raise FrameMismatchError(message, actual=value.frame, expected=body.default_frame, **fields)
    return WrenchInput(index, body.name, "body" if in_body_frame else "root"), np.array(value.vector, dtype=np.float64)


def key_with_wrenches(key: str, wrenches: WrenchInputs) -> str:
    """Return the key of a function with these wrenches."""
    where = ", ".join(f"{each.index} in {each.frame}" for each in wrenches)
    return f"{key} with wrenches on {where}" if wrenches else key


def with_wrenches(spec: RecordingSpec, wrenches: WrenchInputs) -> RecordingSpec:
    """Return a specification with these wrenches as last inputs."""
    if not wrenches:
        return spec
    inputs: Inputs = {**spec.inputs, **{each.name: "wrench" for each in wrenches}}
    return attrs.evolve(spec, function=_function_with_wrenches(spec.function, wrenches), inputs=inputs)


def _function_with_wrenches(function: Callable[..., object], wrenches: WrenchInputs) -> Callable[..., object]:
    """Return a function of a state with wrenches as inputs, passed by body."""

    def of_state(state: ScalarState, **inputs: Any) -> object:
        external = dict(each.wrench(state, inputs.pop(each.name)) for each in wrenches)
        return function(state, **inputs, external_wrenches=external)

    return of_state
