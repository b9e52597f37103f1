"""The interpreter's switch interval: short while a thread compiles in the background, then as it was."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from rbd.native import live_executable
from rbd.native.live_executable import LiveExecutable
from rbd.native.runtime.switch_interval import COMPILING_INTERVAL, short_switch_interval
from rbd.native.runtime.thread_pool import compiler_thread
from rbd.program.lazy_program import LazyProgram
from tests.background import run_here
from tests.marks import needs_forks
from tests.native import programs


@pytest.fixture(autouse=True)
def interval() -> Iterator[float]:
    """Begin with the interpreter's default; set again what there was."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.005)
    yield 0.005
    sys.setswitchinterval(before)


def test_it_is_short_inside_the_block_and_as_before_after_it() -> None:
    with short_switch_interval():
        assert sys.getswitchinterval() == pytest.approx(COMPILING_INTERVAL)
    assert sys.getswitchinterval() == pytest.approx(0.005)


def test_it_is_as_before_after_an_exception() -> None:
    with pytest.raises(ZeroDivisionError), short_switch_interval():
        _ = 1 / 0
    assert sys.getswitchinterval() == pytest.approx(0.005)


def test_what_others_set_inside_the_block_stays() -> None:
    with short_switch_interval():
        sys.setswitchinterval(0.02)
    assert sys.getswitchinterval() == pytest.approx(0.02)


def test_a_shorter_one_stays() -> None:
    sys.setswitchinterval(1e-5)
    with short_switch_interval():
        assert sys.getswitchinterval() == pytest.approx(1e-5)
    assert sys.getswitchinterval() == pytest.approx(1e-5)


def test_blocks_of_two_threads_may_overlap_in_any_order() -> None:
    first, second = short_switch_interval(), short_switch_interval()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    assert sys.getswitchinterval() == pytest.approx(0.005)


@needs_forks
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_the_interval_of_before() -> None:
    with short_switch_interval():
        process = os.fork()
        if process == 0:  # the thread that would end the block does not exist here
            os._exit(0 if abs(sys.getswitchinterval() - 0.005) < 1e-9 else 1)
        assert os.waitpid(process, 0)[1] == 0


def test_the_background_thread_compiles_with_the_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_executable, "OPERATIONS_BEFORE_COMPILING", -1)
    monkeypatch.setattr(live_executable, "OPERATIONS_BEFORE_SEARCH", -1)
    monkeypatch.setattr(compiler_thread, "submit", run_here)
    monkeypatch.setenv("RBD_CACHE", "0")
    seen = list[float]()
    live = LiveExecutable(
        LazyProgram.of(programs.random_program(8, 40, plain=True)), lambda: seen.append(sys.getswitchinterval())
    )
    live([np.array(each[0]) for each in programs.random_inputs(live.program, 1, seed=1)])
    assert seen == [pytest.approx(COMPILING_INTERVAL)]
    assert sys.getswitchinterval() == pytest.approx(0.005)
