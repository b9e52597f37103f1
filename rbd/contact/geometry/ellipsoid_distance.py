"""Nearest points of an ellipsoid and a half-space or sphere.

The equation of the nearest point is that of Hart 1994, in Graphics Gems IV. The point of the ellipsoid with semi-axes a
that is nearest to x is a² x / (a² + t), with the largest root t of

    |a x / (a² + t)|² = 1

The left side falls and is convex there, so that Newton's method, begun below the root, rises to it (`_find_root`). The
root is an intrinsic, since the number of steps depends on values; two more steps are a fixed program, and with these
first and second derivatives are exact.
"""

from __future__ import annotations

from typing import Final, final

from rbd.contact.geometry.placed_shapes import PlacedEllipsoid, PlacedHalfSpace, PlacedSphere
from rbd.contact.geometry.separations import Separation, separation_from_plane
from rbd.contact.geometry.vectors import point_along, without_rates
from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import divide
from rbd.intrinsics.piecewise_constant import zero_cotangents, zero_tangents
from rbd.intrinsics.workspace import Workspace, floats, operand, result
from rbd.scalars import Scalar, Vector, const, sqrt
from rbd.solvers.operands import solver_error
from rbd.spatial.linalg import add3, matvec, sub3, tmatvec

ROUNDS: Final = 60
_DEEPEST: Final = 1e-6
"""Share of the smallest square of a semi-axis by which the root is above the pole, at least."""
_HALF = const(1, 2)
INSIDE: Final = "a sphere is so deep in an ellipsoid that the nearest point is not known; begin where they overlap less"


@final
class EllipsoidRoot(Workspace):
    """Squares of semi-axes, and the products of semi-axes and coordinates of a point."""

    squares = operand("3")
    products = operand("3")
    root = result("1")
    step = floats("1")


def _set_step(w: EllipsoidRoot) -> None:
    """Set Newton's step."""
    excess = -1.0
    slope = 0.0
    for c in range(3):
        ratio = divide(w.products[c], w.squares[c] + w.root[0])
        excess += ratio * ratio
        slope += divide(2.0 * (ratio * ratio), w.squares[c] + w.root[0])
    w.step[0] = divide(excess, slope)


def _find_root(w: EllipsoidRoot) -> int:
    least = w.squares[0]
    w.root[0] = abs(w.products[0]) - w.squares[0]
    for c in range(1, 3):
        if w.squares[c] < least:
            least = w.squares[c]
        if abs(w.products[c]) - w.squares[c] > w.root[0]:
            w.root[0] = abs(w.products[c]) - w.squares[c]
    if w.root[0] + least < _DEEPEST * least:
        return 1
    for _ in range(ROUNDS):
        _set_step(w)
        if w.step[0] <= 0.0 or w.root[0] + w.step[0] <= w.root[0]:
            return 0
        w.root[0] += w.step[0]
    return 0


def _operations() -> int:
    return 30 * ROUNDS + 20


FIND_ELLIPSOID_ROOT: Final = Intrinsic(
    name="find_ellipsoid_root",
    workspace=EllipsoidRoot,
    function=_find_root,
    operations=_operations,
    labels=1,
    error=solver_error,
    derivative=zero_tangents,
    adjoint=zero_cotangents,
)


def ellipsoid_and_plane(a: PlacedEllipsoid, b: PlacedHalfSpace) -> Separation:
    """Return the distance of the support point of an ellipsoid."""
    n = matvec(a.axes, b.normal)
    x, y, z = (radius * component for radius, component in zip(a.radii, n, strict=True))
    length = sqrt(x * x + y * y + z * z)
    u, v, w = (-radius * component / length for radius, component in zip(a.radii, (x, y, z), strict=True))
    return separation_from_plane(add3(a.center, tmatvec(a.axes, (u, v, w))), 0, b)


def ellipsoid_and_sphere(a: PlacedEllipsoid, b: PlacedSphere) -> Separation:
    """Return the distance of a sphere; raise SolverError where its centre is near the middle of the ellipsoid."""
    point = matvec(a.axes, sub3(b.center, a.center))
    squares = tuple(radius * radius for radius in a.radii)
    t = _root(squares, tuple(radius * x for radius, x in zip(a.radii, point, strict=True)))
    x, y, z = (x / (square + t) for x, square in zip(point, squares, strict=True))
    slope = sqrt(x * x + y * y + z * z)
    n = tmatvec(a.axes, (-x / slope, -y / slope, -z / slope))
    phi = t * slope
    return Separation(phi, point_along(b.center, n, phi), b.center, n).inflated(0, b.radius)


def _root(squares: Vector, products: Vector) -> Scalar:
    """Return the root t, with derivatives."""
    (t,) = FIND_ELLIPSOID_ROOT((), without_rates((*squares, *products)), (INSIDE,))
    for _ in range(2):
        ratios = [x / (square + t) for x, square in zip(products, squares, strict=True)]
        slope = sum(ratio * ratio / (square + t) for ratio, square in zip(ratios, squares, strict=True))
        t = t + _HALF * (sum(ratio * ratio for ratio in ratios) - 1) / slope
    return t
