"""The ground of `rbd simulate`: collision models of robots on a plane, and robots placed on it."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from rbd.cli.mesh_shapes import model_with_meshes
from rbd.cli.robot_file import RobotFile
from rbd.errors import ArgumentError

if TYPE_CHECKING:
    from rbd.contact import CollisionModel, Shape
    from rbd.contact.model.pairs import Pair
    from rbd.mechanism import Joint, Mechanism
    from rbd.spatial.half_space import HalfSpace
    from rbd.state import MechanismState


_MAX_STEPS: Final = 300
"""Distances are along normals: level ground takes one step; over slopes of 80 degrees, steps leave 0.83 of the way."""
_EXACT: Final = 1e-12
_NEAR: Final = 1e-6
"""Distances from the height asked for (m) at which a robot is placed: at once, and after all steps."""


def ground_model(robot: RobotFile, *, among_bodies: bool) -> tuple[CollisionModel, list[str]]:
    """Return the collision model of moving shapes and the ground, that of the file or the plane z = 0; and remarks.

    Meshes are convex hulls, which touch the ground only. With `among_bodies`, pairs of bodies that the file lets
    collide are in it, too. Pairs of the file keep its laws, such as friction of their own; others have none.
    """
    from rbd.contact import CollisionModel, ConvexHull

    (full, remarks), model = model_with_meshes(robot), CollisionModel(robot.mechanism)
    planes, touching = _add_planes(model, full), _add_moving(model, full)
    if not touching:
        raise _nothing_touches(robot, remarks)
    laws = {frozenset((id(pair.a), id(pair.b))): pair for pair in full.pairs}
    for plane, shape in product(planes, touching):
        _add_pair(model, shape, plane, laws.get(frozenset((id(shape), id(plane)))))
    solids = [shape for shape in touching if not isinstance(shape, ConvexHull)]
    for pair in full.pairs if among_bodies else ():
        if pair.a in solids and pair.b in solids:
            _add_pair(model, pair.a, pair.b, pair)
    return model, remarks


def _add_pair(model: CollisionModel, a: Shape, b: Shape, law: Pair | None) -> None:
    """Add a pair with the laws of a pair of the file, if that has one."""
    if law is None:
        model.add_pair(a, b)
    else:
        model.add_pair(
            a, b, friction=law.friction, restitution=law.restitution, compliance=law.compliance,
            torsional_friction=law.torsional_friction, rolling_friction=law.rolling_friction,
        )  # fmt: skip


def _add_planes(model: CollisionModel, full: CollisionModel) -> list[Shape]:
    """Add the ground of the file, or the plane z = 0; return its shapes."""
    from rbd.contact.geometry.shapes import is_ground

    planes = [(full.body(shape), shape) for shape in full.shapes if is_ground(shape)]
    if not planes:
        planes = [(model.mechanism.root_body, _level(model.mechanism))]
    return [model.add(body, shape) for body, shape in planes]


def _add_moving(model: CollisionModel, full: CollisionModel) -> list[Shape]:
    """Add the shapes that move; return them."""
    from rbd.contact.geometry.shapes import is_ground

    world = full.mechanism.root_body
    moving = [shape for shape in full.shapes if not is_ground(shape) and full.body(shape) is not world]
    return [model.add(full.body(shape), shape) for shape in moving]


def _nothing_touches(robot: RobotFile, remarks: list[str]) -> ArgumentError:
    message = f"{robot.printable_path} has no collision shape that can touch the ground, such as a sphere or a box"
    return ArgumentError("; ".join([f"--ground: {message}", *remarks]), argument="ground", value=True)


def _level(mechanism: Mechanism) -> HalfSpace:
    """Return the plane z = 0."""
    from rbd.spatial import FreeVector, Point
    from rbd.spatial.half_space import HalfSpace

    root = mechanism.root_frame
    return HalfSpace(Point(root, (0.0, 0.0, 0.0)), FreeVector(root, (0.0, 0.0, 1.0)))


def place_on_ground(state: MechanismState, model: CollisionModel, height: float) -> None:
    """Move a floating robot up or down until its lowest shape is at `height`, or raise ArgumentError."""
    from rbd.contact.geometry.shapes import is_ground

    joint = floating_joint(state)
    if joint is None:
        raise ArgumentError("--height: the robot does not float", argument="height", value=height)
    missing = math.inf
    for _ in range(_MAX_STEPS):
        near = zip(model.pairs, model.distances(state), strict=True)
        missing = height - float(min(distance.value for pair, distance in near if is_ground(pair.b)))
        if abs(missing) <= _EXACT:
            return
        q = np.array(state.configuration(joint), dtype=np.float64)
        q[-1] += missing
        state.set_configuration(joint, q)
    if abs(missing) > _NEAR:
        message = "--height: no motion up or down brings the robot to this distance from the ground; is it a wall?"
        raise ArgumentError(message, argument="height", value=height)


def floating_joint(state: MechanismState) -> Joint | None:
    """Return the joint by which a robot floats, if it does."""
    mechanism = state.mechanism
    joints = [joint for joint in mechanism.tree_joints if joint.is_floating]
    return joints[0] if len(joints) == 1 and mechanism.predecessor(joints[0]) is mechanism.root_body else None
