"""Compilation: progress reports, background threads; results do not depend on them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rbd
from rbd import native
from rbd.array_functions.function import CALLS_BEFORE_BUILTIN
from rbd.compiled import RecordedFunction
from rbd.native import compiled_program
from rbd.native.runtime import sources
from rbd.native.runtime.thread_pool import compiler_thread

Q = np.array([0.3, -0.4])
Seen = list[tuple[float, float | None]]


@pytest.fixture(autouse=True)
def cache_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RBD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("RBD_CACHE", raising=False)
    monkeypatch.setattr(sources, "sources_digest", lambda folder: "sources")


def energy() -> RecordedFunction:
    return rbd.record(lambda state: rbd.kinetic_energy(state), rbd.robots.double_pendulum())


# -- progress ---------------------------------------------------------------------------------------------------------


def test_a_robot_reports_compilation() -> None:
    seen: Seen = []
    robot = rbd.compile(rbd.robots.double_pendulum(), progress=lambda done, total: seen.append((done, total)))
    assert seen == []
    robot.mass_matrix(Q)
    assert seen == [(1, 2), (2, 2)]
    robot.mass_matrix(Q)
    assert len(seen) == 2
    robot.mass_matrix(np.tile(Q, (3, 1)))
    assert len(seen) == 4
    robot.rollout(Q, Q, Q, 0.01, 3)
    assert len(seen) == 6


def test_a_robot_reports_compilation_after_its_methods_became_builtins() -> None:
    seen: Seen = []
    robot = rbd.compile(rbd.robots.double_pendulum(), progress=lambda done, total: seen.append((done, total)))
    for _ in range(CALLS_BEFORE_BUILTIN + 1):
        robot.inverse_dynamics(Q, Q, Q)
    assert "inverse_dynamics" in vars(robot)
    seen.clear()
    robot.inverse_dynamics(Q, Q, Q, external_wrenches={robot.mechanism.bodies[-1]: np.ones(6)})
    assert seen == [(1, 2), (2, 2)]


def test_cached_code_reports_nothing() -> None:
    seen: Seen = []
    rbd.compile(rbd.robots.double_pendulum()).mass_matrix(Q)
    rbd.compile(rbd.robots.double_pendulum(), progress=lambda done, total: seen.append((done, total))).mass_matrix(Q)
    assert seen == []


def test_a_recorded_function_reports_compilation() -> None:
    seen: Seen = []
    recorded = energy()
    assert recorded.compile(progress=lambda done, total: seen.append((done, total))) is recorded
    assert seen == [(1, 2), (2, 2)]
    assert float(recorded(Q, Q)) == pytest.approx(float(energy()(Q, Q)))


def test_progress_bars_name_the_function(capsys: pytest.CaptureFixture[str]) -> None:
    rbd.compile(rbd.robots.double_pendulum(), progress=True).mass_matrix(Q)
    assert "compile mass_matrix" in capsys.readouterr().err


def test_compile_keeps_the_reports_of_a_robot() -> None:
    seen: Seen = []
    robot = rbd.compile(rbd.robots.double_pendulum(), progress=lambda done, total: seen.append((done, total)))
    function = robot.functions("mass_matrix")["mass_matrix"].compile()
    assert seen == [(1, 2), (2, 2)]
    function(np.stack([Q, Q]))
    assert len(seen) == 4


def test_compile_reports_no_later_compilation() -> None:
    seen: Seen = []
    recorded = energy().compile(progress=lambda done, total: seen.append((done, total)))
    recorded(np.stack([Q] * 1000), np.stack([Q] * 1000))
    assert seen == [(1, 2), (2, 2)]


# -- another thread ---------------------------------------------------------------------------------------------------


class Held:
    """Makes compilers wait."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, error: Exception | None = None) -> None:
        self.may_go, self.entered, self.threads = threading.Event(), threading.Event(), list[str]()
        original = compiled_program.cached_code

        def code(key: str | None, text: Callable[[], str]) -> bytes:
            self.threads.append(threading.current_thread().name)
            self.entered.set()
            assert self.may_go.wait(60)
            if error is not None:
                raise error
            return original(key, text)

        monkeypatch.setattr(compiled_program, "cached_code", code)


def test_calls_are_interpreted_while_another_thread_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    held, recorded = Held(monkeypatch), energy()
    with native.background():
        first = [recorded(Q, Q) for _ in range(3)]
        assert held.entered.wait(60)
        assert held.threads == ["rbd-compiler"]
        assert recorded.executable.native_calls == 0
        held.may_go.set()
        recorded.executable.compile()
        last = recorded(Q, Q)
    assert recorded.executable.native_calls == 1
    assert len({np.asarray(x).tobytes() for x in (*first, last)}) == 1
    assert held.threads == ["rbd-compiler"]


def test_calls_outside_the_block_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    held, recorded = Held(monkeypatch), energy()
    with native.background():
        recorded(Q, Q)
        assert held.entered.wait(60)
    threading.Timer(0.1, held.may_go.set).start()
    recorded(Q, Q)
    assert recorded.executable.native_calls == 1
    assert held.threads == ["rbd-compiler"]


def test_batches_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    held, recorded = Held(monkeypatch), energy()
    held.may_go.set()
    with native.background():
        recorded(np.tile(Q, (3, 1)), Q)
    assert held.threads == ["MainThread"]


def test_errors_of_the_background_thread_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    held, recorded = Held(monkeypatch, MemoryError("no room")), energy()
    with native.background():
        recorded(Q, Q)
        held.may_go.set()
        done = threading.Event()
        compiler_thread.submit(done.set)
        assert done.wait(60)
        with pytest.raises(MemoryError, match="no room"):
            recorded(Q, Q)


def test_cached_machine_code_is_used_at_once() -> None:
    energy()(Q, Q)
    recorded = energy()
    with native.background():
        recorded(Q, Q)
    assert recorded.executable.native_calls == 1
