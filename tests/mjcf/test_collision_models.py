"""Collision models of MJCF files: which pairs they have, and shapes that are fitted to meshes."""

from __future__ import annotations

import itertools

import pytest

from rbd.contact import Capsule
from rbd.mjcf import MjcfReport, parse_mjcf

TWO_ON_ONE_BODY = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <geom name="step" type="box" size="1 1 0.1" contype="0" conaffinity="0"/>
    <body name="hand" pos="0 0 1">
      <freejoint/>
      <geom name="palm" size="0.1" contype="0" conaffinity="0"/>
      <geom name="thumb" size="0.1" pos="0.3 0 0" contype="0" conaffinity="0"/>
      <body name="tip" pos="0.5 0 0"><geom name="nail" size="0.1" contype="0" conaffinity="0"/></body>
    </body>
  </worldbody>
  <contact>
    <pair geom1="palm" geom2="thumb"/>
    <pair geom1="palm" geom2="nail"/>
    <pair geom1="floor" geom2="step"/>
    <pair geom1="floor" geom2="nail"/>
  </contact>
</mujoco>
"""


@pytest.mark.parametrize("merged", [True, False])
def test_pairs_of_the_file_on_one_body_have_no_contact(merged: bool) -> None:
    """Their distance never changes; `tip` is part of `hand` where fixed joints are removed."""
    report = MjcfReport()
    mechanism = parse_mjcf(TWO_ON_ONE_BODY, remove_fixed_joints=merged, report=report)
    model = report.collision_model(mechanism)
    assert len(model.pairs) == (1 if merged else 2)
    assert all(pair.body_a is not pair.body_b for pair in model.pairs)


@pytest.mark.parametrize("half", [(0.1, 0.1, 0.1), (0.07, 0.07, 0.07), (0.1, 0.1, 0.3)])
def test_capsules_fitted_to_boxes_have_a_length(half: tuple[float, float, float]) -> None:
    corners = itertools.product(*[(-x, x) for x in half])
    vertices = " ".join(f"{x:g}" for corner in corners for x in corner)
    report = MjcfReport()
    mechanism = parse_mjcf(
        f'<mujoco><compiler fitaabb="true"/><asset><mesh name="m" vertex="{vertices}"/></asset><worldbody>'
        '<geom type="plane" size="1 1 1"/><body><freejoint/><geom type="capsule" mesh="m"/></body>'
        "</worldbody></mujoco>",
        report=report,
    )
    capsules = [shape for shape in report.collision_model(mechanism).shapes if isinstance(shape, Capsule)]
    assert [capsule.radius for capsule in capsules] == [pytest.approx(half[0])]
    assert capsules[0].length == pytest.approx(2 * (half[2] - half[0]), abs=1e-7)  # vertices are single floats
