"""Bridges to other frameworks: first arguments of the wrong kind, which need no framework to be refused."""

from __future__ import annotations

import re
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.bridges import torch_functions
from rbd.errors import ArgumentError, NotFiniteError, ShapeError

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


@pytest.mark.parametrize("value", [[np.ma.masked_array([1.0], [True])], [[1.0], [1.0, 2.0]]], ids=["masked", "ragged"])
def test_what_is_no_array_of_numbers_is_no_tensor(value: object) -> None:
    torch = SimpleNamespace(Tensor=Decimal)  # no tensor is given
    with pytest.raises((NotFiniteError, ShapeError), match=r"^q"):
        torch_functions._as_tensor(torch, value, "q")


def test_the_module_names_every_bridge() -> None:
    assert set(rbd.bridges.__all__) == set(KINDS)
