"""Results of recorded functions: result classes, tuples of different shapes, arrays of framed values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, RecordingError


@pytest.fixture(scope="module")
def state() -> rbd.MechanismState:
    made = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, -0.4], [1.0, 0.5])
    assert made.mechanism.nv == 2
    return made


def outputs(function: Callable[[Any], object], state: rbd.MechanismState) -> dict[str, np.ndarray]:
    """Return what a recorded function gives, by the names of its outputs."""
    recorded = rbd.record(function, state.mechanism)
    found = recorded(state.q, state.v)
    names = [port.name for port in recorded.program.outputs]
    return dict(zip(names, found if isinstance(found, tuple) else (found,), strict=True))


def test_a_class_of_results_has_an_output_per_field(state: rbd.MechanismState) -> None:
    found = outputs(lambda s: rbd.step_derivatives(s, None, 0.01), state)
    wanted = rbd.step_derivatives(state, None, 0.01)
    assert list(found) == ["q_by_q", "q_by_v", "q_by_torques", "v_by_q", "v_by_v", "v_by_torques"]
    for name, array in found.items():
        np.testing.assert_allclose(array, getattr(wanted, name), rtol=0, atol=1e-12)


def test_contact_steps_are_recorded() -> None:
    mechanism, model = rbd.robots.hand()
    state = rbd.MechanismState(mechanism)
    found = outputs(lambda s: rbd.contact.contact_step(s, model, [0.0] * mechanism.nv, 1e-3), state)
    wanted = rbd.contact.contact_step(state, model, [0.0] * mechanism.nv, 1e-3)
    assert {"q", "v", "impulses", "energy_change"} <= set(found)
    np.testing.assert_allclose(found["q"], wanted.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["impulses"], wanted.impulses, rtol=0, atol=1e-12)


def test_tuples_of_different_shapes_and_nested_results(state: rbd.MechanismState) -> None:
    found = outputs(lambda s: (s.q, s.twist("lower_link"), {"energy": rbd.kinetic_energy(s)}), state)
    assert list(found) == ["result_0", "result_1", "result_2_energy"]
    np.testing.assert_array_equal(found["result_0"], state.q)
    np.testing.assert_allclose(found["result_1"], state.twist("lower_link").vector, rtol=0, atol=1e-15)
    nested = outputs(lambda s: {"step": rbd.forward_dynamics(s, prescribed={"elbow": 0.5}), "q": s.q}, state)
    assert list(nested) == ["step_vd", "step_torques", "q"]


def test_scalars_and_lists_of_arrays_of_one_shape_are_one_array(state: rbd.MechanismState) -> None:
    assert outputs(lambda s: [s.q, s.v], state)["result"].shape == (2, 2)
    assert outputs(lambda s: (s.q[0], s.v[1]), state)["result"].shape == (2,)
    assert outputs(lambda s: ((s.q[0], 1.0), (s.v[1], 0.0)), state)["result"].shape == (2, 2)
    assert outputs(lambda s: (s.twist("lower_link"), s.twist("upper_link")), state)["result"].shape == (2, 6)


def test_framed_values_give_arrays_of_recorded_scalars(state: rbd.MechanismState) -> None:
    def speed(s: Any) -> Any:
        return np.linalg.norm(rbd.geometric_jacobian(s, "lower_link").matrix @ s.v)

    wanted = np.linalg.norm(rbd.geometric_jacobian(state, "lower_link").matrix @ state.v)
    assert abs(outputs(speed, state)["result"] - wanted) < 1e-14
    exact = state.with_scalars().transform_to_root("lower_link").matrix
    assert exact.dtype == np.float64


def branch(s: Any) -> Any:
    return 1.0 if s.q[0] > 0 else 0.0


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "math": (lambda s: math.sin(s.q[0]), r"write rbd\.scalars\.sin instead of math\.sin"),
    "max": (lambda s: max(s.q[0], s.q[1]), r"write rbd\.scalars\.maximum instead of max"),
    "branch": (branch, r"branching on .* choose with numpy\.where\(condition, a, b\) or rbd\.scalars\.where"),
    "float": (lambda s: float(s.q[0]), "it has no value before the recording runs"),
    "plain inverse": (lambda s: np.linalg.inv(np.diag(list(s.q))), r"plain array of recorded values .* like="),
    "mixed plain array": (lambda s: np.sin(np.array([s.q[0], 1.0])), r"plain array of recorded values .* like="),
}


@pytest.mark.parametrize("name", REFUSED)
def test_unsupported_functions_name_their_replacement(name: str, state: rbd.MechanismState) -> None:
    function, message = REFUSED[name]
    with pytest.raises(RecordingError, match=message) as caught:
        rbd.record(function, state.mechanism)
    assert "test_record_results.py:" in str(caught.value.where)


def test_other_type_errors_pass(state: rbd.MechanismState) -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        rbd.record(lambda s: s.q[0] + "x", state.mechanism)


SOLVED = ["qd", "vd", "mass_matrix", "dynamics_bias", "passive_torques", "constraint_jacobian", "constraint_bias"]


@pytest.mark.parametrize("name", ["double_pendulum", "four_bar", "quadruped"])
def test_a_dynamics_result_has_an_output_per_array(name: str) -> None:
    mechanism = getattr(rbd.robots, name)()
    state = rbd.MechanismState(mechanism)
    state.randomize_velocity(np.random.default_rng(0))
    found = outputs(lambda s: rbd.dynamics(s, [0.5] * mechanism.nv), state)
    wanted = rbd.dynamics(state, [0.5] * mechanism.nv)
    assert list(found) == [*SOLVED, "multipliers", "sd"]
    for each, array in found.items():
        np.testing.assert_allclose(array, getattr(wanted, each), rtol=1e-9, atol=1e-9)
    nested = outputs(lambda s: {"tree": rbd.dynamics(s), "q": s.q}, state)
    assert list(nested) == [*(f"tree_{each}" for each in found), "q"]


def test_a_filled_and_an_empty_dynamics_result(state: rbd.MechanismState) -> None:
    result = rbd.DynamicsResult(state.mechanism)
    with pytest.raises(ArgumentError, match="this result is empty"):
        rbd.record(lambda s: result, state.mechanism)
    inverse = outputs(lambda s: (rbd.inverse_dynamics(s, [1.0, 2.0], result=result), result), state)
    np.testing.assert_array_equal(inverse["result_1_vd"], [1.0, 2.0])


@pytest.mark.parametrize(
    ("result", "places"),
    [
        (lambda state: {"a": {"b": state.q[0]}, "a_b": state.q[1]}, r"\['a'\]\['b'\] and \['a_b'\]"),
        (lambda state: {1: state.q[0], "1": state.q[1]}, r"\[1\] and \['1'\]"),
        (lambda state: {"": state.q[0], "result": state.q[1]}, r"\[''\] and \['result'\]"),
    ],
)
def test_parts_with_the_same_output_name_are_refused(result: Callable[..., Any], places: str) -> None:
    with pytest.raises(ArgumentError, match=f"{places} .* rename one of the keys"):
        rbd.record(result, rbd.robots.double_pendulum())


class Motion(NamedTuple):
    """A result with names."""

    position: Any
    rate: Any


@pytest.mark.parametrize("mechanism", [rbd.robots.double_pendulum(), rbd.robots.quadruped()])
def test_outputs_do_not_depend_on_the_sizes_of_the_mechanism(mechanism: rbd.Mechanism) -> None:
    state = rbd.MechanismState(mechanism)
    assert {name: each.shape for name, each in outputs(lambda s: (s.q, s.v), state).items()} == {
        "result_0": (mechanism.nq,),
        "result_1": (mechanism.nv,),
    }
    assert list(outputs(lambda s: Motion(s.q, s.v), state)) == ["position", "rate"]
    assert list(outputs(lambda s: {"motion": Motion(s.q[0], s.v[0])}, state)) == ["motion_position", "motion_rate"]


def test_tuples_of_one_part_are_composed_like_longer_ones(state: rbd.MechanismState) -> None:
    def shapes(function: Callable[[Any], object]) -> dict[str, tuple[int, ...]]:
        return {name: each.shape for name, each in outputs(function, state).items()}

    assert shapes(lambda s: (s.q,)) == {"result_0": (2,)}
    assert shapes(lambda s: ({"rates": s.v},)) == {"result_0_rates": (2,)}
    assert shapes(lambda s: (s.q[0],)) == {"result": (1,)}
