"""Distances, contact Jacobian, bias and elastic energies of all pairs of a model: functions to be recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, cast

import numpy as np

from rbd.contact.model.contact_kinematics import (
    contact_points_in_base,
    distance_and_jacobian,
    distance_and_witnesses,
    distance_bias,
)
from rbd.contact.model.pairs import Pair
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Scalar, maximum
from rbd.scalars.linear_algebra import dot
from rbd.spatial.linalg import Vec3

PairFunctionName: TypeAlias = Literal["distances", "distances_with_previous", "jacobian", "bias", "elastic_energies"]


def _distances(pairs: Sequence[Pair], state: ScalarState, previous: object = None) -> object:
    earlier: list[Vec3 | None] = [None] * len(pairs) if previous is None else cast("Any", previous).tolist()
    rows: list[object] = []
    for pair, normal in zip(pairs, earlier, strict=True):
        phi, witnesses = distance_and_witnesses(state, pair, normal)
        rows.append((phi, *(x for vector in witnesses for x in vector.xyz_components)))
    return _table(rows, 10)


def _jacobian(pairs: Sequence[Pair], state: ScalarState) -> object:
    return _table([distance_and_jacobian(state, pair)[1] for pair in pairs], state.layout.nv)


def _bias(pairs: Sequence[Pair], state: ScalarState) -> object:
    return _table([distance_bias(state, pair) for pair in pairs])


def _elastic_energies(pairs: Sequence[Pair], state: ScalarState) -> object:
    return _table([_elastic_energy(pair, state) for pair in pairs])


def _elastic_energy(pair: Pair, state: ScalarState) -> Scalar:
    """Return the energy of the springs of a pair, k depth² / 2 per contact point; zero if it is hard."""
    if pair.compliance is None:
        return 0
    depths = [maximum(-point.phi, 0) for point in contact_points_in_base(state, pair)]
    return state.lifted(pair.compliance.stiffness) * dot(depths, depths) / 2


def _table(rows: Sequence[object], width: int | None = None) -> object:
    """Return the rows, or an empty array of the right shape if there are none."""
    return tuple(rows) if rows else np.empty((0,) if width is None else (0, width))


PAIR_FUNCTIONS: Final[Mapping[PairFunctionName, Callable[..., object]]] = {
    "distances": _distances,
    "distances_with_previous": _distances,
    "jacobian": _jacobian,
    "bias": _bias,
    "elastic_energies": _elastic_energies,
}
"""The functions by name; "distances_with_previous" takes the previous normals as a third argument."""
