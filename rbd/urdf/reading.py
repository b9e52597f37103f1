"""Context of reading one URDF file: options and the report."""

from __future__ import annotations

from typing import final

from typing_extensions import override

from rbd.files.formats import URDF
from rbd.files.reading import FileReading
from rbd.files.xml import XmlElement
from rbd.urdf.limits import UrdfLimits
from rbd.urdf.report import Doubt, Ignored, UrdfReport


@final
class UrdfReading(FileReading):
    """Options and report of one reading of a file, which all rules of the reader share."""

    def __init__(self, *, strict: bool, snap: bool, project: bool, limits: UrdfLimits) -> None:
        """Begin with an empty report."""
        super().__init__(URDF, strict=strict, limits=limits)
        self.snap = snap
        self.project = project
        self.report = UrdfReport()

    @override
    def warn(self, node: XmlElement, message: str, *, refused: bool = False) -> None:
        self.report.warnings.append(Doubt(node.path, node.line, message, refused))

    @override
    def ignore(
        self, node: XmlElement, attribute: str | None = None, reason: str = "unknown", line: int | None = None
    ) -> None:
        self.report.ignored.append(Ignored(node.path, attribute, node.line if line is None else line, reason))
