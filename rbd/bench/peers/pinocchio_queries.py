"""Frame queries by Pinocchio, called from Python."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from rbd.bench.contender import Contender, Quantity, calls
from rbd.bench.peers.pinocchio import Pinocchio
from rbd.bench.queries import OFFSET, Queries, Query, operational
from rbd.bench.tree import Tree
from rbd.scalars.arrays import Array


def query_contender(tree: Tree, queries: Queries, query: Query) -> Contender:
    """Return Pinocchio as a contender for a frame query."""
    pin: Any = import_module("pinocchio")
    peer = Pinocchio(tree, queries.samples)
    function = _functions(pin, peer, tree, len(queries.mechanism.bodies) - 1)[query]
    rows = peer.samples.rows(Quantity.FORWARD)
    return Contender("Pinocchio", calls(function, rows), len(rows), lambda k: _numbers(pin, peer, function(*rows[k])))


def _functions(pin: Any, peer: Pinocchio, tree: Tree, body: int) -> dict[Query, Callable[[Array, Array, Array], Any]]:
    """Return the functions of q, v and torques, by query; `body` is the place of the last body."""
    model = peer.model
    joint = 1 + [link.body for link in tree.links].index(body)
    place = pin.SE3(np.eye(3), np.array(OFFSET))
    tool = model.addFrame(pin.Frame("tool", joint, 0, place, pin.FrameType.OP_FRAME))
    data, local, world = model.createData(), pin.ReferenceFrame.LOCAL, pin.ReferenceFrame.WORLD

    def pose(q: Array, v: Array, tau: Array) -> Any:
        pin.forwardKinematics(model, data, q)
        return pin.updateFramePlacement(model, data, tool)

    def twist(q: Array, v: Array, tau: Array) -> Any:
        pin.forwardKinematics(model, data, q, v)
        return pin.getFrameVelocity(model, data, tool, world)

    def local_twist(q: Array, v: Array, tau: Array) -> Any:
        pin.forwardKinematics(model, data, q, v)
        return pin.getFrameVelocity(model, data, tool, local)

    def jacobian(q: Array, v: Array, tau: Array) -> Any:
        return pin.computeFrameJacobian(model, data, q, tool, local)

    def task(q: Array, v: Array, tau: Array) -> Array:
        J = _angular_first(pin.computeFrameJacobian(model, data, q, tool, local))
        motion = local_twist(q, v, tau)
        position = pin.updateFramePlacement(model, data, tool).translation
        M, c = pin.crba(model, data, q), pin.nonLinearEffects(model, data, q, v)
        M = np.triu(M) + np.triu(M, 1).T
        torques = operational(J, np.concatenate([motion.angular, motion.linear]), position, M, c)
        return peer.vector(torques)

    return {
        Query.POSE: pose,
        Query.TWIST: twist,
        Query.LOCAL_TWIST: local_twist,
        Query.JACOBIAN: jacobian,
        Query.TASK: task,
    }


def _angular_first(rows: Array) -> Array:
    return np.concatenate([rows[3:], rows[:3]])


def _numbers(pin: Any, peer: Pinocchio, found: Any) -> Array:
    """Return a result in rbd's conventions."""
    if isinstance(found, pin.SE3):
        return np.array(found.homogeneous)
    if isinstance(found, pin.Motion):
        return np.concatenate([found.angular, found.linear])
    found = np.array(found)
    return found if found.ndim == 1 else peer.columns(_angular_first(found))
