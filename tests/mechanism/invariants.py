"""What must hold for every mechanism at any time, and poses by the most pedestrian way there is."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import numpy as np

from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.spatial import Frame, Transform


def check(mechanism: Mechanism) -> None:
    """Assert everything that the documentation of mechanisms promises about their structure."""
    tree, bodies = mechanism.tree_joints, mechanism.bodies
    assert bodies == (mechanism.root_body, *map(mechanism.successor, tree))
    assert len(set(bodies)) == len(bodies)
    for k, joint in enumerate(tree):
        assert mechanism.predecessor(joint) in bodies[: k + 1]
        assert mechanism.parent_joint(bodies[k + 1]) is joint
        assert mechanism.is_tree_joint(joint)
        assert bodies[k + 1].default_frame == joint.frame_after
    assert mechanism.parent_joint(mechanism.root_body) is None
    assert mechanism.joints == tree + mechanism.loop_joints
    assert mechanism.nq == sum(joint.nq for joint in tree)
    assert mechanism.nv == sum(joint.nv for joint in tree)
    assert mechanism.nc == sum(6 - joint.nv for joint in mechanism.loop_joints) + len(mechanism.couplings)
    for coupling in mechanism.couplings:
        assert mechanism.coupling(coupling.name) is coupling
        assert all(joint in tree and joint.nq == joint.nv == 1 for joint in coupling.joints)
    _check_names(mechanism)
    _check_frames(mechanism)
    _check_graph(mechanism)


def _check_names(mechanism: Mechanism) -> None:
    for body in mechanism.bodies:
        assert mechanism.body(body.name) is body
        assert mechanism.body(body) is body
        assert (body.inertia is None) == (body is mechanism.root_body) == body.is_root
    for joint in mechanism.joints:
        assert mechanism.joint(joint.name) is joint
        assert mechanism.joint(joint) is joint


def _check_frames(mechanism: Mechanism) -> None:
    seen: set[Frame] = set()
    for body in mechanism.bodies:
        assert not seen & set(body.frames)
        seen |= set(body.frames)
        assert body.inertia is None or body.inertia.frame == body.default_frame
        assert all(point.location.frame == body.default_frame for point in body.contact_points)
        for frame in body.frames:
            assert mechanism.body_of_frame(frame) is body
            assert mechanism.fixed_transform(frame, body.default_frame).from_frame == frame
    for joint in mechanism.joints:
        before, after = mechanism.placement(joint), mechanism.successor_placement(joint)
        assert before.from_frame == joint.frame_before
        assert before.to_frame == mechanism.predecessor(joint).default_frame
        assert after.from_frame == joint.frame_after
        assert after.to_frame == mechanism.successor(joint).default_frame
        if mechanism.is_tree_joint(joint):
            assert np.array_equal(after.matrix, np.eye(4))


def _check_graph(mechanism: Mechanism) -> None:
    graph = mechanism.graph
    assert set(graph.nodes) == set(mechanism.bodies)
    edges = {(joint, mechanism.predecessor(joint), mechanism.successor(joint)) for joint in mechanism.joints}
    assert {(joint, a, b) for a, b, joint in graph.edges(keys=True)} == edges
    assert nx.is_weakly_connected(graph)


def content(mechanism: Mechanism) -> tuple[object, ...]:
    """Return everything a failed edit must leave as it is."""
    joints = [
        (joint, mechanism.predecessor(joint), mechanism.successor(joint), mechanism.placement(joint))
        for joint in mechanism.joints
    ]
    frames = [(body, body.frames, body.default_frame, body.inertia, body.contact_points) for body in mechanism.bodies]
    shown = [(joint, a, b, tuple(pose.matrix.ravel())) for joint, a, b, pose in joints]
    versions = (mechanism.structure_version, mechanism.parameter_version)
    names = (mechanism.tree_joints, mechanism.loop_joints, mechanism.couplings)
    return (versions, names, shown, frames, tuple(mechanism.gravity.xyz))


def poses(mechanism: Mechanism, q: Sequence[float]) -> dict[Frame, Transform]:
    """Return the transform from every frame of every body to the root frame."""
    to_root = {mechanism.root_body: Transform.identity(mechanism.root_frame, mechanism.root_frame)}
    start = 0
    for joint in mechanism.tree_joints:
        part = tuple(q[start : start + joint.nq])
        start += joint.nq
        across = joint.type.transform(part, joint.frame_after, joint.frame_before)
        to_root[mechanism.successor(joint)] = (
            to_root[mechanism.predecessor(joint)] @ mechanism.placement(joint) @ across
        )
    assert start == len(q)
    return {
        frame: to_root[body] @ body.fixed_transform(frame, body.default_frame)
        for body in mechanism.bodies
        for frame in body.frames
    }


def random_configuration(mechanism: Mechanism, rng: np.random.Generator) -> tuple[float, ...]:
    """Return a random configuration of all tree joints."""
    return tuple(x for joint in mechanism.tree_joints for x in joint.type.random(rng))


def close_loop(
    mechanism: Mechanism,
    q: Sequence[float],
    predecessor: RigidBody,
    successor: RigidBody,
    joint: Joint,
    rng: np.random.Generator,
) -> tuple[float, ...]:
    """Close a loop with a joint so placed that it fits at q; return its coordinates there."""
    from rbd.testing.random_mechanisms import random_transform

    found = poses(mechanism, q)
    coordinates = joint.type.random(rng)
    across = joint.type.transform(coordinates, joint.frame_after, joint.frame_before)
    joint_pose = random_transform(joint.frame_before, predecessor.default_frame, rng)
    successor_to_before = (found[predecessor.default_frame] @ joint_pose).inverse() @ found[successor.default_frame]
    mechanism.attach(
        predecessor, successor, joint, joint_pose=joint_pose, successor_pose=across.inverse() @ successor_to_before
    )
    return coordinates
