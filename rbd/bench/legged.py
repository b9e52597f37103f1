"""Benchmarks of legged robots on the ground: many at a time, and one whose control is a Python function.

The robots are those of `mjlab`, if it is installed, read by `load_mjcf`. Spherical or capsule-shaped feet touch the
ground, and nothing else. All contenders have the same start, step, torques, armature, implicit damping and stops.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, final

import attrs
import numpy as np

import rbd
from rbd.array_functions.function import RecordedFunction
from rbd.bench.contender import RBD, Contender, repeated
from rbd.contact import Capsule, CollisionModel, ContactSimulator, Pair, Sphere
from rbd.errors import UnknownNameError
from rbd.files.pose import IDENTITY
from rbd.mjcf import MjcfReport, load_mjcf
from rbd.mjcf.report import Geom
from rbd.rollout import Worlds
from rbd.scalars import sin
from rbd.scalars.arrays import Array
from rbd.spatial.half_space import HalfSpace

PACKAGE: Final = "mjlab"
HARD: Final = "hard contact with friction, all robots"
SOFT: Final = "compliant contact, all robots"
SINGLE: Final = "hard contact with friction, one robot, control in Python"
DT, FRICTION = 2e-3, 0.8
STEPS: Final = 100
"""Steps of a run, from the start."""
RUBBER: Final = rbd.SoftContact(rbd.HuntCrossley(2e5, 2e5), rbd.ViscoelasticCoulomb(FRICTION, 5e3, 50.0))


@final
@attrs.frozen
class LeggedRobot:
    """A robot of `mjlab`: its file, feet, posture and control. Names of joints are regular expressions."""

    name: str
    file: str
    feet: str
    posture: Mapping[str, float]
    swings: Mapping[str, tuple[float, float]]
    """Amplitude and phase of the motion of joints."""
    stiffness: float
    damping: float
    armature: float

    @property
    def path(self) -> Path:
        """The file; raises UnknownNameError where the package is not installed."""
        spec = find_spec(PACKAGE)
        if spec is None or not spec.submodule_search_locations:
            message = f"{self.name} is a robot of {PACKAGE}, which is not installed: pip install {PACKAGE}"
            raise UnknownNameError(message, kind="robot", name=self.name, known=(), suggestion=None)
        return Path(spec.submodule_search_locations[0]) / self.file


_TROT: Final = {
    "(FL|RR)_thigh_joint": (0.2, 0.0),
    "(FL|RR)_calf_joint": (0.4, np.pi),
    "(FR|RL)_thigh_joint": (0.2, np.pi),
    "(FR|RL)_calf_joint": (0.4, 0.0),
}
ROBOTS: Final = {
    robot.name: robot
    for robot in (
        LeggedRobot(
            "go1",
            "asset_zoo/robots/unitree_go1/xmls/go1.xml",
            ".*_foot_collision",
            {".*_thigh_joint": 0.9, ".*_calf_joint": -1.8, "(FR|RR)_hip_joint": 0.1, "(FL|RL)_hip_joint": -0.1},
            _TROT,
            stiffness=35.0,
            damping=0.5,
            armature=0.005,
        ),
        LeggedRobot(
            "g1",
            "asset_zoo/robots/unitree_g1/xmls/g1.xml",
            ".*_foot[0-9]_collision",
            {
                ".*_hip_pitch_joint": -0.312,
                ".*_knee_joint": 0.669,
                ".*_ankle_pitch_joint": -0.363,
                ".*_elbow_joint": 0.6,
            },
            {"waist_yaw_joint": (0.2, 0.0), ".*_shoulder_pitch_joint": (0.2, 0.0), ".*_knee_joint": (0.05, 0.0)},
            stiffness=100.0,
            damping=3.0,
            armature=0.01,
        ),
    )
}
_FREQUENCY: Final = 12.0


@final
@attrs.frozen(eq=False)
class LeggedCase:
    """A robot with its feet on the ground, and the beginning of many runs."""

    robot: LeggedRobot
    mechanism: rbd.Mechanism
    model: CollisionModel
    q: Array
    v: Array

    @property
    def joints(self) -> list[rbd.Joint]:
        """The joints that the control moves."""
        return [joint for joint in self.mechanism.tree_joints if joint.nv == 1]

    def targets(self, t: Any) -> list[Any]:
        """Return the desired positions of the joints."""
        rest = [_chosen(self.robot.posture, joint.name, 0.0) for joint in self.joints]
        swings = [_chosen(self.robot.swings, joint.name, (0.0, 0.0)) for joint in self.joints]
        moved = zip(rest, swings, strict=True)
        return [x + size * sin(_FREQUENCY * t + phase) if size else x for x, (size, phase) in moved]


def legged_case(robot: LeggedRobot, count: int) -> LeggedCase:
    """Return a robot standing on the ground, `count` times with random differences."""
    report = MjcfReport()
    mechanism = load_mjcf(robot.path, report=report)
    _set_joints(mechanism, robot)
    floor = Geom("floor", "world", "plane", (0.0, 0.0, 1.0), IDENTITY, (0.0, 0.0, 0.0), 1.0, 0)
    feet = [k for k, geom in enumerate(report.geoms) if re.fullmatch(robot.feet, geom.name or "")]
    report.pairs = [(foot, len(report.geoms)) for foot in feet]
    report.geoms.append(floor)
    model = report.collision_model(mechanism)
    case = LeggedCase(robot, mechanism, model, np.zeros((0, mechanism.nq)), np.zeros((0, mechanism.nv)))
    q, v = _starts(case, count)
    return attrs.evolve(case, q=q, v=v)


def _starts(case: LeggedCase, count: int) -> tuple[Array, Array]:
    """Return configurations above the ground, and velocities; the first ones stand still on it."""
    rng, still = np.random.default_rng(0), np.array([1.0, 0, 0, 0, 0, 0, 1.0, *map(float, case.targets(0.0))])
    still[6] -= min(near.value for near in case.model.distances(rbd.MechanismState(case.mechanism, still)))
    q, v = np.tile(still, (count, 1)), np.zeros((count, case.mechanism.nv))
    q[1:, 7:] += rng.normal(size=q[1:, 7:].shape) * 0.03
    q[1:, 6] += rng.uniform(0, 0.02, count - 1)
    v[1:] = rng.normal(size=v[1:].shape) * 0.1
    return q, v


def softened(case: LeggedCase) -> rbd.Mechanism:
    """Return the robot with compliant points in the middle of its feet's ends, and the ground raised to them."""
    mechanism = load_mjcf(case.robot.path)
    _set_joints(mechanism, case.robot)
    (radius,) = {_soften(mechanism, pair) for pair in case.model.pairs}  # one ground for all feet
    root = mechanism.root_frame
    mechanism.add_half_space(HalfSpace(rbd.Point(root, (0, 0, radius)), rbd.FreeVector(root, (0, 0, 1))))
    return mechanism


def _set_joints(mechanism: rbd.Mechanism, robot: LeggedRobot) -> None:
    """Set armature and damping of the joints of the legs."""
    for joint in mechanism.tree_joints[1:]:
        joint.armature, joint.damping = robot.armature, robot.damping


def _soften(mechanism: rbd.Mechanism, pair: Pair) -> float:
    """Add compliant points in the middle of the ends of a foot; return its radius."""
    foot, body = pair.a, mechanism.body(pair.body_a.name)
    assert isinstance(foot, (Sphere, Capsule))
    half = foot.length / 2 if isinstance(foot, Capsule) else 0.0
    pose = pair.body_a.fixed_transform(foot.frame, pair.body_a.default_frame).matrix
    for end in (-half, half) if half else (0.0,):
        point = pose @ np.array([0.0, 0.0, end, 1.0])
        body.add_contact_point(rbd.Point(body.default_frame, point[:3]), RUBBER)
    return foot.radius


def recorded_control(case: LeggedCase, mechanism: rbd.Mechanism) -> RecordedFunction:
    """Return the proportional control as a recorded function; the joints have the damping."""

    def torques(state: rbd.ScalarState, t: Any) -> list[Any]:
        goals, k = case.targets(t), case.robot.stiffness
        return [0] * 6 + [k * (goal - x) for goal, x in zip(goals, list(state.q)[7:], strict=True)]

    return rbd.record(torques, mechanism, t=())


def hard_worlds(case: LeggedCase, threads: int) -> Contender:
    """Return the contender with hard contact."""
    control = recorded_control(case, case.mechanism)
    make = partial(Worlds, case.mechanism, case.model, friction=FRICTION, control=control)
    return _contender(case, make(count=len(case.q), dt=DT, threads=threads))


def soft_worlds(case: LeggedCase, threads: int) -> Contender:
    """Return the contender with compliant contact."""
    mechanism = softened(case)
    control = recorded_control(case, mechanism)
    make = partial(Worlds, mechanism, control=control, integrator="semi-implicit-euler")
    return _contender(case, make(count=len(case.q), dt=DT, threads=threads))


def _contender(case: LeggedCase, worlds: Worlds) -> Contender:
    def once() -> None:
        worlds.reset(None, q=case.q, v=case.v)
        worlds.step(steps=STEPS)

    return Contender(RBD, repeated(once), len(case.q) * STEPS, None)


def single(case: LeggedCase) -> Contender:
    """Return the contender with one robot, whose control is a Python function."""
    simulator = ContactSimulator(case.mechanism, case.model, python_control(case), DT, friction=FRICTION)
    state = rbd.MechanismState(case.mechanism)

    def once() -> None:
        state.set_configuration(case.q[0])
        state.set_velocity(case.v[0])
        simulator.run(state, STEPS * DT)

    return Contender(RBD, repeated(once), STEPS, None)


def python_control(case: LeggedCase) -> Any:
    """Return the control in Python, towards the posture at rest."""
    goal = np.array(case.targets(0.0), dtype=np.float64)
    k, torques = case.robot.stiffness, np.zeros(case.mechanism.nv)

    def control(t: float, state: rbd.MechanismState) -> Array:
        torques[6:] = k * (goal - state.q[7:])
        return torques

    return control


def _chosen(table: Mapping[str, Any], name: str, default: Any) -> Any:
    return next((value for pattern, value in table.items() if re.fullmatch(pattern, name)), default)
