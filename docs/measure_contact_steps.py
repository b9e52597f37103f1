"""Measurements of time steps with contact: figures of contact-solvers.md and of the guide to contact.

    python docs/measure_contact_steps.py

Times are processor times of one thread. Worlds with either kind of friction cone take turns from equal states; a ratio
is that of their shortest times.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import rbd
from rbd.compiled import RecordedFunction
from rbd.contact import Box, Capsule, CollisionModel, FrictionCone, HalfSpace
from rbd.contact import contact_step_derivatives as derivatives
from rbd.rollout import Worlds
from rbd.scalars.arrays import Array

DT, MU, STEPS, TURNS = 2e-3, 0.6, 40, 8


class Scene(NamedTuple):
    """A collision model, a configuration, and what moves the worlds at first."""

    model: CollisionModel
    q: Array
    v: Array
    control: RecordedFunction | None = None


def floor(mechanism: rbd.Mechanism, cone: FrictionCone) -> tuple[CollisionModel, HalfSpace]:
    """Return a model with a floor."""
    model, root = CollisionModel(mechanism, friction_cone=cone), mechanism.root_frame
    return model, model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))


def boxes(cone: FrictionCone, masses: list[float], push: float) -> Scene:
    """Return boxes on each other, from below, pushed at random."""
    mechanism, q = rbd.Mechanism(), list[float]()
    model, below = floor(mechanism, cone)
    for k, mass in enumerate(masses):
        inertia = rbd.SpatialInertia.box(rbd.Frame(f"box{k}"), mass=mass, size=(0.3, 0.3, 0.2))
        body = rbd.RigidBody(f"box{k}", inertia)
        mechanism.attach("world", body, rbd.Joint(f"joint{k}", rbd.QuaternionFloating()))
        shape = model.add(body, Box(body.default_frame, (0.3, 0.3, 0.2)))
        model.add_pair(shape, below)
        below, q = shape, [*q, 1, 0, 0, 0, 0, 0, 0.1 + 0.2 * k]  # type: ignore[assignment]  # a box, later on
    return Scene(model, np.array(q), np.full(mechanism.nv, push))


def quadruped(cone: FrictionCone) -> Scene:
    """Return a quadruped that trots."""
    robot, standing = rbd.robots.quadruped(), rbd.robots.quadruped_configuration()
    swing, lift = np.repeat([0, np.pi, np.pi, 0], 3), np.tile([0.2, 1, -2], 4)

    def trot(state: rbd.ScalarState, t: Any) -> Any:
        goal = standing[7:] + 0.25 * np.sin(12 * t + swing) * lift
        return np.concatenate([np.zeros(6), 60 * (goal - state.q[7:]) - state.v[6:]])

    model = rbd.robots.quadruped_collision_model(robot, friction_cone=cone)
    return Scene(model, standing, np.full(18, 0.2), rbd.record(trot, robot, t=()))


def foot(cone: FrictionCone) -> Scene:
    """Return a flat foot made of seven capsules."""
    mechanism, along_x = rbd.Mechanism(), [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    inertia = rbd.SpatialInertia(rbd.Frame("foot"), mass=15.0, moment_about_com=np.diag([0.3, 0.3, 0.2]))
    body = rbd.RigidBody("foot", inertia)
    mechanism.attach("world", body, rbd.Joint("floating", rbd.QuaternionFloating()))
    model, ground = floor(mechanism, cone)
    for k in range(-3, 4):
        frame = rbd.Frame(f"capsule{k}")
        body.add_frame(rbd.Transform(frame, body.default_frame, along_x, (0.04, 0.01 * k, -0.3)))
        model.add_pair(model.add(body, Capsule(frame, length=0.19 - 0.016 * k * k, radius=0.01)), ground)
    return Scene(model, np.array([1, 0, 0, 0, 0, 0, 0.31]), np.full(6, 0.3))


def worlds_of(scene: Scene, count: int) -> Worlds:
    """Return worlds of a scene on one thread."""
    settings: dict[str, Any] = {"count": count, "dt": DT, "friction": MU, "threads": 1}
    return Worlds(scene.model.mechanism, scene.model, control=scene.control, **settings)


def seconds(worlds: Worlds, scene: Scene, draws: Array) -> float:
    """Return the processor time of a motion from velocities drawn at random."""
    worlds.reset(q=scene.q, v=scene.v * draws)
    start = time.process_time()
    worlds.step(steps=STEPS)
    return time.process_time() - start


def ratio(scenes: tuple[Scene, Scene], count: int) -> float:
    """Return the time with round cones over that with four edges, in turns."""
    draws = np.random.default_rng(0).normal(size=(count, scenes[0].v.size))
    runs = [(worlds_of(scene, count), scene) for scene in scenes]
    times = [[seconds(*run, draws) for run in runs] for _ in range(TURNS)]
    polyhedral, rounded = np.min(times, axis=0)
    return float(rounded / polyhedral)


def failures(cone: FrictionCone, count: int = 300, steps: int = 20) -> int:
    """Return how many boxes, each on one of a hundredth of its mass, met a step without a solution."""
    scene = boxes(cone, [1.0, 100.0], 1.0)
    worlds = worlds_of(scene, count)
    worlds.reset(q=scene.q, v=scene.v * np.random.default_rng(1).normal(size=(count, 12)))
    worlds.step(steps=steps)
    return int((worlds.status != 0).sum())


def quadruped_derivatives(count: int = 200) -> Iterator[str]:
    """Yield what a row of the derivatives of a quadruped's step costs."""
    robot, standing = rbd.robots.quadruped(), rbd.robots.quadruped_configuration()
    feet = rbd.robots.quadruped_collision_model(robot)
    batch = rbd.record(lambda s, tau: derivatives(s, feet, tau, DT, friction=MU), robot, tau=18)
    yield f"{batch.count().instructions} instructions"
    start = time.process_time()
    batch.compile()
    yield f"compiled in {time.process_time() - start:.0f} s, unless the cache has them"
    q, still = np.tile(standing, (count, 1)), np.zeros(18)
    batch(q, still, still)
    times = []
    for _ in range(TURNS):
        start = time.process_time()
        batch(q, still, still)
        times.append(time.process_time() - start)
    yield f"{1e3 * min(times) / count:.3f} ms a row"


def main() -> None:
    """Print the measurements."""
    cones: tuple[FrictionCone, FrictionCone] = ("polyhedral", "round")
    print("a step with round cones takes, times one with four edges:")
    print(f"  quadruped: {ratio((quadruped(cones[0]), quadruped(cones[1])), 512):.2f}")
    print(f"  sliding box: {ratio((boxes(cones[0], [1.5], 0.5), boxes(cones[1], [1.5], 0.5)), 512):.2f}")
    stacks = boxes(cones[0], [1.5] * 3, 0.3), boxes(cones[1], [1.5] * 3, 0.3)
    print(f"  three boxes, pushed: {ratio(stacks, 64):.2f}")
    print(f"  foot of capsules: {ratio((foot(cones[0]), foot(cones[1])), 128):.2f}")
    for cone in cones:
        print(f"{cone} cones: {failures(cone)} of 300 boxes on one of a hundredth of their mass fail within 20 steps")
    print("derivatives of a quadruped's step:", "; ".join(quadruped_derivatives()))


if __name__ == "__main__":
    main()
