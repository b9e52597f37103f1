"""One reading of one MJCF file, and of those it includes."""

from __future__ import annotations

from typing import final

from rbd.errors import MjcfRefusedError, MjcfTopologyError, quoted
from rbd.files.formats import MJCF
from rbd.files.names import hint
from rbd.files.reading import FileReading
from rbd.files.xml import XmlElement
from rbd.mjcf.limits import MjcfLimits
from rbd.mjcf.report import MjcfReport
from rbd.mjcf.schema import ATTRIBUTES, CHILDREN, WITHOUT_EFFECT


@final
class MjcfReading(FileReading[MjcfReport]):
    """One reading of one file and of those it includes."""

    def __init__(self, *, strict: bool, couple_joints: bool, limits: MjcfLimits) -> None:
        """Begin with an empty report."""
        super().__init__(MJCF, MjcfReport(), strict=strict, limits=limits)
        self.couple_joints = couple_joints

    def require_new(self, known: dict[str, XmlElement], node: XmlElement, name: str | None, kind: str) -> None:
        """Put a name among those known; refuse one that is there already."""
        if name in known:
            first = known[name]
            where = f"line {first.line}" if first.file == node.file else f"{first.file}, line {first.line}"
            message = f"a second {kind} {quoted(name)}; the first is in {where}"
            raise self.fault(MjcfTopologyError, node, message, name=name, first_line=first.line)
        if name is not None:
            known[name] = node

    def doubt(self, node: XmlElement, message: str, attribute: str | None = None) -> None:
        """Refuse, when strict, what changes how the mechanism moves and is not in it; else warn."""
        if self.strict:
            raise self.fault(MjcfRefusedError, node, f"{message} (strict=False loads the rest)", attribute=attribute)
        self.warn(node, message, refused=True, attribute=attribute)

    def check(self, node: XmlElement, kind: str | None = None) -> None:
        """List attributes and children of an element that are not honoured; doubt those the format does not have."""
        known = ATTRIBUTES[kind or node.tag]
        for attribute in node.attributes:
            if attribute in known or attribute.startswith("xmlns"):
                continue
            if attribute in WITHOUT_EFFECT:
                self.ignore(node, attribute, WITHOUT_EFFECT[attribute])
            else:
                message = f"unknown attribute {quoted(attribute)}{hint(attribute, known | WITHOUT_EFFECT.keys())}"
                self.doubt(node, message, attribute)
        children = CHILDREN.get(node.tag, frozenset())
        for child in node.children if node.tag in CHILDREN else ():
            if child.tag not in children:
                self.doubt(child, f"unknown element {quoted(child.tag)}{hint(child.tag, children)}")
        if node.text_line is not None:
            self.ignore(node, None, "text", node.text_line)
