"""Robots as files, URDF and MJCF."""

from __future__ import annotations

from pathlib import Path

import pytest

import rbd

URDF = """<robot name="arm">
  <link name="base"/>
  <link name="arm">
    <inertial><origin xyz="0 0 -0.2"/><mass value="2"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <link name="flange"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="30" velocity="2"/><dynamics damping="0.5" friction="0"/>
  </joint>
  <joint name="mount" type="fixed"><parent link="arm"/><child link="flange"/><origin xyz="0 0 -0.4"/></joint>
</robot>
"""
MJCF = """<mujoco model="ball and arm">
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="ball" pos="0 0 0.5"><freejoint name="free"/><geom size="0.1" mass="1"/></body>
    <body name="arm" pos="1 0 1">
      <joint name="shoulder" axis="0 1 0" range="-90 90" armature="0.01" stiffness="1"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.02" mass="2"/>
      <site name="tip" pos="0 0 -0.4"/>
    </body>
  </worldbody>
  <actuator><motor name="motor" joint="shoulder" gear="5"/></actuator>
  <keyframe><key name="raised" qpos="0 0 0.7 1 0 0 0 0.5"/></keyframe>
</mujoco>
"""


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(URDF, encoding="utf-8")
    return path


@pytest.fixture
def mjcf(tmp_path: Path) -> Path:
    path = tmp_path / "ball.xml"
    path.write_text(MJCF, encoding="utf-8")
    return path


@pytest.fixture(params=["urdf", "mjcf"])
def robot(request: pytest.FixtureRequest, urdf: Path, mjcf: Path) -> Path:
    return urdf if request.param == "urdf" else mjcf


@pytest.fixture
def quadruped(tmp_path: Path) -> Path:
    path = tmp_path / "quadruped.urdf"
    rbd.write_urdf(rbd.robots.quadruped(), path, strict=False)
    return path


@pytest.fixture
def feet(quadruped: Path) -> str:
    """Return the quadruped's file with spheres as feet."""
    foot = '<collision><origin xyz="0 0 -0.21"/><geometry><sphere radius="0.022"/></geometry></collision></link>'
    text = quadruped.read_text(encoding="utf-8")
    for name in ("front_left", "front_right", "rear_left", "rear_right"):
        begin = text.index(f'<link name="{name}_shank">')
        text = text[:begin] + text[begin:].replace("</link>", foot, 1)
    return text
