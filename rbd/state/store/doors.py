"""Short ways from Python into a kernel: builtins bound to the buffers of one state.

Room: state (internal); may import mechanism and above. A door serves the plain case (the right thread, nothing edited,
float64 arrays of the right shape) without any Python in between; in every other case it answers NotImplemented, and the
algorithm goes the long way, which converts, records or raises.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from rbd import native
from rbd.mechanism import Mechanism
from rbd.mechanism.body import books_of
from rbd.scalars.arrays import Array
from rbd.scalars.program import Program
from rbd.state.interpreted import BLOCKS
from rbd.state.store.kernels import Entry

Door = Callable[..., Any]
OWNER, Q, V = 0, 1, 2
"""Places in the words of a state: the thread it belongs to, and the versions of its coordinates."""


def door_of(
    mechanism: Mechanism,
    words: array[int],
    coordinates: tuple[Array, Array],
    entry: Entry,
    outputs: tuple[Array, ...] | None = None,
    copies: tuple[tuple[Array, Array], ...] = (),
    counter: array[int] | None = None,
) -> Door | None:
    """Return a door to a compiled kernel: its free arguments in, new arrays out, or results to `outputs`."""
    books, kernel = books_of(mechanism.root_body), entry.runner.kernel
    if books is None or kernel is None:
        return None
    if outputs is None and not all(math.prod(port.shape) for port in kernel.outline.outputs):
        return None  # a matrix without rows has been recorded as (), and the algorithm alone knows its columns
    from rbd.native.bound import Binding, Word, make_bound

    binding = Binding(
        Word(words, OWNER),
        (
            (Word(books.versions, 0), books.versions[0]),
            (Word(books.versions, 1), books.versions[1]),
            (Word(BLOCKS, 0), 0),
        ),
        (*coordinates, *(None,) * entry.free, *entry.parameters),
        outputs,
        copies,
        None if counter is None else Word(counter, 0),
    )
    with suppress(MemoryError):
        return make_bound(kernel, binding)
    return None


def writing_door(mechanism: Mechanism, words: array[int], program: Program, target: Array, version: int) -> Door | None:
    """Return a door that writes an array into a buffer of a state, and counts it in the word at `version`."""
    books = books_of(mechanism.root_body)
    if books is None:
        return None
    scratch = tuple(np.zeros(port.shape) for port in program.outputs[1:])
    with suppress(MemoryError):  # none to compile: coordinates go on being written the long way
        kernel = native.compile_program(program)
        from rbd.native.bound import Binding, Word, make_bound

        guard = (Word(books.versions, 0), books.versions[0])
        binding = Binding(Word(words, OWNER), (guard,), (None,), (target, *scratch), (), Word(words, version))
        return make_bound(kernel, binding)
    return None
