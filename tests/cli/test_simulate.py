"""`rbd simulate`: initial states, controllers, the ground, results as files."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import rbd
from rbd import cli
from rbd.mjcf import MjcfReport


def simulated(robot: Path, *options: str) -> rbd.Trajectory:
    """Return the trajectory of `rbd simulate`."""
    out = robot.with_suffix(".npz")
    assert cli.main(["simulate", str(robot), *options, "--out", str(out)]) == 0
    return rbd.Trajectory.load(out)


@pytest.mark.parametrize("option", ["--duration", "--time"])
def test_without_controller_it_is_simulate(option: str, urdf: Path) -> None:
    found = simulated(urdf, option, "0.3", "--dt", "0.01", "--set", "shoulder=0.5", "--speed", "shoulder=-1")
    state = rbd.MechanismState(rbd.load_urdf(urdf), [0.5], [-1.0])
    np.testing.assert_array_equal(found.q, rbd.simulate(state, 0.3, dt=0.01).q)


def test_springs_of_the_file_act_without_controller(mjcf: Path) -> None:
    found = simulated(mjcf, "--time", "0.3", "--dt", "0.01", "--pose", "raised")
    report = MjcfReport()
    state = rbd.MechanismState(rbd.load_mjcf(mjcf, report=report), *report.keyframes["raised"])
    springs = report.controller(state.mechanism)  # the motor has the control zero
    np.testing.assert_array_equal(found.q, rbd.simulate(state, 0.3, springs, dt=0.01).q)
    assert report.springs
    assert found.q[0, 7] == 0.5


@pytest.mark.parametrize("controller", ["hold", "gravity"])
def test_joints_with_actuators_stay(robot: Path, controller: str) -> None:
    if robot.suffix == ".xml":  # else its spring pulls
        robot.write_text(robot.read_text().replace('stiffness="1"', ""))
    found = simulated(robot, "--time", "0.5", "--set", "shoulder=0.5", "--controller", controller)
    np.testing.assert_allclose(found.q[:, -1], 0.5, rtol=0, atol=1e-9)
    if robot.suffix == ".xml":  # the ball falls
        np.testing.assert_allclose(found.q[-1, 6], 0.5 - 9.81 * 0.5**2 / 2, rtol=0, atol=1e-9)


def test_hold_returns_to_the_pose_and_obeys_effort_bounds(urdf: Path) -> None:
    push = ("--time", "2", "--controller", "hold", "--speed", "shoulder=2")
    assert abs(simulated(urdf, *push).q[-1, 0]) < 1e-3
    weak = urdf.with_name("weak.urdf")
    weak.write_text(urdf.read_text().replace('effort="30"', 'effort="0.1"'))
    assert abs(simulated(weak, *push).q[:, 0]).max() > 0.2


def test_hold_carries_no_weight_behind_a_fixed_joint_on_a_floating_link(urdf: Path) -> None:
    inertial = '<inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    text = urdf.read_text().replace('<link name="base"/>', f'<link name="base">{inertial}</link><link name="plate"/>')
    plate = '<joint name="bolts" type="fixed"><parent link="base"/><child link="plate"/></joint>'
    text = text.replace('<parent link="base"/>', '<parent link="plate"/>').replace("</robot>", f"{plate}</robot>")
    urdf.write_text(text)
    options = ("--time", "0.2", "--floating", "--controller", "hold", "--set", "shoulder=0.5")
    kept, merged = (simulated(urdf, *options, *more).q[-1] for more in (["--keep-fixed"], []))
    np.testing.assert_allclose(kept, merged, rtol=0, atol=1e-9)
    np.testing.assert_allclose(merged[-1], 0.5, rtol=0, atol=1e-9)  # the robot falls without turning its joint


def test_the_actuators_of_the_file_take_the_controls_of_the_pose(mjcf: Path) -> None:
    text = mjcf.read_text().replace('name="raised"', 'name="raised" ctrl="2"')
    mjcf.write_text(text)
    found = simulated(mjcf, "--time", "0.01", "--pose", "raised", "--controller", "actuators")
    report = MjcfReport()
    state = rbd.MechanismState(rbd.load_mjcf(mjcf, report=report), *report.keyframes["raised"])
    np.testing.assert_array_equal(found.q, rbd.simulate(state, 0.01, report.controller(state.mechanism, [2.0])).q)


def test_a_ball_falls_on_the_floor_of_its_file(mjcf: Path) -> None:
    found = simulated(mjcf, "--ground", "--time", "1", "--dt", "0.005")
    assert found.q[0, 6] == 0.5
    np.testing.assert_allclose(found.q[-1, 6], 0.1, rtol=0, atol=1e-6)


def test_a_quadruped_stands_on_the_ground(quadruped: Path, feet: str) -> None:
    quadruped.write_text(feet)
    joints = [f"{end}_{side}" for end in ("front", "rear") for side in ("left", "right")]
    stance = ",".join(f"{joint}_hip_pitch=0.85,{joint}_knee=-1.7" for joint in joints)
    options = ("--ground", "--time", "1", "--dt", "0.002", "--set", stance)
    held = simulated(quadruped, *options, "--controller", "hold")
    height = 0.022 + 0.42 * np.cos(0.85)
    np.testing.assert_allclose(held.q[0, 6], height, rtol=0, atol=1e-9)
    assert abs(held.q[-1, 6] - height) < 0.02
    assert simulated(quadruped, *options).q[-1, 6] < 0.2
    dropped = simulated(quadruped, *options[:-2], "--height", "0.5", "--friction", "0")
    np.testing.assert_allclose(dropped.q[0, 6], 0.022 + 0.42 + 0.5, rtol=0, atol=1e-9)


def test_csv_has_a_column_per_coordinate_and_velocity(robot: Path) -> None:
    out = robot.with_suffix(".csv")
    assert cli.main(["simulate", str(robot), "--time", "0.02", "--dt", "0.01", "--out", str(out)]) == 0
    with out.open(newline="", encoding="utf-8") as file:
        head, *rows = list(csv.reader(file))
    base = robot.suffix == ".xml"
    free = [f"q free[{k}]" for k in range(7)], [f"v free[{k}]" for k in range(6)]
    assert head == ["t", *free[0][: 7 * base], "q shoulder", *free[1][: 6 * base], "v shoulder"]
    assert [float(row[0]) for row in rows] == [0.0, 0.01, 0.02]
    assert {len(row) for row in rows} == {len(head)}


def test_pictures(robot: Path) -> None:
    pytest.importorskip("matplotlib", reason="pictures need the extra plot")
    for ending, begin in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        picture = robot.with_suffix(ending)
        assert cli.main(["simulate", str(robot), "--time", "0.02", "--picture", str(picture)]) == 0
        assert picture.read_bytes().startswith(begin)


def test_joints_start_within_their_bounds(urdf: Path) -> None:
    urdf.write_text(urdf.read_text().replace('lower="-1"', 'lower="0.25"'))
    assert simulated(urdf, "--time", "0.01").q[0, 0] == 0.25


def test_loops_are_closed_first(tmp_path: Path) -> None:
    path = tmp_path / "four_bar.urdf"
    rbd.write_urdf(rbd.robots.four_bar(), path)
    found = simulated(path, "--time", "0.1", "--set", "joint1=0.3")
    state = rbd.MechanismState(rbd.load_urdf(path), found.q[0])
    assert found.q[0, 0] == 0.3
    assert rbd.loop_gap(state) < 1e-9


def test_the_bar_and_the_summary(robot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["simulate", str(robot), "--time", "0.02", "--progress"]) == 0
    captured = capsys.readouterr()
    assert "simulate: 100%" in captured.err
    assert f"({robot}): 0.02 s in 20 steps" in captured.out
    assert cli.main(["simulate", str(robot), "--time", "0.02"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "elbow=1"], "no joint is named 'elbow'"),
        (["--set", "shoulder=1:2"], "joint 'shoulder' has 1 coordinates, not 2: write shoulder=0"),
        (["--pose", "crouched"], "there is no keyframe 'crouched'; there are"),
        (["--out", "result.txt"], "'result.txt' has no suffix of a trajectory file; allowed are .npz, .csv"),
        (["--picture", "result.txt"], "'result.txt' has no suffix of a picture file; allowed are .png, .svg, .pdf"),
        (["--out", "nowhere/result.npz"], "nowhere/result.npz"),
        (["--ground", "--height", "0.1", "--time", "0.01"], None),
        (["--time", "1e6", "--dt", "1e-9"], "steps"),
        (["--speed", "shoulder=1e308", "--time", "9", "--dt", "1"], "the simulation diverged"),
    ],
)
def test_what_does_not_fit_the_file_is_one_line(
    options: list[str], message: str | None, robot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if message is None:
        message = "--height: the robot does not float" if robot.suffix == ".urdf" else ""
    code = cli.main(["simulate", str(robot), *options])
    error = capsys.readouterr().err
    assert code == int(bool(message))
    assert message in error
    assert error.count("\n") == int(bool(message))


def test_other_options_that_do_not_fit(urdf: Path, mjcf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["simulate", str(urdf), "--controller", "actuators"]) == 1
    assert "the file has no actuators; take hold, gravity or none" in capsys.readouterr().err
    assert cli.main(["simulate", str(mjcf), "--floating"]) == 1
    assert "--floating is for URDF" in capsys.readouterr().err
    assert cli.main(["simulate", str(mjcf), "--package", "meshes=folder"]) == 1
    assert "--package is for URDF" in capsys.readouterr().err
    urdf.write_text(urdf.read_text().replace("sphere", "mesh").replace('radius="0.1"', 'filename="none.stl"'))
    assert cli.main(["simulate", str(urdf), "--ground"]) == 1
    message = capsys.readouterr().err
    assert "no collision shape that can touch the ground" in message
    assert "meshes left out: mesh 'none.stl'" in message


@pytest.mark.parametrize(
    "options",
    [["--time", "0"], ["--dt", "x"], ["--friction", "-1"], ["--set", "shoulder"], ["--set", "a=nan"], ["--controller"]],
)
def test_invalid_options_are_refused_by_the_parser(
    options: list[str], robot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["simulate", str(robot), *options])
    assert caught.value.code == 2
    assert "usage: rbd simulate" in capsys.readouterr().err


def test_options_of_joints_may_come_in_several_parts(tmp_path: Path) -> None:
    path = tmp_path / "two.xml"
    body = '<body name="{0}"><joint name="{0}"/><geom size="0.1" pos="0.3 0 0"/></body>'
    path.write_text(f"<mujoco><worldbody>{body.format('a')}{body.format('b')}</worldbody></mujoco>")
    found = simulated(path, "--time", "0.01", "--set", "a=1", "--set", "b=2", "--speed", "b=3", "--speed", "a=4")
    assert (found.q[0].tolist(), found.v[0].tolist()) == ([1, 2], [4, 3])


@pytest.mark.parametrize(
    "options", [["--set", "shoulder=1,shoulder=2"], ["--set", "shoulder=1", "--set", "shoulder=2"]]
)
def test_a_joint_twice_is_an_error(options: list[str], urdf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["simulate", str(urdf), *options])
    assert "argument --set: has 'shoulder' twice" in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--height", "1"], ["--friction", "3"], ["--self-collisions"]])
def test_options_of_the_ground_need_it(options: list[str], urdf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["simulate", str(urdf), *options]) == 1
    assert f"{options[0]} is for contact: add --ground" in capsys.readouterr().err


def test_a_plane_in_a_body_without_joints_is_ground_whether_it_is_merged_or_not(tmp_path: Path) -> None:
    path = tmp_path / "table.xml"
    path.write_text(
        """<mujoco><worldbody><body name="table" pos="0 0 0.5"><geom type="plane" size="1 1 1"/></body>
        <body name="ball" pos="0 0 0.65"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""
    )
    for more in ([], ["--keep-fixed"]):
        assert simulated(path, "--ground", "--time", "0.3", *more).q[-1, -1] == pytest.approx(0.6, abs=1e-6)


def test_height_above_a_tilted_plane(tmp_path: Path) -> None:
    path = tmp_path / "slope.xml"
    path.write_text(
        """<mujoco><worldbody><geom type="plane" size="9 9 1" euler="0 30 0"/>
        <body name="ball" pos="0 0 3"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""
    )
    trajectory = simulated(path, "--ground", "--time", "0.01", "--height", "0.2")
    assert trajectory.q[0, -1] == pytest.approx(0.3 / np.cos(np.pi / 6), abs=1e-9)
