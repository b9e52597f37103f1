"""Measure the viewer: how long its page takes to open, and frames a second of a robot with 36 degrees of freedom.

    python docs/measure_viewer.py

Chromium draws in software, so numbers depend on the processor and on what else it does; the load is printed. Processor
times of a frame, of all processes of Chromium and of the viewer, depend less on it. An empty page of viser shows what
does not depend on the robot.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import sys
import time
from pathlib import Path

import numpy as np
import viser

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import rbd
from rbd.scalars import to_float
from rbd.viz import Viewer
from tests.viz.chromium import DrivenPage, eventually

RENDERER = "window.__viserTestpoints.rendererInfo.render"
DRAWS = "document.body.innerText.includes('{}') && window.__viserTestpoints && " + RENDERER + ".frame > 1"


def main() -> None:
    """Print the numbers."""
    robot, times = rbd.robots.humanoid(), {"empty page": list[float](), "humanoid": list[float]()}
    for _ in range(5):
        empty = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
        empty.gui.add_markdown("nothing")
        times["empty page"].append(opening(f"http://127.0.0.1:{empty.get_port()}", "nothing"))
        empty.stop()
        with Viewer(robot, port=0) as viewer:
            times["humanoid"].append(opening(viewer.url, "waist_yaw"))
    for name, found in times.items():
        print(f"{name} opens in {statistics.median(found):.2f} s (least {min(found):.2f} s), {load()}", flush=True)
    for size in ((800, 600), (1200, 900)):
        for layers in (("shapes", "ground", "shadows"), ("shapes", "ground"), ("shapes",)):
            play(robot, size, layers)
    play(robot, (800, 600), ("shapes", "ground"), pixel_ratio=0.5)


def load() -> str:
    """Return how many processes wanted to run in the last minute."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def opening(url: str, word: str) -> float:
    """Return the time (s) from navigation, in a browser that has started, until a page with a word has been drawn."""
    with contextlib.closing(DrivenPage("about:blank")) as page:
        time.sleep(1.5)
        start = time.perf_counter()
        page.call("Page.navigate", url=url)
        assert eventually(lambda: page.value(DRAWS.format(word)))
        return time.perf_counter() - start


def play(robot: rbd.Mechanism, size: tuple[int, int], layers: tuple[str, ...], pixel_ratio: float = 1.0) -> None:
    """Print how many frames are sent and drawn."""
    with (
        Viewer(robot, port=0, layers=layers, pixel_ratio=pixel_ratio) as viewer,
        contextlib.closing(DrivenPage(viewer.url, size)) as page,
    ):
        assert eventually(lambda: page.value(DRAWS.format("waist_yaw")))
        viewer.animate(swaying(robot))
        time.sleep(1.0)
        player = viewer._playback.player
        assert player is not None

        def numbers() -> np.ndarray:
            clocks = time.perf_counter(), processor_time(page._browser.process_id), time.process_time()
            return np.array([*clocks, player.frames, page.value(RENDERER + ".frame")])

        before = numbers()
        time.sleep(4.0)
        passed, browser, own, sent, drawn = (numbers() - before).tolist()
        shown = f"{size[0]} x {size[1]} at {pixel_ratio:g}, {' '.join(layers)}"
        rates = f"{sent / passed:.0f} frames a second sent, {drawn / passed:.1f} drawn"
        print(f"{shown}: {rates}, of {1e3 * browser / drawn:.0f} + {1e3 * own / sent:.1f} ms, {load()}", flush=True)


def processor_time(root: int) -> float:
    """Return the processor time (s) of a process and of those it has started, which live."""
    rows = dict[int, list[str]]()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            rows[int(folder.name)] = (folder / "stat").read_text().rsplit(")", 1)[1].split()
    family = {root}
    while more := {number for number, row in rows.items() if int(row[1]) in family} - family:
        family |= more
    ticks = sum(int(rows[number][11]) + int(rows[number][12]) for number in family)
    return ticks / os.sysconf("SC_CLK_TCK")


def swaying(robot: rbd.Mechanism) -> rbd.Trajectory:
    """Return a motion in place, of all joints with one coordinate."""
    state, t, rows = rbd.MechanismState(robot), np.arange(0.0, 20.0, 0.01), list[np.ndarray]()
    for x in t:
        for joint in robot.tree_joints:
            if joint.nq == 1:
                low, high = (to_float(bound) for bound in joint.position_bounds[0])
                state.set_configuration(joint, (low + high) / 2 + (high - low) / 4 * np.sin(2 * x))
        rows.append(state.q.copy())
    return rbd.Trajectory(t, np.array(rows), np.zeros((len(t), robot.nv)))


if __name__ == "__main__":
    main()
