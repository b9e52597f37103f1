"""Functions of numpy.linalg on arrays of scalars, by the solvers of rbd; leading axes are stacks of matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.linalg import LinAlgError

from rbd.recorded_arrays.creation import object_array
from rbd.scalars import divide, positive, sqrt
from rbd.scalars.linear_algebra import identity
from rbd.scalars.opaque import caller_line
from rbd.scalars.protocol import Matrix, ScalarArray
from rbd.solvers import determinant, minimum_norm_solve, solve_square


def _rows(matrix: ScalarArray) -> Matrix:
    return tuple(map(tuple, matrix.tolist()))


def _stacked(a: Any, name: str, *, square: bool = True) -> ScalarArray:
    """Return matrices; raise LinAlgError as NumPy does."""
    array = object_array(a)
    if array.ndim < 2:
        raise LinAlgError(f"{array.ndim}-dimensional array given to numpy.linalg.{name}: it must have two axes or more")
    if square and array.shape[-1] != array.shape[-2]:
        raise LinAlgError(f"the last two axes given to numpy.linalg.{name} must be square, not {array.shape[-2:]}")
    return array


def _label(name: str) -> str:
    """Return the label of the matrix in error messages."""
    line = caller_line().replace("\\", "/").rpartition("/")[2]
    return f"the matrix of numpy.linalg.{name} ({line})"


def _solve(a: Any, b: Any) -> ScalarArray:
    """Solve a x = b: b is a vector if it has one axis, else a stack of matrices."""
    matrices, right = _stacked(a, "solve"), object_array(b)
    columns = right[..., None] if right.ndim == 1 else right
    lead = np.broadcast_shapes(matrices.shape[:-2], columns.shape[:-2])
    matrices = np.broadcast_to(matrices, lead + matrices.shape[-2:])
    columns = np.broadcast_to(columns, lead + columns.shape[-2:])
    solutions, label = np.zeros(columns.shape, dtype=np.object_), _label("solve")
    for index in np.ndindex(*lead):
        solutions[index] = solve_square(_rows(matrices[index]), _rows(columns[index]), label)
    return solutions[..., 0] if right.ndim == 1 else solutions


def _inv(a: Any) -> ScalarArray:
    matrices = _stacked(a, "inv")
    inverses, label = np.zeros(matrices.shape, dtype=np.object_), _label("inv")
    for index in np.ndindex(*matrices.shape[:-2]):
        inverses[index] = solve_square(_rows(matrices[index]), identity(matrices.shape[-1]), label)
    return inverses


def _det(a: Any) -> Any:
    matrices = _stacked(a, "det")
    determinants = np.zeros(matrices.shape[:-2], dtype=np.object_)
    for index in np.ndindex(*determinants.shape):
        determinants[index] = determinant(_rows(matrices[index]))
    return determinants[()]


def _pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> ScalarArray:
    """Return pseudo-inverses, one column at a time.

    `rcond` and `rtol` are relative to the longest column, 1e-10 unless given, not to the largest singular value.
    """
    del hermitian
    matrices, tolerance = _stacked(a, "pinv", square=False), rtol if rcond is None else rcond
    options = {} if tolerance is None else {"tolerance": tolerance}
    m, n = matrices.shape[-2:]
    inverses = np.zeros((*matrices.shape[:-2], n, m), dtype=np.object_)
    for index in np.ndindex(*matrices.shape[:-2]):
        for k, unit in enumerate(identity(m)):
            solution, _ = minimum_norm_solve(_rows(matrices[index]), unit, columns=n, **options)
            inverses[(*index, slice(None), k)] = solution
    return inverses


def _cholesky(a: Any, /, *, upper: bool = False) -> ScalarArray:
    matrices, label = _stacked(a, "cholesky"), f"a pivot of {_label('cholesky')}"
    factors = np.zeros(matrices.shape, dtype=np.object_)
    for index in np.ndindex(*matrices.shape[:-2]):
        given = matrices[index].T if upper else matrices[index]
        factor = _lower_factor(given, label)
        factors[index] = factor.T if upper else factor
    return factors


def _lower_factor(a: ScalarArray, label: str) -> ScalarArray:
    """Return Cholesky's lower factor of one matrix, of which the lower triangle is read."""
    factor = np.zeros(a.shape, dtype=np.object_)
    for j in range(len(a)):
        for i in range(j, len(a)):
            rest = a[i, j] - factor[i, :j] @ factor[j, :j] if j else a[i, j]
            factor[i, j] = sqrt(positive(rest, label)) if i == j else divide(rest, factor[j, j])
    return factor


LINEAR_ALGEBRA: Final[Mapping[str, Callable[..., Any]]] = {
    "numpy.linalg.solve": _solve,
    "numpy.linalg.inv": _inv,
    "numpy.linalg.det": _det,
    "numpy.linalg.pinv": _pinv,
    "numpy.linalg.cholesky": _cholesky,
}
"""Functions by their dotted names."""
