"""One reading of one MJCF file, and of those it includes."""

from __future__ import annotations

from typing import final

from rbd.errors import MjcfRefusedError, quoted
from rbd.files.formats import MJCF
from rbd.files.names import hint
from rbd.files.reading import FileReading
from rbd.files.xml import XmlElement
from rbd.mjcf.limits import MjcfLimits
from rbd.mjcf.report import MjcfReport
from rbd.mjcf.schema import ATTRIBUTES, WITHOUT_EFFECT


@final
class Reading(FileReading[MjcfReport]):
    """One reading of one file and of those it includes."""

    def __init__(self, *, strict: bool, limits: MjcfLimits) -> None:
        """Begin with an empty report."""
        super().__init__(MJCF, MjcfReport(), strict=strict, limits=limits)

    def doubt(self, node: XmlElement, message: str, attribute: str | None = None) -> None:
        """Refuse, when strict, what changes how the mechanism moves and is not in it; else warn."""
        if self.strict:
            raise self.fault(MjcfRefusedError, node, f"{message} (strict=False loads the rest)", attribute=attribute)
        self.warn(node, message, refused=True, attribute=attribute)

    def check_attributes(self, node: XmlElement, kind: str | None = None) -> None:
        """List the attributes of an element that are not honoured, and doubt those the format does not have."""
        known = ATTRIBUTES[kind or node.tag]
        for attribute in node.attributes:
            if attribute in known or attribute.startswith("xmlns"):
                continue
            if attribute in WITHOUT_EFFECT:
                self.ignore(node, attribute, WITHOUT_EFFECT[attribute])
            else:
                message = f"unknown attribute {quoted(attribute)}{hint(attribute, known | WITHOUT_EFFECT.keys())}"
                self.doubt(node, message, attribute)
        if node.text_line is not None:
            self.ignore(node, None, "text", node.text_line)
