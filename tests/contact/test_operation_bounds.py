"""How many operations solvers are said to do at most: no call of them does more."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rbd.errors import SolverError
from rbd.intrinsics import Intrinsic
from rbd.scalars.counting import CountingScalar, OperationCount
from rbd.solvers.friction.solve import solve_friction
from rbd.solvers.quadratic.quadratic_program import solve_quadratic_program
from tests.contact.coulomb_cases import nested, random_problem
from tests.contact.test_quadratic_program import problem
from tests.contact.test_round_cones import programs, solved
from tests.native.codegen.test_guarded_lanes import solve_flat_feet

Call = tuple[Intrinsic, tuple[int, ...], list[float]]


def _friction(seed: int) -> None:
    solve_friction(*map(nested, random_problem(seed, 4, 1 + seed % 2, mu=1.0, sliding=0.5)))


def _quadratic_program(seed: int) -> None:
    solve_quadratic_program(*map(nested, problem(seed, 3, 5)))


CASES: dict[str, tuple[Callable[[int], object], set[str]]] = {
    "flat feet": (solve_flat_feet, {"approach_projection", "project_groups"}),
    "quadratic programs": (_quadratic_program, {"solve_quadratic_program"}),
    "round cones": (lambda seed: solved(*programs(seed)), {"project_on_cones", "require_solution_in_cones"}),
    "friction": (_friction, {"solve_friction"}),
}
"""What solves a problem that depends on a seed, and names of intrinsics that it calls."""


@pytest.mark.parametrize("case", CASES)
def test_no_call_does_more_operations_than_it_is_said_to_do(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, run = list[Call](), Intrinsic.run

    def noted(self: Intrinsic, sizes: tuple[int, ...], operands: list[float]) -> tuple[list[float], int]:
        found = run(self, sizes, operands)
        if found[1] == 0:
            calls.append((self, tuple(sizes), list(operands)))
        return found

    solve, names = CASES[case]
    with monkeypatch.context() as patch:
        patch.setattr(Intrinsic, "run", noted)
        for seed in range(3):
            try:
                solve(seed)
            except SolverError:
                assert case == "friction"
    assert {intrinsic.name for intrinsic, *_ in calls} >= names
    for intrinsic, sizes, operands in calls:
        count = OperationCount()
        intrinsic(sizes, [CountingScalar(x, count) for x in operands], ("",) * intrinsic.label_count(sizes))
        assert count.total <= intrinsic.operation_count(sizes), intrinsic.name
