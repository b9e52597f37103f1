"""Solvers of small systems, written in the language of intrinsics; each folder has a map of its own.

A x = b                                      equations/    ltdl_factor.py first; the others by what is known of A
min 1/2 x'Hx - g'x, A x >= b                 projections/  batches and steps: many at a time
                                             quadratic/    one at a time, and where projections fail
the same with |(a1 x, a2 x)| <= a0 x - c     cones/        round friction cones
Coulomb friction with given coefficients     friction/     a linear complementarity problem

What several of them need:

operands.py, row_pattern.py  operands of intrinsics: matrices to entries and back, sparse rows
intervals.py                 rows with two bounds and dry friction
scaling.py                   lengths of rows and sizes of violations
cholesky.py                  Cholesky's factor of a dense matrix
weighted_factor.py           the sparse factor of I + A'DA, many at a time

Words, each with one meaning:

free point  the minimum without constraints
slack       a x - b of a row a x >= b, which is not negative where the row holds; violation: b - a x
multiplier  the Lagrange multiplier of a row; the force along it
active      said of a row whose multiplier counts; an interval row is held, at rest or at a bound, or slides: its mode
residual    the largest error of the conditions of the minimum
block       rows that belong together: the three rows of a round cone; of sparse equations, rows with the same columns
cone        friction cone: in projections/ polyhedral, whose edges are rows; in cones/ round, a second-order cone
tangent     of a contact, a direction of friction, orthogonal to the normal; in rules for derivatives the change of a
            value for changes of the operands; cotangent: the like of reverse mode
lane        one of the problems that are solved together
pattern     which entries of matrices are operands: made `of` matrices, or of the sizes and tables of a call, `of_call`

A solver is a workspace (the arrays), a function of it in the restricted language, a count of its operations, and rules
for its derivatives; together they are an `Intrinsic`. What calls it puts matrices into named operands.
"""

from rbd.solvers.equations.factored import SOLVE_FACTORED, solve_factored
from rbd.solvers.equations.minimum_norm import MINIMUM_NORM_SOLVE, minimum_norm_solve
from rbd.solvers.equations.partial_pivoting import DETERMINANT, SOLVE_SQUARE, determinant, solve_square
from rbd.solvers.equations.positive_definite import (
    FACTOR_POSITIVE_DEFINITE,
    SOLVE_POSITIVE_DEFINITE,
    solve_positive_definite,
)

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
