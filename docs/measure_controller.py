"""Measure the controller of the tutorial on operational-space control: live, recorded, and as C.

    python docs/measure_controller.py

The page's examples run first. Live and recorded calls take turns; each time is the median of all turns. The C function
is called from a C loop.
"""

from __future__ import annotations

import ctypes
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.docs import examples

PAGE = Path(__file__).resolve().parent / "tutorials" / "operational-space.md"
LOOP = """
double loop(const double *q, const double *v, const double *t, double *out, int count) {
    double sum = 0.0;
    for (int k = 0; k < count; k++) { tracking(q, v, t, out); sum += out[0]; }
    return sum;
}
"""


def main() -> None:
    """Run the page and print a table."""
    page: dict[str, Any] = examples.run_page(PAGE)
    control, recorded, state = page["control"], page["recorded"], page["state"]
    q, v = state.q.copy(), state.v.copy()
    calls: dict[str, tuple[Callable[[], object], int]] = {
        "live": (lambda: moved(state, q, v, control), 10),
        "recorded": (lambda: recorded(q, v, 0.5), 1000),
    }
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(200):
        for name, (call, count) in calls.items():
            times[name].append(seconds(call, count))
    for name, values in times.items():
        print(f"{name}: {1e6 * statistics.median(values):.2f} µs")
    print(f"C: {1e6 * statistics.median(c_times(recorded, page)):.2f} µs")


def moved(state: Any, q: Any, v: Any, control: Any) -> object:
    """Call the controller at a new state: nothing is cached."""
    state.set_configuration(q)
    state.set_velocity(v)
    return control(0.5, state)


def seconds(call: Callable[[], object], count: int) -> float:
    """Return the time of one of many calls."""
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def c_times(recorded: Any, page: dict[str, Any]) -> list[float]:
    """Return times of the C function in a loop."""
    with tempfile.TemporaryDirectory() as name:
        source, library = Path(name) / "tracking.c", Path(name) / "tracking.so"
        source.write_text(recorded.to_c("tracking") + LOOP)
        subprocess.run(["cc", *page["flags"], str(source), "-o", str(library), "-lm"], check=True)
        loop = ctypes.CDLL(str(library)).loop
    arrays = [ctypes.c_void_p(page[each].ctypes.data) for each in ("q", "v", "instant", "out")]
    return [seconds(lambda: loop(*arrays, 1000), 1) / 1000 for _ in range(100)]


if __name__ == "__main__":
    main()
