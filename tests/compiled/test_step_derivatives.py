# pyright: basic
"""Derivatives of steps in batches: closed forms, and compliant contact."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import pytest

import rbd
from rbd.compiled.step_derivatives import CompliantStepDerivatives
from rbd.errors import ArgumentError, TopologyError
from rbd.testing import random_chain
from tests.simulation.contacts import ball, block, floor, slope

RUBBER = rbd.SoftContact(rbd.HuntCrossley(5e4, 200.0), rbd.ViscoelasticCoulomb(0.5, 20e3, 200.0))
INTEGRATORS = ["munthe-kaas-rk4", "semi-implicit-euler"]
each_integrator = pytest.mark.parametrize(
    "integrator", [INTEGRATORS[0], pytest.param(INTEGRATORS[1], marks=pytest.mark.optimised)]
)
"""Code of the short step is optimised: the stages of the other have the same operations."""


def fields(result: Any) -> dict[str, np.ndarray]:
    return {field.name: getattr(result, field.name) for field in attrs.fields(type(result))}


@pytest.fixture(scope="module")
def sliding() -> rbd.Mechanism:
    mechanism = block(RUBBER, 1)
    floor(mechanism, slope(0.3))
    return mechanism


def states(mechanism: rbd.Mechanism, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    made = [rbd.MechanismState(mechanism) for _ in range(count)]
    for state in made:
        state.randomize(rng)
    q, v = (np.array([getattr(state, name) for state in made]) for name in "qv")
    return q, v, rng.standard_normal((count, mechanism.nv))


@each_integrator
@pytest.mark.parametrize("space", ["tangent", "coordinates"])
def test_batches_have_the_bits_of_single_calls(integrator: Any, space: Any) -> None:
    types = [rbd.QuaternionFloating(), rbd.Revolute((1, 0, 0))]
    mechanism = random_chain(types, np.random.default_rng(0))
    robot, (q, v, tau) = rbd.compile(mechanism), states(mechanism, 13)
    together = robot.step_derivatives(q, v, tau, 1e-3, integrator=integrator, space=space)
    threads = robot.step_derivatives(q, v, tau, 1e-3, integrator=integrator, space=space, threads=2)
    for name, array in fields(together).items():
        assert np.array_equal(array, fields(threads)[name])
    for k in (0, 7, 12):
        alone = robot.step_derivatives(q[k], v[k], tau[k], 1e-3, integrator=integrator, space=space)
        state = rbd.MechanismState(mechanism, q[k], v[k])
        wanted = rbd.step_derivatives(state, tau[k], 1e-3, integrator=integrator, space=space)
        for name, array in fields(together).items():
            assert np.array_equal(array[k], fields(alone)[name]), name
            assert np.allclose(array[k], fields(wanted)[name], rtol=1e-12, atol=1e-12), name


@pytest.mark.optimised
def test_parameters_and_statuses_have_rows() -> None:
    mechanism = rbd.robots.arm7()
    robot, (q, v, tau) = rbd.compile(mechanism, ["gravity"]), states(mechanism, 3)
    gravity = np.array([[0, 0, -9.81], [0, 0, -1.62], [0, 0, 0]])
    q[1, 0], status = np.nan, rbd.RowStatus()
    semi = "semi-implicit-euler"
    found = robot.step_derivatives(q, v, tau, 1e-3, gravity=gravity, status=status, integrator=semi)
    assert status.failed.tolist() == [False, True, False]
    for k in (0, 2):
        alone = robot.step_derivatives(q[k], v[k], tau[k], 1e-3, gravity=gravity[k], integrator=semi)
        assert np.array_equal(alone.v_by_q, found.v_by_q[k])


def test_outputs_are_written() -> None:
    robot = rbd.compile(rbd.robots.double_pendulum())
    out = [np.empty((4, 2, 2)) for _ in range(6)]
    found = robot.step_derivatives(np.zeros((4, 2)), np.zeros(2), None, 1e-3, out=out)
    assert all(a is b for a, b in zip(fields(found).values(), out, strict=True))


def displaced(mechanism: rbd.Mechanism, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return q moved by the velocities v for one unit of time."""
    parts = []
    state = rbd.MechanismState(mechanism)
    for joint in mechanism.tree_joints:
        x, phi = q[state.q_slice(joint)], v[state.v_slice(joint)]
        parts += list(joint.type.global_coordinates(tuple(x.tolist()), tuple(phi.tolist())))
    return np.array(parts)


@each_integrator
def test_compliant_contact_in_batches(sliding: rbd.Mechanism, integrator: Any) -> None:
    robot = rbd.compile(sliding)
    rng = np.random.default_rng(3)
    q = np.tile([1.0, 0, 0, 0, 0, 0, -1e-3], (9, 1))
    q[:, 6] += 1e-3 * rng.standard_normal(9)
    v, s, tau = 0.1 * rng.standard_normal((9, 6)), 1e-5 * rng.standard_normal((9, 3)), rng.standard_normal((9, 6))
    found = robot.step_derivatives(q, v, tau, 1e-3, s=s, integrator=integrator)
    assert isinstance(found, CompliantStepDerivatives)
    for k in (0, 4, 8):
        alone = robot.step_derivatives(q[k], v[k], tau[k], 1e-3, s=s[k], integrator=integrator)
        assert all(np.array_equal(a, b[k]) for a, b in zip(fields(alone).values(), fields(found).values(), strict=True))
    row, eps = 4, 1e-6
    change = {name: rng.standard_normal(n) for name, n in (("q", 6), ("v", 6), ("s", 3), ("torques", 6))}
    change["s"] *= 1e-3
    ends = []
    for sign in (1, -1):
        moved = displaced(sliding, q[row], sign * eps * 1e-3 * change["q"])
        ends.append(
            robot.step(
                moved,
                v[row] + sign * eps * change["v"],
                tau[row] + sign * eps * change["torques"],
                1e-3,
                s=s[row] + sign * eps * change["s"],
                integrator=integrator,
            )
        )
    change["q"] *= 1e-3
    matrices = {name: array[row] for name, array in fields(found).items()}
    after = {
        name: (a - b) / (2 * eps) for name, a, b in zip(("q", "v", "s"), *ends, strict=True)
    }  # of q: coordinates, converted below
    quaternion_rate = after["q"][:4]
    w, *xyz = (ends[0][0] + ends[1][0])[:4] / 2
    x, y, z = xyz
    E = np.array([[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]])
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    after["q"] = np.concatenate([2 * E @ quaternion_rate, R.T @ after["q"][4:]])
    for of, rate in after.items():
        predicted = sum(matrices[f"{of}_by_{by}"] @ direction for by, direction in change.items())
        assert np.allclose(predicted, rate, rtol=1e-5, atol=1e-5 * np.abs(rate).max()), of


def test_contact_without_states() -> None:
    robot = rbd.compile(ball(rbd.SoftContact(rbd.HuntCrossley(5e3, 50.0))))
    found = robot.step_derivatives([[0.1], [-0.01]], [0.0], None, 1e-3, integrator="semi-implicit-euler")
    stiffness = 1.5 * 5e3 * 0.01**0.5
    assert np.allclose(found.v_by_q[:, 0, 0], [0.0, -1e-3 * stiffness], rtol=1e-12, atol=1e-12)
    assert np.allclose(found.q_by_v[:, 0, 0], [1e-3, 1e-3 * (1 - 1e-3 * 50.0 * 0.01**1.5)], rtol=1e-3, atol=0)


def test_arguments_are_checked(sliding: rbd.Mechanism) -> None:
    robot, soft = rbd.compile(rbd.robots.double_pendulum()), rbd.compile(sliding)
    zeros = np.zeros(2)
    with pytest.raises(ArgumentError, match="integrator"):
        robot.step_derivatives(zeros, zeros, None, 1e-3, integrator="euler")  # type: ignore[call-overload]  # refused
    with pytest.raises(ArgumentError, match="s must be left out"):
        robot.step_derivatives(zeros, zeros, None, 1e-3, s=zeros)
    with pytest.raises(ArgumentError, match="3 contact states"):
        soft.step_derivatives([1, 0, 0, 0, 0, 0, 0], np.zeros(6), None, 1e-3)
    assert not robot._table.functions.keys() | soft._table.functions.keys(), "nothing was recorded"
    with pytest.raises(ArgumentError, match="tangent"):
        soft.step_derivatives([1, 0, 0, 0, 0, 0, 0], np.zeros(6), None, 1e-3, s=np.zeros(3), space="coordinates")
    with pytest.raises(TopologyError):
        rbd.step_derivatives(rbd.MechanismState(sliding), None, 1e-3)


def test_closed_forms_need_no_program_of_the_step() -> None:
    robot = rbd.compile(rbd.robots.double_pendulum())
    robot.step_derivatives([0.1, 0.2], [0.3, 0.4], None, 1e-3)
    assert list(robot._table.functions) == ["step_derivatives munthe-kaas-rk4 tangent"]
