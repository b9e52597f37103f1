"""Constraints of a mechanism as text: couplings as `<mimic>`, loop joints as `<loop_joint>`."""

from __future__ import annotations

from collections.abc import Iterator

from rbd.errors import quoted
from rbd.files.writing import element, numbers_text, refusal
from rbd.joints import Prismatic, QuaternionSpherical, Revolute
from rbd.mechanism import Coupling, Joint, Mechanism, RigidBody
from rbd.scalars import to_float
from rbd.spatial import Transform
from rbd.urdf.cycles import find_cycle
from rbd.urdf.write_elements import kind_and_axis, parameter_lines, placement_attributes


def mimic_elements(mechanism: Mechanism, *, strict: bool) -> dict[Joint, str]:
    """Return the `<mimic>` of each coupled joint; raise ArgumentError naming a joint whose coupling is no mimic."""
    mimics: dict[Joint, str] = {}
    sources: dict[str, str] = {}
    for coupling in mechanism.couplings:
        joint, source = coupling.joint, coupling.source
        problem = _problem(coupling, sources)
        if problem is None and source is not None:
            offset, ratio = (to_float(c) for c in coupling.coefficients)
            attributes = {"joint": source.name, "multiplier": numbers_text([ratio]), "offset": numbers_text([offset])}
            mimics[joint], sources[joint.name] = element("mimic", attributes), source.name
        elif strict:
            message = f"URDF cannot express coupling {quoted(coupling.name)}, {problem}; strict=False leaves it out"
            raise refusal(joint, message)
    return mimics


def _problem(coupling: Coupling, sources: dict[str, str]) -> str | None:
    """Return why a coupling is no mimic; None if it is one."""
    if coupling.source is None:
        return "which holds a joint"
    if not all(isinstance(joint.type, (Revolute, Prismatic)) for joint in coupling.joints):
        return "whose joints are not revolute or prismatic"
    if not coupling.is_linear:
        return "which is not linear"
    if coupling.joint.name in sources:
        return "the second one of its joint"
    if find_cycle({**sources, coupling.joint.name: coupling.source.name}):
        return "which closes a cycle of mimics"
    return None


def loop_joint_lines(
    joint: Joint, predecessor: RigidBody, successor: RigidBody, placement: Transform, successor_placement: Transform,
    *, strict: bool,
) -> Iterator[str]:  # fmt: skip
    """Yield the lines of a loop joint; raise ArgumentError naming it when its type has no name."""
    kind, axis = ("spherical", None) if isinstance(joint.type, QuaternionSpherical) else kind_and_axis(joint)
    yield "  " + element("loop_joint", {"name": joint.name, "type": kind}, closed=False)
    for tag, body, pose in (("link1", predecessor, placement), ("link2", successor, successor_placement)):
        yield f"    {element(tag, {'link': body.name, **placement_attributes(pose)})}"
    yield from parameter_lines(joint, kind, axis, strict=strict)
    yield "  </loop_joint>"
