"""Quadratic programs that few rows of a batch need: calls that are skipped, without entries that are zero.

The dual active-set method of Goldfarb and Idnani 1983 is in `active_set_method.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, final

from rbd.intrinsics.intrinsic import Intrinsic, NamedSizes
from rbd.intrinsics.workspace import floats, operand, table
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.structural_zeros import is_structural_zero
from rbd.solvers.operands import entries, solver_error
from rbd.solvers.quadratic.active_set_derivative import quadratic_program_jvp, quadratic_program_vjp
from rbd.solvers.quadratic.active_set_method import QuadraticProgram, operations, solve_by_active_set
from rbd.solvers.quadratic.quadratic_program import INDEFINITE, INFEASIBLE, STUCK


@final
class GuardedQuadraticProgram(QuadraticProgram):
    """A quadratic program that need not be solved; entries that are structural zeros are not given."""

    hessian_size: int
    rows_size: int
    hessian_rows = table("hessian_size")
    hessian_columns = table("hessian_size")
    row_numbers = table("rows_size")
    row_columns = table("rows_size")
    hessian = floats("n", "n")
    rows = floats("m", "n")
    hessian_entries = operand("hessian_size")
    """Of the lower triangle."""
    row_entries = operand("rows_size")
    needed = operand("1")


def _solve_if_needed(w: GuardedQuadraticProgram) -> int:
    if w.needed[0] == 0.0:
        return 0
    for k in range(w.hessian_size):
        w.hessian[w.hessian_rows[k]][w.hessian_columns[k]] = w.hessian_entries[k]
    for k in range(w.rows_size):
        w.rows[w.row_numbers[k]][w.row_columns[k]] = w.row_entries[k]
    return solve_by_active_set(w)


def _guarded_operations(n: int, m: int, hessian_size: int, rows_size: int) -> int:
    return operations(n, m) + hessian_size + rows_size + 1


@final
class _ProgramPattern(NamedTuple):
    """Pattern of the entries of a guarded program: their rows and columns in the Hessian and in the rows."""

    n: int
    m: int
    hessian: tuple[tuple[int, int], ...]
    rows: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, hessian: Matrix, rows: Matrix) -> _ProgramPattern:
        """Return the pattern of a program."""
        lower = tuple((i, j) for i, row in enumerate(hessian) for j in range(i + 1) if not is_structural_zero(row[j]))
        of_rows = tuple((i, j) for i, row in enumerate(rows) for j, x in enumerate(row) if not is_structural_zero(x))
        return cls(len(hessian), len(rows), lower, of_rows)

    @classmethod
    def of_call(cls, sizes: tuple[int, ...]) -> _ProgramPattern:
        """Return the pattern of a call."""
        of, tables = GuardedQuadraticProgram.layout.sizes_by_name(sizes), GuardedQuadraticProgram.layout.tables(sizes)
        hessian = zip(tables["hessian_rows"], tables["hessian_columns"], strict=True)
        return cls(
            of["n"], of["m"], tuple(hessian), tuple(zip(tables["row_numbers"], tables["row_columns"], strict=True))
        )

    @property
    def named_sizes(self) -> NamedSizes:
        """Sizes and tables."""
        return {
            "n": self.n,
            "m": self.m,
            "hessian_size": len(self.hessian),
            "rows_size": len(self.rows),
            "hessian_rows": tuple(i for i, _ in self.hessian),
            "hessian_columns": tuple(j for _, j in self.hessian),
            "row_numbers": tuple(i for i, _ in self.rows),
            "row_columns": tuple(j for _, j in self.rows),
        }

    def dense(self, flat: Vector) -> Vector:
        """Return the operands, or their tangents, of the dense program."""
        n, m, own = self.n, self.m, flat[self.n + self.m :]
        hessian: list[Scalar] = [0] * (n * n)
        rows: list[Scalar] = [0] * (m * n)
        for (i, j), x in zip(self.hessian, own, strict=False):
            hessian[i * n + j] = x
        for (i, j), x in zip(self.rows, own[len(self.hessian) :], strict=False):
            rows[i * n + j] = x
        return *hessian, *flat[:n], *rows, *flat[n : n + m]

    def sparse(self, flat: Vector) -> Vector:
        """Return the operands, or their cotangents, from those of the dense program, without `needed`."""
        n, start = self.n, self.n * (self.n + 1)
        hessian = (flat[i * n + j] for i, j in self.hessian)
        rows = (flat[start + i * n + j] for i, j in self.rows)
        return *flat[n * n : start], *flat[start + self.m * n :], *hessian, *rows


def _guarded_jvp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, tangents: Vector
) -> Vector:
    pattern = _ProgramPattern.of_call(sizes)
    dense = pattern.dense(operands), results, pattern.dense(tangents)
    return quadratic_program_jvp(sizes[:2], labels, *dense)


def _guarded_vjp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, cotangents: Vector
) -> Vector:
    pattern = _ProgramPattern.of_call(sizes)
    return *pattern.sparse(quadratic_program_vjp(sizes[:2], labels, pattern.dense(operands), results, cotangents)), 0


SOLVE_GUARDED_QUADRATIC_PROGRAM: Final = Intrinsic(
    name="solve_guarded_quadratic_program",
    workspace=GuardedQuadraticProgram,
    function=_solve_if_needed,
    operations=_guarded_operations,
    guarded=True,
    labels=3,
    error=solver_error,
    derivative=_guarded_jvp,
    adjoint=_guarded_vjp,
)


def solve_guarded_quadratic_program(
    needed: Scalar, hessian: Matrix, linear: Sequence[Scalar], rows: Matrix, bounds: Sequence[Scalar]
) -> tuple[Vector, Vector, Vector]:
    """Solve a quadratic program, as `solve_quadratic_program`, unless `needed` is zero; return x, multipliers, active.

    >>> solve_guarded_quadratic_program(0.0, ((2.0,),), (2.0,), ((1.0,),), (3.0,))
    ((0.0,), (0.0,), (0.0,))
    """
    pattern, n, m = _ProgramPattern.of(hessian, rows), len(linear), len(bounds)
    given = pattern.sparse((*entries(hessian), *linear, *entries(rows), *bounds))
    sizes = SOLVE_GUARDED_QUADRATIC_PROGRAM.sizes_of(pattern.named_sizes)
    flat = SOLVE_GUARDED_QUADRATIC_PROGRAM(sizes, (*given, needed), (INDEFINITE, INFEASIBLE, STUCK))
    return flat[:n], flat[n : n + m], flat[n + m : -1]
