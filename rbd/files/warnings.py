"""Warnings about robot files, at the line that asked for the file."""

from __future__ import annotations

import inspect
import warnings


def warn_reader(message: str, category: type[Warning]) -> None:
    """Warn at the nearest caller outside of the package."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("rbd."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
