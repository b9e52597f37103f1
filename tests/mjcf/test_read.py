"""Reading models: names, joints' parameters, sites, loops, keyframes, geoms and pairs, what the report has."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.contact import Capsule
from rbd.errors import ArgumentError, MjcfError, MjcfTopologyError
from rbd.mjcf import MjcfLimits, MjcfReport, MjcfWarning, parse_mjcf
from rbd.mjcf.contact_friction import ContactFriction
from tests.mjcf.models import LINK, ROD, body, model


def read(text: str) -> tuple[rbd.Mechanism, MjcfReport]:
    report = MjcfReport()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MjcfWarning)
        return parse_mjcf(text, report=report), report


def test_joint_parameters() -> None:
    mechanism, _ = read(
        body(
            ROD,
            joint='<joint name="j" range="-90 45" damping="0.3" frictionloss="0.2" armature="0.1" '
            'actuatorfrcrange="-5 6"/>',
        )
    )
    joint = mechanism.joint("j")
    assert joint.position_bounds == ((-math.pi / 2, math.pi / 4),)
    assert joint.effort_bounds == ((-5.0, 6.0),)
    assert (joint.damping, joint.friction, joint.armature) == ((0.3,), (0.2,), (0.1,))


def test_slides_are_bounded_in_metres_and_ranges_can_be_off() -> None:
    text = '<joint name="{}" type="slide" range="-2 1" {}/>'
    mechanism, _ = read(body(ROD, joint=text.format("a", "") + text.format("b", 'limited="false"')))
    assert mechanism.joint("a").position_bounds == ((-2.0, 1.0),)
    assert mechanism.joint("b").position_bounds == ((-math.inf, math.inf),)


def test_names_of_nameless_and_helping_bodies() -> None:
    mechanism, _ = read(model(f'<body><joint name="x"/><joint/>{ROD}<body name="b"><joint/>{ROD}</body></body>'))
    assert [b.name for b in mechanism.bodies] == ["world", "body#1#x", "body#1", "b"]
    assert [j.name for j in mechanism.joints] == ["x", "joint#1", "joint#2"]


def test_fixed_bodies_are_merged_and_can_be_kept() -> None:
    text = model(f'<body name="a">{LINK.format(1)}<body name="tool" pos="1 2 3">{ROD}</body></body>')
    merged = parse_mjcf(text)
    assert [b.name for b in merged.bodies] == ["world", "a"]
    pose = merged.fixed_transform(merged.frame("tool"), merged.frame("a"))
    np.testing.assert_array_equal(pose.translation, [1, 2, 3])
    kept = parse_mjcf(text, remove_fixed_joints=False)
    assert [j.name for j in kept.joints] == ["j1", "tool_to_a"]
    assert float(rbd.mass(kept)) == pytest.approx(float(rbd.mass(merged)), rel=1e-15)


def test_long_chains_are_read() -> None:
    text = model("<body><joint/><geom size='1'/>" * 190 + "</body>" * 190)
    assert parse_mjcf(text).nv == 190


def test_sites_are_frames() -> None:
    sites = '<site name="tip" pos="0.3 0 0" euler="0 90 0"/><site name="b"/><site/>'
    mechanism, _ = read(body(ROD + sites))
    pose = mechanism.fixed_transform(mechanism.frame("tip"), mechanism.frame("b"))
    np.testing.assert_allclose(pose.translation, [0.3, 0, 0], rtol=0, atol=1e-16)
    np.testing.assert_allclose(pose.rotation @ [0, 0, 1], [1, 0, 0], rtol=0, atol=1e-15)
    assert mechanism.frame("b#site").name == "b#site"


def test_names_that_rbd_makes_are_free() -> None:
    inner = f'<body name="a#site"><joint/><joint/>{ROD}<site name="a"/><body name="c">{ROD}</body></body>'
    outer = f'<body name="a"><joint name="weld#0"/>{ROD}{inner}</body>'
    nameless = f'<body><joint name="joint#3"/>{ROD}</body><body name="body#4"><joint name="x"/><joint/>{ROD}</body>'
    text = model(outer + nameless, after='<equality><weld body1="c" body2="a"/></equality>')
    mechanism = parse_mjcf(text, remove_fixed_joints=False)
    assert [joint.name for joint in mechanism.joints] == [
        "weld#0", "joint#1", "joint#2", "c_to_a#site", "joint#3", "x", "joint#5", "weld#0#"
    ]  # fmt: skip
    assert [body.name for body in mechanism.bodies] == [
        "world", "a", "a#site#joint#1", "a#site", "c", "body#4#", "body#4#x", "body#4"
    ]  # fmt: skip
    assert mechanism.body_of_frame(mechanism.frame("a#site#")).name == "a#site"


def test_a_weld_of_the_tree_and_a_joint_may_want_the_same_name() -> None:
    text = model(f'<body name="a"><joint name="b_to_a"/>{ROD}<body name="b">{ROD}</body></body>')
    assert [joint.name for joint in parse_mjcf(text, remove_fixed_joints=False).joints] == ["b_to_a", "b_to_a#"]


# ---------------------------------------------------------------- loops

TWO = f'<body name="a">{LINK.format(1)}</body><body name="b" pos="0 0 0.3">{LINK.format(2)}</body>'


@pytest.mark.parametrize(
    ("constraint", "kind", "rows"),
    [
        ('<connect body1="a" body2="b" anchor="0.1 0.2 0"/>', rbd.QuaternionSpherical, 3),
        ('<connect body1="a" anchor="0.1 0.2 0"/>', rbd.QuaternionSpherical, 3),
        ('<weld body1="a" body2="b"/>', rbd.Fixed, 6),
        ('<weld body1="a" body2="b" relpose="0 0 0.3 1 0 0 0"/>', rbd.Fixed, 6),
        ('<weld body1="a"/>', rbd.Fixed, 6),
    ],
)
def test_constraints_become_loop_joints_that_are_closed_where_the_file_has_them(
    constraint: str, kind: type, rows: int
) -> None:
    mechanism, _ = read(model(TWO, after=f"<equality>{constraint}</equality>"))
    (joint,) = mechanism.loop_joints
    assert isinstance(joint.type, kind)
    assert mechanism.nc == rows
    assert rbd.loop_gap(rbd.MechanismState(mechanism)) == pytest.approx(0.0, abs=1e-15)
    assert rbd.loop_gap(rbd.MechanismState(mechanism, [0.4, 0.1])) > 0.01


def test_a_weld_holds_another_pose_than_that_of_the_file() -> None:
    mechanism, _ = read(model(TWO, after='<equality><weld body1="a" body2="b" relpose="0 0 0.4 1 0 0 0"/></equality>'))
    assert rbd.loop_gap(rbd.MechanismState(mechanism)) == pytest.approx(0.1, abs=1e-12)


def test_sites_are_connected() -> None:
    first = f'<body name="a">{LINK.format(1)}<site name="s" pos="0.3 0 0.3"/></body>'
    second = f'<body name="b" pos="0 0 0.3">{LINK.format(2)}<site name="t" pos="0.3 0 0"/></body>'
    mechanism, _ = read(model(first + second, after='<equality><connect site1="s" site2="t"/></equality>'))
    assert rbd.loop_gap(rbd.MechanismState(mechanism)) == pytest.approx(0.0, abs=1e-15)
    assert rbd.loop_gap(rbd.MechanismState(mechanism, [0.4, 0.1])) > 0.01


def test_a_closed_chain_stays_closed() -> None:
    link = '<body name="{}" pos="{}"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 {}" size="0.02"/>{}</body>'
    side = link.format("right", "0 0 0.5", "0.4 0 0", "")
    bars = link.format("left", "0 0 0", "0 0 0.5", side) + link.format("other", "0.4 0 0", "0 0 0.5", "")
    text = model(bars, after='<equality><connect body1="right" body2="other" anchor="0.4 0 0"/></equality>')
    mechanism = parse_mjcf(text)
    state = rbd.MechanismState(mechanism, v=[0.5, -0.5, 0.5])
    trajectory = rbd.simulate(state, 1.0, dt=1e-3)
    assert rbd.loop_gap(rbd.MechanismState(mechanism, trajectory.q[-1])) < 1e-8
    assert abs(trajectory.q[-1, 0]) > 0.1


def test_inactive_constraints_are_reported() -> None:
    equality = '<equality><weld body1="a" active="false"/><joint joint1="j1" joint2="j2" active="false"/></equality>'
    mechanism, report = read(model(TWO, after=equality))
    assert (mechanism.loop_joints, mechanism.couplings) == ((), ())
    assert [f.message for f in report.ignored] == ["not active", "not active"]


def test_joints_are_coupled_by_polynomials() -> None:
    equality = (
        '<equality><joint joint1="j2" joint2="j1" polycoef="0.1 2 0 0.5"/>'
        '<joint name="brake" joint1="j1" polycoef="0.3"/><joint joint1="j2" joint2="j1"/></equality>'
    )
    mechanism, report = read(model(TWO, after=equality))
    assert report.warnings == []
    assert [repr(coupling) for coupling in mechanism.couplings] == [
        "<Coupling 'j2_to_j1': j2 = 0.1 + 2.0 j1 + 0.5 j1^3>",
        "<Coupling 'brake': j1 = 0.3>",
        "<Coupling 'j2_to_j1_': j2 = j1>",
    ]


def test_joints_may_be_left_independent() -> None:
    equality = '<equality><joint joint1="j2" joint2="j1"/><connect body1="b" anchor="0 0 0"/></equality>'
    report = MjcfReport()
    mechanism = parse_mjcf(model(TWO, after=equality), couple_joints=False, strict=True, report=report)
    assert mechanism.couplings == ()
    assert len(mechanism.loop_joints) == 1
    assert [f.message for f in report.ignored] == ["couple_joints=False"]


def test_couplings_are_relative_to_the_reference() -> None:
    """y - y0 = p(x - x0): at the reference configuration, only p(0) is left."""
    turned = TWO.replace('name="j1"', 'name="j1" ref="0.5"').replace('name="j2"', 'name="j2" ref="-0.25"')
    assert turned.count("ref=") == 2
    text = model(turned, after='<equality><joint joint1="j2" joint2="j1" polycoef="0 2 1 -1 3"/></equality>')
    mechanism, report = read(text)
    (coupling,) = mechanism.couplings
    x0, y0 = report.keyframes["qpos0"][0]
    for x in (x0, 0.0, 1.25):
        d = x - x0
        assert coupling.value(x) == pytest.approx(y0 + 2 * d + d**2 - d**3 + 3 * d**4, abs=1e-14)
    assert rbd.loop_gap(rbd.MechanismState(mechanism, [x0, y0])) < 1e-15


def test_joints_without_one_coordinate_cannot_be_coupled() -> None:
    ball = '<body name="c"><joint name="ball" type="ball"/><geom size="0.1"/></body>'
    text = model(TWO + ball, after='<equality><joint joint1="j1" joint2="ball"/></equality>')
    with pytest.raises(MjcfError, match="joint 'ball' cannot be coupled") as caught:
        parse_mjcf(text)
    assert caught.value.element == "joint"


# ---------------------------------------------------------------- keyframes

KEYED = model(
    '<body name="f" pos="1 2 3" quat="0 0 0 2"><freejoint/><geom size="0.1"/><body><joint type="ball"/>'
    '<geom size="0.1"/></body></body>',
    after='<keyframe><key name="up" qpos="4 5 6 0 2 0 0 3 0 0 0"/><key qvel="1 2 3 4 5 6 7 8 9"/></keyframe>',
)


def test_keyframes_are_in_the_coordinates_of_the_mechanism() -> None:
    _, report = read(KEYED)
    assert list(report.keyframes) == ["qpos0", "up", "key#1"]
    start = [0, 0, 0, 1, 1, 2, 3, 1, 0, 0, 0]
    np.testing.assert_array_equal(report.keyframes["qpos0"][0], start)
    np.testing.assert_array_equal(report.keyframes["up"][0], [0, 1, 0, 0, 4, 5, 6, 1, 0, 0, 0])
    np.testing.assert_array_equal(report.keyframes["key#1"][0], start)
    np.testing.assert_allclose(report.keyframes["key#1"][1], [4, 5, 6, -1, -2, 3, 7, 8, 9], rtol=0, atol=1e-15)


def test_a_keyframe_may_have_the_name_of_the_reference() -> None:
    text = KEYED.replace('name="up"', 'name="qpos0"')
    _, report = read(text)
    assert list(report.keyframes) == ["qpos0", "qpos0#key", "key#1"]
    assert report.keyframes["qpos0"][0].tolist() == [0, 0, 0, 1, 1, 2, 3, 1, 0, 0, 0]


def test_keyframes_without_a_name_take_none_that_the_file_has() -> None:
    names = {"key#1": ["qpos0", "key#1", "key#1#"], "qpos0#key": ["qpos0", "qpos0#key", "key#1"]}
    for name, found in names.items():
        assert list(read(KEYED.replace('name="up"', f'name="{name}"'))[1].keyframes) == found
    keys = '<keyframe><key name="qpos0"/><key name="qpos0#key"/></keyframe>'
    assert list(read(model("", after=keys))[1].keyframes) == ["qpos0", "qpos0#key#", "qpos0#key"]


def test_controls_of_keyframes_are_those_of_supported_actuators() -> None:
    actuators = '<motor joint="j"/><adhesion body="b" ctrlrange="0 1"/><position joint="j" kp="3"/>'
    keys = '<key name="a" ctrl="1 2 3" time="3"/><key name="b"/><key name="c" act="0" mpos="1 2 3" mquat="1 0 0 0"/>'
    after = f"<actuator>{actuators}</actuator><keyframe>{keys}</keyframe>"
    mechanism, report = read(model(f'<body name="b"><joint name="j"/>{ROD}</body>', after=after))
    assert {name: control.tolist() for name, control in report.controls.items()} == {"a": [1.0, 3.0]}
    assert report.controller(mechanism, report.controls["a"])(0.0, rbd.MechanismState(mechanism)) == [10.0]
    wrong: Any = report
    with pytest.raises(ArgumentError, match="MjcfController: mechanism must be a Mechanism"):
        report.controller(wrong)
    assert [(f.attribute, "poses" in f.message) for f in report.ignored] == [
        ("time", False), ("act", False), ("mpos", True), ("mquat", True)
    ]  # fmt: skip


# ---------------------------------------------------------------- geoms and pairs

FLOOR = '<geom name="floor" type="plane" size="1 1 1" pos="0 0 -1"/>'
NAMED = LINK.replace("<geom", '<geom name="ga"')
CHAIN = model(
    f'{FLOOR}<body name="a">{NAMED.format(1)}<body name="b" pos="0.3 0 0">{LINK.format(2)}'
    f'<body name="c" pos="0.3 0 0">{LINK.format(3)}<body name="d" pos="0.3 0 0">'
    '<geom name="gd" type="ellipsoid" size="0.1 0.1 0.1"/></body></body></body></body>',
    after="{}",
)


def pairs(contact: str = "") -> list[tuple[str | None, str | None]]:
    _, report = read(CHAIN.format(contact))
    bodies = [geom.name if geom.body == "world" else geom.body for geom in report.geoms]
    return [(bodies[a], bodies[b]) for a, b in report.pairs]


def test_pairs_leave_out_parents_and_what_is_welded_together() -> None:
    assert pairs() == [("floor", name) for name in "abcd"] + [("a", "c"), ("a", "d")]


def test_pairs_are_excluded_and_added() -> None:
    contact = '<contact><exclude body1="a" body2="c"/><pair geom1="ga" geom2="gd"/></contact>'
    found = pairs(contact)
    assert ("a", "c") not in found
    assert found[0] == ("a", "d")
    assert len(found) == len(set(found)) == 5


def test_pairs_have_the_torsional_and_rolling_friction_of_their_geoms() -> None:
    def friction(one: str, other: str, contact: str = "") -> tuple[float | None, float, float]:
        mechanism, report = read(
            model(
                f'<geom name="floor" type="plane" size="1 1 1" {one}/><body><freejoint/>'
                f'<geom name="ball" size="0.1" {other}/></body>'
            ).replace("</mujoco>", f"<contact>{contact}</contact></mujoco>")
        )
        [pair] = report.collision_model(mechanism).pairs
        return pair.friction, pair.torsional_friction, pair.rolling_friction

    assert friction("", "") == (None, 0.0, 0.0)
    assert friction('condim="1"', 'condim="1"') == (0.0, 0.0, 0.0)
    assert friction('condim="4" friction="1 0.02"', "") == (None, 0.02, 0.0)
    assert friction('condim="6" friction="1 0.02 0.03"', 'condim="4" friction="1 0.04"') == (None, 0.04, 0.03)
    assert friction('condim="6" friction="1 0.02 0.03"', 'condim="3" priority="1"') == (None, 0.0, 0.0)
    pair = '<pair geom1="ball" geom2="floor" {}/>'
    assert friction('condim="6"', "", pair.format("")) == (None, 0.0, 0.0)
    assert friction('condim="1"', "", pair.format('condim="6"')) == (None, 0.005, 0.0001)
    assert friction('condim="6"', "", pair.format('condim="4" friction="1 1 0.5 0.25 0.25"')) == (None, 0.5, 0.0)
    with pytest.raises(rbd.errors.MjcfValueError, match="condim: '2' is none of 1, 3, 4, 6"):
        friction('condim="2"', "")


def test_pairs_have_defaults() -> None:
    text = model(
        f'{FLOOR}<body><freejoint/><geom name="ball" size="0.1" friction="9" condim="4"/></body>',
        before='<default><pair condim="1" friction="2 2 .5 .1 .1"/>'
        '<default class="six"><pair condim="6"/></default></default>',
        after='<contact><pair geom1="ball" geom2="floor" {}/></contact>',
    )
    for attributes, dimensions, sliding in (("", 1, 2.0), ('friction="3"', 1, 3.0), ('class="six"', 6, 2.0)):
        _, report = read(text.format(attributes))
        assert report.pair_friction == {(0, 1): ContactFriction(dimensions, sliding, 0.5, 0.1)}
    with pytest.raises(rbd.errors.MjcfValueError, match="there is no default class 'sic'; did you mean 'six'"):
        read(text.format('class="sic"'))


def test_masks_keep_geoms_apart() -> None:
    _, report = read(model(f'{FLOOR}<body><joint/><geom size="0.1" contype="2" conaffinity="2"/></body>'))
    assert report.pairs == []


def test_the_collision_model_has_the_shapes_that_rbd_has() -> None:
    mechanism, report = read(CHAIN.format(""))
    collisions = report.collision_model(mechanism)
    assert len(collisions.pairs) == 5  # the ellipsoid meets the plane only
    assert [f.message for f in report.ignored] == [
        "collision models have distances of ellipsoids from planes and spheres only: "
        "other pairs are left out, unless hull_points is given"
    ]
    state = rbd.MechanismState(mechanism)
    found = [float(near.value) for near in collisions.distances(state)]
    np.testing.assert_allclose(found, [0.98, 0.98, 0.98, 0.9, 0.3 - 0.04], rtol=0, atol=1e-12)
    capsule = collisions.pairs[0].b
    assert isinstance(capsule, Capsule)
    assert (capsule.length, capsule.radius) == (0.3, 0.02)


# ---------------------------------------------------------------- forces


def test_springs_and_weights_are_in_the_controller() -> None:
    text = model(f'<body name="a" gravcomp="1"><joint name="j" axis="0 1 0" stiffness="3" springref="30"/>{ROD}</body>')
    mechanism, report = read(text)
    state = rbd.MechanismState(mechanism, [0.4])
    torque = report.controller(mechanism)(0.0, state)
    spring = 3 * (math.pi / 6 - 0.4)
    np.testing.assert_allclose(torque, spring + np.asarray(rbd.gravity_torques(state)), rtol=0, atol=1e-12)


def test_a_controller_takes_numbers_or_a_function_and_checks_them() -> None:
    text = body(ROD, joint='<joint name="j"/>').replace(
        "</mujoco>", '<actuator><motor joint="j" gear="2" ctrlrange="-1 1"/></actuator></mujoco>'
    )
    mechanism, report = read(text)
    state = rbd.MechanismState(mechanism)
    assert report.controller(mechanism)(0.0, state) == [0.0]
    assert report.controller(mechanism, [0.5])(0.0, state) == [1.0]
    assert report.controller(mechanism, [7])(0.0, state) == [2.0]
    assert report.controller(mechanism, lambda t, s: [t])(0.25, state) == [0.5]
    with pytest.raises(rbd.errors.ShapeError, match="control"):
        report.controller(mechanism, [1, 2])


def test_effort_bounds_clamp_what_actuators_do_together() -> None:
    text = body(ROD, joint='<joint name="j" actuatorfrcrange="-3 3"/>').replace(
        "</mujoco>", '<actuator><motor joint="j"/><motor joint="j"/></actuator></mujoco>'
    )
    mechanism, report = read(text)
    assert report.controller(mechanism, [2, 2])(0.0, rbd.MechanismState(mechanism)) == [3.0]


# ---------------------------------------------------------------- options


def test_options_and_flags_of_the_solver_are_ignored() -> None:
    option = (
        '<option integrator="RK4" cone="elliptic" wind="1 0 0"><flag energy="enable" warmstart="disable"/></option>'
    )
    _, report = read(body(ROD, head=option))
    assert [f.attribute for f in report.ignored] == ["integrator", "cone", "energy", "warmstart", "wind"]
    assert report.warnings == []


def test_attributes_that_nothing_reads_are_ignored() -> None:
    _, report = read(body('<geom type="sphere" size="0.1" solref="0.02 1" friction="0.5"/>'))
    assert [(f.element.rpartition(" > ")[2], f.attribute) for f in report.ignored] == [("geom", "solref")]
    assert "a setting of MuJoCo's compiler or solver" in report.ignored[0].message


def test_the_last_flag_counts() -> None:
    flags = '<option><flag {}="disable"/></option><option><flag {}="enable"/></option>'
    off, on = (
        read(body(ROD, head=flags.format("gravity", "limit")))[0],
        read(body(ROD, head=flags.format(*["gravity"] * 2)))[0],
    )
    assert off.gravity.xyz.tolist() == [0, 0, 0]
    assert on.gravity.xyz.tolist() == [0, 0, -9.81]


def test_flags_switch_off_loops_bounds_friction_and_contacts() -> None:
    pair = TWO.replace("<joint", '<joint range="-1 1" frictionloss="0.3"')
    weld = '<equality><weld body1="a" body2="b"/></equality>'
    for flags, count, bounded, friction, pairs in (
        ("", 1, True, 0.3, 1),
        ('equality="disable"', 0, True, 0.3, 1),
        ('limit="disable" contact="disable"', 1, False, 0.3, 0),
        ('frictionloss="disable"', 1, True, 0.0, 1),
        ('constraint="disable"', 0, False, 0.0, 0),
    ):
        mechanism, report = read(model(pair, before=f"<option><flag {flags}/></option>", after=weld))
        joint = mechanism.joint("j1")
        assert len(mechanism.loop_joints) == count
        assert math.isfinite(joint.position_bounds[0][0]) == bounded
        assert joint.friction == (friction,)
        assert len(report.pairs) == pairs


def test_the_filter_of_parents_can_be_off() -> None:
    off = '<option><flag filterparent="disable"/></option><worldbody>'
    _, report = read(CHAIN.format("").replace("<worldbody>", off))
    _, usual = read(CHAIN.format(""))
    assert len(report.pairs) == len(usual.pairs) + 3  # a with b, b with c and what is fixed to c


# ---------------------------------------------------------------- arguments


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ArgumentError, match="limits"):
        parse_mjcf("<mujoco/>", limits=3)  # type: ignore[arg-type]  # what is tested
    with pytest.raises(ArgumentError, match="strict"):
        parse_mjcf("<mujoco/>", strict="yes")  # type: ignore[arg-type]  # what is tested
    with pytest.raises(ArgumentError, match="files"):
        MjcfLimits(files=0)


def test_loops_that_cannot_close_after_merging_are_refused() -> None:
    text = model(
        '<body name="a"/><body name="b" pos="1 0 0"/>',
        after='<equality><weld body1="a" body2="b" relpose="0 0 0 1 0 0 0"/></equality>',
    )
    with pytest.raises((MjcfTopologyError, rbd.errors.MjcfValueError)):
        parse_mjcf(text)


@pytest.mark.parametrize(("default", "own", "rest"), [("0.2", "", (0.2, 0.2)), ("0.1 0.3", "0.2", (0.2, 0.2))])
def test_one_springlength_is_both_ends_in_default_classes_too(
    default: str, own: str, rest: tuple[float, float]
) -> None:
    head = f'<default><tendon springlength="{default}"/></default>'
    spring = f'springlength="{own}"' if own else ""
    tendon = f'<tendon><fixed stiffness="1" {spring}><joint joint="j" coef="1"/></fixed></tendon>'
    link = f'<body><joint name="j"/>{ROD}</body>'
    _, report = read(model(link, before=head, after=tendon))
    assert report.springs[0].rest == rest


def test_geoms_without_material_have_no_colour_of_nameless_materials() -> None:
    _, report = read(body(ROD, head='<asset><material rgba="1 0 0 1"/></asset>'))
    assert [geom.color for geom in report.geoms] == [None]


@pytest.mark.parametrize(
    "text",
    [
        '<body gain="1"><joint/><geom size="0.1"/></body>',
        '<geom size="0.1" solver="PGS"/>',
        '<geom size="0.1" nrow="3"/>',
        '<geom size="0.1" elevation="3"/>',
    ],
)
def test_attributes_of_other_elements_are_unknown(text: str) -> None:
    with pytest.raises(rbd.errors.MjcfRefusedError, match="unknown attribute"):
        rbd.parse_mjcf(model(text), strict=True)


def test_the_world_has_no_attributes() -> None:
    with pytest.raises(rbd.errors.MjcfRefusedError, match="unknown attribute 'childclass'"):
        rbd.parse_mjcf("<mujoco><worldbody childclass='c'/></mujoco>", strict=True)


def test_collision_models_made_twice_have_frames_with_names_of_their_own() -> None:
    mechanism, report = read(model(f'{FLOOR}<body><freejoint/><geom name="ball" size="0.1"/></body>'))
    first, second = report.collision_model(mechanism), report.collision_model(mechanism)
    assert [type(model.shapes[1].frame).__name__ for model in (first, second)] == ["Frame", "Frame"]
    assert mechanism.frame("ball#shape") is first.shapes[1].frame
    assert mechanism.frame("ball#shape#") is second.shapes[1].frame


def test_a_warning_about_a_default_is_listed_once() -> None:
    """It is about the line of the default, and names neither joint."""
    report = MjcfReport()
    joints = "".join(f"<body><joint name='j{k}'/><geom size='0.1'/></body>" for k in range(4))
    text = f"<mujoco><default><joint stiffness='1 2 0'/></default>\n<worldbody>{joints}</worldbody></mujoco>"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MjcfWarning)
        parse_mjcf(text, strict=False, report=report)
    assert [(finding.line, finding.attribute) for finding in report.warnings] == [(1, "stiffness")]
