"""URDF files: reading with validation, and writing.

The way of a file: bytes -> `rbd.files.xml` (nodes with lines, no meaning) -> `links`, `joints`, `shapes`, `topology`
(one small function per rule) -> `build` (a Mechanism).
"""

from __future__ import annotations

from rbd.urdf.limits import UrdfLimits
from rbd.urdf.packages import Packages, resolve_mesh
from rbd.urdf.read import load_urdf, parse_urdf
from rbd.urdf.report import Doubt, Geometry, Ignored, Mimic, Snapped, UrdfReport, UrdfWarning
from rbd.urdf.write import format_urdf, write_urdf

__all__ = [
    "Doubt",
    "Geometry",
    "Ignored",
    "Mimic",
    "Packages",
    "Snapped",
    "UrdfLimits",
    "UrdfReport",
    "UrdfWarning",
    "format_urdf",
    "load_urdf",
    "parse_urdf",
    "resolve_mesh",
    "write_urdf",
]
