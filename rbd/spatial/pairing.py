"""Products of whole columns: motion subspaces with wrenches and inertias (internal).

Room: spatial; may import the rest of `rbd.spatial` and above. Nothing here is exported.
"""

from __future__ import annotations

from rbd.scalars import Matrix, Scalar, Vector
from rbd.spatial.classical import ClassicalAcceleration
from rbd.spatial.frame import check_frame
from rbd.spatial.inertia import SpatialInertia
from rbd.spatial.jacobians import GeometricJacobian, MomentumMatrix, WrenchMatrix
from rbd.spatial.linalg import Vec3, add3, cross3, dot3, matvec, scale3, sub3

Column = tuple[Vec3, Vec3]


def pair(motions: GeometricJacobian, forces: MomentumMatrix | WrenchMatrix) -> Matrix:
    """Return the products of every motion column with every force column; both must be expressed in one frame."""
    check_frame(forces.frame, motions.frame, operation="pairing of motions with forces", argument="forces")
    return tuple(tuple(_dot(motion, force) for force in forces.columns) for motion in motions.columns)


def resistance(wrenches: WrenchMatrix, acceleration: ClassicalAcceleration) -> Vector:
    """Return the product of every wrench column with an acceleration of their frame."""
    check_frame(wrenches.frame, acceleration.body, operation="pairing with an acceleration", argument="wrenches")
    motion = (acceleration.angular, acceleration.linear)
    return tuple(_dot(motion, force) for force in wrenches.columns)


def momentum_columns(inertia: SpatialInertia, motions: GeometricJacobian) -> MomentumMatrix:
    """Return the momenta that unit velocities along `motions` give to `inertia`."""
    check_frame(inertia.frame, motions.frame, operation="inertia @ subspace", argument="inertia")
    moment, com, mass = inertia.moment_components, inertia.cross_part_components, inertia.mass
    columns = tuple(
        (add3(matvec(moment, w), cross3(com, v)), sub3(scale3(v, mass), cross3(com, w))) for w, v in motions.columns
    )
    return MomentumMatrix.trusted(motions.frame, columns)


def combined(wrenches: WrenchMatrix, weights: Matrix) -> WrenchMatrix:
    """Return the columns of `wrenches` times the matrix `weights`."""
    size = range(len(weights))
    return WrenchMatrix.trusted(wrenches.frame, tuple(weighted(wrenches, [weights[j][k] for j in size]) for k in size))


def weighted(wrenches: WrenchMatrix, weights: Vector | list[Scalar]) -> Column:
    """Return the sum of the columns of `wrenches`, each times its weight."""
    (angular, linear), *others = wrenches.columns
    angular, linear = scale3(angular, weights[0]), scale3(linear, weights[0])
    for (a, b), weight in zip(others, weights[1:], strict=True):
        angular, linear = add3(angular, scale3(a, weight)), add3(linear, scale3(b, weight))
    return angular, linear


def _dot(motion: Column, force: Column) -> Scalar:
    return dot3(motion[0], force[0]) + dot3(motion[1], force[1])
