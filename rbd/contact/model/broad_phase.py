"""Broad phase: which pairs may be near, by bounding spheres (Ericson 2005, section 4.3)."""

from __future__ import annotations

import numpy as np

from rbd.contact.model.shape_table import Indices, ShapeTable
from rbd.state import MechanismState


def near_pairs(shapes: ShapeTable, state: MechanismState, margin: float) -> Indices:
    """Return the indices of the pairs whose bounding spheres are nearer than `margin`."""
    if not shapes.a.size:
        return np.empty(0, dtype=np.intp)
    centers, table = shapes.placed(state)
    a, b = shapes.a, shapes.b
    gaps = np.linalg.norm(centers[a] - centers[b], axis=1) - shapes.radii[a] - shapes.radii[b]
    for solids, others in ((a, b), (b, a)):
        rows = np.flatnonzero(shapes.are_planes[others])
        if not rows.size:
            continue
        points, normals = table[others[rows], :3], table[others[rows], 3:6]
        gaps[rows] = ((centers[solids[rows]] - points) * normals).sum(axis=1) - shapes.radii[solids[rows]]
    return np.flatnonzero(gaps < margin)
