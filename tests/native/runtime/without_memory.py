"""A process that runs out of address space before it compiles: run as a script, it says how it went on.

The first argument is "loaded" when the compiler has been loaded before, "bare" when not even that has room. The second
is "thread" when there is room for the stack of the thread that compiles, "none" when there is none.
"""

from __future__ import annotations

import resource
import sys
import threading
from pathlib import Path

import numpy as np

import rbd
from rbd.native.runtime.thread_pool import compiler_thread

STACK = 16 << 20
ROOMS = {"none": STACK // 2, "thread": 2 * STACK}
"""The interpreter asks for memory 1 MB at a time, and compiling for 64 MB."""
CALLS = 500


def limit(room: int | None) -> None:
    """Let this process have `room` more bytes of addresses; None for as many as there are."""
    size = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    most = resource.RLIM_INFINITY if room is None else size + room
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))


def masses(state: rbd.MechanismState) -> bytes:
    """Return the bits of many mass matrices."""
    found = list[bytes]()
    for k in range(CALLS):
        state.set_configuration(np.full(3, 0.1 * k))
        found.append(rbd.mass_matrix(state).tobytes())
    return b"".join(found)


def main(way: str, room: str) -> None:
    """Use a live state and a compiled function without memory, and then with."""
    threading.stack_size(STACK)
    state, other = (rbd.MechanismState(rbd.robots.chain(3)) for _ in range(2))
    methods = rbd.compile(rbd.robots.chain(3))
    if way == "loaded":
        from rbd.native.runtime import jit

        jit.assemble("define void @f() {\n  ret void\n}\n")
    limit(ROOMS[room])
    without = masses(state)
    with rbd.native.background():
        assert masses(rbd.MechanismState(rbd.robots.chain(3))) == without
    try:
        methods.mass_matrix(np.zeros(3))
    except rbd.errors.WorkspaceError as error:
        print(type(error).__name__)
    assert compiler_thread.has_threads == (room == "thread")
    limit(None)
    assert masses(state) == without == masses(other)
    done = threading.Event()
    compiler_thread.submit(done.set)  # the background thread has compiled what came before
    assert done.wait(60)
    print("compiled" if rbd.native.is_loaded() else "interpreted")
    assert methods.mass_matrix(np.zeros(3)).shape == (3, 3)


if __name__ == "__main__":
    main(*sys.argv[1:])
