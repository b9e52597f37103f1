"""Calls of compiled robots with results that overlap, masked arrays, and parameters that no mechanism has."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, InertiaError, NotFiniteError, RotationError, ShapeError
from rbd.scalars.arrays import Array

Q = [0.1, 0.2]


def _robot(*parameters: str) -> rbd.compiled.CompiledRobot:
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


def test_impossible_inertias_are_refused() -> None:
    robot = _robot("inertia")
    inertia = np.zeros((4, 2, 10))
    inertia[..., [0, 3, 5, 9]] = 1.0
    assert np.isfinite(robot.mass_matrix(Q, inertia=inertia)).all()
    inertia[2, 1, 9] = -1.0
    with pytest.raises(InertiaError, match=r"inertia\[2, 1\] has a negative mass") as caught:
        robot.mass_matrix(Q, inertia=inertia)
    assert caught.value.index == (2, 1)
    with pytest.raises(InertiaError, match="negative mass"):
        robot.inverse_dynamics_second_derivatives(Q, Q, Q, inertia=inertia)
    with pytest.raises(InertiaError, match="negative mass"):
        robot.geometric_jacobian(Q, robot.mechanism.bodies[-1], inertia=inertia)
    inertia[2, 1, 9], inertia[0, 0, 3] = 1.0, -1.0
    with pytest.raises(InertiaError, match="negative moment of inertia"):
        robot.step(Q, Q, Q, 0.01, inertia=inertia)


@pytest.mark.parametrize("spoil", ["reflection", "zero", "scaled"])
def test_impossible_placements_are_refused(spoil: str) -> None:
    robot, placements = _robot("placement"), _placements()
    assert np.isfinite(robot.mass_matrix(Q, placement=placements)).all()
    placements[1, :, :3] *= {"reflection": -1.0, "zero": 0.0, "scaled": 1.1}[spoil]
    for call in (
        lambda: robot.mass_matrix(Q, placement=placements),
        lambda: robot.rollout(Q, Q, Q, 0.01, steps=2, placement=placements),
        lambda: robot.forward_dynamics_derivatives(Q, Q, Q, placement=placements),
    ):
        with pytest.raises(RotationError, match=r"placement\[1\] is not a rotation"):
            call()


def test_impossible_joint_parameters_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"damping\[1\] is -1.0, needs a number of 0 or more"):
        _robot("damping").forward_dynamics(Q, Q, Q, damping=[0.0, -1.0])
    with pytest.raises(ArgumentError, match=r"friction_velocity\[0\] is 0.0, needs a number above 0"):
        _robot("friction_velocity").forward_dynamics(Q, Q, Q, friction_velocity=[0.0, 1.0])


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
