"""What bodies look like: shapes of files, of collision models, inertia boxes; meshes of strangers."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import MissingPackageError
from rbd.meshes.mesh_files import MeshFault
from rbd.mjcf import MjcfReport, parse_mjcf
from rbd.urdf import UrdfReport
from rbd.viz.poses import transformed_points
from rbd.viz.shape_surfaces import surface_of
from rbd.viz.surfaces import Surface, box, capsule, cylinder, ellipsoid, read_surfaces, sphere, square
from rbd.viz.visuals import Visual, Visuals
from tests.collada_files import box_document

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def volume(surface: Surface) -> float:
    a, b, c = (surface.vertices[surface.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij", a, np.cross(b, c)) / 6)


@pytest.mark.parametrize(
    ("surface", "exact"),
    [
        (box((1.0, 2.0, 3.0)), 6.0),
        (box((1.0, 2.0, 3.0), cells=6), 6.0),
        (sphere(0.5), 4 / 3 * np.pi * 0.5**3),
        (cylinder(0.5, 2.0), np.pi * 0.25 * 2),
        (capsule(0.5, 2.0), np.pi * 0.25 * 2 + 4 / 3 * np.pi * 0.5**3),
        (ellipsoid((0.5, 1.0, 2.0)), 4 / 3 * np.pi),
        (box((1.0, 2.0, 3.0)).scaled((-1.0, 2.0, 1.0)), 12.0),
        (square(1.0, cells=3).two_sided(), 0.0),
    ],
)
def test_surfaces_enclose_their_volume_and_point_outwards(surface: Surface, exact: float) -> None:
    assert volume(surface) == pytest.approx(exact, rel=0.03)  # circles have 28 edges


def test_inertia_boxes_have_the_inertia_of_their_body() -> None:
    robot = rbd.robots.humanoid()
    for visual in Visuals(robot).all:
        inertia = visual.body.inertia
        assert inertia is not None
        x, y, z = np.ptp(visual.surface.vertices, axis=0)
        moments = float(inertia.mass) / 12 * np.diag([y**2 + z**2, z**2 + x**2, x**2 + y**2])  # type: ignore[arg-type]
        R = visual.pose[:3, :3]
        np.testing.assert_allclose(R @ moments @ R.T, inertia.moment_about_com, rtol=0, atol=1e-12)
        np.testing.assert_allclose(visual.pose[:3, 3], inertia.center_of_mass.xyz, rtol=0, atol=1e-15)


def shown(mechanism: rbd.Mechanism, report: Any) -> list[Visual]:
    visuals = Visuals(mechanism, report)
    assert visuals.missing == []
    return [each for body in mechanism.bodies for each in visuals.shown(body) if each.use == "visual"]


def test_visual_shapes_of_urdf_files(tmp_path: Path) -> None:
    pytest.importorskip("trimesh", reason="the extra `viz` is not installed")
    (tmp_path / "tip.obj").write_text(TETRAHEDRON)
    (tmp_path / "robot.urdf").write_text(
        """<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material><link name="a"/>
        <link name="b"><visual><origin xyz="1 0 0"/><geometry><mesh filename="tip.obj" scale="2 2 2"/></geometry>
        <material name="red"/></visual><collision><geometry><box size="1 1 1"/></geometry></collision></link>
        <joint name="j" type="fixed"><parent link="a"/><child link="b"/><origin xyz="0 0 3"/></joint></robot>"""
    )
    report = UrdfReport()
    robot = rbd.load_urdf(tmp_path / "robot.urdf", report=report)
    (visual,) = shown(robot, report)
    points = transformed_points(visual.pose, visual.surface.vertices)
    assert {tuple(point) for point in points.tolist()} == {(1, 0, 3), (3, 0, 3), (1, 2, 3), (1, 0, 5)}
    assert visual.color == (1, 0, 0, 1)
    assert len(Visuals(robot, report).all) == 2  # and the collision shape


def test_meshes_of_mjcf_files_are_where_mujoco_has_them(tmp_path: Path) -> None:
    """A mesh that is weighed has its origin at its centre of mass, one that is not where the file has it."""
    (tmp_path / "tip.obj").write_text(TETRAHEDRON)
    found: list[set[tuple[float, ...]]] = []
    for mass in ("1", "0"):
        report = MjcfReport()
        robot = parse_mjcf(
            f"""<mujoco><asset><material name="m" rgba="0 1 0 1"/>
            <mesh name="tip" file="tip.obj" scale="1 1 2"/></asset>
            <worldbody><body pos="0 0 1"><freejoint/>
            <geom type="mesh" mesh="tip" pos="5 0 0" material="m" mass="{mass}"/>
            <geom size="1" mass="1" group="3"/></body></worldbody></mujoco>""",
            directory=tmp_path, report=report,
        )  # fmt: skip
        (visual,) = shown(robot, report)
        assert visual.color == (0, 1, 0, 1)
        found.append(
            {tuple(point) for point in transformed_points(visual.pose, visual.surface.vertices).round(9).tolist()}
        )
    assert found[0] == found[1] == {(5, 0, 0), (6, 0, 0), (5, 1, 0), (5, 0, 2)}


SIZES = {"sphere": "0.5", "box": "0.5 1 1.5", "ellipsoid": "0.5 1 2", "capsule": "0.5 1", "cylinder": "0.5 1"}
VOLUMES = {
    "sphere": np.pi / 6,
    "box": 6.0,
    "ellipsoid": 4 / 3 * np.pi,
    "capsule": np.pi * 0.5 + np.pi / 6,
    "cylinder": np.pi * 0.5,
}


@pytest.mark.parametrize("shape", SIZES)
def test_primitive_shapes_of_mjcf_files(shape: str) -> None:
    report = MjcfReport()
    text = f'<body><freejoint/><geom type="{shape}" size="{SIZES[shape]}"/></body>'
    robot = parse_mjcf(f"<mujoco><worldbody>{text}</worldbody></mujoco>", report=report)
    (visual,) = shown(robot, report)
    assert volume(visual.surface) == pytest.approx(VOLUMES[shape], rel=0.03)


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ("sphere", '<sphere radius="0.5"/>'),
        ("box", '<box size="1 2 3"/>'),
        ("capsule", '<capsule radius="0.5" length="2"/>'),
        ("cylinder", '<cylinder radius="0.5" length="2"/>'),
    ],
)
def test_primitive_shapes_of_urdf_files(shape: str, text: str) -> None:
    report = UrdfReport()
    link = f'<link name="a"><visual><geometry>{text}</geometry></visual></link>'
    robot = rbd.parse_urdf(f'<robot name="r">{link}</robot>', report=report)
    (visual,) = shown(robot, report)
    assert volume(visual.surface) == pytest.approx(VOLUMES[shape], rel=0.03)


def test_shapes_of_collision_models() -> None:
    robot = rbd.robots.quadruped()
    model = rbd.robots.quadruped_collision_model(robot)
    visuals = Visuals(robot, model)
    assert sum(visual.use == "visual" for visual in visuals.all) == len(model.shapes)
    with pytest.raises(rbd.errors.ArgumentError, match="another mechanism"):
        Visuals(rbd.robots.quadruped(), model)


# -------------------------------------------------------------------- files of strangers


def test_meshes_outside_the_directory_are_not_read(tmp_path: Path) -> None:
    inside = tmp_path / "robot"
    inside.mkdir()
    (tmp_path / "secret.obj").write_text(TETRAHEDRON)
    (inside / "robot.urdf").write_text(
        """<robot name="r"><link name="a"><visual><geometry><mesh filename="../secret.obj"/></geometry></visual>
        </link></robot>"""
    )
    report = UrdfReport()
    robot = rbd.load_urdf(inside / "robot.urdf", report=report)
    visuals = Visuals(robot, report)
    assert len(visuals.missing) == 1
    assert "outside" in visuals.missing[0]


@pytest.mark.parametrize("reference", ["secret.mtl", "../secret.mtl", "/etc/passwd"])
def test_what_a_mesh_refers_to_is_not_opened(reference: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("trimesh", reason="the extra `viz` is not installed")
    monkeypatch.chdir(tmp_path)
    data = f"mtllib {reference}\nusemtl x\n{TETRAHEDRON}".encode()
    (tmp_path / "secret.mtl").write_text("newmtl x\nmap_Kd secret.png\n")
    read_surfaces(data, ".obj")  # imports what it needs
    opened: list[str] = []
    plain: Any = io.open

    def watched(file: Any, *arguments: Any, **settings: Any) -> Any:
        opened.append(str(file))
        return plain(file, *arguments, **settings)

    monkeypatch.setattr("io.open", watched)
    monkeypatch.setattr("builtins.open", watched)
    assert volume(read_surfaces(data, ".obj")[0][0]) == pytest.approx(1 / 6)
    assert opened == []


TEXTURE = '<texture texture="sampler" texcoord="UV"/>'


@pytest.mark.parametrize(
    ("diffuse", "color"), [("<color>0 0.2 1 1</color>", (0.0, 0.2, 1.0, 1.0)), (TEXTURE, None), ("", None)]
)
def test_a_collada_mesh_has_the_colour_of_its_material_but_none_of_a_texture(
    diffuse: str, color: tuple[float, ...] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("trimesh", reason="the extra `viz` is not installed")
    pytest.importorskip("collada", reason="pycollada is not installed")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texture.png").write_bytes(b"no picture")
    ((surface, found),) = read_surfaces(box_document(1, 2, 3, diffuse), ".dae")
    assert found == color
    assert volume(surface) == pytest.approx(6)


ENTITY = '<!DOCTYPE COLLADA [<!ENTITY x SYSTEM "file:///etc/passwd">]><COLLADA>&x;</COLLADA>'


@pytest.mark.parametrize(
    "data",
    [
        ENTITY.encode(),
        ENTITY.encode("utf-16"),
        b"<?xml version='1.0' encoding='UTF-7'?>" + ENTITY.encode("utf-7"),
        b"<?xml version='1.0' encoding='UTF-16'?><COLLADA/>",
        ENTITY.replace("DOCTYPE", "doctype").encode(),
    ],
)
def test_declarations_in_collada_files_are_refused(data: bytes) -> None:
    with pytest.raises(MeshFault, match=r"declarations are refused|not UTF-8"):
        read_surfaces(data, ".dae")


def test_collada_files_need_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("trimesh", reason="the extra `viz` is not installed")
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "collada", None)
        with pytest.raises(MissingPackageError, match=r"^such meshes need pycollada: pip install 'rbd\[viz\]'$"):
            read_surfaces(b"<COLLADA/>", ".dae")
    pytest.importorskip("collada", reason="pycollada is not installed")
    ((surface, _),) = read_surfaces(box_document(1, 2, 3), ".DAE")
    assert volume(surface) == pytest.approx(6.0)


@pytest.mark.parametrize(
    ("suffix", "data", "reason"),
    [
        (".exe", b"", "formats of meshes"),
        ("", b"", "not none"),
        (".stl", b"solid\n", "triangles|trimesh"),
        (".obj", b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not finite"),
        (".glb", b"glTF", "trimesh"),
        (".ply", b"ply\nformat ascii 1.0\nelement vertex 99999999999\n", "trimesh"),
    ],
)
def test_damaged_meshes_are_refused(suffix: str, data: bytes, reason: str) -> None:
    pytest.importorskip("trimesh", reason="the extra `viz` is not installed")
    with pytest.raises(MeshFault, match=reason):
        read_surfaces(data, suffix)


@pytest.mark.parametrize(("name", "reason"), [("gone.obj", "gone.obj"), ("large.obj", "at most 10 are read")])
def test_why_meshes_are_missing(name: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "large.obj").write_text(TETRAHEDRON)
    (tmp_path / "robot.urdf").write_text(
        f"""<robot name="r"><link name="a"><visual><geometry><mesh filename="{name}"/></geometry></visual></link>
        </robot>"""
    )
    report = UrdfReport()
    robot = rbd.load_urdf(tmp_path / "robot.urdf", report=report)
    monkeypatch.setattr("rbd.urdf.meshes.MESH_BYTES", 10)
    (missing,) = Visuals(robot, report).missing
    assert name in missing
    assert reason in missing


def test_height_fields_are_the_triangles_that_shapes_rest_on() -> None:
    mechanism = rbd.robots.quadruped()
    heights = np.random.default_rng(0).uniform(-0.1, 0.1, (5, 4))
    field = rbd.contact.HeightField(mechanism.root_frame, (2.0, 1.5), heights)
    model = rbd.robots.quadruped_collision_model(mechanism, field)
    [surface] = [visual.surface for visual in Visuals(mechanism, model).all if len(visual.surface.vertices) == 20]
    corners = surface.vertices[surface.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (normals[:, 2] > 0).all()
    assert normals[:, 2].sum() / 2 == pytest.approx(2.0 * 1.5)
    state = rbd.MechanismState(mechanism)
    for middle in corners.mean(axis=1):
        moved = np.array(state.q)
        moved[4:7] += middle - state.transform_to_root(mechanism.frame("front_left_foot")).translation
        near = model.distances(rbd.MechanismState(mechanism, moved))[0]
        assert near.value == pytest.approx(-0.022, abs=1e-9)  # the centre of the foot is on the surface


def test_convex_hulls_are_drawn_with_their_rounding() -> None:
    mechanism = rbd.robots.quadruped()
    model = rbd.contact.CollisionModel(mechanism)
    points = np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.2, 0], [0, 0, 0.1], [0.05, 0.05, 0.02]])
    hull = model.add("world", rbd.contact.ConvexHull(mechanism.root_frame, points, radius=0.01))
    [surface] = [each.surface for each in Visuals(mechanism, model).all if each.body.is_root]
    corners = surface.vertices[surface.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("ij,ij->i", corners[:, 0] - points.mean(axis=0), normals) > 0).all()
    volume = np.einsum("ij,ij->i", corners[:, 0], normals).sum() / 6
    area = (0.3 * 0.2 + 0.3 * 0.1 + 0.2 * 0.1 + np.linalg.norm([0.2 * 0.1, 0.3 * 0.1, 0.3 * 0.2])) / 2
    assert 0.001 + 0.01 * area < volume < 0.001 + 0.013 * area  # Steiner's formula has edges and corners, too
    np.testing.assert_allclose(surface.vertices.min(axis=0), -0.01, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(surface_of(hull, 1.0).faces[:, :3], surface.triangles)


def test_cylinders_and_ellipsoids_are_drawn_as_they_are() -> None:
    mechanism = rbd.Mechanism()
    model = rbd.contact.CollisionModel(mechanism)
    drum = model.add("world", rbd.contact.Cylinder(mechanism.root_frame, length=0.4, radius=0.1))
    egg = model.add("world", rbd.contact.Ellipsoid(mechanism.root_frame, radii=(0.3, 0.2, 0.1)))
    for shape, size in ((drum, (0.2, 0.2, 0.4)), (egg, (0.6, 0.4, 0.2))):
        np.testing.assert_allclose(np.ptp(surface_of(shape, 1.0).vertices, axis=0), size, rtol=0.01)
    assert len(Visuals(mechanism, model).all) == 2
