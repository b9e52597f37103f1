"""Robot files in URDF: read, repaired where that is safe, written. Files are untrusted.

The reader goes through a file in this order: elements with lines (`rbd.files.xml`), the description of the robot (each
element is checked), the order of its joints, the Mechanism.

read.py         `load_urdf`, `parse_urdf`: the order of the reading
reading.py      context of all readers: `UrdfLimits`, options, findings
description.py  the robot, its links and joints, as the readers describe them
robot.py        `<robot>`
links.py        `<link>` and `<inertial>`
shapes.py       `<visual>`, `<collision>` and `<material>`
joints.py       `<joint>`; loops.py: `<loop_joint>`; mimics.py: `<mimic>`
origins.py      `<origin>` and `<axis>`; snapping.py: coordinate-aligned ones are made exact
topology.py     one tree of links and joints; cycles.py: cycles of names
build.py        the Mechanism

report.py       `UrdfReport`: contents of the file that a mechanism does not have
packages.py     mesh references as paths
meshes.py       mesh files and their convex hulls
collisions.py   the shapes of a report as a CollisionModel
write.py        `write_urdf`, `format_urdf`; write_constraints.py: loop joints and couplings
write_elements.py  other elements as text
"""

from __future__ import annotations

from rbd.files.report import Finding
from rbd.urdf.packages import Packages, resolve_mesh
from rbd.urdf.read import load_urdf, parse_urdf
from rbd.urdf.reading import UrdfLimits
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
