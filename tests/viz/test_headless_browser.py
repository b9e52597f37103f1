"""A browser without a window ends with the process that started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rbd.viz.browser import HeadlessBrowser, find_browser
from tests.viz import chromium
from tests.viz.chromium import DrivenPage, eventually

pytestmark = pytest.mark.skipif(find_browser() is None, reason="Chromium is not installed")

OPENS_A_BROWSER = """
import time
from pathlib import Path
from rbd.viz.browser import HeadlessBrowser
browser = HeadlessBrowser("about:blank", 200, 100)
while not Path(browser.folder, "DevToolsActivePort").exists():
    time.sleep(0.02)
print(browser.process_id, flush=True)
time.sleep(600)
"""


def is_alive(process_id: int) -> bool:
    """Return whether a process runs; one that ended and waits for its parent does not."""
    try:
        with open(f"/proc/{process_id}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="processes are looked up in /proc")
def test_a_browser_ends_with_a_process_that_is_killed() -> None:
    owner = subprocess.Popen([sys.executable, "-c", OPENS_A_BROWSER], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    browser = int(owner.stdout.readline())
    assert is_alive(browser)
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    owner.stdout.close()
    assert eventually(lambda: not is_alive(browser))


def test_close_ends_the_browser_and_removes_its_folder() -> None:
    browser = HeadlessBrowser("about:blank", 200, 100)
    assert browser.is_running
    browser.close()
    assert not browser.is_running
    assert not os.path.exists(browser.folder)


def test_a_folder_is_removed_where_the_browser_does_not_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("rbd.viz.browser.find_browser", lambda: str(tmp_path / "no\0program"))
    with pytest.raises(ValueError, match="null byte"):
        HeadlessBrowser("about:blank", 200, 100)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("method", ["_connected", "call"])
def test_a_page_that_does_not_open_leaves_no_browser(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = list[HeadlessBrowser]()

    def browser(*arguments: Any) -> HeadlessBrowser:
        made.append(HeadlessBrowser(*arguments))
        return made[-1]

    def fails(*_: Any, **__: Any) -> None:
        raise TimeoutError("the machine is busy")

    monkeypatch.setattr(chromium, "HeadlessBrowser", browser)
    monkeypatch.setattr(DrivenPage, method, fails)
    with pytest.raises(TimeoutError, match="busy"):
        DrivenPage("about:blank")
    assert [each.is_running for each in made] == [False]
