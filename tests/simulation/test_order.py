"""Every integrator has its classical order on every joint type."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import rbd
from rbd.joints import JointType
from rbd.mechanism import Mechanism
from rbd.simulation import EULER, HEUN, RALSTON, Integrator, MuntheKaas, SemiImplicitEuler

Build = Callable[[JointType], Mechanism]
StateOf = Callable[[Mechanism], rbd.MechanismState]
FINAL_TIME = 0.16


def placed(mechanism: Mechanism, start: rbd.MechanismState, dt: float, integrator: Integrator) -> np.ndarray:
    """Return the poses of all bodies and the velocities after the run: charts do not matter."""
    state = rbd.MechanismState(mechanism, start.q, start.v)
    rbd.simulate(state, FINAL_TIME, dt=dt, integrator=integrator)
    poses = [state.transform_to_root(body).matrix[:3].ravel() for body in mechanism.bodies[1:]]
    return np.concatenate((*poses, state.v))


def measured_order(start: rbd.MechanismState, integrator: Integrator, reference: np.ndarray, dt: float) -> float:
    coarse, fine = (
        np.linalg.norm(placed(start.mechanism, start, step, integrator) - reference) for step in (dt, dt / 2)
    )
    return float(np.log2(coarse / fine))


def test_fourth_order_on_every_joint_type(joint_type: JointType, two_bodies: Build, moving_state: StateOf) -> None:
    start = moving_state(two_bodies(joint_type))
    reference = placed(start.mechanism, start, 0.0025, MuntheKaas())
    assert 3.8 < measured_order(start, MuntheKaas(), reference, 0.02) < 4.3


@pytest.mark.parametrize(
    ("integrator", "order"),
    [(MuntheKaas(EULER), 1), (MuntheKaas(HEUN), 2), (MuntheKaas(RALSTON), 3), (SemiImplicitEuler(), 1)],
)
def test_orders_of_the_other_methods(
    integrator: Integrator, order: int, two_bodies: Build, moving_state: StateOf
) -> None:
    start = moving_state(two_bodies(rbd.QuaternionFloating()))
    reference = placed(start.mechanism, start, 0.0025, MuntheKaas())
    assert measured_order(start, integrator, reference, 0.01) == pytest.approx(order, abs=0.25)


def test_order_with_time_dependent_control(two_bodies: Build, moving_state: StateOf) -> None:
    """A control that depends on time shows whether the stages are evaluated at their own times."""
    start = moving_state(two_bodies(rbd.QuaternionSpherical()))

    def final(dt: float) -> np.ndarray:
        state = rbd.MechanismState(start.mechanism, start.q, start.v)
        rbd.simulate(state, FINAL_TIME, lambda t, _: 3 * np.sin(7 * t) * np.ones(4), dt=dt)
        return np.concatenate((state.q, state.v))

    reference = final(0.0025)
    errors = [np.linalg.norm(final(dt) - reference) for dt in (0.02, 0.01)]
    assert 3.8 < np.log2(errors[0] / errors[1]) < 4.3
