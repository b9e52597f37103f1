"""Paths in robot files: to regular files inside given directories, after every symbolic link is followed."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)\Z", re.DOTALL)
_DRIVE: Final = re.compile(r"[A-Za-z]:")


class PathFault(Exception):
    """Why a reference is refused, the places looked at, and whether it leads outside of the allowed directories."""

    def __init__(self, message: str, tried: tuple[str, ...] = (), *, outside: bool = False) -> None:
        super().__init__(message)
        self.tried, self.outside = tried, outside


def check_reference(reference: str) -> None:
    """Raise PathFault for a text that is no path on some system."""
    if not reference:
        raise PathFault("the reference is empty")
    if not reference.isprintable():
        raise PathFault("control characters are refused")
    if "\\" in reference:
        raise PathFault("backslashes are refused; separate folders by '/'")
    if _DRIVE.match(reference) and not SCHEME.match(reference):
        raise PathFault("drive letters are refused")


def confined_file(candidate: Path, directories: Sequence[Path]) -> Path:
    """Return the regular file at `candidate`, which must end inside one of `directories`; raise PathFault."""
    tried = (str(candidate),)
    try:
        # realpath follows every link and resolves '..'; it does not raise for what is missing
        real = Path(os.path.realpath(candidate))
        roots = [Path(os.path.realpath(directory)) for directory in directories]
        if not any(real.is_relative_to(root) for root in roots):
            raise PathFault(f"{candidate} leads outside {', '.join(map(str, directories))}", tried, outside=True)
        if not stat.S_ISREG(real.stat().st_mode):
            raise PathFault(f"{candidate} is no regular file", tried)
    except (OSError, ValueError):
        raise PathFault(f"not found; tried {candidate}", tried) from None
    return real
