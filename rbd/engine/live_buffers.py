"""Buffers of live states: coordinates, and the words that machine code reads: the owner and the versions."""

from __future__ import annotations

import threading
from array import array
from itertools import starmap
from typing import TYPE_CHECKING, Final, final

import numpy as np

from rbd.atomic_calls import consume
from rbd.engine.interpreted import INTERPRETED_CONTEXTS
from rbd.engine.ownership import own
from rbd.errors import WrongThreadError
from rbd.indexing.layout import Layout
from rbd.kernels.engine_interface import Dependencies
from rbd.mechanism import Mechanism
from rbd.mechanism.members import PARAMETERS, STRUCTURE, versions_of
from rbd.scalars import Vector
from rbd.scalars.arrays import Array

if TYPE_CHECKING:
    from rbd.native.builtins.context import Guards, StateWords, Word

OWNER: Final = 0
"""Index of the owner thread in the words of a state."""
Q: Final = 1
"""Index of the version of q."""
V: Final = 2
"""Index of the version of v."""


@final
class LiveBuffers:
    """Coordinates of a live state as float64 arrays that stay where they are, with their owner and their versions."""

    def __init__(self, mechanism: Mechanism, layout: Layout) -> None:
        """Initialise all coordinates to zero; the calling thread is the owner."""
        self.words = array("q", [0, 0, 0])
        """The owner thread and the versions of q and v, which machine code reads and writes."""
        own(self.words)
        self.versions = versions_of(mechanism)
        """The versions of the mechanism's structure and parameters, which edits increment in place."""
        self.q: Array = np.zeros(layout.nq)
        self.v: Array = np.zeros(layout.nv)
        self._scalars: dict[int, tuple[int, Vector]] = {}

    def adopt(self) -> None:
        """Make the calling thread the owner."""
        own(self.words)

    def wrong_thread(self) -> WrongThreadError:
        """Return the error of a call in another thread than the owner."""
        caller, owner = threading.get_ident(), self.words[OWNER]
        ended = "a thread that has ended, or that Python did not start and that has returned from it,"
        whose = f"thread {owner}" if owner else ended
        return WrongThreadError(
            f"this state belongs to {whose} and is used from thread {caller}; make one state per "
            "thread, or transfer it with state.adopt()",
            owner=owner,
            caller=caller,
        )

    def dependency_versions(self, dependencies: Dependencies) -> tuple[int, ...]:
        """Return the versions of the dependencies of a pass."""
        parameters, words = self.versions[PARAMETERS], self.words
        if dependencies == "parameters":
            return (parameters,)
        return (parameters, words[Q]) if dependencies == "q" else (parameters, words[Q], words[V])

    def write(self, which: int, values: Array) -> None:
        """Copy checked coordinates (Q or V) into the buffer."""
        self.words[which] += 1  # first: interrupted in between, passes compute again
        target = self.q if which == Q else self.v
        if target.size:
            target[...] = values

    def write_both(self, q: Array, v: Array) -> None:
        """Copy checked coordinates q and v into their buffers, both or none."""
        self.words[Q] += 1
        self.words[V] += 1
        writes = ((self.q, ..., q), (self.v, ..., v))
        filled = [write for write in writes if write[0].size]  # empty buffers are read-only
        consume(starmap(np.ndarray.__setitem__, filled))

    def floats(self, which: int) -> Vector:
        """Return coordinates (Q or V) as Python floats, cached per version."""
        cached, now = self._scalars.get(which), self.words[which]
        if cached is None or cached[0] != now:
            cached = self._scalars[which] = now, tuple((self.q if which == Q else self.v).tolist())
        return cached[1]

    def word(self, index: int) -> Word:
        """Return one of the words for machine code: the owner, or the version of Q or V."""
        from rbd.native.builtins.context import Word

        return Word(self.words, index)

    def all_words(self) -> StateWords:
        """Return the words for machine code: the owner, the versions of q and v."""
        from rbd.native.builtins.context import StateWords

        return StateWords(self.word(OWNER), self.word(Q), self.word(V))

    def structure_guard(self) -> Guards:
        """Return a guard that lets machine code run until the structure is edited."""
        from rbd.native.builtins.context import Word

        return ((Word(self.versions, STRUCTURE), self.versions[STRUCTURE]),)

    def guards(self) -> Guards:
        """Return guards that let machine code run until the mechanism is edited, and not in interpreted execution."""
        from rbd.native.builtins.context import Word

        parameters = Word(self.versions, PARAMETERS), self.versions[PARAMETERS]
        return (*self.structure_guard(), parameters, (Word(INTERPRETED_CONTEXTS, 0), 0))
