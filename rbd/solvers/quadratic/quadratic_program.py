"""Quadratic programs, by the dual active-set method of Goldfarb and Idnani (1983).

Minimise 1/2 x'Hx - g'x subject to A x >= b: begin at the unconstrained minimum, add the most violated constraint, drop
those whose multipliers would turn negative. In the coordinates y = L'x of H = LL' the objective is the distance from a
point, rows are vectors of length one, and the active ones are kept as an orthonormal basis and a triangle,
orthogonalised twice. Names are the paper's: z and r are the directions of the point and of the multipliers u, t is the
length of a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, final

from rbd.errors import ShapeError
from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import Floats, divide, fma
from rbd.intrinsics.workspace import floats, ints, operand, result, table
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.structural_zeros import is_structural_zero
from rbd.solvers.dense_factors import (
    ActiveSet,
    append_active,
    cholesky,
    drop_active,
    norm,
    orthogonalise,
    project_onto_active,
    solve_lower,
    solve_lower_transposed,
    solve_upper,
    subtract_product,
    whiten,
)
from rbd.solvers.operands import entries, solver_error
from rbd.solvers.quadratic.active_set_derivative import quadratic_program_jvp, quadratic_program_vjp

INDEFINITE: Final = "the Hessian is not positive definite"
INFEASIBLE: Final = "the constraints contradict each other"
STUCK: Final = "the active-set method did not end"

_DEPENDENT: Final = 1e-12
"""A row of length one that is this close to the span of the active ones counts as one of them."""
_ZERO_ROW: Final = 1e-14
"""A row this much shorter than the longest counts as zero."""
_VIOLATED: Final = 1e-13
"""Violations below this, relative to the size of the problem, are rounding."""


class QuadraticProgram(ActiveSet):
    """A quadratic program, its solution, and the state of the method."""

    hessian = operand("n", "n")
    linear = operand("n")
    rows = operand("m", "n")
    bounds = operand("m")
    point = result("n")
    multipliers = result("m")
    active = result("m")
    rounds = result("1")
    factor = floats("n", "n")
    sides = floats("m")
    """Bounds of the rows of length one."""
    y = floats("n")
    r = floats("n")
    gained = floats("1")
    """Multiplier of the constraint that is being added."""
    flags = ints("m")
    """1 for active rows."""


def _normalise(w: QuadraticProgram) -> int:
    """Normalise rows and bounds in the coordinates y; return 2 for a zero row with a positive bound."""
    whiten(w.n, w.m, w.factor, w.rows, w.units)
    longest = 0.0
    for j in range(w.m):
        w.lengths[j] = norm(w.n, w.units[j])
        if w.lengths[j] > longest:
            longest = w.lengths[j]
    for j in range(w.m):
        if w.lengths[j] > _ZERO_ROW * longest:
            inverse = divide(1.0, w.lengths[j])
            for i in range(w.n):
                w.units[j][i] *= inverse
            w.sides[j] = w.bounds[j] * inverse
        else:
            w.lengths[j] = 0.0
            if w.bounds[j] > 0.0:
                return 2
    return 0


def _slack(n: int, row: Floats, bound: float, x: Floats) -> float:
    value = -bound
    for i in range(n):
        value = fma(row[i], x[i], value)
    return value


def _size(w: QuadraticProgram) -> float:
    """Return the magnitude of the problem, to which violations are compared."""
    size = norm(w.n, w.y)
    for j in range(w.m):
        if w.lengths[j] > 0.0:
            size += abs(w.sides[j])
    return size


def _most_violated(w: QuadraticProgram, size: float) -> int:
    """Return the inactive constraint that is violated most, -1 when none is."""
    worst = -(_VIOLATED * size)
    found = -1
    for j in range(w.m):
        if w.flags[j] == 0 and w.lengths[j] > 0.0:
            slack = _slack(w.n, w.units[j], w.sides[j], w.y)
            if slack < worst:
                worst = slack
                found = j
    return found


def _blocking(w: QuadraticProgram, q: int) -> int:
    """Return the active constraint whose multiplier vanishes first, -1 when none does."""
    found = -1
    best = 0.0
    for j in range(q):
        if w.r[j] > 0.0:
            ratio = divide(w.u[j], w.r[j])
            if found < 0 or ratio < best:
                found = j
                best = ratio
    return found


def _is_dependent(w: QuadraticProgram, q: int, length: float) -> int:
    """Return 1 if a row depends on the q active ones; `length` is that of its part orthogonal to them."""
    dependent = 0
    if not length > _DEPENDENT or q == w.n:
        dependent = 1
    return dependent


def _partial_step(w: QuadraticProgram, k: int) -> float:
    """Return the step at whose end the multiplier of active constraint k vanishes."""
    t = 0.0
    if k >= 0:
        t = divide(w.u[k], w.r[k])
    return t


def _full_step(w: QuadraticProgram, p: int, length: float) -> float:
    """Return the step at whose end constraint p is active."""
    return divide(-_slack(w.n, w.units[p], w.sides[p], w.y), length * length)


def _take_step(w: QuadraticProgram, q: int, t: float, dependent: int) -> None:
    """Step 2 (c): take the step, in the space of multipliers only if p depends on the active constraints."""
    if dependent == 0:
        for i in range(w.n):
            w.y[i] = fma(t, w.z[i], w.y[i])
    for j in range(q):
        w.u[j] = fma(-t, w.r[j], w.u[j])


def _activate(w: QuadraticProgram, q: int, p: int, length: float) -> None:
    append_active(w, q, p, length)
    w.u[q] = w.gained[0]
    w.flags[p] = 1


def _deactivate(w: QuadraticProgram, q: int, k: int) -> None:
    w.flags[w.order[k]] = 0
    drop_active(w, q, k)


def _add(w: QuadraticProgram, active: int, p: int, max_rounds: float) -> int:
    """Add constraint p, dropping others if need be; return the number of active ones, or minus a status."""
    q = active
    before = active
    w.gained[0] = 0.0
    while q <= before:
        w.rounds[0] += 1.0
        if w.rounds[0] > max_rounds:
            return -3
        before = q
        q = _add_or_drop(w, q, p)
        if q < 0:
            return q
    return q


def _add_or_drop(w: QuadraticProgram, q: int, p: int) -> int:
    """Add constraint p to q active ones, or drop one of these; return their new number, or minus a status."""
    # Step 2 (a), directions: z of the point, r of the multipliers.
    length = orthogonalise(w, q, w.units[p])
    solve_upper(w, q, w.r)
    # Step 2 (b), lengths: a full step makes p active, a partial one ends where the multiplier of k vanishes.
    k = _blocking(w, q)
    dependent = _is_dependent(w, q, length)
    if k < 0 and dependent == 1:
        return -2
    t = _partial_step(w, k)
    added = 0
    if dependent == 0:
        full = _full_step(w, p, length)
        if k < 0 or not t < full:
            t = full
            added = 1
    _take_step(w, q, t, dependent)
    w.gained[0] += t
    if added == 1:
        _activate(w, q, p, length)
        return q + 1
    _deactivate(w, q, k)
    return q - 1


def _search(w: QuadraticProgram) -> int:
    """Run the method from the unconstrained minimum; return the number of active constraints, or minus a status."""
    size = _size(w)
    max_rounds = float(100 + 20 * (w.n + w.m))
    q = 0
    p = _most_violated(w, size)
    while p >= 0:
        q = _add(w, q, p, max_rounds)
        if q < 0:
            return q
        p = _most_violated(w, size)
    return q


def _residual(w: QuadraticProgram, q: int) -> None:
    """Compute g - H x + A' multipliers."""
    for i in range(w.n):
        w.z[i] = w.linear[i]
    subtract_product(w.n, w.hessian, w.point, w.z)
    for j in range(q):
        for i in range(w.n):
            w.z[i] = fma(w.multipliers[w.order[j]], w.rows[w.order[j]][i], w.z[i])


def _refine(w: QuadraticProgram, q: int) -> None:
    """Do one round of iterative refinement of point and multipliers."""
    _residual(w, q)
    for j in range(q):
        row = w.order[j]
        w.d[j] = divide(-_slack(w.n, w.rows[row], w.bounds[row], w.point), w.lengths[row])
    solve_lower(w.n, w.factor, w.z)
    project_onto_active(w, q, w.r)
    solve_lower_transposed(w.n, w.factor, w.r)
    for i in range(w.n):
        w.point[i] += w.r[i]
    for j in range(q):
        w.multipliers[w.order[j]] += divide(w.u[j], w.lengths[w.order[j]])


def _solve(w: QuadraticProgram) -> int:
    if cholesky(w.n, w.hessian, w.factor) > 0:
        return 1
    if _normalise(w) > 0:
        return 2
    for i in range(w.n):
        w.y[i] = w.linear[i]
    solve_lower(w.n, w.factor, w.y)
    q = _search(w)
    if q < 0:
        return -q
    # Point and multipliers start again from zero, without the rounding errors of the search.
    for _round in range(3):
        _refine(w, q)
    for j in range(q):
        w.active[w.order[j]] = 1.0
        if not w.multipliers[w.order[j]] > 0.0:
            w.multipliers[w.order[j]] = 0.0
    return 0


def _operations(n: int, m: int) -> int:
    """Bound the operations by the largest number of rounds, each with all rows active; calls need far fewer."""
    start = n**3 + 2 * n * n * (m + 2) + 6 * n * m
    return start + (100 + 20 * (n + m)) * _round_operations(n, m) + 3 * _refinement_operations(n, m)


def _refinement_operations(n: int, m: int) -> int:
    """Count the operations of a round of refinement with as many active rows as there can be."""
    q = min(n, m)
    return 6 * n * n + 8 * n * q + 3 * q * q + 4 * q + q * (q + 1) // 2


def _round_operations(n: int, m: int) -> int:
    """Count the operations of a round with as many active rows as there can be, of which the first one is dropped."""
    q = min(n, m)
    slack = 2 * n + 1
    search = 2 + m * (slack + 2)
    directions = _orthogonalisation_operations(n, q) + q * (3 * q - 1) // 2
    lengths = 3 * q + slack + 4
    step = 2 * n + 3 * q
    dropping = sum(_orthogonalisation_operations(n, k) + n + 1 for k in range(q - 1))
    return search + directions + lengths + step + dropping + 4


def _orthogonalisation_operations(n: int, k: int) -> int:
    """Count the operations of `orthogonalise` with k active rows."""
    return 2 * k * (5 * n + 1) + 2 * n + 1


SOLVE_QUADRATIC_PROGRAM: Final = Intrinsic(
    name="solve_quadratic_program",
    workspace=QuadraticProgram,
    function=_solve,
    operations=_operations,
    labels=3,
    error=solver_error,
    derivative=quadratic_program_jvp,
    adjoint=quadratic_program_vjp,
)


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
    return _solve(w)


def _guarded_operations(n: int, m: int, hessian_size: int, rows_size: int) -> int:
    return _operations(n, m) + hessian_size + rows_size + 1


@final
class _Places(NamedTuple):
    """Indices of the entries of a guarded program: rows and columns of the Hessian and of the rows."""

    n: int
    m: int
    hessian: tuple[tuple[int, int], ...]
    rows: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, hessian: Matrix, rows: Matrix) -> _Places:
        """Return the places of a program."""
        lower = tuple((i, j) for i, row in enumerate(hessian) for j in range(i + 1) if not is_structural_zero(row[j]))
        held = tuple((i, j) for i, row in enumerate(rows) for j, x in enumerate(row) if not is_structural_zero(x))
        return cls(len(hessian), len(rows), lower, held)

    @classmethod
    def read(cls, sizes: tuple[int, ...]) -> _Places:
        """Return the places of a call."""
        i, j, row, column = SOLVE_GUARDED_QUADRATIC_PROGRAM.tables(sizes).values()
        return cls(sizes[0], sizes[1], tuple(zip(i, j, strict=True)), tuple(zip(row, column, strict=True)))

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes and tables of a call."""
        tables = [place[k] for part in (self.hessian, self.rows) for k in (0, 1) for place in part]
        return self.n, self.m, len(self.hessian), len(self.rows), *tables

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
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, tangents: Vector
) -> Vector:
    places = _Places.read(sizes)
    dense = places.dense(operands), outputs, places.dense(tangents)
    return quadratic_program_jvp(sizes[:2], labels, *dense)


def _guarded_vjp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, cotangents: Vector
) -> Vector:
    places = _Places.read(sizes)
    return *places.sparse(quadratic_program_vjp(sizes[:2], labels, places.dense(operands), outputs, cotangents)), 0


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
    places, n, m = _Places.of(hessian, rows), len(linear), len(bounds)
    given = places.sparse((*entries(hessian), *linear, *entries(rows), *bounds))
    flat = SOLVE_GUARDED_QUADRATIC_PROGRAM(places.sizes, (*given, needed), (INDEFINITE, INFEASIBLE, STUCK))
    return flat[:n], flat[n : n + m], flat[n + m : -1]


def solve_quadratic_program(
    hessian: Matrix, linear: Sequence[Scalar], rows: Matrix, bounds: Sequence[Scalar]
) -> tuple[Vector, Vector, Vector, Scalar]:
    """Minimise 1/2 x'Hx - `linear`'x subject to `rows` x >= `bounds`; return (x, multipliers, active, rounds).

    `hessian` is symmetric positive definite; its lower triangle is read. Multipliers are not negative, `active` is 1
    for the active rows, else 0; of linearly dependent rows only independent ones are active. A row that vanishes beside
    the longest is ignored unless its bound is positive. Raises SolverError when the Hessian is not positive definite or
    the rows contradict each other, ShapeError when sizes do not fit, ScalarError for scalars that cannot be compared.

    >>> x, multipliers, active, _ = solve_quadratic_program(((2.0,),), (2.0,), ((1.0,), (-1.0,)), (3.0, -9.0))
    >>> x, multipliers, active
    ((3.0,), (4.0, 0.0), (1.0, 0.0))
    """
    n, m = len(linear), len(bounds)
    if len(hessian) != n or any(len(row) != n for row in hessian):
        raise ShapeError(f"the Hessian needs {n} rows of {n}", argument="hessian", expected=(n, n))
    if len(rows) != m or any(len(row) != n for row in rows):
        raise ShapeError(f"there are {m} bounds: needs {m} rows of {n}", argument="rows", expected=(m, n))
    operands = (*entries(hessian), *linear, *entries(rows), *bounds)
    flat = SOLVE_QUADRATIC_PROGRAM((n, m), operands, (INDEFINITE, INFEASIBLE, STUCK))
    return flat[:n], flat[n : n + m], flat[n + m : n + 2 * m], flat[-1]
