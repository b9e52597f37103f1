"""The tutorial on task space with a Panda in place of rbd's arm, as it says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.docs.examples import ROOT, run_page

pytestmark = pytest.mark.peers
ARM = re.compile(r"^arm, names = rbd\.robots.*?\nrest = .*?\n", re.MULTILINE)
PANDA = re.compile(r"^```text\n(from importlib.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.filterwarnings("ignore::rbd.urdf.UrdfWarning")
def test_a_panda_takes_the_place_of_the_arm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "tutorials" / "task-space.md").read_text(encoding="utf-8")
    lines = PANDA.findall(text)
    page = tmp_path / "panda.md"
    page.write_text(re.sub(r"^#> .*$", "#> ...", ARM.sub(lines[0], text), flags=re.MULTILINE), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = run_page(page)
    assert getattr(names["arm"], "nv", 0) == 9
    assert np.max(np.asarray(names["miss"])) < 0.015
    np.testing.assert_allclose(np.asarray(names["moved_by"]), (0, 0, -0.01), rtol=0, atol=0.003)
