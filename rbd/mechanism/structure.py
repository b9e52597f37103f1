"""The structure of a mechanism: its graph, its spanning tree in canonical order, its couplings, frames of its joints.

Mechanism reads it; edits change it in two steps: plan (everything that can fail), then commit.

Canonical order: tree joints parents first and otherwise in the order of their ranks, which is the order they were
attached in; then loop joints by rank. Body 0 is the root, body k + 1 the successor of tree joint k.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, final

import networkx as nx
from typing_extensions import override

from rbd.mechanism.coupling import Coupling, with_joints
from rbd.mechanism.joint import Joint
from rbd.mechanism.members import PARAMETERS, STRUCTURE, data_of, rebase
from rbd.mechanism.registry import MemberRegistry
from rbd.mechanism.tree import Edge, SpanningTree, canonical_order

if TYPE_CHECKING:
    from rbd.mechanism.body import RigidBody
    from rbd.spatial import Frame, Transform
    from rbd.spatial.half_space import HalfSpace


T = TypeVar("T")


@final
class Structure:
    """Bodies, edges, ranks, couplings and frames of one mechanism."""

    def __init__(self, root: RigidBody) -> None:
        """Start with the root alone."""
        self._initialize(root)

    def _initialize(self, root: RigidBody) -> None:
        self.root = root
        self.registry = MemberRegistry()
        self.tree: list[Edge] = []
        self.loops: list[Edge] = []
        self.edges: dict[Joint, Edge] = {}
        self.parent_edge: dict[RigidBody, Edge] = {}
        self.rank: dict[Joint, int] = {}
        """Of each joint, its place in the order in which joints were attached."""
        self.joint_frames: set[Frame] = set()
        """Frames fixed to bodies for their joints; orphaned when the joint goes (`MemberRegistry.orphaned_frames`)."""
        self.half_spaces: tuple[HalfSpace, ...] = ()
        self.couplings: dict[str, Coupling] = {}
        self.nq = self.nv = 0
        self._next_rank = 0
        self._derived: dict[str, tuple[int, Any]] = {}
        """Values computed from the structure, by name, each with the structure version it belongs to."""
        self.registry.add_body(root, root=True)

    # ---------------------------------------------------------------- queries

    @property
    def nc(self) -> int:
        """Return the number of constraints of loop joints and couplings."""
        return sum(6 - edge.joint.nv for edge in self.loops) + len(self.couplings)

    @property
    def is_constrained(self) -> bool:
        """Return whether there are loop joints or couplings."""
        return bool(self.loops or self.couplings)

    def couplings_of(self, joint: Joint) -> list[Coupling]:
        """Return the couplings of a joint."""
        return [coupling for coupling in self.couplings.values() if joint in coupling.joints]

    @property
    def bodies(self) -> tuple[RigidBody, ...]:
        """Return the root, then the successors of the tree joints."""
        return self._once_per_version("bodies", lambda: (self.root, *(edge.successor for edge in self.tree)))

    def spanning_tree(self) -> SpanningTree:
        """Return the spanning tree with depths and ranges."""
        return self._once_per_version("spanning tree", lambda: SpanningTree(self.root, self.tree))

    @property
    def graph(self) -> nx.MultiDiGraph[RigidBody]:
        """Return the graph of bodies and joints, which nobody may change."""
        return self._once_per_version("graph", self._new_graph)

    def _new_graph(self) -> nx.MultiDiGraph[RigidBody]:
        graph: nx.MultiDiGraph[RigidBody] = nx.MultiDiGraph()
        graph.add_node(self.root)
        for joint, edge in self.edges.items():
            graph.add_edge(edge.predecessor, edge.successor, key=joint)
        return graph

    def _once_per_version(self, name: str, compute: Callable[[], T]) -> T:
        """Return a value that is computed again when the structure version has changed."""
        version = self.registry.structure_version
        kept: tuple[int, T] | None = self._derived.get(name)
        if kept is None or kept[0] != version:
            kept = self._derived[name] = version, compute()
        return kept[1]

    def is_tree_edge(self, edge: Edge) -> bool:
        """Return whether an edge belongs to the spanning tree; the others close loops."""
        return self.parent_edge.get(edge.successor) is edge

    def incident(self, body: RigidBody) -> list[Edge]:
        """Return the edges, of tree and loop joints, that touch `body`."""
        joints = [joint for *_, joint in self.graph.in_edges(body, keys=True)]
        joints += [joint for *_, joint in self.graph.out_edges(body, keys=True)]
        return [self.edges[joint] for joint in joints]

    # ---------------------------------------------------------------- changes, all of which succeed

    def fix_joint_frame(self, body: RigidBody, to_default: Transform) -> None:
        """Fix a frame of a joint to a body, where it stays when the joint is removed."""
        data_of(body).fix_frame(to_default)
        self.joint_frames.add(to_default.from_frame)

    def add_body(self, body: RigidBody) -> None:
        """Register a body, which `append` must attach."""
        self.registry.add_body(body)
        self.registry.merged.pop(body.name, None)

    def append(self, edge: Edge) -> None:
        """Add one edge at the end, as a loop if a joint carries its successor already; the frames are there."""
        self.registry.add_joint(edge.joint)
        taken = self.registry.orphaned_frames & {edge.joint.frame_before, edge.joint.frame_after}
        self.registry.orphaned_frames -= taken
        self.joint_frames |= taken
        self.rank[edge.joint] = self._next_rank
        self._next_rank += 1
        self._add_edge(edge)
        self.registry.structure_changed()

    def _add_edge(self, edge: Edge) -> None:
        """Add an edge to all tables; those of the tree come first, predecessors before successors."""
        self.edges[edge.joint] = edge
        if edge.successor is self.root or edge.successor in self.parent_edge:
            self.loops.append(edge)
        else:
            self.tree.append(edge)
            self.parent_edge[edge.successor] = edge
            self.nq += edge.joint.nq
            self.nv += edge.joint.nv

    def substitute(self, old: Joint, new: Joint) -> None:
        """Give the rank and registry entry of a joint to an unattached one; `rebuild` must follow."""
        self.registry.remove_joint(old)
        self.registry.add_joint(new)
        self.rank[new] = self.rank.pop(old)
        for coupling in self.couplings_of(old):
            self.couplings[coupling.name] = with_joints(coupling, {old: new})

    def remove_joint(self, joint: Joint) -> None:
        """Remove a joint from registry and ranks, and its couplings; `rebuild` must follow."""
        self.registry.remove_joint(joint)
        del self.rank[joint]
        for coupling in self.couplings_of(joint):
            del self.couplings[coupling.name]

    def add_coupling(self, coupling: Coupling) -> None:
        """Add a coupling."""
        self.couplings[coupling.name] = coupling
        self.registry.structure_changed()

    def remove_coupling(self, coupling: Coupling) -> None:
        """Remove a coupling."""
        del self.couplings[coupling.name]
        self.registry.structure_changed()

    def rebuild(self, tree: Iterable[Edge], loops: Iterable[Edge]) -> None:
        """Set tree and loops in canonical order, and the default frames of all bodies."""
        ordered = canonical_order(self.root, list(tree), self.rank)
        closing = sorted(loops, key=lambda edge: self.rank[edge.joint])
        self.tree, self.loops, self.edges, self.parent_edge = [], [], {}, {}
        self.nq = self.nv = 0
        for edge in ordered:
            rebase(edge.successor, edge.joint.frame_after)
            self._add_edge(edge)
        for edge in closing:
            self._add_edge(edge)
        used = {frame for joint in self.edges for frame in (joint.frame_before, joint.frame_after)}
        self.registry.orphaned_frames |= (self.joint_frames - used) & self.registry.frame_owner.keys()
        self.joint_frames &= used
        self.registry.structure_changed()

    def release_bodies(self, removed: Sequence[RigidBody]) -> None:
        """Remove bodies from the registry, and the frames of joints from them; `rebuild` must follow."""
        for body in removed:
            self.registry.release_body(body)
            for frame in self.joint_frames.intersection(body.frames):
                data_of(body).remove_frame(frame)
        bodies = self.registry.bodies
        self.registry.merged = {name: target for name, target in self.registry.merged.items() if target in bodies}

    def set_half_spaces(self, half_spaces: tuple[HalfSpace, ...]) -> None:
        """Set the half-spaces, which are in the root frame."""
        self.half_spaces = half_spaces
        self.registry.structure_changed()

    # ---------------------------------------------------------------- pickling and deep copies

    @override
    def __getstate__(self) -> dict[str, object]:
        """Return flat lists only, so that chains of any length can be pickled."""
        registry = self.registry
        return {
            "root": self.root,
            "tree": self.tree,
            "loops": self.loops,
            "rank": self.rank,
            "joint_frames": self.joint_frames,
            "half_spaces": self.half_spaces,
            "couplings": list(self.couplings.values()),
            "tags": registry.tags,
            "merged": registry.merged,
            "orphaned_frames": registry.orphaned_frames,
            "versions": (registry.structure_version, registry.parameter_version),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._initialize(state["root"])
        self.joint_frames, self._next_rank = state["joint_frames"], 1 + max(state["rank"].values(), default=-1)
        self.half_spaces = state["half_spaces"]
        self.couplings = {coupling.name: coupling for coupling in state["couplings"]}
        for edge in state["tree"]:
            self.add_body(edge.successor)
        for edge in (*state["tree"], *state["loops"]):
            self.registry.add_joint(edge.joint)
            self._add_edge(edge)
        self.rank, registry = state["rank"], self.registry
        registry.tags, registry.merged = state["tags"], state["merged"]
        registry.orphaned_frames = state["orphaned_frames"]
        registry.versions[STRUCTURE], registry.versions[PARAMETERS] = state["versions"]
