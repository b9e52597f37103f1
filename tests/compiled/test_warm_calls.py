"""Calls that builtins may take: warm robots answer as new ones do, with the same bits or the same error."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.array_functions.function import CALLS_BEFORE_BUILTIN

MECHANISM = rbd.robots.double_pendulum()
NV = MECHANISM.nv
BODIES = MECHANISM.bodies
NAMES = {
    "mass_matrix": ("q",),
    "inverse_dynamics": ("q", "v", "vd"),
    "forward_dynamics": ("q", "v", "tau"),
    "step": ("q", "v", "tau", "dt"),
    "rollout": ("q", "v", "tau", "dt", "steps"),
}


class Calls:
    """A generator of random calls, most of them right."""

    def __init__(self, seed: int) -> None:
        self._random, self._rng = random.Random(seed), np.random.default_rng(seed)

    def _normal(self, *shape: int) -> Any:
        return self._rng.normal(size=shape)

    def _vector(self) -> Any:
        right = [self._normal(NV), self._normal(3, NV), self._normal(NV, 3).T, self._normal(NV)[::-1]]
        others = [list(self._normal(NV)), np.zeros(NV, int), self._normal(NV + 1), np.full(NV, np.nan), None, "x"]
        return self._random.choice(right if self._random.random() < 0.8 else [*others, self._normal(2, 3, NV)])

    def _wrenches(self) -> Any:
        first, second = BODIES[1:3]
        framed = rbd.Wrench(first.default_frame, self._normal(3), self._normal(3))
        one = [self._normal(6), list(self._normal(6)), framed, self._normal(3, 6), self._normal(5), None]
        both = {first: self._normal(6), second: self._random.choice(one)}
        return self._random.choice(
            [None, {}, {first.name: self._normal(6)}, both, {first: self._random.choice(one)}, 5]
        )

    def _out(self) -> Any:
        arrays = [np.empty(NV), np.empty((3, NV)), np.empty(NV, np.float32), 1]
        return self._random.choice([None, *arrays, [np.empty(NV), np.empty(NV)], (np.empty(NV),)])

    def _options(self, name: str) -> dict[str, Any]:
        options: dict[str, Any] = {"out": self._out(), "threads": self._random.choice([1, 2, 0]), "unknown": 1}
        options = {key: value for key, value in options.items() if self._random.random() < 0.1}
        if name != "mass_matrix" and self._random.random() < 0.5:
            options["external_wrenches"] = self._wrenches()
            options["wrench_frame"] = self._random.choice(["body", "root"])
        if name in ("step", "rollout") and self._random.random() < 0.3:
            options["integrator"] = self._random.choice(["semi-implicit-euler", "munthe-kaas-rk4", "no"])
        return options

    def draw(self) -> tuple[str, list[Any], dict[str, Any]]:
        """Return the name of a method, positional arguments, and keywords."""
        name = self._random.choice(list(NAMES))
        durations = [1e-3, np.float64(1e-3), 1, np.full(3, 1e-3), "a"]
        counts = [0, 1, 5, np.int64(4), -1, 2.0]
        ends = {"dt": self._random.choice(durations), "steps": self._random.choice(counts)}
        values = [ends[each] if each in ends else self._vector() for each in NAMES[name]]
        if name == "rollout" and self._random.random() < 0.3:
            values[2] = self._normal(5, NV)
        place = self._random.choice([len(values), self._random.randint(0, len(values))])
        named = dict(zip(NAMES[name][place:], values[place:], strict=True))
        return name, values[:place], {**named, **self._options(name)}


def answer(robot: rbd.compiled.CompiledRobot, name: str, arguments: list[Any], named: dict[str, Any]) -> object:
    """Return shapes and bits of the results, or the class and the text of the error."""
    try:
        found = getattr(robot, name)(*arguments, **named)
    except (rbd.errors.RbdError, TypeError) as error:
        return type(error), str(error)
    return [(each.shape, each.tobytes()) for each in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(1, 60))])
def test_warm_robots_answer_as_new_ones(seed: int) -> None:
    """Each object is given many times: builtins may not take it for what it was when they were made."""
    calls, warm = Calls(seed), rbd.compile(MECHANISM)
    drawn = [calls.draw() for _ in range(60)]
    for name, arguments, named in drawn:
        for _ in range(CALLS_BEFORE_BUILTIN + 2):
            answer(warm, name, arguments, named)
    for name, arguments, named in drawn:
        assert answer(warm, name, arguments, named) == answer(rbd.compile(MECHANISM), name, arguments, named)
