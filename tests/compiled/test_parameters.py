"""Parameters as inputs of compiled robots."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.compiled import CompiledRobot
from rbd.compiled.step_options import MechanismParameters, StepDerivativesOptions, StepOptions
from rbd.errors import ArgumentError, ShapeError
from rbd.scalar_states.parameter_arrays import PARAMETER_NAMES, ParameterName, parameter_value

CALLS = {
    "mass_matrix": 1,
    "inverse_mass_matrix": 1,
    "dynamics_bias": 2,
    "inverse_dynamics": 3,
    "forward_dynamics": 3,
    "forward_kinematics": 1,
    "momentum_matrix": 1,
}


@pytest.fixture(scope="module")
def arguments() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal(2) for _ in range(3)]


@pytest.mark.parametrize("method", CALLS)
def test_omitted_parameters_are_those_of_the_mechanism(method: str, arguments: list[np.ndarray]) -> None:
    mechanism = rbd.robots.double_pendulum()
    mechanism.joint("elbow").damping = 0.3
    baked, open_ = rbd.compile(mechanism), rbd.compile(mechanism, parameters=PARAMETER_NAMES)
    given = arguments[: CALLS[method]]
    np.testing.assert_allclose(getattr(open_, method)(*given), getattr(baked, method)(*given), rtol=1e-12, atol=1e-13)


def test_the_robot_has_the_values_of_the_mechanism(arguments: list[np.ndarray]) -> None:
    mechanism = rbd.robots.double_pendulum()
    robot = rbd.compile(mechanism, parameters=PARAMETER_NAMES)
    values = robot.parameters
    assert list(values) == list(PARAMETER_NAMES)
    expected = [body.inertia.components for body in mechanism.bodies[1:] if body.inertia is not None]
    np.testing.assert_array_equal(values["inertia"], expected)
    np.testing.assert_array_equal(values["gravity"], mechanism.gravity.xyz)
    q, v, tau = arguments
    np.testing.assert_array_equal(robot.forward_dynamics(q, v, tau, **values), robot.forward_dynamics(q, v, tau))
    values["gravity"][:] = 0  # a copy
    assert robot.parameters["gravity"].any()
    assert rbd.compile(mechanism).parameters == {}


def test_given_parameters_replace_those_of_the_mechanism(arguments: list[np.ndarray]) -> None:
    mechanism, other = rbd.robots.double_pendulum(), rbd.robots.double_pendulum(masses=(3.0, 0.5))
    other.gravity, other.joint("shoulder").armature = (1.0, 2.0, -3.0), 0.7
    values = {name: np.array(parameter_value(other, name)) for name in ("inertia", "gravity", "armature")}
    robot, expected = rbd.compile(mechanism, parameters=list(values)), rbd.compile(other)
    for method in ("inverse_dynamics", "forward_dynamics"):
        np.testing.assert_allclose(
            getattr(robot, method)(*arguments, **values), getattr(expected, method)(*arguments), rtol=1e-11
        )
    q, v = robot.step(*arguments, 0.01, **values)
    np.testing.assert_allclose(q, expected.step(*arguments, 0.01)[0], rtol=1e-11)
    np.testing.assert_allclose(v, expected.step(*arguments, 0.01)[1], rtol=1e-11)


def test_parameters_with_batch_axes(arguments: list[np.ndarray]) -> None:
    robot = rbd.compile(rbd.robots.double_pendulum(), parameters=["gravity"])
    gravities = np.random.default_rng(1).standard_normal((5, 3))
    torques = robot.inverse_dynamics(*arguments, gravity=gravities)
    assert torques.shape == (5, 2)
    assert (torques[3] == robot.inverse_dynamics(*arguments, gravity=gravities[3])).all()


def test_wrong_parameters_raise(arguments: list[np.ndarray]) -> None:
    mechanism = rbd.robots.double_pendulum()
    with pytest.raises(ArgumentError, match="colour"):
        rbd.compile(mechanism, parameters=["colour"])
    with pytest.raises(ArgumentError, match="gravity"):
        rbd.compile(mechanism).mass_matrix(arguments[0], gravity=np.zeros(3))
    with pytest.raises(ShapeError, match="gravity"):
        rbd.compile(mechanism, parameters=["gravity"]).dynamics_bias(*arguments[:2], gravity=np.zeros(2))


@pytest.mark.parametrize("parameters", [(), ("gravity",)])
def test_unknown_names_are_those_of_the_error(parameters: tuple[ParameterName, ...]) -> None:
    """Of a method that lacks an argument, too; Python names an argument that is missing as long as none is unknown."""
    robot = rbd.compile(rbd.robots.double_pendulum(), parameters)
    q = np.zeros(2)
    call: Any = robot.step
    for arrays, missing in (((q, q, q), "dt"), ((q, q), "tau")):
        with pytest.raises(ArgumentError, match=f"step takes q, v, tau, dt, .*; got timestep, not {missing}") as caught:
            call(*arrays, timestep=0.1)
        assert (caught.value.argument, caught.value.value) == ("timestep", 0.1)
        assert caught.value.allowed[:4] == ("q", "v", "tau", "dt")
        assert caught.value.allowed[-1] == (parameters[0] if parameters else "status")
    with pytest.raises(ArgumentError, match=r"got timestep$"):
        call(q, q, q, 0.1, 0.1, timestep=0.1)
    with pytest.raises(TypeError, match="dt"):
        call(q, q, q)
    known = {name: np.zeros(3) for name in parameters}
    with pytest.raises(TypeError, match="dt"):
        call(q, q, q, **known)


def test_all_methods_with_parameters_refuse_unknown_names() -> None:
    robot = rbd.compile(rbd.robots.double_pendulum())
    q, count = np.zeros(2), 0
    for name, method in inspect.getmembers(robot, inspect.ismethod):
        arguments = inspect.signature(method).parameters.values()
        if name.startswith("_") or all(each.kind is not each.VAR_KEYWORD for each in arguments):
            continue
        with pytest.raises(ArgumentError, match="got timestep"):
            method(*[q] * 9, timestep=0.1)
        count += 1
    assert count == 14


@pytest.mark.parametrize(
    ("method", "options"),
    [("step", StepOptions), ("rollout", StepOptions), ("step_derivatives", StepDerivativesOptions)],
)
def test_types_of_options_are_those_of_the_method(method: str, options: type) -> None:
    assert set(MechanismParameters.__annotations__) == set(PARAMETER_NAMES)
    signature = inspect.signature(getattr(CompiledRobot, method)).parameters.values()
    keywords = {each.name for each in signature if each.kind is each.KEYWORD_ONLY} - {"s"}
    assert set(options.__annotations__) == keywords | set(PARAMETER_NAMES)


def test_parameters_of_a_mechanism_without_bodies_keep_their_shapes() -> None:
    robot = rbd.compile(rbd.Mechanism(), parameters=["inertia", "placement"])
    inertia, placement = robot.parameters["inertia"], robot.parameters["placement"]
    assert (inertia.shape, placement.shape) == ((0, 10), (0, 3, 4))
    assert robot.forward_dynamics([], [], [], inertia=inertia, placement=placement).shape == (0,)
    worlds = rbd.rollout.Worlds(rbd.Mechanism(), count=2, dt=1e-3, parameters=["inertia", "placement"])
    assert worlds.parameters["inertia"].shape == (2, 0, 10)
