"""Convex hulls of meshes: faces, roundings, reduction to few vertices, collision models of files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import ConvexHull as SpatialHull

import rbd
from rbd.contact import ConvexHull, Cylinder
from rbd.errors import ArgumentError, MjcfValueError, UrdfPathError, UrdfValueError
from rbd.meshes.mesh_files import MeshFault, read_mesh
from rbd.meshes.rounded_hulls import mesh_hull
from rbd.mjcf import MjcfReport, parse_mjcf
from rbd.scalars.arrays import Array
from rbd.urdf import UrdfReport, load_urdf

CUBE = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.05, 0.05)])
OBJ = "".join(f"v {x} {y} {z}\n" for x, y, z in CUBE.tolist())
BODY = (
    '<body name="{}" pos="0 0 {}"><freejoint/><geom size="0.01" mass="1"/><geom type="mesh" mesh="m" mass="0"/></body>'
)


def reach(points: Array, radius: float, direction: Array) -> float:
    return float((points @ direction).max()) + radius


def test_faces_stay_where_they_are_and_points_inside_are_left_out() -> None:
    inside = np.random.default_rng(0).uniform(-0.04, 0.04, (50, 3))
    hull = mesh_hull(np.vstack([inside, CUBE, CUBE]), 32, 1e-3)
    assert (len(hull.points), hull.vertices, hull.beyond, hull.radius) == (8, 8, 0.0, 1e-3)
    for axis, half in zip(np.eye(3), (0.1, 0.2, 0.05), strict=True):
        assert reach(hull.points, hull.radius, axis) == pytest.approx(half, abs=1e-15)
        assert reach(hull.points, hull.radius, -axis) == pytest.approx(half, abs=1e-15)


def test_thin_hulls_have_a_smaller_radius_and_flat_ones_have_two_sides() -> None:
    hull = mesh_hull(CUBE * [1, 1, 0.01], 32, 1e-3)
    assert hull.radius == pytest.approx(0.05 * 0.01 / 4)
    assert reach(hull.points, hull.radius, np.array([0.0, 0, 1])) == pytest.approx(5e-4, abs=1e-15)
    flat = mesh_hull(np.vstack([CUBE, CUBE / 2]) * [1, 1, 0], 32, 1e-3)
    assert (len(flat.points), flat.vertices, flat.radius) == (4, 4, 1e-3)
    assert reach(flat.points, flat.radius, np.array([0.0, 0, 1])) == pytest.approx(1e-3, abs=1e-15)
    with pytest.raises(MeshFault, match="on a line"):
        mesh_hull(CUBE * [1, 0, 0], 32, 1e-3)


@pytest.mark.parametrize("thickness", [0.0, 1e-10, 1e-9, 4e-9, 1e-8, 3e-8, 1e-7, 1e-3])
@pytest.mark.parametrize("extent", [1e-3, 0.4, 1e4, 1e6, 1e8])
def test_hulls_of_any_thickness_and_extent_are_shapes(thickness: float, extent: float) -> None:
    """Those that are too thin for a radius of their own are flat."""
    box = CUBE / np.abs(CUBE).max() / 2 * extent * [1, 1, 4 * thickness]
    hull = mesh_hull(box, 32, 1e-3)
    assert repr(hull.shape(rbd.Frame("part"))).startswith("<convex hull: ")
    top, upward = float(box[:, 2].max()), np.array([0.0, 0, 1])
    beyond = reach(hull.points, hull.radius, upward) - top
    assert -1e-12 * extent <= beyond <= hull.radius
    assert hull.radius <= max(1e-3, 2e-8 * extent)
    if thickness >= 1e-7:
        assert beyond == pytest.approx(0, abs=1e-12 * extent)


@pytest.mark.parametrize(("stretch", "deepest"), [((1.0, 1.0, 1.0), 1), ((1.0, 1.0, 0.01), 10), ((10.0, 0.1, 1.0), 2)])
@pytest.mark.parametrize(("count", "seeds"), [(4, 50), (6, 50), (12, 30), (40, 5)])
def test_hulls_touch_faces_from_inside_where_many_or_sharp_corners_are(
    count: int, seeds: int, stretch: tuple[float, float, float], deepest: float
) -> None:
    for seed in range(seeds):
        ball = np.random.default_rng(seed).normal(size=(count, 3))
        ball *= np.array(stretch) / np.linalg.norm(ball, axis=1)[:, None]
        hull, planes = mesh_hull(ball, count, 1e-3), SpatialHull(ball).equations
        beyond = (hull.points @ planes[:, :3].T + planes[:, 3]).max(axis=0) / hull.radius + 1
        assert beyond.max() == pytest.approx(0, abs=1e-8)
        assert beyond.min() > -deepest
        assert np.median(beyond) == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("most", [4, 5, 8, 32, 128])
def test_many_vertices_are_reduced_and_the_loss_is_told(most: int) -> None:
    """The vertices of a ball that are left out are no farther beyond a face than the hull says."""
    rng = np.random.default_rng(1)
    ball = rng.normal(size=(1500, 3))
    ball *= 0.1 / np.linalg.norm(ball, axis=1)[:, None]
    hull = mesh_hull(ball, most, 1e-3)
    assert (len(hull.points), hull.vertices) == (most, 1500)
    directions = rng.normal(size=(200, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    lost = [0.1 - reach(hull.points, hull.radius, each) for each in directions]
    assert 0 < hull.beyond < {4: 0.2, 5: 0.2, 8: 0.1, 32: 0.02, 128: 0.006}[most]
    assert most < 8 or max(lost) < 2 * hull.beyond
    assert min(lost) > -hull.radius


@pytest.mark.parametrize(("sides", "most"), [(4, 4), (4, 5), (4, 6), (4, 7), (24, 32)])
@pytest.mark.parametrize("seed", range(8))
def test_hulls_of_turned_prisms_do_not_start_in_a_plane(sides: int, most: int, seed: int) -> None:
    angles = np.pi * (2 * np.arange(sides) + 1) / sides
    ring = np.stack([0.2 * np.cos(angles), 0.1 * np.sin(angles), np.full(sides, 0.05)], axis=1)
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    prism = np.vstack([ring, ring * [1, 1, -1]]) @ turn.T
    hull = mesh_hull(prism, most, 1e-3)
    assert (len(hull.points), hull.vertices) == (most, 2 * sides)
    planes = SpatialHull(prism).equations
    assert (hull.points @ planes[:, :3].T + planes[:, 3]).max() <= 1e-12 - hull.radius


def drop(mesh: str, count: int) -> str:
    bodies = "".join(BODY.format(f"b{k}", 0.05 + 0.1 * k) for k in range(count))
    return f"""<mujoco><asset>{mesh}</asset><worldbody><geom type="plane" size="1 1 1"/>{bodies}</worldbody></mujoco>"""


def inline(extra: str = "") -> str:
    vertices = " ".join(str(x) for x in CUBE.ravel().tolist())
    return f"<mesh name='m' vertex='{vertices}' {extra}/>"


def test_meshes_of_mjcf_make_a_stack() -> None:
    report = MjcfReport()
    mechanism = parse_mjcf(drop(inline(), 2), report=report)
    assert "hull_points" in report.ignored[-1].message
    assert not any(isinstance(shape, ConvexHull) for shape in report.collision_model(mechanism).shapes)
    report = MjcfReport()
    mechanism = parse_mjcf(drop(inline(), 2), report=report)
    model = report.collision_model(mechanism, hull_points=16)
    state = rbd.MechanismState(mechanism, *report.keyframes["qpos0"])
    rbd.contact.ContactSimulator(mechanism, model, None, 5e-3, friction=0.5).run(state, 1.0)
    np.testing.assert_allclose(state.q.reshape(2, 7)[:, 6], [0.05, 0.15], rtol=0, atol=1e-6)
    assert np.abs(state.v).max() < 1e-9


def test_maxhullvert_and_hull_points_limit_hulls() -> None:
    rng = np.random.default_rng(2)
    ball = " ".join(str(x) for x in rng.normal(size=300).tolist())
    report = MjcfReport()
    parse_mjcf(drop(f"<mesh name='m' maxhullvert='12' vertex='{ball}'/>", 1), report=report)
    mesh = report.geoms[-1]
    assert len(report.mesh_hull(mesh).points) == 12
    assert len(report.mesh_hull(mesh, 6).points) == 6
    for wrong in (3, 129, 2.5):
        with pytest.raises(ArgumentError, match=r"^points") as caught:
            report.mesh_hull(mesh, wrong)  # type: ignore[arg-type]  # that is what is tested
        assert caught.value.fields["argument"] == "points"


def test_geoms_of_other_reports_are_refused() -> None:
    ours, others = MjcfReport(), MjcfReport()
    parse_mjcf(drop(inline(), 1), report=ours)
    field = "<asset><hfield name='f' nrow='2' ncol='2' size='1 1 1 1'/></asset>"
    parse_mjcf(f"<mujoco>{field}<worldbody><geom type='hfield' hfield='f'/></worldbody></mujoco>", report=others)
    equal = MjcfReport()
    parse_mjcf(drop(inline(), 1), report=equal)
    assert equal.geoms == ours.geoms
    cases = ((others, ours), (ours, others), (equal, ours), (MjcfReport(), ours))
    for report, geom in ((report, other.geoms[-1]) for report, other in cases):
        for read in (report.mesh_hull, report.surface, report.heights):
            with pytest.raises(ArgumentError, match="geom is of another report"):
                read(geom)


def test_meshes_of_mjcf_that_are_lines_are_named() -> None:
    report = MjcfReport()
    mesh = "<asset><mesh name='m' vertex='0 0 0 1 0 0 2 0 0 3 0 0' face='0 1 2'/></asset>"
    body = "<body><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom type='mesh' mesh='m'/></body>"
    parse_mjcf(f"<mujoco>{mesh}<worldbody>{body}</worldbody></mujoco>", report=report)
    with pytest.raises(MjcfValueError, match="mesh 'm': the vertices of the mesh are on a line"):
        report.mesh_hull(report.geoms[0])


def test_thin_and_huge_meshes_refuse_no_model(tmp_path: Path) -> None:
    for k, scale in enumerate(([1, 1, 1e-7], [1e8, 1e8, 1e8])):
        text = "".join(f"v {x} {y} {z}\n" for x, y, z in (CUBE * scale).tolist())
        (tmp_path / f"part{k}.obj").write_text(text)
        mechanism, report = robot(tmp_path, f"part{k}.obj")
        hull, _ = report.collision_model(mechanism, hull_points=32).shapes
        assert isinstance(hull, ConvexHull)


def robot(folder: Path, file: str) -> tuple[rbd.Mechanism, UrdfReport]:
    path, report = folder / "thing.urdf", UrdfReport()
    shapes = (
        f"<collision><geometry><mesh filename='{file}' scale='1 1 2'/></geometry></collision>",
        "<collision><geometry><cylinder radius='0.1' length='0.3'/></geometry></collision>",
    )
    path.write_text(f"<robot name='thing'><link name='thing'>{''.join(shapes)}</link></robot>")
    return load_urdf(path, report=report, floating=True), report


def test_meshes_of_urdf_are_scaled_hulls(tmp_path: Path) -> None:
    (tmp_path / "part.obj").write_text(OBJ)
    mechanism, report = robot(tmp_path, "part.obj")
    hull, drum = report.collision_model(mechanism, hull_points=32).shapes
    assert isinstance(hull, ConvexHull)
    assert isinstance(drum, Cylinder)
    with pytest.raises(ArgumentError, match=r"^points"):
        report.mesh_hull(report.meshes[0], 3)
    np.testing.assert_allclose(np.abs(hull.points) + hull.radius, np.tile([0.1, 0.2, 0.1], (8, 1)), rtol=0, atol=1e-8)
    assert [type(shape) for shape in report.collision_model(robot(tmp_path, "part.obj")[0]).shapes] == [Cylinder]


def test_meshes_of_urdf_that_are_none_raise(tmp_path: Path) -> None:
    mechanism, report = robot(tmp_path, "part.obj")
    with pytest.raises(UrdfPathError, match=r"part\.obj"):
        report.collision_model(mechanism, hull_points=32)
    (tmp_path / "part.obj").write_text("v 0 0 0\n")
    with pytest.raises(UrdfValueError, match="at least 4 vertices"):
        report.collision_model(mechanism, hull_points=32)


@pytest.mark.peers
def test_hulls_lie_on_planes_as_mujoco_lays_them() -> None:
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(3)
    ball = " ".join(f"{x:.6f}" for x in rng.normal(size=120).tolist())
    text = (
        drop(f"<mesh name='m' vertex='{ball}'/>", 1)
        .replace('<geom size="0.01" mass="1"/>', "")
        .replace('mass="0"', 'mass="1"')
    )
    report = MjcfReport()
    mechanism = parse_mjcf(text, report=report)
    hull = report.mesh_hull(report.geoms[-1], 128, rounding=1e-9)
    theirs = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(theirs)
    for _ in range(20):
        turn = rng.normal(size=4)
        data.qpos[:] = [0, 0, 0.5, *(turn / np.linalg.norm(turn))]
        mujoco.mj_forward(theirs, data)
        state = rbd.MechanismState(mechanism, [*data.qpos[3:], *data.qpos[:3]])
        geom = report.geoms[-1]
        X = state.transform_to_root(mechanism.frame(geom.body))
        points = (hull.points @ np.array(geom.rotation).T + np.array(geom.translation)) @ X.rotation.T + X.translation
        assert points[:, 2].min() - hull.radius == pytest.approx(data.contact.dist.min(), abs=1e-6)


def test_corners_of_obj_files_count_from_one() -> None:
    data = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 %d\n"
    assert read_mesh(data % 3, ".obj")[1].tolist() == [[0, 1, 2]]
    assert read_mesh(data % -1, ".obj")[1].tolist() == [[0, 1, 3]]
    with pytest.raises(MeshFault, match="is no corner"):
        read_mesh(data % 0, ".obj")
