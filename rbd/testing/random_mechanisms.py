"""Random mechanisms for tests: physical inertias, oblique placements, frames that are not the default ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np

from rbd.arguments import several
from rbd.errors import ArgumentError
from rbd.joints import JointType, QuaternionFloating
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.spatial import Frame, SpatialInertia, Transform

JointTypeLike: TypeAlias = JointType | Callable[[], JointType]
"""A joint type, or something that makes one: `Revolute((0, 0, 1))`, `QuaternionFloating`, `lambda: ...`."""

ParentChoice: TypeAlias = Callable[[Mechanism, np.random.Generator], RigidBody]

_FEW = 0.3  # how often a joint sits on a frame that is not the default one


def random_chain(joint_types: Iterable[JointTypeLike], rng: np.random.Generator) -> Mechanism:
    """Return a random mechanism in which every body hangs on the one before it.

    >>> import numpy as np
    >>> from rbd import Prismatic, Revolute
    >>> from rbd.testing import random_chain
    >>> mechanism = random_chain([Revolute((0, 0, 1)), Prismatic((1, 0, 0))], np.random.default_rng(1))
    >>> mechanism.nv, len(mechanism.bodies)
    (2, 3)
    """
    return random_mechanism(joint_types, rng, lambda mechanism, _: mechanism.bodies[-1])


def random_tree(joint_types: Iterable[JointTypeLike], rng: np.random.Generator) -> Mechanism:
    """Return a random mechanism in which every body hangs on a random one before it.

    >>> import numpy as np
    >>> from rbd import Revolute
    >>> from rbd.testing import random_tree
    >>> random_tree([Revolute((0, 0, 1))] * 5, np.random.default_rng(1)).nv
    5
    """
    return random_mechanism(joint_types, rng, _any_body)


def random_floating_tree(joint_types: Iterable[JointTypeLike], rng: np.random.Generator) -> Mechanism:
    """Return a random tree on a first body that floats (`QuaternionFloating`); nothing else hangs on the root.

    >>> import numpy as np
    >>> from rbd import Revolute
    >>> from rbd.testing import random_floating_tree
    >>> mechanism = random_floating_tree([Revolute((0, 0, 1))] * 5, np.random.default_rng(1))
    >>> mechanism.nq, mechanism.nv
    (12, 11)
    """
    entries = several(joint_types, "joint_types", "joint types")
    return random_mechanism([QuaternionFloating(), *entries], rng, _any_moving_body)


def random_mechanism(
    joint_types: Iterable[JointTypeLike], rng: np.random.Generator, choose_parent: ParentChoice
) -> Mechanism:
    """Return a random mechanism; `choose_parent` says which body the next one hangs on.

    Raises ArgumentError when an entry of `joint_types` is no joint type and makes none.
    """
    if not isinstance(rng, np.random.Generator):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers need not be typed
        raise ArgumentError(
            "rng must be a numpy.random.Generator, so that tests can be repeated", argument="rng", value=rng
        )
    mechanism = Mechanism()
    entries = several(joint_types, "joint_types", "joint types")
    for number, entry in enumerate(entries, start=1):
        body = random_body(f"body{number}", rng)
        joint = Joint(f"joint{number}", _joint_type(entry))
        parent = choose_parent(mechanism, rng)
        attach_somewhere(mechanism, parent, body, joint, rng)
    return mechanism


def attach_somewhere(
    mechanism: Mechanism, predecessor: RigidBody, successor: RigidBody, joint: Joint, rng: np.random.Generator
) -> None:
    """Attach with random poses, relative to frames that now and then are not the default ones."""
    mechanism.attach(
        predecessor,
        successor,
        joint,
        joint_pose=random_transform(joint.frame_before, _some_frame(predecessor, rng), rng),
        successor_pose=random_transform(_some_frame(successor, rng), joint.frame_after, rng),
    )


def random_body(name: str, rng: np.random.Generator) -> RigidBody:
    """Return a body with a random inertia and one extra frame, both anywhere on it."""
    body = RigidBody(name, random_inertia(Frame(name), rng))
    body.add_frame(random_transform(Frame(f"{name}_mark"), body.default_frame, rng))
    return body


def random_inertia(frame: Frame, rng: np.random.Generator) -> SpatialInertia:
    """Return the inertia of a random handful of mass points: a physical one, with a centre of mass off the origin."""
    masses = rng.uniform(0.1, 1.0, 6)
    points = rng.uniform(-0.5, 0.5, (6, 3)) + rng.uniform(-0.5, 0.5, 3)
    mass = float(masses.sum())
    com = masses @ points / mass
    arms = points - com
    squares = np.einsum("k,ki,kj->ij", masses, arms, arms)
    about_com = np.trace(squares) * np.eye(3) - squares
    return SpatialInertia(frame, mass=mass, com=com, moment_about_com=about_com)


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """Return a rotation matrix, uniformly distributed."""
    w, x, y, z = (q := rng.standard_normal(4)) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def random_transform(from_frame: Frame, to_frame: Frame, rng: np.random.Generator) -> Transform:
    """Return a transform with a uniformly distributed rotation and a translation of at most half a unit each way."""
    return Transform(from_frame, to_frame, random_rotation(rng), rng.uniform(-0.5, 0.5, 3))


def _some_frame(body: RigidBody, rng: np.random.Generator) -> Frame:
    frames = body.frames
    return frames[int(rng.integers(len(frames)))] if rng.random() < _FEW else body.default_frame


def _any_body(mechanism: Mechanism, rng: np.random.Generator) -> RigidBody:
    return mechanism.bodies[int(rng.integers(len(mechanism.bodies)))]


def _any_moving_body(mechanism: Mechanism, rng: np.random.Generator) -> RigidBody:
    bodies = mechanism.bodies[1:] or mechanism.bodies
    return bodies[int(rng.integers(len(bodies)))]


def _joint_type(entry: JointTypeLike) -> JointType:
    made = entry if isinstance(entry, JointType) or not callable(entry) else entry()
    if not isinstance(made, JointType):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers need not be typed
        raise ArgumentError(
            f"joint_types: {entry!r} is no joint type and makes none", argument="joint_types", value=entry
        )
    return made
