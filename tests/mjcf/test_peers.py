"""Mechanisms move as MuJoCo's models of the same text do: poses, M, bias, mass and energy at random states."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import rbd
from rbd.mjcf import MjcfReport, MjcfWarning, from_mujoco, load_mjcf
from rbd.mjcf.schema import ATTRIBUTES, WITHOUT_EFFECT
from tests.mjcf.comparison import differences
from tests.mjcf.files_table import PACKAGES, files_of, row
from tests.mjcf.models import MODELS, model, write_meshes

pytestmark = pytest.mark.peers
mujoco = pytest.importorskip("mujoco")


@pytest.mark.parametrize("name", MODELS)
def test_a_model_moves_as_in_mujoco(name: str, tmp_path: Path) -> None:
    write_meshes(tmp_path)
    path = tmp_path / "model.xml"
    path.write_text(MODELS[name], encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MjcfWarning)
        mechanism = load_mjcf(path)
    found = differences(mechanism, mujoco.MjModel.from_xml_path(str(path)))
    assert found.worst < 1e-10, found


DRIVEN = (
    '<body name="a" gravcomp="0.7"><joint name="h" axis="1 2 0" stiffness="3" springref="20" ref="5" range="-60 90"/>'
    '<geom size="0.1" pos="0.2 0 0.1"/><body name="b" pos="0.3 0 0" gravcomp="1.2"><joint name="s" type="slide" '
    'actuatorfrcrange="-7 8"/><joint name="b" type="ball"/><geom type="box" size="0.1 0.2 0.3" pos="0 0.1 0"/>'
    '<body name="fixed" gravcomp="1" pos="1 0 0"><geom size="0.2"/></body></body></body>'
)
ACTUATORS = {
    "motor": '<motor joint="h" gear="3"/><motor joint="s" gear="-2" ctrlrange="-0.5 0.5"/>',
    "together": '<motor joint="s" gear="20"/><motor joint="s" gear="10"/>',
    "ball": '<motor joint="b" gear="1 2 3"/><velocity joint="b" gear="0 0 1" kv="0.5"/>',
    "position": '<position joint="h" kp="20" kv="2" forcerange="-1 2"/><position joint="s" kp="3"/>'
    '<position joint="h" kp="5" inheritrange="0.5"/>',
    "velocity": '<velocity joint="h" kv="3" gear="2"/>',
    "damper": '<damper joint="h" kv="3" ctrlrange="0 1"/>',
    "general": '<general joint="h" gainprm="2 3 4" biasprm="1 2 3" gaintype="affine" biastype="affine"/>'
    '<general joint="s" gainprm="2 3 4" biasprm="1 2 3"/>',
}
TENDONS = (
    '<tendon><fixed name="t" stiffness="3" springlength="0.1 0.3" damping="0.5"><joint joint="h" coef="2"/>'
    '<joint joint="s" coef="-1"/></fixed><fixed stiffness="2"><joint joint="h" coef="1"/></fixed></tendon>'
    '<actuator><motor tendon="t" gear="3"/><position tendon="t" kp="7" kv="1"/></actuator>'
)
TUNED = (
    '<body name="a"><joint name="h" springdamper="0.5 0.7" armature="0.1" springref="10"/>'
    '<geom size="0.1" pos="1 0 0"/><body name="b" pos="0 1 0"><joint name="s" type="slide" axis="1 1 0" '
    'springdamper="0.2 1.5"/><geom size="0.2"/>'
    "</body></body>"
)
CLASSES = (
    '<default><general gainprm="4" ctrlrange="-0.3 0.4"/><default class="p"><position kp="9" kv="1"/></default>'
    "</default>"
)
INHERITED = (
    '<motor joint="h"/><position class="p" joint="s"/><position class="p" kp="2" joint="h"/><general joint="s"/>'
)


def test_springs_and_dampers_that_follow_from_inertia(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    servos = (
        '<actuator><position joint="h" kp="20" dampratio="0.8" gear="2"/><position joint="s" kp="5" dampratio="1"/>'
    )
    path.write_text(model(TUNED, after=f"{servos}</actuator>"), encoding="utf-8")
    report = MjcfReport()
    mechanism = load_mjcf(path, report=report, strict=True)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    np.testing.assert_allclose(
        [s.stiffness for s in report.springs], theirs.jnt_stiffness.ravel()[:2], rtol=1e-10, atol=0
    )
    dampings = [float(joint.damping[0]) for joint in mechanism.tree_joints]
    np.testing.assert_allclose(dampings, theirs.dof_damping.ravel()[:2], rtol=1e-10, atol=0)
    servo_dampings = [actuator.bias[2] for actuator in report.actuators]
    np.testing.assert_allclose(servo_dampings, theirs.actuator_biasprm[:, 2], rtol=1e-10, atol=0)


FLAGS = ("spring", "damper", "gravity", "clampctrl", "actuation", "limit", "constraint")
SWITCHED = {
    **{f"without {flag}": f'<option><flag {flag}="disable"/></option>' for flag in FLAGS},
    "without groups": '<option actuatorgroupdisable="1 3"/>',
}
GROUPED = '<motor joint="h" group="1"/><position joint="s" kp="3" group="2"/><velocity joint="h" kv="2" group="3"/>'
SPRING = '<tendon><fixed stiffness="3" damping="0.5"><joint joint="h" coef="2"/></fixed></tendon>'


@pytest.mark.parametrize("name", [*ACTUATORS, "classes", "tendons", "compensated", *SWITCHED])
def test_the_controller_does_what_actuators_springs_and_weights_do(name: str, tmp_path: Path) -> None:
    before, actuators = (CLASSES, INHERITED) if name == "classes" else (SWITCHED.get(name, ""), ACTUATORS.get(name, ""))
    path = tmp_path / "model.xml"
    after = TENDONS if name == "tendons" else f"<actuator>{actuators}</actuator>"
    if name in SWITCHED:
        after = f"<actuator>{ACTUATORS['motor']}{ACTUATORS['position']}{GROUPED}</actuator>{SPRING}"
    driven = DRIVEN
    if name == "compensated":
        after = f"<actuator>{ACTUATORS['motor']}</actuator>"
        driven = DRIVEN.replace("<joint", '<joint actuatorgravcomp="true"').replace("-7 8", "-1 1")
    path.write_text(model(driven, before=before, after=after), encoding="utf-8")
    report = MjcfReport()
    mechanism = load_mjcf(path, report=report, strict=True)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data, rng = mujoco.MjData(theirs), np.random.default_rng(0)
    state = rbd.MechanismState(mechanism)
    for _ in range(10):
        mujoco.mj_integratePos(theirs, data.qpos, rng.normal(size=theirs.nv), 1.0)
        data.qvel[:] = rng.normal(size=theirs.nv)
        data.ctrl[:] = rng.normal(size=theirs.nu)
        mujoco.mj_forward(theirs, data)
        q, v = from_mujoco(mechanism, data.qpos, data.qvel)
        state.set_configuration(q)
        state.set_velocity(v)
        ours = report.controller(mechanism, data.ctrl)(0.0, state)
        np.testing.assert_allclose(ours, data.qfrc_actuator + data.qfrc_passive, rtol=0, atol=1e-10)


@pytest.mark.parametrize("package", PACKAGES)
def test_the_files_of_a_package_load_and_match(package: str) -> None:
    files = list(files_of(package, None))
    if not files:
        pytest.skip(f"{package} is not installed")
    home = next(parent for parent in files[0].parents if parent.name == package)
    rows = [found for found in (row(path, home) for path in files) if found.read_by_mujoco]
    failed = [found for found in rows if not found.matches]
    assert rows
    assert len(failed) <= 0.05 * len(rows), failed


def test_couplings_have_the_rows_and_errors_of_mujoco() -> None:
    bodies = "".join(
        f'<body pos="{k} 0 0"><joint name="j{k}" type="{kind}" axis="0 1 0" ref="{k / 4}"/><geom size="0.1"/></body>'
        for k, kind in enumerate(("hinge", "slide", "hinge", "hinge"))
    )
    text = model(
        bodies,
        before='<compiler angle="radian"/>',
        after='<equality><joint joint1="j1" joint2="j0" polycoef="0.1 -2 0.5 0.25 -1"/><joint joint1="j2" joint2="j3"/>'
        '<joint joint1="j3" polycoef="0.7"/></equality>',
    )
    mechanism, theirs = rbd.parse_mjcf(text), mujoco.MjModel.from_xml_string(text)
    data, rng = mujoco.MjData(theirs), np.random.default_rng(2)
    for _ in range(5):
        data.qpos[:] = rng.standard_normal(4)
        mujoco.mj_forward(theirs, data)
        state = rbd.MechanismState(mechanism, data.qpos)
        assert data.ne == mechanism.nc == 3
        np.testing.assert_allclose(data.efc_pos[:3], rbd.constraint_error(state), rtol=0, atol=1e-13)
        rows = data.efc_J.reshape(-1, theirs.nv)[:3]
        np.testing.assert_allclose(rows, rbd.constraint_jacobian(state), rtol=0, atol=1e-13)


PAIRS = (
    '<mujoco><default><default class="a"><pair {}/><default class="b"><pair {}/></default></default></default>'
    '<worldbody><geom name="floor" type="plane" size="1 1 1" friction="0.3 0.1 0.2" condim="4"/><body pos="0 0 1">'
    '<freejoint/><geom name="ball" size="0.1" condim="6"/></body></worldbody>'
    '<contact><pair geom1="ball" geom2="floor" {}/></contact></mujoco>'
)


@pytest.mark.parametrize("outer", ["", 'condim="1"', 'friction="2 2 .5 .1 .1"'])
@pytest.mark.parametrize("inner", ["", 'condim="4" friction="3 3"'])
@pytest.mark.parametrize("own", ["", 'class="a"', 'class="b"', 'class="b" condim="6" friction="4"'])
def test_the_friction_of_pairs(outer: str, inner: str, own: str) -> None:
    text, report = PAIRS.format(outer, inner, own), MjcfReport()
    rbd.parse_mjcf(text, report=report)
    theirs, (ours,) = mujoco.MjModel.from_xml_string(text), report.pair_friction.values()
    slide, _, spin, roll, _ = theirs.pair_friction[0]
    assert (ours.dimensions, ours.sliding, ours.torsional, ours.rolling) == (theirs.pair_dim[0], slide, spin, roll)


OWNERS = {"mujoco", "compiler", "option", "(world)body", "contact", "asset", "default"}
ELEMENTS = {
    "compiler", "option", "flag", "joint", "freejoint", "geom", "site", "inertial", "body", "pair", "exclude", "mesh",
    "hfield", "equality",
}  # fmt: skip
UNSUPPORTED = {"springyield", "mesh"}  # the latter of sites


def schema() -> Iterator[tuple[str, str, str]]:
    """Yield what MuJoCo knows: an element, the one around it, and an attribute."""
    path: list[str] = []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        head, attributes = line[:27], line[27:].split()
        if head.strip():
            path = [*path[: (len(head) - len(head.lstrip())) // 3], head.strip().partition(" (")[0]]
        yield from ((path[-1].replace("(world)", ""), path[-2], attribute) for attribute in attributes if path[1:])


def test_the_attributes_of_the_format_are_known() -> None:
    found = [entry for entry in schema() if entry[0] in ELEMENTS and entry[1] in OWNERS]
    assert len(found) > 200
    unknown = {(e, a) for e, _, a in found if a not in ATTRIBUTES[e] and a not in WITHOUT_EFFECT[e]}
    assert {attribute for _, attribute in unknown} <= UNSUPPORTED, unknown
