"""Benchmarks of `simulate` with a control in Python: against a loop over compiled steps, and a quadruped on the ground.

The loop and `simulate` call the same control, which returns zeros. The quadruped has compliant feet and a
proportional-derivative (PD) control at 1 kHz.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Final, TypeAlias

import numpy as np

import rbd
from rbd.algorithms.time_steps.fixed_step import FixedStepMethod
from rbd.bench.contender import Contender, repeated
from rbd.bench.legged import RUBBER
from rbd.bench.rbd_engine import RbdEngine
from rbd.compiled import CompiledRobot
from rbd.contact import Sphere
from rbd.scalars.arrays import Array
from rbd.spatial.half_space import HalfSpace

PythonControl: TypeAlias = Callable[[float, rbd.MechanismState], Array]
"""A control in Python: torques at a time."""


class IntegrationMethod(StrEnum):
    """Integration methods of the benchmarks."""

    EULER = "semi-implicit Euler"
    RUNGE_KUTTA = "fourth-order Runge-Kutta"


SIMULATE: Final = "rbd simulate"
STEP_LOOP: Final = "loop over step"
QUADRUPED_PD: Final = "compliant feet, PD control at 1 kHz"
STEPS: Final = 1000
"""Steps of a run, from the start."""
DT, QUADRUPED_DT = 1e-4, 1e-3
"""Steps in seconds; those of falling robots are short, so that none diverges."""
INTEGRATORS: Final[dict[IntegrationMethod, FixedStepMethod]] = {
    IntegrationMethod.EULER: "semi-implicit-euler",
    IntegrationMethod.RUNGE_KUTTA: "munthe-kaas-rk4",
}
_STIFFNESS, _DAMPING = 60.0, 2.0


def simulation(engine: RbdEngine, method: IntegrationMethod) -> Contender:
    """Return the contender that calls `simulate`."""
    state, control = rbd.MechanismState(engine.mechanism), zero_control(engine.mechanism)
    q, v = engine.samples.q[0], np.zeros(engine.mechanism.nv)

    def last() -> Array:
        state.set_configuration(q)
        state.set_velocity(v)
        rbd.simulate(state, STEPS * DT, control, dt=DT, integrator=INTEGRATORS[method])
        return state.q.copy()

    return Contender(SIMULATE, repeated(last), STEPS, lambda k: last())


def step_loop(engine: RbdEngine, method: IntegrationMethod) -> Contender:
    """Return the contender that steps in Python: a call of the control and one of `step` for each step."""
    steps = {IntegrationMethod.EULER: _euler_steps, IntegrationMethod.RUNGE_KUTTA: _runge_kutta_steps}[method]
    state = rbd.MechanismState(engine.mechanism, engine.samples.q[0])
    last = partial(steps, engine.robot, state, zero_control(engine.mechanism))
    return Contender(STEP_LOOP, repeated(last), STEPS, lambda k: last())


def zero_control(mechanism: rbd.Mechanism) -> PythonControl:
    """Return a control whose torques are zero."""
    zeros = np.zeros(mechanism.nv)
    return lambda t, state: zeros


def _euler_steps(robot: CompiledRobot, state: rbd.MechanismState, control: PythonControl) -> Array:
    q, v = state.q, state.v
    for k in range(STEPS):
        q, v = robot.step(q, v, control(k * DT, state), DT, integrator="semi-implicit-euler")
    return q


def _runge_kutta_steps(robot: CompiledRobot, state: rbd.MechanismState, control: PythonControl) -> Array:
    q, v = state.q, state.v
    for k in range(STEPS):  # the default of `step`, without options: its fastest call
        q, v = robot.step(q, v, control(k * DT, state), DT)
    return q


def compliant_quadruped() -> rbd.Mechanism:
    """Return the quadruped with a compliant point below each foot, on the ground."""
    mechanism = rbd.robots.quadruped()
    for shape in rbd.robots.quadruped_collision_model(mechanism).shapes:
        if isinstance(shape, Sphere):
            point = rbd.Point(shape.frame, (0, 0, -shape.radius))
            mechanism.body_of_frame(shape.frame).add_contact_point(point, RUBBER)
    root = mechanism.root_frame
    mechanism.add_half_space(HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    return mechanism


def quadruped_simulation(mechanism: rbd.Mechanism) -> Contender:
    """Return the contender that simulates the quadruped from its stance."""
    state, stance = rbd.MechanismState(mechanism), rbd.robots.quadruped_configuration()
    control, still = stance_control(mechanism), np.zeros(mechanism.nv)

    def last() -> Array:
        state.set_configuration(stance)
        state.set_velocity(still)
        rbd.simulate(state, STEPS * QUADRUPED_DT, control, dt=QUADRUPED_DT, integrator="semi-implicit-euler")
        return state.q.copy()

    return Contender(SIMULATE, repeated(last), STEPS, lambda k: last())


def stance_control(mechanism: rbd.Mechanism) -> PythonControl:
    """Return the control that holds the legs in their stance."""
    goal, torques = rbd.robots.quadruped_configuration()[7:], np.zeros(mechanism.nv)

    def control(t: float, state: rbd.MechanismState) -> Array:
        torques[6:] = _STIFFNESS * (goal - state.q[7:]) - _DAMPING * state.v[6:]
        return torques

    return control
