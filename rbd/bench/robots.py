"""Robots of the benchmarks: those of rbd, two of `example-robot-data` if it is installed, and URDF files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from rbd import robots
from rbd.bench import legged
from rbd.bench.worlds import QUADRUPED
from rbd.errors import UnknownNameError
from rbd.mechanism import Mechanism
from rbd.mechanism.names import unknown_name
from rbd.urdf import load_urdf, parse_urdf

HAND = "hand"
"""The robot of the contact benchmarks."""
_FINGERS = re.compile(r'(<joint[^>]*finger[^>]*type=")prismatic')


def panda() -> Mechanism:
    """Return the seven-joint arm of `example-robot-data`, its fingers fixed."""
    text = _example("panda.urdf").read_text(encoding="utf-8")
    return without_passive_torques(parse_urdf(_FINGERS.sub(r"\1fixed", text)))


def talos() -> Mechanism:
    """Return the 38-dof humanoid of `example-robot-data`, floating."""
    return without_passive_torques(load_urdf(_example("talos_reduced.urdf"), floating=True))


RBD_ROBOTS: Mapping[str, Callable[[], Mechanism]] = {
    "arm7": robots.arm7,
    "humanoid": robots.humanoid,
    "double_pendulum": robots.double_pendulum,
    "four_bar": robots.four_bar,
    HAND: lambda: robots.hand()[0],
}
EXAMPLES: Mapping[str, Callable[[], Mechanism]] = {"panda": panda, "talos": talos}


def default_names() -> list[str]:
    """Return the default robots: open chains, a linkage with a loop, a hand with contacts, and legged robots."""
    chains = ("panda", "talos") if has_examples() else ("arm7", "humanoid")
    on_ground = [*(legged.ROBOTS if find_spec(legged.PACKAGE) else ()), QUADRUPED]
    return [*chains, "double_pendulum", "four_bar", HAND, *on_ground]


def has_examples() -> bool:
    """Return whether `example-robot-data` is installed."""
    return all(find_example(name) is not None for name in ("panda.urdf", "talos_reduced.urdf"))


def robot(name: str) -> Mechanism:
    """Return a robot by name or from a URDF file; raise UnknownNameError for other names."""
    if name in RBD_ROBOTS:
        return without_passive_torques(RBD_ROBOTS[name]())
    if name in EXAMPLES and has_examples():
        return EXAMPLES[name]()
    if name.endswith(".urdf"):
        return without_passive_torques(load_urdf(name))
    known = [*RBD_ROBOTS, *legged.ROBOTS, QUADRUPED, *(EXAMPLES if has_examples() else ())]
    raise unknown_name("robot", name, known, more=f"; known robots: {', '.join(known)}, and files *.urdf")


def without_passive_torques(mechanism: Mechanism) -> Mechanism:
    """Remove damping, friction, armature and springs at bounds, which engines model differently, and couplings."""
    for joint in mechanism.joints:
        joint.damping = joint.friction = joint.armature = joint.bound_stiffness = joint.bound_damping = 0.0
    for coupling in mechanism.couplings:
        mechanism.uncouple(coupling)
    return mechanism


def _example(file: str) -> Path:
    path = find_example(file)
    if path is None:
        message = f"{file} is not installed: pip install example-robot-data"
        raise UnknownNameError(message, kind="file", name=file, known=(), suggestion=None)
    return path


def find_example(file: str) -> Path | None:
    """Return the path of a file of `example-robot-data`, without importing the package."""
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        return None
    return next((Path(str(entry.locate())) for entry in files if entry.name == file), None)
