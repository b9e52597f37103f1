"""Robot models in MJCF, MuJoCo's format: mechanisms that move as MuJoCo's do.

Data flow: bytes -> `rbd.files.xml` (nodes with lines, no meaning) -> `files` (includes in place) -> `options`,
`defaults`, `meshes`, `bodies` (one small module per element) -> `masses` -> `forces` -> `build` (a Mechanism) ->
`equality`, `contacts`, `keyframes`. `reading` is the context of them all: settings, default classes, the report.
"""

from __future__ import annotations

from rbd.files.mesh_hulls import MeshHull
from rbd.files.report import Finding
from rbd.mjcf.controller import MjcfController
from rbd.mjcf.coordinates import from_mujoco, to_mujoco
from rbd.mjcf.limits import MjcfLimits
from rbd.mjcf.read import load_mjcf, parse_mjcf
from rbd.mjcf.report import Actuator, CoordinateSpring, Geom, GravityCompensation, MjcfReport, MjcfWarning
from rbd.mjcf.write import format_mjcf, write_mjcf

__all__ = [
    "Actuator",
    "CoordinateSpring",
    "Finding",
    "Geom",
    "GravityCompensation",
    "MeshHull",
    "MjcfController",
    "MjcfLimits",
    "MjcfReport",
    "MjcfWarning",
    "format_mjcf",
    "from_mujoco",
    "load_mjcf",
    "parse_mjcf",
    "to_mujoco",
    "write_mjcf",
]
