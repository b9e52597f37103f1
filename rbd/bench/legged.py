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
from rbd.bench.contender import Contender
from rbd.compiled import RecordedFunction
from rbd.contact import Capsule, CollisionModel, ContactSimulator, HalfSpace, Sphere
from rbd.errors import UnknownNameError
from rbd.files.pose import IDENTITY
from rbd.mjcf import MjcfReport, load_mjcf
from rbd.mjcf.collisions import collision_model
from rbd.mjcf.report import Geom
from rbd.rollout import Worlds
from rbd.scalars import sin
from rbd.scalars.arrays import Array

PACKAGE: Final = "mjlab"
HARD: Final = "hard contact with friction, all robots"
SOFT: Final = "compliant contact, all robots"
SINGLE: Final = "hard contact with friction, one robot, control in Python"
OURS: Final = "rbd"
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
        found = find_spec(PACKAGE)
        if found is None or not found.submodule_search_locations:
            message = f"{self.name} is a robot of {PACKAGE}, which is not installed: pip install {PACKAGE}"
            raise UnknownNameError(message, kind="robot", name=self.name, known=(), suggestion=None)
        return Path(found.submodule_search_locations[0]) / self.file


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
            35.0,
            0.5,
            0.005,
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
            100.0,
            3.0,
            0.01,
        ),
    )
}
_FREQUENCY: Final = 12.0


@final
@attrs.frozen(eq=False)
class Ground:
    """A robot with its feet on the ground, and the beginning of many runs."""

    robot: LeggedRobot
    mechanism: rbd.Mechanism
    model: CollisionModel
    q: Array
    v: Array

    @property
    def links(self) -> int:
        """The number of bodies that move."""
        return len(self.mechanism.bodies) - 1

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


def ground(robot: LeggedRobot, count: int) -> Ground:
    """Return a robot standing on the ground, `count` times with random differences."""
    report = MjcfReport()
    mechanism = load_mjcf(robot.path, report=report)
    for joint in mechanism.tree_joints[1:]:
        joint.armature, joint.damping = robot.armature, robot.damping
    floor = Geom("floor", "world", "plane", (0.0, 0.0, 1.0), IDENTITY, (0.0, 0.0, 0.0), 1.0, 0)
    feet = [k for k, geom in enumerate(report.geoms) if re.fullmatch(robot.feet, geom.name or "")]
    pairs = [(foot, len(report.geoms)) for foot in feet]
    model = collision_model(mechanism, [*report.geoms, floor], pairs)
    given = Ground(robot, mechanism, model, np.zeros((0, mechanism.nq)), np.zeros((0, mechanism.nv)))
    q, v = _starts(given, count)
    return attrs.evolve(given, q=q, v=v)


def _starts(given: Ground, count: int) -> tuple[Array, Array]:
    """Return configurations above the ground, and velocities; the first ones stand still on it."""
    rng, still = np.random.default_rng(0), np.array([1.0, 0, 0, 0, 0, 0, 1.0, *map(float, given.targets(0.0))])
    still[6] -= min(near.value for near in given.model.distances(rbd.MechanismState(given.mechanism, still)))
    q, v = np.tile(still, (count, 1)), np.zeros((count, given.mechanism.nv))
    q[1:, 7:] += rng.normal(size=q[1:, 7:].shape) * 0.03
    q[1:, 6] += rng.uniform(0, 0.02, count - 1)
    v[1:] = rng.normal(size=v[1:].shape) * 0.1
    return q, v


def softened(given: Ground) -> rbd.Mechanism:
    """Return the robot with compliant points in the middle of its feet's ends, and the ground raised to them."""
    mechanism = load_mjcf(given.robot.path)
    for joint in mechanism.tree_joints[1:]:
        joint.armature, joint.damping = given.robot.armature, given.robot.damping
    radii = set[float]()
    for pair in given.model.pairs:
        foot, body = pair.a, mechanism.body(pair.body_a.name)
        assert isinstance(foot, (Sphere, Capsule))
        radii.add(foot.radius)
        half = foot.length / 2 if isinstance(foot, Capsule) else 0.0
        pose = pair.body_a.fixed_transform(foot.frame, pair.body_a.default_frame).matrix
        for end in (-half, half) if half else (0.0,):
            place = pose @ np.array([0.0, 0.0, end, 1.0])
            body.add_contact_point(rbd.Point(body.default_frame, place[:3]), RUBBER)
    (radius,) = radii  # one ground for all feet
    root = mechanism.root_frame
    mechanism.add_half_space(HalfSpace(rbd.Point(root, (0, 0, radius)), rbd.FreeVector(root, (0, 0, 1))))
    return mechanism


def control(given: Ground, mechanism: rbd.Mechanism) -> RecordedFunction:
    """Return the proportional control as a recorded function; the joints have the damping."""

    def torques(state: rbd.ScalarState, t: Any) -> list[Any]:
        goals, k = given.targets(t), given.robot.stiffness
        return [0] * 6 + [k * (goal - x) for goal, x in zip(goals, list(state.q)[7:], strict=True)]

    return rbd.record(torques, mechanism, t=())


def hard_worlds(given: Ground, threads: int) -> Contender:
    """Return the contender with hard contact."""
    law = control(given, given.mechanism)
    make = partial(Worlds, given.mechanism, given.model, friction=FRICTION, control=law)
    return _contender(given, make(count=len(given.q), dt=DT, threads=threads))


def soft_worlds(given: Ground, threads: int) -> Contender:
    """Return the contender with compliant contact."""
    mechanism = softened(given)
    law = control(given, mechanism)
    make = partial(Worlds, mechanism, control=law, integrator="semi-implicit-euler")
    return _contender(given, make(count=len(given.q), dt=DT, threads=threads))


def _contender(given: Ground, worlds: Worlds) -> Contender:
    def run(times: int) -> None:
        for _ in range(times):
            worlds.reset(None, q=given.q, v=given.v)
            worlds.step(steps=STEPS)

    return Contender(OURS, run, len(given.q) * STEPS, None)


def single(given: Ground) -> Contender:
    """Return the contender with one robot, whose control is a Python function."""
    simulator = ContactSimulator(given.mechanism, given.model, python_control(given), DT, friction=FRICTION)
    state = rbd.MechanismState(given.mechanism)

    def run(times: int) -> None:
        for _ in range(times):
            state.set_configuration(given.q[0])
            state.set_velocity(given.v[0])
            simulator.run(state, STEPS * DT)

    return Contender(OURS, run, STEPS, None)


def python_control(given: Ground) -> Any:
    """Return the control in Python, towards the posture at rest."""
    goal, k, torques = (
        np.array(given.targets(0.0), dtype=np.float64),
        given.robot.stiffness,
        np.zeros(given.mechanism.nv),
    )

    def law(t: float, state: rbd.MechanismState) -> Array:
        torques[6:] = k * (goal - state.q[7:])
        return torques

    return law


def _chosen(table: Mapping[str, Any], name: str, default: Any) -> Any:
    return next((value for pattern, value in table.items() if re.fullmatch(pattern, name)), default)
