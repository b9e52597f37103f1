"""Humanoids on flat feet, which are boxes or rows of capsules, and how they stand."""

from __future__ import annotations

from typing import Literal, TypeAlias

import rbd
from rbd.compiled import RecordedFunction
from rbd.contact import Box, Capsule, CollisionModel, HalfSpace, Shape
from rbd.scalars import Scalar
from rbd.scalars.arrays import Array

Foot: TypeAlias = Literal["box", "capsules"]

SOLE = 0.07
"""Depth of the soles below the ankles."""
BENT = {"hip_pitch": -0.3, "knee": 0.6, "ankle_pitch": -0.3}
ALONG = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
"""A capsule's axis along the foot."""


def on_feet(kind: Foot) -> CollisionModel:
    """Return a humanoid on the ground: each foot is a box, or three parallel capsules."""
    mechanism = rbd.robots.humanoid()
    model, root = CollisionModel(mechanism), mechanism.root_frame
    ground = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    for side in ("left", "right"):
        body = mechanism.body(f"{side}_foot")
        for shape in _shapes(kind, body):
            model.add_pair(model.add(body, shape), ground)
    return model


def _shapes(kind: Foot, body: rbd.RigidBody) -> list[Shape]:
    """Return the shapes of a foot, 0.24 m by 0.1 m; their frames become the body's."""
    if kind == "box":
        frame = rbd.Frame(f"{body.name} sole")
        body.add_frame(rbd.Transform(frame, body.default_frame, translation=(0.04, 0, 0.01 - SOLE)))
        return [Box(frame, (0.24, 0.1, 0.02))]
    capsules = list[Shape]()
    for k in (-1, 0, 1):
        frame = rbd.Frame(f"{body.name} capsule {k}")
        body.add_frame(rbd.Transform(frame, body.default_frame, ALONG, (0.04, 0.04 * k, 0.01 - SOLE)))
        capsules.append(Capsule(frame, 0.22 - 0.04 * abs(k), 0.01))
    return capsules


def standing(model: CollisionModel) -> Array:
    """Return the configuration with bent knees whose soles touch the ground."""
    state = rbd.MechanismState(model.mechanism)
    for name, angle in BENT.items():
        for side in ("left", "right"):
            state.set_configuration(model.mechanism.joint(f"{side}_{name}"), [angle])
    q = state.q.copy()
    q[6] -= model.distances(state)[0].value
    return q


def held(model: CollisionModel, q: Array, stiffness: float, damping: float) -> RecordedFunction:
    """Return a control that holds all joints at the angles of q."""

    def torques(state: rbd.ScalarState) -> list[Scalar]:
        angles = zip(q[7:].tolist(), state.q[7:], state.v[6:], strict=True)
        return [0] * 6 + [stiffness * (goal - x) - damping * w for goal, x, w in angles]

    return rbd.record(torques, model.mechanism)
