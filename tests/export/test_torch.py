"""Functions of PyTorch: values, gradients, batches, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbd
from rbd import Mechanism, MechanismState
from rbd.bridges import torch_dynamics, torch_function, torch_step
from rbd.errors import ArgumentError, ShapeError
from rbd.scalars import Scalar
from rbd.testing import random_floating_tree
from tests.simulation.contacts import block, floor, slope

torch: Any = pytest.importorskip("torch", reason="the extra `torch` is not installed")

NAMES: list[Any] = ["inverse_dynamics", "forward_dynamics"]


def floating() -> Mechanism:
    types = [rbd.Universal((1, 0, 0), (0, 1, 0)), rbd.Revolute((0, 0, 1)), rbd.QuaternionSpherical()]
    return random_floating_tree(types, np.random.default_rng(1))


def brick() -> Mechanism:
    inertia = rbd.SpatialInertia(rbd.Frame("brick"), mass=2.0, com=[0.1, 0, 0], moment_about_com=np.diag([1.0, 2, 2.5]))
    mechanism = Mechanism()
    mechanism.attach("world", rbd.RigidBody("brick", inertia), rbd.Joint("free", rbd.RotationVectorFloating()))
    return mechanism


MECHANISMS = [rbd.robots.arm7, floating, brick]


def somewhere(mechanism: Mechanism) -> tuple[MechanismState, np.ndarray]:
    rng = np.random.default_rng(2)
    state = MechanismState(mechanism)
    state.randomize(rng)
    return state, rng.uniform(-1.0, 1.0, mechanism.nv)


def variable(x: object) -> Any:
    return torch.tensor(np.array(x), dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("make", MECHANISMS)
@pytest.mark.parametrize("name", NAMES)
def test_dynamics_by_the_entries_of_q(name: Any, make: Any) -> None:
    state, last = somewhere(make())
    function = torch_dynamics(rbd.compile(state.mechanism), name)
    given = variable(state.q), variable(state.v), variable(last)
    np.testing.assert_allclose(function(*given).detach(), getattr(rbd, name)(state, last), rtol=0, atol=1e-10)
    assert torch.autograd.gradcheck(function, given)
    found = torch.func.jacrev(function, argnums=(0, 1, 2))(*given)
    for a, b in zip(found, getattr(rbd, f"{name}_derivatives")(state, last, space="coordinates"), strict=True):
        np.testing.assert_allclose(a.detach(), b, rtol=0, atol=1e-10 * np.abs(b).max())


def moved(state: rbd.ScalarState, phi: np.ndarray) -> object:
    """Return q after moving along velocities: by phi in the exponential coordinates of every joint."""
    q: list[Scalar] = []
    for node in state.nodes:
        q += node.joint.type.global_coordinates(state.joint_q(node), tuple(phi[node.v_slice]))
    return tuple(q)


@pytest.mark.parametrize("make", MECHANISMS)
@pytest.mark.parametrize("name", NAMES)
def test_dynamics_along_velocities(name: Any, make: Any) -> None:
    state, last = somewhere(make())
    mechanism = state.mechanism
    dynamics = torch_dynamics(rbd.compile(mechanism), name)
    move = torch_function(rbd.record(moved, mechanism, phi=mechanism.nv))

    def nearby(phi: Any) -> Any:
        return dynamics(move(state.q, state.v, phi), state.v, last)

    phi = variable(np.zeros(mechanism.nv))
    assert torch.autograd.gradcheck(nearby, (phi,))
    expected = getattr(rbd, f"{name}_derivatives")(state, last)[0]
    np.testing.assert_allclose(
        torch.func.jacrev(nearby)(phi).detach(), expected, rtol=0, atol=1e-9 * max(1.0, np.abs(expected).max())
    )


@pytest.mark.parametrize("make", MECHANISMS)
@pytest.mark.parametrize("integrator", ["munthe-kaas-rk4", "semi-implicit-euler"])
def test_steps_by_everything(integrator: Any, make: Any) -> None:
    state, tau = somewhere(make())
    robot = rbd.compile(state.mechanism)
    step = torch_step(robot, integrator)
    given = variable(state.q), variable(state.v), variable(tau), variable(0.05)
    found = step(*given)
    for a, b in zip(found, robot.step(state.q, state.v, tau, 0.05, integrator=integrator), strict=True):
        np.testing.assert_array_equal(a.detach(), b)
    assert torch.autograd.gradcheck(step, given)


def test_steps_agree_with_the_closed_form() -> None:
    state, tau = somewhere(floating())
    step = torch_step(rbd.compile(state.mechanism), "semi-implicit-euler")
    q, v = torch.func.jacrev(step, argnums=(0, 1, 2))(*map(variable, (state.q, state.v, tau, 0.05)))
    slopes = rbd.step_derivatives(state, tau, 0.05, space="coordinates")
    for found, name in ((q, "q"), (v, "v")):
        for x, by in zip(found, ("q", "v", "torques"), strict=True):
            np.testing.assert_allclose(x.detach(), getattr(slopes, f"{name}_by_{by}"), rtol=0, atol=1e-10)


def test_steps_with_contact_states() -> None:
    mechanism = block(rbd.SoftContact(rbd.HuntCrossley.hertz(), rbd.ViscoelasticCoulomb(0.5, 20e3, 200.0)), 1)
    floor(mechanism, slope(0.6))
    robot = rbd.compile(mechanism)
    q, v, s = np.array([1, 0, 0, 0, 0, 0, -1e-3]), np.array([0, 0, 0, 0.1, 0, 0]), np.array([1e-4, 0, 0])
    step = torch_step(robot, "semi-implicit-euler")
    found = step(q, v, s, np.zeros(6), 1e-3)
    for a, b in zip(found, robot.step(q, v, np.zeros(6), 1e-3, s=s, integrator="semi-implicit-euler"), strict=True):
        np.testing.assert_array_equal(a, b)
    given = variable(q), variable(v), variable(s), variable(np.zeros(6)), variable(1e-3)
    assert torch.autograd.gradcheck(step, given, eps=1e-8)


def test_gradients_through_many_steps() -> None:
    state, tau = somewhere(rbd.robots.double_pendulum())
    step, dt = torch_step(rbd.compile(state.mechanism)), 0.02

    def height(torques: Any) -> Any:
        q, v = torch.tensor(state.q), torch.tensor(state.v)
        for _ in range(20):
            q, v = step(q, v, torques, dt)
        return torch.cos(q[0]) + v[1]

    assert torch.autograd.gradcheck(height, (variable(tau),))


def test_batch_axes_broadcast_and_their_gradients_sum() -> None:
    state, tau = somewhere(floating())
    function, n = torch_dynamics(rbd.compile(state.mechanism)), state.mechanism.nv
    rng = np.random.default_rng(3)
    q, v = variable([state.q] * 3), variable(rng.standard_normal((2, 1, n)))
    assert function(q, v, tau).shape == (2, 3, n)
    assert torch.autograd.gradcheck(function, (q, v, variable(tau)))
    recorded = torch_function(rbd.record(rbd.kinetic_energy, state.mechanism))
    assert recorded(q, v).shape == (2, 3)
    assert torch.autograd.gradcheck(recorded, (q, v))


def test_function_transforms() -> None:
    state, tau = somewhere(floating())
    function, n = torch_dynamics(rbd.compile(state.mechanism)), state.mechanism.nv
    q, v = torch.tensor(np.array([state.q] * 4)), torch.tensor(np.random.default_rng(4).standard_normal((n, 4)))

    def effort(one_q: Any, one_v: Any) -> Any:
        return (function(one_q, one_v, tau) ** 2).sum()

    slopes = torch.func.vmap(torch.func.grad(effort, argnums=1), in_dims=(0, 1))(q, v)
    for k in range(4):
        state.set_velocity(v[:, k].numpy())
        vd = rbd.forward_dynamics(state, tau)
        np.testing.assert_allclose(slopes[k], 2 * vd @ rbd.forward_dynamics_derivatives(state, tau)[1], rtol=1e-9)
    # batch axes of their own, beside the one of vmap
    several = torch.func.vmap(lambda x: function(x, v.T[:2], tau))(q)
    np.testing.assert_array_equal(several, function(q[:, None], v.T[:2], tau))


def test_recorded_functions_of_several_outputs() -> None:
    state, _ = somewhere(floating())
    recorded = rbd.record(lambda s: {"energy": rbd.kinetic_energy(s), "M": rbd.mass_matrix(s)}, state.mechanism)
    function, given = torch_function(recorded), (variable(state.q), variable(state.v))
    energy, matrix = function(*given)
    np.testing.assert_allclose(energy.item(), float(rbd.kinetic_energy(state)))
    np.testing.assert_allclose(matrix.detach(), rbd.mass_matrix(state), rtol=0, atol=1e-12)
    assert torch.autograd.gradcheck(function, given)
    (d_dv,) = torch.autograd.grad(energy, given[1])  # the other output has no weight
    np.testing.assert_allclose(d_dv, rbd.mass_matrix(state) @ state.v, rtol=0, atol=1e-12)


def test_decisions_at_run_time_are_differentiated() -> None:
    mechanism = rbd.robots.four_bar()
    state = MechanismState(mechanism)
    dynamics = torch_function(rbd.record(rbd.forward_dynamics, mechanism, torques=mechanism.nv))
    torques = variable([0.3, -0.2, 0.5])
    slope = torch.func.jacrev(lambda x: dynamics(state.q, state.v, x))(torques)
    np.testing.assert_allclose(
        slope.detach(), rbd.forward_dynamics_derivatives(state, torques.detach().numpy())[2], rtol=0, atol=1e-9
    )


def test_second_derivatives_are_refused_and_had_by_recording() -> None:
    mechanism = rbd.robots.double_pendulum()
    energy = rbd.record(rbd.gravitational_potential_energy, mechanism)
    q, v = variable([0.3, 0.4]), np.zeros(2)
    (slope,) = torch.autograd.grad(torch_function(energy)(q, v), q, create_graph=True)
    with pytest.raises(ArgumentError, match="once in PyTorch"):
        slope.sum().backward()
    torques = torch_function(energy.derivative("result", "q", space="coordinates"))
    assert torch.autograd.gradcheck(lambda x: torques(x, v), (q,))


def test_other_dtypes_are_converted_there_and_back() -> None:
    state, _ = somewhere(rbd.robots.arm7())
    function = torch_dynamics(rbd.compile(state.mechanism))
    q = torch.tensor(state.q, dtype=torch.float32, requires_grad=True)
    found = function(q, list(state.v), torch.ones(7, dtype=torch.int32))
    assert found.dtype == torch.float64
    found.sum().backward()
    assert q.grad.dtype == torch.float32
    state.set_configuration(q.detach().numpy().astype(float))
    expected = rbd.forward_dynamics_derivatives(state, np.ones(7))[0].sum(0)
    np.testing.assert_allclose(q.grad, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


def test_what_is_refused() -> None:
    mechanism = rbd.robots.double_pendulum()
    robot = rbd.compile(mechanism)
    function, x = torch_dynamics(robot), torch.zeros(2)
    with pytest.raises(ArgumentError, match="v is on the device meta") as caught:
        function(x, x.to("meta"), x)
    assert caught.value.argument == "v"
    with pytest.raises(ArgumentError, match="tau is sparse"):
        function(x, x, x.to_sparse())
    for wrong in (x.to(torch.complex64), x.to(torch.bool), np.zeros(2, dtype=complex), ["a", "b"]):
        with pytest.raises(ShapeError, match="v has dtype"):
            function(x, wrong, x)
    with pytest.raises(ShapeError, match="v has shape"):
        function(x, torch.zeros(3), x)
    with pytest.raises(ArgumentError, match="takes q, v, tau; got 2"):
        function(x, x)
    with pytest.raises(ArgumentError, match="mass_matrix"):
        torch_dynamics(robot, "mass_matrix")  # type: ignore[arg-type]  # the error
    with pytest.raises(ArgumentError, match="leapfrog"):
        torch_step(robot, "leapfrog")  # type: ignore[arg-type]  # the error


def test_a_robot_that_was_edited_says_so() -> None:
    mechanism = rbd.robots.double_pendulum()
    robot = rbd.compile(mechanism)
    step, x = torch_step(robot), torch.zeros(2)
    mechanism.gravity = (0.0, 0.0, -1.0)
    with pytest.raises(rbd.errors.StaleStateError):
        step(x, x, x, 0.1)
