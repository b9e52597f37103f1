"""Guards of callbacks that get a state: they may not change it, and their exceptions are annotated with the time."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from rbd.errors import ArgumentError
from rbd.state.mechanism_state import MechanismState

_SIGNATURES = {
    "monitor.begin": "()",
    "monitor.observe": "(t, state, s)",
    "sink.begin": "(sizes)",
    "sink.store": "(t, q, v, s)",
}
"""Parameters of callbacks, where they are not the time and the state."""


@contextmanager
def guarded_callback(
    callback: str, t: float, state: MechanismState, *, argument: str | None = None
) -> Generator[None, None, None]:
    """Annotate exceptions of a callback with the time; raise ArgumentError if it changed q or v of the state.

    `callback` names the function called, `argument` what the user passed: the same unless given.
    """
    before = state.engine.stamp("qv")[1:]
    with annotated_with_time(callback, t):
        yield
        if state.engine.stamp("qv")[1:] != before:
            raise state_changed(callback, argument)


@contextmanager
def annotated_with_time(callback: str, t: float) -> Generator[None, None, None]:
    """Annotate exceptions of a callback with the time."""
    try:
        yield
    except BaseException as error:
        annotate(error, callback, t)
        raise


def annotate(error: BaseException, callback: str, t: float) -> None:
    """Add a note of the callback and the time to an exception."""
    error.add_note(f"raised by {callback}{_SIGNATURES.get(callback, '(t, state)')} at t = {t!r}")


def state_changed(callback: str, argument: str | None = None) -> ArgumentError:
    """Return the error of a callback that changed its state."""
    message = f"{callback} changed the state; use a MechanismState of its own for trials"
    return ArgumentError(message, argument=argument or callback, allowed="functions that leave the state alone")
