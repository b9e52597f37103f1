"""Recorded controllers: the requirements on their inputs and outputs, and their replay in other recordings."""

from __future__ import annotations

from collections.abc import Sequence

from rbd.array_functions.function import RecordedFunction
from rbd.errors import ArgumentError
from rbd.mechanism import Mechanism
from rbd.program.ports import Port
from rbd.program.replay import replay
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Scalar, Vector


def require_controller(control: RecordedFunction, mechanism: Mechanism, *, action: bool = False) -> None:
    """Raise ArgumentError unless a recorded controller maps q and v, and perhaps t, to the torques of `mechanism`.

    With `action` it may have an input of this name, too, of any shape.
    """
    q, v = (mechanism.nq,), (mechanism.nv,)
    inputs, outputs = control.program.inputs, control.program.outputs
    free = {"t", "action"} if action else {"t"}
    others = {port.name: port.shape for port in inputs[2:]}
    fits = inputs[:2] == (Port("q", q), Port("v", v)) and set(others) <= free and others.get("t", ()) == ()
    if not fits or [port.shape for port in outputs] != [v]:
        allowed = f"q {q}, v {v}, and perhaps t (){' and an action' if action else ''} to torques {v}"
        message = f"control maps {_listed(inputs)} to {_listed(outputs)}, must map {allowed}"
        raise ArgumentError(message, argument="control", value=control, allowed=allowed)


def takes_time(control: RecordedFunction) -> bool:
    """Return whether a recorded controller has the time as an input."""
    return any(port.name == "t" for port in control.program.inputs)


def replayed_controller(function: RecordedFunction, state: ScalarState, t: Scalar, action: Vector = ()) -> Vector:
    """Return the output of a recorded function of q, v, and perhaps t and an action."""
    known = {"q": state.configuration_scalars(), "v": state.velocity_scalars(), "t": (t,), "action": action}
    return tuple(replay(function.program, [x for port in function.program.inputs for x in known[port.name]]))


def _listed(ports: Sequence[Port]) -> str:
    return ", ".join(f"{port.name} {port.shape}" for port in ports) or "nothing"
