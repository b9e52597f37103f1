"""Calls of compiled robots with results that overlap, masked arrays, and parameters that no mechanism has."""

from __future__ import annotations

import itertools
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.compiled import CompiledRobot
from rbd.errors import ArgumentError, InertiaError, NotFiniteError, RbdError, RotationError, ShapeError
from rbd.scalars.arrays import Array

Q = [0.1, 0.2]


def _robot(*parameters: str) -> CompiledRobot:
    return rbd.compile(rbd.robots.double_pendulum(), parameters)


def _placements() -> Array:
    m = rbd.robots.double_pendulum()
    return np.stack([np.c_[m.placement(j).rotation, m.placement(j).translation] for j in m.tree_joints])


@pytest.mark.parametrize("shared", ["same", "overlapping"])
def test_results_may_not_share_memory(shared: str) -> None:
    buffer = np.zeros(3)
    out = [buffer[:2], buffer[:2]] if shared == "same" else [buffer[:2], buffer[1:]]
    for _ in range(2):
        with pytest.raises(ArgumentError, match="q_next and for v_next share memory"):
            _robot().step(Q, Q, Q, 0.01, out=out)
    assert not buffer.any()


def test_masks_are_no_numbers_and_masked_arrays_no_results() -> None:
    robot, masked = _robot(), np.ma.masked_array([1.0, 2.0], [False, True])
    with pytest.raises(NotFiniteError, match=r"q\[1\] is masked"):
        robot.mass_matrix(masked)
    with pytest.raises(ShapeError, match="MaskedArray"):
        robot.inverse_dynamics(Q, Q, Q, out=np.ma.zeros(2))
    with pytest.raises(ShapeError, match="MaskedArray"):
        rbd.gravity_torques(rbd.MechanismState(robot.mechanism), out=np.ma.zeros(2))


METHODS: dict[str, Callable[[CompiledRobot, Any], object]] = {
    "mass_matrix": lambda robot, x: robot.mass_matrix(x),
    "forward_kinematics": lambda robot, x: robot.forward_kinematics(x),
    "forward_dynamics": lambda robot, x: robot.forward_dynamics(x, Q),
    "inverse_dynamics": lambda robot, x: robot.inverse_dynamics(x, Q, Q),
    "dynamics_bias": lambda robot, x: robot.dynamics_bias(x, Q),
    "inverse_dynamics_derivatives": lambda robot, x: robot.inverse_dynamics_derivatives(x, Q, Q),
    "step": lambda robot, x: robot.step(x, Q, Q, 0.01),
    "step_derivatives": lambda robot, x: robot.step_derivatives(x, Q, Q, 0.01),
    "rollout": lambda robot, x: robot.rollout(x, Q, Q, 0.01, 2),
    "function": lambda robot, x: robot.function("mass_matrix")(x),
    "interpreted function": lambda robot, x: robot.function("mass_matrix").interpret(x),
    "recorded function": lambda robot, x: rbd.record(rbd.center_of_mass, robot.mechanism)(x, Q),
}


@pytest.mark.parametrize("method", METHODS)
def test_masks_in_sequences_are_refused(method: str) -> None:
    robot, masked = _robot(), np.ma.masked_array(Q, [True, False])
    for calls in range(2):
        with pytest.raises(NotFiniteError, match=r"^q\[0\] is masked in row 2 of the batch$") as caught:
            METHODS[method](robot, [Q, Q, masked, masked])
        assert (caught.value.argument, caught.value.index, caught.value.row) == ("q", (0,), 2)
        for _ in range(12 * (1 - calls)):  # until a builtin takes the calls
            METHODS[method](robot, np.array(Q))


def test_masks_of_parameters_torques_and_wrenches_are_refused() -> None:
    robot, masked = _robot("damping"), np.ma.masked_array(Q, [False, True])
    with pytest.raises(NotFiniteError, match=r"damping\[1\] is masked in row 1 of the batch"):
        robot.forward_dynamics(Q, Q, damping=[Q, masked])
    with pytest.raises(NotFiniteError, match=r"tau\[0, 1\] is masked"):
        robot.rollout(Q, Q, [masked] * 3, 0.01, 3)
    with pytest.raises(NotFiniteError, match=r"^q\[1\] is masked$") as caught:  # the steps of torques are no batch
        robot.rollout(masked, Q, np.zeros((3, 2)), 0.01, 3)
    assert caught.value.fields.get("row") is None
    with pytest.raises(NotFiniteError, match=r"^q\[1\] is masked in row 1 of the batch$"):
        robot.rollout([Q, masked], Q, np.zeros((2, 3, 2)), 0.01, 3)
    wrench = np.ma.masked_array(np.ones(6), [0, 0, 1, 0, 0, 0])
    with pytest.raises(NotFiniteError, match=r"external_wrench_on_lower_link\[2\] is masked in row 1"):
        robot.inverse_dynamics(Q, Q, Q, external_wrenches={"lower_link": [np.ones(6), wrench]})


@pytest.mark.parametrize("frame", [np.array([1, 2]), np.zeros(2, [("a", float)]), np.array("body"), [], None], ids=repr)
def test_frames_of_wrenches_are_names(frame: Any) -> None:
    robot = _robot()
    for call in (
        lambda: robot.step(Q, Q, Q, 0.01, wrench_frame=frame),
        lambda: robot.rollout(Q, Q, Q, 0.01, 2, wrench_frame=frame),
        lambda: robot.inverse_dynamics(Q, Q, Q, wrench_frame=frame),
        lambda: robot.forward_dynamics(Q, Q, Q, wrench_frame=frame),
        lambda: robot.dynamics_bias(Q, Q, wrench_frame=frame),
        lambda: robot.dynamics_bias(Q, Q, external_wrenches={"lower_link": np.zeros(6)}, wrench_frame=frame),
    ):
        with pytest.raises(ArgumentError, match="wrench_frame") as caught:
            call()
        assert caught.value.argument == "wrench_frame"


CALLS: dict[str, Callable[..., object]] = {
    "mass_matrix": lambda robot, q, **given: robot.mass_matrix(q, **given),
    "forward_kinematics": lambda robot, q, **given: robot.forward_kinematics(q, **given),
    "forward_dynamics": lambda robot, q, **given: robot.forward_dynamics(q, Q, Q, **given),
    "geometric_jacobian": lambda robot, q, **given: robot.geometric_jacobian(q, "lower_link", **given),
    "forward_dynamics_derivatives": lambda robot, q, **given: robot.forward_dynamics_derivatives(q, Q, Q, **given),
    "second derivatives": lambda robot, q, **given: robot.inverse_dynamics_second_derivatives(q, Q, Q, **given),
    "step": lambda robot, q, **given: robot.step(q, Q, Q, 0.01, **given),
    "step_derivatives": lambda robot, q, **given: robot.step_derivatives(q, Q, Q, 0.01, **given),
    "rollout": lambda robot, q, **given: robot.rollout(q, Q, Q, 0.01, 2, **given),
    "function": lambda robot, q, **given: robot.function("mass_matrix")(q, **given),
    "function, by position": lambda robot, q, **given: robot.function("mass_matrix")(q, *given.values()),
    "interpreted function": lambda robot, q, **given: robot.function("mass_matrix").interpret(q, **given),
    "derivative": lambda robot, q, **given: robot.function("mass_matrix").derivative("result", "q")(q, **given),
    "function of a step": lambda robot, q, **given: robot.function("step")(q, Q, Q, 0.01, **given),
    "pickled function": lambda robot, q, **given: pickle.loads(pickle.dumps(robot.function("mass_matrix")))(q, **given),
}


def _inertias(row: int, body: int, entry: int) -> Array:
    """Return inertias of two bodies in four rows, one entry of which is negative."""
    inertia = np.zeros((4, 2, 10))
    inertia[..., [0, 3, 5, 9]] = 1.0
    inertia[row, body, entry] = -1.0
    return inertia


def _spoiled_placements(factor: float) -> Array:
    placements = np.stack([_placements()] * 3)
    placements[2, 1, :, :3] *= factor
    return placements


def _in_row(good: float, bad: float, row: int) -> Array:
    values = np.full((4, 2), good)
    values[row, 1] = bad
    return values


IMPOSSIBLE: dict[str, tuple[str, Array, type[RbdError], str, int]] = {
    "mass": ("inertia", _inertias(2, 1, 9), InertiaError, "inertia[1] has a negative mass", 2),
    "moment": ("inertia", _inertias(0, 1, 3), InertiaError, "inertia[1] has a negative moment of inertia", 0),
    **{
        name: (
            "placement",
            _spoiled_placements(factor),
            RotationError,
            "placement[1] is not a rotation in its first three columns",
            2,
        )
        for name, factor in {"reflection": -1.0, "zero": 0.0, "scaled": 1.1, "huge": 1e300}.items()
    },
    **{
        name: (name, _in_row(0.0, -1.0, 3), ArgumentError, f"{name}[1] is -1.0, needs a number of 0 or more", 3)
        for name in ("damping", "friction", "armature", "bound_stiffness", "bound_damping")
    },
    "velocity": (
        "friction_velocity",
        _in_row(1.0, 0.0, 1),
        ArgumentError,
        "friction_velocity[1] is 0.0, needs a number above 0",
        1,
    ),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", IMPOSSIBLE)
def test_impossible_parameters_are_refused(kind: str, call: str) -> None:
    name, values, error, message, row = IMPOSSIBLE[kind]
    robot = _robot(name)
    for q, given, place in ((Q, values, row), (np.zeros((len(values), 2)), values[::-1], len(values) - 1 - row)):
        with pytest.raises(error, match=f"^{re.escape(message)} in row {place} of the batch$") as caught:
            CALLS[call](robot, q, **{name: given})
        assert (caught.value.argument, caught.value.index, caught.value.row) == (name, (1,), place)
    with pytest.raises(error, match=f"^{re.escape(message)}$") as caught:
        CALLS[call](robot, Q, **{name: values[row]})
    assert caught.value.fields.get("row") is None
    CALLS[call](robot, Q, **{name: np.delete(values, row, axis=0)})
    CALLS[call](robot, np.zeros((0, 2)), **{name: values[row]})  # no row has it


def test_compiled_functions_of_impossible_parameters_are_refused_at_every_call() -> None:
    robot = _robot("inertia")
    function, possible = robot.function("mass_matrix").compile(), robot.parameters["inertia"]
    for _ in range(30):
        function(np.array(Q), possible)
        robot.mass_matrix(np.array(Q), inertia=possible)
    for call in (lambda: function(np.array(Q), -possible), lambda: robot.mass_matrix(np.array(Q), inertia=-possible)):
        with pytest.raises(InertiaError, match="negative mass"):
            call()


def test_the_first_row_with_an_impossible_value_is_named() -> None:
    robot = _robot("inertia", "damping")
    damping = _in_row(0.0, -1.0, 1)
    with pytest.raises(ArgumentError, match=r"damping\[1\] is -1.0, .* in row 1 of") as caught:
        robot.forward_dynamics(Q, Q, inertia=_inertias(2, 0, 9), damping=damping)
    assert caught.value.row == 1
    with pytest.raises(InertiaError, match=r"in row 8 of the batch"):  # four columns of rows: row 2, column 0
        robot.forward_dynamics(np.zeros((1, 4, 2)), Q, inertia=_inertias(2, 0, 9)[:, None])
    with pytest.raises(ArgumentError, match=r"in row 1 of the batch"):
        robot.forward_dynamics(np.zeros((3, 1, 2)), Q, damping=damping)
    masked = np.ma.masked_array(np.zeros((4, 1, 2)), np.arange(8).reshape(4, 1, 2) == 4)
    with pytest.raises(NotFiniteError, match=r"damping\[0\] is masked in row 8 of the batch"):
        robot.forward_dynamics(np.zeros((1, 4, 2)), Q, damping=masked)


def test_placements_that_are_not_finite_are_named_as_such() -> None:
    placements = _spoiled_placements(1.0)
    turned = (
        np.array([[2, -1, 2], [2, 2, -1], [-1, 2, 2]]) / 3
    )  # without zeros, whose products with inf are not numbers
    for bad, rotation in itertools.product((np.nan, np.inf), (placements[1, 0, :, :3].copy(), turned)):
        placements[1, 0, :, :3] = rotation
        placements[1, 0, 1, 2] = bad
        with pytest.raises(NotFiniteError, match=r"^placement\[0, 1, 2\] is not finite in row 1 of the batch"):
            _robot("placement").mass_matrix(Q, placement=placements)


@pytest.mark.parametrize("entry", [1, 0])
def test_principal_moments_of_parameters_are_not_tested(entry: int) -> None:
    robot = _robot("inertia")
    outside = robot.parameters["inertia"]
    outside[1, entry] = 1e3  # off the diagonal, or more than the other two moments
    with pytest.raises(InertiaError):
        rbd.SpatialInertia.from_components(rbd.Frame("link"), outside[1])
    assert np.isfinite(robot.mass_matrix(Q, inertia=outside)).all()


def test_recorded_functions_take_a_state_and_the_inputs() -> None:
    mechanism = rbd.robots.double_pendulum()
    for function, inputs in ((lambda: 1.0, {}), (lambda state: 1.0, {"u": 2}), (lambda state, u, w: 1.0, {"u": 2})):
        with pytest.raises(ArgumentError, match="function is called as function") as caught:
            rbd.record(function, mechanism, **inputs)
        assert caught.value.argument == "function"


def test_unknown_keywords_list_inputs_and_options() -> None:
    with pytest.raises(ArgumentError, match="takes q, v, tau and the options out, threads, status; got errors"):
        _robot().forward_dynamics(Q, Q, Q, errors="status")


def test_functions_of_a_robot_are_asked_for_by_name() -> None:
    with pytest.raises(ArgumentError, match=r"rbd.record\(function, mechanism\) records others"):
        _robot().function(rbd.center_of_mass)  # type: ignore[arg-type]  # a function where a name belongs
