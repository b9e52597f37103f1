"""Fingerprints of mechanisms: equal for equal content in all processes, different for any other content."""

from __future__ import annotations

import copy
import math
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rbd
from rbd.joints import JointType, Reversed
from rbd.mechanism.body import BodyData
from rbd.mechanism.joint import JOINT_PARAMETERS, JointData
from rbd.mechanism.structure import Structure
from rbd.recorder.fingerprint import fingerprint
from rbd.spatial import FreeVector, SpatialInertia, Transform
from tests.algorithms.helpers import JOINT_TYPES, set_passive

ROOT = Path(__file__).resolve().parents[2]
Change = Callable[[rbd.Mechanism], object]


def sample(names: list[str], seed: int) -> rbd.Mechanism:
    """Return a tree of joints of these types, with every parameter set, and with a loop joint."""
    rng = np.random.default_rng(seed)
    mechanism = rbd.testing.random_tree([JOINT_TYPES[name] for name in names], rng)
    for joint in mechanism.tree_joints:
        set_passive(joint, rng, on=True)
        joint.position_bounds = [(-1.0 - k, 1.0 + k) for k in range(joint.nq)]
        joint.velocity_bounds = [(-2.0 - k, 2.0) for k in range(joint.nv)]
        joint.effort_bounds = [(-3.0 - k, math.inf) for k in range(joint.nv)]
    if len(names) > 1:
        mechanism.attach("body1", f"body{len(names)}", rbd.Joint("loop", rbd.Revolute((0, 0, 1))))
    return mechanism


def mechanisms(most: int = 4) -> st.SearchStrategy[tuple[list[str], int]]:
    return st.tuples(st.lists(st.sampled_from(sorted(JOINT_TYPES)), min_size=1, max_size=most), st.integers(0, 2**20))


def up(x: Any) -> float:
    """Return the next number: one bit more."""
    return math.nextafter(float(x), math.inf) if math.isfinite(x) else 1e9


def leaves(nested: Any) -> Iterator[tuple[int, ...]]:
    """Yield where the numbers are in nested tuples."""
    if not isinstance(nested, tuple):
        yield ()
        return
    for k, part in enumerate(nested):
        yield from ((k, *inner) for inner in leaves(part))


def changed(nested: Any, place: tuple[int, ...]) -> Any:
    """Return nested tuples with one bit more at one place."""
    if not place:
        return up(nested)
    return tuple(changed(part, place[1:]) if k == place[0] else part for k, part in enumerate(nested))


# -- the same content -------------------------------------------------------------------------------------------------


@given(mechanisms())
def test_the_same_content_has_the_same_fingerprint(case: tuple[list[str], int]) -> None:
    mechanism = sample(*case)
    found = fingerprint(mechanism)
    assert found is not None
    copies = (sample(*case), pickle.loads(pickle.dumps(mechanism)), copy.deepcopy(mechanism), mechanism.copy()[0])
    assert [fingerprint(twin) for twin in copies] == [found] * 4


SCRIPT = "import sys; sys.path.insert(0, '.')\nfrom tests.engine.test_fingerprint import *\n"
SCRIPT += "print(fingerprint(sample(list(JOINT_TYPES), 5)), fingerprint(rbd.robots.humanoid()))"


def test_the_same_in_every_process() -> None:
    mine = f"{fingerprint(sample(list(JOINT_TYPES), 5))} {fingerprint(rbd.robots.humanoid())}"
    for seed in ("0", "123"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", SCRIPT]
        process = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=True
        )
        assert process.stdout.strip() == mine


# -- every number counts ----------------------------------------------------------------------------------------------


def parameter_changes(mechanism: rbd.Mechanism) -> Iterator[Change]:
    """Yield every way to change one number by one bit."""
    for place in leaves(mechanism.gravity.xyz_components):
        yield partial(change_gravity, place=place)
    for joint in mechanism.joints:
        for name in JOINT_PARAMETERS:
            for place in leaves(getattr(joint, name)):
                yield partial(change_joint, joint=joint.name, name=name, place=place)
    for body in mechanism.bodies:
        yield from body_changes(body)


def body_changes(body: rbd.RigidBody) -> Iterator[Change]:
    for place in leaves(inertia_parts(body)):
        yield partial(change_inertia, body=body.name, place=place)
    for k, frame in enumerate(body.frames):
        if frame != body.default_frame:
            for place in leaves(body.fixed_transform(frame, body.default_frame).components):
                yield partial(change_frame, body=body.name, index=k, place=place)


def change_gravity(mechanism: rbd.Mechanism, place: tuple[int, ...]) -> None:
    gravity = mechanism.gravity
    mechanism.gravity = FreeVector.trusted(gravity.frame, changed(gravity.xyz_components, place))


def change_joint(mechanism: rbd.Mechanism, joint: str, name: str, place: tuple[int, ...]) -> None:
    found = mechanism.joint(joint)
    setattr(found, name, changed(getattr(found, name), place))


def inertia_parts(body: rbd.RigidBody) -> Any:
    return () if body.inertia is None else body.inertia.components


def change_inertia(mechanism: rbd.Mechanism, body: str, place: tuple[int, ...]) -> None:
    found = mechanism.body(body)
    found.set_inertia(inertia_of(found.default_frame, changed(inertia_parts(found), place)))


def inertia_of(frame: rbd.Frame, parts: Any) -> SpatialInertia:
    xx, xy, xz, yy, yz, zz, x, y, z, mass = parts
    return SpatialInertia.trusted(frame, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), (x, y, z), mass)


def change_frame(mechanism: rbd.Mechanism, body: str, index: int, place: tuple[int, ...]) -> None:
    found = mechanism.body(body)
    frame, default = found.frames[index], found.default_frame
    found.move_frame(
        Transform.trusted(frame, default, *changed(found.fixed_transform(frame, default).components, place))
    )


@settings(max_examples=15)
@given(mechanisms(3))
def test_fingerprint_depends_on_every_number(case: tuple[list[str], int]) -> None:
    """One bit after the other is changed: no fingerprint may appear twice."""
    mechanism = sample(*case)
    seen = {fingerprint(mechanism)}
    changes = list(parameter_changes(mechanism))
    for k, change in enumerate(changes, start=1):
        change(mechanism)
        seen.add(fingerprint(mechanism))
        assert len(seen) == k + 1, f"{change} went unseen"
    assert None not in seen


@pytest.mark.parametrize("name", JOINT_TYPES)
def test_fingerprint_depends_on_every_number_of_joint_types(name: str) -> None:
    kind: Any = JOINT_TYPES[name]
    seen = {fingerprint(hanging(kind))}
    for field in attrs.fields(type(kind)):
        value = getattr(kind, field.name)
        for place in leaves(value):
            mutant = copy.copy(kind)
            object.__setattr__(mutant, field.name, changed(value, place))
            size = len(seen)
            seen.add(fingerprint(hanging(mutant)))
            assert len(seen) == size + 1
    assert None not in seen


def hanging(kind: JointType) -> rbd.Mechanism:
    mechanism = rbd.Mechanism()
    mechanism.attach("world", rbd.RigidBody("body"), rbd.Joint("joint", kind))
    return mechanism


def test_joint_types_differ() -> None:
    kinds = [*JOINT_TYPES.values(), *map(Reversed, JOINT_TYPES.values())]
    assert len({fingerprint(hanging(kind)) for kind in kinds}) == len(kinds)


def test_fingerprint_depends_on_the_sign_of_zero() -> None:
    mechanism = sample(["revolute z"], 1)
    mechanism.joint("joint1").damping = 0.0
    plus = fingerprint(mechanism)
    mechanism.joint("joint1").damping = -0.0
    assert fingerprint(mechanism) != plus


def test_whole_numbers_are_not_floats() -> None:
    mechanism = sample(["revolute z"], 1)
    body = mechanism.body("body1")
    prints = set()
    for mass in (1.0, 1, 2**80):
        body.set_inertia(inertia_of(body.default_frame, (*inertia_parts(body)[:9], mass)))
        prints.add(fingerprint(mechanism))
    assert len(prints) == 3
    assert None not in prints


# -- structure and names ----------------------------------------------------------------------------------------------


def built(
    parents: tuple[int, ...] = (0, 1, 1),
    bodies: tuple[str, ...] = ("a", "b", "c"),
    joints: tuple[str, ...] = ("i", "j", "k"),
    root: str = "world",
    loop: tuple[int, int, str] | None = None,
) -> rbd.Mechanism:
    """Return links that are all alike, but for their names and places in the tree."""
    mechanism = rbd.Mechanism(root)
    kind = rbd.Revolute((0, 0, 1))
    for parent, body, joint in zip(parents, bodies, joints, strict=True):
        mechanism.attach(mechanism.bodies[parent], rbd.RigidBody(body), rbd.Joint(joint, kind))
    if loop is not None:
        mechanism.attach(mechanism.bodies[loop[0]], mechanism.bodies[loop[1]], rbd.Joint(loop[2], kind))
    return mechanism


def test_fingerprint_depends_on_structure_and_names() -> None:
    kinds = [
        built(),
        built(parents=(0, 1, 2)),
        built(parents=(0, 0, 1)),
        built(parents=(0, 0, 2)),
        built(parents=(0, 0, 0)),
        built(bodies=("a", "c", "b")),
        built(bodies=("a", "b", "d")),
        built(bodies=("a', 'b", "b", "c")),
        built(joints=("j", "i", "k")),
        built(joints=("i", "j", "l")),
        built(root="ground"),
        built(loop=(2, 3, "l")),
        built(loop=(3, 2, "l")),
        built(loop=(0, 3, "l")),
        built(loop=(2, 3, "m")),
    ]
    assert len({fingerprint(mechanism) for mechanism in kinds}) == len(kinds)


def test_fingerprint_depends_on_frames_in_order() -> None:
    """Adding one makes no new version, but gives recordings something to refer to."""
    seen = set[str | None]()
    for names in ((), ("x",), ("y",), ("x", "y"), ("y", "x")):
        mechanism = built()
        fingerprint(mechanism)
        for name in names:
            body = mechanism.body("b")
            body.add_frame(Transform.identity(rbd.Frame(name), body.default_frame))
        seen.add(fingerprint(mechanism))
    assert len(seen) == 5


def test_edits_change_the_fingerprint() -> None:
    mechanism = built()
    seen = [fingerprint(mechanism)]
    mechanism.gravity = (0, 0, -1.62)
    seen.append(fingerprint(mechanism))
    mechanism.remove_subtree("c")
    seen.append(fingerprint(mechanism))
    mechanism.gravity = (0, 0, -9.81)
    seen.append(fingerprint(mechanism))
    assert len(set(seen)) == 4
    same = built(parents=(0, 1), bodies=("a", "b"), joints=("i", "j"))
    body = same.body("a")
    body.add_frame(rbd.Transform.identity(rbd.Frame("before_k"), body.default_frame))  # which the joint has left there
    assert seen[3] == fingerprint(same)


# -- what has no fingerprint ------------------------------------------------------------------------------------------


@attrs.frozen
class Hinge(JointType):
    """Somebody's own joint type."""

    inner: JointType = attrs.field(factory=lambda: rbd.Revolute((0, 0, 1)))

    nq = nv = 1
    transform = motion_subspace = constraint_wrench_subspace = project = zero = random = None  # type: ignore[assignment]  # never called


@pytest.mark.parametrize("kind", [Hinge(), Reversed(Hinge())])
def test_custom_joint_types_have_no_fingerprint(kind: JointType) -> None:
    assert fingerprint(hanging(kind)) is None


def test_classes_with_a_false_module_name_have_no_fingerprint() -> None:
    @attrs.frozen
    class Impostor(Hinge):
        pass

    Impostor.__module__, Impostor.__qualname__ = "rbd.joints.revolute", "Revolute"
    assert fingerprint(hanging(Impostor())) is None


def test_other_scalars_have_no_fingerprint() -> None:
    mechanism = sample(["revolute z"], 1)
    mechanism.joint("joint1").damping = Fraction(1, 3)
    assert fingerprint(mechanism) is None
    mechanism.joint("joint1").damping = 0.25
    assert fingerprint(mechanism) is not None


def test_all_attributes_of_mechanisms_are_hashed() -> None:
    """Whoever adds something to a mechanism must write it into the fingerprint, unless no recording depends on it."""
    slots = {name for kind in rbd.Mechanism.__mro__ for name in getattr(kind, "__slots__", ())}
    assert slots == {"__weakref__", "_gravity", "_structure"}
    assert set(rbd.Joint.__slots__) == {"__weakref__", "_data"}
    own = {"registry", "name", "type", "frame_before", "frame_after"}
    assert {field.name for field in attrs.fields(JointData)} == own | set(JOINT_PARAMETERS)
    assert {field.name for field in attrs.fields(BodyData)} == {
        *("name", "inertia", "frames", "default_frame", "contact_points"),
        *("original_frame", "registry", "is_root"),  # where it came from, and where it is
    }
    unnumbered = {"root", "registry", "edges", "parent_edge", "rank", "joint_frames", "_next_rank", "_derived"}
    counted = {"tree", "loops", "couplings", "nq", "nv", "half_spaces"}
    assert set(vars(Structure(rbd.RigidBody("root")))) <= unnumbered | counted
