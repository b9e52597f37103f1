"""Context of reading one MJCF file: options and the report."""

from __future__ import annotations

from typing import final

from typing_extensions import override

from rbd.errors import MjcfRefusedError, quoted
from rbd.files.formats import MJCF
from rbd.files.names import closest
from rbd.files.reading import FileReading
from rbd.files.xml import XmlElement
from rbd.mjcf.limits import MjcfLimits
from rbd.mjcf.report import Finding, MjcfReport
from rbd.mjcf.schema import ATTRIBUTES, WITHOUT_EFFECT


@final
class MjcfReading(FileReading):
    """Options and report of one reading of a file and of those it includes, which all rules of the reader share."""

    def __init__(self, *, strict: bool, limits: MjcfLimits) -> None:
        """Begin with an empty report."""
        super().__init__(MJCF, strict=strict, limits=limits)
        self.report = MjcfReport()

    @override
    def warn(self, node: XmlElement, message: str, *, refused: bool = False) -> None:
        self.report.warnings.append(Finding(node.file, node.line, node.path, None, message, refused))

    @override
    def ignore(
        self, node: XmlElement, attribute: str | None = None, reason: str = "unknown", line: int | None = None
    ) -> None:
        place = node.line if line is None else line
        self.report.ignored.append(Finding(node.file, place, node.path, attribute, reason))

    def doubt(self, node: XmlElement, message: str, attribute: str | None = None) -> None:
        """Refuse, when strict, what changes how the mechanism moves and is not in it; else warn."""
        if self.strict:
            raise self.fault(MjcfRefusedError, node, f"{message} (strict=False loads the rest)", attribute=attribute)
        self.report.warnings.append(Finding(node.file, node.line, node.path, attribute, message, refused=True))

    def check_attributes(self, node: XmlElement, kind: str | None = None) -> None:
        """List the attributes of an element that are not honoured, and doubt those the format does not have."""
        known = ATTRIBUTES[kind or node.tag]
        for attribute in node.attributes:
            if attribute in known or attribute.startswith("xmlns"):
                continue
            if attribute in WITHOUT_EFFECT:
                self.ignore(node, attribute, WITHOUT_EFFECT[attribute])
            else:
                hint = closest(attribute, [*known, *WITHOUT_EFFECT])
                self.doubt(node, f"unknown attribute {quoted(attribute)}; {hint}", attribute)
        if node.text_line is not None:
            self.ignore(node, None, "text", node.text_line)
