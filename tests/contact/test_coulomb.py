"""Coulomb's law of accelerations, against the enumeration of all solutions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbd.contact import solve_qp
from rbd.contact.dynamics.accelerations.contact_problem import ContactProblem
from rbd.contact.dynamics.accelerations.coulomb import coulomb_residual
from rbd.contact.dynamics.accelerations.repeated_programs import solve_by_quadratic_programs
from rbd.contact.dynamics.gauss_principle import ConstrainedMotion
from rbd.errors import ShapeError, SolverError
from rbd.scalars.arrays import Array
from rbd.solvers.friction import complementarity, enumeration
from rbd.solvers.friction import solve as friction_solver
from rbd.solvers.friction.lemke import lemke
from rbd.solvers.friction.problem import FrictionProblem
from rbd.solvers.friction.solve import INDEFINITE, INFEASIBLE, JAMMED, LOST, solve_friction
from tests.contact.coulomb_cases import (
    SPEEDS,
    data_of,
    hand_problem,
    missed,
    nested,
    random_problem,
    solutions,
    solve,
)


def checked(data: Any) -> Array | None:
    """Return the solution, or None if there is none; fail if either is wrong."""
    try:
        x, forces, held = solve(data)
    except SolverError:
        assert solutions(data) == []
        return None
    assert missed(data, x, forces) < 1e-11
    assert (held.reshape(-1, 4)[:, 0][forces[::3] > 0] == 1).all()
    return x


@settings(deadline=None, max_examples=200)
@given(
    st.integers(0, 2**32 - 1), st.integers(2, 9), st.integers(1, 3), st.floats(0, 1.5), st.sampled_from([0.0, 0.5, 1.0])
)
def test_solutions_obey_coulombs_law_and_errors_mean_there_is_none(
    seed: int, n: int, p: int, mu: float, sliding: float
) -> None:
    checked(random_problem(seed, n, p, mu=mu, sliding=sliding))


@pytest.mark.parametrize("mu", [0.8, 1.5])
def test_many_sliding_pairs(mu: float) -> None:
    """Some of these have solutions that pivoting does not reach."""
    found = [checked(random_problem(seed, 8, 6, mu=mu, sliding=1.0)) is not None for seed in range(40)]
    assert 5 < sum(found) < 40


def test_error_if_there_are_too_many_combinations_to_try() -> None:
    """For sixteen sliding pairs pivoting alone finds solutions."""
    lost = 0
    for seed in range(12):
        data = random_problem(seed, 20, 16, mu=1.5, sliding=1.0)
        try:
            x, forces, _ = solve(data)
            assert missed(data, x, forces) < 1e-11
        except SolverError as error:
            lost += "too many combinations to try all" in str(error)
    assert 0 < lost < 12


def test_pairs_at_rest_always_have_a_solution() -> None:
    for seed in range(200):
        data = random_problem(seed, 12, 4, mu=1.5, sliding=0.0)
        data[3][0::3] = -np.abs(data[3][0::3])
        x, forces, _ = solve(data)
        assert missed(data, x, forces) < 1e-11


@pytest.mark.parametrize("speed", SPEEDS)
def test_accelerations_of_the_hand_obey_coulombs_law_or_jam(speed: str) -> None:
    solved = 0
    for seed in range(60):
        data = data_of(hand_problem(seed, speed, 0.1 + 1.4 * (seed % 15) / 14))
        if (data[4] == 0).sum() <= 2 or speed == "rest":
            solved += checked(data) is not None
    assert solved == 60 if speed == "rest" else 5 < solved < 60


@pytest.mark.parametrize("speed", SPEEDS)
def test_repeated_quadratic_programs_agree_where_they_converge(speed: str) -> None:
    """Except for states with several solutions."""
    same, more = 0, 0
    for seed in range(40):
        arrays = hand_problem(seed, speed, 0.1 + 0.6 * (seed % 7) / 6)
        problem, data = ContactProblem(*(nested(np.asarray(part)) for part in arrays)), data_of(arrays)
        solution = solve_by_quadratic_programs(_program, problem)
        settled = float(coulomb_residual(problem, solution)) < 1e-10  # type: ignore[arg-type]  # floats in, a float out
        try:
            x = solve(data)[0]
        except SolverError:
            assert not settled
            continue
        more += not settled
        apart = np.abs(x - np.asarray(solution.x)).max() / (1 + np.abs(x).max())
        if settled and apart > 1e-9:
            assert (data[4] == 0).sum() > 2 or len(solutions(data)) > 1
        same += settled and apart <= 1e-9
    assert same > 10
    assert more > 0 or speed == "rest"


def _program(matrix: Any, right: Any, rows: Any, bounds: Any) -> ConstrainedMotion:
    found = solve_qp(matrix, right, rows, bounds)
    x, weights, active = (tuple(part.tolist()) for part in (found.x, found.multipliers, found.active))
    return ConstrainedMotion(x, weights, active)


def test_planar_and_duplicate_pairs() -> None:
    """A second tangent that is zero or parallel to the first; equal pairs."""
    for seed in range(60):
        data = random_problem(seed, 6, 3, mu=0.9, sliding=0.4, drift=0.3 * (seed % 2))
        rows, bounds = data[2].reshape(3, 3, -1), data[3].reshape(3, 3)
        rows[0, 2] = 0
        rows[1, 2] = 0.5 * rows[1, 1]
        rows[2], bounds[2], data[4][2] = rows[1], bounds[1], data[4][1]
        checked(data)


def test_without_friction_the_solution_is_that_of_the_quadratic_program() -> None:
    for seed in range(30):
        data = random_problem(seed, 6, 4, mu=0.0, sliding=0.5)
        x, forces, _ = solve(data)
        found = solve_qp(data[0], data[1], data[2][::3], data[3][::3])
        np.testing.assert_allclose(x, found.x, rtol=0, atol=1e-11 * (1 + np.abs(x).max()))
        np.testing.assert_allclose(forces[::3], found.multipliers, rtol=0, atol=1e-10 * (1 + forces.max()))


def test_pivoting_that_does_not_end_is_no_contradiction(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without forces that obey Coulomb's law, bounds contradict each other only where pivoting ends in a ray."""
    data = tuple(map(nested, random_problem(4, 4, 2, mu=1.5, sliding=1.0)))
    monkeypatch.setattr(complementarity, "lemke", lambda m, limit, *rest: lemke(m, 1, *rest))
    with pytest.raises(SolverError, match=JAMMED):
        solve_friction(*data)
    monkeypatch.setattr(friction_solver, "enumerate_modes", lambda w, scale: enumeration.TOO_MANY)
    with pytest.raises(SolverError, match=LOST):
        solve_friction(*data)


def test_violations_that_are_undefined_are_not_lost_among_others() -> None:
    w = FrictionProblem((1, 2), (0.0,) * (1 + 1 + 6 + 6 + 2))
    w.is_undecided[0] = w.is_undecided[3] = 1
    w.free_rates[0] = math.nan
    assert math.isnan(enumeration._violation(w))
    w.free_rates[0], w.free_rates[3] = 0.0, math.nan
    assert math.isnan(enumeration._violation(w))


def test_error_messages_of_the_friction_solver() -> None:
    data = random_problem(1, 3, 2, mu=0.5, sliding=0.0, drift=0.0)
    data[2][3:], data[3][:] = -data[2][:3], [1, 0, 0, 1, 0, 0]  # between walls that come together
    with pytest.raises(SolverError, match=INFEASIBLE) as caught:
        solve(data)
    assert caught.value.status == INFEASIBLE
    with pytest.raises(SolverError, match=INDEFINITE):
        solve((-data[0], *data[1:]))
    with pytest.raises(SolverError, match=INFEASIBLE):  # a normal of zero that asks for something
        solve((*data[:2], np.zeros_like(data[2]), *data[3:]))
    for place, name, expected in ((0, "matrix", (3, 3)), (2, "rows", (6, 3)), (3, "bounds", (6,))):
        wrong = (*data[:place], data[place][:-1], *data[place + 1 :])
        with pytest.raises(ShapeError) as refused:
            solve_friction(*wrong)  # type: ignore[arg-type]  # arrays for tuples
        assert (refused.value.argument, refused.value.expected) == (name, expected)
    nothing = tuple(np.zeros(shape) for shape in ((0, 0), 0, (3, 0), 3, 1))
    assert solve_friction(*nothing) == ((), (0, 0, 0), (0, 0, 0, 0))  # type: ignore[arg-type]  # arrays for tuples
