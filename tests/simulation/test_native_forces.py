"""Springs, force elements and external wrenches with native stages: the same motion, errors and calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError
from rbd.scalars.arrays import Array
from rbd.simulation import (
    Action,
    ForceElement,
    JointSpring,
    Spring,
)

from .native_runs import DT, INTEGRATORS, STEPS, both, close, damping, run, tree


def springs(mechanism: rbd.Mechanism) -> list[ForceElement]:
    hook = rbd.Point(mechanism.root_frame, (0.5, 0, 0.2))
    tip = rbd.Point(mechanism.bodies[-1].default_frame, (0, 0.1, -1))
    other = rbd.Point(mechanism.bodies[2].default_frame, (0.1, 0, 0))
    last = mechanism.tree_joints[-2]
    return [
        Spring(hook, tip, stiffness=20.0, damping=0.3, rest_length=0.1),
        Spring(other, tip, stiffness=5.0),
        JointSpring(last, stiffness=5.0, damping=0.1),
    ]


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("control", [damping, None, rbd.ZeroOrderHold(damping, period=3 * DT)])
def test_springs_are_part_of_the_machine_code(compiled: list[object], integrator: str, control: object) -> None:
    mechanism = tree()
    close(both(control, mechanism, integrator=integrator, forces=springs(mechanism)), compiled)


class Wind(ForceElement):
    """A force on the last body and a torque at its joint that grow with every call."""

    def __init__(self, mechanism: rbd.Mechanism) -> None:
        self.body, self.joint, self.calls = mechanism.bodies[-1], mechanism.tree_joints[-1], 0

    def act(self, state: Any) -> Action:
        self.calls += 1
        push = rbd.Wrench(self.body.default_frame, (0.1, 0, 0), (0, 0.01 * self.calls, 0))
        return Action({self.joint: (0.05,) * self.joint.nv}, {self.body: push})

    def energy(self, state: Any) -> float:
        return 0.0


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_elements_of_users_and_external_wrenches_are_called(compiled: list[object], integrator: str) -> None:
    mechanism = tree()
    middle = mechanism.bodies[2]

    def external(t: float, state: rbd.MechanismState) -> dict[rbd.RigidBody, rbd.Wrench]:
        return {middle: rbd.Wrench(mechanism.root_frame, (0, 0.2, np.sin(20 * t)), (0.3, 0, float(state.v[0])))}

    found = run(
        damping, mechanism, integrator=integrator, external=external, forces=[Wind(mechanism), *springs(mechanism)]
    )
    with rbd.interpreted():
        expected = run(
            damping, mechanism, integrator=integrator, external=external, forces=[Wind(mechanism), *springs(mechanism)]
        )
    close((found, expected), compiled)


def test_errors_of_external_wrenches_name_them(compiled: list[object]) -> None:
    def external(t: float, state: rbd.MechanismState) -> None:
        if t > DT:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        run(None, tree(), external=external)
    assert caught.value.__notes__ == ["raised by external(t, state) at t = 0.003"]
    with pytest.raises(ArgumentError, match="external changed the state"):
        run(None, tree(), external=lambda t, state: state.zero())
    assert compiled


def test_refused_steps_with_external_wrenches_call_the_control_once(compiled: list[object]) -> None:
    mechanism, asked = tree(), list[float]()

    def editing(t: float, state: rbd.MechanismState) -> Array:
        asked.append(t)
        if len(asked) == 7:
            mechanism.tree_joints[0].damping = 1.0
        return damping(t, state)

    run(editing, mechanism, external=lambda t, state: None)
    assert len(asked) == 4 * STEPS
    assert asked == sorted(asked)
    assert compiled
