"""Mimic joints become couplings, `<loop_joint>` loop joints; both are written and read again."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd import (
    Fixed,
    Joint,
    Mechanism,
    MechanismState,
    Planar,
    Prismatic,
    QuaternionFloating,
    QuaternionSpherical,
    Revolute,
    RigidBody,
    Transform,
)
from rbd.errors import ArgumentError, UrdfError, UrdfTopologyError, UrdfValueError
from rbd.testing.strategies import mechanisms
from rbd.urdf import UrdfReport, UrdfWarning, format_urdf, parse_urdf
from tests.urdf.files import joint, link, robot


def fingers(*mimics: str, kinds: tuple[str, ...] = ("continuous",) * 4) -> str:
    """Return four joints "a" to "d" from "base", with what is inside of each; "a" stands in line 7."""
    inside = [*mimics, *[""] * (4 - len(mimics))]
    joints = [
        joint(name, "base", f"l{name}", kind, more) for name, kind, more in zip("abcd", kinds, inside, strict=True)
    ]
    return robot(link("base"), *(link(f"l{name}") for name in "abcd"), *joints)


def equations(mechanism: Mechanism) -> list[str]:
    return [coupling.equation for coupling in mechanism.couplings]


# --- mimics -----------------------------------------------------------------------------------------------------------


def test_mimics_become_couplings() -> None:
    report = UrdfReport()
    text = fingers("", '<mimic joint="a" multiplier="-2" offset="0.5"/>', '<mimic joint="b"/>', '<mimic joint="a"/>')
    mechanism = parse_urdf(text, report=report)
    assert equations(mechanism) == ["b = 0.5 - 2.0 a", "c = b", "d = a"]
    assert (mechanism.nv, mechanism.nc) == (4, 3)
    assert [(each.joint, each.source, each.line) for each in report.mimics] == [
        ("b", "a", 8),
        ("c", "b", 9),
        ("d", "a", 10),
    ]
    assert report.warnings == []
    state = MechanismState(mechanism, [1.0, 0.0, 0.0, 0.0], [3.0, 0.0, 0.0, 0.0])
    rbd.close_loops(state, fixed=["a"])
    assert state.q == pytest.approx([1.0, -1.5, -1.5, 1.0])
    assert state.v == pytest.approx([3.0, -6.0, -6.0, 3.0])


def test_mimic_joints_may_be_left_independent() -> None:
    """`couple_joints=False` lists mimics and makes no couplings, so that functions of trees accept the mechanism."""
    report = UrdfReport()
    text = fingers("", '<mimic joint="a" multiplier="-2"/>')
    mechanism = parse_urdf(text, couple_joints=False, strict=True, report=report)
    assert (mechanism.couplings, mechanism.nv, mechanism.nc) == ((), 4, 0)
    assert [(each.joint, each.source, each.multiplier) for each in report.mimics] == [("b", "a", -2.0)]
    by_q, *_ = rbd.inverse_dynamics_derivatives(MechanismState(mechanism), np.zeros(4))
    assert by_q.shape == (4, 4)
    with pytest.raises(rbd.errors.TopologyError, match="couple_joints=False"):
        rbd.inverse_dynamics_derivatives(MechanismState(parse_urdf(text)), np.zeros(4))


def test_a_joint_may_mimic_a_later_one() -> None:
    assert equations(parse_urdf(fingers('<mimic joint="d" multiplier="3"/>'))) == ["a = 3.0 d"]


def test_couplings_stay_when_fixed_joints_are_merged() -> None:
    text = robot(
        link("base"), link("x"), link("y"), link("z"), joint("mount", "base", "x", "fixed"), joint("one", "x", "y"),
        joint("two", "x", "z", inside='<mimic joint="one"/>'),
    )  # fmt: skip
    for merged in (True, False):
        assert equations(parse_urdf(text, remove_fixed_joints=merged)) == ["two = one"]


@pytest.mark.parametrize(
    ("text", "line", "message", "followed"),
    [
        (fingers('<mimic joint="a"/>'), 7, "the joint mimics itself", []),
        (fingers("", '<mimic joint="e"/>', '<mimic joint="a"/>'), 8, "there is no joint 'e'", ["c = a"]),
        (
            fingers('<mimic joint="b"/>', '<mimic joint="a"/>', '<mimic joint="a"/>', '<mimic joint="c"/>'),
            7, "mimic joints form a cycle: 'a' -> 'b' -> 'a'", ["c = a", "d = c"],
        ),
        (
            fingers("", '<mimic joint="a"/>', kinds=("continuous", "planar", "fixed", "fixed")),
            8, "a planar joint has no coordinate that could follow another", [],
        ),
        (
            fingers("", '<mimic joint="a"/>', kinds=("planar", "prismatic", "fixed", "fixed")),
            8, "joint 'a' is planar and has no coordinate to follow", [],
        ),
        (fingers("", '<mimic joint="a"/><mimic joint="c"/>'), 8, "a second <mimic>", ["b = a"]),
    ],
)  # fmt: skip
def test_doubtful_mimics_are_not_followed(text: str, line: int, message: str, followed: list[str]) -> None:
    report = UrdfReport()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UrdfWarning)
        mechanism = parse_urdf(text, report=report)
    assert equations(mechanism) == followed
    (warning,) = (each for each in report.warnings if each.refused and "limit" not in each.message)
    assert warning.line == line
    assert message in warning.message
    if "prismatic" not in text:
        with pytest.raises(UrdfError, match=r"mimic|coordinate|there is no joint") as caught:
            parse_urdf(text, strict=True)
        assert caught.value.line == line


def test_mimics_of_fixed_joints_have_no_effect() -> None:
    report = UrdfReport()
    text = fingers("", '<mimic joint="a"/>', kinds=("continuous", "fixed", "fixed", "fixed"))
    assert parse_urdf(text, strict=True, report=report).couplings == ()
    (warning,) = report.warnings
    assert (warning.line, warning.refused) == (8, False)
    assert "a fixed joint follows no other" in warning.message


# --- loop joints ------------------------------------------------------------------------------------------------------

CLOSING = """<loop_joint name="pin" type="{type}">
  <link1 link="{first}" xyz="0 0 0.9"/>
  <link2 link="{second}" xyz="0.1 0 0.8" rpy="0.1 0.2 0.3"/>
  {more}</loop_joint>"""


def closing(kind: str = "continuous", first: str = "la", second: str = "lb", more: str = "") -> str:
    return fingers().replace(
        "</robot>", CLOSING.format(type=kind, first=first, second=second, more=more) + "\n</robot>"
    )


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("continuous", Revolute), ("revolute", Revolute), ("prismatic", Prismatic), ("fixed", Fixed),
        ("planar", Planar), ("floating", QuaternionFloating), ("spherical", QuaternionSpherical),
    ],
)  # fmt: skip
def test_loop_joints_close_loops(kind: str, expected: type[Any]) -> None:
    mechanism = parse_urdf(closing(kind))
    (loop,) = mechanism.loop_joints
    assert isinstance(loop.type, expected)
    assert (loop.name, mechanism.predecessor(loop).name, mechanism.successor(loop).name) == ("pin", "la", "lb")
    assert mechanism.placement(loop).translation.tolist() == [0.0, 0.0, 0.9]
    assert mechanism.successor_placement(loop).translation.tolist() == [0.1, 0.0, 0.8]
    again = parse_urdf(format_urdf(mechanism))
    assert format_urdf(again) == format_urdf(mechanism)


def test_a_four_bar_linkage_from_a_file_moves_as_the_one_in_code() -> None:
    linkage = rbd.robots.four_bar()
    text = format_urdf(linkage)
    read = parse_urdf(text)
    assert [joint.name for joint in read.loop_joints] == [joint.name for joint in linkage.loop_joints]
    q = rbd.robots.four_bar_configuration(0.3)
    torques = [0.5, 0.1, -0.2]
    found = rbd.forward_dynamics(MechanismState(read, q, [1.0, 0.5, 0.2]), torques)
    np.testing.assert_allclose(
        found, rbd.forward_dynamics(MechanismState(linkage, q, [1.0, 0.5, 0.2]), torques), rtol=1e-10
    )


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (closing("ball"), UrdfValueError, "unknown joint type 'ball'"),
        (closing(first="nowhere"), UrdfTopologyError, "there is no link 'nowhere'"),
        (closing(second="la"), UrdfTopologyError, "joins link 'la' to itself"),
        (
            closing().replace('name="pin"', 'name="a"'),
            UrdfTopologyError,
            "a second loop_joint 'a'; the first is in line 7",
        ),
        (closing().replace("link2", "child"), UrdfValueError, "<link2> is missing"),
        (closing().replace('xyz="0 0 0.9"', 'xyz="0 0"'), UrdfValueError, "needs 3 numbers"),
        (closing().replace('name="pin" ', ""), UrdfError, "attribute 'name' is missing"),
    ],
)
def test_faulty_loop_joints_are_refused_with_their_line(text: str, error: type[UrdfError], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        parse_urdf(text)
    assert caught.value.line >= 11


def test_what_loop_joints_do_not_have_is_ignored() -> None:
    report = UrdfReport()
    parse_urdf(closing("fixed", more='<axis xyz="1 0 0"/><mimic joint="a"/>'), report=report)
    assert sorted(each.element.split(" > ")[-1] for each in report.ignored) == ["axis", "mimic"]


# --- writing ----------------------------------------------------------------------------------------------------------

KINDS = (Revolute((0, 0, 1)), Revolute((1, 2, -1)), Prismatic((1, 0, 1)), Fixed(), QuaternionFloating())


@given(mechanism=mechanisms(st.sampled_from(KINDS), max_loops=2, max_couplings=3))
def test_read_write_read_is_a_fixed_point(mechanism: Mechanism) -> None:
    text = format_urdf(mechanism, strict=False)
    read = parse_urdf(text, remove_fixed_joints=False, snap=False)
    linear = [coupling.equation for coupling in mechanism.couplings if coupling.is_linear]
    assert equations(read) == sorted(linear, key=lambda each: [j.name for j in mechanism.joints].index(each.split()[0]))
    assert [loop.name for loop in read.loop_joints] == [loop.name for loop in mechanism.loop_joints]
    once = format_urdf(parse_urdf(text, remove_fixed_joints=False), strict=False)
    assert format_urdf(parse_urdf(once, remove_fixed_joints=False), strict=False) == once
    with contextlib.suppress(UrdfValueError):  # where two bodies become one that a loop cannot connect with itself
        merged = format_urdf(parse_urdf(text))
        assert format_urdf(parse_urdf(merged)) == merged


@pytest.mark.parametrize(
    ("couple", "reason"),
    [
        (lambda m: m.couple("a", "b", polynomial=(0, 1, 2)), "which is not linear"),
        (lambda m: m.couple("a", offset=1.0), "which holds a joint"),
        (lambda m: (m.couple("a", "b"), m.couple("a", "c", ratio=2)), "the second one of its joint"),
        (lambda m: (m.couple("a", "b"), m.couple("b", "c"), m.couple("c", "a")), "which closes a cycle of mimics"),
        (lambda m: (m.replace_joint("b", Joint("b", rbd.Screw((0, 0, 1), 1.0))), m.couple("b", "a")), "not revolute"),
    ],
)
def test_couplings_that_are_no_mimics_are_refused(couple: Any, reason: str) -> None:
    mechanism = parse_urdf(fingers())
    couple(mechanism)
    with pytest.raises(ArgumentError, match=reason) as caught:
        format_urdf(mechanism)
    assert caught.value.joint in "abc"


def test_lenient_writing_leaves_couplings_out() -> None:
    mechanism = parse_urdf(fingers())
    mechanism.couple("a", "b", polynomial=(0, 1, 2))
    mechanism.couple("c", "b", ratio=0.1, offset=1 / 3)
    again = parse_urdf(format_urdf(mechanism, strict=False))
    assert [coupling.coefficients for coupling in again.couplings] == [(1 / 3, 0.1)]


def test_loop_joints_of_other_types_are_refused() -> None:
    mechanism = Mechanism()
    mechanism.attach("world", RigidBody("a"), Joint("j", Revolute((0, 0, 1))))
    mechanism.attach("world", "a", Joint("k", rbd.Universal((1, 0, 0), (0, 1, 0))))
    with pytest.raises(ArgumentError, match="URDF has no joint type Universal") as caught:
        format_urdf(mechanism)
    assert caught.value.joint == "k"


def test_placements_of_loop_joints_are_written_exactly() -> None:
    mechanism = parse_urdf(fingers())
    loop = Joint("k", Revolute((0, 0, 1)))
    after = mechanism.body("lb").default_frame
    pose = Transform(after, loop.frame_after, translation=(0.1, 1 / 3, 1e-7))
    mechanism.attach("la", "lb", loop, successor_pose=pose)
    again = parse_urdf(format_urdf(mechanism), snap=False)
    expected = mechanism.successor_placement("k").matrix
    assert np.array_equal(again.successor_placement("k").matrix, expected)
