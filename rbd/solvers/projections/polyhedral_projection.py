"""Projection onto a polyhedron: the intrinsic `project_on_polyhedron`, calls of it, and the sparsity of its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, final

import attrs

from rbd.intrinsics.intrinsic import Intrinsic, NamedSizes
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.solvers.intervals import NO_INTERVALS, Intervals
from rbd.solvers.projections.augmented_lagrangian.method import operations, project
from rbd.solvers.projections.augmented_lagrangian.workspace import AugmentedLagrangian
from rbd.solvers.projections.projection_derivative import projection_jvp, projection_vjp
from rbd.solvers.row_pattern import RowPattern
from rbd.solvers.weighted_factor import FactorPattern

PROJECT_ON_POLYHEDRON: Final = Intrinsic(
    name="project_on_polyhedron",
    workspace=AugmentedLagrangian,
    function=project,
    operations=operations,
    specialised=True,
    derivative=projection_jvp,
    adjoint=projection_vjp,
)


@final
class WarmStart(NamedTuple):
    """Warm start: point, multipliers, and the rates of interval rows less their multipliers."""

    point: Vector
    multipliers: Vector
    rates: Vector


@final
class NearestPoint(NamedTuple):
    """Point nearest to zero, multipliers, modes of interval rows (`AugmentedLagrangian.modes`), residual, steps."""

    z: Vector
    multipliers: Vector
    modes: Vector
    residual: Scalar
    steps: Scalar

    @classmethod
    def of_results(cls, results: Mapping[str, Vector]) -> NearestPoint:
        """Return the results of a call."""
        (residual,), (steps,) = results["residual"], results["steps"]
        return cls(results["point"], results["multipliers"], results["modes"], residual, steps)


def project_on_polyhedron(
    rows: Matrix,
    sides: Sequence[Scalar],
    intervals: Intervals = NO_INTERVALS,
    interval_sides: Sequence[Scalar] = (),
    start: WarmStart | None = None,
) -> NearestPoint:
    """Return the point z nearest to zero with `rows` z >= `sides`; `start` is a warm start.

    For `intervals`, whose multipliers come last, rates are `rows` z - `interval_sides`. Rows have length one, or are
    zero with a negative side; sides are of the size of one. The integer 0 is a structural zero. The residual is the
    largest of violations, products of slacks and multipliers, and entries of z - rows' lam; it is below 1e-10, or there
    were too many steps.

    >>> found = project_on_polyhedron(((1.0, 0), (0.6, 0.8)), (1.0, 0.2))
    >>> [round(x, 12) for x in (*found.z, *found.multipliers)], found.residual < 1e-10
    ([1.0, 0.0, 1.0, 0.0], True)
    """
    every = *rows, *intervals.rows
    pattern = ProjectionPattern.of(len(every[0]), RowPattern.of(every), len(intervals.rows), start is not None)
    operands = {
        **intervals._asdict(),
        "rows": pattern.rows.entries(every),
        "sides": (*sides, *interval_sides),
        "start_point": () if start is None else start.point,
        "start_multipliers": () if start is None else start.multipliers,
    }
    return NearestPoint.of_results(
        PROJECT_ON_POLYHEDRON.call(PROJECT_ON_POLYHEDRON.sizes_of(pattern.named_sizes), operands)
    )


@final
@attrs.frozen
class ProjectionPattern:
    """Pattern of the nonzero entries of the rows, and of the factor of I + A'A for any of them."""

    rows: RowPattern
    intervals: int
    has_warm_start: bool
    factor: FactorPattern

    @classmethod
    def of(cls, n: int, rows: RowPattern, intervals: int, has_warm_start: bool) -> ProjectionPattern:
        """Return the pattern of rows with n columns."""
        return cls(rows, intervals, has_warm_start, FactorPattern.of(n, rows.columns))

    @property
    def named_sizes(self) -> NamedSizes:
        """Sizes and tables of a call."""
        return {
            **self.factor.named_sizes,
            "m": len(self.rows.columns),
            "intervals": self.intervals,
            "entries": self.rows.ends[-1],
            "products": self.rows.products,
            "eliminations": self.factor.eliminations,
            "warm": int(self.has_warm_start),
            "row_ends": self.rows.ends,
            "row_columns": self.rows.flat_columns,
        }
