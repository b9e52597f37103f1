"""Threads that compile the same program at the same time: it is compiled once, and lives as long as its builtins."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rbd.native import cached_code
from rbd.native.builtins.builtin import Binding, make_builtin
from rbd.native.builtins.context import Word
from rbd.native.compiled_program import CompiledProgram
from rbd.native.executable import ArrayExecutable
from rbd.native.runtime import jit, locks
from rbd.native.runtime.locks import Lock, once_under_compiler_lock
from rbd.program.lazy_program import LazyProgram
from tests.deep import share
from tests.native import programs
from tests.native.processes import run

_SHARED = """
import sys, threading
from concurrent.futures import ThreadPoolExecutor
import numpy as np, rbd

threads, what = int(sys.argv[1]), sys.argv[2]
mechanism = rbd.robots.arm7()
q = np.random.default_rng(0).standard_normal((16, mechanism.nq))
ones, own, robot = np.ones(mechanism.nv), threading.local(), rbd.compile(mechanism)


def by_state(k):
    if not hasattr(own, "state"):
        own.state = rbd.MechanismState(mechanism)
    for j in range(60):
        own.state.set_configuration(q[k])
        own.state.set_velocity(0.1 * j * q[k])
        results = rbd.mass_matrix(own.state), rbd.forward_dynamics(own.state, ones)
    return [np.array(each).tobytes() for each in results]


def by_robot(k):
    for j in range(60):
        results = robot.mass_matrix(q[k]), robot.forward_dynamics(q[k], 0.1 * j * q[k], ones)
    return [each.tobytes() for each in results]


task = {"states": by_state, "robot": by_robot}[what]
with ThreadPoolExecutor(threads) as pool:
    found = list(pool.map(task, range(16)))
assert found == [task(k) for k in range(16)]
print("same")
"""


def at_once(count: int, action: Callable[[], Any]) -> list[Any]:
    """Return what an action gives in threads that begin together."""
    barrier, found = threading.Barrier(count, timeout=20), list[Any]()

    def begin() -> None:
        barrier.wait()
        found.append(action())

    threads = [threading.Thread(target=begin) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == count
    return found


@pytest.mark.parametrize("what", ["states", "robot"])
def test_a_mechanism_is_shared_by_threads_from_the_first_call_on(what: str, tmp_path: Path) -> None:
    for _ in ("cold", "warm"):
        assert run(_SHARED, (4, what), tmp_path) == "same\n"


@pytest.mark.deep
@pytest.mark.parametrize("warm", [False, True], ids=["cold", "warm"])
@pytest.mark.parametrize("threads", [2, 4, 8])
@pytest.mark.parametrize("what", ["states", "robot"])
def test_two_hundred_processes_share_a_mechanism_among_threads(
    what: str, threads: int, warm: bool, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    count = share(200)
    for k in range(count):
        assert run(_SHARED, (threads, what), tmp_path if warm else tmp_path / str(k)) == "same\n"
    of, cache = "states" if what == "states" else "a compiled robot", "warm" if warm else "cold"
    record_property("what", f"processes in which {threads} threads make the first calls of {of}, {cache} cache")
    record_property("count", f"{count}: results bitwise equal to those of one thread")


@pytest.fixture
def compiled() -> CompiledProgram:
    return CompiledProgram(programs.random_program(5, 40))


@pytest.fixture
def slowly(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Let LLVM take long enough for all threads to come; return what is linked beside the code that programs share."""
    other = CompiledProgram(programs.random_program(6, 40))
    _ = other.compile_single(), other.compile_batch()
    linked, link = list[bytes](), jit.Library.__init__

    def late(self: jit.Library, code: bytes, *others: Any) -> None:
        time.sleep(0.05)
        linked.append(code)
        link(self, code, *others)

    monkeypatch.setattr(jit.Library, "__init__", late)
    return linked


@pytest.mark.parametrize("name", ["compile_single", "compile_batch"])
def test_the_code_of_a_program_is_made_once(compiled: CompiledProgram, slowly: list[bytes], name: str) -> None:
    assert len(set(map(id, at_once(6, getattr(compiled, name))))) == 1
    assert len(slowly) == 1


def test_code_that_is_found_does_not_replace_code_that_is_there(compiled: CompiledProgram, slowly: list[bytes]) -> None:
    assert compiled.compile_single() is not None  # now it is on disk
    other = CompiledProgram(compiled.program)
    at_once(4, other.load_single)
    before = other.compile_single()
    at_once(4, other.load_single)
    assert other.compile_single() is before
    assert len(slowly) == 2


def test_looking_for_code_does_not_wait_until_another_thread_has_made_it(
    compiled: CompiledProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, release = threading.Event(), threading.Event()

    def waits(text: str) -> bytes:
        entered.set()
        assert release.wait(20)
        return jit.assemble(text)

    monkeypatch.setattr(cached_code, "assemble", waits)
    maker = threading.Thread(target=compiled.compile_single)
    maker.start()
    assert entered.wait(20)
    assert not compiled.load_single()
    release.set()
    maker.join(20)
    assert compiled.load_single()


def test_a_program_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    make = CompiledProgram.__init__

    def late(self: CompiledProgram, *arguments: Any) -> None:
        time.sleep(0.02)
        make(self, *arguments)

    monkeypatch.setattr(CompiledProgram, "__init__", late)
    executable = ArrayExecutable(LazyProgram.of(programs.random_program(6, 40)))
    assert len(set(map(id, at_once(6, executable.compile)))) == 1


def test_what_is_made_once_is_made_once() -> None:
    made = list[object]()

    @once_under_compiler_lock
    def make() -> object:
        time.sleep(0.02)
        made.append(object())
        return made[-1]

    assert set(map(id, at_once(6, make))) == {id(made[0])}
    assert len(made) == 1


def test_a_failure_is_no_result() -> None:
    results = iter([0, 1])
    make = once_under_compiler_lock(lambda: 1 // next(results))
    with pytest.raises(ZeroDivisionError):
        make()
    assert make() == 1
    assert make() == 1


def words(compiled: CompiledProgram) -> Any:
    """Return a builtin that is bound to memory."""
    from array import array

    owner = Word(array("q", [threading.get_ident()]), 0)
    inputs = tuple(np.zeros(port.shape) for port in compiled.program.inputs)
    return make_builtin(compiled, None, Binding(owner, (), inputs))


@pytest.mark.parametrize("make", [lambda k: make_builtin(k, print), words], ids=["arguments", "bound"])
def test_a_builtin_holds_all_code_it_points_into(make: Callable[[Any], Any]) -> None:
    program = CompiledProgram(programs.random_program(5, 40))
    builtin, watch, kept = make(program), weakref.ref(program.compile_single()), weakref.ref(program)
    del program
    gc.collect()
    assert watch() is not None
    assert kept() in builtin.__self__.references  # code for rows, if it is made later, belongs to the program
    assert any(
        isinstance(each, jit.Library) for each in builtin.__self__.references
    )  # the code that all builtins share
    del builtin
    gc.collect()
    assert watch() is None


def test_a_lock_that_is_held_is_not_waited_for() -> None:
    lock = Lock()
    assert lock.try_run(lambda: 7) == 7
    with lock.inner:
        assert lock.try_run(lambda: 8) == 8  # a thread may take it again
        assert at_once(1, lambda: lock.try_run(lambda: 9)) == [None]
    with pytest.raises(ZeroDivisionError):
        lock.try_run(lambda: 1 // 0)
    assert at_once(1, lambda: lock.try_run(lambda: 9)) == [9]


def test_one_thread_at_a_time() -> None:
    inside = list[int]()

    @locks.one_at_a_time
    def enter() -> int:
        inside.append(1)
        time.sleep(0.01)
        count = len(inside)
        inside.pop()
        return count

    assert at_once(5, enter) == [1] * 5
