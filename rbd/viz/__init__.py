"""Plots of mechanisms with matplotlib (extra `plot`), which is imported by the functions that use it.

solids.py    capsules, spheres, boxes and half-spaces as polygons
shapes.py    plot_shapes: the shapes of a collision model, with witness discs
"""

from __future__ import annotations

from rbd.viz.shapes import plot_shapes

__all__ = ["plot_shapes"]
