"""Layouts: indices of bodies, joints and constraints, slices of q, v and constraint rows."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, FrameMismatchError, UnknownNameError
from rbd.indexing.layout import Layout, layout_of
from tests.algorithms.helpers import JOINT_TYPES, RANDOM
from tests.algorithms.loops.mechanisms import looped


def every_joint_type() -> rbd.Mechanism:
    return RANDOM["chain"](JOINT_TYPES.values(), np.random.default_rng(7))


MECHANISMS: dict[str, Callable[[], rbd.Mechanism]] = {
    "every joint type": every_joint_type,
    "loop": rbd.robots.four_bar,
    "spherical loop": lambda: looped("spherical", 3).mechanism,
    "quadruped": rbd.robots.quadruped,
    "nothing": rbd.Mechanism,
}


@pytest.fixture(params=MECHANISMS)
def mechanism(request: pytest.FixtureRequest) -> rbd.Mechanism:
    return MECHANISMS[request.param]()


def test_slices_tile_the_vectors(mechanism: rbd.Mechanism) -> None:
    layout = layout_of(mechanism)
    for size, slices in (
        (mechanism.nq, [node.q_slice for node in layout.nodes]),
        (mechanism.nv, [node.v_slice for node in layout.nodes]),
        (layout.nc, [each.rows for each in layout.constraints]),
        (layout.ns, [each.s for each in layout.contact_pairs]),
    ):
        assert [k for each in slices for k in range(size)[each]] == list(range(size))


def test_parents_come_first(mechanism: rbd.Mechanism) -> None:
    layout = layout_of(mechanism)
    assert [layout.body_index(body) for body in mechanism.bodies] == list(range(len(mechanism.bodies)))
    for node in layout.nodes:
        assert node.parent < node.index
        assert layout.bodies[node.parent] is mechanism.predecessor(node.joint)
        assert layout.bodies[node.index] is node.body is mechanism.successor(node.joint)
        assert layout.path_to_root(node.index) == (node.index, *layout.path_to_root(node.parent))
    assert layout.path_to_root(0) == ()


def test_things_are_found_by_themselves_and_by_name(mechanism: rbd.Mechanism) -> None:
    layout = layout_of(mechanism)
    for body in mechanism.bodies:
        assert layout.body(body.name) is layout.body(body) is body
        assert layout.body_and_frame(body) == (body, body.default_frame)
        for frame in body.frames:
            assert layout.body_and_frame(frame) == (body, frame)
    for joint in mechanism.tree_joints:
        assert layout.node(joint.name) is layout.node(joint)
        assert layout.loop(joint) is None
    for joint in mechanism.loop_joints:
        found = layout.loop(joint.name)
        assert found is not None
        assert found.joint is joint
        with pytest.raises(UnknownNameError, match=f"joint '{joint.name}' closes a loop and has no coordinates"):
            layout.node(joint)


def test_things_of_other_mechanisms_are_refused() -> None:
    layout, other = layout_of(rbd.robots.arm7()), rbd.robots.arm7()
    with pytest.raises(UnknownNameError, match="body 'link3' is not part of this mechanism"):
        layout.body_index(other.body("link3"))
    with pytest.raises(UnknownNameError, match="is not part of this mechanism"):
        layout.node(other.tree_joints[0])
    with pytest.raises(FrameMismatchError):
        layout.body_and_frame(other.body("link3").default_frame)
    with pytest.raises(ArgumentError, match="place must be a body, a frame, or the name of one, not 3"):
        layout.body_and_frame(3)  # type: ignore[arg-type]  # on purpose


Pair: TypeAlias = "tuple[rbd.Mechanism, Layout]"


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda pair: pickle.loads(pickle.dumps(pair))])
def test_copies_find_the_copies(duplicate: Callable[[Pair], Pair]) -> None:
    mechanism = rbd.robots.four_bar()
    copied, layout = duplicate((mechanism, layout_of(mechanism)))
    assert copied is not mechanism
    assert [layout.body_index(body) for body in copied.bodies] == list(range(len(copied.bodies)))
    assert [layout.node(joint).joint for joint in copied.tree_joints] == list(copied.tree_joints)
    with pytest.raises(UnknownNameError):
        layout.node(mechanism.tree_joints[0])


def test_one_layout_per_structure() -> None:
    mechanism = rbd.robots.arm7()
    layout = layout_of(mechanism)
    mechanism.gravity = (0.0, 0.0, -1.6)
    assert layout_of(mechanism) is layout
    mechanism.attach("link7", rbd.RigidBody("tool"), rbd.Joint("mount", rbd.Fixed()))
    assert layout_of(mechanism) is not layout
    assert layout_of(mechanism).version > layout.version
