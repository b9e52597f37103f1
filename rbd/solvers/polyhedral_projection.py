"""Projection onto a polyhedron, for many problems side by side: a semismooth Newton method.

The point z of U z >= c nearest to zero is U' lam for multipliers lam >= 0 with lam (U z - c) = 0. In each round of the
method of multipliers, z is the minimum of |z|²/2 + sum of max(0, y)² / (2 rho), where y = lam + rho (c - U z); then lam
becomes max(0, y). The function is convex and piecewise quadratic: Newton's method with an exact line search finds the
minimum after few steps (Li, Sun, Toh 2018; Hermans, Themelis, Patrinos 2022). One step solves with I + rho A'A for the
rows A with y > 0, whose pivots are at least 1. Rows may depend on each other. The step changes y and z together, so
that the large rho costs no digits.

All loops have the same course in all lanes: sparsity is known from tables, and lanes that are done stay as they are.
The factor runs from the last column to the first, as in `linear.py`: rows along one branch of a tree cause no fill-in.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from typing import Final, final

import attrs

from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import divide, fma, select, some
from rbd.intrinsics.workspace import Workspace, floats, operand, result, table
from rbd.scalars.functions import less, where
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.structural_zeros import is_structural_zero
from rbd.solvers.active_set_derivative import quadratic_program_jvp, quadratic_program_vjp

_PENALTY: Final = 1e8
"""The first rho, for rows of length one and sides of size one."""
_LARGEST_PENALTY: Final = 1e12
_GROWTH: Final = 100.0
"""Growth of rho after a round of multipliers that did not reduce the residual to `_PROGRESS` of the last."""
_PROGRESS: Final = 0.1
_CONVERGED: Final = 1e-12
"""Residual at which a lane is done."""
_ACCEPTED: Final = 1e-10
"""Residual at which a lane is done if it makes no progress with the largest rho."""
_STEPS: Final = 40
"""Newton steps, at most."""
_TRIALS: Final = 8
"""Evaluations of the line search, at most."""
_FLAT: Final = 1e-3
"""Slope, relative to that at the beginning, at which the line search ends."""
_FAR: Final = 1e300


class Projection(Workspace):
    """The rows U with their sides c, the point z with the multipliers, and the matrix I + rho A'A with its factor."""

    n: int
    m: int
    entries: int
    fill: int
    products: int
    """Entries of the lower triangles of all rows' products with themselves."""
    eliminations: int
    """Multiply-adds of the factor."""
    row_ends = table("m + 1")
    row_columns = table("entries")
    factor_ends = table("n + 1")
    factor_columns = table("fill")
    places = table("n * n")
    """Where an entry below the diagonal of the matrix is; those on the diagonal are the last n."""
    rows = operand("entries")
    sides = operand("m")
    point = result("n")
    multipliers = result("m")
    residual = result("1")
    steps = result("1")
    matrix = floats("fill + n")
    lower = floats("fill")
    inverse = floats("n")
    slack = floats("m")
    """c - U z, which is positive where violated."""
    trial = floats("m")
    """y, and zero where it is negative."""
    weights = floats("m")
    """rho for the rows A of the factor that there is, else zero."""
    rates = floats("m")
    """U d for the step d."""
    direction = floats("n")
    gradient = floats("n")
    search = floats("3")
    """Of the line search: the length of the step, and slope and curvature of |z|²/2 at its beginning."""
    penalty = floats("1")
    """rho."""
    settled = floats("1")
    """1 if the last step ended a round of multipliers."""
    last = floats("1")
    """The residual after the last round of multipliers."""


def _residual(w: Projection) -> None:
    """Compute slacks, trial multipliers, the gradient, and the residual of the conditions of the minimum."""
    worst = 0.0
    undefined = 0.0
    for i in range(w.n):
        w.gradient[i] = w.point[i]
        w.direction[i] = w.point[i]
    for j in range(w.m):
        slack = w.sides[j]
        for k in range(w.row_ends[j], w.row_ends[j + 1]):
            slack = fma(-w.rows[k], w.point[w.row_columns[k]], slack)
        multiplier = w.multipliers[j]
        trial = fma(w.penalty[0], slack, multiplier)
        trial = select(trial > 0.0, trial, 0.0)
        w.slack[j] = slack
        w.trial[j] = trial
        worst = select(slack > worst, slack, worst)
        undefined = fma(0.0, slack, undefined)
        product = abs(slack * multiplier)
        worst = select(product > worst, product, worst)
        for k in range(w.row_ends[j], w.row_ends[j + 1]):
            column = w.row_columns[k]
            w.gradient[column] = fma(-trial, w.rows[k], w.gradient[column])
            w.direction[column] = fma(-multiplier, w.rows[k], w.direction[column])
    for i in range(w.n):
        error = abs(w.direction[i])
        undefined = fma(0.0, error, undefined)
        worst = select(error > worst, error, worst)
    w.residual[0] = worst + undefined


def _switches(w: Projection) -> float:
    """Return a positive number if the factor that there is has other weights than it needs, and note those."""
    change = 0.0
    for j in range(w.m):
        weight = select(w.trial[j] > 0.0, w.penalty[0], 0.0)
        change += abs(weight - w.weights[j])
        w.weights[j] = weight
    return change


def _assemble(w: Projection) -> None:
    """Compute the lower triangle of I + rho A'A."""
    for k in range(w.fill):
        w.matrix[k] = 0.0
    for i in range(w.n):
        w.matrix[w.fill + i] = 1.0
    for j in range(w.m):
        weight = w.weights[j]
        for k in range(w.row_ends[j], w.row_ends[j + 1]):
            scaled = weight * w.rows[k]
            for other in range(w.row_ends[j], k + 1):
                place = w.places[w.row_columns[k] * w.n + w.row_columns[other]]
                w.matrix[place] = fma(scaled, w.rows[other], w.matrix[place])


def _factor(w: Projection) -> None:
    """Factor the matrix, L'DL."""
    for back in range(w.n):
        row = w.n - 1 - back
        pivot = w.matrix[w.fill + row]
        inverse = divide(1.0, select(pivot < 1.0, 1.0, pivot))
        w.inverse[row] = inverse
        for k in range(w.factor_ends[row], w.factor_ends[row + 1]):
            scaled = w.matrix[k] * inverse
            w.lower[k] = scaled
            for other in range(w.factor_ends[row], k + 1):
                place = w.places[w.factor_columns[k] * w.n + w.factor_columns[other]]
                w.matrix[place] = fma(-scaled, w.matrix[other], w.matrix[place])


def _solve_factored(w: Projection) -> None:
    """Solve for the direction: the matrix times it is minus the gradient."""
    for i in range(w.n):
        w.direction[i] = -w.gradient[i]
    for back in range(w.n):
        row = w.n - 1 - back
        x = w.direction[row]
        for k in range(w.factor_ends[row], w.factor_ends[row + 1]):
            column = w.factor_columns[k]
            w.direction[column] = fma(-w.lower[k], x, w.direction[column])
    for i in range(w.n):
        x = w.direction[i] * w.inverse[i]
        for k in range(w.factor_ends[i], w.factor_ends[i + 1]):
            x = fma(-w.lower[k], w.direction[w.factor_columns[k]], x)
        w.direction[i] = x


def _prepare_search(w: Projection) -> float:
    """Compute rates, slope and curvature of the line search; return how many rows a full step switches."""
    slope = 0.0
    curvature = 0.0
    for i in range(w.n):
        slope = fma(w.point[i], w.direction[i], slope)
        curvature = fma(w.direction[i], w.direction[i], curvature)
    w.search[1] = slope
    w.search[2] = curvature
    switches = 0.0
    for j in range(w.m):
        rate = 0.0
        for k in range(w.row_ends[j], w.row_ends[j + 1]):
            rate = fma(w.rows[k], w.direction[w.row_columns[k]], rate)
        w.rates[j] = rate
        before = fma(w.penalty[0], w.slack[j], w.multipliers[j])
        after = fma(-w.penalty[0], rate, before)
        switches += abs(select(before > 0.0, 1.0, 0.0) - select(after > 0.0, 1.0, 0.0))
    return switches


def _search(w: Projection, searching: float) -> None:
    """Find the minimum along the direction by Newton's method on the slope, inside a bracket."""
    low = 0.0
    high = _FAR
    length = 1.0
    first = 0.0
    open_lanes = searching
    for j in range(w.m):
        first = fma(-w.trial[j], w.rates[j], first)
    first = abs(first + w.search[1]) * _FLAT
    trials = 0
    while trials < _TRIALS and some(open_lanes > 0.0):
        slope = fma(length, w.search[2], w.search[1])
        curvature = w.search[2]
        for j in range(w.m):
            y = fma(-w.penalty[0] * length, w.rates[j], fma(w.penalty[0], w.slack[j], w.multipliers[j]))
            rate = select(y > 0.0, w.rates[j], 0.0)
            slope = fma(-rate, y, slope)
            curvature = fma(w.penalty[0] * rate, rate, curvature)
        open_lanes = select(abs(slope) > first, open_lanes, 0.0)
        high = select(slope > 0.0, length, high)
        low = select(slope > 0.0, low, length)
        following = length - divide(slope, curvature)
        middle = select(high < _FAR, 0.5 * (low + high), 2.0 * length)
        following = select(following > low, following, middle)
        following = select(following < high, following, middle)
        length = select(open_lanes > 0.0, following, length)
        trials += 1
    w.search[0] = length


def _step(w: Projection, running: float, has_factor: int) -> None:
    """Go a step: without switches to the minimum, where the multipliers follow, else along the line search."""
    # Lanes whose rows are those of their factor get the same factor again if another lane needs a new one.
    stale = select(_switches(w) > 0.0, running, 0.0)
    if has_factor == 0 or some(stale > 0.0):
        _assemble(w)
        _factor(w)
    _solve_factored(w)
    switches = _prepare_search(w)
    _search(w, select(switches > 0.0, running, 0.0))
    for i in range(w.n):
        w.point[i] = select(running > 0.0, fma(w.search[0], w.direction[i], w.point[i]), w.point[i])
    settled = select(switches > 0.0, 0.0, running)
    for j in range(w.m):
        multiplier = fma(-w.penalty[0], w.rates[j], w.trial[j])
        multiplier = select(w.trial[j] > 0.0, multiplier, 0.0)
        multiplier = select(multiplier > 0.0, multiplier, 0.0)
        w.multipliers[j] = select(settled > 0.0, multiplier, w.multipliers[j])
    w.settled[0] = settled
    w.steps[0] += running


def _review(w: Projection, running: float) -> float:
    """Return which lanes are still running, and raise rho where a round of multipliers made no progress."""
    residual = w.residual[0]
    running = select(residual > _CONVERGED, running, 0.0)
    settled = select(running > 0.0, w.settled[0], 0.0)
    slow = select(residual > _PROGRESS * w.last[0], settled, 0.0)
    w.last[0] = select(settled > 0.0, residual, w.last[0])
    grows = select(w.penalty[0] < _LARGEST_PENALTY, slow, 0.0)
    stuck = select(residual > _ACCEPTED, 0.0, slow - grows)
    w.penalty[0] = select(grows > 0.0, w.penalty[0] * _GROWTH, w.penalty[0])
    if some(grows > 0.0):
        _residual(w)
    return select(stuck > 0.0, 0.0, running)


def _solve(w: Projection) -> int:
    w.penalty[0] = _PENALTY
    w.last[0] = _FAR
    _residual(w)
    running = select(w.residual[0] > _CONVERGED, 1.0, 0.0)
    rounds = 0
    while rounds < _STEPS and some(running > 0.0):
        _step(w, running, rounds)
        _residual(w)
        running = _review(w, running)
        rounds += 1
    return 0


def _operations(n: int, m: int, entries: int, fill: int, products: int, eliminations: int) -> int:
    """Bound the operations by those of the largest number of steps; few need more than ten."""
    residual = 6 * entries + 10 * m + 5 * n + 1
    newton = entries + 2 * (products + eliminations) + 5 * m + 2 + fill + 4 * n + 4 * fill
    search = 4 * n + 2 * entries + 9 * m + 2 * m + 2 + _TRIALS * (3 + 7 * m + 11)
    update = 2 * n + 5 * m + 3
    return (2 * _STEPS + 1) * (residual + 1) + _STEPS * (newton + search + update + 12)


def projection_jvp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, tangents: Vector
) -> Vector:
    """Return the tangents of point and multipliers, at the active set."""
    dense = _Dense.of(sizes)
    found = quadratic_program_jvp(
        dense.sizes, _LABELS, dense.operands(operands, 1), dense.solution(outputs), dense.operands(tangents, 0)
    )
    return *found[: dense.n + dense.m], 0, 0


def projection_vjp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, cotangents: Vector
) -> Vector:
    """Return the cotangents of rows and sides, at the active set."""
    dense = _Dense.of(sizes)
    found = quadratic_program_vjp(
        dense.sizes, _LABELS, dense.operands(operands, 1), dense.solution(outputs), cotangents
    )
    start = dense.n * dense.n + dense.n
    rows, sides = found[start : start + dense.m * dense.n], found[start + dense.m * dense.n :]
    return *(rows[place] for place in dense.row_places), *sides


_LABELS: Final = ("the identity",)


@final
@attrs.frozen
class _Dense:
    """The problem as a dense quadratic program, whose Hessian is the identity."""

    n: int
    m: int
    row_places: tuple[int, ...]

    @classmethod
    def of(cls, sizes: tuple[int, ...]) -> _Dense:
        """Read the sizes and tables of a call."""
        (n, m, *_), (ends, row_columns, *_) = PROJECT_ON_POLYHEDRON.split_sizes(sizes)
        rows = [j for j, (a, b) in enumerate(pairwise(ends)) for _ in range(a, b)]
        return cls(n, m, tuple(j * n + i for j, i in zip(rows, row_columns, strict=True)))

    @property
    def sizes(self) -> tuple[int, int]:
        """The sizes of the quadratic program."""
        return self.n, self.m

    def operands(self, flat: Vector, diagonal: Scalar) -> Vector:
        """Return the operands, or their tangents, of the quadratic program."""
        size, rows = range(self.n), [0] * (self.m * self.n)
        entries: list[Scalar] = list(rows)
        for place, x in zip(self.row_places, flat, strict=False):
            entries[place] = x
        hessian = [diagonal if i == j else 0 for i in size for j in size]
        return *hessian, *(0 for _ in size), *entries, *flat[len(self.row_places) :]

    def solution(self, outputs: Vector) -> Vector:
        """Return point, multipliers and active rows."""
        multipliers = outputs[self.n : self.n + self.m]
        active = (where(less(0, x), 1, 0) for x in multipliers)
        return *outputs[: self.n + self.m], *active


PROJECT_ON_POLYHEDRON: Final = Intrinsic(
    name="project_on_polyhedron",
    workspace=Projection,
    function=_solve,
    operations=_operations,
    specialises=True,
    derivative=projection_jvp,
    adjoint=projection_vjp,
)


def project_on_polyhedron(rows: Matrix, sides: Sequence[Scalar]) -> tuple[Vector, Vector, Scalar, Scalar]:
    """Return the point z nearest to zero with `rows` z >= `sides`, its multipliers, the residual, and Newton's steps.

    Rows have length one, or are zero with a negative side; sides are of the size of one. The integer 0 is a structural
    zero. The residual is the largest of violations, products of slacks and multipliers, and entries of z - rows' lam;
    it is below 1e-10, or there were too many steps.

    >>> z, multipliers, residual, steps = project_on_polyhedron(((1.0, 0), (0.6, 0.8)), (1.0, 0.2))
    >>> [round(x, 12) for x in (*z, *multipliers)], residual < 1e-10
    ([1.0, 0.0, 1.0, 0.0], True)
    """
    pattern = _Pattern.of(rows)
    flat = PROJECT_ON_POLYHEDRON(pattern.sizes, (*(row[i] for row, i in pattern.entries(rows)), *sides))
    n, m = pattern.n, len(sides)
    return flat[:n], flat[n : n + m], flat[n + m], flat[n + m + 1]


@final
@attrs.frozen
class _Pattern:
    """Where entries of the rows, and of the factor of I + A'A for any of them, are not zero."""

    n: int
    columns: tuple[tuple[int, ...], ...]
    """Per row."""
    factor: tuple[tuple[int, ...], ...]
    """Per row of the factor, left of the diagonal."""

    @classmethod
    def of(cls, rows: Matrix) -> _Pattern:
        """Return the pattern of rows, and eliminate from the last column to the first."""
        n = len(rows[0])
        columns = tuple(tuple(i for i, x in enumerate(row) if not is_structural_zero(x)) for row in rows)
        left = [{i for row in columns if k in row for i in row if i < k} for k in range(n)]
        for k in reversed(range(n)):
            for i in left[k]:
                left[i] |= {j for j in left[k] if j < i}
        return cls(n, columns, tuple(tuple(sorted(each)) for each in left))

    def entries(self, rows: Matrix) -> list[tuple[Vector, int]]:
        """Return the rows with the columns of their entries."""
        return [(row, i) for row, columns in zip(rows, self.columns, strict=True) for i in columns]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes and tables of a call."""
        row_ends, factor_ends = ([0, *accumulate(map(len, part))] for part in (self.columns, self.factor))
        places = [0] * (self.n * self.n)
        for k, columns in enumerate(self.factor):
            places[k * self.n + k] = factor_ends[-1] + k
            for place, i in enumerate(columns, factor_ends[k]):
                places[k * self.n + i] = place
        products, eliminations = (sum(len(x) * (len(x) + 1) // 2 for x in part) for part in (self.columns, self.factor))
        own = self.n, len(self.columns), row_ends[-1], factor_ends[-1], products, eliminations
        return *own, *row_ends, *chain(*self.columns), *factor_ends, *chain(*self.factor), *places
