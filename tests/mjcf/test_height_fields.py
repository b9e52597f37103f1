"""Height fields of models: heights as MuJoCo has them, collision models, faults."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import numpy as np
import pytest

import rbd
from rbd.contact import HeightField
from rbd.errors import ArgumentError, MjcfPathError, MjcfValueError
from rbd.mjcf import MjcfReport, load_mjcf, parse_mjcf
from rbd.viz.visuals import Visuals
from tests.meshes.test_height_grids import image

MODEL = """<mujoco><asset><hfield name="hills" {} size="2 1 0.5 0.1"/></asset><worldbody>
  <geom name="ground" type="hfield" hfield="hills" pos="0.1 0.2 0.3" euler="0 0 20"/>
  <body name="ball" pos="0.4 0.3 1"><freejoint/><geom size="0.1"/></body>
  <body name="log" pos="-1 0 1"><freejoint/><geom type="capsule" size="0.1 0.2"/></body></worldbody></mujoco>"""
BUMPS = 'nrow="3" ncol="4" elevation="0 1 2 3  2 5 1 4  0 0 -1 2"'


def read(attributes: str) -> tuple[rbd.Mechanism, MjcfReport]:
    report = MjcfReport()
    return parse_mjcf(MODEL.format(attributes), report=report), report


def test_collision_models_have_height_fields_and_their_pairs() -> None:
    mechanism, report = read(BUMPS)
    model = report.collision_model(mechanism)
    field = model.shapes[0]
    assert isinstance(field, HeightField)
    assert field.size == (4.0, 2.0)
    np.testing.assert_allclose(field.heights[:, 0], np.array([1, 1, 0, 3]) / 12, rtol=1e-6)
    np.testing.assert_allclose(field.heights[:, 2], np.array([1, 2, 3, 4]) / 12, rtol=1e-6)
    assert [type(pair.b).__name__ for pair in model.pairs] == ["Sphere", "Capsule", "Capsule"]
    state = rbd.MechanismState(mechanism, *report.keyframes["qpos0"])
    placed = mechanism.body("world").fixed_transform(field.frame, mechanism.root_frame)
    ramp = placed.inverse().matrix @ [0.4, 0.3, 1, 1]
    assert model.distances(state)[0].value < ramp[2] - 0.1 - field.heights.min()
    (ground,) = [visual for visual in Visuals(mechanism, report).all if visual.body.is_root]
    np.testing.assert_allclose(ground.surface.vertices[:, 2], field.heights.ravel())


def test_heights_without_numbers_are_zero() -> None:
    report = read('nrow="2" ncol="3"')[1]
    assert not report.heights(report.geoms[0]).any()


@pytest.mark.parametrize(("shape", "named"), [("sphere", "a sphere"), ("ellipsoid", "an ellipsoid")])
def test_other_shapes_have_no_heights(shape: str, named: str) -> None:
    report = MjcfReport()
    parse_mjcf(f'<mujoco><worldbody><geom type="{shape}" size="1 1 1"/></worldbody></mujoco>', report=report)
    with pytest.raises(ArgumentError, match=f"geom is {named}, not an hfield"):
        report.heights(report.geoms[0])


FAULTS = {
    'nrow="2"': "2 x 2 to 10000000 points by nrow and ncol, not 2 x 0",
    'nrow="-2" ncol="-3"': "not -2 x -3",
    'nrow="1e5" ncol="1e5"': "not 100000 x 100000",
    'nrow="2" ncol="3" elevation="1 2"': "elevation has 2 numbers, not nrow x ncol = 6",
    'nrow="2" ncol="2" elevation="1e39 0 0 0"': "1e+39 is beyond 1e+30",
}


@pytest.mark.parametrize("attributes", FAULTS)
def test_faults_of_fields_are_told_with_their_line(attributes: str) -> None:
    mechanism, report = read(attributes)
    with pytest.raises(MjcfValueError, match=re.escape(FAULTS[attributes])) as caught:
        report.collision_model(mechanism)
    assert caught.value.line == 1


def test_files_of_fields_are_found_as_those_of_meshes(tmp_path: Path) -> None:
    mechanism, report = read('file="hills.png"')
    with pytest.raises(MjcfPathError, match="directory="):
        report.collision_model(mechanism)
    path = tmp_path / "model.xml"
    path.write_text(MODEL.format('file="hills.png"').replace("<asset>", '<compiler meshdir="assets"/><asset>'))
    mechanism = load_mjcf(path, report=report)
    with pytest.raises(MjcfPathError, match=r"hills\.png"):
        report.collision_model(mechanism)
    assert "hills.png" in Visuals(mechanism, report).missing[0]
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "hills.png").write_bytes(image(2, 2, 8, 0, b"\0\0\4\0\1\2"))
    np.testing.assert_allclose(report.heights(report.geoms[0]), [[0.125, 0], [0.25, 0.5]])
    for data, reason in ((b"no image", "no PNG image"), (image(1, 2, 8, 0, b"\0\0\0\1"), "2 x 2 points, not 2 x 1")):
        (tmp_path / "assets" / "hills.png").write_bytes(data)
        with pytest.raises(MjcfValueError, match=reason):
            report.heights(report.geoms[0])
    path.write_text(MODEL.format('file="hills.dat" content_type="image/vnd.mujoco.hfield"'))
    mechanism = load_mjcf(path, report=report)
    (tmp_path / "hills.dat").write_bytes(struct.pack("<ii4f", 2, 2, 0, 3e38, -3e38, 1))
    with pytest.raises(MjcfValueError, match="not finite in single precision"):
        report.heights(report.geoms[0])


def _files() -> dict[str, tuple[str, bytes]]:
    rng = np.random.default_rng(5)
    grey, colors = (
        rng.integers(0, 256, (2, 20, 30)).astype(np.uint8),
        rng.integers(0, 256, (20, 30, 3)).astype(np.uint8),
    )
    rows = [b"".join(b"\0" + row.tobytes() for row in pixels) for pixels in (grey[0], colors)]
    numbers = struct.pack("<ii", 20, 30) + rng.uniform(-3, 4, 600).astype("<f4").tobytes()
    return {
        "grey": ("a.png", image(30, 20, 8, 0, rows[0])),
        "colour": ("a.PNG", image(30, 20, 8, 2, rows[1])),
        "binary": ("a.bin", numbers),
        "sixteen bits": ("a.png", image(15, 20, 16, 0, rows[0])),
    }


@pytest.mark.peers
@pytest.mark.parametrize("kind", ["elevation", *_files()])
def test_heights_and_distances_are_those_of_mujoco(kind: str, tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    attributes = BUMPS
    if kind != "elevation":
        name, data = _files()[kind]
        attributes = f'file="{name}"'
        (tmp_path / name).write_bytes(data)
    path = tmp_path / "model.xml"
    path.write_text(MODEL.format(attributes))
    report = MjcfReport()
    mechanism, other = load_mjcf(path, report=report), mujoco.MjModel.from_xml_path(str(path))
    expected = other.hfield_data.reshape(other.hfield_nrow[0], other.hfield_ncol[0])
    np.testing.assert_array_equal(report.heights(report.geoms[0]), 0.5 * expected.T.astype(np.float64))
    model, data = report.collision_model(mechanism), mujoco.MjData(other)
    state = rbd.MechanismState(mechanism, *report.keyframes["qpos0"])
    near = model.distances(state)[0]
    for gap, touches in ((1e-3, False), (-1e-6, True)):  # of slopes beside, MuJoCo has contacts that are 2e-4 early
        data.qpos[:3] = other.qpos0[:3] + (near.value - gap) * np.array(near.normal.xyz)
        mujoco.mj_forward(other, data)
        assert any({0, 1} == set(data.contact[k].geom.tolist()) for k in range(data.ncon)) == touches
