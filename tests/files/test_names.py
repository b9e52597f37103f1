"""Names: hints are the same in every process, made names are new."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rbd.errors import MjcfTopologyError
from rbd.files.names import free_name, hint
from rbd.mjcf import parse_mjcf

ROOT = Path(__file__).parents[2]
ALIKE = "from rbd.files.names import hint; print(hint('gain', {'gait', 'gaid', 'gair', 'rain', 'main', 'pain'}))"
APART = "from rbd.files.names import hint; print(hint('zzzz', {'gait', 'gaid', 'gair', 'rain', 'main', 'pain'}))"


def test_hints() -> None:
    assert hint("elbw", ["elbow", "wrist"]) == "; did you mean 'elbow'?"
    assert hint("x", ["elbow", "wrist"]) == "; there are 'elbow', 'wrist'"
    assert hint("x", []) == hint("x", ["a" * 50]) == ""
    assert hint("x", [f"name{k}" for k in range(9)]).endswith("'name4', ...")


@pytest.mark.parametrize("program", [ALIKE, APART])
def test_hints_do_not_depend_on_the_seed_of_hashes(program: str) -> None:
    said = set()
    for seed in ("1", "2", "3"):
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
        said.add(done.stdout)
    assert len(said) == 1


def test_a_message_without_a_hint_ends_with_the_name() -> None:
    text = "<mujoco><actuator><motor joint='a_long_name_of_a_joint'/></actuator></mujoco>"
    with pytest.raises(MjcfTopologyError) as caught:
        parse_mjcf(text)
    assert str(caught.value).endswith("there is no joint 'a_long_name_of_a_joint'")


def test_free_names() -> None:
    taken = {"a", "a#"}
    assert [free_name("b", taken), free_name("a", taken), free_name("a", taken)] == ["b", "a##", "a###"]
    assert taken == {"a", "a#", "a##", "a###", "b"}
