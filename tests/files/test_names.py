"""Names: hints are the same in every process, made names are new."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rbd.errors import MjcfTopologyError
from rbd.files.names import claim_name, did_you_mean
from rbd.mjcf import parse_mjcf

ROOT = Path(__file__).parents[2]
NAMES = {"gait", "gaid", "gair", "rain", "main", "pain"}
PRINTED = f"from rbd.files.names import did_you_mean; print(did_you_mean('{{}}', set({sorted(NAMES)})))"


def test_hints() -> None:
    assert did_you_mean("elbw", ["elbow", "wrist"]) == "; did you mean 'elbow'?"
    assert did_you_mean("x", ["elbow", "wrist"]) == "; there are 'elbow', 'wrist'"
    assert did_you_mean("x", []) == did_you_mean("x", ["a" * 50]) == ""
    assert did_you_mean("x", [f"name{k}" for k in range(9)]).endswith("'name4', ...")


@pytest.mark.parametrize("program", [PRINTED.format("gain"), PRINTED.format("zzzz")])
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


def test_claimed_names() -> None:
    taken = {"a", "a#"}
    assert [claim_name("b", taken), claim_name("a", taken), claim_name("a", taken)] == ["b", "a##", "a###"]
    assert taken == {"a", "a#", "a##", "a###", "b"}
