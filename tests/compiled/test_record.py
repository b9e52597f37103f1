"""Recording functions of a state."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, RecordingError, ShapeError
from rbd.scalars import const, greater, maximum, sin, where


@pytest.fixture
def mechanism() -> rbd.Mechanism:
    return rbd.robots.double_pendulum()


def test_scalar_function(mechanism: rbd.Mechanism) -> None:
    def cost(state: rbd.ScalarState, target: np.ndarray) -> object:
        tip = state.transform_to_root(state.mechanism.bodies[-1]).translation_components
        return sum((x - y) * (x - y) for x, y in zip(tip, target, strict=True)) + rbd.kinetic_energy(state)

    recorded = rbd.record(cost, mechanism, target=3)
    state = rbd.MechanismState(mechanism, [0.3, -0.2], [0.5, 1.0])
    target = np.array([0.1, 0.2, 0.3])
    tip = state.transform_to_root(mechanism.bodies[-1]).translation
    expected = ((tip - target) ** 2).sum() + rbd.kinetic_energy(state)
    assert recorded(state.q, state.v, target) == pytest.approx(expected, rel=1e-13)
    assert recorded(state.q, state.v, target=target) == recorded(state.q, state.v, target)
    assert recorded.count().total > 10
    assert "cost" in str(recorded)
    assert "cost" in repr(recorded)


def test_arguments_of_any_shape(mechanism: rbd.Mechanism) -> None:
    def function(state: rbd.ScalarState, gain: object, matrix: np.ndarray) -> np.ndarray:
        return gain * (matrix @ state.v)

    recorded = rbd.record(function, mechanism, gain=(), matrix=(3, 2))
    matrix, v = np.arange(6.0).reshape(3, 2), np.array([1.0, -2.0])
    assert (recorded(np.zeros(2), v, 2.0, matrix) == 2 * matrix @ v).all()
    assert recorded(np.zeros((5, 2)), v, np.arange(5.0), matrix).shape == (5, 3)


def test_several_outputs_and_framed_values(mechanism: rbd.Mechanism) -> None:
    def function(state: rbd.ScalarState) -> dict[str, object]:
        return {"momentum": rbd.momentum(state), "M": rbd.mass_matrix(state), "one": 1}

    recorded = rbd.record(function, mechanism)
    momentum, matrix, one = recorded([0.1, 0.2], [1.0, 2.0])
    state = rbd.MechanismState(mechanism, [0.1, 0.2], [1.0, 2.0])
    np.testing.assert_allclose(momentum, rbd.momentum(state).vector, rtol=0, atol=1e-14)
    np.testing.assert_allclose(matrix, rbd.mass_matrix(state), rtol=0, atol=1e-14)
    assert one == 1.0


def test_where_is_recorded_as_a_selection(mechanism: rbd.Mechanism) -> None:
    def function(state: rbd.ScalarState) -> object:
        a, b = state.q
        return where(greater(a, b), sin(a), maximum(b, const(1, 2)))

    recorded = rbd.record(function, mechanism)
    assert recorded([1.0, 0.0], [0, 0]) == recorded.interpret([1.0, 0.0], [0, 0]) == pytest.approx(np.sin(1.0))
    assert recorded([0.0, 0.7], [0, 0]) == 0.7
    assert recorded([0.0, 0.1], [0, 0]) == 0.5


def test_branching_on_a_value_names_the_line(mechanism: rbd.Mechanism) -> None:
    def function(state: rbd.ScalarState) -> object:
        return 1 if state.q[0] > 0 else 2

    with pytest.raises(RecordingError, match=r"test_record\.py"):
        rbd.record(function, mechanism)


def test_a_function_that_returns_none_raises(mechanism: rbd.Mechanism) -> None:
    with pytest.raises(ArgumentError, match="None"):
        rbd.record(lambda state: None, mechanism)


def test_wrong_calls_name_the_argument(mechanism: rbd.Mechanism) -> None:
    recorded = rbd.record(lambda state, tau: tau, mechanism, tau=2)
    for arguments, named, fragment in (
        (([0, 0], [0, 0]), {}, "tau"),
        (([0, 0], [0, 0], [0, 0], [0, 0]), {}, "4 positional"),
        (([0, 0], [0, 0], [0, 0]), {"tau": [0, 0]}, "tau"),
        (([0, 0], [0, 0]), {"torque": [0, 0]}, "torque"),
    ):
        with pytest.raises(ArgumentError, match=fragment):
            recorded(*arguments, **named)
    with pytest.raises(ShapeError, match=r"^tau"):
        recorded([0, 0], [0, 0], [0, 0, 0])


@pytest.mark.parametrize("name", ["out", "q", "self", "state", "status", "threads", "v"])
def test_names_of_arguments_of_every_function_are_refused(mechanism: rbd.Mechanism, name: str) -> None:
    with pytest.raises(ArgumentError, match=f"can have the name '{name}'") as caught:
        rbd.record(lambda *args, **named: 0.0, mechanism, x=2, **{name: 3})
    assert caught.value.argument == name


def test_a_transform_is_recorded_as_its_matrix(mechanism: rbd.Mechanism) -> None:
    body = mechanism.bodies[-1]
    recorded = rbd.record(lambda state: {"pose": state.transform_to_root(body)}, mechanism)
    state = rbd.MechanismState(mechanism, np.linspace(0.1, 0.7, mechanism.nq))
    np.testing.assert_allclose(recorded(state.q, state.v), state.transform_to_root(body).matrix, rtol=0, atol=1e-15)


def test_functions_with_operators_of_python_and_numpy(mechanism: rbd.Mechanism) -> None:
    def cost(state: rbd.MechanismState, target: np.ndarray) -> object:
        return np.sum((state.q - target) ** 2) + np.linalg.norm(np.sin(state.q)) + abs(state.v[0])

    recorded = rbd.record(cost, mechanism, target=mechanism.nq)
    q, v = np.linspace(0.1, 0.7, mechanism.nq), np.linspace(-1, 1, mechanism.nv)
    expected = np.sum((q - 1) ** 2) + np.linalg.norm(np.sin(q)) + abs(v[0])
    np.testing.assert_allclose(recorded(q, v, np.ones(mechanism.nq)), expected, rtol=1e-14)
