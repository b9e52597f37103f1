"""Mechanisms for the tests of motion in time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import rbd
from rbd.joints import JointType
from rbd.mechanism import Mechanism
from rbd.simulation import path_choice
from rbd.simulation.programs import recorded_steps
from rbd.simulation.programs import repeated_step as repeated_step_module
from rbd.simulation.programs.recorded_stages import RecordedStages

JOINT_TYPES: dict[str, JointType] = {
    "revolute": rbd.Revolute((1, 2, 3)),
    "prismatic": rbd.Prismatic((1, -1, 0.5)),
    "screw": rbd.Screw((0, 1, 1), 0.4),
    "planar": rbd.Planar((1, 0, 0), (0, 0, 1)),
    "sin-cos revolute": rbd.SinCosRevolute((0, 1, 0)),
    "universal": rbd.Universal((0, 1, 0), (1, 0, 0)),
    "quaternion spherical": rbd.QuaternionSpherical(),
    "quaternion floating": rbd.QuaternionFloating(),
    "MRP floating": rbd.MRPFloating(),
    "rotation-vector spherical": rbd.RotationVectorSpherical(),
    "rotation-vector floating": rbd.RotationVectorFloating(),
    "reversed planar": rbd.Planar((1, 0, 0), (0, 0, 1)).flipped(),
    "reversed universal": rbd.Universal((0, 1, 0), (1, 0, 0)).flipped(),
    "reversed quaternion floating": rbd.QuaternionFloating().flipped(),
    "reversed rotation-vector floating": rbd.RotationVectorFloating().flipped(),
}


def heavy_body(name: str) -> rbd.RigidBody:
    """Return a lopsided body."""
    moment = [[0.3, 0.02, -0.01], [0.02, 0.4, 0.03], [-0.01, 0.03, 0.2]]
    inertia = rbd.SpatialInertia(rbd.Frame(name), mass=1.7, com=(0.1, -0.2, 0.3), moment_about_com=moment)
    return rbd.RigidBody(name, inertia)


def two_bodies(joint_type: JointType) -> Mechanism:
    """Return a body on the given joint that carries another one on a hinge, so that no motion is trivial."""
    mechanism = Mechanism()
    first, second = heavy_body("first"), heavy_body("second")
    mechanism.attach(mechanism.root_body, first, rbd.Joint("tested", joint_type))
    hinge = rbd.Joint("hinge", rbd.Revolute((1, 1, 0)))
    pose = rbd.Transform(hinge.frame_before, first.default_frame, translation=(0.3, 0.1, -0.4))
    mechanism.attach(first, second, hinge, joint_pose=pose)
    return mechanism


def single_body(joint_type: JointType, gravity: tuple[float, float, float] = (0, 0, -9.81)) -> Mechanism:
    """Return one lopsided body on the given joint."""
    mechanism = Mechanism(gravity=gravity)
    mechanism.attach(mechanism.root_body, heavy_body("body"), rbd.Joint("joint", joint_type))
    return mechanism


def moving_state(mechanism: Mechanism, seed: int = 0) -> rbd.MechanismState:
    """Return a state at a random configuration and velocity."""
    state = rbd.MechanismState(mechanism)
    state.randomize(np.random.default_rng(seed))
    return state


@pytest.fixture(params=JOINT_TYPES)
def joint_type(request: pytest.FixtureRequest) -> JointType:
    return JOINT_TYPES[request.param]


@pytest.fixture
def joint_types() -> list[JointType]:
    return list(JOINT_TYPES.values())


@pytest.fixture
def pendulum() -> rbd.MechanismState:
    return rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.4, -0.7], v=[0.3, 1.1])


@pytest.fixture(name="two_bodies")
def two_bodies_fixture() -> Callable[[JointType], Mechanism]:
    return two_bodies


@pytest.fixture(name="single_body")
def single_body_fixture() -> Callable[..., Mechanism]:
    return single_body


@pytest.fixture(name="moving_state")
def moving_state_fixture() -> Callable[..., rbd.MechanismState]:
    return moving_state


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Let short runs be compiled; return the integrators that were made."""
    made: list[object] = []

    def noted(*args: object, **named: object) -> object:
        made.append(RecordedStages(*args, **named))  # type: ignore[arg-type] # passed on as they came
        return made[-1]

    monkeypatch.setattr(repeated_step_module, "_MIN_STEPS", 1)
    monkeypatch.setattr(recorded_steps, "COMPILING_COST", (0, 0))
    monkeypatch.setattr(path_choice, "RecordedStages", noted)
    return made
