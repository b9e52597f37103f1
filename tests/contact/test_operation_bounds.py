"""How many operations solvers are said to do at most: no call of them does more."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from rbd.errors import SolverError
from rbd.intrinsics import Intrinsic
from rbd.scalars.counting import CountingScalar, OperationCount
from rbd.solvers.friction.solve import solve_friction
from rbd.solvers.intervals import Intervals
from rbd.solvers.projections.dual_active_set import active_rows, method
from rbd.solvers.projections.row_groups import RowGroup
from rbd.solvers.projections.warm_start import warm_start
from rbd.solvers.quadratic.active_set_derivative import FACTOR_ACTIVE_SET, MINIMISE_ON_ACTIVE_SET
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


def _active_set(seed: int) -> None:
    """Factor and minimise with all rows active, as many as there are unknowns."""
    rng, n = np.random.default_rng(seed), 4 + seed
    root, rows = rng.normal(size=(2, n, n))
    matrices = (*(root @ root.T + np.eye(n)).ravel().tolist(), *rows.ravel().tolist(), *(1.0,) * n)
    factors = FACTOR_ACTIVE_SET((n, n), matrices, ("x",))
    MINIMISE_ON_ACTIVE_SET((n, n), (*factors, *rng.normal(size=2 * n).tolist()))


CASES: dict[str, tuple[Callable[[int], object], set[str]]] = {
    "flat feet": (solve_flat_feet, {"project_by_interior_point", "project_groups", "project_by_dual_active_set"}),
    "quadratic programs": (_quadratic_program, {"solve_quadratic_program"}),
    "derivatives of quadratic programs": (_active_set, {"factor_active_set", "minimise_on_active_set"}),
    "round cones": (lambda seed: solved(*programs(seed)), {"project_on_cones", "require_solution_in_cones"}),
    "friction": (_friction, {"solve_friction"}),
}
"""What solves a problem that depends on a seed, and names of intrinsics that it calls."""


def _observed_calls(solve: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """Return the calls of intrinsics with floats that succeed."""
    calls, run = list[Call](), Intrinsic.run_on_floats

    def noted(self: Intrinsic, sizes: tuple[int, ...], operands: list[float]) -> tuple[list[float], int]:
        found = run(self, sizes, operands)
        if found[1] == 0:
            calls.append((self, tuple(sizes), list(operands)))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(Intrinsic, "run_on_floats", noted)
        solve()
    return calls


def _assert_within_bound(call: Call) -> None:
    (intrinsic, sizes, operands), count = call, OperationCount()
    intrinsic(sizes, [CountingScalar(x, count) for x in operands], ("",) * intrinsic.label_count(sizes))
    assert count.total <= intrinsic.operation_count(sizes), intrinsic.name


@pytest.mark.parametrize("case", CASES)
def test_no_call_does_more_operations_than_it_is_said_to_do(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    solve, names = CASES[case]

    def solve_all() -> None:
        for seed in range(3):
            try:
                solve(seed)
            except SolverError:
                assert case == "friction"

    calls = _observed_calls(solve_all, monkeypatch)
    assert {intrinsic.name for intrinsic, *_ in calls} >= names
    for call in calls:
        _assert_within_bound(call)


def _four_groups() -> None:
    """Solve for four groups of random rows, of six twists each."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(4, 40, 6))
    rows /= np.linalg.norm(rows, axis=2, keepdims=True)
    maps = np.eye(24).reshape(4, 6, 24)
    groups = [RowGroup(tuple(range(40 * k, 40 * k + 40)), nested(rows[k]), nested(maps[k])) for k in range(4)]
    warm_start(groups, rng.normal(size=160).tolist(), Intervals(), ())


def test_lanes_that_need_all_rounds_and_branches_stay_within_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lanes of the dual active-set method take a branch together, if one needs it: here all branches, in all rounds."""
    calls = _observed_calls(_four_groups, monkeypatch)
    (call,) = (call for call in calls if call[0].name == "project_by_dual_active_set")
    for module in (active_rows, method):
        monkeypatch.setattr(module, "some", lambda condition: True)
    _assert_within_bound(call)
