"""Contact benchmarks: distances of capsules with Jacobian rows, and the simulation loop of the hand.

The loop is that of Pinocchio's contact exercise: PD control towards a moving target, impacts, a quadratic program,
integration. The measured part starts without contacts; for most of it, a finger is on the palm.
"""

from __future__ import annotations

import math
from typing import Any, Final, TypeAlias, final

import attrs
import numpy as np

import rbd
from rbd.array_functions.function import RecordedFunction
from rbd.bench.contender import RBD, Contender, repeated
from rbd.contact import Capsule, CollisionModel, ContactSimulator
from rbd.scalars import cos, sin
from rbd.scalars.arrays import Array

CAPSULE_DISTANCES: Final = "distance of two capsules, with its row"
HAND_STEP: Final = "a step of the hand's loop, control included"
RECORDED: Final = "rbd, control recorded"
DT, THRESHOLD, STIFFNESS = 1e-3, 1e-3, 10.0
DAMPING: Final = 2 * math.sqrt(STIFFNESS)
START: Final = 2.8
"""Start of the measured part in seconds; the first impact is at 2.927."""
_CAPSULES: Final = ((2, 7), (2, 10), (2, 13), (2, 16))
_TIME_SCALES: Final = {2: 1.0, 3: 1.0, 5: 1.5, 6: 1.5, 8: 2.5, 9: 2.5}
"""Seconds per radian of the cosine in the desired position, by joint; other joints are held at zero."""


@final
@attrs.frozen(eq=False)
class HandCase:
    """The hand, configurations for distances, and the initial state of the loop."""

    mechanism: rbd.Mechanism
    tips: CollisionModel
    capsules: CollisionModel
    """The same shapes with pairs of capsules: the fingertips are spheres."""
    q: Array
    steps: int
    initial_state: tuple[Array, Array]


def hand_case(*, quick: bool = False) -> HandCase:
    """Return the hand with 5000 configurations and 500 steps, fewer if `quick`."""
    mechanism, tips = rbd.robots.hand()
    capsules = CollisionModel(mechanism)
    shapes = [capsules.add(tips.body(shape), shape) for shape in tips.shapes]
    for a, b in _CAPSULES:
        capsules.add_pair(shapes[a], shapes[b])
    state = rbd.MechanismState(mechanism)
    ContactSimulator(mechanism, tips, python_control(0.0), DT, law="euclidean").run(state, START)
    q = np.random.default_rng(4).uniform(-0.6, 0.6, (50 if quick else 5000, 13))
    return HandCase(mechanism, tips, capsules, q, 200 if quick else 500, (state.q.copy(), state.v.copy()))


def desired_positions(t: float) -> Array:
    """Return the desired joint positions."""
    return np.array([_desired_position(math.cos(t / _TIME_SCALES[k])) if k in _TIME_SCALES else 0.0 for k in range(13)])


def _desired_position(cosine: Any) -> Any:
    return 1.5 * cosine - 1


def python_control(start: float) -> Any:
    """Return the PD control of the simulation from a start time."""

    def control(t: float, state: rbd.MechanismState) -> Array:
        return -STIFFNESS * (state.q - desired_positions(start + t)) - DAMPING * state.v

    return control


def recorded_control(mechanism: rbd.Mechanism, start: float) -> RecordedFunction:
    """Return the same control as machine code."""

    def torques(state: rbd.ScalarState, t: Any) -> list[Any]:
        cosines = {k: _cosine_of_sum(start, t, time_scale) for k, time_scale in _TIME_SCALES.items()}
        goals = [_desired_position(cosines[k]) if k in cosines else 0 for k in range(13)]
        return [STIFFNESS * (goal - x) - DAMPING * rate for goal, x, rate in zip(goals, state.q, state.v, strict=True)]

    return rbd.record(torques, mechanism, t=())


def _cosine_of_sum(start: float, t: Any, time_scale: float) -> Any:
    """Return cos((start + t) / time_scale), by the cosine and sine of t: `start` is a constant of the recording."""
    return math.cos(start / time_scale) * cos(t / time_scale) - math.sin(start / time_scale) * sin(t / time_scale)


def distances(case: HandCase) -> Contender:
    """Return the contender of distances: a call for all distances, and one for all Jacobian rows."""
    values, rows = (case.capsules.recorded(name) for name in ("distances", "jacobian"))
    still, pairs = np.zeros(13), len(_CAPSULES)

    def once() -> None:
        values(case.q, still)
        rows(case.q, still)

    def value(k: int) -> Array:
        state = rbd.MechanismState(case.mechanism, case.q[k // pairs])
        distance = case.capsules.distances(state)[k % pairs].value
        return np.array([distance, *case.capsules.jacobian(state)[k % pairs]], dtype=np.float64)

    return Contender(RBD, repeated(once), pairs * len(case.q), value)


def hand_simulation(case: HandCase, *, recorded: bool) -> Contender:
    """Return the contender of the loop, with control in Python or recorded."""
    control = recorded_control(case.mechanism, START) if recorded else python_control(START)
    simulator = ContactSimulator(case.mechanism, case.tips, control, DT, threshold=THRESHOLD, law="euclidean")
    state = rbd.MechanismState(case.mechanism)

    def once() -> Array:
        state.set_configuration(case.initial_state[0])
        state.set_velocity(case.initial_state[1])
        return simulator.run(state, case.steps * DT).q

    return Contender(RECORDED if recorded else RBD, repeated(once), case.steps, lambda k: once()[k + 1])


PlainCapsule: TypeAlias = tuple[str, Array, Array, float, float]
"""A capsule: name of the body, rotation, translation, radius, length."""


def capsule_pairs(model: CollisionModel) -> list[list[PlainCapsule]]:
    """Return the pairs of a model as plain numbers."""
    sides = [((pair.a, pair.body_a), (pair.b, pair.body_b)) for pair in model.pairs]
    return [[_plain_capsule(shape, body) for shape, body in both if isinstance(shape, Capsule)] for both in sides]


def _plain_capsule(shape: Capsule[Any], body: rbd.RigidBody) -> PlainCapsule:
    tf = body.fixed_transform(shape.frame, body.default_frame)
    return body.name, tf.rotation, tf.translation, shape.radius, shape.length
