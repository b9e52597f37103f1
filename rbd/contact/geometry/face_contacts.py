"""Contact points of two convex bodies whose faces lie on each other.

They are the corners of the region that both faces cover, seen along the normal of the pair: corners of one face above
the other, or above an edge, and crossings of edges. Which these are is found by two intrinsics (`support_polygons.py`,
`clipped_polygons.py`); distances and places, and with them all derivatives, are a fixed program.
"""

from __future__ import annotations

from collections.abc import Sequence

from rbd.contact.geometry.clipped_polygons import CORNER_OF_A, CORNER_OF_B, RegionCorner, clipped_corners
from rbd.contact.geometry.separations import UNUSED_DISTANCE, Separation
from rbd.contact.geometry.support_polygons import MAX_CORNERS, SupportPolygon, point_at, support_polygon
from rbd.contact.geometry.vectors import point_along, where3
from rbd.scalars import both, invert, less, where
from rbd.spatial.linalg import Vec3, cross3, dot3, sub3


def face_contacts(a: Sequence[Vec3], b: Sequence[Vec3], n: Vec3) -> list[Separation]:
    """Return the contact points of the convex hulls of points along a normal, from b to a; far away where none is.

    There are eight at most, and two with a segment.
    """
    faces = support_polygon(a, n, 1), support_polygon(b, n, -1)
    most = MAX_CORNERS if min(len(a), len(b)) > 2 else 2
    return [_contact(*faces, n, corner) for corner in clipped_corners(*faces, n)[:most]]


def _contact(a: SupportPolygon, b: SupportPolygon, n: Vec3, corner: RegionCorner) -> Separation:
    """Return the points of two faces that lie above each other at a corner of the region: p_a - p_b = phi n.

    Edges e and f of the faces cross, or both are of the face that is under or above a corner; of an edge under or above
    a corner, f is at right angles to it and to n. So phi is the distance along n of two planes that are parallel to e
    and f.
    """
    a0, a1, a2 = (point_at(a.corners, index) for index in corner.of_a)
    b0, b1, b2 = (point_at(b.corners, index) for index in corner.of_b)
    is_there, e_is_of_a, crosses = (less(kind, corner.kind) for kind in (0, CORNER_OF_A, CORNER_OF_B))
    e = where3(e_is_of_a, sub3(a1, a0), sub3(b1, b0))
    is_edge = less(where(e_is_of_a, corner.of_a[2], corner.of_b[2]), 1)
    across = where3(is_edge, cross3(n, e), where3(e_is_of_a, sub3(a2, a0), sub3(b2, b0)))
    f = where3(crosses, sub3(b1, b0), across)
    offset, normal = sub3(a0, b0), cross3(e, f)
    turn = where(is_there, dot3(normal, n), 1)
    phi = where(is_there, dot3(normal, offset) / turn, UNUSED_DISTANCE)
    share = where(crosses, dot3(cross3(f, offset), n) / turn, 0)
    is_of_b = both(e_is_of_a, invert(crosses))
    p_a = where3(is_of_b, point_along(b0, n, phi), point_along(a0, e, share))
    return Separation(phi, p_a, point_along(p_a, n, -phi), n)
