"""Projection onto a polyhedron, for many problems side by side: a semismooth Newton method (`projection_newton.py`).

The intrinsic, its derivatives, and the sparsity of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from typing import Final, NamedTuple, final

import attrs

from rbd.intrinsics.intrinsic import Intrinsic
from rbd.scalars.functions import absolute, less, maximum, where
from rbd.scalars.linear_algebra import dot
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.solvers.active_set_derivative import quadratic_program_jvp, quadratic_program_vjp
from rbd.solvers.operands import rows_of
from rbd.solvers.projection_newton import Projection, operations, project
from rbd.solvers.weighted_factor import FactorPattern, nonzero_columns


@final
class Intervals(NamedTuple):
    """Rows with two bounds and dry friction: `lower` <= `rows` x <= `upper`, at the cost `friction` |rows x| more.

    A multiplier is the sum of the forces of the bound and of friction. `begin` are values of `rows` x near those of the
    solution, which save iterations.
    """

    rows: Matrix = ()
    lower: Vector = ()
    upper: Vector = ()
    friction: Vector = ()
    begin: Vector = ()


NO_INTERVALS: Final = Intervals()


@final
class NearSolution(NamedTuple):
    """Point and multipliers near those of the solution, and the rates of interval rows less their multipliers."""

    point: Vector
    multipliers: Vector
    begin: Vector


def projection_jvp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, tangents: Vector
) -> Vector:
    """Return the tangents of point and multipliers, at the active set."""
    dense = _Dense.of(sizes)
    n, m, solution = dense.n, dense.m, _Solution.of(dense, operands, outputs)
    changes, of_friction = dense.dense_rows(tangents), solution.of_friction(dense.after_sides(tangents)[2])
    rows = dense.dense_rows(operands)
    linear: list[Scalar] = [0] * n
    for j, change in of_friction.items():
        force = solution.multipliers[j] * solution.slides[j]
        linear = [
            x + force * dx + y * change for x, dx, y in zip(linear, changes[j], rows[j], strict=True)
        ]  # fmt: skip
    found = quadratic_program_jvp(
        dense.sizes,
        _LABELS,
        dense.operands(operands, 1, solution.sides(operands), [0] * n),
        solution.flat,
        dense.operands(tangents, 0, solution.sides(tangents), linear),
    )
    multipliers = [x + of_friction.get(j, 0) for j, x in enumerate(found[n : n + m])]
    return *found[:n], *multipliers, *(0,) * (dense.intervals + 2)


def projection_vjp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, cotangents: Vector
) -> Vector:
    """Return the cotangents of rows, sides, bounds and friction, at the active set."""
    dense = _Dense.of(sizes)
    n, m, solution = dense.n, dense.m, _Solution.of(dense, operands, outputs)
    flat = dense.operands(operands, 1, solution.sides(operands), [0] * n)
    dual = quadratic_program_vjp(dense.sizes, _LABELS, flat, solution.flat, cotangents)
    start = n * n + n
    p, rows, sides = dual[n * n : start], list(dual[start : start + m * n]), dual[start + m * n :]
    lower, upper, friction = list[Scalar](), list[Scalar](), list[Scalar]()
    for k, j in enumerate(dense.interval_rows):
        force = solution.multipliers[j] * solution.slides[j]
        rows[j * n : (j + 1) * n] = [x + force * y for x, y in zip(rows[j * n : (j + 1) * n], p, strict=True)]
        lower.append(solution.at_lower[k] * sides[j])
        upper.append(solution.at_upper[k] * sides[j])
        along = dot(dense.dense_rows(operands)[j], p) + cotangents[n + j]
        friction.append(solution.signs[k] * solution.slides[j] * along)
    found = *(rows[place] for place in dense.row_places), *sides, *lower, *upper, *friction
    return *found, *(0,) * (len(operands) - len(found))


_LABELS: Final = ("the identity",)


@final
@attrs.frozen
class _Dense:
    """The problem as a dense quadratic program, whose Hessian is the identity."""

    n: int
    m: int
    intervals: int
    row_places: tuple[int, ...]

    @classmethod
    def of(cls, sizes: tuple[int, ...]) -> _Dense:
        """Read the sizes and tables of a call."""
        (n, _, m, intervals, *_), (_, _, _, ends, row_columns) = PROJECT_ON_POLYHEDRON.split_sizes(sizes)
        rows = [j for j, (a, b) in enumerate(pairwise(ends)) for _ in range(a, b)]
        return cls(n, m, intervals, tuple(j * n + i for j, i in zip(rows, row_columns, strict=True)))

    @property
    def sizes(self) -> tuple[int, int]:
        """The sizes of the quadratic program."""
        return self.n, self.m

    @property
    def interval_rows(self) -> range:
        """The numbers of the interval rows."""
        return range(self.m - self.intervals, self.m)

    def dense_rows(self, flat: Vector) -> Matrix:
        """Return the rows from the operands, or their tangents."""
        entries: list[Scalar] = [0] * (self.m * self.n)
        for place, x in zip(self.row_places, flat, strict=False):
            entries[place] = x
        return rows_of(entries, self.m, self.n)

    def sides(self, flat: Vector) -> Vector:
        """Return the sides of the rows from the operands, or their tangents."""
        return flat[len(self.row_places) : len(self.row_places) + self.m]

    def after_sides(self, flat: Vector) -> Matrix:
        """Return lower bounds, upper bounds and friction of the interval rows, or their tangents."""
        return rows_of(flat[len(self.row_places) + self.m :], 3, self.intervals)

    def operands(self, flat: Vector, diagonal: Scalar, sides: Vector, linear: Sequence[Scalar]) -> Vector:
        """Return the operands, or their tangents, of the quadratic program."""
        size = range(self.n)
        hessian = [diagonal if i == j else 0 for i in size for j in size]
        return *hessian, *linear, *chain.from_iterable(self.dense_rows(flat)), *sides


@final
@attrs.frozen
class _Solution:
    """What the rows do at the minimum: flags of numbers 0 and 1."""

    dense: _Dense
    point: Vector
    multipliers: Vector
    active: Vector
    at_lower: Vector
    """Per interval row."""
    at_upper: Vector
    signs: Vector
    """Of the friction of rows that slide."""

    @classmethod
    def of(cls, dense: _Dense, operands: Vector, outputs: Vector) -> _Solution:
        """Read what the rows do; one bears if its multiplier is the larger of slack and multiplier."""
        m, plain = dense.m, dense.m - dense.intervals
        z, multipliers, pieces = outputs[: dense.n], outputs[dense.n : dense.n + m], outputs[dense.n + m : -2]
        lower = tuple(where(less(1, x), 1, 0) for x in pieces)
        upper = tuple(where(less(x, -1), 1, 0) for x in pieces)
        rows = zip(multipliers[:plain], dense.dense_rows(operands), dense.sides(operands), strict=False)
        active = [where(less(maximum(0, dot(row, z) - side), x), 1, 0) for x, row, side in rows]
        active += [a + b + rests(x) for a, b, x in zip(lower, upper, pieces, strict=True)]
        return cls(dense, z, multipliers, tuple(active), lower, upper, pieces)

    @property
    def flat(self) -> Vector:
        """Point, multipliers and active rows."""
        return *self.point, *self.multipliers, *self.active

    @property
    def slides(self) -> Vector:
        """1 for rows that are not held."""
        return tuple(1 - flag for flag in self.active)

    def sides(self, flat: Vector) -> Vector:
        """Return the sides of the rows, or their tangents: those of interval rows at the bound that holds them."""
        dense = self.dense
        sides, (lower, upper, _) = list(dense.sides(flat)), dense.after_sides(flat)
        for k, j in enumerate(dense.interval_rows):
            sides[j] = sides[j] + self.at_lower[k] * lower[k] + self.at_upper[k] * upper[k]
        return tuple(sides)

    def of_friction(self, changes: Vector) -> dict[int, Scalar]:
        """Return the changes of the multipliers of sliding rows, by row."""
        rows, slides = self.dense.interval_rows, self.slides
        return {j: sign * slides[j] * x for j, sign, x in zip(rows, self.signs, changes, strict=True)}


PROJECT_ON_POLYHEDRON: Final = Intrinsic(
    name="project_on_polyhedron",
    workspace=Projection,
    function=project,
    operations=operations,
    specialises=True,
    derivative=projection_jvp,
    adjoint=projection_vjp,
)


def rests(piece: Scalar) -> Scalar:
    """Return 1 for an interval row at rest, from what it does."""
    return where(less(absolute(piece), 1), 1, 0)


@final
class Projected(NamedTuple):
    """The point nearest to zero, multipliers, what interval rows do (`Projection.pieces`), residual, Newton's steps."""

    z: Vector
    multipliers: Vector
    pieces: Vector
    residual: Scalar
    steps: Scalar


def project_on_polyhedron(
    rows: Matrix,
    sides: Sequence[Scalar],
    intervals: Intervals = NO_INTERVALS,
    rest: Sequence[Scalar] = (),
    near: NearSolution | None = None,
) -> Projected:
    """Return the point z nearest to zero with `rows` z >= `sides`; `near` are point and multipliers near the solution.

    For `intervals`, whose multipliers come last, rates are `rows` z - `rest`. Rows have length one, or are zero with a
    negative side; sides are of the size of one. The integer 0 is a structural zero. The residual is the largest of
    violations, products of slacks and multipliers, and entries of z - rows' lam; it is below 1e-10, or there were too
    many steps.

    >>> found = project_on_polyhedron(((1.0, 0), (0.6, 0.8)), (1.0, 0.2))
    >>> [round(x, 12) for x in (*found.z, *found.multipliers)], found.residual < 1e-10
    ([1.0, 0.0, 1.0, 0.0], True)
    """
    pattern = ProjectionPattern.of((*rows, *intervals.rows), len(intervals.rows), near is not None)
    every = pattern.entries((*rows, *intervals.rows))
    limits = (*intervals.lower, *intervals.upper, *intervals.friction, *intervals.begin)
    known = () if near is None else (*near.point, *near.multipliers)
    flat = PROJECT_ON_POLYHEDRON(pattern.sizes, (*(row[i] for row, i in every), *sides, *rest, *limits, *known))
    n, m = pattern.n, len(pattern.columns)
    return Projected(flat[:n], flat[n : n + m], flat[n + m : -2], *flat[-2:])


@final
@attrs.frozen
class ProjectionPattern:
    """Where entries of the rows, and of the factor of I + A'A for any of them, are not zero."""

    n: int
    intervals: int
    known: bool
    columns: tuple[tuple[int, ...], ...]
    """Per row."""
    factor: FactorPattern

    @classmethod
    def of(cls, rows: Matrix, intervals: int, known: bool) -> ProjectionPattern:
        """Return the pattern of rows."""
        columns = tuple(nonzero_columns(row) for row in rows)
        return cls(len(rows[0]), intervals, known, columns, FactorPattern.of(len(rows[0]), columns))

    def entries(self, rows: Matrix) -> list[tuple[Vector, int]]:
        """Return the rows with the columns of their entries."""
        return [(row, i) for row, columns in zip(rows, self.columns, strict=True) for i in columns]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes and tables of a call."""
        row_ends, factor = [0, *accumulate(map(len, self.columns))], self.factor
        products = sum(len(x) * (len(x) + 1) // 2 for x in self.columns)
        own = len(self.columns), self.intervals, row_ends[-1], products, factor.eliminations, int(self.known)
        return self.n, factor.fill, *own, *factor.tables, *row_ends, *chain(*self.columns)
