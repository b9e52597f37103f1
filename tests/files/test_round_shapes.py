"""Pairs of cylinders and ellipsoids in collision models of robot files: with `hull_points` only."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.contact import CollisionModel, Cylinder, Ellipsoid
from rbd.mjcf import MjcfReport, parse_mjcf
from rbd.urdf import UrdfReport, parse_urdf

LEFT_OUT = "other pairs are left out, unless hull_points is given"
DRUM = '<collision><geometry><cylinder radius="0.1" length="0.4"/></geometry></collision>'
ARM = f"""<robot name="arm"><link name="base">{DRUM}</link><link name="middle"/><link name="hand">{DRUM}</link>
<joint name="lift" type="prismatic"><parent link="base"/><child link="middle"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="turn" type="revolute"><parent link="middle"/><child link="hand"/><origin xyz="0.5 0 0"/>
<axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint></robot>"""
YARD = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><geom type="box" size="1 1 0.1" pos="0 0 0.1"/>
<body pos="0 0 0.3"><freejoint/><geom name="drum" type="cylinder" size="0.1 0.1"/></body>
<body pos="0 0 0.47"><freejoint/><geom name="egg" type="ellipsoid" size="0.1 0.12 0.07"/></body></worldbody></mujoco>"""


def test_two_cylinders_of_a_urdf_meet_with_hull_points() -> None:
    report = UrdfReport()
    robot = parse_urdf(ARM, report=report)
    assert sum(LEFT_OUT in entry.message for entry in report.ignored) == 2
    assert report.collision_model(robot).pairs == ()
    model = report.collision_model(parse_urdf(ARM), hull_points=24)
    assert [shape.hull_points for shape in model.shapes if isinstance(shape, Cylinder)] == [24, 24]
    state = rbd.MechanismState(model.mechanism)
    for lift, turn, gap in ((0.0, 0.0, 0.3), (-0.2, 0.0, 0.1), (0.0, np.pi / 2, 0.2)):
        state.set_configuration([lift, turn])
        [near] = model.distances(state)
        assert near.value == pytest.approx(gap, abs=1e-12)


def settled(model: CollisionModel, report: MjcfReport) -> rbd.MechanismState:
    state = rbd.MechanismState(model.mechanism, *report.keyframes["qpos0"])
    rbd.contact.ContactSimulator(model.mechanism, model, None, 1e-3, friction=0.5).run(state, 0.5)
    return state


def test_a_cylinder_and_an_ellipsoid_of_mjcf_rest_on_each_other_and_on_a_box_with_hull_points() -> None:
    report = MjcfReport()
    mechanism = parse_mjcf(YARD, report=report)
    assert sum(LEFT_OUT in entry.message for entry in report.ignored) == 2
    kinds = [type(pair.b) for pair in report.collision_model(mechanism).pairs]
    assert kinds == [Cylinder, Ellipsoid]
    model = report.collision_model(parse_mjcf(YARD), hull_points=32)
    assert len(model.pairs) == 5
    state = settled(model, report)
    np.testing.assert_allclose(state.q[[4, 5, 6]], [0, 0, 0.3], rtol=0, atol=1e-6)
    np.testing.assert_allclose(state.q[[11, 12, 13]], [0, 0, 0.47], rtol=0, atol=1e-6)
    assert np.abs(state.v).max() < 1e-6
