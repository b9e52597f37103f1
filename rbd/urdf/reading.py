"""Context of reading one URDF file: limits, options, the report."""

from __future__ import annotations

from typing import final

import attrs

from rbd.files.formats import URDF
from rbd.files.reading import FileReading
from rbd.files.xml import FileLimits
from rbd.urdf.report import UrdfReport


@final
@attrs.frozen
class UrdfLimits(FileLimits):
    """Limits of the size and depth of URDF files; a file that exceeds them is refused.

    >>> from rbd.urdf import UrdfLimits
    >>> UrdfLimits(bytes=1_000_000).depth
    32
    """


@final
class UrdfReading(FileReading[UrdfReport]):
    """Context of reading one URDF file."""

    def __init__(self, *, strict: bool, snap: bool, project: bool, limits: UrdfLimits) -> None:
        """Begin with an empty report."""
        super().__init__(URDF, UrdfReport(), strict=strict, limits=limits)
        self.snap = snap
        self.project = project
