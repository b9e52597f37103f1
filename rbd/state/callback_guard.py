"""Guards of callbacks that get a state: they may not change it, and their exceptions are annotated with the time."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from rbd.errors import ArgumentError
from rbd.state.mechanism_state import MechanismState

_TIME_AND_STATE: Final = "t, state"
"""Parameters of most callbacks."""


@contextmanager
def guarded_callback(
    callback: str,
    t: float,
    state: MechanismState,
    *,
    argument: str | None = None,
    parameters: str = _TIME_AND_STATE,
) -> Generator[None, None, None]:
    """Annotate exceptions of a callback with the time; raise ArgumentError if it changed q or v of the state.

    `callback` names the function called, `parameters` what it takes, `argument` what the user passed: the
    same unless given.
    """
    before = _coordinate_versions(state)
    with annotated_with_time(callback, t, parameters):
        yield
        if _coordinate_versions(state) != before:
            raise changed_state_error(callback, argument)


def _coordinate_versions(state: MechanismState) -> tuple[int, ...]:
    """Return the versions of q and v, without that of the parameters, which comes first."""
    return state.engine.dependency_versions("qv")[1:]


@contextmanager
def annotated_with_time(callback: str, t: float, parameters: str = _TIME_AND_STATE) -> Generator[None, None, None]:
    """Annotate exceptions of a callback with the time."""
    try:
        yield
    except BaseException as error:
        annotate(error, callback, t, parameters)
        raise


def annotate(error: BaseException, callback: str, t: float, parameters: str = _TIME_AND_STATE) -> None:
    """Add a note of the callback and the time to an exception."""
    error.add_note(f"raised by {callback}({parameters}) at t = {t!r}")


def changed_state_error(callback: str, argument: str | None = None) -> ArgumentError:
    """Return the error of a callback that changed its state."""
    message = f"{callback} changed the state; use a MechanismState of its own for trials"
    return ArgumentError(message, argument=argument or callback, allowed="functions that leave the state alone")
