"""What each element of a good file becomes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rbd import (
    Fixed,
    JointType,
    MechanismState,
    Planar,
    Prismatic,
    QuaternionFloating,
    Revolute,
)
from rbd.errors import (
    ArgumentError,
    ShapeError,
    UnknownNameError,
    UrdfSyntaxError,
    UrdfTopologyError,
    UrdfValueError,
)
from rbd.mechanism import Joint, Mechanism
from rbd.spatial import SpatialInertia
from rbd.urdf import UrdfLimits, UrdfReport, UrdfWarning, load_urdf, parse_urdf
from tests.urdf.files import ARM, inertial, joint, link, pair, robot

LIMIT = '<limit lower="-1" upper="2" velocity="3" effort="4"/>'


def only_joint(text: str) -> Joint:
    return parse_urdf(text, remove_fixed_joints=False).joint("j")


def warnings(text: str, *, strict: bool = True) -> list[str]:
    report = UrdfReport()
    parse_urdf(text, strict=strict, report=report)
    return [warning.message for warning in report.warnings]


# -- joints -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "inside", "joint_type"),
    [
        ("revolute", LIMIT, Revolute((1, 0, 0))),
        ("continuous", "", Revolute((1, 0, 0))),
        ("prismatic", LIMIT, Prismatic((1, 0, 0))),
        ("fixed", "", Fixed()),
        ("floating", "", QuaternionFloating()),
        ("planar", '<axis xyz="0 0 1"/>', Planar((1, 0, 0), (0, 1, 0))),
        ("planar", '<axis xyz="0 0 -1"/>', Planar((-1, 0, 0), (0, 1, 0))),
        ("planar", "", Planar((0, 0, -1), (0, 1, 0))),
        ("planar", '<axis xyz="0 1 0"/>', Planar((1, 0, 0), (0, 0, -1))),
        ("continuous", '<axis xyz="0 -2 0"/>', Revolute((0, -1, 0))),
        ("continuous", "<axis/>", Revolute((1, 0, 0))),
    ],
)
def test_joint_types_and_axes(kind: str, inside: str, joint_type: JointType) -> None:
    assert only_joint(pair(kind, inside)).type == joint_type


@pytest.mark.parametrize("normal", [(0.6, 0.0, 0.8), (1.0, 2.0, -3.0), (1e-3, 0.0, -1.0)])
def test_planar_axes_are_turned_the_least_from_the_normal(normal: tuple[float, float, float]) -> None:
    found = only_joint(pair("planar", f'<axis xyz="{normal[0]} {normal[1]} {normal[2]}"/>')).type
    assert isinstance(found, Planar)
    n = np.array(normal) / np.linalg.norm(normal)
    rotation = np.column_stack([found.x, found.y, np.cross(found.x, found.y)])
    np.testing.assert_allclose(rotation[:, 2], n, rtol=0, atol=1e-14)
    # the least rotation turns by the angle between e_z and n, about an axis orthogonal to both
    assert np.trace(rotation) == pytest.approx(1 + 2 * n[2], abs=1e-12)
    np.testing.assert_allclose((rotation - rotation.T)[0, 1], 0.0, rtol=0, atol=1e-14)


def test_bounds() -> None:
    found = only_joint(pair("revolute", LIMIT))
    assert found.position_bounds == ((-1.0, 2.0),)
    assert found.velocity_bounds == ((-3.0, 3.0),)
    assert found.effort_bounds == ((-4.0, 4.0),)


def test_bounds_left_out() -> None:
    inf = math.inf
    assert only_joint(pair("continuous")).position_bounds == ((-inf, inf),)
    half = only_joint(pair("prismatic", '<limit upper="1"/>'))
    assert (half.position_bounds, half.velocity_bounds) == (((0.0, 1.0),), ((-inf, inf),))
    turning = only_joint(pair("continuous", '<limit velocity="1" effort="2"/>'))
    assert (turning.position_bounds, turning.effort_bounds) == (((-inf, inf),), ((-2.0, 2.0),))


def test_the_largest_float_means_unbounded() -> None:
    found = only_joint(pair("prismatic", '<limit lower="-1.7976931348623157E+308" upper="1e300" effort="1.5e308"/>'))
    assert found.position_bounds == found.effort_bounds == ((-math.inf, math.inf),)


def test_damping_and_friction() -> None:
    found = only_joint(pair("continuous", '<dynamics damping="0.5" friction="0.25"/>'))
    assert (found.damping, found.friction) == ((0.5,), (0.25,))
    assert only_joint(pair("continuous", "<dynamics/>")).damping == (0.0,)


def test_what_has_no_meaning_for_a_joint_type_is_ignored_and_listed() -> None:
    report = UrdfReport()
    parse_urdf(pair("fixed", f'<axis xyz="0 0 0"/>{LIMIT}<dynamics damping="1"/>'), report=report)
    assert {(entry.element, entry.line) for entry in report.ignored} == {
        ("joint 'j' > axis", 4), ("joint 'j' > limit", 4), ("joint 'j' > dynamics", 4)
    }  # fmt: skip
    parse_urdf(pair("continuous", LIMIT), report=report)
    assert [entry.attribute for entry in report.ignored] == ["lower", "upper"]


def test_doubtful_values_are_warned_about() -> None:
    assert warnings(pair("continuous", '<axis xyz="0 0 2"/>')) == ["the axis has length 2; it is normalised"]
    assert warnings(pair("continuous", '<axis xyz="0 0 0.9999999"/>')) == []
    assert "velocity is 0" in warnings(pair("continuous", '<limit velocity="0"/>'))[0]
    assert warnings("<robot><link name='a'/></robot>") == ["the robot has no name"]
    assert "no mass" in warnings(pair("fixed", child=inertial(mass=0.0)))[0]


def test_axes_of_any_length_are_normalised() -> None:
    for length in ("1e-300", "1e-160", "1e25"):
        found = only_joint(pair("continuous", f'<axis xyz="{length} 0 -{length}"/>')).type
        assert isinstance(found, Revolute)
        assert found.axis == pytest.approx((0.5**0.5, 0.0, -(0.5**0.5)), abs=1e-15)


def test_errors_of_inner_layers_get_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rbd.urdf.build.planar_axes", lambda normal: (normal, normal))
    with pytest.raises(UrdfValueError, match=r"^<string>:4:1: joint 'j': y must be orthogonal to x") as caught:
        parse_urdf(pair("planar"))
    assert isinstance(caught.value.__cause__, ArgumentError)
    assert (caught.value.line, caught.value.argument) == (4, "y")


# -- placements -------------------------------------------------------------------------------------------------------


def test_origin_is_roll_pitch_yaw_about_fixed_axes() -> None:
    mechanism = parse_urdf(pair("continuous", '<origin xyz="1 2 3" rpy="0.1 -0.2 0.3"/>'))
    placement = mechanism.placement("j")
    assert placement.from_frame == mechanism.joint("j").frame_before
    np.testing.assert_array_equal(placement.translation, [1, 2, 3])
    np.testing.assert_allclose(placement.rotation, rotation(0.1, -0.2, 0.3), rtol=0, atol=1e-15)


def rotation(roll: float, pitch: float, yaw: float) -> np.ndarray:
    cr, sr, cp, sp, cy, sy = (f(a) for a in (roll, pitch, yaw) for f in (math.cos, math.sin))
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


def test_origin_may_give_a_quaternion() -> None:
    half = 0.35
    text = f'<origin quat_xyzw="0 0 {math.sin(half)!r} {math.cos(half)!r}"/>'
    placement = parse_urdf(pair("continuous", text)).placement("j")
    np.testing.assert_allclose(placement.rotation, rotation(0, 0, 2 * half), rtol=0, atol=1e-15)


# -- inertias ---------------------------------------------------------------------------------------------------------


def test_inertia_is_given_about_the_centre_of_mass_in_its_own_axes() -> None:
    origin = '<origin xyz="1 2 3" rpy="0.3 -0.5 0.7"/>'
    mechanism = parse_urdf(pair("continuous", child=inertial(2.0, (1.0, 1.5, 2.0), origin)))
    inertia = mechanism.body("tip").inertia
    assert inertia is not None
    com, turned = np.array([1.0, 2.0, 3.0]), rotation(0.3, -0.5, 0.7)
    wanted = turned @ np.diag([1.0, 1.5, 2.0]) @ turned.T + 2.0 * (com @ com * np.eye(3) - np.outer(com, com))
    np.testing.assert_allclose(inertia.moment, wanted, rtol=0, atol=1e-13)
    np.testing.assert_allclose(inertia.center_of_mass.xyz, com, rtol=0, atol=1e-15)
    assert (inertia.mass, inertia.frame) == (2.0, mechanism.body("tip").default_frame)


def test_products_of_inertia_keep_their_places() -> None:
    text = '<inertial><mass value="1"/><inertia ixx="3" ixy="0.1" ixz="0.2" iyy="4" iyz="0.3" izz="5"/></inertial>'
    inertia = parse_urdf(pair("continuous", child=text)).body("tip").inertia
    assert inertia is not None
    np.testing.assert_array_equal(inertia.moment, [[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]])


def test_a_link_without_inertial_is_massless() -> None:
    inertia = parse_urdf(pair("continuous")).body("tip").inertia
    assert inertia is not None
    assert inertia.mass == 0.0
    assert not inertia.matrix.any()


IMPOSSIBLE = pair("continuous", child=inertial(1.0, (1.0, 1.0, 5.0), '<origin xyz="0 0 1" rpy="0.1 0.2 0.3"/>'))


def test_an_impossible_inertia_is_kept_and_told_of_once() -> None:
    report = UrdfReport()
    with pytest.warns(UrdfWarning, match=r"1 warning, the first in line 3: link 'tip' .*strict=True") as told:
        tip = parse_urdf(IMPOSSIBLE, report=report).body("tip")
    assert len(told) == 1
    assert tip.inertia is not None
    np.testing.assert_allclose(np.linalg.eigvalsh(tip.inertia.moment_about_com), [1, 1, 5], rtol=0, atol=1e-14)
    np.testing.assert_allclose(tip.inertia.center_of_mass.xyz, [0, 0, 1], rtol=0, atol=1e-15)
    with pytest.raises(UrdfValueError, match="strict=False"):
        parse_urdf(IMPOSSIBLE, strict=True)


def test_an_impossible_inertia_is_projected_to_the_nearest_possible_one() -> None:
    with pytest.warns(UrdfWarning, match="nearest possible"):
        tip = parse_urdf(IMPOSSIBLE, inertia="project").body("tip")
    assert tip.inertia is not None
    moment = tip.inertia.moment_about_com
    # second moments of mass are (2.5, 2.5, -1.5): the negative one becomes zero
    np.testing.assert_allclose(np.linalg.eigvalsh(moment), [2.5, 2.5, 5], rtol=0, atol=1e-14)
    np.testing.assert_allclose(tip.inertia.mass, 1.0, rtol=0, atol=0)
    SpatialInertia(tip.default_frame, mass=1.0, moment_about_com=moment * (1 + 1e-15))  # a body can have it


def test_what_to_do_with_inertias_is_one_of_two_words() -> None:
    with pytest.raises(ArgumentError, match="inertia"):
        load_urdf(ARM, inertia="mend")  # type: ignore[arg-type]  # what is tested


def test_a_model_of_mujoco_says_who_reads_it() -> None:
    with pytest.raises(UrdfSyntaxError, match=r"this is MJCF; rbd\.load_mjcf reads it"):
        parse_urdf("<mujoco/>")


# -- the world --------------------------------------------------------------------------------------------------------

TREE = robot(
    link("base", inertial(5.0)), link("arm", inertial()), link("tool", inertial(0.5)), link("tip"),
    joint("shoulder", "base", "arm", inside='<origin xyz="0 0 1"/>'),
    joint("flange", "arm", "tool", "fixed", '<origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/>'),
    joint("end", "tool", "tip", "fixed", '<origin xyz="1 0 0"/>'),
)  # fmt: skip


def test_the_root_link_stands_on_the_world() -> None:
    mechanism = parse_urdf(TREE, remove_fixed_joints=False)
    assert mechanism.root_body.name == "world"
    assert [j.name for j in mechanism.tree_joints] == ["base_to_world", "shoulder", "flange", "end"]
    assert mechanism.joint("base_to_world").type == Fixed()
    assert mechanism.mass == 6.5


def test_or_floats_in_it() -> None:
    mechanism = parse_urdf(TREE, floating=True)
    assert [j.name for j in mechanism.tree_joints] == ["base_to_world", "shoulder"]
    assert mechanism.joint("base_to_world").type == QuaternionFloating()
    assert (mechanism.nq, mechanism.nv, mechanism.mass) == (8, 7, 6.5)


def test_fixed_joints_are_merged_and_all_link_frames_stay() -> None:
    mechanism = parse_urdf(TREE)
    assert [body.name for body in mechanism.bodies] == ["world", "arm"]
    assert mechanism.mass == 1.5
    assert mechanism.body_of_frame(mechanism.frame("base")) is mechanism.root_body
    tip = mechanism.fixed_transform(mechanism.frame("tip"), mechanism.frame("arm"))
    np.testing.assert_allclose(tip.translation, [1, 1, 0], rtol=0, atol=1e-15)
    np.testing.assert_array_equal(tip.rotation, [[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    with pytest.raises(UnknownNameError, match="tip"):
        mechanism.body("tip")


@pytest.mark.parametrize("merged", [True, False])
@pytest.mark.parametrize("floating", [True, False])
def test_a_link_frame_coincides_with_the_frame_after_its_joint(merged: bool, floating: bool) -> None:
    mechanism = parse_urdf(TREE, remove_fixed_joints=merged, floating=floating)
    for name in ("base", "arm", "tool", "tip"):
        assert mechanism.frame(name).name == name
    for body in mechanism.bodies[1:]:
        parent = mechanism.parent_joint(body)
        assert parent is not None
        same = mechanism.fixed_transform(mechanism.frame(body.name), parent.frame_after)
        np.testing.assert_array_equal(same.matrix, np.eye(4))


def test_a_root_link_named_world_is_the_root() -> None:
    report = UrdfReport()
    text = robot(link("world", inertial()), link("arm"), joint("j", "world", "arm"))
    mechanism = parse_urdf(text, report=report)
    assert [j.name for j in mechanism.joints] == ["j"]
    assert mechanism.mass == 0.0
    assert [(entry.element, entry.line) for entry in report.ignored] == [("link 'world' > inertial", 2)]
    with pytest.raises(UrdfTopologyError, match="floating=True") as caught:
        parse_urdf(text, floating=True)
    assert caught.value.line == 2


def test_gravity_is_passed_on_and_checked() -> None:
    np.testing.assert_array_equal(load_urdf(ARM).gravity.xyz, [0, 0, -9.81])
    np.testing.assert_array_equal(load_urdf(ARM, gravity=(1, 2, 3)).gravity.xyz, [1, 2, 3])
    with pytest.raises(ShapeError):
        load_urdf(ARM, gravity=(1, 2))


def test_one_link_alone_is_a_robot() -> None:
    mechanism = parse_urdf(robot(link("a")))
    assert isinstance(mechanism, Mechanism)
    assert mechanism.nv == 0
    assert parse_urdf(robot(link("a")), floating=True).nv == 6


def test_packages_must_be_a_map_of_directories() -> None:
    for packages in (["a"], {"a": 7}):
        with pytest.raises(ArgumentError, match="packages"):
            load_urdf(ARM, packages=packages)  # the point


@pytest.mark.parametrize(("argument", "bad"), [("limits", 5), ("limits", {"bytes": 100}), ("report", [])])
def test_arguments_of_another_kind_are_named(argument: str, bad: object) -> None:
    options: dict[str, object] = {argument: bad}
    for read in (lambda: load_urdf(ARM, **options), lambda: parse_urdf(ARM.read_text(), **options)):  # meant
        with pytest.raises(ArgumentError, match=f"{argument} must be a"):
            read()
    with pytest.raises(ArgumentError, match="file must be a str"):
        parse_urdf(ARM.read_text(), file=3)  # meant


@pytest.mark.parametrize("bad", [-1, 0, "many", None, True, math.nan])
def test_limits_are_positive_numbers(bad: object) -> None:
    for name in ("bytes", "depth", "elements", "attributes", "name_length", "magnitude"):
        with pytest.raises(ArgumentError, match=f"{name} must be a positive number"):
            UrdfLimits(**{name: bad})  # meant


@pytest.mark.parametrize("name", ["bytes", "depth", "elements", "attributes", "name_length"])
def test_limits_are_whole_numbers(name: str) -> None:
    limits = UrdfLimits(**{name: 1e9})
    assert getattr(limits, name) == 10**9
    assert type(getattr(limits, name)) is int
    load_urdf(ARM, limits=limits)
    for bad in (2.5, math.inf):
        with pytest.raises(ArgumentError, match=f"{name} must be a whole number"):
            UrdfLimits(**{name: bad})  # meant


@pytest.mark.parametrize(("lower", "upper"), [("1e305", "1.7e308"), ("-1.7e308", "-1e305")])
def test_bounds_that_leave_no_position_are_refused_or_mended(lower: str, upper: str) -> None:
    text = pair("revolute", f'<limit lower="{lower}" upper="{upper}" velocity="1" effort="1"/>')
    with pytest.raises(UrdfValueError, match="is above upper"):
        parse_urdf(text, strict=True)
    with pytest.warns(UrdfWarning, match="is above upper"):
        mended = parse_urdf(text, remove_fixed_joints=False).joint("j")
    assert mended.position_bounds == ((-math.inf, math.inf),)


# -- collision shapes -------------------------------------------------------------------------------------------------


def collision(shape: str, origin: str = "") -> str:
    return f"<collision>{origin}<geometry>{shape}</geometry></collision>"


def test_boxes_without_volume_are_left_out_of_collision_models() -> None:
    report = UrdfReport()
    flat, ball = collision('<box size="1 2 0"/>'), collision('<sphere radius="0.1"/>')
    mechanism = parse_urdf(robot(f'<link name="a">{flat}{ball}</link>'), report=report)
    assert [type(shape).__name__ for shape in report.collision_model(mechanism).shapes] == ["Sphere"]
    assert "no box without volume" in report.ignored[0].message


def test_collision_shapes_and_pairs_of_bodies_that_no_joint_connects() -> None:
    ball, rod = '<sphere radius="0.1"/>', '<capsule radius="0.1" length="0.6"/>'
    box, other = '<box size="0.2 0.4 0.6"/>', '<cylinder radius="1" length="1"/>'
    text = robot(
        f'<link name="a">{collision(ball)}</link>', f'<link name="b">{collision(rod)}{collision(other)}</link>',
        f"""<link name="c">{collision(box, '<origin xyz="0 0 1"/>')}</link>""",
        joint("j", "a", "b", inside='<origin xyz="0 0 1"/>'), joint("k", "b", "c", inside='<origin xyz="0 0 1"/>'),
    )  # fmt: skip
    report = UrdfReport()
    mechanism = parse_urdf(text, report=report)
    model = report.collision_model(mechanism)
    assert [type(shape).__name__ for shape in model.shapes] == ["Sphere", "Capsule", "Cylinder", "Box"]
    (pair,) = model.pairs
    assert {pair.body_a.name, pair.body_b.name} == {"world", "c"}
    (near,) = model.distances(MechanismState(mechanism))
    assert float(near.value) == pytest.approx(3.0 - 0.3 - 0.1, abs=1e-12)


def test_unknown_attributes_of_shapes_are_listed() -> None:
    shapes = {"box size='1 1 1'": "box", "sphere radius='1'": "sphere", "cylinder radius='1' length='1'": "cylinder"}
    for text, name in shapes.items():
        geometry = f"<visual><geometry><{text} shade='3'/></geometry></visual>"
        report = UrdfReport()
        parse_urdf(f"<robot name='a'><link name='b'>{geometry}</link></robot>", report=report)
        element = f"link 'b' > visual > geometry > {name}"
        assert [(each.element, each.attribute) for each in report.ignored] == [(element, "shade")]
