"""Frame queries of live states as contenders: coordinates are set, then a frame on the last body is asked for."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, Final, final

import numpy as np

import rbd
from rbd.bench.contender import Contender, Quantity, calls
from rbd.bench.ours import LIVE, Ours
from rbd.scalars.arrays import Array
from rbd.state import MechanismState


class Query(StrEnum):
    """What is asked of a live state."""

    POSE = "set q and v, pose of a frame"
    TWIST = "set q and v, twist of a body"
    LOCAL_TWIST = "set q and v, twist of a body in a frame"
    JACOBIAN = "set q and v, Jacobian in a frame"
    TASK = "operational-space control of a frame"


OFFSET: Final = (0.1, 0.2, 0.3)
"""Where the frame is on the last body."""
STIFFNESS: Final = 100.0
DAMPING: Final = 20.0


@final
class Queries:
    """The frame queries of one robot."""

    def __init__(self, ours: Ours) -> None:
        """Fix a frame to the last body of a copy of the robot."""
        self.mechanism, _ = ours.mechanism.copy()
        self.samples = ours.samples
        self.body = self.mechanism.bodies[-1]
        pose = rbd.Transform(rbd.Frame("tool"), self.body.default_frame, translation=OFFSET)
        self.frame = self.body.add_frame(pose)

    def contender(self, query: Query) -> Contender:
        """Return rbd as a contender."""
        state = MechanismState(self.mechanism)
        function, rows = self._functions(state)[query], self.samples.rows(Quantity.FORWARD)

        def query_at(q: Array, v: Array, tau: Array) -> Any:
            state.set_configuration(q)
            state.set_velocity(v)
            return function()

        return Contender(LIVE, calls(query_at, rows), len(rows), lambda k: _numbers(query_at(*rows[k])))

    def _functions(self, state: MechanismState) -> dict[Query, Callable[[], Any]]:
        body, frame = self.body, self.frame

        def task() -> Array:
            jacobian = rbd.geometric_jacobian(state, body, frame=frame).matrix
            twist = state.transform(state.twist(body), frame).vector
            goal = state.transform_to_root(frame).translation
            return operational(jacobian, twist, goal, rbd.mass_matrix(state), rbd.dynamics_bias(state))

        return {
            Query.POSE: lambda: state.transform_to_root(frame),
            Query.TWIST: lambda: state.twist(body),
            Query.LOCAL_TWIST: lambda: state.transform(state.twist(body), frame),
            Query.JACOBIAN: lambda: rbd.geometric_jacobian(state, body, frame=frame),
            Query.TASK: task,
        }


def operational(jacobian: Array, twist: Array, position: Array, mass: Array, bias: Array) -> Array:
    """Return torques that damp a frame's motion and pull it to the origin of the root: numpy solves the equations."""
    wanted = -DAMPING * twist
    wanted[3:] -= STIFFNESS * position
    motion = np.linalg.solve(mass, jacobian.T)
    inertia = jacobian @ motion + 1e-3 * np.eye(6)
    torques: Array = jacobian.T @ np.linalg.solve(inertia, wanted) + bias
    return torques


def _numbers(found: Any) -> Array:
    """Return a result as an array."""
    if isinstance(found, rbd.Twist):
        return found.vector
    numbers: Array = found.matrix if isinstance(found, (rbd.Transform, rbd.GeometricJacobian)) else found
    return numbers
