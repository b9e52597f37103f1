"""Operations with a course decided at run time: solves with pivots, which no straight-line program can do.

May import: the rest of `rbd.scalars` but programs. To add one, write a function in a small part of Python:

    language.py            the words it may use: Floats, Ints, Rows, fma, sqrt, divide
    workspace.py           arrays with names, declared once with their shapes: the one parameter of an intrinsic
    checking.py, tree.py   what is allowed, and the function as data for the translators to machine code and to C
    columns.py             which loops mix no columns, and which functions take the same course always
    intrinsic.py           `Intrinsic`: the function with its workspace, its labels, its count of operations
    comparable.py          the same function on scalars other than floats

The solvers, which import the language and nothing of recordings:

    dense_factors.py       Cholesky's factor, and orthonormal bases of active rows
    positive_definite.py   solve_positive_definite
    factored.py            solve_factored: many right-hand sides, with a sparse factor
    minimum_norm.py        minimum_norm_solve
    lemke.py               linear complementarity problems, and small systems of equations
    quadratic_program.py   solve_quadratic_program
    friction*.py           solve_friction: Coulomb's law by Lemke's pivots
    *_derivative*.py       how their solutions move with their data
"""

from rbd.scalars.intrinsics.factored import SOLVE_FACTORED, solve_factored
from rbd.scalars.intrinsics.intrinsic import TABLE, Call, Intrinsic, Lengths, must_be_positive
from rbd.scalars.intrinsics.minimum_norm import MINIMUM_NORM_SOLVE, minimum_norm_solve
from rbd.scalars.intrinsics.positive_definite import (
    FACTOR_POSITIVE_DEFINITE,
    SOLVE_POSITIVE_DEFINITE,
    solve_positive_definite,
)
from rbd.scalars.intrinsics.workspace import Workspace

__all__ = [
    "FACTOR_POSITIVE_DEFINITE",
    "MINIMUM_NORM_SOLVE",
    "SOLVE_FACTORED",
    "SOLVE_POSITIVE_DEFINITE",
    "TABLE",
    "Call",
    "Intrinsic",
    "Lengths",
    "Workspace",
    "minimum_norm_solve",
    "must_be_positive",
    "solve_factored",
    "solve_positive_definite",
]
