"""The spanning tree: ancestors, paths, and canonical order, without recursion."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, final

import attrs
from typing_extensions import override

from rbd.errors import TopologyError, quoted

if TYPE_CHECKING:
    from rbd.mechanism.body import RigidBody
    from rbd.mechanism.joint import Joint


@final
@attrs.frozen(eq=False)
class Edge:
    """An edge of the graph of bodies: a joint and the two bodies it connects."""

    joint: Joint
    predecessor: RigidBody
    successor: RigidBody


@final
class TreePath:
    """The path through the tree from one body to another: pairs of a joint and a direction.

    The direction is -1 for joints passed towards the root, against their own direction, and +1 for the others.

    >>> from rbd import Joint, Mechanism, Revolute, RigidBody
    >>> mechanism = Mechanism()
    >>> link = RigidBody("link")
    >>> mechanism.attach(mechanism.root_body, link, Joint("hinge", Revolute((0, 0, 1))))
    >>> [(joint.name, direction) for joint, direction in mechanism.path("link", "world")]
    [('hinge', -1)]
    """

    __slots__ = ("_directions", "source", "target")

    def __init__(self, source: RigidBody, target: RigidBody, steps: Sequence[tuple[Joint, int]]) -> None:
        """Set the ends and the steps."""
        self.source = source
        self.target = target
        self._directions = dict(steps)

    def __iter__(self) -> Iterator[tuple[Joint, int]]:
        return iter(self._directions.items())

    def __len__(self) -> int:
        return len(self._directions)

    def __contains__(self, joint: object) -> bool:
        return joint in self._directions

    @property
    def joints(self) -> tuple[Joint, ...]:
        """Return the joints of the path, in order."""
        return tuple(self._directions)

    def direction(self, joint: Joint) -> int:
        """Return +1 or -1, the direction `joint` is passed in; 0 if it is not on the path."""
        return self._directions.get(joint, 0)

    def reversed(self) -> TreePath:
        """Return the path from the target to the source."""
        return TreePath(self.target, self.source, [(joint, -d) for joint, d in reversed(self._directions.items())])

    @override
    def __repr__(self) -> str:
        steps = " ".join(f"{'+' if d > 0 else '-'}{joint.name}" for joint, d in self)
        return f"TreePath({self.source.name!r} -> {self.target.name!r}: {steps or 'empty'})"


@final
class SpanningTree:
    """A spanning tree: for every body its depth and its range in depth-first order."""

    __slots__ = ("_depth", "_parent_edge", "_preorder", "_subtree_end", "children")

    def __init__(self, root: RigidBody, edges: Sequence[Edge]) -> None:
        """Find depths and ranges; parents come first in `edges`."""
        self.children: dict[RigidBody, list[RigidBody]] = {root: []}
        self._depth: dict[RigidBody, int] = {root: 0}
        self._parent_edge: dict[RigidBody, Edge] = {}
        for edge in edges:
            self.children[edge.successor] = []
            self.children[edge.predecessor].append(edge.successor)
            self._depth[edge.successor] = self._depth[edge.predecessor] + 1
            self._parent_edge[edge.successor] = edge
        self._preorder: dict[RigidBody, int] = {}
        for position, body in enumerate(depth_first(root, lambda body: self.children[body])):
            self._preorder[body] = position
        sizes = dict.fromkeys(self._preorder, 1)
        for edge in reversed(edges):
            sizes[edge.predecessor] += sizes[edge.successor]
        self._subtree_end = {body: first + sizes[body] for body, first in self._preorder.items()}

    def is_in_subtree(self, body: RigidBody, ancestor: RigidBody) -> bool:
        """Return whether `body` is `ancestor` or one of its descendants."""
        return self._preorder[ancestor] <= self._preorder[body] < self._subtree_end[ancestor]

    def path(self, source: RigidBody, target: RigidBody) -> TreePath:
        """Return the path between two bodies."""
        up: list[tuple[Joint, int]] = []
        down: list[tuple[Joint, int]] = []
        a, b = source, target
        while a is not b:
            if self._depth[a] >= self._depth[b]:
                edge = self._parent_edge[a]
                up.append((edge.joint, -1))
                a = edge.predecessor
            else:
                edge = self._parent_edge[b]
                down.append((edge.joint, +1))
                b = edge.predecessor
        return TreePath(source, target, up + down[::-1])


def depth_first(start: RigidBody, children: Callable[[RigidBody], Sequence[RigidBody]]) -> Iterator[RigidBody]:
    """Walk a tree depth first, children in their order, without recursion."""
    stack = [start]
    while stack:
        body = stack.pop()
        yield body
        stack.extend(reversed(children(body)))


# -------------------------------------------------------------------- choosing and ordering a tree


def kruskal_spanning_tree(root: RigidBody, bodies: Sequence[RigidBody], ranked: Sequence[Edge]) -> list[Edge]:
    """Return the edges of the spanning tree that prefers earlier edges, in the order given (Kruskal's algorithm).

    Raises TopologyError, naming bodies, when the edges do not connect all bodies.
    """
    representative: dict[RigidBody, RigidBody] = {body: body for body in bodies}
    chosen: list[Edge] = []
    for edge in ranked:
        a, b = (_component(body, representative) for body in (edge.predecessor, edge.successor))
        if a is not b:
            representative[b] = a
            chosen.append(edge)
    connected = _component(root, representative)
    unconnected = [body for body in bodies if _component(body, representative) is not connected]
    if unconnected:
        names = ", ".join(quoted(body.name) for body in unconnected[:5]) + (", ..." if len(unconnected) > 5 else "")
        raise TopologyError(f"nothing would connect {names} to the root any more", body=unconnected[0].name)
    return chosen


def _component(body: RigidBody, representative: dict[RigidBody, RigidBody]) -> RigidBody:
    """Return the body that represents all bodies connected with this one; shortens the way there."""
    while representative[body] is not body:
        representative[body] = representative[representative[body]]
        body = representative[body]
    return body


def edge_orientations(root: RigidBody, chosen: Sequence[Edge]) -> dict[Joint, bool]:
    """Return, for the joint of every edge of a tree, whether it points away from the root."""
    incident: dict[RigidBody, list[Edge]] = {root: []}
    for edge in chosen:
        incident.setdefault(edge.predecessor, []).append(edge)
        incident.setdefault(edge.successor, []).append(edge)
    forward: dict[Joint, bool] = {}
    frontier = [root]
    while frontier:
        body = frontier.pop()
        for edge in incident[body]:
            if edge.joint not in forward:
                forward[edge.joint] = edge.predecessor is body
                frontier.append(edge.successor if forward[edge.joint] else edge.predecessor)
    return forward


def canonical_order(root: RigidBody, edges: Sequence[Edge], rank: Mapping[Joint, int]) -> list[Edge]:
    """Return the edges of a tree parents first, and as nearly in the order of their ranks as that allows."""
    outgoing: dict[RigidBody, list[Edge]] = {}
    for edge in edges:
        outgoing.setdefault(edge.predecessor, []).append(edge)
    by_rank = {rank[edge.joint]: edge for edge in edges}
    heap = [rank[edge.joint] for edge in outgoing.get(root, ())]
    heapq.heapify(heap)
    ordered: list[Edge] = []
    while heap:
        edge = by_rank[heapq.heappop(heap)]
        ordered.append(edge)
        for following in outgoing.get(edge.successor, ()):
            heapq.heappush(heap, rank[following.joint])
    return ordered
