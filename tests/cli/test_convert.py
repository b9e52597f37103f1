"""`rbd convert`: the same dynamics in the other format, and a list of what was lost."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import rbd
from rbd import cli
from rbd.cli.losses import losses
from rbd.cli.robot_file import parse_robot


@pytest.mark.parametrize("ending", [".urdf", ".xml"])
def test_the_result_has_the_same_dynamics(robot: Path, ending: str, tmp_path: Path) -> None:
    result = tmp_path / f"result{ending}"
    assert cli.main(["convert", str(robot), str(result)]) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first, second = ((rbd.load_mjcf if p.suffix == ".xml" else rbd.load_urdf)(p) for p in (robot, result))
    old, new = rbd.MechanismState(first), rbd.MechanismState(second)
    for joint in first.tree_joints:
        joint.armature = second.joint(joint.name).armature = 0.0  # URDF has none
        for state in (old, new):
            state.set_configuration(state.mechanism.joint(joint.name), [0.6, 0, 0.8, 0, 1, 2, 3][-joint.nq :])
    order = np.concatenate([np.r_[new.v_slice(second.joint(joint.name))] for joint in first.tree_joints])
    M, c = rbd.mass_matrix(new), rbd.dynamics_bias(new)
    np.testing.assert_allclose(M[np.ix_(order, order)], rbd.mass_matrix(old), rtol=0, atol=1e-12)
    np.testing.assert_allclose(c[order], rbd.dynamics_bias(old), rtol=0, atol=1e-12)


def test_losses_are_listed(robot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    is_urdf = robot.suffix == ".urdf"
    result = tmp_path / ("result.xml" if is_urdf else "result.urdf")
    assert cli.main(["convert", str(robot), str(result)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "lost:"
    assert lines[-1] == f"Wrote {result} ({'MJCF' if is_urdf else 'URDF'})"
    if is_urdf:
        assert lines[1:3] == ["  name of a fixed joint: 'mount'", "  velocity bounds: 'shoulder'"]
    else:
        lost = ["  armature: 'shoulder'", "  3 shapes", "  1 actuators", "  1 springs", "  1 keyframes"]
        assert [line for line in lines if line in lost] == lost


def test_sites_stay_frames_and_links_stay_bodies(mjcf: Path, urdf: Path, tmp_path: Path) -> None:
    assert cli.main(["convert", str(mjcf), str(tmp_path / "a.urdf")]) == 0
    assert rbd.load_urdf(tmp_path / "a.urdf").frame("tip").name == "tip"
    assert cli.main(["convert", str(urdf), str(tmp_path / "b.xml")]) == 0
    assert rbd.load_mjcf(tmp_path / "b.xml", remove_fixed_joints=False).body("flange").name == "flange"
    assert cli.main(["convert", "--merge-fixed", str(urdf), str(tmp_path / "c.xml")]) == 0
    assert len(rbd.load_mjcf(tmp_path / "c.xml", remove_fixed_joints=False).bodies) == 2


def test_with_strict_nothing_is_written_if_something_is_lost(
    urdf: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = tmp_path / "result.xml"
    assert cli.main(["convert", str(urdf), str(result), "--strict"]) == 1
    captured = capsys.readouterr()
    assert "velocity bounds" in captured.out
    assert captured.err == f"rbd: {result} is not written: --strict allows no losses\n"
    assert not result.exists()


def test_writing_a_format_again_loses_nothing(urdf: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "first.urdf", tmp_path / "second.urdf"
    assert cli.main(["convert", str(urdf), str(first)]) == 0
    capsys.readouterr()
    assert cli.main(["convert", str(first), str(second), "--strict"]) == 0
    assert "lost" not in capsys.readouterr().out
    assert first.read_bytes() == second.read_bytes()


def test_a_keyframe_that_mjcf_does_not_get_is_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, result = tmp_path / "disc.xml", tmp_path / "result.xml"
    model.write_text(
        "<mujoco><worldbody><body name='disc'><joint name='axle'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
        "</body></worldbody><keyframe><key name='turned' qpos='0.5'/></keyframe></mujoco>"
    )
    assert cli.main(["convert", str(model), str(result), "--strict"]) == 1
    assert capsys.readouterr().out.splitlines()[:2] == ["lost:", "  1 keyframes"]
    assert not result.exists()


def test_couplings_and_gravity_that_urdf_cannot_say_are_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, result = tmp_path / "hand.xml", tmp_path / "result.urdf"
    body = "<body name='{0}'><joint name='{0}'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>"
    model.write_text(
        f"<mujoco><option gravity='0 0 -1.62'/><worldbody>{body.format('a')}{body.format('b')}</worldbody>"
        "<equality><joint joint1='a' joint2='b' polycoef='0 1 0.5 0 0'/></equality></mujoco>"
    )
    assert cli.main(["convert", str(model), str(result)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {"  1 of 1 couplings", "  gravity 0 0 -1.62: it is 0 0 -9.81"} <= set(lines)


def test_frames_that_move_are_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.xml"
    path.write_text(
        """<mujoco><worldbody><body name="door"><joint name="hinge" pos="0.1 0 0"/><geom name="g" size="1" mass="1"/>
        <site name="handle" pos="0 0 1"/></body><body name="lid"><joint name="other"/><geom size="1" mass="1"/></body>
        </worldbody></mujoco>""",
        encoding="utf-8",
    )
    assert cli.main(["convert", str(path), str(tmp_path / "a.urdf")]) == 0
    assert "  pose of a frame: 'door'\n" in capsys.readouterr().out
    assert cli.main(["convert", str(path), str(tmp_path / "b.xml")]) == 0
    assert cli.main(["convert", str(tmp_path / "a.urdf"), str(tmp_path / "c.xml")]) == 0
    assert "pose of a frame" not in capsys.readouterr().out


def test_another_mass_moment_or_centre_is_a_lost_inertia(urdf: Path) -> None:
    text = urdf.read_text()
    before = parse_robot(text, "urdf", urdf)
    assert losses(before, before) == []
    for old, new in (('mass value="2"', 'mass value="3"'), ('ixx="0.1"', 'ixx="0.11"'), ("0 0 -0.2", "0 0.1 -0.2")):
        assert losses(before, parse_robot(text.replace(old, new), "urdf", urdf)) == ["inertia: 'arm'"]


def test_formats_that_the_ending_does_not_tell(urdf: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["convert", str(urdf), str(tmp_path / "result.txt")]) == 1
    assert "add --to urdf or --to mjcf" in capsys.readouterr().err
    assert cli.main(["convert", str(urdf), str(tmp_path / "result.txt"), "--to", "mjcf"]) == 0
    assert rbd.load_mjcf(tmp_path / "result.txt").nv == 1


def test_what_a_format_cannot_say_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ball = tmp_path / "ball.xml"
    ball.write_text(
        "<mujoco><worldbody><body name='b'><joint name='j' type='ball'/><geom size='1'/></body></worldbody></mujoco>"
    )
    assert cli.main(["convert", str(ball), str(tmp_path / "ball.urdf")]) == 1
    assert "joint 'j': URDF has no joint type QuaternionSpherical" in capsys.readouterr().err
    assert cli.main(["convert", str(ball), str(tmp_path / "nowhere" / "ball.mjcf")]) == 1
    assert "No such file" in capsys.readouterr().err


def test_a_folder_that_is_missing_is_told_with_the_file(urdf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = urdf.parent / "missing" / "arm.xml"
    assert cli.main(["convert", str(urdf), str(out)]) == 1
    assert f"{out}: No such file" in capsys.readouterr().err
