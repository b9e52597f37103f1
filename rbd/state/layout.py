"""Where every joint and body of a mechanism finds its numbers.

A layout is a snapshot of the structure: links in topological order, with the ranges of q, v and constraint rows that
belong to each joint.
"""

from __future__ import annotations

from typing import final
from weakref import WeakKeyDictionary

import attrs

from rbd.errors import UnknownNameError
from rbd.mechanism import ContactPoint, Joint, Mechanism, RigidBody
from rbd.spatial import Frame
from rbd.spatial.half_space import HalfSpace
from rbd.spatial.values import require_kind


@final
@attrs.frozen(eq=False)
class Link:
    """A tree joint with the body it carries. `index` counts from 1, in topological order; the root body is 0."""

    index: int
    parent: int
    body: RigidBody
    joint: Joint
    q: slice
    v: slice


@final
@attrs.frozen(eq=False)
class LoopLink:
    """A loop joint between the bodies of index `predecessor` and `successor`; `rows` are its constraint rows."""

    joint: Joint
    predecessor: int
    successor: int
    rows: slice


@final
@attrs.frozen(eq=False)
class Touch:
    """A contact point of the body of index `body` and the half-space it may touch; `s` is the range of their states."""

    body: int
    point: ContactPoint
    half_space: HalfSpace
    s: slice


@final
class Layout:
    """The structure of a mechanism at one version of it."""

    def __init__(self, mechanism: Mechanism) -> None:
        """Take the snapshot."""
        self.version = mechanism.structure_version
        self.bodies: tuple[RigidBody, ...] = tuple(mechanism.bodies)
        self._body_index = {id(body): i for i, body in enumerate(self.bodies)}
        self.links = self._make_links(mechanism)
        self.loops = self._make_loops(mechanism)
        self.touches = self._make_touches(mechanism)
        self._index_joints()
        self.nq = sum(link.joint.nq for link in self.links)
        self.nv = sum(link.joint.nv for link in self.links)
        self.nc = sum(loop.rows.stop - loop.rows.start for loop in self.loops)
        self.ns = sum(touch.point.model.ns for touch in self.touches)
        self.velocity_names = tuple(f"{link.joint.name}[{i}]" for link in self.links for i in range(link.joint.nv))
        self.root_frame: Frame = mechanism.root_frame
        self.com_frame: Frame = Frame("center of mass")

    def _index_joints(self) -> None:
        self._joint_link = {id(link.joint): link for link in self.links}
        self._joint_loop = {id(loop.joint): loop for loop in self.loops}

    def __getstate__(self) -> dict[str, object]:
        """Leave out the tables keyed by `id`, which mean nothing in a copy or in another process."""
        tables = ("_body_index", "_joint_link", "_joint_loop")
        return {name: value for name, value in self.__dict__.items() if name not in tables}

    def __setstate__(self, content: dict[str, object]) -> None:
        """Take the content and make the tables anew."""
        self.__dict__.update(content)
        self._body_index = {id(body): i for i, body in enumerate(self.bodies)}
        self._index_joints()

    def _make_links(self, mechanism: Mechanism) -> tuple[Link, ...]:
        links: list[Link] = []
        nq = nv = 0
        for index, joint in enumerate(mechanism.tree_joints, start=1):
            parent = self._body_index[id(mechanism.predecessor(joint))]
            q, v = slice(nq, nq + joint.nq), slice(nv, nv + joint.nv)
            links.append(Link(index, parent, self.bodies[index], joint, q, v))
            nq, nv = q.stop, v.stop
        return tuple(links)

    def _make_loops(self, mechanism: Mechanism) -> tuple[LoopLink, ...]:
        loops: list[LoopLink] = []
        row = 0
        for joint in mechanism.loop_joints:
            ends = (mechanism.predecessor(joint), mechanism.successor(joint))
            predecessor, successor = (self._body_index[id(body)] for body in ends)
            rows = slice(row, row + 6 - joint.nv)
            loops.append(LoopLink(joint, predecessor, successor, rows))
            row = rows.stop
        return tuple(loops)

    def _make_touches(self, mechanism: Mechanism) -> tuple[Touch, ...]:
        """Pair the contact points of all bodies that can move with the half-spaces."""
        touches: list[Touch] = []
        ns = 0
        for index, body in enumerate(self.bodies[1:], start=1):
            for point in body.contact_points:
                for half_space in mechanism.half_spaces:
                    touches.append(Touch(index, point, half_space, slice(ns, ns + point.model.ns)))
                    ns += point.model.ns
        return tuple(touches)

    def body_index(self, body: RigidBody) -> int:
        """Return the index of `body`; raise UnknownNameError when it is not in the mechanism."""
        index = self._body_index.get(id(body))
        if index is None:
            name = getattr(body, "name", str(body))
            hint = "" if hasattr(body, "name") else "; mechanism.body() finds bodies by name"
            raise UnknownNameError(f"body '{name}' is not part of this mechanism{hint}", kind="body", name=name)
        return index

    def link(self, joint: Joint) -> Link:
        """Return the link of tree joint `joint`; raise UnknownNameError when there is none."""
        link = self._joint_link.get(id(joint))
        if link is None:
            name = getattr(joint, "name", str(joint))
            loop = id(joint) in self._joint_loop
            hint = "" if hasattr(joint, "name") else "; mechanism.joint() finds joints by name"
            what = "closes a loop and has no coordinates" if loop else "is not part of this mechanism"
            raise UnknownNameError(f"joint '{name}' {what}{hint}", kind="joint", name=name)
        return link

    def loop(self, joint: Joint) -> LoopLink | None:
        """Return the loop link of `joint`, or None for a tree joint."""
        return self._joint_loop.get(id(joint))

    @property
    def trunk(self) -> int:
        """The index of the trunk, the first body a joint carries; the root's when there is none."""
        return min(1, len(self.links))

    def ancestors(self, index: int) -> tuple[int, ...]:
        """Return the indices from `index` up to, without, the root."""
        chain: list[int] = []
        while index:
            chain.append(index)
            index = self.links[index - 1].parent
        return tuple(chain)


_layouts: WeakKeyDictionary[Mechanism, Layout] = WeakKeyDictionary()


def layout_of(mechanism: Mechanism) -> Layout:
    """Return the layout of `mechanism` as it is now (made once per structural version)."""
    require_kind(mechanism, Mechanism, operation="look-up of a mechanism", argument="mechanism")
    layout = _layouts.get(mechanism)
    if layout is None or layout.version != mechanism.structure_version:
        layout = _layouts[mechanism] = Layout(mechanism)
    return layout
