"""Guarded intrinsics whose lanes run together: a lane that needs nothing gets zeros, whatever the others do."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages

import numpy as np
import pytest

import rbd
from rbd.intrinsics import INTRINSICS, Intrinsic
from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars import Array, divide
from rbd.solvers.intervals import Intervals
from tests.contact.flat_feet import flat_feet
from tests.contact.test_interior_point import unit_rows
from tests.native.programs import assert_same_bits, native_rows, native_singles, reference

pytestmark = pytest.mark.optimised


def solve_flat_feet(seed: int) -> None:
    """Solve for one foot and for two, with stops and dry friction of their legs, and without."""
    for count in (1, 2):
        feet = flat_feet(seed, feet=count, points=4)
        rows = unit_rows(len(feet.data[1]))
        k = len(rows)
        feet.solve(Intervals(rows, (-0.05,) * k, (0.05,) * k, (0.0, *(0.05,) * (k - 1)), (0.0,) * k))
        feet.solve()


CASES = {"project_by_interior_point": solve_flat_feet, "project_by_dual_active_set": solve_flat_feet}
"""By the name of an intrinsic, what calls it with operands that depend on a seed. One of them is never skipped."""

SEEDS = (1, 4, 5, 8)
"""Of one foot and of two; where they are even, rows are those of cones, which one of the intrinsics has as operands."""


def shared_guards() -> set[str]:
    """Return the names of rbd's guarded intrinsics whose lanes run together."""
    for module in walk_packages(rbd.solvers.__path__, "rbd.solvers."):
        import_module(module.name)
    ours = [x for x in INTRINSICS.values() if x.function.__module__.startswith("rbd.")]
    return {x.name for x in ours if x.guarded and x.has_uniform_control_flow}


def test_every_such_intrinsic_has_a_case() -> None:
    assert shared_guards() | {"project_by_dual_active_set"} == CASES.keys()


def observed_calls(name: str, monkeypatch: pytest.MonkeyPatch) -> dict[tuple[int, ...], list[list[float]]]:
    """Return the operands of all calls of an intrinsic with floats, by sizes."""
    calls, run = dict[tuple[int, ...], list[list[float]]](), Intrinsic.run_on_floats

    def noted(self: Intrinsic, sizes: tuple[int, ...], operands: list[float]) -> tuple[list[float], int]:
        if self.name == name:
            calls.setdefault(tuple(sizes), []).append(operands)
        return run(self, sizes, operands)

    with monkeypatch.context() as patch:
        patch.setattr(Intrinsic, "run_on_floats", noted)
        for seed in SEEDS:
            CASES[name](seed)
    return calls


def rows_of(operands: list[list[float]], count: int) -> tuple[list[Array], Array]:
    """Return rows of numbers and divisors, which make operands, and which rows need a result.

    The operands of the others have any size, or are not finite.
    """
    rng = np.random.default_rng(0)
    numbers, needed = np.resize(operands, (count, len(operands[0]))), rng.random(count) < 0.4
    numbers[~needed] *= 10.0 ** rng.integers(-9, 9, (np.count_nonzero(~needed), 1))
    divisors = np.where(needed[:, None] | (rng.random(numbers.shape) < 0.8), 1.0, 0.0)
    numbers[:, -1], divisors[:, -1] = needed, 1.0
    return [numbers, divisors], needed


def guarded_program(name: str, sizes: tuple[int, ...], count: int) -> Program:
    """Return a program that calls an intrinsic with `count` quotients."""
    graph = Graph()
    numbers, divisors = graph.input("x", (count,)), graph.input("divisors", (count,))
    results = INTRINSICS[name](sizes, [divide(x, y) for x, y in zip(numbers, divisors, strict=True)])
    return Program.of(graph, "guarded", {"y": results})


@pytest.mark.parametrize("name", CASES)
def test_lanes_that_need_nothing_get_zeros_beside_others(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, count = observed_calls(name, monkeypatch), 33
    assert len(calls) == (4 if name == "project_by_dual_active_set" else 2)
    for k, (sizes, operands) in enumerate(calls.items()):
        program, (rows, needed) = guarded_program(name, sizes, len(operands[0])), rows_of(operands, count)
        expected = reference(program, rows, count)
        assert (expected[0] != 0).any(axis=1).tolist() == needed.tolist()
        assert_same_bits(native_singles(CompiledProgram(program, 1), rows, count), expected)
        for lanes in (2, 8)[k % 2 :]:
            assert_same_bits(native_rows(CompiledProgram(program, lanes), rows, count), expected)
