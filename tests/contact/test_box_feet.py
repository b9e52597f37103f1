"""Humanoids on feet that are boxes: rows in groups, the motion of the active-set method, which is not needed."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.contact import CollisionModel
from rbd.contact.dynamics.gauss_principle import nearest_motion_by_active_set
from rbd.contact.model.evaluation import as_tuple
from rbd.contact.stepping.options import MARGIN, ContactStepOptions
from rbd.contact.stepping.problem import step_problem
from rbd.contact.stepping.row_groups import row_groups
from rbd.contact.stepping.solution import solved_step, step_results
from rbd.scalars import ScalarArray, where
from rbd.scalars.arrays import Array
from rbd.solvers.projections.projected_program import solve_projected_program
from tests.contact.humanoids import on_feet
from tests.contact.test_legged import DT, MU, step_of
from tests.contact.test_wall import wall


def humanoid(friction: float) -> CollisionModel:
    """Return a humanoid whose leg joints have dry friction, with boxes as feet, which may touch each other."""
    model = on_feet("box")
    for joint in model.mechanism.tree_joints[1:]:
        joint.friction = (friction,) * joint.nv
    left, right = (pair.a for pair in model.pairs)
    model.add_pair(left, right)
    return model


def states(model: CollisionModel, count: int) -> tuple[Array, Array, Array]:
    """Return humanoids above, on and in the ground, with bent legs, and torques."""
    rng, nv = np.random.default_rng(0), model.mechanism.nv
    state = rbd.MechanismState(model.mechanism)
    q, v = np.tile(state.q, (count, 1)), rng.normal(size=(count, nv)) * rng.choice([0, 0.05, 0.3], (count, 1))
    for row in q:
        row[7:] += rng.normal(size=nv - 6) * rng.choice([0, 0.02])
        state.set_configuration(row)
        lowest = min(near.value for near in model.distances(state)[:2])
        row[6] += rng.choice([0, 1e-4, -1e-4, 2e-3]) - lowest
    return q, v, rng.normal(size=(count, nv)) * 5


@pytest.mark.parametrize("friction", [pytest.param(0.0, marks=pytest.mark.deep), 0.5])
def test_steps_are_those_of_the_active_set_method_and_do_not_need_it(friction: float) -> None:
    model = humanoid(friction)
    given = states(model, 16)

    def step(state: rbd.ScalarState, torques: ScalarArray) -> dict[str, object]:
        dt, margin, mu = (state.lifted(x) for x in (DT, MARGIN, MU))
        solved = solved_step(model.pairs, state, tuple(torques), dt, ContactStepOptions(mu, margin))
        found = step_results(solved, len(model.pairs))
        needed = solve_projected_program(*solved.problem.program).by_active_set
        return {**{name: found[name] for name in ("q", "v", "kkt_residual")}, "needed": needed}

    recorded = rbd.record(step, model.mechanism, torques=model.mechanism.nv)
    q, v, residual, needed = (np.array(x) for x in as_tuple(recorded(*given)))
    expected = [np.array(x) for x in as_tuple(step_of(model, nearest_motion_by_active_set)(*given))]
    assert not needed.any()
    assert (residual < 1e-9).all()
    assert len(np.unique((expected[3] > 0).sum(axis=1))) > 1
    np.testing.assert_allclose(v, expected[1], rtol=0, atol=2e-6)
    np.testing.assert_allclose(q, expected[0], rtol=0, atol=1e-8)


@pytest.mark.parametrize(("courses", "groups"), [([1], 1), ([2, 1], 4), ([3, 2], 0)])
def test_faces_are_groups_but_for_piles_of_many_bodies(courses: list[int], groups: int) -> None:
    state, model, _ = wall(courses, 0.0)
    found = list[int]()

    def rows(now: rbd.ScalarState) -> dict[str, object]:
        dt, margin, mu = (now.lifted(x) for x in (DT, MARGIN, MU))
        options = ContactStepOptions(mu, margin)
        problem, constraints = step_problem(model.pairs, now, (0,) * now.layout.nv, dt, options)
        found.append(len(row_groups(now, tuple(point.cone for point in constraints.points))))
        return {"v": where(1 > 0, problem.v_free[0], 0)}

    _ = rbd.record(rows, state.mechanism).program
    assert found[-1] == groups
