"""Speed of the viewer: opening of its page, and frames a second of a robot with 36 degrees of freedom.

    python docs/measure_viewer.py             measure, and write the tables of guide/viewer.md (about two minutes)

Chromium draws in software, so numbers depend on the processor and on what else it does; the load at the beginning is in
the table. The processor time of a frame, of all processes of Chromium, depends less on it. An empty page of viser shows
what does not depend on the robot.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import viser

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import rbd
from docs.page_tables import Row, commit, put, table
from rbd.bench.machine import machine
from rbd.scalars import to_float
from rbd.viz import Viewer
from tests.viz.chromium import DrivenPage, eventually

RENDERER = "window.__viserTestpoints.rendererInfo.render"
DRAWS = "document.body.innerText.includes('{}') && window.__viserTestpoints && " + RENDERER + ".frame > 1"
PAGE = Path(__file__).resolve().parent / "guide" / "viewer.md"
REPETITIONS = 5


def main() -> None:
    """Measure, and write the page."""
    put(PAGE, {part.__name__: shown(part) for part in (versions, opening, frames)})


def shown(part: Callable[[], str]) -> str:
    """Return a table, and print it."""
    found = part()
    print(f"{part.__name__}\n{found}\n", flush=True)
    return found


def versions() -> str:
    """Return the table of what is measured, where, and how many processes wanted to run in the minute before."""
    row = (commit(), machine()["processor"], os.cpu_count() or 1, f"{os.getloadavg()[0]:.1f}")
    return table(("commit", "processor", "cores", "load"), [row])


def opening() -> str:
    """Return the table of times until a page is drawn."""
    robot, rows = rbd.robots.humanoid(), list[Row]()
    empty = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    empty.gui.add_markdown("nothing")
    rows.append(("empty", *times(f"http://127.0.0.1:{empty.get_port()}", "nothing")))
    empty.stop()
    with Viewer(robot, port=0) as viewer:
        rows.append(("humanoid", *times(viewer.url, "waist_yaw")))
    return table(("page", "opens in (s)", "least (s)"), rows)


def times(url: str, word: str) -> list[str]:
    """Return median and least time."""
    found = [navigation(url, word) for _ in range(REPETITIONS)]
    return [f"{number:.2f}" for number in (statistics.median(found), min(found))]


def navigation(url: str, word: str) -> float:
    """Return the time (s) from navigation, in a browser that has started, until a page with a word has been drawn."""
    with contextlib.closing(DrivenPage("about:blank")) as page:
        time.sleep(1.5)
        start = time.perf_counter()
        page.call("Page.navigate", url=url)
        assert eventually(lambda: page.value(DRAWS.format(word)))
        return time.perf_counter() - start


def frames() -> str:
    """Return the table of playbacks."""
    robot, layers = rbd.robots.humanoid(), ("shapes", "ground", "shadows")
    rows = [play(robot, size, layers[:count]) for size in ((800, 600), (1200, 900)) for count in (3, 2, 1)]
    rows.append(play(robot, (800, 600), layers[:2], pixel_ratio=0.5))
    heading = ("pixels", "`pixel_ratio`", "layers", "frames a second sent", "drawn", "processor time of a frame (ms)")
    return table(heading, rows)


def play(robot: rbd.Mechanism, size: tuple[int, int], layers: tuple[str, ...], pixel_ratio: float = 1.0) -> Row:
    """Return how many frames are sent and drawn, and the processor time of a drawn frame, as a row."""
    with (
        Viewer(robot, port=0, layers=layers, pixel_ratio=pixel_ratio) as viewer,
        contextlib.closing(DrivenPage(viewer.url, size)) as page,
    ):
        assert eventually(lambda: page.value(DRAWS.format("waist_yaw")))
        viewer.animate(swaying(robot))
        time.sleep(1.0)
        player = viewer._player

        def numbers() -> np.ndarray:
            clocks = time.perf_counter(), processor_time(page._browser.process_id)
            return np.array([*clocks, player.frames, page.value(RENDERER + ".frame")])

        before = numbers()
        time.sleep(4.0)
        passed, browser, sent, drawn = (numbers() - before).tolist()
        found = (f"{sent / passed:.0f}", f"{drawn / passed:.1f}", f"{1e3 * browser / drawn:.0f}")
        return (f"{size[0]} x {size[1]}", f"{pixel_ratio:g}", ", ".join(layers), *found)


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
