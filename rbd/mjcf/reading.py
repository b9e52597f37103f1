"""Context of reading one MJCF file and those it includes: settings, default classes, findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar, final

from rbd.errors import MjcfTopologyError, MjcfValueError, quoted
from rbd.files.formats import MJCF
from rbd.files.names import did_you_mean
from rbd.files.reading import FileReading
from rbd.files.xml import XmlElement
from rbd.mjcf.defaults import Defaults
from rbd.mjcf.limits import MjcfLimits
from rbd.mjcf.schema import ATTRIBUTES, CHILDREN, WITHOUT_EFFECT
from rbd.mjcf.settings import Settings

T = TypeVar("T")


@final
class MjcfReading(FileReading):
    """Context of reading one file, and those it includes.

    Settings and default classes are read first; what is read after them finds them here.
    """

    def __init__(self, *, strict: bool, couple_joints: bool, limits: MjcfLimits) -> None:
        """Begin with the defaults of the format."""
        super().__init__(MJCF, strict=strict, limits=limits)
        self.couple_joints = couple_joints
        self.settings, self.defaults = Settings(), Defaults()

    def register_name(self, names: dict[str, XmlElement], node: XmlElement, name: str | None, kind: str) -> None:
        """Put a name among those known; refuse one that is there already."""
        if name in names:
            first = names[name]
            where = f"line {first.line}" if first.file == node.file else f"{first.file}, line {first.line}"
            message = f"a second {kind} {quoted(name)}; the first is in {where}"
            raise self.error(MjcfTopologyError, node, message, name=name, first_line=first.line)
        if name is not None:
            names[name] = node

    def unknown_name(
        self, node: XmlElement, attribute: str, kind: str, name: str, names: Iterable[str]
    ) -> MjcfTopologyError:
        """Return the error for an attribute that names what is not in the file: a body, a joint, a site."""
        prefix = "" if attribute == kind else f"{attribute}: "
        message = f"{prefix}there is no {kind} {quoted(name)}{did_you_mean(name, names)}"
        return self.error(MjcfTopologyError, node, message, attribute=attribute, name=name)

    def lookup(self, node: XmlElement, attribute: str, kind: str, table: Mapping[str, T]) -> T:
        """Return the entry of a table that an attribute names; raise MjcfTopologyError if there is none."""
        name = self.name(node, attribute)
        if name not in table:
            raise self.unknown_name(node, attribute, kind, name, table)
        return table[name]

    def default_class(self, node: XmlElement, attribute: str = "class") -> str | None:
        """Return the default class that an attribute names; None if it is not there. Raises MjcfValueError."""
        name = node.attributes.get(attribute)
        if name is not None and name not in self.defaults:
            message = f"{attribute}: there is no default class {quoted(name)}{did_you_mean(name, self.defaults)}"
            raise self.error(MjcfValueError, node, message, attribute=attribute, value=name)
        return name

    def check_attributes(self, node: XmlElement, kind: str | None = None) -> None:
        """List attributes and children of an element that are not honoured; warn of those the format does not have."""
        kind = kind or node.tag
        for attribute in node.attributes:
            if attribute not in ATTRIBUTES[kind] and not attribute.startswith("xmlns"):
                self._ignore_attribute(node, attribute, kind)
        children = CHILDREN.get(node.tag, frozenset())
        for child in node.children if node.tag in CHILDREN else ():
            if child.tag not in children:
                self.warn_or_refuse(child, f"unknown element {quoted(child.tag)}{did_you_mean(child.tag, children)}")
        if node.text_line is not None:
            self.ignore(node, None, "text", node.text_line)

    def _ignore_attribute(self, node: XmlElement, attribute: str, kind: str) -> None:
        """List an attribute that is not read; warn of one that the format does not have."""
        others = WITHOUT_EFFECT[kind]
        if attribute in others:
            self.ignore(node, attribute, others[attribute])
        else:
            suggestion = did_you_mean(attribute, ATTRIBUTES[kind] | others.keys())
            self.warn_or_refuse(node, f"unknown attribute {quoted(attribute)}{suggestion}", attribute=attribute)
