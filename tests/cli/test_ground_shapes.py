"""`rbd simulate --ground` of cylinders, ellipsoids and meshes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rbd
from rbd import cli
from rbd.mjcf import MjcfReport, load_mjcf

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
OFF = "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n"
HULL = "rbd: --ground: meshes taken for their convex hulls (1)\n"
INERTIAL = (
    """<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>"""
)


def urdf(folder: Path, *geometries: str) -> Path:
    """Return a file with a link that has these collision shapes."""
    shapes = "".join(f"<collision>{geometry}</collision>" for geometry in geometries)
    path = folder / "thing.urdf"
    path.write_text(f"<robot name='thing'><link name='thing'>{INERTIAL}{shapes}</link></robot>")
    return path


def mjcf(folder: Path, geom: str, assets: str = "") -> Path:
    """Return a file with a body that floats above a plane."""
    path = folder / "thing.xml"
    path.write_text(
        f"""<mujoco><asset>{assets}</asset><worldbody><geom type="plane" size="1 1 1"/>
        <body name="thing" pos="0 0 2"><freejoint name="free"/>{geom}</body></worldbody></mujoco>"""
    )
    return path


def placed(path: Path) -> tuple[rbd.MechanismState, rbd.contact.CollisionModel]:
    """Return a state and the collision model of a MJCF file."""
    report = MjcfReport()
    mechanism = load_mjcf(path, report=report)
    return rbd.MechanismState(mechanism), report.collision_model(mechanism)


def simulated(path: Path, *options: str) -> rbd.Trajectory:
    out = path.with_suffix(".npz")
    assert cli.main(["simulate", str(path), "--ground", "--dt", "0.002", *options, "--out", str(out)]) == 0
    return rbd.Trajectory.load(out)


@pytest.mark.parametrize(
    ("geometry", "height", "line"),
    [
        ("<cylinder radius='0.1' length='0.04'/>", 0.02, ""),
        ("<cylinder radius='0.1' length='0.5'/>", 0.25, ""),
        ("<mesh filename='part.obj' scale='0.4 0.2 0.6'/>", 0.0, HULL),
        ("<mesh filename='part.obj' scale='0.4 0.2 -0.6'/>", 0.6, HULL),
        ("<mesh filename='part.off' scale='0.4 0.2 -0.6'/>", 0.6, HULL),
    ],
)
def test_shapes_of_urdf_begin_on_the_ground(
    geometry: str, height: float, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if "part.off" in geometry:
        pytest.importorskip("trimesh", reason="the extra `viz` is not installed")
    (tmp_path / "part.obj").write_text(TETRAHEDRON)
    (tmp_path / "part.off").write_text(OFF)
    path = urdf(tmp_path, f"<geometry>{geometry}</geometry>")
    found = simulated(path, "--floating", "--time", "0.1")
    np.testing.assert_allclose(found.q[0, 6], height, rtol=0, atol=1e-5 if line else 1e-12)
    np.testing.assert_allclose(found.q[-1, 6], height, rtol=0, atol=0.01)
    assert capsys.readouterr().err == line


def test_a_wheel_rolls(tmp_path: Path) -> None:
    path = urdf(tmp_path, "<origin rpy='1.5707963 0 0'/><geometry><cylinder radius='0.1' length='0.04'/></geometry>")
    root = f"{path.stem}_to_world"
    found = simulated(path, "--floating", "--time", "1", "--speed", f"{root}=0:10:0:1:0:0")
    np.testing.assert_allclose(found.q[-1, 4:7], (1.0, 0.0, 0.1), rtol=0, atol=0.05)


@pytest.mark.parametrize(
    ("geom", "height", "line"),
    [
        ("<geom type='cylinder' size='0.1 0.02'/>", 0.02, ""),
        ("<geom type='cylinder' size='0.1 0.25'/>", 0.25, ""),
        ("<geom type='ellipsoid' size='0.3 0.2 0.1'/>", 0.1, ""),
        ("<geom size='0.01' mass='1'/><geom type='mesh' mesh='m' mass='0'/>", 0.3, HULL),
    ],
)
def test_shapes_of_mjcf_fall_to_the_ground(
    geom: str, height: float, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assets = "<mesh name='m' vertex='-1 -1 -0.3 1 0 -0.3 0 1 -0.3 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 3'/>"
    found = simulated(mjcf(tmp_path, geom, assets), "--time", "1")
    np.testing.assert_allclose(found.q[-1, 6], height, rtol=0, atol=1e-3)
    assert capsys.readouterr().err == line


@pytest.mark.parametrize(("slope", "height"), [(75, 0.2), (80, 3.0), (0, 1e5)])
def test_heights_above_slopes(slope: float, height: float, tmp_path: Path) -> None:
    """Distances are along normals, 1e5 m up they are rounded to 1e-11 m."""
    path = mjcf(tmp_path, "<geom size='0.1' mass='1'/>")
    turned = f'<geom type="plane" size="1 1 1" euler="{slope} 0 0"/>'
    path.write_text(path.read_text().replace('<geom type="plane" size="1 1 1"/>', turned))
    found = simulated(path, "--time", "0.002", "--height", str(height)).q[0, 4:7]
    normal = np.array([0, -np.sin(np.deg2rad(slope)), np.cos(np.deg2rad(slope))])
    assert found @ normal == pytest.approx(height + 0.1, rel=0, abs=1e-6)


def test_heights_above_rough_ground(tmp_path: Path) -> None:
    heights = " ".join(f"{each:.3f}" for each in np.random.default_rng(0).uniform(0, 1, 21 * 21))
    field = f"<hfield name='f' nrow='21' ncol='21' elevation='{heights}' size='5 5 2 0.1'/>"
    for geom in (
        "<geom size='0.1'/>",
        "<geom type='capsule' size='0.1 0.3'/>",
        "<geom type='box' size='0.4 0.3 0.1'/>",
    ):
        path = mjcf(tmp_path, geom, field)
        path.write_text(path.read_text().replace('type="plane" size="1 1 1"', 'type="hfield" hfield="f"'))
        (state, model), options = (placed(path), ("--time", "0.002", "--height", "0.1"))
        state.set_configuration(simulated(path, *options).q[0])
        assert min(distance.value for distance in model.distances(state)) == pytest.approx(0.1, rel=0, abs=1e-6)


def test_a_height_above_walls_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = mjcf(tmp_path, "<geom size='0.1' mass='1'/>")
    wall = '<geom type="plane" size="1 1 1" pos="-0.3 0 0" zaxis="1 0 0"/>'
    path.write_text(path.read_text().replace("<worldbody>", f"<worldbody>{wall}"))
    assert cli.main(["simulate", str(path), "--ground", "--height", "0.5", "--time", "0.1"]) == 1
    assert "--height: no motion up or down" in capsys.readouterr().err


def test_meshes_that_cannot_be_read_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ball, mesh = ("<geometry><sphere radius='0.1'/></geometry>", "<geometry><mesh filename='../a.stl'/></geometry>")
    found = simulated(urdf(tmp_path, ball, mesh), "--floating", "--time", "0.1")
    np.testing.assert_allclose(found.q[0, 6], 0.1, rtol=0, atol=1e-12)
    assert capsys.readouterr().err.startswith("rbd: --ground: meshes left out: mesh '../a.stl'")


@pytest.mark.parametrize("options", [[], ["--self-collisions"]])
def test_pairs_among_bodies_do_not_lift_a_robot(options: list[str], tmp_path: Path) -> None:
    """Two balls above the frame of the robot overlap by 5 cm; a link without a shape is between them."""
    ball = "<collision><origin xyz='0 0 1.15'/><geometry><sphere radius='0.1'/></geometry></collision>"
    shapes = {"a": ball, "b": "", "c": ball}
    links = "".join(f"<link name='{name}'>{INERTIAL}{shape}</link>" for name, shape in shapes.items())
    joints = "".join(
        f"<joint name='{a}{b}' type='prismatic'><origin xyz='0 0 {z}'/><parent link='{a}'/><child link='{b}'/>"
        "<axis xyz='0 0 1'/><limit lower='0' upper='0.01' effort='1' velocity='1'/></joint>"
        for a, b, z in (("a", "b", -0.15), ("b", "c", 0))
    )
    path = tmp_path / "balls.urdf"
    path.write_text(f"<robot name='balls'>{links}{joints}</robot>")
    found = simulated(path, "--floating", "--time", "0.002", *options)
    assert found.q[0, 6] == pytest.approx(-0.9, abs=1e-12)


@pytest.mark.parametrize(
    ("pair", "speed", "spin"),
    [("condim='1'", 1.0, 5.0), ("condim='3'", 5 / 7, 5.0), ("condim='4' friction='1 1 0.2'", 5 / 7, 0.0)],
)
def test_pairs_of_the_file_keep_their_friction(pair: str, speed: float, spin: float, tmp_path: Path) -> None:
    """A ball that slides comes to roll unless it has no friction; torsional friction ends a spin."""
    path = mjcf(tmp_path, "<geom name='ball' size='0.1'/>")
    text = path.read_text().replace('type="plane"', "name='floor' type='plane'").replace("0 0 2", "0 0 0.1")
    path.write_text(text.replace("</mujoco>", f"<contact><pair geom1='ball' geom2='floor' {pair}/></contact></mujoco>"))
    sliding, spinning = (
        simulated(path, "--time", "0.2", "--speed", f"free={v}") for v in ("0:0:0:1:0:0", "0:0:5:0:0:0")
    )
    assert np.linalg.norm(sliding.v[-1, 3:]) == pytest.approx(speed, abs=1e-3)
    assert spinning.v[-1, 2] == pytest.approx(spin, abs=1e-6)


@pytest.mark.parametrize(("pair", "speed"), [("condim='1'", 1.0), ("condim='3'", 0.0)])
def test_pairs_of_meshes_keep_their_friction(pair: str, speed: float, tmp_path: Path) -> None:
    geoms = "<geom size='0.01' mass='1' contype='0' conaffinity='0'/><geom name='slab' type='mesh' mesh='m' mass='0'/>"
    corners = " ".join(f"{x} {y} {z}" for x in (-1, 1) for y in (-1, 1) for z in (-0.1, 0.1))
    path = mjcf(tmp_path, geoms, f"<mesh name='m' vertex='{corners}'/>")
    text = path.read_text().replace('type="plane"', "name='floor' type='plane'").replace("0 0 2", "0 0 0.1")
    path.write_text(text.replace("</mujoco>", f"<contact><pair geom1='slab' geom2='floor' {pair}/></contact></mujoco>"))
    found = simulated(path, "--time", "0.2", "--speed", "free=0:0:0:1:0:0")
    assert np.linalg.norm(found.v[-1, 3:]) == pytest.approx(speed, abs=1e-6)
