"""Mechanisms with loops for the tests: closed at random places, by every type of joint."""

from __future__ import annotations

from typing import Any

import numpy as np

import rbd
import rbd.testing
from rbd import Joint, JointType, Mechanism, MechanismState, QuaternionFloating, Transform
from tests.algorithms.helpers import JOINT_TYPES, Case, Numbers

BRANCH = ("revolute oblique", "spherical", "prismatic oblique", "universal oblique")


def looped(kind: str, seed: int, *, slack: bool = False) -> Case:
    """Return a mechanism with one loop closed by a joint of type `kind`, and a consistent state.

    Two branches hang on a floating trunk; the second one ends in a floating joint, which closes the loop wherever the
    first one is. With `slack` the state is random: open, and its velocity opens it further.
    """
    rng = np.random.default_rng(seed)
    mechanism = rbd.testing.random_chain([QuaternionFloating(), *(JOINT_TYPES[name] for name in BRANCH[:3])], rng)
    trunk, end = mechanism.bodies[1], mechanism.bodies[-1]
    other = rbd.testing.random_chain([JOINT_TYPES[BRANCH[3]], QuaternionFloating()], rng)
    mechanism.attach_mechanism(trunk, other, prefix="other ", child_root_pose=None)
    loop = close(mechanism, end, mechanism.bodies[-1], JOINT_TYPES[kind], rng)
    state = MechanismState(mechanism)
    state.randomize(rng)
    if not slack:
        shut(state, loop, mechanism.tree_joints[-1], JOINT_TYPES[kind].random(rng))
        state.set_velocity(consistent(state))
    return Case(mechanism, state, rng)


def close(mechanism: Mechanism, first: Any, second: Any, kind: JointType, rng: np.random.Generator) -> Joint:
    """Attach a loop joint at random places of two bodies."""
    joint = Joint("loop", kind)
    before = random_pose(joint.frame_before, first.default_frame, rng)
    mechanism.attach(
        first,
        second,
        joint,
        joint_pose=before,
        successor_pose=random_pose(second.default_frame, joint.frame_after, rng),
    )
    return joint


def random_pose(start: Any, end: Any, rng: np.random.Generator) -> Transform:
    """Return a random transform between two frames."""
    q = QuaternionFloating().random(rng)
    return QuaternionFloating().transform(q, start, end)


def shut(state: MechanismState, loop: Joint, free: Joint, q: tuple[float, ...]) -> None:
    """Move the floating joint `free`, which carries the loop's successor, until the loop joint is at `q`."""
    mechanism = state.mechanism
    before = state.transform_to_root(mechanism.predecessor(loop)) @ mechanism.placement(loop)
    after = before @ loop.type.transform(q, loop.frame_after, loop.frame_before)
    body = after @ mechanism.successor_placement(loop).inverse()
    base = state.transform_to_root(mechanism.predecessor(free)) @ mechanism.placement(free)
    state.set_configuration(free, base.inverse() @ body)


def consistent(state: MechanismState) -> Numbers:
    """Return the velocity nearest to the state's own that keeps all loops."""
    K = rbd.constraint_jacobian(state)
    return state.v - np.linalg.pinv(K, rcond=1e-9) @ (K @ state.v)
