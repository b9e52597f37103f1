"""The structure of a mechanism: its graph, its spanning tree in canonical order, and the frames its joints brought.

Mechanism shows it; the modules of edits change it, each in two steps: plan (everything that can fail), then commit.

Canonical order: tree joints parents first and otherwise in the order of their ranks, which is the order they were
attached in; then loop joints by rank. Body 0 is the root, body k + 1 the successor of tree joint k.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, final

import networkx as nx
from typing_extensions import override

from rbd.mechanism import body as bodies_
from rbd.mechanism import joint as joints_
from rbd.mechanism.books import Books
from rbd.mechanism.joint import Joint
from rbd.mechanism.tree import Link, Tree, canonical_order

if TYPE_CHECKING:
    from rbd.mechanism.body import RigidBody
    from rbd.spatial import Frame, Transform
    from rbd.spatial.half_space import HalfSpace


@final
class Structure:
    """Bodies, links, ranks and frames of one mechanism."""

    def __init__(self, root: RigidBody) -> None:
        """Start with the root alone."""
        self.root = root
        self.books = Books()
        self.graph: nx.MultiDiGraph[RigidBody] = nx.MultiDiGraph()
        self.tree: list[Link] = []
        self.loops: list[Link] = []
        self.links: dict[Joint, Link] = {}
        self.parent: dict[RigidBody, Link] = {}
        self.rank: dict[Joint, int] = {}
        self.minted: set[Frame] = set()
        self.half_spaces: tuple[HalfSpace, ...] = ()
        self.nq = self.nv = self.nc = 0
        self._ranks = 0
        self._snapshot: tuple[int, Tree] | None = None
        self._bodies: tuple[int, tuple[RigidBody, ...]] | None = None
        bodies_.enter(root, self.books, root=True)
        self.graph.add_node(root)

    # ---------------------------------------------------------------- queries

    @property
    def bodies(self) -> tuple[RigidBody, ...]:
        """Return the root, then the successors of the tree joints."""
        version = self.books.structure_version
        if self._bodies is None or self._bodies[0] != version:
            self._bodies = version, (self.root, *(link.successor for link in self.tree))
        return self._bodies[1]

    def snapshot(self) -> Tree:
        """Return the tree, numbered; made once per version."""
        version = self.books.structure_version
        if self._snapshot is None or self._snapshot[0] != version:
            self._snapshot = version, Tree(self.root, self.tree)
        return self._snapshot[1]

    def incident(self, body: RigidBody) -> list[Link]:
        """Return the links, of tree and loop joints, that touch `body`."""
        joints = [joint for *_, joint in self.graph.in_edges(body, keys=True)]
        joints += [joint for *_, joint in self.graph.out_edges(body, keys=True)]
        return [self.links[joint] for joint in joints]

    # ---------------------------------------------------------------- changes, all of which succeed

    def changed(self) -> None:
        """Note that the structure changed."""
        self.books.structure_version += 1

    def mint(self, body: RigidBody, to_default: Transform) -> None:
        """Fix a joint's frame to a body, to be taken off again together with the joint."""
        bodies_.data_of(body).fix_frame(to_default)
        self.minted.add(to_default.from_frame)

    def append(self, link: Link, *, loop: bool) -> None:
        """Add one link at the end; the frames are there, the tree link's successor is new."""
        joints_.enter(link.joint, self.books)
        self.rank[link.joint] = self._ranks
        self._ranks += 1
        self._place(link, loop=loop)
        self.changed()

    def _place(self, link: Link, *, loop: bool) -> None:
        """Enter a link in list, tables, graph and counts."""
        self.links[link.joint] = link
        self.graph.add_edge(link.predecessor, link.successor, key=link.joint)
        if loop:
            self.loops.append(link)
            self.nc += 6 - link.joint.nv
        else:
            self.tree.append(link)
            self.parent[link.successor] = link
            self.nq += link.joint.nq
            self.nv += link.joint.nv

    def substitute(self, old: Joint, new: Joint) -> None:
        """Let a loose joint take the rank and the entry of another one; `rebuild` must follow."""
        joints_.leave(old)
        joints_.enter(new, self.books)
        self.rank[new] = self.rank.pop(old)

    def strike(self, joint: Joint) -> None:
        """Let a joint go; `rebuild` must follow."""
        joints_.leave(joint)
        del self.rank[joint]

    def rebuild(self, tree: Iterable[Link], loops: Iterable[Link]) -> None:
        """Set tree and loops, put both in canonical order and the default frames where they belong."""
        ordered = canonical_order(self.root, list(tree), self.rank)
        closing = sorted(loops, key=lambda link: self.rank[link.joint])
        self.tree, self.loops, self.links, self.parent = [], [], {}, {}
        self.nq = self.nv = self.nc = 0
        self.graph.clear()
        self.graph.add_node(self.root)
        for link in ordered:
            bodies_.data_of(link.successor).rebase(link.joint.frame_after)
            self._place(link, loop=False)
        for link in closing:
            self._place(link, loop=True)
        self._drop_unused_frames()
        self.changed()

    def _drop_unused_frames(self) -> None:
        """Take frames off their bodies that came with joints which are gone."""
        used = {frame for joint in self.links for frame in (joint.frame_before, joint.frame_after)}
        for frame in self.minted - used:
            owner = self.books.frame_owner.get(frame)
            if owner is not None:
                bodies_.data_of(self.books.bodies[owner]).drop_frame(frame)
        self.minted &= used

    def release(self, gone: Sequence[RigidBody]) -> None:
        """Let bodies go as they came, without the frames joints brought; `rebuild` must follow."""
        for body in gone:
            bodies_.leave(body)
            for frame in self.minted.intersection(body.frames):
                bodies_.data_of(body).drop_frame(frame)
        known = self.books.bodies
        self.books.merged = {name: survivor for name, survivor in self.books.merged.items() if survivor in known}

    def set_half_spaces(self, half_spaces: tuple[HalfSpace, ...]) -> None:
        """Set what contact points may touch; everything is in the root frame."""
        self.half_spaces = half_spaces
        self.changed()

    # ---------------------------------------------------------------- pickling and deep copies

    @override
    def __getstate__(self) -> dict[str, object]:
        """Keep flat lists only: chains of any length can be pickled."""
        books = self.books
        return {
            "root": self.root,
            "tree": self.tree,
            "loops": self.loops,
            "rank": self.rank,
            "minted": self.minted,
            "half_spaces": self.half_spaces,
            "tags": books.tags,
            "merged": books.merged,
            "versions": (books.structure_version, books.parameter_version),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["root"])
        self.minted, self._ranks = state["minted"], 1 + max(state["rank"].values(), default=-1)
        self.half_spaces = state["half_spaces"]
        for links, loop in ((state["tree"], False), (state["loops"], True)):
            for link in links:
                if not loop:
                    bodies_.enter(link.successor, self.books)
                joints_.enter(link.joint, self.books)
                self._place(link, loop=loop)
        self.rank = state["rank"]
        self.books.tags, self.books.merged = state["tags"], state["merged"]
        self.books.structure_version, self.books.parameter_version = state["versions"]
