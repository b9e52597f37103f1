"""Progress reporting: off by default, with and without tqdm, callbacks and users' reporters."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest

from rbd import progress
from rbd.progress import Progress, TextBar, progress_bar

both_bars = pytest.mark.parametrize("with_tqdm", [True, False])


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


def choose(with_tqdm: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not with_tqdm:
        monkeypatch.setitem(sys.modules, "tqdm", None)


def run(progress: Any) -> None:
    with progress_bar(5, "count", progress) as bar:
        bar.update()
        bar.update(4)


def stop_early() -> None:
    with progress_bar(5, "count", progress=True) as bar:
        bar.update(2)
        raise RuntimeError("stop")


def test_no_output_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    run(progress=False)
    assert capsys.readouterr() == ("", "")


@both_bars
def test_a_bar_on_the_error_stream(
    with_tqdm: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(with_tqdm, monkeypatch)
    run(progress=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "count" in captured.err
    assert "5/5" in captured.err


@both_bars
def test_exceptions_close_the_bar(
    with_tqdm: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(with_tqdm, monkeypatch)
    with pytest.raises(RuntimeError, match="stop"):
        stop_early()
    assert "2/5" in capsys.readouterr().err


@both_bars
def test_bars_implement_the_protocol(with_tqdm: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    choose(with_tqdm, monkeypatch)
    for shown in (True, False):
        with progress_bar(None, "count", shown) as bar:
            assert isinstance(bar, Progress)
            bar.update(2)


def test_callback_is_called_for_every_step() -> None:
    heard: list[tuple[float, float | None]] = []
    run(lambda done, total: heard.append((done, total)))
    assert heard == [(1, 5), (5, 5)]


def test_a_users_progress_is_used_as_it_is() -> None:
    mine = TextBar(5, "mine")
    assert progress_bar(5, "count", mine) is mine


def test_at_most_ten_lines_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, terminal = Clock(), Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "time", clock)
    bar = TextBar(1000, "count")
    for _ in range(1000):
        bar.update()
        clock.now += 0.001
    drawn = terminal.getvalue().count("\r")
    assert 5 <= drawn <= 11
    bar.close()
    bar.close()
    assert terminal.getvalue().endswith("count: 100% [" + "#" * 30 + "] 1000/1000\n")
    assert terminal.getvalue().count("\n") == 1


def test_without_a_terminal_only_the_last_line_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    with TextBar(4, "count") as bar:
        for _ in range(2):
            bar.update()
    assert capsys.readouterr().err == "count:  50% [" + "#" * 15 + " " * 15 + "] 2/4\n"


def test_without_a_total_the_steps_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    with TextBar(None, "count") as bar:
        bar.update(2.5)
    assert capsys.readouterr().err == "count: 2.5\n"


def test_a_closed_error_stream_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    bar = TextBar(2, "count")
    bar.update()
    before = stream.getvalue()
    monkeypatch.setattr(stream, "write", _broken)
    bar.update()
    bar.close()
    assert stream.getvalue() == before


def _broken(text: str) -> int:
    raise OSError("broken pipe")


class Broken(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


@both_bars
@pytest.mark.parametrize("stream", [None, Broken()])
def test_a_standard_error_that_is_missing_or_full_does_not_interrupt_the_work(
    with_tqdm: bool, stream: io.StringIO | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(with_tqdm, monkeypatch)
    monkeypatch.setattr(sys, "stderr", stream)
    run(progress=True)


def test_lines_that_tqdm_writes_do_not_run_into_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    tqdm = pytest.importorskip("tqdm")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(sys, "stdout", terminal)
    with progress_bar(5, "count", progress=True) as bar:
        bar.update()
        tqdm.tqdm.write("hello")
    assert "\rhello\n" in terminal.getvalue()
