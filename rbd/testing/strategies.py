"""Hypothesis strategies: rotations, transforms, inertias, joint types, mechanisms, configurations and states.

Requires the extra `testing`; hypothesis is imported when a strategy is made.

Hypothesis draws the structure, so that failures shrink to small mechanisms; other numbers come from a drawn seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from rbd.extras import requires_extra
from rbd.joints import (
    Fixed,
    JointType,
    MRPFloating,
    Planar,
    Prismatic,
    QuaternionFloating,
    QuaternionSpherical,
    Revolute,
    RotationVectorFloating,
    RotationVectorSpherical,
    Screw,
    SinCosRevolute,
    Universal,
)
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.scalars.arrays import Array
from rbd.spatial import Frame, SpatialInertia, Transform
from rbd.state import MechanismState
from rbd.testing.random_mechanisms import attach_at_random_pose, inertia_of_points, random_mechanism, rotation_of

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Axis: TypeAlias = tuple[float, float, float]

_COORDINATE_AXES: tuple[Axis, ...] = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (0, -1, 0))
_SEEDS = 2**32 - 1


@requires_extra("strategies")
def seeds() -> SearchStrategy[int]:
    """Return seeds for `numpy.random.default_rng`."""
    from hypothesis import strategies as st

    return st.integers(0, _SEEDS)


@requires_extra("strategies")
def axes() -> SearchStrategy[Axis]:
    """Return axes: coordinate axes, and vectors of other lengths."""
    from hypothesis import strategies as st

    part = st.floats(-1, 1, width=32)
    return st.sampled_from(_COORDINATE_AXES) | st.tuples(part, part, part).filter(lambda v: np.linalg.norm(v) > 0.1)


@requires_extra("strategies")
def rotations() -> SearchStrategy[Array]:
    """Return rotation matrices, including the identity and half turns."""
    from hypothesis import strategies as st

    part = st.floats(-1, 1)
    any_rotation = st.tuples(part, part, part, part).filter(lambda q: np.linalg.norm(q) > 0.1)
    special = st.sampled_from([(1.0, 0, 0, 0), (0.0, 1, 0, 0), (0.0, 0, 0, 1), (0.0, 1, 1, 0), (1.0, 1, 0, 0)])
    return (special | any_rotation).map(rotation_of)


@requires_extra("strategies")
def transforms(from_frame: Frame, to_frame: Frame, *, size: float = 2.0) -> SearchStrategy[Transform]:
    """Return transforms between two frames, with translations of at most `size` each way."""
    from hypothesis import strategies as st

    part = st.floats(-size, size)

    def made(rotation: Array, translation: Axis) -> Transform:
        return Transform(from_frame, to_frame, rotation, translation)

    return st.builds(made, rotations(), st.tuples(part, part, part))


@requires_extra("strategies")
def inertias(frame: Frame) -> SearchStrategy[SpatialInertia]:
    """Return physical inertias in `frame`: those of four to eight point masses."""
    from hypothesis import strategies as st

    part = st.floats(-1, 1)
    points = st.lists(st.tuples(st.floats(0.01, 2), part, part, part), min_size=4, max_size=8)
    return points.map(lambda masses: _inertia(frame, np.array(masses)))


def _inertia(frame: Frame, points: Array) -> SpatialInertia:
    return inertia_of_points(frame, points[:, 0], points[:, 1:])


@requires_extra("strategies")
def joint_types() -> SearchStrategy[JointType]:
    """Return joint types of all classes, with random axes."""
    from hypothesis import strategies as st

    one_axis = st.builds(Revolute, axes()) | st.builds(Prismatic, axes()) | st.builds(SinCosRevolute, axes())
    constant: tuple[JointType, ...] = (
        Fixed(),
        QuaternionSpherical(),
        QuaternionFloating(),
        MRPFloating(),
        RotationVectorSpherical(),
        RotationVectorFloating(),
        Planar((1, 0, 0), (0, 0, 1)),
        Universal((1, 0, 0), (0, 1, 0)),
    )
    return one_axis | st.builds(Screw, axes(), st.floats(-1, 1)) | st.sampled_from(constant)


@requires_extra("strategies")
def mechanisms(
    types: SearchStrategy[JointType] | None = None,
    *,
    min_bodies: int = 1,
    max_bodies: int = 8,
    max_loops: int = 0,
    max_couplings: int = 0,
) -> SearchStrategy[Mechanism]:
    """Return random mechanisms with a number of bodies besides the root, and at most as many loop joints and couplings.

    A coupling joins a revolute, prismatic or screw joint to a later one, which no other coupling determines; its
    polynomial has a degree of at most three. The zero configuration satisfies neither loops nor couplings.
    """
    from hypothesis import strategies as st

    kinds = joint_types() if types is None else types
    links = st.lists(st.tuples(kinds, st.floats(0, 1, exclude_max=True)), min_size=min_bodies, max_size=max_bodies)
    ends = st.tuples(kinds, st.floats(0, 1, exclude_max=True), st.floats(0, 1, exclude_max=True))
    loops = st.lists(ends, max_size=max_loops)
    couplings = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=max_couplings)
    return st.builds(_mechanism, links, loops, couplings, seeds())


def _mechanism(
    links: Sequence[tuple[JointType, float]],
    loops: Sequence[tuple[JointType, float, float]],
    couplings: Sequence[tuple[int, int]],
    seed: int,
) -> Mechanism:
    rng, places = np.random.default_rng(seed), iter([place for _, place in links])

    def choose_parent(mechanism: Mechanism, _: np.random.Generator) -> RigidBody:
        return mechanism.bodies[int(next(places) * len(mechanism.bodies))]

    mechanism = random_mechanism([joint_type for joint_type, _ in links], rng, choose_parent)
    for k, (joint_type, one, other) in enumerate(loops, start=1):
        bodies = mechanism.bodies
        first, last = bodies[int(one * len(bodies))], bodies[int(other * len(bodies))]
        if first is not last:
            attach_at_random_pose(mechanism, first, last, Joint(f"loop{k}", joint_type), rng)
    _couple(mechanism, couplings, rng)
    return mechanism


def _couple(mechanism: Mechanism, pairs: Sequence[tuple[int, int]], rng: np.random.Generator) -> None:
    """Couple joints with one coordinate, each once at most, and to earlier ones: no cycle, no contradiction."""
    joints = [joint for joint in mechanism.tree_joints if isinstance(joint.type, (Revolute, Prismatic, Screw))]
    coupled: set[Joint] = set()
    for one, other in pairs:
        first, last = sorted((one % max(1, len(joints)), other % max(1, len(joints))))
        if first < last and joints[last] not in coupled:
            degree = int(rng.integers(1, 4))
            mechanism.couple(joints[last], joints[first], polynomial=rng.uniform(-1, 1, degree + 1).tolist())
            coupled.add(joints[last])


@requires_extra("strategies")
def configurations(mechanism: Mechanism) -> SearchStrategy[Array]:
    """Return configurations of a mechanism: the zero configuration and random ones."""
    from hypothesis import strategies as st

    zero = np.array([x for joint in mechanism.tree_joints for x in joint.type.zero()])
    return st.just(zero) | seeds().map(lambda seed: _configuration(mechanism, np.random.default_rng(seed)))


def _configuration(mechanism: Mechanism, rng: np.random.Generator) -> Array:
    return np.array([x for joint in mechanism.tree_joints for x in joint.type.random(rng)], dtype=np.float64)


@requires_extra("strategies")
def states(of: SearchStrategy[Mechanism] | None = None) -> SearchStrategy[MechanismState]:
    """Return states of random mechanisms, with random configurations and velocities."""
    from hypothesis import strategies as st

    return st.builds(_state, mechanisms() if of is None else of, seeds())


def _state(mechanism: Mechanism, seed: int) -> MechanismState:
    rng = np.random.default_rng(seed)
    return MechanismState(mechanism, _configuration(mechanism, rng), rng.standard_normal(mechanism.nv))
