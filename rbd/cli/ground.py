"""The ground of `rbd simulate`: collision models of robots on a plane, and robots placed on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rbd.cli.mesh_shapes import add_meshes
from rbd.cli.robot_file import RobotFile
from rbd.errors import ArgumentError

if TYPE_CHECKING:
    from rbd.contact import CollisionModel
    from rbd.mechanism import Joint
    from rbd.spatial.half_space import HalfSpace
    from rbd.state import MechanismState


def ground_model(robot: RobotFile, *, among_bodies: bool) -> tuple[CollisionModel, list[str]]:
    """Return the collision model of the shapes that move and the ground of the file, else the plane z = 0; and doubts.

    Meshes are convex hulls, which touch the ground only. With `among_bodies`, pairs of bodies that the file lets
    collide are in it, too.
    """
    from rbd.contact import CollisionModel
    from rbd.contact.geometry.shapes import is_ground
    from rbd.spatial.half_space import HalfSpace

    full = robot.report.collision_model(robot.mechanism)
    root = robot.mechanism.root_body
    planes = [shape for shape in full.shapes if is_ground(shape)] or [_level(robot)]
    solids = [s for s in full.shapes if not is_ground(s) and full.body(s) is not root]
    model = CollisionModel(robot.mechanism)
    for shape in (*planes, *solids):
        model.add(root if isinstance(shape, HalfSpace) else full.body(shape), shape)
    added, doubts = add_meshes(robot, model)
    touching = solids + [shape for shape in added if model.body(shape) is not root]
    if not touching:
        raise _nothing_touches(robot, doubts)
    pairs = [(shape, plane) for plane in planes for shape in touching]
    if among_bodies:
        pairs += [(pair.a, pair.b) for pair in full.pairs if pair.a in solids and pair.b in solids]
    for a, b in pairs:
        model.add_pair(a, b)
    return model, doubts


def _nothing_touches(robot: RobotFile, doubts: list[str]) -> ArgumentError:
    message = f"{robot.printable_path} has no collision shape that can touch the ground, such as a sphere or a box"
    return ArgumentError("; ".join([f"--ground: {message}", *doubts]), argument="ground", value=True)


def _level(robot: RobotFile) -> HalfSpace:
    from rbd.spatial import FreeVector, Point
    from rbd.spatial.half_space import HalfSpace

    root = robot.mechanism.root_frame
    return HalfSpace(Point(root, (0.0, 0.0, 0.0)), FreeVector(root, (0.0, 0.0, 1.0)))


def place_on_ground(state: MechanismState, model: CollisionModel, height: float) -> None:
    """Move a floating robot up or down until its lowest shape is at `height` above the ground."""
    joint = floating_joint(state)
    if joint is None:
        raise ArgumentError("--height: the robot does not float", argument="height", value=height)
    q = np.array(state.configuration(joint), dtype=np.float64)
    q[-1] += height - float(min(distance.value for distance in model.distances(state)))
    state.set_configuration(joint, q)


def floating_joint(state: MechanismState) -> Joint | None:
    """Return the joint by which a robot floats, if it does."""
    mechanism = state.mechanism
    joints = [joint for joint in mechanism.tree_joints if joint.is_floating]
    return joints[0] if len(joints) == 1 and mechanism.predecessor(joints[0]) is mechanism.root_body else None
