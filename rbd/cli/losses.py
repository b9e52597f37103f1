"""Losses of a robot file that is written in another format and read again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from rbd.cli.initial_state import REFERENCE
from rbd.errors import quoted
from rbd.scalars import to_float

if TYPE_CHECKING:
    from rbd.cli.robot_file import RobotFile
    from rbd.files.report import FileReport
    from rbd.mechanism import Joint, Mechanism, RigidBody
    from rbd.scalars.arrays import Array
    from rbd.state import MechanismState

_BOUNDS: Final = ("position_bounds", "velocity_bounds", "effort_bounds")
_PARAMETERS: Final = (
    "damping", "friction", "friction_velocity", "armature", "bound_stiffness", "bound_damping"
)  # fmt: skip
_IN_REPORTS: Final = {
    "geometries": "shapes", "geoms": "shapes", "actuators": "actuators", "springs": "springs",
    "gravity_compensations": "gravity compensations", "keyframes": "keyframes",
}  # fmt: skip
_MAX_LISTED: Final = 4
_TOLERANCE: Final = 1e-9
"""Of numbers, relative: writers round those that they compute."""


def losses(before: RobotFile, after: RobotFile) -> list[str]:
    """Return the losses, as lines: differences of the mechanism and the report of a file written and read again."""
    old, new = before.mechanism, after.mechanism
    lines = list(_joint_losses(old, new))
    frames = [frame.name for body in new.bodies for frame in body.frames]
    lines += _missing_names("body", _body_names(old), _body_names(new))
    lines += _listed("inertia", _changed_inertias(old, new))
    lines += _missing_names("frame", named_frames(old), [*frames, *_body_names(new)])  # in URDF frames become links
    lines += _listed("pose of a frame", _moved_frames(old, new))
    if len(old.couplings) > len(new.couplings):
        lines.append(f"{len(old.couplings) - len(new.couplings)} of {len(old.couplings)} couplings")
    if not _same(old.gravity.xyz, new.gravity.xyz):
        lines.append(f"gravity {_numbers(old.gravity.xyz)}: it is {_numbers(new.gravity.xyz)}")
    return [*lines, *_report_losses(before.report, after.report)]


def named_frames(mechanism: Mechanism) -> list[str]:
    """Return the names of the frames that users or files have added to bodies: none of joints, one of each name."""
    own = {frame for joint in mechanism.joints for frame in (joint.frame_before, joint.frame_after)}
    own |= {body.default_frame for body in mechanism.bodies}
    frames = [frame for body in mechanism.bodies for frame in body.frames]
    names = [frame.name for frame in frames]
    taken = {body.name for body in mechanism.bodies}
    return [f.name for f in frames if f not in own and names.count(f.name) == 1 and f.name not in taken]


def _moved_frames(old: Mechanism, new: Mechanism) -> list[str]:
    """Return the names of bodies and frames whose pose in the zero configuration is another.

    In URDF, a body's frame is that of its joint.
    """
    poses, kept = _poses(new), _poses(old)
    return [name for name in kept if name in poses and not _same(kept[name], poses[name])]


def _poses(mechanism: Mechanism) -> dict[str, Array]:
    """Return the poses of bodies, by the frames of their names, and of named frames, in the root frame."""
    from rbd.state import MechanismState

    state, names = MechanismState(mechanism), set(named_frames(mechanism))
    frames = {body.name: body.default_frame for body in mechanism.bodies[1:]}
    frames |= {f.name: f for body in mechanism.bodies[1:] for f in body.frames if f.name in names | {body.name}}
    return {name: state.transform_to_root(frame).matrix for name, frame in frames.items()}


def _body_names(mechanism: Mechanism) -> list[str]:
    return [body.name for body in mechanism.bodies]


def _joint_losses(old: Mechanism, new: Mechanism) -> Iterator[str]:
    pairs, names = _pairs(old.joints, new.joints)
    missing = [joint for joint in old.joints if joint.name not in names]
    yield from _listed("joint", [joint.name for joint in missing if joint.nv])
    yield from _listed("name of a fixed joint", [joint.name for joint in missing if not joint.nv])
    kinds = [f"{a.name}: {_kind(a)} becomes {_kind(b)}" for a, b in pairs if _kind(a) != _kind(b)]
    yield from kinds
    same = [(a, b) for a, b in pairs if _kind(a) == _kind(b)]
    for parameter in (*_BOUNDS, *_PARAMETERS):
        changed = [a.name for a, b in same if not _same_parameter(a, b, parameter)]
        yield from _listed(parameter.replace("_", " "), changed)


def _pairs(old: Iterable[Joint], new: Iterable[Joint]) -> tuple[list[tuple[Joint, Joint]], set[str]]:
    """Return the joints that both have, by name, and their names."""
    by_name = {joint.name: joint for joint in new}
    pairs = [(joint, by_name[joint.name]) for joint in old if joint.name in by_name]
    return pairs, {joint.name for joint, _ in pairs}


def _kind(joint: Joint) -> str:
    return type(joint.type).__name__


def _same_parameter(a: Joint, b: Joint, name: str) -> bool:
    """Whether two joints have the same parameter; the smoothing of a friction of zero does not matter."""
    if name == "friction_velocity" and not any(map(to_float, a.friction)):
        return True
    if name == "bound_damping" and not any(map(to_float, a.bound_stiffness)):
        return True
    values = [np.array(getattr(joint, name), dtype=np.float64).ravel() for joint in (a, b)]
    if name in _BOUNDS:  # no bounds and infinite bounds are the same
        values = [value if np.isfinite(value).any() else np.empty(0) for value in values]
    return _same(*values)


def _changed_inertias(old: Mechanism, new: Mechanism) -> list[str]:
    """Return the bodies whose inertia is other in a mechanism: mass, principal moments, or centre in the zero pose."""
    from rbd.state import MechanismState

    new_bodies, states = {body.name: body for body in new.bodies}, (MechanismState(old), MechanismState(new))
    pairs = [(body, new_bodies[body.name]) for body in old.bodies[1:] if body.name in new_bodies]
    return [a.name for a, b in pairs if not _same_inertia(*map(_inertia_numbers, states, (a, b)))]


def _same_inertia(a: tuple[Array, Array, Array], b: tuple[Array, Array, Array]) -> bool:
    return all(map(_same, a[:2], b[:2])) and np.allclose(a[2], b[2], rtol=_TOLERANCE, atol=_TOLERANCE)


def _inertia_numbers(state: MechanismState, body: RigidBody) -> tuple[Array, Array, Array]:
    """Return mass, principal moments, and the centre of mass in the root frame; zeros where there is no mass."""
    inertia = body.inertia
    if inertia is None or not to_float(inertia.mass):
        return np.zeros(1), np.zeros(3), np.zeros(3)
    center = state.transform(inertia.center_of_mass, state.mechanism.root_frame)
    return np.array([to_float(inertia.mass)]), np.asarray(inertia.principal_moments), np.asarray(center.xyz)


def _same(a: Array, b: Array) -> bool:
    if a.shape != b.shape:
        return False
    finite = np.concatenate([a[np.isfinite(a)], b[np.isfinite(b)], np.zeros(1)])
    scale = float(np.abs(finite).max())
    return bool(np.allclose(a, b, rtol=_TOLERANCE, atol=_TOLERANCE * scale))


def _missing_names(kind: str, old: Sequence[str], new: Iterable[str]) -> list[str]:
    known = set(new)
    return _listed(kind, [name for name in old if name not in known])


def _report_losses(before: FileReport, after: FileReport) -> Iterator[str]:
    """Yield the losses besides those of the mechanism: shapes, actuators and other entries of reports."""
    for field, word in _IN_REPORTS.items():
        had = _count(before, field)
        has = sum(_count(after, other) for other in _IN_REPORTS if _IN_REPORTS[other] == word)
        if has < had:
            yield f"{had - has} of {had} {word}" if has else f"{had} {word}"


def _count(report: FileReport, field: str) -> int:
    """Return the number of entries, of keyframes without the reference configuration, which every MJCF file has."""
    entries = getattr(report, field, ())
    return len(entries) - (field == "keyframes" and REFERENCE in entries)


def _listed(kind: str, names: Sequence[str]) -> list[str]:
    """Return a line that says of which joints or bodies something is lost, if of any."""
    if not names:
        return []
    shown = ", ".join(quoted(name) for name in names[:_MAX_LISTED])
    more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    return [f"{kind}: {shown}{more}"]


def _numbers(values: Array) -> str:
    return " ".join(f"{value:g}" for value in values.tolist() if math.isfinite(value))
