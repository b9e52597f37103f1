"""Measure the viewer: how long its page takes to open, and frames a second of a robot with 36 degrees of freedom.

    python docs/measure_viewer.py

Chromium draws in software: frames of the browser depend on the processor, those sent by the viewer hardly.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import rbd
from rbd.viz import Viewer
from tests.viz.chromium import DrivenPage, eventually

_COUNT = "window.n = 0; (function f() { window.n++; requestAnimationFrame(f) })()"


def main() -> None:
    """Print the numbers."""
    robot = rbd.robots.humanoid()
    trajectory = rbd.simulate(rbd.MechanismState(robot), 4.0, dt=0.01)
    start = time.perf_counter()
    with Viewer(robot, port=0) as viewer:
        print(f"server and scene: {time.perf_counter() - start:.2f} s")
        page = DrivenPage("about:blank")
        start = time.perf_counter()
        page.call("Page.navigate", url=viewer.url)
        assert eventually(lambda: page.value("document.body.innerText.includes('waist_yaw')"))
        print(f"page with its panel: {time.perf_counter() - start:.2f} s after navigation")
        page.value(_COUNT)
        start, busy, before = time.perf_counter(), time.process_time(), page.value("window.n")
        viewer.animate(trajectory).wait_for_motion()
        took = time.perf_counter() - start
        player = viewer._player
        assert player is not None
        busy = (time.process_time() - busy) / took
        print(f"frames sent: {player.frames / took:.1f} a second, with {100 * busy:.0f} % of a core")
        print(f"frames drawn by the browser: {(page.value('window.n') - before) / took:.1f} a second")
        page.close()


if __name__ == "__main__":
    main()
