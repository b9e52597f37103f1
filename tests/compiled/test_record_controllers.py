"""Controllers written with NumPy, recorded: the same torques as on live states, in batches, with derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import SingularError


@pytest.fixture(scope="module")
def arm() -> rbd.Mechanism:
    return rbd.robots.arm7()


def operational_space(state: Any, goal: Any, gains: Any) -> Any:
    """Return torques by which the hand approaches a point; the arm's posture is damped in the null space."""
    pose = state.transform_to_root("tool")
    J = rbd.geometric_jacobian(state, "link7").matrix
    J = J[3:] - np.cross(pose.translation, J[:3], axisb=0, axisc=0)
    mobility = J @ np.linalg.inv(rbd.mass_matrix(state)) @ J.T
    push = np.clip(gains[0] * (goal - pose.translation) - gains[1] * (J @ state.v), -50.0, 50.0)
    force = np.linalg.solve(mobility + 1e-6 * np.eye(3), push)
    null = np.eye(7) - J.T @ np.linalg.pinv(J.T)
    posture = np.where(np.abs(state.v) > 1.0, -2.0 * state.v, -state.v)
    return J.T @ force + null @ posture + rbd.dynamics_bias(state)


def drawn(count: int) -> tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng(7)
    return rng.uniform(-2, 2, (count, 7)), rng.normal(size=(count, 7)), rng.normal(size=(count, 3)), [80.0, 10.0]


def test_torques_of_a_live_state(arm: rbd.Mechanism) -> None:
    recorded = rbd.record(operational_space, arm, goal=3, gains=2)
    q, v, goal, gains = drawn(20)
    found = recorded(q, v, goal, gains)
    for k, torques in enumerate(found):
        wanted = operational_space(rbd.MechanismState(arm, q[k], v[k]), goal[k], gains)
        np.testing.assert_allclose(torques, wanted, rtol=1e-9, atol=1e-8)


@pytest.mark.optimised
def test_batches_threads_and_the_interpreter_agree_bit_for_bit(arm: rbd.Mechanism) -> None:
    recorded = rbd.record(operational_space, arm, goal=3, gains=2)
    q, v, goal, gains = drawn(70)
    found = recorded(q, v, goal, gains)
    np.testing.assert_array_equal(found, recorded(q, v, goal, gains, threads=2))
    for k in (0, 31, 69):
        np.testing.assert_array_equal(found[k], recorded(q[k], v[k], goal[k], gains))
        np.testing.assert_array_equal(found[k], recorded.interpret(q[k], v[k], goal[k], gains))


def test_derivatives_agree_with_differences(arm: rbd.Mechanism) -> None:
    recorded = rbd.record(operational_space, arm, goal=3, gains=2)
    q, v, goal, gains = (np.asarray(each)[0] if np.ndim(each) > 1 else np.asarray(each) for each in drawn(1))
    step = 1e-6
    for name, of in (("q", q), ("v", v), ("goal", goal), ("gains", gains)):
        found = recorded.derivative("result", name)(q, v, goal, gains)
        for k in range(len(of)):
            values = []
            for sign in (1.0, -1.0):
                moved = dict(zip(("q", "v", "goal", "gains"), (q, v, goal, gains), strict=True))
                moved[name] = of + sign * step * np.eye(len(of))[k]
                values.append(recorded(*moved.values()))
            np.testing.assert_allclose(found[:, k], (values[0] - values[1]) / (2 * step), rtol=1e-4, atol=1e-4)


def test_a_matrix_without_inverse_is_named_with_its_line(arm: rbd.Mechanism) -> None:
    def control(state: Any, weights: Any) -> Any:
        return np.linalg.solve(np.diag(weights) @ rbd.mass_matrix(state), state.v)

    recorded = rbd.record(control, arm, weights=7)
    q, v, weights = np.linspace(-1, 1, 7), np.ones(7), np.ones((3, 7))
    weights[1, 2] = 0.0
    with pytest.raises(SingularError, match=r"numpy\.linalg\.solve \(test_record_controllers\.py:\d+\) is singular"):
        recorded(q, v, weights)
    status = rbd.RowStatus()
    recorded(q, v, weights, status=status)
    assert status.failed.tolist() == [False, True, False]


def test_arrays_filled_by_assignment(arm: rbd.Mechanism) -> None:
    def control(state: Any) -> Any:
        torques = np.zeros(7, like=state.q)
        torques[:3] = -5.0 * state.q[:3]
        torques[3] = np.maximum(state.v[3], 0.0)
        return torques

    q, v = np.linspace(-1, 1, 7), np.linspace(1, -1, 7)
    found = rbd.record(control, arm)(q, v)
    np.testing.assert_array_equal(found, control(rbd.MechanismState(arm, q, v)))
    assert not found[4:].any()


def test_inputs_of_any_shape(arm: rbd.Mechanism) -> None:
    def control(state: Any, K: Any, gain: Any, empty: Any) -> Any:
        assert empty.shape == (0, 3)
        return np.einsum("ij,j->i", K, state.q) * np.sqrt(gain) + np.sum(empty)

    recorded = rbd.record(control, arm, K=(7, 7), gain=(), empty=(0, 3))
    K, q = np.random.default_rng(1).normal(size=(5, 7, 7)), np.linspace(-1, 1, 7)
    found = recorded(q, np.zeros(7), K, 4.0, np.zeros((0, 3)))
    np.testing.assert_allclose(found, 2 * (K @ q), rtol=0, atol=1e-12)
