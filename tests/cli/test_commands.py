"""The `rbd` command: output, files, exit codes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import rbd
from rbd import cli
from rbd.atomic_files import replaced_file
from rbd.cli import double_pendulum
from rbd.errors import ArgumentError

ARM = """<?xml version="1.0"?>
<robot name="small arm">
  <link name="base"/>
  <link name="arm">
    <inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="flange"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/>
  </joint>
  <joint name="mount" type="fixed"><parent link="arm"/><child link="flange"/></joint>
  <gadget/>
</robot>
"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM, encoding="utf-8")
    return path


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    path = tmp_path / "faulty.urdf"
    path.write_text(ARM.replace('<mass value="2"/>', '<mass value="1,5"/>'), encoding="utf-8")
    return path


def test_info_shows_tree_sizes_and_remarks(arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["info", str(arm)]) == 0
    out = capsys.readouterr().out
    for expected in ("small arm", "nq = 1, nv = 1", "mass 2 kg", "arm  (shoulder: Revolute)", "ignored:", "gadget"):
        assert expected in out
    assert "flange" not in out


def test_info_can_keep_fixed_joints_and_float(arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["info", "--keep-fixed", "--floating", str(arm)]) == 0
    out = capsys.readouterr().out
    assert "flange  (mount: Fixed)" in out
    assert "QuaternionFloating" in out
    assert "nq = 8, nv = 7" in out


def test_check_accepts(arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(arm)]) == 0
    assert f"{arm}: ok" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["info", "check"])
def test_errors_in_files_have_a_line(command: str, faulty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([command, str(faulty)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("rbd: ")
    assert f"{faulty.name}:5:" in captured.err
    assert "1,5" in captured.err


def test_check_lists_all_warnings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    joint = '<joint name="{0}" type="revolute"><parent link="a"/><child link="{0}"/></joint><link name="{0}"/>'
    file = tmp_path / "invalid.urdf"
    file.write_text("\n".join(['<robot name="r"><link name="a"/>', *map(joint.format, "bc"), "</robot>"]))
    assert cli.main(["check", str(file)]) == 1
    captured = capsys.readouterr()
    assert [line.split(": ")[:2] for line in captured.err.splitlines()] == [[f"{file}:{k}", "error"] for k in (2, 3)]
    assert "invalid" in captured.out
    assert cli.main(["info", str(file)]) == 0
    assert "needs <limit>" in capsys.readouterr().out


def test_info_and_check_read_mjcf(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "model.xml"
    text = (
        '<mujoco model="leg">{}<worldbody><body name="b"><joint name="j"/><geom size="1"/></body></worldbody></mujoco>'
    )
    file.write_text(text.format(""))
    assert cli.main(["check", str(file)]) == 0
    assert cli.main(["info", str(file)]) == 0
    assert "leg" in capsys.readouterr().out
    file.write_text(text.format('\n<option density="1"/>'))
    assert cli.main(["check", str(file)]) == 1
    assert f"{file}:2: error: option: density" in capsys.readouterr().err


def test_check_lists_what_is_ignored_and_snapped(arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turned = ARM.replace('<axis xyz="0 1 0"/>', '<origin rpy="1.5707963 0 0"/><axis xyz="0 1 0"/>')
    arm.write_text(turned, encoding="utf-8")
    assert cli.main(["check", str(arm)]) == 0
    notes = capsys.readouterr().out.splitlines()[:-1]
    assert notes[0].startswith(f"{arm}:9: note: joint 'shoulder' > origin: rotation snapped")
    assert notes[1:] == [f"{arm}:13: note: gadget: unknown"]


@pytest.mark.parametrize("kind", ["urdf", "mjcf"])
def test_check_lists_all_errors_and_the_doubts_beside_them(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "model"
    joint = '<joint name="{0}" type="{1}"><parent link="a"/><child link="{0}"/></joint>'
    lines = ['<robot name="r">', '<link name="a"><inertial><mass value="x"/></inertial></link>', '<link name="b"/>']
    lines += [joint.format("b", "screw"), joint.format("c", "fixed"), joint.format("b", "revolute"), "</robot>"]
    if kind == "mjcf":
        lines = ["<mujoco><worldbody>", '<body><geom size="x"/></body>', "<body>", '<joint type="screw"/>']
        lines += ['<geom size="-1"/><joint damping="-1"/></body>', "</worldbody></mujoco>"]
    file.write_text("\n".join(lines), encoding="utf-8")
    assert cli.main(["check", str(file)]) == 1
    captured = capsys.readouterr()
    found = sorted(int(line.removeprefix(f"rbd: {file}:").partition(":")[0]) for line in captured.err.splitlines())
    assert found == ([2, 4, 5, 6] if kind == "urdf" else [2, 4, 5, 5])
    assert captured.out == ""


def test_shapes_that_collision_models_do_not_have_are_named(arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shapes = [
        '<collision><geometry><cylinder radius="1" length="2"/></geometry></collision>',
        '<collision><geometry><mesh filename="a.stl"/></geometry></collision>',
        '<visual><geometry><mesh filename="a.stl"/></geometry></visual>',
    ]
    arm.write_text(ARM.replace('<link name="base"/>', f'<link name="base">{"".join(shapes)}</link>'), encoding="utf-8")
    assert cli.main(["check", str(arm)]) == 0
    out = capsys.readouterr().out
    assert "cylinder: collision models have distances of cylinders from planes and spheres only" in out
    assert out.count("meshes are left out of collision models") == 1


@pytest.mark.parametrize(
    "inside", ["<!-- <mujoco> -->", '<mujoco><compiler meshdir="meshes"/></mujoco>', "<?tool <mujoco?>"]
)
def test_the_root_element_decides_the_format(arm: Path, capsys: pytest.CaptureFixture[str], inside: str) -> None:
    arm.write_text(ARM.replace("<gadget/>", inside), encoding="utf-8")
    assert cli.main(["check", str(arm)]) == 0
    arm.write_text(f"<!-- <robot/> -->\n<mujoco>{inside}</mujoco>", encoding="utf-8")
    assert cli.main(["info", str(arm)]) == 0
    assert "0 bodies" in capsys.readouterr().out


def test_mjcf_does_not_float(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "model.xml"
    file.write_text("<mujoco/>")
    assert cli.main(["info", "--floating", str(file)]) == 1
    assert "--floating is for URDF" in capsys.readouterr().err


def test_findings_of_included_files_name_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, part = tmp_path / "model.xml", tmp_path / "part.xml"
    file.write_text('<mujoco><include file="part.xml"/></mujoco>')
    part.write_text('<mujoco>\n<option viscosity="1"/>\n<visual/></mujoco>')
    assert cli.main(["check", str(file)]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith(f"{part}:2: error: option: viscosity")
    assert captured.out.startswith(f"{part}:3: note: visual: ")
    assert cli.main(["info", str(file)]) == 0
    out = capsys.readouterr().out
    assert f"{part}, line 2: option" in out
    assert f"visual: {part}, line 3" in out


def test_info_shows_loops(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "four_bar.urdf"
    rbd.write_urdf(rbd.robots.four_bar(), path)
    assert cli.main(["info", str(path)]) == 0
    out = capsys.readouterr().out
    assert "3 bodies, 4 joints, nq = 3, nv = 3" in out
    assert "loops:\n   coupler -> rocker  (joint4: Revolute)\n" in out
    rows = [line.split() for line in out[out.index("joints:") : out.index("bodies:")].splitlines()]
    assert rows[4] == ["joint3", "Revolute", "2", "2"]
    assert rows[5] == ["joint4", "Revolute", "-", "-"]


MIMIC = """<robot name="gripper"><link name="palm"/><link name="left"/><link name="right"/>
  <joint name="left" type="prismatic"><parent link="palm"/><child link="left"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" effort="1" velocity="1"/></joint>
  <joint name="right" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="0 1 0"/>
    <limit lower="-0.04" upper="0" effort="1" velocity="1"/><mimic joint="left" multiplier="-1"/></joint>
</robot>"""
EQUALITY = """<mujoco model="gripper"><worldbody>
  <body name="left"><joint name="left" type="slide" axis="0 1 0" range="0 0.04"/><geom size="0.1"/></body>
  <body name="right"><joint name="right" type="slide" axis="0 1 0"/><geom size="0.1"/></body></worldbody>
  <equality><joint joint1="right" joint2="left" polycoef="0 -1 0 0 0"/></equality>
  <actuator><motor name="squeeze" joint="left"/></actuator>
  <keyframe><key name="open" qpos="0.04 -0.04"/><key name="closed"/></keyframe>
</mujoco>"""


@pytest.mark.parametrize("text", [MIMIC, EQUALITY])
def test_info_shows_couplings(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "gripper.xml"
    path.write_text(text, encoding="utf-8")
    assert cli.main(["info", str(path)]) == 0
    out = capsys.readouterr().out
    assert "couplings:\n   right = -left  (" in out
    assert "0 ... 0.04" in out


def test_info_shows_shapes_actuators_and_keyframes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "gripper.xml"
    path.write_text(EQUALITY, encoding="utf-8")
    assert cli.main(["info", str(path)]) == 0
    _, _, contents = capsys.readouterr().out.partition("in the file:\n")
    assert contents.splitlines() == [
        "  shapes: 2 sphere, 1 pair that may collide",
        "  actuators: 1",
        "  keyframes: qpos0, open, closed",
    ]


@pytest.mark.parametrize("what", ["missing.urdf", "."])
def test_missing_files_are_errors(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", what]) == 1
    assert capsys.readouterr().err.startswith("rbd: ")


@pytest.mark.parametrize("arguments", [[], ["fly"], ["check"], ["demo", "--time", "-1"], ["demo", "--duration", "nan"]])
def test_invalid_command_line_has_exit_code_two(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert "usage: rbd" in capsys.readouterr().err


def test_demo_prints_energies_and_frame_error_and_writes_the_plot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "picture.png"
    assert cli.main(["demo", "--duration", "0.1", "--picture", str(picture)]) == 0
    out = capsys.readouterr().out
    for expected in (
        "2 degrees of freedom",
        "kinetic",
        "The total energy varies by",
        "FrameMismatchError",
        f"Wrote {picture}",
    ):
        assert expected in out
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_demo_without_matplotlib_names_the_package_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> None:
        return None

    monkeypatch.setattr("importlib.util.find_spec", nothing)
    lines: list[str] = []
    double_pendulum.run(tmp_path / "picture.png", final_time=0.02, write=lines.append)
    assert "pip install 'rbd[plot]'" in lines[-1]
    assert list(tmp_path.iterdir()) == []


def test_demo_refuses_the_ending_of_the_picture_first(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    lines: list[str] = []
    with pytest.raises(ArgumentError, match=r"picture\.txt has no suffix of a picture file; allowed are .*png"):
        double_pendulum.run(tmp_path / "picture.txt", final_time=0.02, write=lines.append)
    assert lines == []


def test_threads_may_replace_one_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "numbers.txt"
    with replaced_file(path) as first, replaced_file(path) as second:
        for partial, text in ((first, "first"), (second, "second")):
            partial.write_text(text)
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


def test_demo_escapes_control_characters_of_the_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    assert cli.main(["demo", "--time", "0.01", "--picture", str(tmp_path / "red\x1b[31m.png")]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert r"red\x1b[31m.png" in out


def test_demo_into_a_missing_folder_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    assert cli.main(["demo", "--time", "0.01", "--picture", str(tmp_path / "none" / "picture.png")]) == 1
    assert "No such file" in capsys.readouterr().err


def test_module_runs_the_same_command(arm: Path) -> None:
    command = [sys.executable, "-m", "rbd", "check", str(arm)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith("rbd ")
