"""The table of mistakes at the prompt in docs/errors.md: every call raises what stands beside it."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any

import numpy as np
import pytest

import rbd
from tests.docs.examples import ROOT

PAGE = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
TABLE = PAGE.split("## Common mistakes")[1].split("\n## ")[0].split("|---|---|---|\n")[1]
ROWS = [
    tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in TABLE.splitlines() if line.startswith("|")
]


@cache
def prompt() -> dict[str, Any]:
    """Return what the calls of the table may use."""
    arm = rbd.robots.arm7()
    state, tool, world = rbd.MechanismState(arm), arm.frame("tool"), arm.root_frame
    return {
        "rbd": rbd,
        "np": np,
        "math": math,
        "arm": arm,
        "state": state,
        "robot": rbd.compile(arm),
        "tool": tool,
        "world": world,
        "X": state.transform_to_root(tool),
        "tip": rbd.Point(tool, (0, 0, 0)),
        "J": rbd.geometric_jacobian(state, "link7"),
        "push": rbd.Wrench(world, (0, 0, 0), (0, 0, 1)),
    }


def test_there_are_thirty() -> None:
    assert len(ROWS) >= 30
    assert all(len(row) == 3 for row in ROWS)


@pytest.mark.parametrize(("call", "kind", "says"), ROWS, ids=[row[0] for row in ROWS])
def test_a_mistake_is_answered_as_the_page_says(call: str, kind: str, says: str) -> None:
    q = prompt()["state"].q.copy()
    with pytest.raises(getattr(rbd.errors, kind.strip("`"))) as caught:
        eval(compile(call.strip("`"), "<prompt>", "eval"), dict(prompt()))
    pattern = ".*".join(map(re.escape, says.split("...")))
    assert re.fullmatch(pattern, str(caught.value)), str(caught.value)
    np.testing.assert_array_equal(prompt()["state"].q, q)  # nothing has changed
    error = caught.value
    assert error.__suppress_context__ or error.__context__ is None  # the traceback shows no failed look-up of rbd
