"""Findings of readers as lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rbd.errors import printable
from rbd.files.report import FileReport, Finding

if TYPE_CHECKING:
    from rbd.mjcf import MjcfReport
    from rbd.urdf import UrdfReport


def place_of(finding: Finding) -> tuple[str, int]:
    """Return file and line of a finding, by which findings are sorted."""
    return finding.file, finding.line


def snapped(report: UrdfReport | MjcfReport) -> list[Finding]:
    """Return the snapped numbers of a report, as findings."""
    from rbd.urdf import UrdfReport

    entries = report.snapped if isinstance(report, UrdfReport) else []
    message = "{} snapped to the nearest aligned one"
    return [Finding(report.file, s.line, s.element, None, message.format(s.what)) for s in entries]


def warning_lines(report: FileReport) -> list[str]:
    """Return one line for each warning."""
    return [f"{_where(report, w)}: {w.element}: {w.message}" for w in report.warnings]


def ignored_lines(report: FileReport) -> list[str]:
    """Return one line for each kind of ignored element: files repeat them for every link."""
    lines: dict[str, list[str]] = {}
    for entry in report.ignored:
        kind = re.sub(r" '[^']*'", "", entry.element) + (f" {entry.attribute}" if entry.attribute else "")
        lines.setdefault(kind, []).append(_where(report, entry))
    return [
        f"{kind}: {texts[0]}" + (f" and {len(texts) - 1} more" if len(texts) > 1 else "")
        for kind, texts in lines.items()
    ]


def _where(report: FileReport, finding: Finding) -> str:
    """Return the line of a finding, with the name of an included file."""
    name = "" if finding.file == report.file else f"{printable(finding.file)}, "
    return f"{name}line {finding.line}"
