"""The variational midpoint rule: order, symplecticity, momenta and energy over long times."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import rbd
from rbd.errors import DivergedError, RbdError, SolverError
from rbd.joints import JointType
from rbd.mechanism import Mechanism
from rbd.simulation import MuntheKaas, VariationalMidpoint

Build = Callable[..., Mechanism]
StateOf = Callable[[Mechanism], rbd.MechanismState]


def final(start: rbd.MechanismState, dt: float, integrator: object) -> np.ndarray:
    state = rbd.MechanismState(start.mechanism, start.q, start.v)
    rbd.simulate(state, 0.08, dt=dt, integrator=integrator)
    poses = [state.transform_to_root(body).matrix[:3].ravel() for body in state.mechanism.bodies[1:]]
    return np.concatenate((*poses, state.v))


def test_second_order_on_every_joint_type(joint_type: JointType, two_bodies: Build, moving_state: StateOf) -> None:
    start = moving_state(two_bodies(joint_type))
    exact = final(start, 0.004, MuntheKaas())
    errors = [np.linalg.norm(final(start, dt, VariationalMidpoint()) - exact) for dt in (0.02, 0.01)]
    assert 1.9 < np.log2(errors[0] / errors[1]) < 2.1


def test_steps_are_symplectic() -> None:
    """Their Jacobian in coordinates and momenta keeps the symplectic form."""
    mechanism = rbd.robots.double_pendulum()

    def step(x: np.ndarray) -> np.ndarray:
        state = rbd.MechanismState(mechanism, x[:2])
        state.set_velocity(np.linalg.solve(rbd.mass_matrix(state), x[2:]))
        rbd.simulate(state, 0.05, dt=0.05, integrator=VariationalMidpoint())
        return np.concatenate((state.q, rbd.mass_matrix(state) @ state.v))

    x, h = np.array([0.7, -1.1, 0.8, 0.5]), 1e-5
    jacobian = np.array([(step(x + h * e) - step(x - h * e)) / (2 * h) for e in np.eye(4)]).T
    form = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])
    assert np.allclose(jacobian.T @ form @ jacobian, form, atol=1e-8)
    assert np.abs(jacobian - np.eye(4)).max() > 0.1


def test_momenta_of_symmetries_are_kept(single_body: Build, moving_state: StateOf) -> None:
    """A free body keeps its momentum, linear and angular, to rounding."""
    state = moving_state(single_body(rbd.QuaternionFloating(), gravity=(0, 0, 0)))
    before = rbd.momentum(state).vector
    rbd.simulate(state, 0.4, dt=0.02, integrator=VariationalMidpoint())
    assert np.allclose(rbd.momentum(state).vector, before, atol=1e-10)


def test_energy_oscillates_but_does_not_drift(single_body: Build) -> None:
    state = rbd.MechanismState(single_body(rbd.QuaternionSpherical()), v=[2.0, 1.0, 4.0])
    trajectory = rbd.simulate(state, 10.0, dt=0.04, integrator="variational-midpoint")
    energy = trajectory.energies(state.mechanism).total
    first, last = energy[:60], energy[-60:]
    assert np.ptp(energy) < 0.5
    assert abs(last.mean() - first.mean()) < 0.2 * np.ptp(energy)


@pytest.mark.parametrize(
    ("stiffness", "error", "message"), [(100.0, SolverError, "did not converge"), (3e3, DivergedError, "diverged")]
)
def test_steps_that_are_too_long_are_told(
    stiffness: float, error: type[RbdError], message: str, pendulum: rbd.MechanismState
) -> None:
    q = pendulum.q.copy()
    with pytest.raises(error, match=f"{message}.* a smaller dt may help"):
        rbd.simulate(pendulum, 1.0, lambda t, state: -stiffness * state.q, dt=0.1, integrator=VariationalMidpoint())
    assert np.array_equal(pendulum.q, q)


@pytest.mark.parametrize(
    "integrator", ["munthe-kaas-rk4", "semi-implicit-euler", "variational-midpoint", "dormand-prince"]
)
def test_a_ball_joint_from_rest_has_no_nan_at_any_step(integrator: str, single_body: Build) -> None:
    """Upstream's rotation vectors do, near zero."""
    state = rbd.MechanismState(single_body(rbd.QuaternionSpherical()))
    trajectory = rbd.simulate(state, 0.05, dt=5e-3, integrator=integrator)
    assert np.isfinite(trajectory.q).all()
    assert np.isfinite(trajectory.v).all()
    assert np.allclose(np.linalg.norm(trajectory.q, axis=1), 1.0, atol=1e-12)
    assert np.abs(trajectory.v[-1]).max() > 0.1
