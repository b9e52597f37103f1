"""Edits of the structure: choosing another tree, removing and replacing joints, removing subtrees.

Every edit plans first; only the plan can fail.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from rbd.errors import TopologyError, quoted
from rbd.mechanism import body as bodies_
from rbd.mechanism.attach import require_loose
from rbd.mechanism.body_data import relabelled
from rbd.mechanism.flip import Flip, flip
from rbd.mechanism.reports import RerootReport
from rbd.mechanism.tree import Link, oriented, spanning_links
from rbd.spatial import Transform

if TYPE_CHECKING:
    from rbd.mechanism.body import RigidBody
    from rbd.mechanism.joint import Joint
    from rbd.mechanism.structure import Structure
    from rbd.spatial import Frame


def choose_tree(structure: Structure, prefer: Sequence[Joint], removed: Collection[Joint] = ()) -> RerootReport:
    """Let the tree be made of the joints in `prefer` first, then of those it has now, then of loop joints.

    Raises TopologyError when the joints in `prefer` close a loop, when the rest leaves bodies unconnected, or when a
    joint's parameters cannot be turned round.
    """
    links = structure.links
    wanted = dict.fromkeys(prefer)
    present = [link.joint for link in [*structure.tree, *structure.loops]]
    order = [*wanted, *(joint for joint in present if joint not in wanted and joint not in removed)]
    chosen = spanning_links(structure.root, structure.bodies, [links[joint] for joint in order])
    _refuse_loop(chosen, wanted)
    forward = oriented(structure.root, chosen)
    flips = {joint: flip(joint) for joint, is_forward in forward.items() if not is_forward}
    old_tree = tuple(link.joint for link in structure.tree)
    tree = [_flipped(link, flips) for link in chosen]
    loops = [links[joint] for joint in order if joint not in forward]
    for link in tree:
        bodies_.data_of(link.successor).seen_from(link.joint.frame_after, None, f"the tree: {link.successor!r}")
    return _commit(structure, tree, loops, old_tree, flips, tuple(removed))


def _refuse_loop(chosen: Sequence[Link], wanted: Collection[Joint]) -> None:
    taken = {link.joint for link in chosen}
    closing = [joint for joint in wanted if joint not in taken]
    if closing:
        raise TopologyError(
            f"a tree cannot have all of these joints: {quoted(closing[0].name)} closes a loop", joint=closing[0].name
        )


def _flipped(link: Link, flips: dict[Joint, Flip]) -> Link:
    turned = flips.get(link.joint)
    return link if turned is None else Link(turned.joint, link.successor, link.predecessor)


def _commit(
    structure: Structure,
    tree: Sequence[Link],
    loops: Sequence[Link],
    old_tree: tuple[Joint, ...],
    flips: dict[Joint, Flip],
    removed: tuple[Joint, ...],
) -> RerootReport:
    for joint in removed:
        structure.strike(joint)
    for joint, turned in flips.items():
        structure.substitute(joint, turned.joint)
    structure.rebuild(tree, loops)
    return RerootReport(
        old_tree,
        tuple(link.joint for link in structure.tree),
        {joint: turned.joint for joint, turned in flips.items()},
        removed,
        {joint.name: turned.dropped for joint, turned in flips.items() if turned.dropped},
    )


def remove_subtree(structure: Structure, top: RigidBody) -> tuple[RigidBody, ...]:
    """Remove a body, all that hang on it, and every joint that touches one of them; return the bodies, now loose."""
    if top is structure.root:
        raise TopologyError("the root cannot be removed", body=top.name)
    snapshot = structure.snapshot()
    gone = [body for body in structure.bodies if snapshot.is_below(body, top)]
    for body in gone:
        bodies_.data_of(body).seen_from(bodies_.data_of(body).own_frame, None, repr(body))
    lost = set(gone)
    for joint, link in structure.links.items():
        if link.predecessor in lost or link.successor in lost:
            structure.strike(joint)
    tree = [link for link in structure.tree if link.joint in structure.rank]
    loops = [link for link in structure.loops if link.joint in structure.rank]
    structure.release(gone)
    structure.rebuild(tree, loops)
    return tuple(gone)


def replace_joint(structure: Structure, old: Joint, joint: Joint) -> None:
    """Let a loose joint take the place of an attached one: between the same bodies, at the same place."""
    require_loose(structure, joint, "replace_joint")
    if joint.name != old.name:
        structure.books.require_new_name(joint.name, structure.books.joints, "joint")
    link = structure.links[old]
    before = _taken_over(structure, link.predecessor, old.frame_before, joint.frame_before)
    after = _taken_over(structure, link.successor, old.frame_after, joint.frame_after)
    for body, placement in ((link.predecessor, before), (link.successor, after)):
        if placement is not None:
            structure.mint(body, placement)
    structure.substitute(old, joint)
    swapped = {old: Link(joint, link.predecessor, link.successor)}
    structure.rebuild(
        [swapped.get(k.joint, k) for k in structure.tree], [swapped.get(k.joint, k) for k in structure.loops]
    )


def _taken_over(structure: Structure, body: RigidBody, old: Frame, new: Frame) -> Transform | None:
    """Return where a frame of the new joint goes; None if it has the old one's."""
    if old == new:
        return None
    structure.books.require_new_frame(new, "joint")
    here = bodies_.data_of(body).definition(old, "replace_joint", "joint")
    return relabelled(here, new, here.to_frame)
