"""Robots with closed chains: a delta robot, a parallel ankle, a leg with rods, a geared four-bar linkage.

Each stands closed in its zero configuration, and has as many actuated joints as degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import attrs

import rbd
from rbd import Joint, Mechanism, Revolute
from rbd.mjcf import MjcfReport
from tests.algorithms.helpers import Numbers


@attrs.frozen(eq=False)
class ClosedChain:
    """A mechanism with loops, a closed configuration, and its motors."""

    mechanism: Mechanism
    q: Numbers
    actuated: tuple[str, ...]


def of_mjcf(text: str, actuated: tuple[str, ...]) -> ClosedChain:
    report = MjcfReport()
    mechanism = rbd.parse_mjcf(text, strict=True, report=report)
    return ClosedChain(mechanism, report.keyframes["qpos0"][0], actuated)


# --- a delta robot: Clavel (1988) -----------------------------------------------------------------------------------

BASE, ARM, ROD, PLATFORM, SPREAD, DOWN = 0.2, 0.3, 0.6, 0.08, 0.05, 0.3
"""Radius of the base, lengths of arms and rods, radius of the platform, half distance of rods, angle of the arms."""


def delta() -> ClosedChain:
    """Return three arms, two parallel rods on each, and a platform on six spherical joints, which only translates."""
    reach = BASE + ARM * math.cos(DOWN) - PLATFORM
    drop = math.sqrt(ROD**2 - reach**2)
    height = ARM * math.sin(DOWN) + drop
    fall = math.degrees(math.atan2(drop, -reach) - DOWN)
    arms, pins = "", ""
    for k in range(3):
        x, y = BASE * math.cos(2 * math.pi * k / 3), BASE * math.sin(2 * math.pi * k / 3)
        rods = ""
        for side in (-1, 1):
            rods += (
                f'<body name="rod{k}{side}" pos="{ARM} {side * SPREAD} 0" euler="0 {fall!r} 0">'
                f'<joint name="swing{k}{side}" axis="0 1 0"/><joint name="sway{k}{side}" axis="0 0 1"/>'
                f'<geom type="capsule" fromto="0 0 0 {ROD} 0 0" size="0.01"/></body>'
            )
            pins += f'<connect body1="rod{k}{side}" body2="platform" anchor="{ROD} 0 0"/>'
        arms += (
            f'<body name="arm{k}" pos="{x!r} {y!r} 0" euler="{120 * k} {math.degrees(DOWN)!r} 0">'
            f'<joint name="motor{k}" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 {ARM} 0 0" size="0.02"/>'
            f"{rods}</body>"
        )
    platform = (
        f'<body name="platform" pos="0 0 {-height!r}"><freejoint/><geom type="box" size="0.08 0.08 0.01"/></body>'
    )
    text = f'<compiler eulerseq="zyx"/><worldbody>{arms}{platform}</worldbody><equality>{pins}</equality>'
    return of_mjcf(f"<mujoco>{text}</mujoco>", ("motor0", "motor1", "motor2"))


# --- a parallel ankle -----------------------------------------------------------------------------------------------

_LINK = """
  <link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>
    <inertia ixx="{moment}" iyy="{moment}" izz="{moment}"/></inertial></link>"""
_JOINT = """
  <joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>
    <origin xyz="{place}"/><axis xyz="{axis}"/></joint>"""


def ankle() -> ClosedChain:
    """Return a foot on a universal joint, which two motors move by cranks and rods, in pitch and roll."""
    parts = '  <link name="shank"/><link name="cross"/>'
    parts += _LINK.format(name="foot", com="0.05 0 -0.05", mass=1.2, moment=0.005)
    parts += _JOINT.format(name="pitch", parent="shank", child="cross", place="0 0 0", axis="0 1 0")
    parts += _JOINT.format(name="roll", parent="cross", child="foot", place="0 0 0", axis="1 0 0")
    for side, y in (("left", 0.05), ("right", -0.05)):
        parts += _LINK.format(name=f"{side}_crank", com="-0.02 0 0", mass=0.1, moment=1e-4)
        parts += f'<link name="{side}_cross"/>'
        parts += _LINK.format(name=f"{side}_rod", com="0 0 -0.1", mass=0.15, moment=5e-4)
        ends = [
            ("crank", "shank", f"{side}_crank", f"0 {y} 0.2", "0 1 0"),
            ("bend", f"{side}_crank", f"{side}_cross", "-0.04 0 0", "0 1 0"),
            ("tilt", f"{side}_cross", f"{side}_rod", "0 0 0", "1 0 0"),
        ]
        for name, parent, child, place, axis in ends:
            parts += _JOINT.format(name=f"{side}_{name}", parent=parent, child=child, place=place, axis=axis)
        parts += f"""
  <loop_joint name="{side}_pin" type="spherical">
    <link1 link="{side}_rod" xyz="0 0 -0.2"/><link2 link="foot" xyz="-0.04 {y} 0"/></loop_joint>"""
    mechanism = rbd.parse_urdf(f'<robot name="ankle">\n{parts}\n</robot>', strict=True)
    return ClosedChain(mechanism, rbd.MechanismState(mechanism).q.copy(), ("left_crank", "right_crank"))


# --- a leg with rods, in the manner of Cassie -----------------------------------------------------------------------


def _link(name: str, place: str, joint: str, end: str, more: str = "") -> str:
    """Return a body on a hinge about y: a bar from its origin to an end."""
    hinge, bar = f'<joint name="{joint}" axis="0 1 0"/>', f'<geom type="capsule" fromto="0 0 0 {end}" size="0.015"/>'
    return f'<body name="{name}" pos="{place}">{hinge}{bar}{more}</body>'


def leg() -> ClosedChain:
    """Return a leg whose tarsus follows knee and thigh by a skew rod, and whose foot a crank moves by another one.

    The second loop is planar, with one redundant constraint.
    """
    foot = _link("foot", "-0.1 0 -0.3", "toe", "0.12 0 -0.02")
    plantar = _link("plantar", "-0.06 0 0.02", "plantar", "-0.07 0 -0.25")
    crank = _link("crank", "-0.03 0 -0.05", "crank", "-0.06 0 0.02", plantar)
    heel = '<geom type="capsule" fromto="0 0 0 -0.1 0 0.03" size="0.02"/>'
    tarsus = _link("tarsus", "0.1 0 -0.25", "tarsus", "-0.1 0 -0.3", heel + foot + crank)
    shin = _link("shin", "0 0 -0.4", "knee", "0.1 0 -0.25", tarsus)
    sway = '<joint name="sway" axis="1 0 0"/>'
    rod = _link("achilles", "-0.05 0.04 0", "lean", "0.05 -0.04 -0.62", sway)
    thigh = _link("thigh", "0 0 0", "hip", "0 0 -0.4", shin + rod)
    pins = (
        '<connect body1="achilles" body2="tarsus" anchor="0.05 -0.04 -0.62"/>'
        '<connect body1="plantar" body2="foot" anchor="-0.07 0 -0.25"/>'
    )
    text = f"<mujoco><worldbody>{thigh}</worldbody><equality>{pins}</equality></mujoco>"
    return of_mjcf(text, ("hip", "knee", "crank"))


# --- gears ----------------------------------------------------------------------------------------------------------


def geared_linkage() -> ClosedChain:
    """Return a four-bar linkage whose crank a flywheel drives by a gear, and a cam by a curve."""
    mechanism = rbd.robots.four_bar()
    for name in ("flywheel", "cam"):
        wheel = rbd.RigidBody(name, rbd.SpatialInertia.cylinder(rbd.Frame(name), mass=2.0, radius=0.2, length=0.05))
        mechanism.attach("world", wheel, Joint(name, Revolute((0, 1, 0))))
    mechanism.couple("joint1", "flywheel", ratio=-0.25, offset=0.3)
    mechanism.couple("cam", "joint1", polynomial=(0.1, 0.5, -0.3, 0.2))
    state = rbd.MechanismState(mechanism, [*rbd.robots.four_bar_configuration(0.3), 0.0, 0.0])
    rbd.close_loops(state, fixed=["flywheel"])
    return ClosedChain(mechanism, state.q.copy(), ("flywheel",))


def linkage() -> ClosedChain:
    return ClosedChain(
        rbd.robots.four_bar(),
        rbd.MechanismState(rbd.robots.four_bar(), rbd.robots.four_bar_configuration(0.3)).q,
        ("joint1",),
    )


CHAINS: dict[str, Callable[[], ClosedChain]] = {
    "four-bar linkage": linkage,
    "geared linkage": geared_linkage,
    "delta robot": delta,
    "parallel ankle": ankle,
    "leg with rods": leg,
}
