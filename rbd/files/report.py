"""Reports of readers: ignored contents of a file and warnings, and the Python warning of these."""

from __future__ import annotations

import inspect
import warnings
from abc import ABC, abstractmethod
from typing import Self, final

import attrs
from typing_extensions import override

from rbd.errors import printable


@final
@attrs.frozen
class Finding:
    """A remark of a reader about an element or one of its attributes.

    >>> from rbd.urdf import UrdfReport, parse_urdf
    >>> report = UrdfReport()
    >>> robot = parse_urdf("<robot name='r'><link name='a'/><gadget/></robot>", report=report)
    >>> report.ignored[0].element, report.ignored[0].line
    ('gadget', 1)
    """

    file: str
    line: int
    element: str
    """The element and those around it, such as `joint 'elbow' > limit`."""
    attribute: str | None
    message: str
    refused: bool = False
    """Whether `strict=True` refuses the file for it."""


class FileReport(ABC):
    """Report of a reader on a file; abstract. A refused file leaves it as it was."""

    def __init__(self) -> None:
        """Begin empty."""
        self.name: str = ""
        self.file: str = ""
        self.ignored: list[Finding] = []
        self.warnings: list[Finding] = []

    @abstractmethod
    def counts(self) -> dict[str, int]:
        """Return the numbers of entries that `repr` shows, by what they are."""

    def update_from(self, other: Self) -> None:
        """Take the contents of `other`."""
        vars(self).update(vars(other))

    @override
    def __repr__(self) -> str:
        """Show the counts."""
        counts = ", ".join(f"{count} {what}" for what, count in self.counts().items())
        return f"{type(self).__name__}({self.name!r}: {counts})"


def emit_warning(report: FileReport, category: type[Warning]) -> None:
    """Warn, once for a file and at the nearest caller outside of the package, of what `strict=True` refuses."""
    refused = [finding for finding in report.warnings if finding.refused]
    if not refused:
        return
    first, count = refused[0], f"{len(refused)} warning{'s' if len(refused) > 1 else ''}"
    where = f"line {first.line}" if first.file == report.file else f"{first.file}, line {first.line}"
    hint = f"report={type(report).__name__}() lists all, strict=True refuses the file"
    message = f"{report.file}: {count}, the first in {where}: {first.element}: {first.message}; {hint}"
    level, frame = 1, inspect.currentframe()
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("rbd."):
        level, frame = level + 1, frame.f_back
    warnings.warn(printable(message), category, stacklevel=level)
