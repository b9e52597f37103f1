"""Recordings: garbage collection is paused meanwhile and restored afterwards; the nodes are freed."""

from __future__ import annotations

import ast
import gc
import os
import threading
from collections.abc import Callable, Generator, Sequence
from typing import Any

import pytest

import rbd
from rbd.errors import RecordingError
from rbd.program.differentiate import derivative
from rbd.program.nodes import GraphNode
from rbd.program.program import Program
from rbd.program.recording import recording
from rbd.recorder.record_program import record_program
from tests import architecture as rules
from tests.marks import needs_forks
from tests.mechanism.interrupts import count_lines, raise_at


@pytest.fixture(autouse=True)
def collecting() -> Generator[None]:
    thresholds = gc.get_threshold()
    gc.enable()
    yield
    assert gc.get_threshold() == thresholds
    gc.enable()


def collects() -> bool:
    return gc.isenabled() and gc.get_threshold()[0] > 0


def recorded(function: Callable[..., Any]) -> Program:
    mechanism = rbd.robots.double_pendulum()
    return record_program(function, mechanism, "function", lambda graph: ((), {}), lambda result: {"result": result})


def test_collection_pauses_while_recording_and_resumes() -> None:
    seen: list[bool] = []
    recorded(lambda state: seen.append(collects()) or 1.0)
    assert seen == [False]
    assert collects()


def test_collection_resumes_after_an_error() -> None:
    with pytest.raises(RecordingError):
        recorded(lambda state: float(state.configuration_scalars()[0]))
    assert collects()


def test_collection_pauses_while_derivatives_are_recorded() -> None:
    program, seen = recorded(lambda state: state.configuration_scalars()[0] ** 2), list[bool]()

    def directions(entries: Sequence[Any]) -> tuple[tuple[int, ...], ...]:
        seen.append(collects())
        return ((1,), (0,))

    slope = derivative(program, "result", "q", directions=directions)
    assert seen == [False]
    assert collects()
    assert slope.interpret(q=[3.0, 0.0], v=[0.0, 0.0])["d_result_d_q"].tolist() == [6.0]


def test_nothing_recorded_is_left_to_the_collector() -> None:
    gc.collect()
    gc.disable()
    before = nodes()
    program = recorded(rbd.kinetic_energy)
    _ = derivative(program, "result", "q", mode="forward"), derivative(program, "result", "v", sparse=True)
    assert nodes() == before


def test_failed_recordings_leave_nothing_to_the_collector() -> None:
    gc.collect()
    gc.disable()
    before = nodes()

    def failing(state: Any) -> None:
        _ = [x * x for x in state.configuration_scalars()]
        raise KeyError

    with pytest.raises(KeyError):
        recorded(failing)
    assert nodes() == before


def test_graphs_are_made_by_recordings_alone() -> None:
    makers = {
        rules.name_of(path)
        for path in rules.modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "Graph"
    }
    assert makers == {"rbd/program/recording.py"}


def nodes() -> int:
    return sum(isinstance(thing, GraphNode) for thing in gc.get_objects())


def test_disabled_collection_stays_disabled() -> None:
    gc.disable()
    recorded(lambda state: 1.0)
    assert not gc.isenabled()


def test_users_may_disable_collection_while_another_thread_records() -> None:
    begun, done = threading.Event(), threading.Event()
    thread = threading.Thread(target=recorded, args=(lambda state: (begun.set(), done.wait(60)) and 1.0,))
    thread.start()
    assert begun.wait(60)
    was_enabled = gc.isenabled()
    gc.disable()
    done.set()
    thread.join()
    assert was_enabled
    assert not gc.isenabled()


def test_recordings_that_overlap_in_time_resume_collection_at_the_end() -> None:
    events = [threading.Event() for _ in range(4)]

    def record(begun: threading.Event, done: threading.Event) -> None:
        recorded(lambda state: (begun.set(), done.wait(60)) and 1.0)

    threads = [threading.Thread(target=record, args=events[k : k + 2]) for k in (0, 2)]
    seen = list[bool]()
    for thread, begun in zip(threads, events[::2], strict=True):
        thread.start()
        assert begun.wait(60)
    for thread, done in zip(threads, events[1::2], strict=True):
        seen.append(collects())
        done.set()
        thread.join()
    assert seen == [False, False]
    assert collects()


def test_thresholds_that_are_set_during_a_recording_stay() -> None:
    before = gc.get_threshold()
    try:
        recorded(lambda state: gc.set_threshold(123) or 1.0)
        assert gc.get_threshold()[0] == 123
    finally:
        gc.set_threshold(*before)


def test_nested_recordings_resume_collection_once() -> None:
    seen: list[bool] = []
    recorded(lambda state: (recorded(lambda inner: 1.0) and seen.append(collects())) or 1.0)
    assert seen == [False]
    assert collects()


@needs_forks
def test_collection_resumes_in_children_forked_during_recordings() -> None:
    begun, done = threading.Event(), threading.Event()
    thread = threading.Thread(target=recorded, args=(lambda state: (begun.set(), done.wait(60)) and 1.0,))
    thread.start()
    assert begun.wait(60)
    child = os.fork()
    if not child:
        os._exit(0 if collects() else 1)
    done.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
    assert collects()


def test_an_interrupt_at_any_line_leaves_collection_on() -> None:
    def open_and_close() -> None:
        with recording():
            pass

    lines = count_lines(open_and_close)
    assert lines > 20
    for line in range(1, lines + 1):
        raise_at(line, KeyboardInterrupt, open_and_close)
        assert collects(), line
        recorded(lambda state: 1.0)
        assert collects(), line
