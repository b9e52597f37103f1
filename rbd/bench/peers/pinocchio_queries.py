"""Frame queries by Pinocchio, called from Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

from rbd.bench.contender import Contender, Quantity, calls
from rbd.bench.peers.pinocchio import Pinocchio
from rbd.bench.queries import OFFSET, Queries, Query, operational
from rbd.bench.tree import Tree
from rbd.scalars.arrays import Array

Function: TypeAlias = Callable[[Array, Array, Array], Any]


def query_contender(tree: Tree, queries: Queries, query: Query) -> Contender | None:
    """Return Pinocchio as a contender for a frame query; None for setting q, which it does not do."""
    pin: Any = import_module("pinocchio")
    peer = Pinocchio(tree, queries.samples)
    if query is Query.SET:
        return None
    numbers = [queries.mechanism.bodies.index(body) for body in (queries.body, queries.middle)]
    function = _functions(pin, peer, tree, *numbers)[query]
    rows = peer.samples.rows(Quantity.FORWARD)
    return Contender("Pinocchio", calls(function, rows), len(rows), lambda k: _as_array(pin, peer, function(*rows[k])))


def _functions(pin: Any, peer: Pinocchio, tree: Tree, last: int, middle: int) -> Mapping[Query, Function]:
    """Return the functions of q, v and torques, by query; `last` and `middle` are numbers of bodies."""
    model = peer.model
    joint, base = (1 + [link.body for link in tree.links].index(body) for body in (last, middle))
    offset = pin.SE3(np.eye(3), np.array(OFFSET))
    tool = model.addFrame(pin.Frame("tool", joint, 0, offset, pin.FrameType.OP_FRAME))
    data, local = model.createData(), pin.ReferenceFrame.LOCAL
    motions = {**_motions(pin, model, data, tool), **_local_motions(pin, model, data, tool, base)}
    pose, twist = motions[Query.POSE], motions[Query.LOCAL_TWIST]

    def jacobian(q: Array, v: Array, tau: Array) -> Any:
        return pin.computeFrameJacobian(model, data, q, tool, local)

    return {
        **motions,
        Query.POSE_MATRIX: lambda q, v, tau: pose(q, v, tau).homogeneous,
        Query.JACOBIAN: jacobian,
        Query.JACOBIAN_MATRIX: jacobian,
        Query.POINT_JACOBIAN: lambda q, v, tau: pin.computeFrameJacobian(model, data, q, tool, local)[:3],
        Query.CENTER: lambda q, v, tau: pin.centerOfMass(model, data, q),
        Query.TASK: _task(pin, peer, data, tool, jacobian, twist),
    }


def _task(pin: Any, peer: Pinocchio, data: Any, tool: int, jacobian: Function, local_twist: Function) -> Function:
    """Return the torques of `operational` as a function."""
    model = peer.model

    def task(q: Array, v: Array, tau: Array) -> Array:
        J = _angular_first(jacobian(q, v, tau))
        motion = local_twist(q, v, tau)
        position = pin.updateFramePlacement(model, data, tool).translation
        M, c = pin.crba(model, data, q), pin.nonLinearEffects(model, data, q, v)
        M = np.triu(M) + np.triu(M, 1).T
        torques = operational(J, np.concatenate([motion.angular, motion.linear]), position, M, c)
        return peer.vector(torques)

    return task


def _motions(pin: Any, model: Any, data: Any, tool: int) -> Mapping[Query, Function]:
    """Return the functions of a frame's pose, and of its motion in the root frame."""
    world, rest = pin.ReferenceFrame.WORLD, np.zeros(model.nv)

    def pose(q: Array, v: Array, tau: Array) -> Any:
        pin.forwardKinematics(model, data, q)
        return pin.updateFramePlacement(model, data, tool)

    def twist(q: Array, v: Array, tau: Array) -> Any:
        pin.forwardKinematics(model, data, q, v)
        return pin.getFrameVelocity(model, data, tool, world)

    def bias(q: Array, v: Array, tau: Array) -> Any:
        pin.forwardKinematics(model, data, q, v, rest)
        return pin.getFrameAcceleration(model, data, tool, world)

    return {Query.POSE: pose, Query.TWIST: twist, Query.BIAS: bias}


def _local_motions(pin: Any, model: Any, data: Any, tool: int, base: int) -> Mapping[Query, Function]:
    """Return the functions of a frame's motion in its own axes; `base` is the joint of the body in the middle."""
    local = pin.ReferenceFrame.LOCAL

    def twist(q: Array, v: Array, tau: Array) -> Any:
        pin.forwardKinematics(model, data, q, v)
        return pin.getFrameVelocity(model, data, tool, local)

    def relative_twist(q: Array, v: Array, tau: Array) -> Any:
        motion = twist(q, v, tau)
        return motion - pin.updateFramePlacement(model, data, tool).actInv(data.oMi[base].act(data.v[base]))

    return {Query.LOCAL_TWIST: twist, Query.RELATIVE_TWIST: relative_twist}


def _angular_first(rows: Array) -> Array:
    return np.concatenate([rows[3:], rows[:3]])


def _as_array(pin: Any, peer: Pinocchio, result: Any) -> Array:
    """Return a result in rbd's conventions."""
    if isinstance(result, pin.SE3):
        return np.array(result.homogeneous)
    if isinstance(result, pin.Motion):
        return np.concatenate([result.angular, result.linear])
    array: Array = np.array(result)
    if array.ndim == 1 or array.shape == (4, 4):
        return array
    return peer.columns(array if len(array) == 3 else _angular_first(array))
