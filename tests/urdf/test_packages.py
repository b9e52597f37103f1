"""Mesh references lead to files inside their package, or nowhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd.errors import ArgumentError, UrdfPathError
from rbd.urdf import UrdfReport, load_urdf, parse_urdf, resolve_mesh
from tests.collada_files import box_document
from tests.urdf.files import inertial, link, robot


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A package beside a secret: arm/{arm.urdf, meshes/link.stl, ...} and secret.stl."""
    meshes = tmp_path / "arm" / "meshes"
    meshes.mkdir(parents=True)
    (meshes / "link.stl").write_text("solid")
    (meshes / "a b.stl").write_text("solid")
    (tmp_path / "secret.stl").write_text("secret")
    (meshes / "inside.stl").symlink_to("link.stl")
    (meshes / "outside.stl").symlink_to(tmp_path / "secret.stl")
    (meshes / "up").symlink_to(tmp_path)
    (meshes / "loop").symlink_to("loop")
    return tmp_path / "arm"


@pytest.mark.parametrize(
    "reference",
    [
        "package://arm/meshes/link.stl",
        "package://arm//meshes/./link.stl",
        "PACKAGE://arm/meshes/../meshes/link.stl",
        "model://arm/meshes/link.stl",
        "meshes/link.stl",
        "./meshes/link.stl",
    ],
)
def test_references_into_the_package(home: Path, reference: str) -> None:
    found = resolve_mesh(reference, packages={"arm": home}, directory=home)
    assert found == (home / "meshes/link.stl").resolve()


def test_blanks_and_links_inside_the_package(home: Path) -> None:
    packages = {"arm": str(home)}
    assert resolve_mesh("package://arm/meshes/a b.stl", packages=packages).name == "a b.stl"
    assert resolve_mesh("package://arm/meshes/inside.stl", packages=packages).name == "link.stl"


def test_absolute_references_inside_a_declared_place(home: Path) -> None:
    mesh = home / "meshes/link.stl"
    for reference in (str(mesh), f"file://{mesh}"):
        assert resolve_mesh(reference, packages={"arm": home}) == mesh.resolve()
        assert resolve_mesh(reference, directory=home) == mesh.resolve()
        with pytest.raises(UrdfPathError, match="no directory is declared"):
            resolve_mesh(reference)
        with pytest.raises(UrdfPathError, match="leads outside"):
            resolve_mesh(reference, packages={"other": home / "meshes/nothing"})


def test_a_relative_reference_may_lead_into_a_declared_package(home: Path) -> None:
    beside = home / "urdf"
    beside.mkdir()
    with pytest.raises(UrdfPathError, match="leads outside"):
        resolve_mesh("../meshes/link.stl", directory=beside)
    assert resolve_mesh("../meshes/link.stl", directory=beside, packages={"arm": home}).name == "link.stl"


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("package://arm/../secret.stl", "leads outside"),
        ("package://arm/meshes/../../../../../../etc/passwd", "leads outside"),
        ("package://arm/meshes/outside.stl", "leads outside"),
        ("package://arm/meshes/up/secret.stl", "leads outside"),
        ("package://arm//etc/passwd", "not found"),
        ("package://arm/meshes/loop", "leads outside|not found"),
        ("package://arm/meshes/none.stl", "not found"),
        ("package://arm/meshes", "no regular file"),
        ("package://arm", "no regular file"),
        ("package://other/link.stl", "package 'other' is not declared"),
        ("package://", "package '' is not declared"),
        ("package://../secret.stl", r"package '\.\.' is not declared"),
        ("../secret.stl", "leads outside"),
        ("meshes/outside.stl", "leads outside"),
        ("/etc/passwd", "leads outside"),
        ("file:///etc/passwd", "leads outside"),
        ("file://localhost/etc/passwd", "absolute path"),
        ("file://meshes/link.stl", "absolute path"),
        ("http://example.com/link.stl", "scheme 'http'"),
        ("https://example.com/link.stl", "scheme 'https'"),
        ("ftp://example.com/link.stl", "scheme 'ftp'"),
        ("data://x", "scheme 'data'"),
        ("C:/meshes/link.stl", "drive letters"),
        ("C:link.stl", "drive letters"),
        ("meshes\\link.stl", "backslashes"),
        ("\\\\server\\share\\link.stl", "backslashes"),
        ("meshes/link.stl\0", "control characters"),
        ("meshes/\u202elts.knil", "control characters"),
        ("", "empty"),
        ("x" * 10_000, "not found"),
        ("meshes/" + "x/" * 5000, "not found"),
    ],
)
def test_everything_else_is_refused(home: Path, reference: str, reason: str) -> None:
    with pytest.raises(UrdfPathError, match=reason) as caught:
        resolve_mesh(reference, packages={"arm": home}, directory=home)
    assert caught.value.reference == reference


def test_the_places_tried_are_listed(home: Path) -> None:
    with pytest.raises(UrdfPathError) as caught:
        resolve_mesh("package://arm/none.stl", packages={"arm": home})
    assert caught.value.tried == (str(home / "none.stl"),)
    assert str(home / "none.stl") in str(caught.value)


@given(st.lists(st.sampled_from(["..", ".", "meshes", "up", "arm", "link.stl", "outside.stl", "", "loop"]), max_size=6))
def test_no_path_leads_out(tmp_path_factory: pytest.TempPathFactory, steps: list[str]) -> None:
    root = tmp_path_factory.getbasetemp() / "confined"
    if not root.exists():
        (root / "arm/meshes").mkdir(parents=True)
        (root / "arm/meshes/link.stl").write_text("solid")
        (root / "outside.stl").write_text("secret")
        (root / "arm/up").symlink_to("..")
        (root / "arm/loop").symlink_to("meshes")
    try:
        found = resolve_mesh("package://arm/" + "/".join(steps), packages={"arm": root / "arm"})
    except UrdfPathError:
        return
    assert found == root / "arm/meshes/link.stl"


def test_packages_that_are_no_map_are_argument_errors() -> None:
    with pytest.raises(ArgumentError):
        resolve_mesh("package://a/b", packages=[("a", "b")])  # the point


# -- shapes in the report ---------------------------------------------------------------------------------------------

SHAPES = """<link name="a">
<visual name="shell"><origin xyz="1 2 3" rpy="0 0 0"/><geometry><mesh filename="package://arm/meshes/link.stl" scale="1 1 2"/></geometry>
<material name="red"/></visual>
<visual><geometry><box size="1 2 3"/></geometry><material name="mine"><color rgba="0 1 0 1"/><texture filename="t.png"/></material></visual>
<collision><geometry><cylinder radius="1" length="2"/></geometry></collision>
<collision><geometry><sphere radius="1"/></geometry></collision>
<collision><geometry><capsule radius="1" length="2"/></geometry></collision>
</link>"""  # noqa: E501
RED = '<material name="red"><color rgba="1 0 0 0.5"/></material>'


def test_shapes_are_kept_in_the_report_and_never_opened(home: Path) -> None:
    path = home / "arm.urdf"
    path.write_text(robot(SHAPES, RED))
    report = UrdfReport()
    load_urdf(path, packages={"arm": home}, report=report)
    assert [(g.use, g.shape, g.size, g.line) for g in report.geometries] == [
        ("visual", "mesh", (1.0, 1.0, 2.0), 3), ("visual", "box", (1.0, 2.0, 3.0), 5),
        ("collision", "cylinder", (1.0, 2.0), 6), ("collision", "sphere", (1.0,), 7),
        ("collision", "capsule", (1.0, 2.0), 8),
    ]  # fmt: skip
    (mesh,) = report.meshes
    assert (mesh.link, mesh.name, mesh.translation, mesh.color) == ("a", "shell", (1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 0.5))
    assert report.geometries[1].color == (0.0, 1.0, 0.0, 1.0)
    assert report.resolve_mesh(mesh) == (home / "meshes/link.stl").resolve()
    assert report.resolve_mesh("meshes/link.stl") == report.resolve_mesh(mesh, {"arm": home})
    assert [entry.message for entry in report.ignored] == [
        "textures are not read",
        "collision models have distances of cylinders from planes and spheres only: "
        "other pairs are left out, unless hull_points is given",
    ]


def test_a_relative_reference_needs_a_place_to_start_from(home: Path) -> None:
    with pytest.raises(UrdfPathError, match="not read from a file"):
        resolve_mesh("meshes/link.stl", packages={"arm": home})


def test_hostile_references_do_not_hinder_loading() -> None:
    report = UrdfReport()
    mesh = '<visual><geometry><mesh filename="http://localhost:9/../../etc/passwd"/></geometry></visual>'
    parse_urdf(robot(link("a", mesh)), report=report)
    with pytest.raises(UrdfPathError, match="scheme"):
        report.resolve_mesh(report.meshes[0])
    with pytest.raises(UrdfPathError, match="declared"):
        report.resolve_mesh("meshes/link.stl")


def test_everything_not_honoured_is_listed() -> None:
    report = UrdfReport()
    text = robot(
        f'<link name="a" type="x">{inertial()}<sensor/>text</link>',
        "<transmission name='t'><type>x</type></transmission>",
        "<gazebo reference='a'><kp>1</kp></gazebo>", link("b"), "<ros2_control/>",
        '<joint name="j" type="fixed"><parent link="a"/><child link="b" since="2"/>'
        '<safety_controller k_velocity="1"/><calibration rising="0"/></joint>',
    )  # fmt: skip
    parse_urdf(text, report=report)
    assert {(entry.element, entry.attribute, entry.line) for entry in report.ignored} == {
        ("link 'a'", "type", 2), ("link 'a' > sensor", None, 2), ("link 'a'", None, 2), ("transmission 't'", None, 3),
        ("gazebo", None, 4), ("ros2_control", None, 6), ("joint 'j' > child", "since", 7),
        ("joint 'j' > safety_controller", None, 7), ("joint 'j' > calibration", None, 7),
    }  # fmt: skip


def test_a_report_shows_its_counts() -> None:
    report = UrdfReport()
    parse_urdf(robot(link("a"), "<sensor/>"), report=report)
    assert repr(report) == "UrdfReport('r': 1 ignored, 0 snapped, 0 warnings, 0 meshes)"


def test_namespaces_are_no_news() -> None:
    report = UrdfReport()
    parse_urdf(
        '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro" version="1.0"><link name="a"/></robot>', report=report
    )
    assert report.ignored == []
    assert (report.name, report.file) == ("r", "<string>")


@pytest.mark.parametrize("suffix", ["dae", "ply", "glb", "off"])
def test_hulls_of_meshes_in_the_formats_of_trimesh(suffix: str, tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh", reason="the extra `viz` is not installed")
    if suffix == "dae":
        pytest.importorskip("collada", reason="the extra `viz` is not installed")
    box = trimesh.creation.box((1, 2, 3))
    data = box_document(1, 2, 3) if suffix == "dae" else box.export(file_type=suffix)
    (tmp_path / f"a.{suffix}").write_bytes(data.encode() if isinstance(data, str) else data)
    shape = f'<collision><geometry><mesh filename="a.{suffix}" scale="1 1 2"/></geometry></collision>'
    (tmp_path / "a.urdf").write_text(f"<robot name='r'><link name='a'>{shape}</link></robot>")
    report = UrdfReport()
    robot = load_urdf(tmp_path / "a.urdf", floating=True, report=report)
    hull = report.mesh_hull(report.meshes[0])
    np.testing.assert_allclose(np.abs(hull.points) + hull.radius, np.tile([0.5, 1, 3], (8, 1)), rtol=0, atol=1e-6)
    assert len(report.collision_model(robot, hull_points=32).shapes) == 1
