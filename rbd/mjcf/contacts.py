"""`<contact>` and the collision masks of geoms: which pairs of geoms may touch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import final

from rbd.errors import quoted
from rbd.files.shapes import reason_pairs_are_left_out, reason_shape_is_left_out
from rbd.files.xml import XmlElement
from rbd.mjcf.description import MjcfBody, MjcfGeom
from rbd.mjcf.element import MjcfElement, with_defaults
from rbd.mjcf.geoms import dimensions, friction_numbers
from rbd.mjcf.pair_friction import PairFriction
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.report import Geom

_MAX_PAIRS = 1_000_000


@final
class ContactReader:
    """Puts the geoms and the pairs that may touch into the report."""

    def __init__(self, reading: MjcfReading, bodies: list[MjcfBody]) -> None:
        """List all geoms in the order of the file."""
        self._reading = reading
        self._bodies = {body.name: body for body in bodies}
        self._geoms = [(body, geom) for body in bodies for geom in body.geoms]
        self._geom_indices = {geom.name: k for k, (_, geom) in enumerate(self._geoms) if geom.name is not None}
        self._excluded: set[frozenset[str]] = set()
        self._pairs: dict[tuple[int, int], None] = {}

    def read(self, root: XmlElement) -> None:
        """Fill the report: geoms, then the pairs that the file names, then those that masks allow."""
        report = self._reading.report
        report.geoms = [_reported_geom(body, geom) for body, geom in self._geoms]
        for section in root.children:
            if section.tag == "contact":
                for node in section.children:
                    with self._reading.collecting_errors():
                        self._read_entry(node)
        self._add_pairs_by_masks()
        report.pairs = [] if self._reading.settings.off("contact") else list(self._pairs)
        self._report_lost_shapes(report.pairs)

    def _report_lost_shapes(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Report geoms that are in no collision model, or not with all their pairs."""
        others = defaultdict[int, set[str]](set)
        for a, b in pairs:
            others[a].add(self._geoms[b][1].shape)
            others[b].add(self._geoms[a][1].shape)
        for number in sorted(others):
            geom = self._geoms[number][1]
            reason = reason_shape_is_left_out(geom.shape) or reason_pairs_are_left_out(geom.shape, others[number])
            if reason is not None:
                self._reading.ignore(geom.node, reason=reason)

    def _read_entry(self, node: XmlElement) -> None:
        if node.tag not in ("pair", "exclude"):
            self._reading.warn_or_refuse(node, f"unknown element {quoted(node.tag)}")
            return
        self._reading.check(node)
        if node.tag == "pair":
            a, b = (
                self._reading.named(node, attribute, "geom", self._geom_indices) for attribute in ("geom1", "geom2")
            )
            if a != b:
                pair = min(a, b), max(a, b)
                self._pairs[pair] = None
                self._reading.report.pair_friction[pair] = _pair_friction(with_defaults(self._reading, node))
        else:
            bodies = [self._reading.named(node, attribute, "body", self._bodies) for attribute in ("body1", "body2")]
            self._excluded.add(frozenset(body.name for body in bodies))

    def _add_pairs_by_masks(self) -> None:
        active = [k for k, (_, geom) in enumerate(self._geoms) if geom.contype or geom.conaffinity]
        if len(active) ** 2 > 2 * _MAX_PAIRS:
            self._reading.warn(self._geoms[active[0]][1].node, "too many geoms: only the pairs that the file names")
            return
        carriers = {k: _carrier(self._geoms[k][0]) for k in active}
        parents = {k: None if c.parent is None else _carrier(c.parent) for k, c in carriers.items()}
        filtered = not self._reading.settings.off("filterparent")
        for a, b in combinations(active, 2):
            (body, one), (other, two) = self._geoms[a], self._geoms[b]
            masks = one.contype & two.conaffinity or two.contype & one.conaffinity
            family = _is_parent(carriers[a], parents[b]) or _is_parent(carriers[b], parents[a])
            excluded = (family and filtered) or frozenset((body.name, other.name)) in self._excluded
            if masks and carriers[a] is not carriers[b] and not excluded:
                self._pairs[a, b] = None


def _pair_friction(element: MjcfElement) -> PairFriction:
    """Return the friction of a pair, whatever that of its geoms."""
    slide, _, spin, roll, _ = friction_numbers(element, (1.0, 1.0, 0.005, 0.0001, 0.0001))
    return PairFriction(dimensions(element, 3), slide, spin, roll)


def _carrier(body: MjcfBody) -> MjcfBody:
    """Return the body with joints that a body is welded to, or the world."""
    while body.parent is not None and not body.joints:
        body = body.parent
    return body


def _is_parent(one: MjcfBody, parent: MjcfBody | None) -> bool:
    """Whether `one` moves, and carries the other: they are parent and child."""
    return one is parent and one.parent is not None


def _reported_geom(body: MjcfBody, geom: MjcfGeom) -> Geom:
    pose = geom.pose
    red, green, blue, alpha = geom.color or (0.5, 0.5, 0.5, 1.0)
    return Geom(
        geom.name, body.name, geom.shape, geom.size, pose.rotation, pose.translation, geom.friction.sliding,
        geom.node.line, geom.group, None if geom.color is None else (red, green, blue, alpha), geom.mesh,
        geom.mesh_origin, geom.friction, geom.height_field,
    )  # fmt: skip
