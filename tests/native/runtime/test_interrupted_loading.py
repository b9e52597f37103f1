"""Ctrl-C while machine code is loaded leaves no lock held, for which other threads would wait for ever."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from rbd import native
from tests.native import processes

_INTERRUPTED = """
import random, signal, sys
from concurrent.futures import ThreadPoolExecutor
from rbd.native.runtime import jit
from rbd.native.runtime.locks import compiler_lock

def load_for_a_while():
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, 5e-4))
        for _ in range(100):
            jit.Library(code, ("seven",))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)

def is_free():
    taken = compiler_lock().acquire(blocking=False)
    if taken:
        compiler_lock().release()
    return taken

sys.unraisablehook = lambda error: None  # LLVM's objects are freed by finalizers, which are interrupted, too
code = jit.assemble("define i32 @seven() {\\n ret i32 7\\n}\\n")
signal.signal(signal.SIGALRM, signal.default_int_handler)  # as Ctrl-C, after a time
hits, other_thread = 0, ThreadPoolExecutor(1)
while hits < int(sys.argv[1]):
    try:
        load_for_a_while()
    except KeyboardInterrupt:
        hits += 1
    assert other_thread.submit(is_free).result()
"""


@pytest.mark.skipif(not native.available(), reason="no LLVM here")
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform has no timers that interrupt")
@pytest.mark.parametrize("interrupts", [300, pytest.param(10_000, marks=pytest.mark.deep)])
def test_interrupted_loading_leaves_the_compiler_free(interrupts: int, tmp_path: Path) -> None:
    assert processes.run(_INTERRUPTED, (interrupts,), tmp_path, limit=60 + interrupts / 20) == ""


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
if when == "before compiling":
    jit.assemble("")
if when != "at exit":
    assert ended.wait(60)
"""


@pytest.mark.skipif(not native.available(), reason="no LLVM here")
@pytest.mark.parametrize("when", ["before queueing", "before compiling", "at exit"])
def test_a_lock_of_llvmlite_that_an_interrupt_left_held_is_released(when: str, tmp_path: Path) -> None:
    printed = processes.run(_LEFT_HELD, (when,), tmp_path, limit=90)
    assert printed == "compiled\n"
