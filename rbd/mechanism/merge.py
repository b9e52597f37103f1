"""Merging bodies that fixed joints make one."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from rbd.errors import TopologyError, quoted
from rbd.mechanism import body as bodies_
from rbd.mechanism.reports import MergeReport
from rbd.mechanism.tree import Link
from rbd.scalars import to_float
from rbd.spatial import Transform
from rbd.spatial.values import require_finite

if TYPE_CHECKING:
    from rbd.mechanism.body import RigidBody
    from rbd.mechanism.joint import Joint
    from rbd.mechanism.structure import Structure
    from rbd.spatial import Frame, SpatialInertia

_CLOSE = 1e-9

Survivors: TypeAlias = "dict[RigidBody, tuple[RigidBody, Transform]]"
"""For each merged body, the body it goes into and the transform from its default frame to that body's."""


def merge_fixed(structure: Structure) -> MergeReport:
    """Merge bodies across the tree joints without freedom.

    Raises TopologyError if a loop joint would then connect a body with itself in a pose it does not allow.
    """
    survivors = _survivors(structure)
    gone = tuple(link.joint for link in structure.tree if link.successor in survivors)
    tree = [_rewired(link, survivors) for link in structure.tree if link.successor not in survivors]
    loops = [_rewired(link, survivors) for link in structure.loops]
    idle = tuple(link.joint for link in loops if link.predecessor is link.successor)
    for joint in idle:
        _require_satisfied(structure, joint, survivors)
    _require_finite(survivors)
    report = MergeReport({body: kept for body, (kept, _) in survivors.items()}, gone + idle)
    if survivors:
        _commit(structure, survivors, tree, [link for link in loops if link.joint not in idle], report.removed_joints)
    return report


def _survivors(structure: Structure) -> Survivors:
    found: Survivors = {}
    for link in structure.tree:
        joint, parent = link.joint, link.predecessor
        if joint.nv or joint.nq:
            continue
        across = joint.type.transform((), joint.frame_after, joint.frame_before)
        step = bodies_.data_of(parent).definition(joint.frame_before, "remove_fixed_joints", "joint") @ across
        kept, onward = found.get(parent, (parent, None))
        found[link.successor] = kept, step if onward is None else onward @ step
    return found


def _require_finite(survivors: Survivors) -> None:
    """Raise NotFiniteError when what bodies have overflows on those they are merged into."""
    totals: dict[RigidBody, SpatialInertia] = {}
    for body, (kept, to_kept) in survivors.items():
        bodies_.require_shareable(body, to_kept, repr(body))
        total = totals.get(kept, kept.inertia)
        if total is not None and body.inertia is not None:
            totals[kept] = require_finite(total + body.inertia.transformed(to_kept), repr(body))


def _rewired(link: Link, survivors: Survivors) -> Link:
    first, last = (survivors[body][0] if body in survivors else body for body in (link.predecessor, link.successor))
    return Link(link.joint, first, last)


def _require_satisfied(structure: Structure, joint: Joint, survivors: Survivors) -> None:
    """Raise TopologyError unless the loop joint allows the pose its frames have on the merged body."""
    link = structure.links[joint]
    before = _on_survivor(link.predecessor, joint.frame_before, survivors)
    after = _on_survivor(link.successor, joint.frame_after, survivors)
    pose: Transform = before.inverse() @ after
    nearest = joint.type.transform(joint.type.project(pose), joint.frame_after, joint.frame_before)
    if _distance(pose, nearest) > _CLOSE:
        name = structure.links[joint].predecessor.name
        raise TopologyError(
            f"loop joint {quoted(joint.name)} would connect {quoted(name)} with itself, in a pose it does not allow",
            joint=joint.name,
        )


def _on_survivor(body: RigidBody, frame: Frame, survivors: Survivors) -> Transform:
    here = bodies_.data_of(body).definition(frame, "remove_fixed_joints", "joint")
    return survivors[body][1] @ here if body in survivors else here


def _distance(a: Transform, b: Transform) -> float:
    """Return the largest difference between the components of two transforms."""
    flat = [
        (x, y)
        for p, q in zip(a.rotation_components, b.rotation_components, strict=True)
        for x, y in zip(p, q, strict=True)
    ]
    flat += zip(a.translation_components, b.translation_components, strict=True)
    return max(abs(to_float(x - y)) for x, y in flat)


def _commit(
    structure: Structure, survivors: Survivors, tree: list[Link], loops: list[Link], gone: tuple[Joint, ...]
) -> None:
    merged, now = structure.books.merged, {body.name: kept.name for body, (kept, _) in survivors.items()}
    merged.update({name: now.get(survivor, survivor) for name, survivor in merged.items()} | now)
    for body, (kept, to_kept) in survivors.items():
        tags = {frame: tag for frame, tag in structure.books.tags.items() if body.has_frame(frame)}
        bodies_.data_of(body).strike()
        _absorb(kept, body, to_kept)
        structure.books.tags.update(tags)
    for joint in gone:
        structure.strike(joint)
        structure.minted -= {joint.frame_before, joint.frame_after}  # they stay, as frames of the merged body
    structure.rebuild(tree, loops)


def _absorb(kept: RigidBody, body: RigidBody, to_kept: Transform) -> None:
    """Let one body take over frames, contact points and inertia of another; the root takes no inertia."""
    bodies_.share(body, kept, {frame: frame for frame in body.frames}, to_kept)
    if kept.inertia is not None and body.inertia is not None:
        kept.set_inertia(kept.inertia + body.inertia.transformed(to_kept))
