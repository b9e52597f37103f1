"""Shapes, how close they come, and what happens when they touch.

Room: contact; may import compiled and above.
"""

from __future__ import annotations

from rbd.spatial.half_space import HalfSpace

__all__ = ["HalfSpace"]
