"""Ctrl-C leaves no lock held, for which other threads would wait for ever."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.marks import needs_forks, needs_llvm, needs_timers
from tests.native import processes

Record = Callable[[str, object], None]
pytestmark = needs_llvm

_BEGIN = """
import os, random, signal, sys, threading, warnings
from llvmlite.binding import ffi
from rbd.native.runtime import jit, locks
from rbd.viz.player import Player
from concurrent.futures import ThreadPoolExecutor  # imports logging, whose hooks of forks are called after those of rbd

warnings.simplefilter("ignore", DeprecationWarning)  # forks of processes with threads
sys.unraisablehook = lambda error: None  # LLVM's objects are freed by finalizers, which are interrupted, too
code = jit.assemble("define i32 @seven() {\\n ret i32 7\\n}\\n")
count = int(sys.argv[1])
other_thread = ThreadPoolExecutor(1)

def load():
    jit.Library(code, ("seven",))

def fork():
    process = os.fork()
    if process == 0:
        os._exit(0)
    os.waitpid(process, 0)

def run_for_a_while(call, times):
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, 5e-4))
        for _ in range(times):
            call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)

def is_free(lock):
    taken = lock.acquire(timeout=10)
    if taken:
        lock.release()
    return taken

def is_free_for_others(lock):
    return other_thread.submit(is_free, lock).result()

def interrupt(call, times, *locks):
    signal.signal(signal.SIGALRM, signal.default_int_handler)  # as Ctrl-C, after a time
    hits = 0
    while hits < count:
        try:
            run_for_a_while(call, times)
        except KeyboardInterrupt:
            hits += 1
        for lock in locks:
            assert is_free_for_others(lock)
"""
_LOADING = _BEGIN + "interrupt(load, 10, locks.compiler_lock())"
_FORKING = (
    _BEGIN
    + """
def reap_children():
    while True:
        try:
            if not os.waitpid(-1, os.WNOHANG)[0]:
                return
        except ChildProcessError:
            return

def fork_child():
    if os.fork() == 0:
        os._exit(0)

def interrupt_forks():
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    for _ in range(count):
        try:
            run_for_a_while(fork_child, 1)
        except KeyboardInterrupt:
            pass
        reap_children()
        assert is_free_for_others(locks._compiler_lock.inner) and is_free_for_others(ffi.lib._lock._lock)

other_thread.submit(int).result()
parent = os.getpid()
try:
    interrupt_forks()
finally:
    if os.getpid() != parent:
        os._exit(0)
"""
)
_PLAYING = (
    _BEGIN
    + """
player = Player(0.0, 1.0, lambda t, playing: None, 1.0)
player.start()
interrupt(player.pause, 1000, player._lock)
player.close()
"""
)
_HANDLING = (
    _BEGIN
    + """
def handle(number, frame):
    global handled
    handled += 1
    load() if sys.argv[2] == "load" else fork()

handled = 0
signal.signal(signal.SIGALRM, handle)
while handled < count:
    run_for_a_while(load, 5)
for lock in (locks._compiler_lock.inner, ffi.lib._lock._lock):
    assert is_free_for_others(lock)
"""
)
SCRIPTS = {"in loading of machine code": _LOADING, "in pauses of a viewer's playback": _PLAYING}


@needs_timers
@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.deep)])
@pytest.mark.parametrize("what", SCRIPTS)
def test_interrupts_leave_locks_free(what: str, count: int, tmp_path: Path, record_property: Record) -> None:
    assert processes.run(SCRIPTS[what], (count,), tmp_path, limit=60 + count / 20) == ""
    record_property("what", f"`KeyboardInterrupt` by a timer, {what}")
    record_property("count", f"{count:,}: locks are free")


@needs_timers
@needs_forks
@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.deep)])
def test_interrupted_forks_leave_locks_free(count: int, tmp_path: Path, record_property: Record) -> None:
    assert processes.run(_FORKING, (count,), tmp_path, limit=60 + count / 20) == ""
    record_property("what", "`KeyboardInterrupt` by a timer, in forks")
    record_property("count", f"{count:,}: locks are free")


@needs_timers
@needs_forks
@pytest.mark.parametrize("what", ["load", "fork"])
@pytest.mark.parametrize("count", [100, pytest.param(3_000, marks=pytest.mark.deep)])
def test_signal_handlers_may_load_machine_code_and_fork(
    count: int, what: str, tmp_path: Path, record_property: Record
) -> None:
    assert processes.run(_HANDLING, (count, what), tmp_path, limit=60 + count / 10) == ""
    record_property("what", f"signal handlers that {what}, while machine code is loaded")
    record_property("count", f"{count:,} signals: no error, locks are free")


_LEFT_HELD = """
import sys, threading
from llvmlite.binding import ffi
from rbd.native.background_compilation import BackgroundCompilation
from rbd.native.runtime import jit

def compile_program():
    begun.set()
    left_held.wait()
    jit.Library(jit.assemble("define i32 @seven() {\\n ret i32 7\\n}\\n"), ("seven",))
    print("compiled", flush=True)
    ended.set()

def leave_held():
    ffi.lib._lock.__enter__()  # as an interrupt in Python code of llvmlite does
    left_held.set()

when, in_background = sys.argv[1], BackgroundCompilation()
begun, left_held, ended = threading.Event(), threading.Event(), threading.Event()
if when == "before queueing":
    leave_held()
in_background.queue(compile_program)
if when != "before queueing":
    begun.wait()
    leave_held()
if when == "before queueing again":
    in_background.queue(compile_program)
if when == "before compiling":
    jit.assemble("")
if when != "at exit":
    assert ended.wait(60)
"""


@pytest.mark.parametrize("when", ["before queueing", "before queueing again", "before compiling", "at exit"])
def test_a_lock_of_llvmlite_that_an_interrupt_left_held_is_released(when: str, tmp_path: Path) -> None:
    printed = processes.run(_LEFT_HELD, (when,), tmp_path, limit=90)
    assert printed == "compiled\n"
