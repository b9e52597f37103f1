"""Limits of URDF files."""

from __future__ import annotations

from typing import final

import attrs

from rbd.files.xml import FileLimits


@final
@attrs.frozen
class UrdfLimits(FileLimits):
    """Limits of the size and depth of URDF files; a file that exceeds them is refused.

    >>> from rbd.urdf import UrdfLimits
    >>> UrdfLimits(bytes=1_000_000).depth
    32
    """
