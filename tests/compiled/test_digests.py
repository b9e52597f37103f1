"""Programs of the robots are those of earlier versions: their digests, in `tests/data/program_digests.json`.

A change that is meant writes the file again: `python -m tests.compiled.test_digests`; its commit says why.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import rbd

FILE = Path(__file__).parents[1] / "data" / "program_digests.json"
ROBOTS: dict[str, Callable[[], rbd.Mechanism]] = {
    "double_pendulum": rbd.robots.double_pendulum,
    "arm7": rbd.robots.arm7,
    "quadruped": rbd.robots.quadruped,
    "humanoid": rbd.robots.humanoid,
    "hand": lambda: rbd.robots.hand()[0],
}
FUNCTIONS = (
    "forward_kinematics", "inverse_dynamics", "mass_matrix", "inverse_mass_matrix", "dynamics_bias", "forward_dynamics",
    "momentum_matrix", "inverse_dynamics_derivatives", "forward_dynamics_derivatives", "step",
)  # fmt: skip


def digests(robot: str) -> dict[str, str]:
    """Return the digests of a robot's programs."""
    compiled = rbd.compile(ROBOTS[robot]())
    return {name: compiled.function(name).program.digest for name in FUNCTIONS}


@pytest.mark.parametrize("robot", ROBOTS)
def test_programs_are_those_of_earlier_versions(robot: str) -> None:
    assert digests(robot) == json.loads(FILE.read_text(encoding="utf-8"))[robot]


if __name__ == "__main__":
    FILE.write_text(json.dumps({robot: digests(robot) for robot in ROBOTS}, indent=1) + "\n", encoding="utf-8")
