"""`rbd info`: the tree, tables of joints and bodies, and the findings of the reader."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rbd.cli.findings import ignored_lines, snapped, warning_lines
from rbd.cli.options import Command, add_file
from rbd.cli.robot_file import read_robot
from rbd.errors import printable
from rbd.scalars import to_float

if TYPE_CHECKING:
    from rbd.mechanism import Joint, Mechanism, RigidBody
    from rbd.mechanism.parameters import Bounds
    from rbd.mjcf import MjcfReport
    from rbd.scalars import Scalar
    from rbd.urdf import UrdfReport

Row = tuple[str, ...]

_EXAMPLES = """
rbd info robot.urdf
rbd info --floating --keep-fixed robot.urdf
rbd info gymnasium:ant.xml
"""


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    robot = read_robot(options)
    mechanism, report = robot.mechanism, robot.report
    groups = {
        "joints": aligned([_JOINT_HEAD, *map(_joint_row, mechanism.joints, _indices(mechanism))]),
        "bodies": aligned([_BODY_HEAD, *map(_body_row, mechanism.bodies[1:])]),
        "in the file": _contents(report),
        "warnings": warning_lines(report),
        "snapped": [f"line {s.line}: {s.element}: {s.message}" for s in snapped(report)],
        "ignored": ignored_lines(report),
    }
    print("\n".join([robot.title, robot.summary, "", str(mechanism)]))
    for title, lines in groups.items():
        if lines:
            print("\n".join(["", f"{title}:", *(f"  {line}" for line in lines)]))
    return 0


_JOINT_HEAD = ("joint", "type", "q", "v", "position", "velocity", "effort", "damping", "friction", "armature")
_BODY_HEAD = ("body", "mass (kg)", "centre of mass (m)", "principal moments (kg m²)")


def _indices(mechanism: Mechanism) -> list[tuple[str, str]]:
    """Return, for every joint, where its coordinates and velocities are; loop joints have none."""
    from rbd.state import MechanismState

    state, loops = MechanismState(mechanism), set(mechanism.loop_joints)
    return [
        ("-", "-") if joint in loops else (_range(state.q_slice(joint)), _range(state.v_slice(joint)))
        for joint in mechanism.joints
    ]


def _range(entries: slice) -> str:
    first, behind = int(entries.start), int(entries.stop)
    return "-" if first == behind else str(first) if behind == first + 1 else f"{first}:{behind}"


def _joint_row(joint: Joint, indices: tuple[str, str]) -> Row:
    bounds = joint.position_bounds, joint.velocity_bounds, joint.effort_bounds
    numbers = joint.damping, joint.friction, joint.armature
    kind = type(joint.type).__name__
    return (joint.name, kind, *indices, *map(_format_bounds, bounds), *map(_format_parameter, numbers))


def _format_bounds(bounds: Bounds) -> str:
    """Return bounds as "-1 ... 1", or "± 1"; those of joints with several coordinates only if they are equal."""
    pairs = {tuple(map(to_float, pair)) for pair in bounds}
    if not pairs or pairs == {(-np.inf, np.inf)}:
        return "-"
    if len(pairs) > 1:
        return "several"
    [(low, high)] = pairs
    return f"± {high:g}" if low == -high else f"{low:.4g} ... {high:.4g}"


def _format_parameter(values: Iterable[Scalar]) -> str:
    """Return the parameter of a joint: one number if all velocities have the same."""
    texts = [f"{to_float(value):g}" for value in values]
    if not any(value != "0" for value in texts):
        return "-"
    return texts[0] if len(set(texts)) == 1 else ":".join(texts)


def _body_row(body: RigidBody) -> Row:
    inertia = body.inertia
    if inertia is None or not inertia.mass:
        return (body.name, "0", "-", "-")
    center, moments = inertia.center_of_mass.xyz, inertia.principal_moments
    return (body.name, f"{to_float(inertia.mass):.4g}", _format_vector(center), _format_vector(moments))


def _format_vector(values: Iterable[Scalar]) -> str:
    return " ".join(f"{to_float(value) + 0.0:.4g}" for value in values)


def _contents(report: UrdfReport | MjcfReport) -> list[str]:
    """Return the contents of a file besides the mechanism: shapes, actuators, keyframes."""
    from rbd.urdf import UrdfReport

    if isinstance(report, UrdfReport):
        uses = {
            use: Counter[str](g.shape for g in report.geometries if g.use == use) for use in ("collision", "visual")
        }
        return [f"{use} shapes: {_format_counts(shapes)}" for use, shapes in uses.items() if shapes]
    keys = [printable(name) for name in report.keyframes]
    shapes = Counter(geom.shape for geom in report.geoms)
    pairs = f"{len(report.pairs)} pair{'' if len(report.pairs) == 1 else 's'} that may collide"
    lines = [f"shapes: {_format_counts(shapes)}, {pairs}"] if shapes else []
    lines += [f"actuators: {len(report.actuators)}"] if report.actuators else []
    lines += [f"springs: {len(report.springs)}"] if report.springs else []
    return [*lines, f"keyframes: {', '.join(keys)}"] if keys else lines


def _format_counts(shapes: Counter[str]) -> str:
    return ", ".join(f"{count} {shape}" for shape, count in sorted(shapes.items()))


def aligned(rows: Sequence[Row]) -> list[str]:
    """Return the rows of a table, with a head, as lines; columns are aligned, those of dashes only are left out.

    >>> aligned([("joint", "q", "damping"), ("shoulder", "0", "-")])
    ['joint     q', 'shoulder  0']
    """
    if len(rows) < 2:
        return []
    columns = [column for column in zip(*rows, strict=True) if set(column[1:]) != {"-"}]
    widths = [max(map(len, column)) for column in columns]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in zip(*columns, strict=True)]


COMMAND = Command(
    "info",
    "show tree, joints, limits, masses, loops and warnings of a robot file (URDF, MJCF)",
    _EXAMPLES,
    add_file,
    run,
)
