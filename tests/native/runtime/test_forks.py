"""Processes forked while other threads compile: the child compiles, too, and waits for nobody who is not there."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from rbd import native
from rbd.errors import RbdError
from rbd.native import InterpretedWarning, background, cached_code, live_executable
from rbd.native.compiled_program import CompiledProgram
from rbd.native.executable import ArrayExecutable
from rbd.native.live_executable import LiveExecutable
from rbd.native.runtime import jit, locks
from rbd.native.runtime.locks import Lock
from rbd.program.lazy_program import LazyProgram
from tests.marks import needs_forks
from tests.native import programs
from tests.native.processes import run

pytestmark = [
    needs_forks,
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),  # that is what is tested
]

_COMPILING = """
import os, sys, threading, time
import numpy as np, rbd

mechanism, other = rbd.robots.arm7(), rbd.robots.double_pendulum()
q, ending = 0.3 * np.ones(7), threading.Event()


def compile_once():
    robot = rbd.compile(mechanism)
    robot.mass_matrix(q), robot.forward_dynamics(q[None], q, q)


def compile_again_and_again():
    while not ending.is_set():
        compile_once()


def child(k):
    robot, mine = rbd.compile(mechanism), rbd.compile(other)
    robot.mass_matrix(q), robot.inverse_dynamics(q, q, q), mine.mass_matrix(q[:2]), mine.mass_matrix(q[None, :2])
    state = rbd.MechanismState(mechanism)
    for _ in range(40 if k % 4 == 0 else 0):
        state.set_configuration(q)
        rbd.mass_matrix(state)


compile_once()  # imports: Python's lock of a module stays locked in a process that is forked amid its import
threads = [threading.Thread(target=compile_again_and_again) for _ in range(2)]
for thread in threads:
    thread.start()
for k in range(int(sys.argv[1])):
    time.sleep(0.007 * (k % 30))
    process = os.fork()
    if process == 0:
        try:
            child(k)
        except BaseException:
            os._exit(1)
        os._exit(0)
    deadline = time.monotonic() + 60
    while (ended := os.waitpid(process, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
        time.sleep(0.002)
    if ended != (process, 0):
        print("child", k, "hangs" if ended == (0, 0) else f"ended with {ended[1]}")
        os._exit(2)
ending.set()
for thread in threads:
    thread.join()
print("done")
"""


@pytest.mark.parametrize("forks", [4, pytest.param(200, marks=pytest.mark.deep)])
def test_children_of_forks_amid_compilation_compile(
    forks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RBD_CACHE", "0")  # so that there is always something to compile
    assert run(_COMPILING, (forks,), tmp_path, limit=60 + 10 * forks) == "done\n"


def in_child(action: Callable[[], bool]) -> bool:
    """Return what an action says in a forked process, within half a minute."""
    process = os.fork()
    if process == 0:
        code = 1
        try:
            code = 0 if action() else 2
        finally:
            os._exit(code)
    deadline = time.monotonic() + 30
    while (ended := os.waitpid(process, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
        time.sleep(0.01)
    if ended == (0, 0):
        os.kill(process, 9)
        os.waitpid(process, 0)
    assert ended in {(process, 0), (process, 2 << 8)}, "hangs" if ended == (0, 0) else ended
    return ended[1] == 0


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Callable[[], object]], None]]:
    """Return what begins an action in a thread that stops where it would call LLVM, until the test ends."""
    reached, release, threads = threading.Event(), threading.Event(), list[threading.Thread]()
    parent, assemble = os.getpid(), jit.assemble

    def stopped(text: str) -> bytes:
        if os.getpid() == parent:
            reached.set()
            assert release.wait(60)
        return assemble(text)

    def begin(action: Callable[[], object]) -> None:
        threads.append(threading.Thread(target=action))
        threads[-1].start()
        assert reached.wait(20)

    monkeypatch.setattr(cached_code, "assemble", stopped)
    yield begin
    release.set()
    for thread in threads:
        thread.join(20)


Held = Callable[[Callable[[], object]], None]


def test_a_lock_another_thread_holds_is_free_in_the_child() -> None:
    lock, taken, release = Lock(), threading.Event(), threading.Event()

    def hold() -> None:
        with lock.inner:
            taken.set()
            release.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    assert taken.wait(20)
    try:
        assert in_child(lambda: bool(lock.try_run(lambda: True)))
        assert lock.try_run(lambda: True) is None
    finally:
        release.set()
        holder.join(20)


def test_a_lock_the_forking_thread_holds_stays_its_own() -> None:
    lock = Lock()
    with lock.inner:
        inner = lock.inner
        assert in_child(lambda: lock.inner is inner)


def test_a_child_makes_the_code_that_another_thread_was_at(held: Held) -> None:
    it = CompiledProgram(programs.random_program(7, 40))
    held(it.compile_single)
    assert in_child(lambda: it.compile_single().address("single") > 0)


def test_a_child_runs_what_another_thread_was_compiling(held: Held) -> None:
    program = programs.random_program(8, 40, plain=True)
    live, inputs = LiveExecutable(LazyProgram.of(program)), programs.random_inputs(program, 1, seed=1)
    rows = [np.array(each[0]) for each in inputs]
    held(live.compile)
    assert in_child(lambda: live.compile() is not None and live(rows) is not None)


def until(found: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not found() and time.monotonic() < deadline:
        time.sleep(0.01)
    return found()


def test_a_child_compiles_in_the_background_itself(held: Held, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPERATIONS_BEFORE_COMPILING", "OPERATIONS_BEFORE_SEARCH"):
        monkeypatch.setattr(live_executable, name, -1)
    program = programs.random_program(9, 40, plain=True)
    live, rows = (
        LiveExecutable(LazyProgram.of(program)),
        [np.array(each[0]) for each in programs.random_inputs(program, 1, seed=1)],
    )

    def call() -> bool:
        live(rows)
        return live.machine_code is not None

    held(call)
    assert in_child(lambda: until(call))


def test_a_child_prepares_in_the_background_itself(held: Held) -> None:
    of_arrays = ArrayExecutable(LazyProgram.of(programs.random_program(10, 40)))

    def ask() -> bool:
        with background():
            return of_arrays.code_for_call() is not None

    held(ask)
    assert in_child(lambda: until(ask))
    assert in_child(lambda: of_arrays.compile() is not None)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fork while another thread is in the compiler for longer than a fork waits."""
    monkeypatch.setattr(locks, "FORK_TIMEOUT", 0.01)
    native._load()  # needs the compiler's lock
    taken, release = threading.Event(), threading.Event()

    def hold() -> None:
        with locks.compiler_lock():
            taken.set()
            release.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    assert taken.wait(20)
    yield
    release.set()
    holder.join(20)


def test_a_child_of_a_fork_that_could_not_wait_interprets(hasty: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_executable, "OPERATIONS_BEFORE_COMPILING", -1)
    monkeypatch.setattr(live_executable, "OPERATIONS_BEFORE_SEARCH", -1)
    program = programs.random_program(11, 40, plain=True)
    live, rows = (
        LiveExecutable(LazyProgram.of(program)),
        [np.array(each[0]) for each in programs.random_inputs(program, 1, seed=1)],
    )

    def child() -> bool:
        with pytest.warns(InterpretedWarning, match="forked while another thread compiled"):
            results = [live(rows) for _ in range(4)]
        with pytest.raises(RbdError, match="forked"):
            jit.assemble("")
        return live.machine_code is None and not native.available() and all(each is not None for each in results)

    assert in_child(child)
    assert native.available()


def test_two_threads_may_fork_at_once() -> None:
    found = list[bool]()
    threads = [threading.Thread(target=lambda: found.append(in_child(native.available))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [True, True]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_child_of_a_fork_whose_waiting_was_interrupted_does_not_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python forks all the same when Ctrl-C strikes in the handler that waits for the compiler."""

    def interrupted(lock: object, releases: object, deadline: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(locks, "_acquire", interrupted)
    assert in_child(lambda: not native.available())
    assert native.available()


_HOOKED = """
import os, threading
hooks = []
os.register_at_fork(before=lambda: [hook() for hook in hooks])  # called after those of rbd
from rbd.native.runtime import jit, locks

jit.assemble("")
hooks.append(lambda: jit.assemble(""))
process = os.fork()
if process == 0:
    jit.assemble("")
    os._exit(locks.compiler_unusable())
assert os.waitpid(process, 0) == (process, 0)
held, release = threading.Event(), threading.Event()

def hold():
    with locks.compiler_lock():
        held.set()
        release.wait(60)

hooks[:], locks.FORK_TIMEOUT = [locks.compiler_lock], 0.01
threading.Thread(target=hold).start()
held.wait()
process = os.fork()
if process == 0:
    os._exit(3 if locks.compiler_unusable() else 0)
release.set()
assert os.waitpid(process, 0) == (process, 3 << 8)
"""


def test_other_hooks_may_use_the_compiler(tmp_path: Path) -> None:
    assert run(_HOOKED, (), tmp_path) == ""


_NESTED = """
import os, sys
hooks = []
os.register_at_fork(before=lambda: [hook() for hook in hooks])  # called after those of rbd
from rbd.native.runtime import jit, locks
from llvmlite.binding import ffi

def fork():
    process = os.fork()
    if process == 0:
        try:
            jit.assemble("")
        finally:
            os._exit(locks.compiler_unusable())
    assert os.waitpid(process, 0) == (process, 0)

def fork_once():
    hooks.clear()
    fork()

jit.assemble("")
hooks.append(fork_once)
fork()
for lock in (locks._compiler_lock.inner, ffi.lib._lock._lock):
    assert not lock._is_owned()
"""


def test_a_fork_inside_a_hook_of_a_fork_releases_its_locks_only(tmp_path: Path) -> None:
    assert run(_NESTED, (), tmp_path) == ""
