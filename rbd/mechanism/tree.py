"""The spanning tree: who hangs on whom, answered without recursion."""

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
class Link:
    """A joint and the two bodies it connects."""

    joint: Joint
    predecessor: RigidBody
    successor: RigidBody


@final
class TreePath:
    """The way through the tree from one body to another: pairs of a joint and a direction.

    The direction is -1 where the joint is passed towards the root, against its own direction, and +1 away from it.

    >>> from rbd import Joint, Mechanism, Revolute, RigidBody
    >>> mechanism = Mechanism()
    >>> link = RigidBody("link")
    >>> mechanism.attach(mechanism.root_body, link, Joint("hinge", Revolute((0, 0, 1))))
    >>> [(joint.name, direction) for joint, direction in mechanism.path("link", "world")]
    [('hinge', -1)]
    """

    __slots__ = ("_directions", "source", "target")

    def __init__(self, source: RigidBody, target: RigidBody, steps: Sequence[tuple[Joint, int]]) -> None:
        """Keep the steps."""
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
        """Return the joints passed, in order."""
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
class Tree:
    """A snapshot of a spanning tree: for every body its depth and its range in depth-first order."""

    __slots__ = ("_depth", "_first", "_last", "_parent_link", "children")

    def __init__(self, root: RigidBody, links: Sequence[Link]) -> None:
        """Take the snapshot; `links` come parents first."""
        self.children: dict[RigidBody, list[RigidBody]] = {root: []}
        self._depth: dict[RigidBody, int] = {root: 0}
        self._parent_link: dict[RigidBody, Link] = {}
        for link in links:
            self.children[link.successor] = []
            self.children[link.predecessor].append(link.successor)
            self._depth[link.successor] = self._depth[link.predecessor] + 1
            self._parent_link[link.successor] = link
        self._first: dict[RigidBody, int] = {}
        for position, body in enumerate(depth_first(root, lambda body: self.children[body])):
            self._first[body] = position
        sizes = dict.fromkeys(self._first, 1)
        for link in reversed(links):
            sizes[link.predecessor] += sizes[link.successor]
        self._last = {body: first + sizes[body] for body, first in self._first.items()}

    def is_below(self, body: RigidBody, ancestor: RigidBody) -> bool:
        """Return whether `body` is `ancestor` or hangs on it."""
        return self._first[ancestor] <= self._first[body] < self._last[ancestor]

    def path(self, source: RigidBody, target: RigidBody) -> TreePath:
        """Return the path between two bodies."""
        up: list[tuple[Joint, int]] = []
        down: list[tuple[Joint, int]] = []
        a, b = source, target
        while a is not b:
            if self._depth[a] >= self._depth[b]:
                link = self._parent_link[a]
                up.append((link.joint, -1))
                a = link.predecessor
            else:
                link = self._parent_link[b]
                down.append((link.joint, +1))
                b = link.predecessor
        return TreePath(source, target, up + down[::-1])


def depth_first(start: RigidBody, children: Callable[[RigidBody], Sequence[RigidBody]]) -> Iterator[RigidBody]:
    """Walk a tree depth first, children in their order, without recursion."""
    stack = [start]
    while stack:
        body = stack.pop()
        yield body
        stack.extend(reversed(children(body)))


# -------------------------------------------------------------------- choosing and ordering a tree


def spanning_links(root: RigidBody, bodies: Sequence[RigidBody], ranked: Sequence[Link]) -> list[Link]:
    """Return the links of the spanning tree that prefers earlier links, in the order given (Kruskal's algorithm).

    Raises TopologyError, naming bodies, when the links do not connect all bodies.
    """
    leader: dict[RigidBody, RigidBody] = {body: body for body in bodies}

    def find(body: RigidBody) -> RigidBody:
        while leader[body] is not body:
            leader[body] = leader[leader[body]]
            body = leader[body]
        return body

    chosen: list[Link] = []
    for link in ranked:
        a, b = find(link.predecessor), find(link.successor)
        if a is not b:
            leader[b] = a
            chosen.append(link)
    loose = [body for body in bodies if find(body) is not find(root)]
    if loose:
        names = ", ".join(quoted(body.name) for body in loose[:5]) + (", ..." if len(loose) > 5 else "")
        raise TopologyError(f"nothing would connect {names} to the root any more", body=loose[0].name)
    return chosen


def oriented(root: RigidBody, chosen: Sequence[Link]) -> dict[Joint, bool]:
    """Return, for the joint of every link of a tree, whether it points away from the root."""
    incident: dict[RigidBody, list[Link]] = {root: []}
    for link in chosen:
        incident.setdefault(link.predecessor, []).append(link)
        incident.setdefault(link.successor, []).append(link)
    forward: dict[Joint, bool] = {}
    frontier = [root]
    while frontier:
        body = frontier.pop()
        for link in incident[body]:
            if link.joint not in forward:
                forward[link.joint] = link.predecessor is body
                frontier.append(link.successor if forward[link.joint] else link.predecessor)
    return forward


def canonical_order(root: RigidBody, links: Sequence[Link], rank: Mapping[Joint, int]) -> list[Link]:
    """Return the links of a tree parents first, and as nearly in the order of their ranks as that allows."""
    waiting: dict[RigidBody, list[Link]] = {}
    for link in links:
        waiting.setdefault(link.predecessor, []).append(link)
    by_rank = {rank[link.joint]: link for link in links}
    heap = [rank[link.joint] for link in waiting.get(root, ())]
    heapq.heapify(heap)
    ordered: list[Link] = []
    while heap:
        link = by_rank[heapq.heappop(heap)]
        ordered.append(link)
        for onward in waiting.get(link.successor, ()):
            heapq.heappush(heap, rank[onward.joint])
    return ordered
