"""Files of a model: includes and meshes, below the directory of the model and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rbd.errors import (
    ArgumentError,
    MjcfError,
    MjcfPathError,
    MjcfRefusedError,
    MjcfSyntaxError,
    MjcfTopologyError,
    MjcfValueError,
)
from rbd.mjcf import MjcfLimits, MjcfReport, MjcfWarning, load_mjcf, parse_mjcf
from tests.mjcf.models import model, write_meshes

LINK = '<body name="{0}"><joint name="j{0}"/><geom size="0.1"/></body>'


def write(folder: Path, **files: str) -> Path:
    """Write files whose names end in .xml; the model is the first."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / f"{next(iter(files))}.xml"


def test_included_elements_stand_where_the_include_stands(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        robot='<mujoco><include file="parts/all.xml"/><worldbody><include file="parts/arm.xml"/></worldbody></mujoco>',
        parts__all='<mujocoinclude><compiler angle="radian"/><include file="more.xml"/></mujocoinclude>',
        parts__more='<mujoco><default><joint ref="0.5"/></default></mujoco>',
        parts__arm=f"<mujoco>{LINK.format('a')}{LINK.format('b')}</mujoco>",
    )
    report = MjcfReport()
    mechanism = load_mjcf(path, report=report)
    assert [joint.name for joint in mechanism.joints] == ["ja", "jb"]
    assert report.keyframes["qpos0"][0].tolist() == [0.5, 0.5]


def test_faults_in_included_files_name_them(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        robot='<mujoco>\n<worldbody><include file="arm.xml"/></worldbody></mujoco>',
        arm='<mujoco>\n\n<body>\n<geom size="x"/></body></mujoco>',
    )
    with pytest.raises(MjcfValueError) as caught:
        load_mjcf(path)
    assert (caught.value.file, caught.value.line) == (str(tmp_path / "arm.xml"), 4)


def test_the_warning_names_the_included_file(tmp_path: Path) -> None:
    path = write(tmp_path, robot='<mujoco><include file="arm.xml"/></mujoco>', arm="<mujoco>\n<gadget/></mujoco>")
    with pytest.warns(MjcfWarning, match=r"robot\.xml: 1 warning, the first in .*arm\.xml, line 2: gadget"):
        load_mjcf(path)


@pytest.mark.parametrize(("reference", "outside"), [("leads outside.xml", False), ("../arm.xml", True)])
def test_only_files_outside_of_the_directory_need_a_root(reference: str, outside: bool, tmp_path: Path) -> None:
    path = write(tmp_path, robot=f'<mujoco><include file="{reference}"/></mujoco>')
    with pytest.raises(MjcfPathError) as caught:
        load_mjcf(path)
    assert ("pass root=" in str(caught.value)) == outside


def test_a_name_that_an_included_file_has_too(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        robot='<mujoco><include file="arm.xml"/>\n<worldbody><body name="a"/></worldbody></mujoco>',
        arm='<mujoco>\n\n<worldbody><body name="a"/></worldbody></mujoco>',
    )
    with pytest.raises(MjcfTopologyError, match=r"the first is in .*arm\.xml, line 3") as caught:
        load_mjcf(path)
    assert (caught.value.file, caught.value.line) == (str(path), 2)


def test_an_included_file_that_is_no_xml(tmp_path: Path) -> None:
    path = write(tmp_path, robot='<mujoco><include file="arm.xml"/></mujoco>', arm="<mujoco>\n<a></mujoco>")
    with pytest.raises(MjcfSyntaxError) as caught:
        load_mjcf(path)
    assert (caught.value.file, caught.value.line) == (str(tmp_path / "arm.xml"), 2)


def test_a_file_is_included_once(tmp_path: Path) -> None:
    twice = write(
        tmp_path, robot='<mujoco>\n<include file="a.xml"/>\n<include file="./a.xml"/></mujoco>', a="<mujoco/>"
    )
    with pytest.raises(MjcfRefusedError, match="included already") as caught:
        load_mjcf(twice)
    assert caught.value.line == 3
    circle = write(
        tmp_path, circle='<mujoco>\n<include file="b.xml"/></mujoco>', b='<mujoco><include file="b.xml"/></mujoco>'
    )
    with pytest.raises(MjcfRefusedError, match="included already"):
        load_mjcf(circle)


def test_files_lie_below_the_model_or_a_root(tmp_path: Path) -> None:
    path = write(tmp_path, robots__arm='<mujoco>\n<include file="../common.xml"/></mujoco>', common="<mujoco/>")
    path = tmp_path / "robots" / "arm.xml"
    with pytest.raises(MjcfPathError, match=r"leads outside .*pass root=") as caught:
        load_mjcf(path)
    assert (caught.value.line, caught.value.element) == (2, "include")
    load_mjcf(path, root=tmp_path)


def test_the_path_that_leads_outside_is_told(tmp_path: Path) -> None:
    asset = '<compiler meshdir="../meshes"/><asset><mesh file="a.stl"/></asset>'
    body = '<worldbody><body><geom mesh="a" type="mesh"/></body></worldbody>'
    write(tmp_path / "robots", arm=f"<mujoco>{asset}{body}</mujoco>")
    with pytest.raises(
        MjcfPathError, match=r"file 'a\.stl': \S*robots/\.\./meshes/a\.stl leads outside \S*robots; pass root="
    ):
        load_mjcf(tmp_path / "robots" / "arm.xml")


@pytest.mark.parametrize("tag", ["element", "Mujoco"])
def test_another_root_element_is_named(tag: str) -> None:
    with pytest.raises(MjcfSyntaxError, match=f"the root element must be <mujoco>, not '{tag}'"):
        parse_mjcf(f'<{tag} name="mujoco"/>')


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs symbolic links")
def test_links_do_not_lead_outside(tmp_path: Path) -> None:
    write(tmp_path, secret="<mujoco/>")
    path = write(tmp_path / "robots", arm='<mujoco><include file="link.xml"/></mujoco>')
    (tmp_path / "robots" / "link.xml").symlink_to(tmp_path / "secret.xml")
    with pytest.raises(MjcfPathError, match="leads outside"):
        load_mjcf(path)


@pytest.mark.parametrize("name", ["/etc/hostname", "http://example.com/a.xml", "missing.xml", "."])
def test_other_places_are_refused(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, arm=f'<mujoco>\n<include file="{name}"/></mujoco>')
    with pytest.raises(MjcfPathError) as caught:
        load_mjcf(path)
    assert (caught.value.line, caught.value.reference) == (2, name)


def test_the_number_of_files_is_limited(tmp_path: Path) -> None:
    includes = "".join(f'<include file="a{k}.xml"/>' for k in range(5))
    path = write(tmp_path, arm=f"<mujoco>{includes}</mujoco>", **{f"a{k}": "<mujoco/>" for k in range(5)})
    load_mjcf(path, limits=MjcfLimits(files=5))
    with pytest.raises(MjcfRefusedError, match="more than 4 files"):
        load_mjcf(path, limits=MjcfLimits(files=4))


def test_a_file_counts_once(tmp_path: Path) -> None:
    write_meshes(tmp_path)
    report, limits = MjcfReport(), MjcfLimits(files=1)
    parse_mjcf(MESHED.format("", ""), directory=tmp_path, report=report, limits=limits)
    sizes = [len(report.surface(report.geoms[0])[0]) for _ in range(3)]
    assert sizes == sizes[:1] * 3


def test_the_elements_of_all_files_are_counted(tmp_path: Path) -> None:
    path = write(
        tmp_path, arm='<mujoco><include file="a.xml"/></mujoco>', a="<mujoco>" + "<visual/>" * 20 + "</mujoco>"
    )
    load_mjcf(path, limits=MjcfLimits(elements=30))
    with pytest.raises(MjcfRefusedError, match="elements"):
        load_mjcf(path, limits=MjcfLimits(elements=15))


MESHED = model(
    '<body><joint/>{}<geom type="mesh" mesh="slab" {}/></body>', before='<asset><mesh file="meshes/slab.stl"/></asset>'
)


def test_meshes_are_opened_only_if_mass_depends_on_them(tmp_path: Path) -> None:
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    report = MjcfReport()
    parse_mjcf(MESHED.format(inertial, ""), directory=tmp_path, report=report)
    assert report.geoms[0].shape == "mesh"
    parse_mjcf(MESHED.format("", 'group="7"'), directory=tmp_path)
    with pytest.raises(MjcfPathError, match="not found"):
        parse_mjcf(MESHED.format("", ""), directory=tmp_path)
    write_meshes(tmp_path)
    parse_mjcf(MESHED.format("", ""), directory=tmp_path)


def test_large_meshes_are_refused_unread(tmp_path: Path) -> None:
    write_meshes(tmp_path)
    with pytest.raises(MjcfError, match="bytes"):
        parse_mjcf(MESHED.format("", ""), directory=tmp_path, limits=MjcfLimits(mesh_bytes=100))


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.stl", b"", "no STL file"),
        ("a.stl", b"\0" * 34, "no STL file: 34 bytes"),
        ("a.stl", b"\0" * 84, "at least 4"),
        ("a.stl", b"\0" * 80 + b"\xff\xff\xff\x7f", "no STL file"),
        ("a.stl", b"solid x\nvertex 0 0\n", "without 3 coordinates"),
        ("a.stl", b"solid x\nvertex 0 0 x\n", "no number"),
        ("a.stl", b"solid x\nvertex 0 0 0\n", "no three corners"),
        ("a.obj", b"f 1 2 3", "at least 4"),
        ("a.obj", b"v 0 0 0\n" * 4 + b"f 1 2 9", "no vertex"),
        ("a.obj", b"v 0 0 0\n" * 4 + b"f 1 2", "triangles and quadrangles"),
        ("a.obj", b"v 0 0 0\n" * 4 + b"f a b c", "no corner"),
        ("a.obj", b"v 0 0 nan\n" * 4 + b"f 1 2 3", "'nan' is no number"),
        ("a.obj", b"v 0 0 1_0\n" * 4 + b"f 1 2 3", "'1_0' is no number"),
        ("a.obj", b"v 0 0 1e400\n" * 4 + b"f 1 2 3", "too large"),
        ("a.obj", b"v 0 0 1e300\n" * 4 + b"f 1 2 3", "not finite"),
        ("a.obj", "v 0 0 ١\n".encode() * 4 + b"f 1 2 3", "no ASCII"),
        ("a.obj", b"v 0 0 0\n" * 4 + b"f 1x 2 3", "no corner"),
        ("a.obj", b"v 0 0 0\n" * 4 + b"f 1/2/3/4 2 3", "no corner"),
        ("a.obj", b"v 0 0 0\n" * 4 + b"f 1 2 3", "no surface"),
        ("a.msh", b"1234", "no header"),
        ("a.msh", b"\xff" * 16, "do not fit"),
        ("a.dae", b"<COLLADA/>", "not .dae"),
        ("a", b"", "without a suffix"),
    ],
)
def test_faulty_meshes(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(data)
    text = f"<mujoco>\n<asset>\n<mesh name='m' file='{name}'/></asset>"
    text += "<worldbody><body><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
    with pytest.raises(MjcfValueError, match=reason) as caught:
        parse_mjcf(text, directory=tmp_path)
    assert (caught.value.line, caught.value.element) == (3, "mesh")


def test_limits_and_reports_of_other_kinds_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, robot=model(""))
    with pytest.raises(ArgumentError, match="load_mjcf") as caught:
        load_mjcf(path, limits=3)  # type: ignore[arg-type]  # the test
    assert caught.value.argument == "limits"
    with pytest.raises(ArgumentError, match="load_mjcf") as caught:
        load_mjcf(path, report=MjcfLimits())  # type: ignore[arg-type]  # the test
    assert caught.value.argument == "report"
