"""`<contact>` and the collision masks of geoms: which pairs of geoms may touch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import final

import attrs

from rbd.errors import quoted
from rbd.files.collision_shapes import reason_pairs_are_left_out, reason_shape_is_left_out
from rbd.files.xml import XmlElement
from rbd.mjcf.contact_friction import ContactFriction, read_pair_friction
from rbd.mjcf.description import MjcfBody, MjcfGeom
from rbd.mjcf.element import with_defaults
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.report import Geom

_MAX_PAIRS = 1_000_000


@final
@attrs.frozen(eq=False)
class MjcfContacts:
    """The geoms of a file, the pairs of them that may touch, by their indices, and the friction that pairs have."""

    geoms: list[Geom]
    pairs: list[tuple[int, int]]
    pair_friction: dict[tuple[int, int], ContactFriction]


def read_contacts(reading: MjcfReading, root: XmlElement, bodies: list[MjcfBody]) -> MjcfContacts:
    """Return geoms, and the pairs that the file names, then those that masks allow."""
    return _ContactReader(reading, bodies).read(root)


@final
class _ContactReader:
    """Reads `<contact>`, and finds the pairs that masks allow."""

    def __init__(self, reading: MjcfReading, bodies: list[MjcfBody]) -> None:
        self._reading = reading
        self._bodies = {body.name: body for body in bodies}
        self._geoms = [(body, geom) for body in bodies for geom in body.geoms]
        self._geom_indices = {geom.name: k for k, (_, geom) in enumerate(self._geoms) if geom.name is not None}
        self._excluded: set[frozenset[str]] = set()
        self._pairs: dict[tuple[int, int], ContactFriction | None] = {}
        """In the order of the file, with the friction that the file gives them."""

    def read(self, root: XmlElement) -> MjcfContacts:
        for section in root.children:
            if section.tag == "contact":
                for node in section.children:
                    with self._reading.collecting_errors():
                        self._read_entry(node)
        self._add_pairs_by_masks()
        pairs = [] if self._reading.settings.is_disabled("contact") else list(self._pairs)
        self._list_left_out_shapes(pairs)
        friction = {pair: friction for pair, friction in self._pairs.items() if friction is not None}
        return MjcfContacts([_reported_geom(body, geom) for body, geom in self._geoms], pairs, friction)

    def _list_left_out_shapes(self, pairs: Sequence[tuple[int, int]]) -> None:
        """List geoms that are in no collision model, or not with all their pairs."""
        others = defaultdict[int, set[str]](set)
        for a, b in pairs:
            others[a].add(self._geoms[b][1].shape)
            others[b].add(self._geoms[a][1].shape)
        for index in sorted(others):
            geom = self._geoms[index][1]
            reason = reason_shape_is_left_out(geom.shape) or reason_pairs_are_left_out(geom.shape, others[index])
            if reason is not None:
                self._reading.ignore(geom.node, reason=reason)

    def _read_entry(self, node: XmlElement) -> None:
        if node.tag not in ("pair", "exclude"):
            self._reading.warn_or_refuse(node, f"unknown element {quoted(node.tag)}")
            return
        self._reading.check_attributes(node)
        if node.tag == "pair":
            a, b = (
                self._reading.lookup(node, attribute, "geom", self._geom_indices) for attribute in ("geom1", "geom2")
            )
            if a != b:
                pair = min(a, b), max(a, b)
                self._pairs[pair] = read_pair_friction(with_defaults(self._reading, node))
        else:
            bodies = [self._reading.lookup(node, attribute, "body", self._bodies) for attribute in ("body1", "body2")]
            self._excluded.add(frozenset(body.name for body in bodies))

    def _add_pairs_by_masks(self) -> None:
        active = [k for k, (_, geom) in enumerate(self._geoms) if geom.contype or geom.conaffinity]
        if len(active) ** 2 > 2 * _MAX_PAIRS:
            self._reading.warn(self._geoms[active[0]][1].node, "too many geoms: only the pairs that the file names")
            return
        moving = {k: _moving_body(self._geoms[k][0]) for k in active}
        parents = {k: None if body.parent is None else _moving_body(body.parent) for k, body in moving.items()}
        filtered = not self._reading.settings.is_disabled("filterparent")
        for a, b in combinations(active, 2):
            (body_a, geom_a), (body_b, geom_b) = self._geoms[a], self._geoms[b]
            masks = geom_a.contype & geom_b.conaffinity or geom_b.contype & geom_a.conaffinity
            is_parent_and_child = _is_parent(moving[a], parents[b]) or _is_parent(moving[b], parents[a])
            excluded = (is_parent_and_child and filtered) or frozenset((body_a.name, body_b.name)) in self._excluded
            if masks and moving[a] is not moving[b] and not excluded:
                self._pairs.setdefault((a, b))


def _moving_body(body: MjcfBody) -> MjcfBody:
    """Return the body with joints that a body is fixed to, which may be itself or the world."""
    while body.parent is not None and not body.joints:
        body = body.parent
    return body


def _is_parent(body: MjcfBody, parent: MjcfBody | None) -> bool:
    """Return whether a body is this parent of another one, and moves."""
    return body is parent and body.parent is not None


def _reported_geom(body: MjcfBody, geom: MjcfGeom) -> Geom:
    return Geom(
        geom.name, body.name, geom.shape, geom.size, rotation=geom.pose.rotation, translation=geom.pose.translation,
        friction=geom.friction.sliding, line=geom.node.line, group=geom.group, color=geom.color, mesh=geom.mesh,
        mesh_origin=geom.mesh_origin, contact_friction=geom.friction, height_field=geom.height_field,
    )  # fmt: skip
