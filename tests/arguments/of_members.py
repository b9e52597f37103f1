"""Valid calls of readers' reports, written files, scalar families and other public members that no other table has."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import numpy as np

import rbd
import rbd.scalars.registry as families
from rbd import Frame, FreeVector, Momentum, Point, SpatialAcceleration, Transform, Wrench
from rbd.mjcf import MjcfReport, parse_mjcf
from rbd.urdf import UrdfReport, load_urdf

from .making import Good, Probe, World, calls, functions

_VALUES: Final = (
    functions(Frame, {"of": lambda w: {"tag": rbd.Tag}}, "Frame.")
    | functions(Transform, {"identity": lambda w: {"from_frame": w.a, "to_frame": w.b}}, "Transform.")
    | functions(
        SpatialAcceleration, {"zero": lambda w: {"body": w.a, "base": w.b, "frame": w.a}}, "SpatialAcceleration."
    )
    | functions(rbd.SpatialInertia, {"zero": lambda w: {"frame": w.a}}, "SpatialInertia.")
    | functions(
        Wrench,
        {"of_force": lambda w: {"point": Point(w.a, (1, 2, 3)), "force": FreeVector(w.a, (4, 5, 6))}},
        "Wrench.",
    )
    | calls(lambda w: Point(w.a, (1, 2, 3)), {"cross": lambda w: {"other": w.vector}}, "Point.")
    | calls(
        lambda w: SpatialAcceleration.zero(w.a, w.b, w.a),
        {"isclose": lambda w: {"other": SpatialAcceleration.zero(w.a, w.b, w.a), "atol": 1e-9}},
        "SpatialAcceleration.",
    )
    | calls(
        lambda w: Momentum.zero(w.a),
        {"isclose": lambda w: {"other": Momentum.zero(w.a), "atol": 1e-9}, "expect": lambda w: {"frame": w.a}},
        "Momentum.",
    )
    | calls(
        lambda w: w.inertia,
        {
            "isclose": lambda w: {"other": w.inertia, "atol": 1e-9},
            "expect": lambda w: {"frame": w.a},
            "__rmul__": lambda w: {"factor": 2.0},
            "__truediv__": lambda w: {"divisor": 2.0},
        },
        "SpatialInertia.",
    )
)


def _coupling(w: World) -> rbd.Coupling:
    return w.m.couple("elbow", "shoulder", name="gear")


_ROBOTS: Final = calls(_coupling, {"value": lambda w: {"x": 0.5}}, "Coupling.") | calls(
    lambda w: w.robot,
    {
        "function": lambda w: {"name": "step", "space": "tangent", "integrator": "munthe-kaas-rk4"},
        "inverse_dynamics_second_derivatives": lambda w: {
            "q": [0.1, 0.2],
            "v": [0.1, 0.2],
            "vd": [0.1, 0.2],
            "space": "tangent",
            "threads": 1,
            "status": None,
        },
        "step_derivatives": lambda w: {
            "q": [0.1, 0.2],
            "v": [0.1, 0.2],
            "tau": [0.1, 0.2],
            "dt": 0.01,
            "s": None,
            "integrator": "semi-implicit-euler",
            "space": "tangent",
            "out": None,
            "threads": 1,
            "status": None,
        },
    },
    "CompiledRobot.",
)

_SIMULATION: Final = functions(
    rbd.simulation,
    {
        "ButcherTableau": lambda w: {"a": [[0, 0], [0.5, 0]], "b": [0.0, 1.0], "b_hat": [1.0, 0.0]},
        "Action": lambda w: {"torques": {w.joint: (1.0,)}, "wrenches": w.push},
    },
    "rbd.simulation.",
) | calls(lambda _: _throttle(), {"wait": lambda w: {"t": 0.0}}, "Throttle.")


def _throttle() -> rbd.simulation.Throttle:
    """Return a throttle that never sleeps: its clock says that it is late."""
    times = iter([0.0])
    throttle = rbd.simulation.Throttle(1.0, clock=lambda: next(times, np.inf))
    throttle.begin()
    return throttle


class _Level:
    """A number of a family of its own."""

    def __init__(self, value: float) -> None:
        self.value = value


def _registered(kind: Any, family: Any, condition: Any) -> None:
    """Register a family, and forget it."""
    tables = (families._scalars, families._conditions, families._registered)
    copies = [table.copy() for table in tables]
    try:
        rbd.scalars.register_scalar(kind, family, condition=condition)
    finally:
        for table, saved in zip(tables, copies, strict=True):
            table.clear()
            table.update(saved)  # type: ignore[arg-type]  # of its own kind


class _Levels(rbd.scalars.ScalarFamily[_Level]):
    """Family of `_Level`."""

    name = "levels"

    def lift(self, x: Any, like: _Level) -> _Level:
        return x if isinstance(x, _Level) else _Level(float(x))

    def to_float(self, x: _Level) -> float:
        return x.value

    def less(self, a: _Level, b: _Level) -> bool:
        return a.value < b.value

    def less_equal(self, a: _Level, b: _Level) -> bool:
        return a.value <= b.value


_FAMILIES: Final[dict[str, Probe]] = {
    "rbd.scalars.register_scalar": lambda w: (
        _registered,
        {"kind": _Level, "family": _Levels(), "condition": None},
    )
}


def _in_a_folder(call: Callable[..., object], **arguments: object) -> object:
    """Call in an empty folder, in which files of any name may be written."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return call(**arguments)


_WRITTEN: Final[Good] = {"name": "robot", "frames": (), "strict": True}
_FILES: Final[dict[str, Probe]] = {
    "rbd.write_urdf": lambda w: (
        partial(_in_a_folder, rbd.write_urdf),
        {"mechanism": w.m, "path": "a.urdf"} | _WRITTEN,
    ),
    "rbd.write_mjcf": lambda w: (partial(_in_a_folder, rbd.write_mjcf), {"mechanism": w.m, "path": "a.xml"} | _WRITTEN),
    "Trajectory.save": lambda w: (partial(_in_a_folder, rbd.simulate(w.state, 0.002).save), {"path": "a.npz"}),
}

_TETRAHEDRON: Final = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
_URDF: Final = """<robot name="r"><link name="a"><collision>
<geometry><mesh filename="tip.obj"/></geometry></collision></link>
</robot>"""
_MJCF: Final = """<mujoco><asset><mesh name="tip" vertex="0 0 0 1 0 0 0 1 0 0 0 1"
face="0 2 1 0 1 3 0 3 2 1 2 3"/></asset>
<worldbody><geom type="mesh" mesh="tip" mass="0"/></worldbody></mujoco>"""


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder with a file and its mesh, which no call changes."""
    made = tempfile.TemporaryDirectory()
    (Path(made.name) / "tip.obj").write_text(_TETRAHEDRON, encoding="utf-8")
    (Path(made.name) / "a.urdf").write_text(_URDF, encoding="utf-8")
    return made


def _read(w: World) -> UrdfReport:
    """Return the report of a file with a mesh."""
    w.folder, w.report = Path(_folder().name), UrdfReport()
    w.model = load_urdf(w.folder / "a.urdf", report=w.report)
    return w.report


def _parsed(w: World) -> MjcfReport:
    w.report = MjcfReport()
    w.model = parse_mjcf(_MJCF, report=w.report)
    return w.report


_REPORTS: Final = (
    calls(
        _read,
        {
            "collision_model": lambda w: {"mechanism": w.model, "hull_points": 8},
            "mesh_hull": lambda w: {"mesh": w.report.geometries[0], "points": 8, "rounding": 1e-3},
            "resolve_mesh": lambda w: {"mesh": "tip.obj", "packages": {"p": w.folder}},
        },
        "UrdfReport.",
    )
    | {
        "rbd.urdf.resolve_mesh": lambda w: (
            rbd.urdf.resolve_mesh,
            {"reference": "tip.obj", "directory": _read(w).directory, "packages": {"p": w.folder}},
        )
    }
    | calls(
        _parsed,
        {
            "collision_model": lambda w: {"mechanism": w.model, "hull_points": 8},
            "mesh_hull": lambda w: {"geom": w.report.geoms[0], "points": 8, "rounding": 1e-3},
            "surface": lambda w: {"geom": w.report.geoms[0]},
        },
        "MjcfReport.",
    )
)

_COMPILED: Final = functions(
    rbd.compiled,
    {"CompiledRobot": lambda w: {"mechanism": w.m, "parameters": ["gravity"], "progress": False}},
    "rbd.compiled.",
)

MEMBERS: Final[dict[str, Probe]] = _VALUES | _ROBOTS | _SIMULATION | _FAMILIES | _FILES | _REPORTS | _COMPILED
