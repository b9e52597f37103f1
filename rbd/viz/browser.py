"""A browser without a window (Chromium), which draws a viewer's page for pictures."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from typing import Final, final

from rbd.errors import ViewerError

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
_OPTIONS: Final = (
    "--headless=new",
    "--use-angle=swiftshader-webgl",  # software that draws the same everywhere, used for the scene only
    "--enable-unsafe-swiftshader",
    "--hide-scrollbars",
    "--mute-audio",
    "--no-first-run",
    "--disable-extensions",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # no other computer is asked for anything
    "--remote-debugging-port=0",
)
# Chromium ends when the pipe of its file descriptor 3 is closed, as it is when this process ends, however it ends.
_ENDS_WITH_ITS_PARENT: Final = ("sh", "-c", 'exec "$0" "$@" 3<&0 4>/dev/null')


def find_browser() -> str | None:
    """Return the path of Chromium or of a browser based on it, None if there is none."""
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


def _start(program: str, options: list[str]) -> subprocess.Popen[bytes]:
    """Start a browser that ends with this process, where the system has a POSIX shell."""
    quiet = subprocess.DEVNULL
    if os.name != "posix":
        return subprocess.Popen([program, *options], stdin=quiet, stdout=quiet, stderr=quiet)
    command = [*_ENDS_WITH_ITS_PARENT, program, "--remote-debugging-pipe", *options]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet)


@final
class HeadlessBrowser:
    """A running browser with one page, whose data is in a folder of its own that is removed at the end."""

    def __init__(self, url: str, width: int, height: int, query: str = "") -> None:
        """Open the page at `url` + `query` in a window of this size (pixels); raise ViewerError without a browser."""
        program = find_browser()
        if program is None:
            message = f"there is no browser to draw with: open {url} in one, or install Chromium (apt install chromium)"
            raise ViewerError(message, url=url)
        self._size = width, height
        self.folder = tempfile.mkdtemp(prefix="rbd-browser-")
        root = ("--no-sandbox",) if hasattr(os, "geteuid") and os.geteuid() == 0 else ()
        options = [*_OPTIONS, *root, f"--user-data-dir={self.folder}", f"--window-size={width},{height}", url + query]
        try:
            self._process = _start(program, options)
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    @property
    def process_id(self) -> int:
        """The number of its process."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def holds(self, size: tuple[int, int]) -> bool:
        """Return whether a picture of this size fits into the window."""
        return size[0] <= self._size[0] and size[1] <= self._size[1]

    def close(self) -> None:
        """End it, and remove its data."""
        self._process.terminate()
        try:
            self._process.wait(timeout=10.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        shutil.rmtree(self.folder, ignore_errors=True)
