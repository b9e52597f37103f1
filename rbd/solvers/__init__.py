"""Solvers of small systems, written in the language of intrinsics; nothing of recordings or robots.

linear.py              factors of symmetric matrices, written out or called
dense_factors.py       Cholesky's factor, and orthonormal bases of active rows
positive_definite.py   solve_positive_definite
factored.py            solve_factored: many right-hand sides, with a sparse factor
minimum_norm.py        minimum_norm_solve
lemke.py               linear complementarity problems, and small systems of equations
quadratic_program.py   solve_quadratic_program
friction*.py           solve_friction: Coulomb's law by Lemke's pivots
*_derivative*.py       derivatives of their solutions
"""

from rbd.solvers.factored import SOLVE_FACTORED, solve_factored
from rbd.solvers.minimum_norm import MINIMUM_NORM_SOLVE, minimum_norm_solve
from rbd.solvers.positive_definite import FACTOR_POSITIVE_DEFINITE, SOLVE_POSITIVE_DEFINITE, solve_positive_definite

__all__ = [
    "FACTOR_POSITIVE_DEFINITE",
    "MINIMUM_NORM_SOLVE",
    "SOLVE_FACTORED",
    "SOLVE_POSITIVE_DEFINITE",
    "minimum_norm_solve",
    "solve_factored",
    "solve_positive_definite",
]
