"""Derivative methods of compiled robots: agreement with the algorithms, batches, both spaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbd
from rbd import MechanismState
from rbd.algorithms import SecondDerivatives, StepDerivatives
from rbd.array_functions.function import CALLS_BEFORE_BUILTIN
from rbd.errors import ArgumentError, ShapeError, SingularError, TopologyError
from rbd.testing import random_chain, random_floating_tree

NAMES = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives")
ALGORITHMS: dict[str, Callable[..., Any]] = {name: getattr(rbd, name) for name in NAMES}


def states(count: int) -> list[MechanismState]:
    rng = np.random.default_rng(3)
    types = [rbd.Universal((1, 0, 0), (0, 1, 1)), rbd.QuaternionSpherical(), rbd.Revolute((0, 0, 1))]
    mechanism = random_floating_tree(types, rng)
    for joint in mechanism.tree_joints:
        joint.damping, joint.armature = 0.3, 0.1
    found = [MechanismState(mechanism) for _ in range(count)]
    for state in found:
        state.randomize(rng)
    return found


@pytest.mark.parametrize("space", ["tangent", "coordinates"])
@pytest.mark.parametrize("name", NAMES)
def test_batches_equal_single_calls(name: str, space: Any) -> None:
    several = states(5)
    mechanism = several[0].mechanism
    robot = rbd.compile(mechanism)
    last = np.linspace(-1.0, 1.0, mechanism.nv)
    q, v = np.array([s.q for s in several]), np.array([s.v for s in several])
    found = getattr(robot, name)(q, v, last, space=space)
    for k, state in enumerate(several):
        for ours, theirs in zip(found, ALGORITHMS[name](state, last, space=space), strict=True):
            assert ours[k].shape == theirs.shape
            np.testing.assert_allclose(ours[k], theirs, rtol=0, atol=1e-11 * np.abs(theirs).max())


@pytest.mark.parametrize("name", NAMES)
def test_builtins_keep_the_options(name: str) -> None:
    (state,) = states(1)
    robot, nv = rbd.compile(state.mechanism), state.mechanism.nv
    first = getattr(robot, name)(state.q, state.v, np.ones(nv))
    for _ in range(30):
        again = getattr(robot, name)(state.q, state.v, np.ones(nv))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert getattr(robot, name)(state.q, state.v, np.ones(nv), space="coordinates")[0].shape == (nv, len(state.q))
    out = [np.empty_like(x) for x in first]
    getattr(robot, name)(state.q, state.v, np.ones(nv), out=out)
    assert all(np.array_equal(a, b) for a, b in zip(first, out, strict=True))
    with pytest.raises(ArgumentError, match="space"):
        getattr(robot, name)(state.q, state.v, np.ones(nv), space="world")


CUBES = ("by_q_and_q", "by_q_and_v", "by_v_and_v", "by_q_and_vd")


@pytest.mark.optimised
@pytest.mark.parametrize("space", ["tangent", "coordinates"])
def test_second_derivatives_of_a_batch(space: Any) -> None:
    types = [rbd.Planar((1, 0, 0), (0, 1, 0)), rbd.Universal((1, 0, 0), (0, 1, 1))]
    mechanism = random_chain(types, np.random.default_rng(3))
    several = [MechanismState(mechanism) for _ in range(3)]
    for k, state in enumerate(several):
        state.randomize(k)
    q, v, vd = np.array([s.q for s in several]), np.array([s.v for s in several]), np.linspace(-1.0, 1.0, mechanism.nv)
    robot = rbd.compile(mechanism)
    found = robot.inverse_dynamics_second_derivatives(q, v, vd, space=space)
    for k, state in enumerate(several):
        with rbd.interpreted():
            expected = rbd.inverse_dynamics_second_derivatives(state, vd, space=space)
        for name in CUBES:
            ours, theirs = getattr(found, name)[k], getattr(expected, name)
            assert ours.shape == theirs.shape
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12 * max(1.0, np.abs(theirs).max()))
        live = rbd.inverse_dynamics_second_derivatives(state, vd, space=space)
        assert all(np.array_equal(getattr(found, name)[k], getattr(live, name)) for name in CUBES)
    out = [np.empty_like(getattr(found, name)) for name in CUBES]
    filled = robot.inverse_dynamics_second_derivatives(q, v, vd, space=space, out=out, threads=2)
    assert all(getattr(filled, name) is array for name, array in zip(CUBES, out, strict=True))
    assert all(np.array_equal(getattr(found, name), array) for name, array in zip(CUBES, out, strict=True))


def test_results_keep_their_class_in_frequent_calls() -> None:
    robot, zero = rbd.compile(rbd.robots.double_pendulum()), np.zeros(2)
    calls: list[Callable[[], Any]] = [
        lambda: robot.inverse_dynamics_second_derivatives(zero, zero, zero),
        lambda: robot.step_derivatives(zero, zero, zero, 0.01),
    ]
    for call, kind in zip(calls, (SecondDerivatives, StepDerivatives), strict=True):
        assert {type(call()) for _ in range(CALLS_BEFORE_BUILTIN + 2)} == {kind}


def test_second_derivatives_raise_the_same_errors() -> None:
    mechanism = rbd.robots.double_pendulum()
    robot, zero = rbd.compile(mechanism, parameters=["gravity"]), np.zeros(2)
    still = robot.inverse_dynamics_second_derivatives([0.3, 0.1], zero, zero, gravity=np.zeros(3))
    assert not still.by_q_and_q.any()
    with pytest.raises(ArgumentError, match="space"):
        robot.inverse_dynamics_second_derivatives(zero, zero, zero, space="world")  # type: ignore[arg-type]  # the error
    with pytest.raises(ShapeError, match="vd"):
        robot.inverse_dynamics_second_derivatives(zero, zero, np.zeros(3))
    with pytest.raises(TopologyError):
        rbd.compile(rbd.robots.four_bar()).inverse_dynamics_second_derivatives(np.zeros(3), np.zeros(3), np.zeros(3))


def test_a_singular_mass_matrix_names_the_joint() -> None:
    mechanism = rbd.robots.double_pendulum(masses=(1.0, 0.0), radius=0.0)
    with pytest.raises(SingularError, match="elbow"):
        rbd.compile(mechanism).forward_dynamics_derivatives(np.zeros(2), np.zeros(2), np.zeros(2))


def test_parameters_may_be_inputs() -> None:
    mechanism = rbd.robots.double_pendulum()
    robot = rbd.compile(mechanism, parameters=["gravity", "damping"])
    zero = np.zeros(2)
    still, _, _ = robot.inverse_dynamics_derivatives([0.3, 0.1], zero, zero, gravity=np.zeros(3))
    assert not still.any()
    _, d_dv, _ = robot.inverse_dynamics_derivatives([0.3, 0.1], zero, zero, damping=[0.5, 0.25])
    assert np.array_equal(d_dv, np.diag([0.5, 0.25]))
