"""A foot made of capsules: its rows as products, the motion of the active-set method, bits, rest."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.contact import Capsule, CollisionModel, ContactSimulator, HalfSpace
from rbd.contact.dynamics.gauss_principle import nearest_motion_by_active_set
from rbd.contact.model.evaluation import as_tuple
from rbd.contact.stepping.options import MARGIN, ContactStepOptions
from rbd.contact.stepping.problem import step_problem
from rbd.contact.stepping.row_groups import row_groups
from rbd.scalars import where
from rbd.scalars.arrays import Array
from rbd.solvers.projections.dual_active_set.method import PROJECT_BY_DUAL_ACTIVE_SET
from tests.contact.test_legged import DT, MU, step_of

RADIUS = 0.01


def foot(capsules: int) -> CollisionModel:
    """Return a foot with parallel capsules in one plane, on the ground."""
    mechanism = rbd.Mechanism()
    inertia = rbd.SpatialInertia(rbd.Frame("foot"), mass=2.0, moment_about_com=np.diag([0.004, 0.009, 0.01]))
    body = rbd.RigidBody("foot", inertia)
    mechanism.attach(mechanism.root_body, body, rbd.Joint("floating", rbd.QuaternionFloating()))
    model, root = CollisionModel(mechanism), mechanism.root_frame
    ground = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    for k in range(capsules):
        half = 0.08 - 0.01 * abs(k - capsules // 2)
        turned = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
        frame = rbd.Frame(f"capsule{k}")
        place = rbd.Transform(frame, body.default_frame, rotation=turned, translation=(0.02, 0.02 * k - 0.03, -0.04))
        body.add_frame(place)
        model.add_pair(model.add(body, Capsule(frame, length=2 * half, radius=RADIUS)), ground)
    return model


def states(count: int) -> tuple[Array, Array, Array]:
    """Return feet above, on and in the ground, sliding, tilted and at rest, with forces on them."""
    rng = np.random.default_rng(0)
    q, height = np.zeros((count, 7)), 0.04 + RADIUS
    q[:, 0], q[:, 4:6] = 1, rng.normal(size=(count, 2)) * 30
    q[:, 1:3] = rng.normal(size=(count, 2)) * rng.choice([0, 1e-3], (count, 1))
    q[:, :4] /= np.linalg.norm(q[:, :4], axis=1)[:, None]
    q[:, 6] = height + rng.choice([0, 0.002, -0.001], count)
    v = rng.normal(size=(count, 6)) * rng.choice([0, 0.05, 0.5], (count, 1))
    return q, v, rng.normal(size=(count, 6)) * 3


def test_rows_are_products_of_wrenches_and_the_twist_of_the_foot() -> None:
    model = foot(4)

    def rows(state: rbd.ScalarState) -> dict[str, object]:
        dt, margin, mu = (state.lifted(x) for x in (DT, MARGIN, MU))
        problem, constraints = step_problem(model.pairs, state, (0,) * 6, dt, ContactStepOptions(mu, margin))
        (group,) = row_groups(state, tuple(point.cone for point in constraints.points))
        assert group.numbers == tuple(range(4 * 2 * 4))
        assert group.is_redundant
        near = [where(each, 1, 0) for each in group.counts for _ in range(4)]
        return {"J": problem.program.J, "W": group.rows, "T": group.twist_map, "near": near}

    q, v, _ = states(8)
    for J, W, T, near in zip(*(np.array(x) for x in as_tuple(rbd.record(rows, model.mechanism)(q, v))), strict=True):
        assert np.abs(J).max() > 0.5
        np.testing.assert_allclose(near[:, None] * (W @ T), J, rtol=0, atol=1e-13)


@pytest.mark.parametrize("capsules", [1, 5])
def test_steps_of_feet_of_several_shapes_have_an_active_set_method_of_their_own(capsules: int) -> None:
    program = step_of(foot(capsules)).program
    has_it = any(call.intrinsic is PROJECT_BY_DUAL_ACTIVE_SET for call in program.calls)
    assert has_it == (capsules > 1)


def test_single_shapes_are_no_groups() -> None:
    def groups(model: CollisionModel) -> int:
        found = list[int]()

        def rows(state: rbd.ScalarState) -> dict[str, object]:
            dt, margin, mu = (state.lifted(x) for x in (DT, MARGIN, MU))
            problem, constraints = step_problem(model.pairs, state, (0,) * 6, dt, ContactStepOptions(mu, margin))
            found.append(len(row_groups(state, tuple(point.cone for point in constraints.points))))
            return {"v": problem.v_free}

        _ = rbd.record(rows, model.mechanism).program
        return found[-1]

    assert groups(foot(1)) == 0
    assert groups(foot(2)) == 1


@pytest.mark.optimised
def test_steps_are_those_of_the_active_set_method_with_the_same_bits_alone_in_batches_and_on_threads() -> None:
    model, count = foot(5), 29
    given = states(count)
    found, exact = step_of(model), step_of(model, nearest_motion_by_active_set)
    q, v, residual, impulses = (np.array(x) for x in as_tuple(found(*given)))
    expected = [np.array(x) for x in as_tuple(exact(*given))]
    assert (residual < 1e-9).all()
    assert len(np.unique((expected[3] > 0).sum(axis=1))) > 2
    np.testing.assert_allclose(v, expected[1], rtol=0, atol=1e-6)
    np.testing.assert_allclose(q, expected[0], rtol=0, atol=1e-8)
    np.testing.assert_allclose(impulses.sum(axis=1), expected[3].sum(axis=1), rtol=0, atol=1e-6)
    for a, b in zip(as_tuple(found(*given, threads=2)), (q, v, residual, impulses), strict=True):
        assert np.array_equal(a, b)
    for k in range(count):
        alone = [np.array(x) for x in as_tuple(found(*(x[k] for x in given)))]
        for a, b in zip(alone, (q, v, residual, impulses), strict=True):
            assert np.array_equal(a, b[k])


@pytest.mark.parametrize("slope", [0.0, 0.3])
def test_a_foot_that_is_pushed_less_than_friction_rests(slope: float) -> None:
    model = foot(5)
    q = np.array([1.0, 0, 0, 0, 0, 0, 0.04 + RADIUS])
    state = rbd.MechanismState(model.mechanism, q, np.zeros(6))
    push = np.array([0, 0, 0, slope * 2.0 * 9.81, 0, 0])
    simulator = ContactSimulator(model.mechanism, model, lambda t, now: push, DT, friction=MU)
    found = simulator.run(state, 2.0)
    np.testing.assert_allclose(found.q[-1], q, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.v[-1], 0, rtol=0, atol=1e-6)
