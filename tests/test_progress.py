"""Progress bars: silent unless asked for, with tqdm or without."""

from __future__ import annotations

import sys

import pytest

from rbd.progress import progress_bar


def run(enabled: bool) -> None:
    with progress_bar(5, "count", enabled) as bar:
        bar.update()
        bar.update(4)


def stop_early() -> None:
    with progress_bar(5, "count", enabled=True) as bar:
        bar.update(2)
        raise RuntimeError("stop")


def test_silent_unless_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    run(enabled=False)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("with_tqdm", [True, False])
def test_a_bar_on_the_error_stream(
    with_tqdm: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not with_tqdm:
        monkeypatch.setitem(sys.modules, "tqdm", None)
    run(enabled=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "count" in captured.err
    assert "5/5" in captured.err


@pytest.mark.parametrize("with_tqdm", [True, False])
def test_exceptions_pass_and_the_bar_ends(
    with_tqdm: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not with_tqdm:
        monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(RuntimeError, match="stop"):
        stop_early()
    assert "2/5" in capsys.readouterr().err
