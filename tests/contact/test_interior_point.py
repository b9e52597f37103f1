"""Flat feet by the interior point: KKT conditions, the solutions of other methods, bits, derivatives."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbd.intrinsics import Intrinsic
from rbd.native.compiled_program import CompiledProgram
from rbd.program.differentiate import derivative
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars import Matrix, Scalar
from rbd.scalars.arrays import Array, pack
from rbd.solvers.equations.ltdl_factor import Factor
from rbd.solvers.intervals import Intervals
from rbd.solvers.projections.polyhedral_projection import project_on_polyhedron
from rbd.solvers.projections.projected_program import solve_projected_program
from rbd.solvers.projections.row_groups import RowGroup
from rbd.solvers.projections.twist_space import TwistSpace
from rbd.solvers.projections.warm_start import warm_start
from rbd.solvers.quadratic.interval_program import solve_interval_program
from rbd.solvers.quadratic.quadratic_program import solve_quadratic_program
from tests.contact.flat_feet import TRUNK, Feet, edges_of, flat_feet
from tests.contact.test_interval_program import assert_minimum as assert_interval_minimum
from tests.contact.test_interval_program import by_active_set, floats
from tests.contact.test_projected_program import nested
from tests.contact.test_quadratic_program import assert_minimum
from tests.native.programs import assert_same_bits, native_rows, native_singles, reference


def exact(feet: Feet) -> Array:
    hessian, linear, rows, bounds = feet.data
    return pack(solve_quadratic_program(nested(hessian), linear.tolist(), nested(rows), bounds.tolist())[0])


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(1, 2), st.integers(3, 8), st.sampled_from([0.0, 1e-6, 1e-2]))
def test_flat_feet_have_the_solutions_of_the_active_set_method(
    seed: int, feet: int, points: int, unevenness: float
) -> None:
    given = flat_feet(seed, feet=feet, points=points, unevenness=unevenness)
    found = given.solve()
    assert_minimum(given.data, pack(found.x), pack(found.multipliers), 1e-9)
    assert found.by_active_set == 0
    np.testing.assert_allclose(pack(found.x), exact(given), rtol=0, atol=2e-6)  # slack and force vanish together


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_stops_and_dry_friction_beside_flat_feet(seed: int) -> None:
    feet, rng = flat_feet(seed, points=5), np.random.default_rng(seed)
    hessian, linear, rows, bounds = feet.data
    n = len(linear)
    lower, upper = -rng.choice([0.0, 0.01, 9.0], n - TRUNK), rng.choice([0.0, 0.01, 1e6], n - TRUNK)
    friction = rng.choice([0.0, 0.02, 5.0], n - TRUNK)
    every = lower, upper, friction, np.zeros(n - TRUNK)
    limits = Intervals(unit_rows(n), *(tuple(each.tolist()) for each in every))
    found = feet.solve(limits)
    assert_interval_minimum(feet.data, limits, floats(found.x), floats(found.multipliers), 1e-9)
    factor = Factor.of(nested(hessian), ["pivot"] * n)
    program = nested(hessian), factor, linear.tolist(), nested(rows), bounds.tolist(), limits
    other = solve_interval_program(by_active_set, *program)
    np.testing.assert_allclose(floats(found.x), floats(other.x), rtol=0, atol=2e-6)


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1e-9, 1e-6, 1e-3]))
def test_stiff_legs_make_the_twists_of_feet_dependent(seed: int, bend: float) -> None:
    given = flat_feet(seed, points=4, bend=bend)
    found = given.solve()
    assert_minimum(given.data, pack(found.x), pack(found.multipliers), 1e-9)
    np.testing.assert_allclose(pack(found.x), exact(given), rtol=0, atol=2e-6)


def test_twist_space_has_the_products_of_the_maps() -> None:
    space = TwistSpace(tuple(each.twist_map for each in flat_feet(3, joints=5).groups))
    T, C = np.array(sum(space.maps, ()), dtype=float), np.reshape(space.factor_entries, (12, 12)).astype(float)
    np.testing.assert_allclose(C @ C.T, T @ T.T, rtol=0, atol=1e-12)
    assert (np.triu(C, 1) == 0).all()


@pytest.mark.parametrize("seed", [3, 4])
def test_groups_have_the_rows_of_the_program(seed: int) -> None:
    feet = flat_feet(seed)
    assert [len(each.tangents) for each in feet.groups] == [0 if seed % 2 else 2] * 2
    for each in feet.groups:
        rows = np.array(each.rows) @ np.array(each.twist_map, dtype=float)
        np.testing.assert_allclose(rows, feet.data[2][list(each.numbers)], rtol=0, atol=1e-15)


def unit_rows(n: int) -> Matrix:
    return tuple(tuple(1.0 if i == k else 0 for i in range(n)) for k in range(TRUNK, n))


@pytest.mark.peers
@pytest.mark.parametrize("seed", range(12))
def test_quadprog_finds_the_same_motion(seed: int) -> None:
    quadprog: Any = pytest.importorskip("quadprog", reason="quadprog is another solver")
    feet = flat_feet(seed)
    hessian, linear, rows, bounds = feet.data
    other = quadprog.solve_qp(hessian, linear, rows.T, bounds)[0]
    np.testing.assert_allclose(pack(feet.solve().x), other, rtol=0, atol=2e-6)


def test_newton_takes_no_step_after_the_interior_point() -> None:
    """In coordinates in which the mass matrix is the identity, with rows of length one."""
    W = edges_of(np.array([[x, y, 0.0] for x in (-0.1, 0.0, 0.1) for y in (-0.03, 0.03)]), np.zeros(6), 0.5)
    W /= np.linalg.norm(W, axis=1)[:, None]
    identity: Matrix = tuple(tuple(1.0 if i == j else 0 for j in range(6)) for i in range(6))
    group = RowGroup(tuple(range(24)), nested(W), identity)
    sides = (1 + 1e-3 * np.random.default_rng(0).normal(size=24)).tolist()
    near = warm_start([group], sides, Intervals(), ())
    found = project_on_polyhedron(nested(W), sides, start=near)
    assert found.steps == 0
    assert found.residual < 1e-10
    alone = project_on_polyhedron(nested(W), sides)
    np.testing.assert_allclose(pack(found.z), pack(alone.z), rtol=0, atol=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_interval_rows_begin_at_their_multipliers(seed: int) -> None:
    """Rows at bounds, and rows with dry friction, which are not the first ones."""
    rng = np.random.default_rng(seed)
    W = edges_of(np.array([[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.03, 0.03)]), np.zeros(4), 0.5)
    W = np.hstack([W / np.linalg.norm(W, axis=1)[:, None], np.zeros((len(W), 3))])
    across = rng.normal(size=(4, 9))
    across /= np.linalg.norm(across, axis=1)[:, None]
    identity: Matrix = tuple(tuple(1.0 if i == j else 0 for j in range(9)) for i in range(6))
    group = RowGroup(tuple(range(len(W))), nested(W[:, :6]), identity)
    sides, rest = (1 + 1e-3 * rng.normal(size=len(W))).tolist(), rng.normal(size=4).tolist()
    friction = (0, 0, 0.02, 5.0)
    limits = Intervals(nested(across), (-9.0, 0.01, -9.0, -9.0), (9.0,) * 4, friction, (0.0,) * 4)
    near = warm_start([group], sides, limits, rest)
    found = project_on_polyhedron(nested(W), sides, limits, rest, near)
    assert found.residual < 1e-10
    assert abs(floats(found.multipliers)[-2:]).min() > 1e-3
    np.testing.assert_allclose(floats(near.multipliers), floats(found.multipliers), rtol=0, atol=1e-6)
    np.testing.assert_allclose(
        floats(near.rates), across @ floats(found.z) - rest - floats(found.multipliers)[-4:], rtol=0, atol=1e-6
    )


def recorded(feet: Feet, *, friction: float = 0.05, stop: float = 0.05) -> Program:
    """Return the program of flat feet with bounds and forces as inputs."""
    hessian, linear, rows, bounds = feet.data
    graph = Graph()
    sides, forces = graph.input("bounds", (len(bounds),)), graph.input("linear", (len(linear),))
    factor, n, k = Factor.of(nested(hessian), ["pivot"] * len(linear)), len(linear), len(linear) - TRUNK
    rubbing = (0, *(friction or 0,) * (k - 1))
    limits = Intervals(unit_rows(n), (-stop,) * k, (stop,) * k, rubbing, (0,) * k)
    found = solve_projected_program(nested(hessian), factor, forces, nested(rows), sides, limits, feet.groups)
    outputs: dict[str, tuple[Scalar, ...] | Scalar] = {"x": found.x, "multipliers": found.multipliers}
    return Program.of(graph, "flat_feet", outputs | {"exact": found.by_active_set})


@pytest.mark.parametrize(("friction", "stop"), [pytest.param(0.05, 0.05, marks=pytest.mark.optimised), (0.0, 8.0)])
def test_one_lane_many_lanes_and_the_interpreter_give_the_same_bits(friction: float, stop: float) -> None:
    """Some robots fly, others stand, are pushed sideways, lie on one edge of a foot, or reach stops of their legs."""
    feet, count, rng = flat_feet(4, points=4), 19, np.random.default_rng(1)
    program = recorded(feet, friction=friction, stop=stop)
    _, linear, _, bounds = feet.data
    arrays = [
        bounds - rng.choice([0, 1e-3, 5.0], (count, 1)) * rng.exponential(size=(count, len(bounds))),
        linear * rng.choice([0.02, 1, 1, -1], (count, 1))
        + rng.normal(size=(count, len(linear))) * rng.choice([0, 0.3, 3]),
    ]
    expected = reference(program, arrays, count)
    assert expected[1] == (-1, 0)
    held = expected[0][:, -7:-1].any(axis=1)  # the last multipliers, before "exact"
    assert np.any(held)
    assert friction or not np.all(held)  # without friction, robots whose stops are far have another method
    assert_same_bits(native_singles(CompiledProgram(program, 1), arrays, count), expected)
    two, eight = (CompiledProgram(program, lanes) for lanes in (2, 8))
    assert_same_bits(native_rows(two, arrays, count), expected)
    assert_same_bits(native_rows(eight, arrays, count), expected)
    assert_same_bits(native_rows(eight, arrays, count, threads=2), expected)
    reversed_rows = native_rows(eight, [x[::-1].copy() for x in arrays], count)
    assert np.array_equal(reversed_rows[0][::-1], expected[0])


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_derivatives_agree_with_finite_differences(mode: Literal["forward", "reverse"]) -> None:
    feet = flat_feet(7, feet=1, points=3, unevenness=0.3)
    program = recorded(feet)
    point = {"bounds": feet.data[3], "linear": feet.data[1]}
    assert np.asarray(program.interpret(**point)["multipliers"]).max() > 0
    (matrix,) = derivative(program, "x", "linear", mode=mode).interpret(**point).values()
    h, columns = 1e-5, list[Array]()
    for k in range(len(point["linear"])):
        change = h * np.eye(len(point["linear"]))[k]
        ends = [program.interpret(**{**point, "linear": point["linear"] + s * change})["x"] for s in (1, -1)]
        columns.append((np.asarray(ends[0]) - np.asarray(ends[1])) / (2 * h))
    np.testing.assert_allclose(np.asarray(matrix), np.transpose(columns), rtol=0, atol=1e-4)


@pytest.mark.parametrize("seed", range(8))
def test_dry_friction_takes_few_iterations(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong stiffness of its rows would be corrected later, after the largest number of iterations."""
    counts, run = list[float](), Intrinsic.run_on_floats

    def noted(self: Intrinsic, sizes: tuple[int, ...], operands: list[float]) -> tuple[list[float], int]:
        found = run(self, sizes, operands)
        if self.name == "project_by_interior_point":
            ends = np.cumsum(self.lengths(sizes).results)
            counts.append(found[0][ends[list(self.layout.names("result")).index("iterations")] - 1])
        return found

    monkeypatch.setattr(Intrinsic, "run_on_floats", noted)
    feet = flat_feet(seed, points=4)
    rows = unit_rows(len(feet.data[1]))
    n = len(rows)
    feet.solve(Intervals(rows, (-9.0,) * n, (9.0,) * n, (0.02,) * n, (0.0,) * n))
    assert 0 < counts[0] <= 14
