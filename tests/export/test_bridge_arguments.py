"""Bridges to other frameworks: first arguments of the wrong kind, which need no framework to be refused."""

from __future__ import annotations

import re
from typing import Any

import pytest

import rbd
from rbd.errors import ArgumentError

KINDS = {
    "jax_function": "function must be a RecordedFunction",
    "torch_function": "function must be a RecordedFunction",
    "jax_dynamics": "robot must be a CompiledRobot",
    "torch_dynamics": "robot must be a CompiledRobot",
    "torch_step": "robot must be a CompiledRobot",
}


@pytest.mark.parametrize("name", KINDS)
def test_other_kinds_say_what_makes_one(name: str) -> None:
    wrong: list[Any] = [rbd.robots.double_pendulum(), rbd.mass_matrix, None, "robot", 3.0]
    maker = re.escape("rbd.compile(mechanism)" if "robot" in KINDS[name] else "rbd.record(function, mechanism)")
    for value in wrong:
        with pytest.raises(ArgumentError, match=f"^{name}: {KINDS[name]}, not .*; {maker} makes one$"):
            getattr(rbd.bridges, name)(value)


def test_the_module_names_every_bridge() -> None:
    assert set(rbd.bridges.__all__) == set(KINDS)
