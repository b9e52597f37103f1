"""Couplings of joints: making, finding and removing them, edits and copies."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rbd import (
    Coupling,
    Fixed,
    Joint,
    Mechanism,
    Planar,
    Prismatic,
    QuaternionFloating,
    Revolute,
    RigidBody,
    Screw,
    SinCosRevolute,
    Universal,
)
from rbd.errors import ArgumentError, NotFiniteError, RbdError, TopologyError, UnknownNameError
from rbd.joints import Reversed
from rbd.testing import random_chain
from tests.joints.test_contract import Cam
from tests.mechanism import invariants


def arm() -> Mechanism:
    """Return a chain of four joints with one coordinate, a fixed one between them."""
    kinds = [Revolute((0, 0, 1)), Prismatic((0, 1, 0)), Fixed(), Revolute((1, 0, 0)), Screw((0, 0, 1), 0.1)]
    return random_chain(kinds, np.random.default_rng(1))


def shown(mechanism: Mechanism) -> list[tuple[str, str, str | None, tuple[Any, ...]]]:
    return [
        (each.name, each.joint.name, None if each.source is None else each.source.name, each.coefficients)
        for each in mechanism.couplings
    ]


# --- making -----------------------------------------------------------------------------------------------------------


def test_couplings_are_listed_found_and_removed() -> None:
    mechanism = arm()
    version = mechanism.structure_version
    first = mechanism.couple("joint4", to="joint1", ratio=-2.0, offset=0.5)
    second = mechanism.couple(
        mechanism.joint("joint5"), mechanism.joint("joint2"), polynomial=np.array([1.0, 0.0, 3.0])
    )
    third = mechanism.couple("joint2", offset=0.25, name="brake")
    assert mechanism.couplings == (first, second, third)
    assert shown(mechanism) == [
        ("joint4_to_joint1", "joint4", "joint1", (0.5, -2.0)),
        ("joint5_to_joint2", "joint5", "joint2", (1.0, 0.0, 3.0)),
        ("brake", "joint2", None, (0.25,)),
    ]
    assert (mechanism.nv, mechanism.nc) == (4, 3)
    assert mechanism.coupling("brake") is mechanism.coupling(third) is third
    assert (first.is_linear, second.is_linear, third.is_linear) == (True, False, True)
    assert (first.value(1.0), second.value(2.0), third.value(7.0)) == (-1.5, 13.0, 0.25)
    assert mechanism.structure_version == version + 3
    invariants.check(mechanism)
    mechanism.uncouple("brake")
    mechanism.uncouple(first)
    assert mechanism.couplings == (second,)
    assert mechanism.structure_version == version + 5


def test_default_names_are_made_unique() -> None:
    mechanism = arm()
    names = [mechanism.couple("joint4", "joint1", ratio=k).name for k in range(3)]
    assert names == ["joint4_to_joint1", "joint4_to_joint1_", "joint4_to_joint1__"]
    assert mechanism.couple("joint4").name == "joint4_held"


@pytest.mark.parametrize(
    ("arguments", "coefficients", "equation"),
    [
        ({}, (0.0, 1.0), "joint4 = joint1"),
        ({"ratio": -1}, (0.0, -1.0), "joint4 = -joint1"),
        ({"ratio": 0, "offset": 2}, (2.0, 0.0), "joint4 = 2.0"),
        ({"ratio": 0}, (0.0, 0.0), "joint4 = 0"),
        ({"polynomial": [0.5]}, (0.5, 0.0), "joint4 = 0.5"),
        ({"polynomial": (0, 1, 0, 0)}, (0.0, 1.0), "joint4 = joint1"),
        ({"polynomial": (1, -2, 0, -1)}, (1.0, -2.0, 0.0, -1.0), "joint4 = 1.0 - 2.0 joint1 - joint1^3"),
    ],
)
def test_coefficients_and_equations(arguments: Any, coefficients: Any, equation: str) -> None:
    coupling = arm().couple("joint4", "joint1", **arguments)
    assert coupling.coefficients == coefficients
    assert coupling.equation == equation
    assert repr(coupling) == f"<Coupling 'joint4_to_joint1': {equation}>"


def test_drawings_and_reprs_show_couplings() -> None:
    mechanism = arm()
    mechanism.couple("joint4", "joint1", ratio=-2.0, offset=0.5)
    assert str(mechanism).splitlines()[0].endswith("nv = 4, nc = 1")
    assert str(mechanism).splitlines()[-2:] == ["couplings:", "   joint4 = 0.5 - 2.0 joint1  (joint4_to_joint1)"]
    assert "nc = 1" in repr(mechanism)


def looped() -> Mechanism:
    mechanism = arm()
    mechanism.attach("body5", "world", Joint("loop", Revolute((0, 0, 1))))
    mechanism.attach("world", RigidBody("free"), Joint("free", QuaternionFloating()))
    mechanism.attach("free", RigidBody("wheel"), Joint("wheel", SinCosRevolute((0, 0, 1))))
    mechanism.attach("wheel", RigidBody("cross"), Joint("cross", Universal((1, 0, 0), (0, 1, 0))))
    mechanism.attach("cross", RigidBody("plane"), Joint("plane", Planar((1, 0, 0), (0, 1, 0))))
    mechanism.couple("joint5", "joint4", name="taken")
    return mechanism


Call = Callable[[Mechanism], object]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda m: m.couple("joint1", "joint1"), TopologyError, "joint 'joint1' cannot be coupled to itself"),
        (lambda m: m.couple("loop", "joint1"), TopologyError, "joint 'loop' closes a loop: it has no coordinate"),
        (lambda m: m.couple("joint1", "loop"), TopologyError, "joint 'loop' closes a loop: it has no coordinate"),
        (lambda m: m.couple("joint3", "joint1"), ArgumentError, "a Fixed joint has no single coordinate"),
        (lambda m: m.couple("joint1", "free"), ArgumentError, "to: joint 'free' cannot be coupled: a Quaternion"),
        (lambda m: m.couple("wheel", "joint1"), ArgumentError, "a SinCosRevolute joint has no single coordinate"),
        (lambda m: m.couple("cross", "joint1"), ArgumentError, "a Universal joint has no single coordinate"),
        (lambda m: m.couple("plane"), ArgumentError, "a Planar joint has no single coordinate"),
        (lambda m: m.couple("joint2", "joint1", name="taken"), TopologyError, "already has a coupling named 'taken'"),
        (lambda m: m.couple("joint2", "joint1", name=""), ArgumentError, "name of a coupling must be text"),
        (lambda m: m.couple("joint2", "joint11"), UnknownNameError, "did you mean 'joint1'"),
        (lambda m: m.couple(arm().joint("joint1"), "joint2"), TopologyError, "not attached in this mechanism"),
        (lambda m: m.couple("joint1", "joint2", ratio=math.inf), NotFiniteError, "ratio holds infinity"),
        (lambda m: m.couple("joint1", "joint2", offset=math.nan), NotFiniteError, "offset holds NaN"),
        (lambda m: m.couple("joint1", "joint2", ratio="1"), ArgumentError, "ratio holds str, not a number"),
        (lambda m: m.couple("joint1", "joint2", polynomial=[]), ArgumentError, "polynomial has no coefficients"),
        (lambda m: m.couple("joint1", "joint2", polynomial=3.0), ArgumentError, "must be a sequence of numbers"),
        (lambda m: m.couple("joint1", "joint2", polynomial=[1, math.inf]), NotFiniteError, "polynomial holds inf"),
        (lambda m: m.couple("joint1", "joint2", ratio=2, polynomial=[1]), ArgumentError, "not both"),
        (lambda m: m.couple("joint1", polynomial=[1, 2]), ArgumentError, "without a joint to couple to"),
        (lambda m: m.coupling("take"), UnknownNameError, "no coupling is named 'take'; did you mean 'taken'?"),
        (lambda m: m.coupling(3), ArgumentError, "coupling must be a name or a Coupling, not int"),
        (lambda m: m.uncouple(arm().couple("joint1")), TopologyError, "coupling 'joint1_held' is none of this"),
        (lambda m: m.maximal_coordinates(), TopologyError, "coupling 'taken' needs coordinates of joints"),
        (lambda m: m.rebuild_spanning_tree(["loop", "joint1", "joint2", "joint3", "joint4"]), TopologyError, "'taken'"),
        (lambda m: m.replace_joint("joint4", Joint("n", Fixed())), ArgumentError, "new: joint 'n' cannot be coupled"),
    ],
)
def test_what_is_refused_changes_nothing(call: Call, error: type[RbdError], message: str) -> None:
    mechanism = looped()
    before = invariants.content(mechanism)
    with pytest.raises(error, match=message):
        call(mechanism)
    assert invariants.content(mechanism) == before


# --- edits and copies -------------------------------------------------------------------------------------------------


def coupled() -> Mechanism:
    mechanism = arm()
    mechanism.couple("joint4", "joint1", ratio=-2.0, offset=0.5)
    mechanism.couple("joint5", "joint4", polynomial=(0.0, 1.0, 0.5))
    mechanism.couple("joint2", offset=0.25)
    return mechanism


@pytest.mark.parametrize(
    "make", [lambda m: m.copy()[0], copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
def test_copies_have_couplings_of_their_own(make: Callable[[Mechanism], Mechanism]) -> None:
    mechanism = coupled()
    twin = make(mechanism)
    assert shown(twin) == shown(mechanism)
    assert not set(twin.couplings) & set(mechanism.couplings)
    invariants.check(twin)
    twin.uncouple("joint2_held")
    assert len(mechanism.couplings) == 3
    with pytest.raises(TopologyError, match="is none of this mechanism"):
        mechanism.coupling(twin.couplings[0])


def test_parts_keep_the_couplings_within() -> None:
    part, _ = coupled().submechanism("body2")
    assert [each.name for each in part.couplings] == ["joint5_to_joint4"]
    invariants.check(part)


def test_attached_copies_have_prefixed_couplings() -> None:
    mechanism = coupled()
    mechanism.attach_mechanism("world", arm(), prefix="plain ")
    mechanism.attach_mechanism("world", coupled(), prefix="other ")
    assert [each[:3] for each in shown(mechanism)[3:]] == [
        ("other joint4_to_joint1", "other joint4", "other joint1"),
        ("other joint5_to_joint4", "other joint5", "other joint4"),
        ("other joint2_held", "other joint2", None),
    ]
    child = Mechanism("root")
    child.attach("root", RigidBody("x"), Joint("x", Revolute((0, 0, 1))))
    child.couple("x", name="joint2_held")
    with pytest.raises(TopologyError, match="already has a coupling named 'joint2_held'"):
        mechanism.attach_mechanism("world", child)


def test_mechanisms_with_couplings_are_attached_to_themselves() -> None:
    mechanism = coupled()
    before = shown(mechanism)
    copies = mechanism.attach_mechanism("body5", mechanism, prefix="copy ")
    assert shown(mechanism) == [
        *before,
        *((f"copy {name}", f"copy {a}", b and f"copy {b}", *rest) for name, a, b, *rest in before),
    ]
    assert len(copies.joints) == 5
    invariants.check(mechanism)


def test_merging_fixed_joints_keeps_couplings() -> None:
    mechanism = coupled()
    before = shown(mechanism)
    mechanism.remove_fixed_joints()
    assert shown(mechanism) == before
    invariants.check(mechanism)


def test_removing_a_joint_removes_and_reports_its_couplings() -> None:
    mechanism = coupled()
    mechanism.attach("body5", "world", Joint("loop", QuaternionFloating()))
    first, second, third = mechanism.couplings
    report = mechanism.remove_joint("joint4")
    assert report.uncoupled == (first, second)
    assert mechanism.couplings == (third,)
    assert mechanism.rebuild_spanning_tree().uncoupled == ()
    invariants.check(mechanism)


def test_removing_a_subtree_removes_the_couplings_that_touch_it() -> None:
    mechanism = coupled()
    mechanism.remove_subtree("body4")
    assert [each.name for each in mechanism.couplings] == ["joint2_held"]
    invariants.check(mechanism)


def test_couplings_follow_a_replaced_joint() -> None:
    mechanism = coupled()
    new = Joint("belt", Prismatic((0, 0, 1)))
    mechanism.replace_joint("joint4", new)
    assert mechanism.coupling("joint4_to_joint1").joint is new
    assert mechanism.coupling("joint5_to_joint4").source is new
    invariants.check(mechanism)


def test_couplings_follow_reversed_joints() -> None:
    """Reversed joints have the same coordinates, so the equation stays."""
    mechanism = coupled()
    before = shown(mechanism)
    mechanism.attach("body5", "world", Joint("loop", QuaternionFloating()))
    with pytest.raises(TopologyError, match="coupling 'joint4_to_joint1' needs joint 'joint1' in the tree"):
        mechanism.rebuild_spanning_tree(["loop", "joint5", "joint4", "joint3", "joint2"])
    mechanism.uncouple("joint4_to_joint1")
    report = mechanism.rebuild_spanning_tree(["loop", "joint5", "joint4", "joint3", "joint2"])
    assert {joint.name for joint in report.flipped} >= {"joint5", "joint4"}
    assert shown(mechanism) == before[1:]
    assert mechanism.coupling("joint5_to_joint4").joint is mechanism.joint("joint5")
    invariants.check(mechanism)


def test_reversed_custom_joints_can_be_coupled() -> None:
    mechanism = arm()
    mechanism.replace_joint("joint1", Joint("back", Reversed(Revolute((0, 0, 1)))))
    assert isinstance(mechanism.couple("joint4", "back"), Coupling)


def test_joint_types_that_change_the_derivative_are_refused_without_a_call() -> None:
    calls = list[tuple[float, ...]]()
    geared: Any = type(
        "Geared",
        (Cam,),
        {"__slots__": (), "configuration_derivative": lambda self, q, v: calls.append(tuple(q)) or tuple(v)},
    )
    mechanism = arm()
    mechanism.replace_joint("joint1", Joint("geared", geared()))
    calls.clear()  # those of the check by `Joint`
    with pytest.raises(ArgumentError, match="a Geared joint has no single coordinate"):
        mechanism.couple("joint4", "geared")
    assert not calls
    mechanism.replace_joint("geared", Joint("cam", Cam()))
    assert isinstance(mechanism.couple("joint4", "cam"), Coupling)
