"""Coulomb's law in machine code, in batches, in C, on other scalars; derivatives through it."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import rbd
from rbd.contact import solve_contact
from rbd.contact.model.evaluation import as_tuple
from rbd.errors import SolverError
from rbd.intrinsics.intrinsic import Intrinsic
from rbd.scalars.arrays import Array
from rbd.solvers.friction.solve import solve_friction
from tests.contact.coulomb_cases import HAND, MODEL, SPEEDS, Data, hand_state, nested, random_problem, solve, solver


@pytest.mark.optimised
@pytest.mark.parametrize(("n", "p"), [(3, 1), (7, 2), (9, 4)])
def test_machine_code_has_the_bits_of_the_interpreter(n: int, p: int) -> None:
    for seed in range(12):
        data = random_problem(seed, n, p, mu=1.0, sliding=0.5)
        function = solver(n, p)
        operands = [float(x) for part in data for x in part.ravel()]
        flat, status = function.program.interpret_flat(operands)
        try:
            native = np.concatenate(solve(data))
        except SolverError:
            assert status
            continue
        assert status == 0
        np.testing.assert_array_equal(native, flat)


def _recorded(mu: float) -> Any:
    def found(state: rbd.ScalarState, tau: Array) -> object:
        solution = solve_contact(state, MODEL, tau, friction=mu, threshold=0.2)
        return (*solution.vd, *solution.multipliers, solution.kkt_residual)

    return rbd.record(found, HAND, tau=13)


@pytest.mark.optimised
def test_batches_have_the_same_bits_and_errors_name_the_row() -> None:
    recorded, mu = _recorded(0.7), 0.7
    cases = [hand_state(seed, SPEEDS[seed % 4]) for seed in range(60)]
    rows, jams = list[Array](), list[int]()
    for k, (state, torques) in enumerate(cases):
        try:
            found = solve_contact(state, MODEL, torques, friction=mu, threshold=0.2)
            rows.append(np.array([*found.vd, *found.multipliers, found.kkt_residual]))
        except SolverError:
            jams.append(k)
    assert len(rows) > 20
    assert jams
    data = [np.array(x) for x in zip(*((state.q, state.v, torques) for state, torques in cases), strict=True)]
    good = np.delete(np.arange(60), jams)
    np.testing.assert_allclose(recorded(*(x[good] for x in data)), rows, rtol=0, atol=1e-9 * np.abs(rows).max())
    one_by_one = [np.asarray(recorded(*(x[k] for x in data))) for k in good]
    np.testing.assert_array_equal(recorded(*(x[good] for x in data)), one_by_one)
    np.testing.assert_array_equal(recorded.interpret(*(x[good[0]] for x in data)), one_by_one[0])
    with pytest.raises(SolverError, match=f"jam.*in row {jams[0]} of the batch"):
        recorded(*data)


@pytest.mark.parametrize(("seed", "speed"), [(0, "rest"), (3, "fast"), (7, "some")])
def test_derivatives_agree_with_finite_differences(seed: int, speed: str) -> None:
    recorded, (state, torques) = _recorded(0.3), hand_state(seed, speed)
    data = [np.array(state.q), np.array(state.v), torques]
    for which, name in enumerate(("q", "v", "tau")):
        slope = np.asarray(recorded.derivative("result", name)(*data))[:17]
        for k, unit in enumerate(np.eye(13)):
            ends = [
                np.asarray(recorded(*(x + h * unit if i == which else x for i, x in enumerate(data))))[:17]
                for h in (1e-6, -1e-6)
            ]
            scale = 1 + np.abs(slope).max()
            np.testing.assert_allclose(slope[:, k], (ends[0] - ends[1]) / 2e-6, rtol=0, atol=2e-6 * scale)


@pytest.mark.parametrize("seed", [*range(6), pytest.param(6, marks=[pytest.mark.optimised, pytest.mark.deep])])
def test_derivatives_by_all_data_agree_with_finite_differences(seed: int) -> None:
    """With pairs of all kinds of tangents."""
    n, p = 4, 2
    data = list(random_problem(seed, n, p, mu=0.4, sliding=0.3))
    flat = 1 + seed % 3
    if flat < 3:
        data[2][flat] = data[3][flat] = 0
    function, rng = solver(n, p), np.random.default_rng(seed)
    for k, name in enumerate(("m", "g", "rows", "bounds")):
        direction = rng.normal(size=data[k].shape) * (data[k] != 0)
        direction = direction + direction.T if name == "m" else direction
        lower = np.tril(direction) if name == "m" else direction  # its lower triangle is read
        for output, place in (("x", 0), ("f", 1)):
            derivative = function.derivative(output, name)
            slope = np.asarray(derivative(*data)).reshape(-1, direction.size)
            np.testing.assert_array_equal(np.asarray(derivative.interpret(*data)).reshape(slope.shape), slope)
            ends = [
                as_tuple(function(*(x + h * direction if i == k else x for i, x in enumerate(data))))[place]
                for h in (1e-6, -1e-6)
            ]
            wanted = (ends[0] - ends[1]) / 2e-6
            np.testing.assert_allclose(slope @ lower.ravel(), wanted, rtol=0, atol=1e-6 * (1 + np.abs(wanted).max()))


def test_failed_calls_are_not_repeated_by_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code tries thousands of combinations in milliseconds; the interpreter takes seconds."""
    data = next(data for data in (random_problem(seed, 8, 3, mu=1.5, sliding=1.0) for seed in range(99)) if _jams(data))

    def refuse(*arguments: object) -> None:
        raise AssertionError(arguments)

    monkeypatch.setattr(Intrinsic, "run_on_floats", refuse)
    assert _jams(data)


def _jams(data: Data) -> bool:
    try:
        solve(data)
    except SolverError:
        return True
    return False


@pytest.mark.optimised
def test_c_gives_the_same_bits(tmp_path: Path) -> None:
    compiler = shutil.which("gcc") or shutil.which("cc")
    assert compiler, "the tests need a C compiler"
    function, file = solver(6, 2), tmp_path / "rub.c"
    file.write_text(function.to_c("rub"), encoding="ascii")
    options = ["-std=c99", "-Wall", "-Werror", "-O1", "-ffp-contract=off", "-march=native", "-shared", "-fPIC"]
    subprocess.run([compiler, *options, str(file), "-o", str(tmp_path / "rub.so"), "-lm"], check=True)
    rub = ctypes.CDLL(str(tmp_path / "rub.so")).rub
    statuses = []
    for seed in range(60):
        data = random_problem(seed, 6, 2, mu=1.5, sliding=1.0 - seed % 2)
        found = [np.zeros(size) for size in (6, 6, 8)]
        statuses.append(rub(*(ctypes.c_void_p(array.ctypes.data) for array in (*data, *found))))
        if not statuses[-1]:
            for mine, theirs in zip(solve(data), found, strict=True):
                np.testing.assert_array_equal(mine, theirs)
        else:
            with pytest.raises(SolverError):
                solve(data)
    assert 0 < sum(map(bool, statuses)) < 30


def test_other_scalars_give_the_same_solution() -> None:
    """Fifty digits agree with floats; so do complex numbers, whose imaginary parts are derivatives."""
    with mpmath.workdps(50):
        for seed in range(4):
            data = random_problem(seed, 4, 2, mu=0.6, sliding=0.5)
            exact = solve_friction(*(_exactly(part) for part in data))
            for mine, theirs in zip(solve(data), exact, strict=True):
                np.testing.assert_allclose(
                    mine, np.array(theirs, dtype=float), rtol=0, atol=1e-12 * (1 + abs(mine).max())
                )
    slope = np.asarray(solver(4, 2).derivative("x", "g")(*data))
    right = data[1] + 1e-30j * np.eye(4)[1]
    stepped = solve_friction(*(nested(part) for part in (data[0], right, *data[2:])))[0]
    np.testing.assert_allclose(np.array(stepped).imag * 1e30, slope[:, 1], rtol=0, atol=1e-11)


@pytest.mark.parametrize("missing", [1, 2])
@pytest.mark.parametrize("seed", range(8))
def test_derivatives_of_planar_pairs(seed: int, missing: int) -> None:
    """Pairs with one direction of friction alone, the first or the second."""
    inertia, right, rows, bounds, slides = random_problem(seed, 3, 1, mu=0.8, sliding=0.0)
    rows[missing], bounds[missing], step = 0.0, 0.0, 1e-6
    slope = np.asarray(solver(3, 1).derivative("x", "g")(inertia, right, rows, bounds, slides))
    for k, along in enumerate(step * np.eye(3)):
        sides = [solve((inertia, right + sign * along, rows, bounds, slides))[0] for sign in (-1, 1)]
        np.testing.assert_allclose(slope[:, k], (sides[1] - sides[0]) / (2 * step), rtol=0, atol=1e-6)


def _exactly(part: Array) -> Any:
    rows = [[mpmath.mpf(x) for x in row] for row in np.atleast_2d(part).tolist()]
    return tuple(map(tuple, rows)) if part.ndim == 2 else tuple(rows[0])
