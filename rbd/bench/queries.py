"""Frame queries of live states as contenders: coordinates are set, then a frame on the last body is asked for."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Any, Final, final

import numpy as np

import rbd
from rbd.bench.contender import Contender, Quantity, calls
from rbd.bench.rbd_engine import LIVE, RbdEngine
from rbd.scalars.arrays import Array
from rbd.state import MechanismState


class Query(StrEnum):
    """Queries of a live state."""

    POSE = "set q and v, pose of a frame"
    POSE_MATRIX = "set q and v, pose of a frame as a matrix"
    TWIST = "set q and v, twist of a body"
    LOCAL_TWIST = "set q and v, twist of a body in a frame"
    RELATIVE_TWIST = "set q and v, twist of a frame relative to a body"
    BIAS = "set q and v, bias acceleration of a body"
    JACOBIAN = "set q and v, Jacobian in a frame"
    JACOBIAN_MATRIX = "set q and v, Jacobian in a frame as a matrix"
    POINT_JACOBIAN = "set q and v, Jacobian of a point"
    CENTER = "set q and v, centre of mass"
    SET = "set q"
    TASK = "operational-space control of a frame"


OFFSET: Final = (0.1, 0.2, 0.3)
"""Position of the frame on the last body."""
STIFFNESS: Final = 100.0
DAMPING: Final = 20.0


@final
class Queries:
    """The frame queries of one robot."""

    def __init__(self, engine: RbdEngine) -> None:
        """Fix a frame to the last body of a copy of the robot."""
        self.mechanism, _ = engine.mechanism.copy()
        self.samples = engine.samples
        self.body = self.mechanism.bodies[-1]
        self.middle = self.mechanism.bodies[len(self.mechanism.bodies) // 2]
        pose = rbd.Transform(rbd.Frame("tool"), self.body.default_frame, translation=OFFSET)
        self.frame = self.body.add_frame(pose)

    def contender(self, query: Query) -> Contender:
        """Return rbd as a contender."""
        state, rows = MechanismState(self.mechanism), self.samples.rows(Quantity.FORWARD)
        if query is Query.SET:
            return Contender(LIVE, calls(state.set_configuration, [row[:1] for row in rows]), len(rows), None)
        function = self._functions(state)[query]

        def query_at(q: Array, v: Array, tau: Array) -> Any:
            state.set_configuration(q)
            state.set_velocity(v)
            return function()

        return Contender(LIVE, calls(query_at, rows), len(rows), lambda k: _as_array(query_at(*rows[k])))

    def _functions(self, state: MechanismState) -> dict[Query, Callable[[], Any]]:
        body, frame, middle = self.body, self.frame, self.middle
        point = rbd.Point(body.default_frame, OFFSET)
        return {
            Query.POSE: lambda: state.transform_to_root(frame),
            Query.POSE_MATRIX: lambda: state.transform_to_root(frame).matrix,
            Query.TWIST: lambda: state.twist(body),
            Query.LOCAL_TWIST: lambda: state.transform(state.twist(body), frame),
            Query.RELATIVE_TWIST: lambda: state.relative_twist(frame, middle, frame=frame),
            Query.BIAS: lambda: state.bias_acceleration(body),
            Query.JACOBIAN: lambda: rbd.geometric_jacobian(state, body, frame=frame),
            Query.JACOBIAN_MATRIX: lambda: rbd.geometric_jacobian(state, body, frame=frame).matrix,
            Query.POINT_JACOBIAN: lambda: rbd.point_jacobian(state, body, point),
            Query.CENTER: lambda: rbd.center_of_mass(state),
            Query.TASK: partial(_task, state, body, frame),
        }


def _task(state: MechanismState, body: rbd.RigidBody, frame: rbd.Frame) -> Array:
    jacobian = rbd.geometric_jacobian(state, body, frame=frame).matrix
    twist = state.transform(state.twist(body), frame).vector
    goal = state.transform_to_root(frame).translation
    return operational(jacobian, twist, goal, rbd.mass_matrix(state), rbd.dynamics_bias(state))


def operational(jacobian: Array, twist: Array, position: Array, mass: Array, bias: Array) -> Array:
    """Return torques that damp a frame's motion and pull it to the origin of the root: numpy solves the equations."""
    acceleration = -DAMPING * twist
    acceleration[3:] -= STIFFNESS * position
    motion = np.linalg.solve(mass, jacobian.T)
    inertia = jacobian @ motion + 1e-3 * np.eye(6)
    torques: Array = jacobian.T @ np.linalg.solve(inertia, acceleration) + bias
    return torques


def _as_array(result: Any) -> Array:
    """Return a result as an array."""
    name = next((name for name in ("vector", "matrix", "xyz") if hasattr(result, name)), None)
    array: Array = result if name is None else getattr(result, name)
    return array
