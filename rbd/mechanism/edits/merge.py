"""Merging bodies that are connected by fixed joints."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from rbd.errors import TopologyError, quoted
from rbd.mechanism.copying import copy_contents, require_copyable
from rbd.mechanism.edits.reports import MergeReport
from rbd.mechanism.members import data_of
from rbd.mechanism.tree import Edge
from rbd.spatial import Transform
from rbd.spatial.values import require_finite

if TYPE_CHECKING:
    from rbd.mechanism.body import RigidBody
    from rbd.mechanism.joint import Joint
    from rbd.mechanism.structure import Structure
    from rbd.spatial import Frame, SpatialInertia

_TOLERANCE = 1e-9

MergedInto: TypeAlias = "dict[RigidBody, tuple[RigidBody, Transform]]"
"""For each merged body, the body it goes into and the transform from its default frame to that body's."""


def merge_fixed(structure: Structure) -> MergeReport:
    """Merge bodies across the tree joints without degrees of freedom.

    Raises TopologyError if a loop joint would then connect a body with itself in a pose it does not allow.
    """
    merged_into = _merged_into(structure)
    loops = [_redirected(edge, merged_into) for edge in structure.loops]
    self_loops = tuple(edge.joint for edge in loops if edge.predecessor is edge.successor)
    for joint in self_loops:
        _require_satisfied(structure, joint, merged_into)
    _require_finite(merged_into)
    removed = tuple(edge.joint for edge in structure.tree if edge.successor in merged_into) + self_loops
    if merged_into:
        _commit(structure, merged_into, dict.fromkeys(removed))
    return MergeReport({body: target for body, (target, _) in merged_into.items()}, removed)


def _merged_into(structure: Structure) -> MergedInto:
    merged_into: MergedInto = {}
    for edge in structure.tree:
        joint, parent = edge.joint, edge.predecessor
        if joint.nv or joint.nq:
            continue
        across = joint.type.transform((), joint.frame_after, joint.frame_before)
        step = data_of(parent).to_default(joint.frame_before, "remove_fixed_joints", "joint") @ across
        target, onward = merged_into.get(parent, (parent, None))
        merged_into[edge.successor] = target, step if onward is None else onward @ step
    return merged_into


def _require_finite(merged_into: MergedInto) -> None:
    """Raise NotFiniteError when frames, points or inertias overflow on the bodies they are merged into."""
    totals: dict[RigidBody, SpatialInertia] = {}
    for body, (target, to_target) in merged_into.items():
        require_copyable(body, to_target, repr(body))
        total = totals.get(target, target.inertia)
        if total is not None and body.inertia is not None:
            totals[target] = require_finite(total + body.inertia.transformed(to_target), repr(body))


def _redirected(edge: Edge, merged_into: MergedInto) -> Edge:
    first, last = (merged_into[body][0] if body in merged_into else body for body in (edge.predecessor, edge.successor))
    return Edge(edge.joint, first, last)


def _require_satisfied(structure: Structure, joint: Joint, merged_into: MergedInto) -> None:
    """Raise TopologyError unless the loop joint allows the pose its frames have on the merged body."""
    edge = structure.edges[joint]
    before = _on_merged_body(edge.predecessor, joint.frame_before, merged_into)
    after = _on_merged_body(edge.successor, joint.frame_after, merged_into)
    pose: Transform = before.inverse() @ after
    nearest = joint.type.transform(joint.type.project(pose), joint.frame_after, joint.frame_before)
    if not pose.isclose(nearest, _TOLERANCE):
        name = structure.edges[joint].predecessor.name
        raise TopologyError(
            f"loop joint {quoted(joint.name)} would connect {quoted(name)} with itself, in a pose it does not allow",
            joint=joint.name,
        )


def _on_merged_body(body: RigidBody, frame: Frame, merged_into: MergedInto) -> Transform:
    here = data_of(body).to_default(frame, "remove_fixed_joints", "joint")
    return merged_into[body][1] @ here if body in merged_into else here


def _commit(structure: Structure, merged_into: MergedInto, removed: dict[Joint, None]) -> None:
    """Merge the bodies, and remove the joints."""
    tree, loops = (
        [_redirected(edge, merged_into) for edge in edges if edge.joint not in removed]
        for edges in (structure.tree, structure.loops)
    )
    _record_names(structure, merged_into)
    for body, (target, to_target) in merged_into.items():
        tags = {frame: tag for frame, tag in structure.registry.tags.items() if body.has_frame(frame)}
        structure.registry.remove_body(body)
        _merge_body(target, body, to_target)
        structure.registry.tags.update(tags)
    for joint in removed:
        structure.remove_joint(joint)
        structure.joint_frames -= {joint.frame_before, joint.frame_after}  # they stay, as frames of the merged body
    structure.rebuild(tree, loops)


def _record_names(structure: Structure, merged_into: MergedInto) -> None:
    """Record the bodies into which others were merged, also those merged earlier."""
    merged = structure.registry.merged
    targets = {body.name: target.name for body, (target, _) in merged_into.items()}
    merged.update({name: targets.get(target, target) for name, target in merged.items()} | targets)


def _merge_body(target: RigidBody, body: RigidBody, to_target: Transform) -> None:
    """Move frames, contact points and inertia of one body to another; the root gets no inertia."""
    copy_contents(body, target, {frame: frame for frame in body.frames}, to_target)
    if target.inertia is not None and body.inertia is not None:
        target.set_inertia(target.inertia + body.inertia.transformed(to_target))
