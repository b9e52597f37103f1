"""Context of reading one URDF file: limits, options, findings."""

from __future__ import annotations

from typing import final

import attrs

from rbd.files.formats import URDF
from rbd.files.limits import FileLimits
from rbd.files.reading import FileReading
from rbd.urdf.report import Snapped


@final
@attrs.frozen
class UrdfLimits(FileLimits):
    """Limits of the size and depth of URDF files; a file that exceeds them is refused.

    >>> from rbd.urdf import UrdfLimits
    >>> UrdfLimits(bytes=1_000_000).depth
    32
    """


@final
class UrdfReading(FileReading):
    """Context of reading one URDF file."""

    def __init__(self, *, strict: bool, snap: bool, project_inertias: bool, limits: UrdfLimits) -> None:
        """Begin without findings."""
        super().__init__(URDF, strict=strict, limits=limits)
        self.snapped: list[Snapped] = []
        self.snap = snap
        self.project_inertias = project_inertias
