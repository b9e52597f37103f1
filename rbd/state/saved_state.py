"""Configuration and velocity of a state at one instant, to return to."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import final

from rbd.errors import StaleStateError
from rbd.state.mechanism_state import MechanismState


@final
class SavedState:
    """Copies of the configuration and velocity of a state."""

    def __init__(self, state: MechanismState) -> None:
        """Copy q and v."""
        self._state, self.q, self.v = state, state.q.copy(), state.v.copy()

    def restore(self) -> None:
        """Set the state to the copies."""
        self._state.set_configuration(self.q)
        self._state.set_velocity(self.v)


@contextmanager
def restored_on_failure(state: MechanismState) -> Generator[None, None, None]:
    """Restore the state if an exception is raised, KeyboardInterrupt included.

    A state whose mechanism was edited meanwhile stays where it is; a note on the exception says so.
    """
    saved = SavedState(state)
    try:
        yield
    except BaseException as error:
        try:
            saved.restore()
        except StaleStateError as stale:
            error.add_note(f"the state could not be restored: {stale}")
        raise
