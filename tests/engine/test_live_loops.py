"""Live states with loops: machine code and fast paths agree with the source."""

from __future__ import annotations

import copy
import itertools
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbd
from rbd import Baumgarte, DynamicsResult, MechanismState
from tests.marks import needs_builtins

from ..algorithms.helpers import Case
from ..algorithms.loops.mechanisms import looped

pytestmark = pytest.mark.usefixtures("at_once")


def solution(case: Case, result: DynamicsResult, tau: Any, **options: Any) -> list[np.ndarray]:
    """Return everything a result says."""
    rbd.dynamics(result, case.state, tau, **options)
    mechanism = case.mechanism
    arrays = [result.qd, result.vd, result.mass_matrix, result.dynamics_bias, result.passive_torques]
    arrays += [result.constraint_jacobian, result.constraint_bias, result.multipliers, np.array(result.constraint_rank)]
    wrenches = [result.joint_wrench(joint) for joint in mechanism.tree_joints]
    wrenches += [result.loop_wrench(joint) for joint in mechanism.loop_joints]
    motion = [result.acceleration(body) for body in mechanism.bodies]
    return [np.array(x) for x in (*arrays, *(value.vector for value in (*wrenches, *motion)))]


def agree(one: list[np.ndarray], two: list[np.ndarray], tolerance: float = 1e-10) -> None:
    for a, b in zip(one, two, strict=True):
        size = max(1.0, np.abs(a).max(initial=0), np.abs(b).max(initial=0))
        assert np.abs(a - b).max(initial=0) <= tolerance * size


@pytest.mark.parametrize(
    "kind", ["fixed", "revolute oblique", "universal oblique", "screw oblique", "spherical", "planar"]
)
def test_machine_code_agrees_with_the_source(kind: str) -> None:
    case, tau = looped(kind, 3, slack=True), np.linspace(-1, 1, looped(kind, 3).mechanism.nv)
    state, result = case.state, DynamicsResult(case.mechanism)
    asked: list[Callable[[], Any]] = [
        lambda: rbd.forward_dynamics(state, tau),
        lambda: rbd.inverse_dynamics(state, tau),
        lambda: rbd.constraint_jacobian(state),
        lambda: rbd.constraint_bias(state),
        lambda: rbd.constraint_bias(state, stabilization=None),
        lambda: rbd.constraint_bias(state, stabilization=Baumgarte(0.3)),
        lambda: rbd.constraint_error(state),
        lambda: np.array(float(rbd.loop_gap(state))),
    ]
    with rbd.interpreted():
        expected, answers = solution(case, DynamicsResult(case.mechanism), tau), [ask() for ask in asked]
    for _ in range(4):
        agree(solution(case, result, tau), expected)
        agree([ask() for ask in asked], answers)


@needs_builtins
def test_fast_path_follows_the_state_but_not_its_copies() -> None:
    """The third call and later ones run machine code only: every answer is of the last solution, kept apart."""
    case = looped("revolute oblique", 3)
    result, tau = DynamicsResult(case.mechanism), np.ones(case.mechanism.nv)
    for _ in range(4):
        rbd.dynamics(result, case.state, tau)
    assert result.writer.builtins
    (loop,) = case.mechanism.loop_joints
    rbd.dynamics(result, case.state, 2 * tau)
    frozen = [copy.deepcopy(result), pickle.loads(pickle.dumps(result))]
    fresh = rbd.dynamics(DynamicsResult(case.mechanism), case.state, 2 * tau)
    expected = fresh.loop_wrench(loop).vector
    result.multipliers[:] = 0  # what a caller does with the arrays is the caller's
    result.vd[:] = 0
    np.testing.assert_allclose(result.loop_wrench(loop).vector, expected, rtol=1e-12)
    case.state.randomize(3)
    np.testing.assert_allclose(result.loop_wrench(loop).vector, expected, rtol=1e-12)
    rbd.dynamics(result, case.state, tau)
    other = rbd.dynamics(DynamicsResult(case.mechanism), case.state, tau)
    np.testing.assert_allclose(result.loop_wrench(loop).vector, other.loop_wrench(loop).vector, rtol=1e-10)
    assert result.constraint_rank == other.constraint_rank == 5
    for twin in frozen:
        (same,) = twin.mechanism.loop_joints
        np.testing.assert_allclose(twin.loop_wrench(same).vector, expected, rtol=1e-12)


def test_fast_paths_of_different_stabilisations() -> None:
    """Calls with other gains in between leave the fast path with the default ones."""
    case = looped("spherical", 3, slack=True)
    result, tau = DynamicsResult(case.mechanism), np.ones(case.mechanism.nv)
    choices: list[Any] = [
        {},
        {"stabilization": None},
        {"stabilization": Baumgarte(0.5)},
        {"stabilization": Baumgarte()},
    ]
    expected = [solution(case, DynamicsResult(case.mechanism), tau, **choice) for choice in choices]
    assert np.abs(expected[0][1] - expected[1][1]).max() > 1e-3
    for order in itertools.permutations(range(4)):
        for k in (*order, *order):
            choice, answer = choices[k], expected[k]
            agree(solution(case, result, tau, **choice), answer)
            agree([np.array(rbd.forward_dynamics(case.state, tau, **choice))], [answer[1]])
            agree([np.array(rbd.constraint_bias(case.state, **choice))], [answer[6]])


def test_edited_parameters_take_effect() -> None:
    """Gravity, inertia, damping and the place of a tree joint change between calls."""
    case = looped("revolute oblique", 3)
    mechanism, state = case.mechanism, case.state
    tau, result = np.ones(mechanism.nv), DynamicsResult(case.mechanism)
    for _ in range(3):
        rbd.dynamics(result, state, tau)
    edits: list[Callable[[], None]] = [
        lambda: setattr(mechanism, "gravity", (0, 1, -3)),
        lambda: setattr(mechanism.tree_joints[1], "damping", 0.7),
        lambda: mechanism.bodies[2].set_inertia(mechanism.bodies[3].inertia.transformed(_onto(mechanism))),
    ]
    for edit in edits:
        edit()
        with rbd.interpreted():
            expected = solution(case, DynamicsResult(mechanism), tau)
        for _ in range(3):
            agree(solution(case, result, tau), expected)
            agree([rbd.forward_dynamics(state, tau)], [expected[1]])


def _onto(mechanism: rbd.Mechanism) -> rbd.Transform:
    return rbd.Transform.identity(mechanism.bodies[3].default_frame, mechanism.bodies[2].default_frame)


def test_one_result_serves_many_states() -> None:
    case = looped("fixed", 3)
    twin = MechanismState(case.mechanism, case.state.q)
    result, tau = DynamicsResult(case.mechanism), np.ones(case.mechanism.nv)
    one, two = Case(case.mechanism, case.state, case.rng), Case(case.mechanism, twin, case.rng)
    expected = [solution(c, DynamicsResult(case.mechanism), tau) for c in (one, two)]
    for _ in range(3):
        for each, answer in zip((one, two), expected, strict=True):
            agree(solution(each, result, tau), answer, 1e-12)
