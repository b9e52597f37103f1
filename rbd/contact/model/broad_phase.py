"""Broad phase: which pairs may be near, by bounding spheres."""

from __future__ import annotations

from typing import Final

import numpy as np

from rbd.contact.geometry.shape_numbers import NUMBERED_KINDS
from rbd.contact.model.shape_table import Indices, ShapeTable
from rbd.spatial.half_space import HalfSpace
from rbd.state import MechanismState

_PLANE: Final = next(k for k, kind in enumerate(NUMBERED_KINDS) if kind.shape is HalfSpace)


def near_pairs(shapes: ShapeTable, state: MechanismState, margin: float) -> Indices:
    """Return the numbers of the pairs whose bounding spheres are nearer than `margin`."""
    if not shapes.a.size:
        return np.empty(0, dtype=np.intp)
    table, planes = shapes.placed(state), shapes.kinds == _PLANE
    a, b = table[shapes.a], table[shapes.b]
    gaps = np.linalg.norm(a[:, :3] - b[:, :3], axis=1) - shapes.radii[shapes.a] - shapes.radii[shapes.b]
    for solid, plane, solids, others in ((a, b, shapes.a, shapes.b), (b, a, shapes.b, shapes.a)):
        rows = np.flatnonzero(planes[others])
        offsets, normals = solid[rows, :3] - plane[rows, :3], plane[rows, 3:6]
        gaps[rows] = (offsets * normals).sum(axis=1) - shapes.radii[solids[rows]]
    return np.flatnonzero(gaps < margin)
