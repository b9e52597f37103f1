"""The dual active-set method in terms of twists: solutions of other methods, rows that are dropped, dependent rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbd.errors import SolverError
from rbd.intrinsics import tree
from rbd.intrinsics.traversal import walk
from rbd.scalars import Matrix
from rbd.scalars.arrays import Array, pack
from rbd.solvers.equations.ltdl_factor import Factor
from rbd.solvers.intervals import Intervals
from rbd.solvers.projections import warm_start as warm_start_module
from rbd.solvers.projections.dual_active_set import method
from rbd.solvers.projections.dual_active_set.method import PROJECT_BY_DUAL_ACTIVE_SET
from rbd.solvers.projections.dual_active_set.workspace import DualActiveSet
from rbd.solvers.projections.projected_program import solve_projected_program
from rbd.solvers.projections.row_groups import RowGroup
from rbd.solvers.projections.warm_start import warm_start
from rbd.solvers.quadratic.quadratic_program import solve_quadratic_program
from tests.contact.flat_feet import edges_of, flat_feet
from tests.contact.test_projected_program import nested
from tests.contact.test_quadratic_program import assert_minimum

IDENTITY: Matrix = tuple(tuple(1.0 if i == j else 0 for j in range(6)) for i in range(6))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 2), st.integers(3, 8), st.sampled_from([0.0, 1e-6, 1e-2]))
def test_solutions_are_those_of_the_other_active_set_method(
    seed: int, feet: int, points: int, unevenness: float
) -> None:
    """No force and slack vanish together within the tolerance: points agree to rounding, not to its root."""
    problem = flat_feet(seed, feet=feet, points=points, unevenness=unevenness)
    hessian, linear, rows, bounds = problem.data
    found = problem.solve()
    assert_minimum(problem.data, pack(found.x), pack(found.multipliers), 1e-9)
    exact = solve_quadratic_program(nested(hessian), linear.tolist(), nested(rows), bounds.tolist())
    np.testing.assert_allclose(pack(found.x), pack(exact[0]), rtol=0, atol=1e-8)
    assert found.by_active_set == 0


def unit_edges(angles: Array) -> Array:
    """Return the edges of six points of a foot, as rows of length one."""
    places = np.array([[x, y, 0.0] for x in (-0.1, 0.0, 0.1) for y in (-0.03, 0.03)])
    rows = edges_of(places, angles, 0.5)
    return rows / np.linalg.norm(rows, axis=1)[:, None]


def nearest(rows: Array, sides: Array) -> tuple[Array, Array]:
    """Return point and multipliers of the method for rows of one foot, whose velocities are the unknowns."""
    group = RowGroup(tuple(range(len(rows))), nested(rows), IDENTITY)
    near = warm_start([group], sides.tolist(), Intervals(), ())
    return pack(near.point), pack(near.multipliers)


def counted(monkeypatch: pytest.MonkeyPatch, name: str) -> list[float]:
    """Note whether a row is pending whenever a function of the method returns."""
    notes, function = list[float](), getattr(method, name)

    def noting(w: DualActiveSet, *arguments: object) -> None:
        function(w, *arguments)
        notes.append(w.pending[0])

    monkeypatch.setattr(method, name, noting)
    return notes


def test_a_row_may_replace_several_of_which_each_is_dropped_in_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    dropped, entered = counted(monkeypatch, "drop_blocking_row"), counted(monkeypatch, "_enter_row")
    rng = np.random.default_rng(0)
    for _ in range(12):
        rows, sides = unit_edges(rng.uniform(0, 1.5, 6)), np.minimum(1, 1 + 0.5 * rng.normal(size=24))
        z, weights = nearest(rows, sides)
        slack = rows @ z - sides
        assert (weights >= 0).all()
        assert np.count_nonzero(weights) <= 6
        assert slack.min() > -1e-10
        np.testing.assert_allclose(slack * weights, 0, rtol=0, atol=1e-12)
        np.testing.assert_allclose(rows.T @ weights, z, rtol=0, atol=1e-12)
    assert len(dropped) > 12
    assert sum(entered) > 2


@pytest.mark.parametrize("chunk", [1, 2, 4, 24])
def test_rows_are_found_in_chunks_of_any_size(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    for _ in range(3):
        rows, sides = unit_edges(rng.uniform(0, 1.5, 6)), np.minimum(1, 1 + 0.3 * rng.normal(size=24))
        expected = nearest(rows, sides)
        with monkeypatch.context() as patch:
            patch.setattr(warm_start_module, "_chunk", lambda *_: chunk)
            found = nearest(rows, sides)
        assert [x.tobytes() for x in found] == [x.tobytes() for x in expected]


def test_rows_that_are_there_twice_change_nothing() -> None:
    rng = np.random.default_rng(1)
    for _ in range(6):
        rows, sides = unit_edges(rng.uniform(0, 1.5, 6)), np.minimum(1, 1 + 0.2 * rng.normal(size=24))
        z, _ = nearest(rows, sides)
        again, weights = nearest(np.repeat(rows, 2, axis=0), np.repeat(sides, 2))
        np.testing.assert_allclose(again, z, rtol=0, atol=1e-10)
        assert np.count_nonzero(weights) <= 6


def test_rows_that_contradict_each_other_raise() -> None:
    rows = np.concatenate([unit_edges(np.zeros(6)), -unit_edges(np.zeros(6))])
    group = RowGroup(tuple(range(48)), nested(rows), IDENTITY)
    factor = Factor.of(IDENTITY, ["pivot"] * 6)
    with pytest.raises(SolverError):
        solve_projected_program(IDENTITY, factor, (0.0,) * 6, nested(rows), (1.0,) * 48, groups=[group])


def selected_stores(routine: tree.Routine) -> list[str]:
    """Return the arrays of a function, and of those it calls, whose entries a `select` keeps or replaces."""
    found = list[str]()
    for node in walk(routine.body):
        if isinstance(node, tree.RoutineCall):
            found += selected_stores(node.routine)
        elif isinstance(node, tree.Store) and isinstance(node.value, tree.BuiltinCall) and node.value.name == "select":
            own = tree.Load(node.array, node.index, "float")
            found += [node.array] if own in node.value.arguments else []
    return found


def test_no_entry_of_an_array_is_kept_by_select() -> None:
    """LLVM would make masked stores of these, which are slow on processors with AVX2."""
    assert selected_stores(PROJECT_BY_DUAL_ACTIVE_SET.routine) == []
