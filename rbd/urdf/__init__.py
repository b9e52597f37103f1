"""Robot files in URDF: read, mended where that is safe, written back, never trusted.

The way of a file: bytes -> `rbd.files.xml` (nodes with lines, no meaning) -> `links`, `joints`, `shapes`, `topology`
(one small function per rule) -> `build` (a Mechanism).
"""

from __future__ import annotations

from rbd.files.report import Finding
from rbd.urdf.limits import UrdfLimits
from rbd.urdf.packages import Packages, resolve_mesh
from rbd.urdf.read import load_urdf, parse_urdf
from rbd.urdf.report import Geometry, Mimic, Snapped, UrdfReport, UrdfWarning
from rbd.urdf.write import format_urdf, write_urdf

__all__ = [
    "Finding",
    "Geometry",
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
