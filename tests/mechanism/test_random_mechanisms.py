"""The random mechanisms themselves, and the strategies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd.errors import ArgumentError
from rbd.joints import Prismatic, QuaternionFloating, Revolute
from rbd.mechanism import Mechanism
from rbd.spatial import Frame
from rbd.testing import random_chain, random_floating_tree, random_tree, strategies
from tests.mechanism import invariants
from tests.mechanism.conftest import ALL_TYPES

FRAME, OTHER = Frame("frame"), Frame("other")


@pytest.mark.parametrize("make", [random_chain, random_tree, random_floating_tree])
def test_joint_types_in_order(make: object, rng: np.random.Generator) -> None:
    mechanism = make(ALL_TYPES, rng)  # a function
    invariants.check(mechanism)
    types = [joint.type for joint in mechanism.tree_joints]
    assert types[-len(ALL_TYPES) :] == list(ALL_TYPES)


def test_shapes(rng: np.random.Generator) -> None:
    chain = random_chain([Revolute((0, 0, 1))] * 5, rng)
    assert [chain.parent(body) for body in chain.bodies[1:]] == list(chain.bodies[:-1])
    floating = random_floating_tree([QuaternionFloating, lambda: Prismatic((1, 0, 0))] * 4, rng)
    assert floating.children("world") == (floating.bodies[1],)
    tree = random_tree([Revolute((0, 0, 1))] * 30, rng)
    assert max(len(tree.children(body)) for body in tree.bodies) > 1


def test_the_same_seed_gives_the_same_mechanism() -> None:
    a, b = (random_tree(ALL_TYPES, np.random.default_rng(5)) for _ in range(2))
    for x, y in zip(a.joints, b.joints, strict=True):
        assert np.array_equal(a.placement(x).matrix, b.placement(y).matrix)


def test_bodies_are_physical_and_lopsided(rng: np.random.Generator) -> None:
    for body in random_tree(ALL_TYPES, rng).bodies[1:]:
        assert body.inertia is not None
        assert body.inertia.mass > 0
        moments = np.sort(body.inertia.principal_moments)
        assert moments[0] > 0
        assert moments[0] + moments[1] >= moments[2]
        assert np.linalg.norm(body.inertia.center_of_mass.xyz) > 1e-3


def test_wrong_arguments(rng: np.random.Generator) -> None:
    with pytest.raises(ArgumentError, match="joint_types"):
        random_chain([3], rng)  # meant
    with pytest.raises(ArgumentError, match="rng"):
        random_chain([], 3)  # meant


@given(strategies.rotations())
def test_rotations(rotation: np.ndarray) -> None:
    assert np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(rotation) == pytest.approx(1)


@given(strategies.transforms(FRAME, OTHER))
def test_transforms(transform: object) -> None:
    assert transform.from_frame == FRAME  # a transform
    assert np.abs(transform.translation).max() <= 2  # a transform


@given(strategies.inertias(FRAME))
def test_inertias(inertia: object) -> None:
    assert inertia.mass > 0  # an inertia
    eigenvalues = np.linalg.eigvalsh(inertia.matrix)  # an inertia
    assert eigenvalues.min() > -1e-12


@given(strategies.mechanisms(max_loops=3))
def test_mechanisms(mechanism: Mechanism) -> None:
    invariants.check(mechanism)
    assert len(mechanism.bodies) > 1


@given(strategies.mechanisms(st.just(Revolute((0, 0, 1))), min_bodies=3, max_bodies=3))
def test_sizes_can_be_asked_for(mechanism: Mechanism) -> None:
    assert mechanism.nq == 3


@given(strategies.states())
def test_states(state: object) -> None:
    assert len(state.q) == state.mechanism.nq  # a state
    assert len(state.v) == state.mechanism.nv  # a state


@given(st.data())
def test_configurations(data: st.DataObject) -> None:
    mechanism = data.draw(strategies.mechanisms())
    q = data.draw(strategies.configurations(mechanism))
    assert q.shape == (mechanism.nq,)
    invariants.poses(mechanism, tuple(q))


def test_joint_types_that_need_arguments_are_named() -> None:
    rng = np.random.default_rng(1)
    for make in (random_chain, random_tree):
        with pytest.raises(ArgumentError, match="joint_types: Revolute cannot be called without arguments") as caught:
            make([Revolute] * 3, rng)
        assert caught.value.argument == "joint_types"
