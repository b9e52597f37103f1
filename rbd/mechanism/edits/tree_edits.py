"""Edits of the structure: another spanning tree, removal and replacement of joints, removal of subtrees.

All checks of an edit come before its first change.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from rbd.errors import TopologyError, quoted
from rbd.mechanism.coupling import require_coordinate
from rbd.mechanism.edits.reports import RerootReport
from rbd.mechanism.edits.reverse_joint import Reversal, reverse_joint
from rbd.mechanism.members import data_of
from rbd.mechanism.tree import Edge, edge_orientations, kruskal_spanning_tree
from rbd.spatial import Transform
from rbd.spatial.transform import with_frames

if TYPE_CHECKING:
    from rbd.mechanism.body import RigidBody
    from rbd.mechanism.joint import Joint
    from rbd.mechanism.structure import Structure
    from rbd.spatial import Frame


def rebuild_tree(structure: Structure, prefer: Sequence[Joint], removed: Collection[Joint] = ()) -> RerootReport:
    """Rebuild the spanning tree: joints in `prefer` first, then the present tree joints, then loop joints.

    Raises TopologyError when the joints in `prefer` close a loop, when the rest leaves bodies unconnected, or when a
    joint's parameters cannot be reversed.
    """
    edges = structure.edges
    preferred = dict.fromkeys(prefer)
    present = [edge.joint for edge in [*structure.tree, *structure.loops]]
    order = [*preferred, *(joint for joint in present if joint not in preferred and joint not in removed)]
    chosen = kruskal_spanning_tree(structure.root, structure.bodies, [edges[joint] for joint in order])
    _refuse_loop(chosen, preferred)
    forward = edge_orientations(structure.root, chosen)
    reversals = {joint: reverse_joint(joint) for joint, is_forward in forward.items() if not is_forward}
    old_tree = tuple(edge.joint for edge in structure.tree)
    tree = [_with_reversal(edge, reversals) for edge in chosen]
    loops = [edges[joint] for joint in order if joint not in forward]
    for edge in loops:
        _refuse_coupled(structure, edge.joint)
    for edge in tree:
        data_of(edge.successor).expressed_in(edge.joint.frame_after, None, f"the tree: {edge.successor!r}")
    return _commit(structure, tree, loops, old_tree, reversals, tuple(removed))


def _refuse_loop(chosen: Sequence[Edge], preferred: Collection[Joint]) -> None:
    taken = {edge.joint for edge in chosen}
    closing = [joint for joint in preferred if joint not in taken]
    if closing:
        raise TopologyError(
            f"a tree cannot have all of these joints: {quoted(closing[0].name)} closes a loop", joint=closing[0].name
        )


def _refuse_coupled(structure: Structure, joint: Joint) -> None:
    """Raise TopologyError if a joint that will close a loop is coupled: it would have no coordinate."""
    for coupling in structure.couplings_of(joint):
        message = f"coupling {quoted(coupling.name)} needs joint {quoted(joint.name)} in the tree"
        raise TopologyError(f"{message}; choose another tree, or uncouple it first", joint=joint.name)


def _with_reversal(edge: Edge, reversals: dict[Joint, Reversal]) -> Edge:
    reversal = reversals.get(edge.joint)
    return edge if reversal is None else Edge(reversal.joint, edge.successor, edge.predecessor)


def _commit(
    structure: Structure,
    tree: Sequence[Edge],
    loops: Sequence[Edge],
    old_tree: tuple[Joint, ...],
    reversals: dict[Joint, Reversal],
    removed: tuple[Joint, ...],
) -> RerootReport:
    couplings = tuple(structure.couplings.values())
    for joint in removed:
        structure.remove_joint(joint)
    for joint, reversal in reversals.items():
        structure.substitute(joint, reversal.joint)
    structure.rebuild(tree, loops)
    return RerootReport(
        old_tree=old_tree,
        new_tree=tuple(edge.joint for edge in structure.tree),
        flipped={joint: reversal.joint for joint, reversal in reversals.items()},
        removed=removed,
        dropped={joint.name: reversal.dropped for joint, reversal in reversals.items() if reversal.dropped},
        uncoupled=tuple(coupling for coupling in couplings if coupling.name not in structure.couplings),
    )


def remove_subtree(structure: Structure, top: RigidBody) -> tuple[RigidBody, ...]:
    """Remove the subtree of a body, every joint that touches it, and their couplings; return its bodies."""
    if top is structure.root:
        raise TopologyError("the root cannot be removed", body=top.name)
    spanning_tree = structure.spanning_tree()
    removed = [body for body in structure.bodies if spanning_tree.is_in_subtree(body, top)]
    for body in removed:
        data_of(body).expressed_in(data_of(body).original_frame, None, repr(body))
    members = set(removed)
    for joint, edge in structure.edges.items():
        if edge.predecessor in members or edge.successor in members:
            structure.remove_joint(joint)
    tree = [edge for edge in structure.tree if edge.joint in structure.rank]
    loops = [edge for edge in structure.loops if edge.joint in structure.rank]
    structure.release_bodies(removed)
    structure.rebuild(tree, loops)
    return tuple(removed)


def replace_joint(structure: Structure, old: Joint, new: Joint) -> None:
    """Replace an attached joint by an unattached one: between the same bodies, at the same placement."""
    if new.name != old.name:
        structure.registry.require_new_name(new.name, structure.registry.joints, "joint")
    if structure.couplings_of(old):
        require_coordinate(new, "new")
    edge = structure.edges[old]
    before = _new_placement(structure, edge.predecessor, old.frame_before, new.frame_before)
    after = _new_placement(structure, edge.successor, old.frame_after, new.frame_after)
    for body, placement in ((edge.predecessor, before), (edge.successor, after)):
        if placement is not None:
            structure.fix_joint_frame(body, placement)
    structure.substitute(old, new)
    swapped = {old: Edge(new, edge.predecessor, edge.successor)}
    structure.rebuild(
        [swapped.get(other.joint, other) for other in structure.tree],
        [swapped.get(other.joint, other) for other in structure.loops],
    )


def _new_placement(structure: Structure, body: RigidBody, old: Frame, new: Frame) -> Transform | None:
    """Return the placement of a frame of the new joint; None if it is a frame of the old one."""
    if old == new:
        return None
    structure.registry.require_new_frame(new, "joint")
    here = data_of(body).to_default(old, "replace_joint", "joint")
    return with_frames(here, new, here.to_frame)
