"""Limits of MJCF files."""

from __future__ import annotations

from typing import final

import attrs

from rbd.files.limits import FileLimits
from rbd.meshes.mesh_files import MESH_BYTES


@final
@attrs.frozen
class MjcfLimits(FileLimits):
    """Limits of an MJCF file; a file that exceeds them is refused while it is read.

    `elements` counts those of included files and the copies that `<replicate>` makes, too.

    >>> from rbd.mjcf import MjcfLimits
    >>> MjcfLimits(depth=32).files
    1000
    """

    depth: int = 200
    files: int = 1000
    """Included files, meshes and height fields, those that the report opens later too; each counts once."""
    mesh_bytes: int = MESH_BYTES
    """Size of one mesh or height field."""
