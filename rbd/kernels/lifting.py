"""Parameters with frames in the scalars of a state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rbd.spatial import Point, SpatialInertia, Transform
from rbd.spatial.linalg import symmetric

if TYPE_CHECKING:
    from rbd.kernels.state_view import StateView


def lifted_point(state: StateView, point: Point) -> Point:
    """Return `point` with components in the scalar family of a state."""
    x, y, z = point.xyz_components
    return Point.trusted(point.frame, (state.lifted(x), state.lifted(y), state.lifted(z)))


def lifted_inertia(state: StateView, inertia: SpatialInertia) -> SpatialInertia:
    """Return `inertia` with components in the scalar family of a state."""
    lifted = state.lifted
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = (tuple(map(lifted, row)) for row in inertia.moment_components)
    x, y, z = map(lifted, inertia.first_moment_components)
    return SpatialInertia.trusted(inertia.frame, symmetric(xx, xy, xz, yy, yz, zz), (x, y, z), lifted(inertia.mass))


def lifted_transform(state: StateView, tf: Transform) -> Transform:
    """Return `tf` with components in the scalar family of a state."""
    lifted = state.lifted
    a, b, c = ((lifted(row[0]), lifted(row[1]), lifted(row[2])) for row in tf.rotation_components)
    x, y, z = tf.translation_components
    return Transform.trusted(tf.from_frame, tf.to_frame, (a, b, c), (lifted(x), lifted(y), lifted(z)))
