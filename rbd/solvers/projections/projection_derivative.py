"""Derivatives of the projection onto a polyhedron, at its active set: those of a dense quadratic program.

Its Hessian is the identity, its rows are those that are active: of interval rows those at rest or at a bound. A row
that slides is a constant force, which is a linear term of the objective.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final, final

import attrs

from rbd.scalars import absolute, less, maximum, where
from rbd.scalars.linear_algebra import dot
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.solvers.operands import parts_between, program_operands
from rbd.solvers.projections.augmented_lagrangian.workspace import AugmentedLagrangian
from rbd.solvers.quadratic.active_set_derivative import quadratic_program_jvp, quadratic_program_vjp
from rbd.solvers.row_pattern import RowPattern

_LABELS: Final = ("the identity",)


def projection_jvp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, tangents: Vector
) -> Vector:
    """Return the tangents of point and multipliers, at the active set."""
    dense = _DenseProgram.of(sizes)
    given, changes = dense.by_name(operands), dense.by_name(tangents)
    solution, n, m = _Solution.of(dense, given, results), dense.n, dense.m
    of_friction, rows, moved = solution.of_friction(changes["friction"]), dense.rows(given), dense.rows(changes)
    linear: list[Scalar] = [0] * n
    for j, change in of_friction.items():
        force = solution.multipliers[j] * solution.slides[j]
        linear = [
            x + force * dx + y * change for x, dx, y in zip(linear, moved[j], rows[j], strict=True)
        ]  # fmt: skip
    found = quadratic_program_jvp(
        (n, m),
        _LABELS,
        dense.program(given, 1, solution.sides(given), [0] * n),
        solution.flat,
        dense.program(changes, 0, solution.sides(changes), linear),
    )
    multipliers = [x + of_friction.get(j, 0) for j, x in enumerate(found[n : n + m])]
    return *found[:n], *multipliers, *(0,) * (dense.intervals + 2)


def projection_vjp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, cotangents: Vector
) -> Vector:
    """Return the cotangents of rows, sides, bounds and friction, at the active set."""
    dense = _DenseProgram.of(sizes)
    given = dense.by_name(operands)
    solution, n, m = _Solution.of(dense, given, results), dense.n, dense.m
    program = dense.program(given, 1, solution.sides(given), [0] * n)
    _, p, rows, sides = program_operands(
        n, m, quadratic_program_vjp((n, m), _LABELS, program, solution.flat, cotangents)
    )
    of_intervals = [(k, j, solution.slides[j]) for k, j in enumerate(dense.interval_rows)]
    along = {j: dot(dense.rows(given)[j], p) + cotangents[n + j] for j in dense.interval_rows}
    of_rows = list(rows)
    for _, j, slides in of_intervals:
        force = solution.multipliers[j] * slides
        of_rows[j] = tuple(x + force * y for x, y in zip(rows[j], p, strict=True))
    found = {
        "rows": dense.pattern.entries(tuple(of_rows)),
        "sides": sides,
        "lower": tuple(solution.at_lower[k] * sides[j] for k, j, _ in of_intervals),
        "upper": tuple(solution.at_upper[k] * sides[j] for k, j, _ in of_intervals),
        "friction": tuple(solution.signs[k] * slides * along[j] for k, j, slides in of_intervals),
    }
    nothing = {name: (0,) * len(own) for name, own in given.items()}
    return AugmentedLagrangian.layout.concatenate("operand", {**nothing, **found})


@final
@attrs.frozen
class _DenseProgram:
    """The problem as a dense quadratic program, whose Hessian is the identity."""

    sizes: tuple[int, ...]
    """Of the call."""
    n: int
    m: int
    intervals: int
    pattern: RowPattern

    @classmethod
    def of(cls, sizes: tuple[int, ...]) -> _DenseProgram:
        """Read the sizes and tables of a call."""
        own, tables = AugmentedLagrangian.layout.sizes_by_name(sizes), AugmentedLagrangian.layout.tables(sizes)
        columns = parts_between(tables["row_columns"], tables["row_ends"])
        return cls(sizes, own["n"], own["m"], own["intervals"], RowPattern(tuple(columns)))

    @property
    def interval_rows(self) -> range:
        """The numbers of the interval rows."""
        return range(self.m - self.intervals, self.m)

    def by_name(self, flat: Vector) -> dict[str, Vector]:
        """Return the operands, or their tangents, by name."""
        return AugmentedLagrangian.layout.split("operand", self.sizes, flat)

    def rows(self, named: Mapping[str, Vector]) -> Matrix:
        """Return the rows from the operands, or their tangents."""
        return self.pattern.dense(named["rows"], self.n)

    def program(self, named: Mapping[str, Vector], diagonal: Scalar, sides: Vector, linear: Sequence[Scalar]) -> Vector:
        """Return the operands, or their tangents, of the quadratic program."""
        size = range(self.n)
        hessian = [diagonal if i == j else 0 for i in size for j in size]
        return *hessian, *linear, *chain.from_iterable(self.rows(named)), *sides


@final
@attrs.frozen
class _Solution:
    """Minimum with the modes of its rows: flags of numbers 0 and 1."""

    dense: _DenseProgram
    point: Vector
    multipliers: Vector
    active: Vector
    at_lower: Vector
    """Per interval row."""
    at_upper: Vector
    signs: Vector
    """Signs of the dry friction of rows that slide."""

    @classmethod
    def of(cls, dense: _DenseProgram, named: Mapping[str, Vector], results: Vector) -> _Solution:
        """Read the modes of the rows; a row is active if its multiplier is larger than its slack."""
        z, multipliers, modes, *_ = AugmentedLagrangian.layout.split("result", dense.sizes, results).values()
        plain = dense.m - dense.intervals
        lower = tuple(where(less(1, x), 1, 0) for x in modes)
        upper = tuple(where(less(x, -1), 1, 0) for x in modes)
        rows = zip(multipliers[:plain], dense.rows(named), named["sides"], strict=False)
        active = [where(less(maximum(0, dot(row, z) - side), x), 1, 0) for x, row, side in rows]
        active += [a + b + _rests(x) for a, b, x in zip(lower, upper, modes, strict=True)]
        return cls(dense, z, multipliers, tuple(active), lower, upper, modes)

    @property
    def flat(self) -> Vector:
        """Point, multipliers and active rows."""
        return *self.point, *self.multipliers, *self.active

    @property
    def slides(self) -> Vector:
        """1 for rows that are not held."""
        return tuple(1 - flag for flag in self.active)

    def sides(self, named: Mapping[str, Vector]) -> Vector:
        """Return the sides of the rows, or their tangents: those of interval rows at the bound that holds them."""
        sides, lower, upper = list(named["sides"]), named["lower"], named["upper"]
        for k, j in enumerate(self.dense.interval_rows):
            sides[j] = sides[j] + self.at_lower[k] * lower[k] + self.at_upper[k] * upper[k]
        return tuple(sides)

    def of_friction(self, changes: Vector) -> dict[int, Scalar]:
        """Return the changes of the multipliers of sliding rows, by row."""
        rows, slides = self.dense.interval_rows, self.slides
        return {j: sign * slides[j] * x for j, sign, x in zip(rows, self.signs, changes, strict=True)}


def _rests(mode: Scalar) -> Scalar:
    """Return 1 for an interval row at rest, from its mode."""
    return where(less(absolute(mode), 1), 1, 0)
