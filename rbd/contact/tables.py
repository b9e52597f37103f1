"""What is recorded of all pairs of a model: tables of distances, rows and biases (internal).

Bodies are plain functions of pairs and a scalar state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

import numpy as np

from rbd.contact.kinematics import distance_and_row, nearest, second_order
from rbd.contact.pairs import Pair
from rbd.spatial.linalg import Vec3
from rbd.state import ScalarState


def _all_nearest(pairs: Sequence[Pair], state: ScalarState, previous: object = None) -> object:
    earlier = [(0, 0, 0)] * len(pairs) if previous is None else cast("list[Vec3]", cast("Any", previous).tolist())
    rows: list[object] = []
    for pair, normal in zip(pairs, earlier, strict=True):
        value, points = nearest(state, pair, normal)
        rows.append((value, *(x for point in points for x in point.xyz_components)))
    return _table(rows, 10)


def _all_rows(pairs: Sequence[Pair], state: ScalarState) -> object:
    return _table([distance_and_row(state, pair)[1] for pair in pairs], state.layout.nv)


def _all_biases(pairs: Sequence[Pair], state: ScalarState) -> object:
    return _table([second_order(state, pair) for pair in pairs])


def _table(rows: Sequence[object], width: int | None = None) -> object:
    """Return rows as they are, or an empty array whose shape counts."""
    return tuple(rows) if rows else np.empty((0,) if width is None else (0, width))


BODIES: Final[Mapping[str, Callable[..., object]]] = {
    "distances": _all_nearest,
    "distances again": _all_nearest,
    "jacobian": _all_rows,
    "bias": _all_biases,
}
"""By name; the second takes the normals found before."""
