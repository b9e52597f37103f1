"""The page with a robot to push computes, in Chromium, the bits of the interpreter."""

from __future__ import annotations

import html
import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.browser import dumped, needs_chromium
from tests.docs.examples import ROOT
from tests.export.node import words

STEPS = 5
DRAGGED = """\
<!doctype html><body><iframe src="push.html" width="760" height="460"></iframe><script>
const page = document.querySelector("iframe");
page.addEventListener("load", async () => {
  const inside = page.contentWindow, canvas = inside.document.getElementById("view");
  canvas.setPointerCapture = () => {};
  const send = (name, x, y) => canvas.dispatchEvent(
    new inside.PointerEvent(name, { clientX: x, clientY: y, pointerId: 1, bubbles: true }));
  inside.requestAnimationFrame = () => 0;
  let time = 1e6;
  const frames = (count) => { for (let k = 0; k < count; ++k) inside.frame(time += 16); };
  while (!inside.document.body.dataset.ready) await new Promise((done) => setTimeout(done, 20));
  frames(60);
  const heights = [inside.eval("now.q[6]")];
  frames(20);
  heights.push(inside.eval("now.q[6]"));
  send("pointerdown", 380, 150);
  send("pointermove", 380, 20);
  frames(20);
  heights.push(inside.eval("now.q[6]"));
  document.body.dataset.force = inside.document.getElementById("said").textContent;
  send("pointerup", 380, 20);
  document.body.dataset.heights = JSON.stringify(heights);
});
</script></body>
"""
"""A page around the page, which drags the robot upwards, in frames of 16 ms."""


@pytest.fixture(scope="module")
def push() -> ModuleType:
    """The script that writes the page."""
    spec = importlib.util.spec_from_file_location("push", ROOT / "docs" / "push.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["push"] = module
    spec.loader.exec_module(module)
    return module


@needs_chromium
def test_the_page_has_the_bits_of_the_interpreter(push: ModuleType, tmp_path: Path) -> None:
    written = push.write(tmp_path)
    assert written.imports == ("sin", "cos")  # for angles that no robot has
    document = dumped(f"file://{tmp_path}/push.html#bits={STEPS}")
    found = re.search('data-bits="([^"]*)"', document)
    assert found is not None, document[:2000]
    functions = push.functions()
    q, v, s = push.STANCE, np.zeros(18), np.zeros(36)
    for _ in range(STEPS):
        tau = functions["hold"].interpret(q, v, np.array([3.0, -20.0, 1.0]))
        q, v, s = functions["step"].interpret(q, v, s, tau, 5e-4)
    assert json.loads(html.unescape(found[1])) == {"q": words(q), "v": words(v), "s": words(s)}


@needs_chromium
def test_dragging_pulls_the_robot(push: ModuleType, tmp_path: Path) -> None:
    push.write(tmp_path)
    (tmp_path / "dragged.html").write_text(DRAGGED, encoding="utf-8")
    document = dumped(f"file://{tmp_path}/dragged.html", milliseconds=5000)
    heights = re.search('data-heights="([^"]*)"', document)
    assert heights is not None, document[-2000:]
    before, standing, pulled = json.loads(heights[1])
    assert 0.25 < standing < 0.3
    assert abs(standing - before) < 1e-3
    assert pulled > standing + 5e-3  # half its weight: the legs unbend
    assert re.search(r'data-force="\d+ N"', document)


def test_the_robot_stands_and_recovers_from_a_push(push: ModuleType) -> None:
    functions = push.functions()
    q, v, s = push.STANCE, np.zeros(18), np.zeros(36)
    for k in range(3000):
        force = np.array([0.0, 60.0, 0.0]) if 500 <= k < 800 else np.zeros(3)
        q, v, s = functions["step"](q, v, s, functions["hold"](q, v, force), 5e-4)
    corners = functions["outline"](q, v)[0]
    assert 0.25 < q[6] < 0.31
    assert abs(v).max() < 0.5
    assert corners[:, 2].min() > 0.2
