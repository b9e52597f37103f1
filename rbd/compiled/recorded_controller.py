"""Recorded controllers: the requirements on their inputs and outputs."""

from __future__ import annotations

from collections.abc import Sequence

from rbd.compiled.function import RecordedFunction
from rbd.errors import ArgumentError
from rbd.mechanism import Mechanism
from rbd.program.program import Port


def require_controller(control: RecordedFunction, mechanism: Mechanism) -> bool:
    """Return whether a recorded controller takes the time.

    Raises ArgumentError unless it maps q and v, and perhaps t, to the torques of `mechanism`.
    """
    q, v = (mechanism.nq,), (mechanism.nv,)
    ports = (Port("q", q), Port("v", v), Port("t", ()))
    given, results = control.program.inputs, control.program.outputs
    if given not in (ports[:2], ports) or [port.shape for port in results] != [v]:
        allowed = f"q {q}, v {v}, and perhaps t () to torques {v}"
        message = f"control maps {_listed(given)} to {_listed(results)}, must map {allowed}"
        raise ArgumentError(message, argument="control", value=control, allowed=allowed)
    return len(given) == len(ports)


def _listed(ports: Sequence[Port]) -> str:
    return ", ".join(f"{port.name} {port.shape}" for port in ports) or "nothing"
