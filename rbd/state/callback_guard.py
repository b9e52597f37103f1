"""Guards of callbacks that get a state: they may not change it, and their exceptions are annotated with the time."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from rbd.errors import ArgumentError
from rbd.state.mechanism_state import MechanismState


@contextmanager
def guarded_callback(callback: str, t: float, state: MechanismState) -> Generator[None, None, None]:
    """Annotate exceptions of a callback with the time; raise ArgumentError if it changed q or v of the state."""
    before = state.engine.stamp("qv")[1:]
    try:
        yield
        if state.engine.stamp("qv")[1:] != before:
            raise state_changed(callback)
    except BaseException as error:
        annotate(error, callback, t)
        raise


def annotate(error: BaseException, callback: str, t: float) -> None:
    """Add a note of the callback and the time to an exception."""
    error.add_note(f"raised by {callback}(t, state) at t = {t!r}")


def state_changed(callback: str) -> ArgumentError:
    """Return the error of a callback that changed its state."""
    message = f"{callback} changed the state; use a MechanismState of its own for trials"
    return ArgumentError(message, argument=callback, allowed="functions that leave the state alone")
