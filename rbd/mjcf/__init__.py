"""Robot models in MJCF, MuJoCo's format: mechanisms that move as MuJoCo's do.

The reader goes through a file in this order: elements with lines (`rbd.files.xml`), included files, settings and
default classes, bodies, masses, forces, constraints, the Mechanism, and what refers to its joints. Each element is
checked and described first (`description`); `build` puts the descriptions together. Readers return what they read;
`read` makes the report of it.

read.py          `load_mjcf`, `parse_mjcf`: the order of the reading
reading.py       context of all readers: settings, default classes, findings
files.py         included files and meshes, below one directory; limits.py: `MjcfLimits`
element.py       an element with the defaults of its class; defaults.py: these classes
schema.py        attributes that are honoured, and those without effect
options.py       `<compiler>` and `<option>`; settings.py: their values
bodies.py        `<worldbody>`; description.py: its bodies, joints, geoms and sites
joints.py        `<joint>` and `<freejoint>`
geoms.py         `<geom>`; geom_inertias.py: mass and inertia of simple shapes
assets.py        `<asset>`; mesh_inertias.py: mass and inertia of meshes
orientation.py   poses and the five forms of an orientation; rotations.py: their rotations
inertials.py     masses and inertias of bodies
forces.py        forces on joints:
actuators.py     `<actuator>`; force_laws.py: gain and bias
tendons.py       `<tendon>`
equality.py      `<equality>`: loops and couplings
build.py         the Mechanism
contacts.py      `<contact>`: pairs of geoms; contact_friction.py: their friction
keyframes.py     `<keyframe>`; coordinates.py: MuJoCo's coordinates as rbd's, and back
damping_ratios.py  stiffness and damping from time constants and the mass matrix

report.py        `MjcfReport`: contents of the file that a mechanism does not have
collisions.py    the geoms of a report as a CollisionModel
controller.py    `MjcfController`: the actuators of a report as a control
write.py         `write_mjcf`, `format_mjcf`: the order of the file
write_worldbody.py, write_equality.py: its sections; write_sites.py: the sites of both; write_elements.py: elements
"""

from __future__ import annotations

from rbd.files.report import Finding
from rbd.meshes.rounded_hulls import MeshHull
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
