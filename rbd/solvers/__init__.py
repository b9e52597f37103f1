"""Solvers of small systems, written in the language of intrinsics.

linear.py              A = LᵀDL written out; large recordings call the intrinsics of positive_definite.py, factored.py
dense_factors.py       Cholesky's factor, and orthonormal bases of active rows
positive_definite.py   solve_positive_definite
factor_derivative.py   derivatives of its factor
factored.py            solve_factored: many right-hand sides, with a sparse factor
partial_pivoting.py    solve_square, determinant
minimum_norm.py        minimum_norm_solve
sparse_minimum_norm.py, block_rows.py  the same for many sparse rows
lemke.py, lu.py        linear complementarity problems; LU factors with complete pivoting
quadratic_program.py   solve_quadratic_program
polyhedral_projection.py, projected_program.py
                       the same programs, many at a time in vector registers
projection_newton.py   their Newton's method
row_groups.py          groups of redundant rows, and where they are in operands
near_projection.py     where Newton's method begins then:
dual_active_set.py     an active-set method
twist_space.py         its unknowns: twists of groups of rows
interior_point.py, interior_point_intervals.py, interior_point_workspace.py
                       an interior-point method
grouped_projection.py  the check of the solution, and Newton's method from there
weighted_factor.py     the factor of both
interval_program.py    programs with interval rows
cone_projection.py, cone_program.py
                       programs with second-order cones, many at a time
cone_rows.py, cone_newton.py, cone_multipliers.py
                       their rows, Newton's method on them, and the method of multipliers
friction/              solve_friction: Coulomb friction by Lemke's method
*_derivative.py        derivatives of their solutions
operands.py, row_pattern.py
                       operands of intrinsics: matrices to entries and back, sparse rows
"""

from rbd.solvers.factored import SOLVE_FACTORED, solve_factored
from rbd.solvers.minimum_norm import MINIMUM_NORM_SOLVE, minimum_norm_solve
from rbd.solvers.partial_pivoting import DETERMINANT, SOLVE_SQUARE, determinant, solve_square
from rbd.solvers.positive_definite import FACTOR_POSITIVE_DEFINITE, SOLVE_POSITIVE_DEFINITE, solve_positive_definite

__all__ = [
    "DETERMINANT",
    "FACTOR_POSITIVE_DEFINITE",
    "MINIMUM_NORM_SOLVE",
    "SOLVE_FACTORED",
    "SOLVE_POSITIVE_DEFINITE",
    "SOLVE_SQUARE",
    "determinant",
    "minimum_norm_solve",
    "solve_factored",
    "solve_positive_definite",
    "solve_square",
]
