"""Ownership of states by threads, which ends with the thread.

Machine code compares the identifier of the calling thread with a word of the state. Python gives the identifier of a
thread that has ended to later ones: so a thread that ends clears the words of the states it owns.
"""

from __future__ import annotations

import threading
from array import array
from typing import Final, final
from weakref import WeakValueDictionary


@final
class _OwnedStates:
    """The words of the states of one thread, which holds the only reference to this object."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.words = WeakValueDictionary[int, "array[int]"]()

    def __del__(self) -> None:
        for words in list(self.words.values()):
            if words[0] == self.thread:
                words[0] = 0  # no thread's identifier; globals may be gone by now


@final
class _ThreadStates(threading.local):
    def __init__(self) -> None:
        self.owned = _OwnedStates()


_states: Final = _ThreadStates()


def own(words: array[int]) -> None:
    """Make the calling thread the owner of a state: its identifier is the first of the words, until it ends."""
    words[0] = threading.get_ident()
    _states.owned.words[id(words)] = words
