"""Getting machine code ready: bars, and another thread; results never depend on it."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

import rbd
from rbd import native
from rbd.compiled import RecordedFunction
from rbd.native import worker
from rbd.native.kernel import NativeKernel

Q = np.array([0.3, -0.4])
Seen = list[tuple[float, float | None]]


@pytest.fixture(autouse=True)
def cache_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RBD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("RBD_CACHE", raising=False)
    monkeypatch.setattr(native, "sources_digest", lambda folder: "sources")


def energy() -> RecordedFunction:
    return rbd.record(lambda state: rbd.kinetic_energy(state), rbd.robots.double_pendulum())


# -- progress ---------------------------------------------------------------------------------------------------------


def test_a_robot_tells_when_it_compiles() -> None:
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


def test_nothing_is_told_when_code_was_found() -> None:
    seen: Seen = []
    rbd.compile(rbd.robots.double_pendulum()).mass_matrix(Q)
    rbd.compile(rbd.robots.double_pendulum(), progress=lambda done, total: seen.append((done, total))).mass_matrix(Q)
    assert seen == []


def test_a_recorded_function_tells_when_it_compiles() -> None:
    seen: Seen = []
    recorded = energy()
    assert recorded.compile(progress=lambda done, total: seen.append((done, total))) is recorded
    assert seen == [(1, 2), (2, 2)]
    assert float(recorded(Q, Q)) == pytest.approx(float(energy()(Q, Q)))


def test_bars_name_what_is_compiled(capsys: pytest.CaptureFixture[str]) -> None:
    rbd.compile(rbd.robots.double_pendulum(), progress=True).mass_matrix(Q)
    assert "compile mass_matrix" in capsys.readouterr().err


# -- another thread ---------------------------------------------------------------------------------------------------


class Held:
    """Makes compilers wait."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, error: Exception | None = None) -> None:
        self.may_go, self.entered, self.threads = threading.Event(), threading.Event(), list[str]()
        original = NativeKernel._made

        def library(kernel: NativeKernel, *arguments: object) -> object:
            self.threads.append(threading.current_thread().name)
            self.entered.set()
            assert self.may_go.wait(60)
            if error is not None:
                raise error
            return original(kernel, *arguments)  # type: ignore[arg-type]  # whatever was given

        monkeypatch.setattr(NativeKernel, "_made", library)


def test_calls_are_interpreted_while_another_thread_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    held, recorded = Held(monkeypatch), energy()
    with native.background():
        first = [recorded(Q, Q) for _ in range(3)]
        assert held.entered.wait(60)
        assert held.threads == ["rbd compiles"]
        assert recorded.evaluation.single_calls == 0
        held.may_go.set()
        recorded.evaluation.executable.compile()
        last = recorded(Q, Q)
    assert recorded.evaluation.single_calls == 1
    assert len({np.asarray(x).tobytes() for x in (*first, last)}) == 1
    assert held.threads == ["rbd compiles"]


def test_outside_of_the_block_calls_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    held, recorded = Held(monkeypatch), energy()
    with native.background():
        recorded(Q, Q)
        assert held.entered.wait(60)
    threading.Timer(0.1, held.may_go.set).start()
    recorded(Q, Q)
    assert recorded.evaluation.single_calls == 1
    assert held.threads == ["rbd compiles"]


def test_batches_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    held, recorded = Held(monkeypatch), energy()
    held.may_go.set()
    with native.background():
        recorded(np.tile(Q, (3, 1)), Q)
    assert held.threads == ["MainThread"]


def test_what_went_wrong_in_the_other_thread_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    held, recorded = Held(monkeypatch, MemoryError("no room")), energy()
    with native.background():
        recorded(Q, Q)
        held.may_go.set()
        done = threading.Event()
        worker.submit(done.set)
        assert done.wait(60)
        with pytest.raises(MemoryError, match="no room"):
            recorded(Q, Q)


def test_what_was_made_before_is_taken_at_once() -> None:
    energy()(Q, Q)
    recorded = energy()
    with native.background():
        recorded(Q, Q)
    assert recorded.evaluation.single_calls == 1
