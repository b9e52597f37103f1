"""Paths, ancestors and subtrees, compared with the plainest definitions."""

from __future__ import annotations

import numpy as np
import pytest

from rbd.errors import TopologyError, UnknownNameError
from rbd.joints import Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.testing.random_mechanisms import random_tree

Z = Revolute((0, 0, 1))


def ancestors(mechanism: Mechanism, body: RigidBody) -> list[RigidBody]:
    """Return the body, its parent, and so on up to the root."""
    line = [body]
    while (joint := mechanism.parent_joint(line[-1])) is not None:
        line.append(mechanism.predecessor(joint))
    return line


@pytest.fixture(params=range(4))
def tree(request: pytest.FixtureRequest) -> Mechanism:
    mechanism = random_tree([Z] * 25, np.random.default_rng(request.param))
    mechanism.attach("body3", "world", Joint("loop", Z))
    return mechanism


def test_paths_between_all_pairs(tree: Mechanism) -> None:
    for a in tree.bodies:
        for b in tree.bodies:
            path = tree.path(a, b)
            assert (path.source, path.target) == (a, b)
            here, passed = a, []
            for joint, direction in path:
                first, last = (tree.predecessor(joint), tree.successor(joint))[::direction]
                assert first is here
                here = last
                passed.append(joint)
            assert here is b
            assert len(set(passed)) == len(path) == len(passed)
            assert path.joints == tuple(passed)
            directions = [direction for _, direction in path]
            assert directions == sorted(directions)
            back = path.reversed()
            assert list(back) == list(tree.path(b, a))


def test_path_lengths_by_common_ancestors(tree: Mechanism) -> None:
    for a in tree.bodies:
        for b in tree.bodies:
            up, down = ancestors(tree, a), ancestors(tree, b)
            common = next(body for body in up if body in down)
            path = tree.path(a, b)
            assert len(path) == up.index(common) + down.index(common)
            assert sum(1 for _, direction in path if direction < 0) == up.index(common)


def test_path_membership(tree: Mechanism) -> None:
    path = tree.path("body9", "world")
    for joint in tree.joints:
        assert (joint in path) == (path.direction(joint) != 0)
        assert path.direction(joint) in (-1, 0)
    assert "body9" in repr(path)


def test_supports_is_the_ancestor_relation(tree: Mechanism) -> None:
    for joint in tree.tree_joints:
        for body in tree.bodies:
            assert tree.supports(joint, body) == (tree.successor(joint) in ancestors(tree, body))
    assert not any(tree.supports("loop", body) for body in tree.bodies)


def test_subtrees_are_the_ancestor_relation(tree: Mechanism) -> None:
    for top in tree.bodies:
        assert tree.subtree(top) == tuple(body for body in tree.bodies if top in ancestors(tree, body))


def test_children_and_parents(tree: Mechanism) -> None:
    for body in tree.bodies:
        for child in tree.children(body):
            assert tree.parent(child) is body
        parent = tree.parent(body)
        assert parent is None or body in tree.children(parent)
    assert sum(len(tree.children(body)) for body in tree.bodies) == len(tree.bodies) - 1


def test_queries_follow_later_attachments(tree: Mechanism) -> None:
    assert len(tree.path("body1", "body1")) == 0
    tree.attach("body1", RigidBody("late"), Joint("late", Z))
    assert [(j.name, d) for j, d in tree.path("late", "body1")] == [("late", -1)]
    assert tree.bodies[-1].name == "late"
    assert tree.supports("joint1", "late")


def test_strangers_are_refused(tree: Mechanism) -> None:
    with pytest.raises(UnknownNameError):
        tree.path("body1", "nobody")
    with pytest.raises(TopologyError):
        tree.supports(Joint("x", Z), "body1")
    with pytest.raises(TopologyError):
        tree.subtree(RigidBody("body1"))


def test_a_tree_grown_step_by_step_is_the_tree_built_afterwards(tree: Mechanism) -> None:
    before = tree.tree_joints, tree.loop_joints, tree.bodies
    report = tree.rebuild_spanning_tree()
    assert (tree.tree_joints, tree.loop_joints, tree.bodies) == before
    assert (dict(report.flipped), report.entered, report.left) == ({}, (), ())
