"""Limits of URDF files."""

from __future__ import annotations

from typing import final

import attrs

from rbd.files.xml import FileLimits


@final
@attrs.frozen
class UrdfLimits(FileLimits):
    """What a URDF file may ask for; a file that asks for more is refused while it is read.

    >>> from rbd.urdf import UrdfLimits
    >>> UrdfLimits(bytes=1_000_000).depth
    32
    """
