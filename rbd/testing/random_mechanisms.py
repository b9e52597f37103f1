"""Random mechanisms: physical inertias, random placements, additional frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rbd.arguments import require_callable, require_generator, sequence
from rbd.joints import JointType, QuaternionFloating
from rbd.joints.base import joint_type_from
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.scalars.arrays import Array, array_of
from rbd.spatial import Frame, SpatialInertia, Transform
from rbd.spatial.quaternion import quaternion_to_rotation

JointTypeLike: TypeAlias = JointType | Callable[[], JointType]
"""A joint type, or a callable that returns one: `Revolute((0, 0, 1))`, `QuaternionFloating`, `lambda: ...`."""

ParentChoice: TypeAlias = Callable[[Mechanism, np.random.Generator], RigidBody]

_OTHER_FRAME_PROBABILITY = 0.3  # probability that a joint pose refers to a frame other than the default one


def random_chain(joint_types: Iterable[JointTypeLike], rng: np.random.Generator) -> Mechanism:
    """Return a random mechanism in which the parent of every body is the previous body.

    >>> import numpy as np
    >>> from rbd import Prismatic, Revolute
    >>> from rbd.testing import random_chain
    >>> mechanism = random_chain([Revolute((0, 0, 1)), Prismatic((1, 0, 0))], np.random.default_rng(1))
    >>> mechanism.nv, len(mechanism.bodies)
    (2, 3)
    """
    return random_mechanism(joint_types, rng, lambda mechanism, _: mechanism.bodies[-1])


def random_tree(joint_types: Iterable[JointTypeLike], rng: np.random.Generator) -> Mechanism:
    """Return a random mechanism in which the parent of every body is a random earlier body.

    >>> import numpy as np
    >>> from rbd import Revolute
    >>> from rbd.testing import random_tree
    >>> random_tree([Revolute((0, 0, 1))] * 5, np.random.default_rng(1)).nv
    5
    """
    return random_mechanism(joint_types, rng, _any_body)


def random_floating_tree(joint_types: Iterable[JointTypeLike], rng: np.random.Generator) -> Mechanism:
    """Return a random tree whose base has a floating joint (`QuaternionFloating`), the root's only one.

    >>> import numpy as np
    >>> from rbd import Revolute
    >>> from rbd.testing import random_floating_tree
    >>> mechanism = random_floating_tree([Revolute((0, 0, 1))] * 5, np.random.default_rng(1))
    >>> mechanism.nq, mechanism.nv
    (12, 11)
    """
    entries = sequence(joint_types, "joint_types", "joint types")
    return random_mechanism([QuaternionFloating(), *entries], rng, _any_moving_body)


def random_mechanism(
    joint_types: Iterable[JointTypeLike], rng: np.random.Generator, choose_parent: ParentChoice
) -> Mechanism:
    """Return a random mechanism; `choose_parent` returns the parent of the next body.

    Raises ArgumentError unless every entry of `joint_types` is a joint type or returns one.
    """
    require_generator(rng)
    require_callable(choose_parent, "choose_parent", "a function of mechanism and generator")
    mechanism = Mechanism()
    entries = sequence(joint_types, "joint_types", "joint types")
    for number, entry in enumerate(entries, start=1):
        body = random_body(f"body{number}", rng)
        joint = Joint(f"joint{number}", joint_type_from(entry, "joint_types"))
        parent = mechanism.body(choose_parent(mechanism, rng))
        attach_at_random_pose(mechanism, parent, body, joint, rng)
    return mechanism


def attach_at_random_pose(
    mechanism: Mechanism, predecessor: RigidBody, successor: RigidBody, joint: Joint, rng: np.random.Generator
) -> None:
    """Attach with random poses, relative to the default frame or another one."""
    mechanism.attach(
        predecessor,
        successor,
        joint,
        joint_pose=random_transform(joint.frame_before, _random_frame(predecessor, rng), rng),
        successor_pose=random_transform(_random_frame(successor, rng), joint.frame_after, rng),
    )


def random_body(name: str, rng: np.random.Generator) -> RigidBody:
    """Return a body with a random inertia and an additional frame."""
    body = RigidBody(name, random_inertia(Frame(name), rng))
    body.add_frame(random_transform(Frame(f"{name}_mark"), body.default_frame, rng))
    return body


def random_inertia(frame: Frame, rng: np.random.Generator) -> SpatialInertia:
    """Return the inertia of random point masses: physical, with a centre of mass off the origin."""
    masses = rng.uniform(0.1, 1.0, 6)
    return inertia_of_points(frame, masses, rng.uniform(-0.5, 0.5, (6, 3)) + rng.uniform(-0.5, 0.5, 3))


def inertia_of_points(frame: Frame, masses: Array, points: Array) -> SpatialInertia:
    """Return the inertia of point masses, their positions as rows of `points`."""
    mass = float(masses.sum())
    com = masses @ points / mass
    arms = points - com
    squares = np.einsum("k,ki,kj->ij", masses, arms, arms)
    about_com = np.trace(squares) * np.eye(3) - squares
    return SpatialInertia(frame, mass=mass, com=com, moment_about_com=about_com)


def random_rotation(rng: np.random.Generator) -> Array:
    """Return a rotation matrix, uniformly distributed."""
    return rotation_of(rng.standard_normal(4))


def rotation_of(quaternion: ArrayLike) -> Array:
    """Return the rotation matrix of a quaternion of any length but zero."""
    w, x, y, z = (np.asarray(quaternion) / np.linalg.norm(quaternion)).tolist()
    return array_of(quaternion_to_rotation((w, x, y, z)))


def random_transform(from_frame: Frame, to_frame: Frame, rng: np.random.Generator) -> Transform:
    """Return a transform with a uniformly distributed rotation and a translation of at most half a unit each way."""
    return Transform(from_frame, to_frame, random_rotation(rng), rng.uniform(-0.5, 0.5, 3))


def _random_frame(body: RigidBody, rng: np.random.Generator) -> Frame:
    frames = body.frames
    return frames[int(rng.integers(len(frames)))] if rng.random() < _OTHER_FRAME_PROBABILITY else body.default_frame


def _any_body(mechanism: Mechanism, rng: np.random.Generator) -> RigidBody:
    return mechanism.bodies[int(rng.integers(len(mechanism.bodies)))]


def _any_moving_body(mechanism: Mechanism, rng: np.random.Generator) -> RigidBody:
    bodies = mechanism.bodies[1:] or mechanism.bodies
    return bodies[int(rng.integers(len(bodies)))]
