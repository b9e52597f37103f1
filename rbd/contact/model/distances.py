"""`Distance`: how close the shapes of a pair are, as a result and as the argument `previous`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, cast, final

import attrs
import numpy as np
from typing_extensions import override

from rbd.arguments import described, sequence
from rbd.contact.model.pairs import N_co
from rbd.errors import ArgumentError
from rbd.scalars.arrays import Array, float_array
from rbd.spatial import Frame, FreeVector, Point, check_frame
from rbd.spatial.linalg import Vec3


@final
@attrs.frozen(eq=False, repr=False)
class Distance(Generic[N_co]):
    """Signed distance of two shapes: negative where they overlap. Witnesses and normal are in the root frame.

    The normal has length one and points from the second shape to the first: witness_a - witness_b = value * normal.

    >>> import rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> near = model.distances(rbd.MechanismState(mechanism))[0]
    >>> gap = near.witness_a - near.witness_b
    >>> gap.isclose(near.normal * near.value), round(near.value, 9)
    (True, 0.1)
    """

    value: N_co
    witness_a: Point[Any]
    witness_b: Point[Any]
    normal: FreeVector[Any]

    @override
    def __repr__(self) -> str:
        value = f"{self.value:.6g}" if isinstance(self.value, float) else self.value
        return f"<distance {value} along {self.normal}>"


def from_row(row: Sequence[float], root: Frame[Any]) -> Distance[float]:
    """Return the distance with these ten numbers: value, witnesses, normal."""
    value, ax, ay, az, bx, by, bz, x, y, z = row
    witness_a, witness_b = Point.trusted(root, (ax, ay, az)), Point.trusted(root, (bx, by, bz))
    return Distance(value, witness_a, witness_b, FreeVector.trusted(root, (x, y, z)))


def previous_normals(previous: Sequence[Distance[Any]] | None, count: int, root: Frame[Any]) -> list[Vec3]:
    """Return the normals of earlier distances, zeros for None; raise ArgumentError unless these are `count`."""
    if previous is None:
        return [(0, 0, 0)] * count
    distances = sequence(previous, "previous", "distances")
    if len(distances) != count:
        message = f"previous holds {len(distances)} distances, there are {count} pairs; pass what `distances` returned"
        raise ArgumentError(message, argument="previous", value=previous, allowed=f"{count} distances")
    return [_normal(distance, root) for distance in distances]


def _normal(distance: Any, root: Frame[Any]) -> Vec3:
    if not _has_normal(distance):
        message = f"previous holds {described(distance)}; pass what `distances` returned"
        raise ArgumentError(message, argument="previous", value=distance, allowed="Distance")
    normal: FreeVector[Any] = distance.normal
    if normal.frame is not root:
        check_frame(normal.frame, root, operation="distances", argument="previous")
    return normal.xyz_components


def _has_normal(value: object) -> bool:
    return isinstance(value, Distance) and isinstance(cast("object", value.normal), FreeVector)


def normals_array(normals: Sequence[Vec3]) -> Array:
    """Return normals as floats, (n, 3); raise an error that names `previous` when they are of other scalars."""
    try:
        return np.array(normals, dtype=np.float64).reshape(-1, 3)
    except (TypeError, ValueError):
        return float_array(normals, (len(normals), 3), "previous")
