"""Meshes without a hull, or that cannot be read: one error for all callers, and mechanisms as they were."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rbd
from rbd import cli
from rbd.errors import ArgumentError, MjcfValueError, UrdfPathError, UrdfRefusedError
from rbd.meshes.mesh_files import MeshFault, read_mesh
from rbd.meshes.rounded_hulls import mesh_hull
from rbd.mjcf import MjcfReport, parse_mjcf
from rbd.urdf import UrdfReport, load_urdf

INERTIAL = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
BALL = "<collision><geometry><sphere radius='0.1'/></geometry></collision>"
LINE = "0 0 0 1 0 0 2 0 0 3 0 0"
PRISM = "".join(f"v {np.cos(k)} {np.sin(k)} {z}\n" for z in (0, 1) for k in range(5))
PENTAGONS = PRISM + "f 1 2 3 4 5\nf 6 7 8 9 10\nf 1 2 7\n"


def urdf(folder: Path, obj: str | None) -> Path:
    """Return a file with a sphere and the mesh of an OBJ file, which is missing for None."""
    if obj is not None:
        (folder / "part.obj").write_text(obj)
    mesh = "<collision><geometry><mesh filename='part.obj'/></geometry></collision>"
    path = folder / "thing.urdf"
    path.write_text(f"<robot name='thing'><link name='thing'>{INERTIAL}{BALL}{mesh}</link></robot>")
    return path


def loaded(path: Path) -> tuple[rbd.Mechanism, UrdfReport]:
    report = UrdfReport()
    return load_urdf(path, report=report, floating=True), report


def on_a_line() -> tuple[rbd.Mechanism, MjcfReport]:
    report = MjcfReport()
    text = f"""<mujoco><asset><mesh name="m" vertex="{LINE}" face="0 1 2 1 2 3"/></asset><worldbody>
      <geom type="plane" size="1 1 1"/><body name="b"><freejoint/>
      <inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><geom name="ball" size="0.1"/>
      <geom type="mesh" mesh="m" mass="0"/></body></worldbody></mujoco>"""
    return parse_mjcf(text, report=report), report


def test_vertices_on_a_line_are_an_error_of_the_file() -> None:
    mechanism, report = on_a_line()
    with pytest.raises(MjcfValueError, match="on a line") as caught:
        report.mesh_hull(report.geoms[-1])
    assert caught.value.line == 1
    with pytest.raises(MjcfValueError, match="on a line"):
        report.collision_model(mechanism, hull_points=8)


def test_failed_collision_models_leave_bodies_as_they_were(tmp_path: Path) -> None:
    arm, arm_report = loaded(urdf(tmp_path, None))
    ball, ball_report = on_a_line()
    before = len(arm.body("thing").frames), len(ball.body("b").frames)
    with pytest.raises(UrdfPathError, match=r"part\.obj"):
        arm_report.collision_model(arm, hull_points=8)
    with pytest.raises(MjcfValueError, match="on a line"):
        ball_report.collision_model(ball, hull_points=8)
    assert (len(arm.body("thing").frames), len(ball.body("b").frames)) == before
    assert len(arm_report.collision_model(arm).shapes) == 1
    assert len(arm.body("thing").frames) == before[0] + 1


@pytest.mark.parametrize("points", [-3, 3, 129, 2.5, "x"])
def test_hull_points_are_checked_without_meshes_too(points: int) -> None:
    report, mjcf_report = UrdfReport(), MjcfReport()
    robot = rbd.urdf.parse_urdf(f"<robot name='r'><link name='a'>{BALL}</link></robot>", report=report)
    ball = parse_mjcf("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>", report=mjcf_report)
    with pytest.raises(ArgumentError, match="hull_points"):
        report.collision_model(robot, hull_points=points)
    with pytest.raises(ArgumentError, match="hull_points"):
        mjcf_report.collision_model(ball, hull_points=points)


@pytest.mark.parametrize(
    ("vertices", "reason"),
    [
        (np.zeros((0, 3)), "at least 4 vertices, not 0"),
        (np.zeros((1, 3)), "at least 4 vertices, not 1"),
        (np.eye(3), "at least 4 vertices, not 3"),
        (np.zeros((4, 3)), "on a line"),
        (np.outer(np.arange(5.0), (1.0, 2.0, 3.0)), "on a line"),
        (np.full((4, 3), np.nan), "not finite"),
        (np.diag([np.inf, 1.0, 1.0, 1.0])[:, :3], "not finite"),
    ],
)
def test_vertices_without_a_hull_are_refused(vertices: rbd.scalars.arrays.Array, reason: str) -> None:
    with pytest.raises(MeshFault, match=reason):
        mesh_hull(vertices, 8, 1e-3)


@pytest.mark.parametrize(
    ("obj", "reason"),
    [("v 0 0 0\nf 1 1 1\n", "at least 4 vertices, not 1"), ("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\n", "on a line")],
)
def test_the_ground_leaves_meshes_without_a_hull_out(
    obj: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ground(urdf(tmp_path, obj)) == 0
    error = capsys.readouterr().err
    assert "meshes left out: " in error
    assert reason in error


def ground(path: Path) -> int:
    options = ["--floating", "--ground", "--time", "0.004", "--dt", "0.002"]
    return cli.main(["simulate", str(path), *options, "--out", str(path.with_suffix(".npz"))])


def test_faces_of_any_number_of_corners_have_one_hull(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = urdf(tmp_path, PENTAGONS)
    mechanism, report = loaded(path)
    assert report.mesh_hull(report.geometries[-1]).vertices == 10
    assert len(report.collision_model(mechanism, hull_points=16).shapes) == 2
    assert ground(path) == 0
    assert "meshes taken for their convex hulls (1)" in capsys.readouterr().err


def test_files_that_cannot_be_opened_are_path_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may change between the look-up and the reading: then it is missing, or no regular file."""
    _, report = loaded(urdf(tmp_path, PENTAGONS))
    for file in (tmp_path / "gone.obj", tmp_path):
        monkeypatch.setattr(UrdfReport, "resolve_mesh", lambda *_, file=file: file)
        with pytest.raises(UrdfPathError, match="cannot read"):
            report.mesh_hull(report.geometries[-1])


def test_files_beyond_the_limit_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, report = loaded(urdf(tmp_path, PENTAGONS))
    monkeypatch.setattr("rbd.urdf.meshes.MESH_BYTES", len(PENTAGONS) - 1)
    with pytest.raises(UrdfRefusedError, match="at most"):
        report.mesh_hull(report.geometries[-1])


def test_an_msh_file_needs_neither_normals_nor_textures() -> None:
    corners, triangles = np.eye(4, 3, dtype="<f4"), np.array([[0, 1, 2], [0, 1, 3]], dtype="<i4")
    header = np.array([4, 0, 0, 2], dtype="<i4")
    vertices, faces = read_mesh(header.tobytes() + corners.tobytes() + triangles.tobytes(), ".msh")
    np.testing.assert_array_equal(vertices, np.eye(4, 3))
    np.testing.assert_array_equal(faces, triangles)
