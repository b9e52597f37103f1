"""Bounds of coordinates, speeds and forces of joints."""

from __future__ import annotations

import math
from typing import Final

UNBOUNDED: Final = (-math.inf, math.inf)
"""Bounds of a coordinate, speed or force that has none."""
