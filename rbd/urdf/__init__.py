"""Robot files in URDF: read, repaired where that is safe, written. Files are untrusted.

Data flow: bytes -> `rbd.files.xml` (nodes with lines, no meaning) -> `robot` with `links`, `joints`, `shapes` (the
rules of elements) -> `topology` (order of joints) -> `build` (a Mechanism).
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
