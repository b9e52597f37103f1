"""Context of reading one URDF file: options, the report."""

from __future__ import annotations

from typing import final

from rbd.files.formats import URDF
from rbd.files.reading import FileReading
from rbd.urdf.limits import UrdfLimits
from rbd.urdf.report import UrdfReport


@final
class UrdfReading(FileReading[UrdfReport]):
    """Context of reading one URDF file."""

    def __init__(self, *, strict: bool, snap: bool, project: bool, limits: UrdfLimits) -> None:
        """Begin with an empty report."""
        super().__init__(URDF, UrdfReport(), strict=strict, limits=limits)
        self.snap = snap
        self.project = project
