"""Warnings about robot files, at the line that asked for the file."""

from __future__ import annotations

import inspect
import warnings

from rbd.files.report import FileReport


def emit_warning(report: FileReport, category: type[Warning]) -> None:
    """Warn, once for a file and at the nearest caller outside of the package, of what `strict=True` refuses."""
    refused = [finding for finding in report.warnings if finding.refused]
    if not refused:
        return
    first, count = refused[0], f"{len(refused)} doubt{'s' if len(refused) > 1 else ''}"
    where = f"line {first.line}" if first.file == report.file else f"{first.file}, line {first.line}"
    hint = f"report={type(report).__name__}() lists all, strict=True refuses the file"
    message = f"{report.file}: {count}, the first in {where}: {first.element}: {first.message}; {hint}"
    level, frame = 1, inspect.currentframe()
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("rbd."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
