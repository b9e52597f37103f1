"""Chromium without a window, driven through its debugging protocol over a websocket."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any

from rbd.viz.browser import HeadlessBrowser


def eventually(holds: Callable[[], object], seconds: float = 60.0) -> bool:
    """Return whether something holds within a time, which is long: the machine may be busy."""
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return bool(holds())


class DrivenPage:
    """A page in a browser of its own."""

    def __init__(self, url: str, size: tuple[int, int] = (1200, 900)) -> None:
        with ExitStack() as opened:  # closed at once if the page does not open
            self._browser = HeadlessBrowser("about:blank", *size)
            opened.callback(self._browser.close)
            self._socket, self._calls = self._connected(), 0
            opened.callback(self._socket.close)
            self.call("Page.navigate", url=url)
            self._opened = opened.pop_all()

    def _connected(self) -> Any:
        """Return a websocket of the debugging protocol."""
        told = Path(self._browser.folder) / "DevToolsActivePort"
        assert eventually(told.exists)
        assert eventually(lambda: "\n" in told.read_text())
        port = int(told.read_text().split()[0])
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=30) as answer:
            targets = [each for each in json.load(answer) if each["type"] == "page"]
        connect: Any = import_module("websockets.sync.client").connect
        return connect(targets[0]["webSocketDebuggerUrl"], max_size=None)

    def call(self, method: str, **parameters: object) -> Any:
        """Call a method of the protocol; return its result."""
        self._calls += 1
        self._socket.send(json.dumps({"id": self._calls, "method": method, "params": parameters}))
        while (answer := json.loads(self._socket.recv(timeout=120))).get("id") != self._calls:
            pass
        return answer["result"]

    def value(self, expression: str) -> Any:
        """Return the value of a JavaScript expression."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return found["result"].get("value")

    def press(self, key: str) -> None:
        """Press a key in the focused element."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=CODES[key])

    def close(self) -> None:
        """End the connection and the browser; the latter also if the former does not end."""
        self._opened.close()


CODES = {"End": 35, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39}
