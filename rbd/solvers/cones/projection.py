"""Projection onto second-order cones, for many problems side by side.

The point z nearest to zero for which every block s = A z + b of three rows lies in the cone L = {s0 >= |(s1, s2)|} is
A' lam for multipliers lam in L with lam's = 0. Newton's method on both (`newton.py`: Alart and Curnier 1991) solves
most problems in few steps; the augmented Lagrangian method (`augmented_lagrangian.py`) solves those that remain.
Interval rows have two bounds and dry friction. All loops have the same course in all lanes; lanes that are done stay as
they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, final

import attrs

from rbd.intrinsics.intrinsic import Intrinsic, NamedSizes
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.solvers.cones import augmented_lagrangian, newton
from rbd.solvers.cones.augmented_lagrangian import solve_by_augmented_lagrangian
from rbd.solvers.cones.newton import take_newton_steps
from rbd.solvers.cones.workspace import ConeProjection
from rbd.solvers.intervals import NO_INTERVALS, Intervals
from rbd.solvers.row_pattern import RowPattern, columns_of
from rbd.solvers.weighted_factor import FactorPattern


def _project_on_cones(w: ConeProjection) -> int:
    take_newton_steps(w)
    solve_by_augmented_lagrangian(w)
    return 0


def _operations(
    n: int,
    fill: int,
    blocks: int,
    intervals: int,
    entries: int,
    interval_entries: int,
    products: int,
    eliminations: int,
) -> int:
    """Bound the operations by those of the largest number of steps; few need more than eight."""
    rows, every = 3 * blocks + intervals, 3 * entries + interval_entries
    projection = 8 * rows + 40 * blocks + 20 * intervals
    residual = 4 * every + 5 * n + 5 * rows + projection
    system = 90 * blocks + 8 * intervals + 16 * entries + 2 * interval_entries
    system += 6 * products + 2 * eliminations + 6 * fill + 8 * n + 2 * every
    search = (augmented_lagrangian.TRIALS + 2) * (projection + 4 * n + 2 * rows + 20)
    step = 3 * residual + system + search + 12 * n + 12 * rows + 60
    return (newton.STEPS + augmented_lagrangian.STEPS + 3) * step


PROJECT_ON_CONES: Final = Intrinsic(
    name="project_on_cones",
    workspace=ConeProjection,
    function=_project_on_cones,
    operations=_operations,
    specialised=True,
)


@final
class NearestInCones(NamedTuple):
    """The point nearest to zero, forces of the rows of blocks and of intervals, the residual, and Newton's steps."""

    z: Vector
    forces: Vector
    interval_forces: Vector
    residual: Scalar
    steps: Scalar


def project_on_cones(
    blocks: Sequence[Matrix],
    offsets: Sequence[Scalar],
    intervals: Intervals = NO_INTERVALS,
    interval_sides: Sequence[Scalar] = (),
) -> NearestInCones:
    """Return the point z nearest to zero with s0 >= |(s1, s2)| for the rows s of each block times z, plus its offsets.

    Rates of `intervals` are their rows times z, less `interval_sides`. The longest row of a block and rows of intervals
    have length one, offsets the size of one. The integer 0 is a structural zero.

    >>> found = project_on_cones([((0.0, 1.0), (1.0, 0.0), (0.0, 0.0))], (-1.0, 0.0, 0.0))
    >>> [round(x, 9) for x in (*found.z, *found.forces)], found.residual < 1e-10
    ([0.0, 1.0, 1.0, 0.0, 0.0], True)
    """
    pattern = _BlockPattern.of(blocks, intervals)
    cones = (row[i] for block, own in zip(blocks, pattern.blocks.columns, strict=True) for i in own for row in block)
    operands = {
        **intervals._asdict(),
        "cones": cones,
        "rows": pattern.rows.entries(intervals.rows),
        "offsets": (*offsets, *(-x for x in interval_sides)),
    }
    found, m = PROJECT_ON_CONES.call(PROJECT_ON_CONES.sizes_of(pattern.named_sizes), operands), 3 * len(blocks)
    (residual,), (steps,) = found["residual"], found["steps"]
    return NearestInCones(found["point"], found["multipliers"][:m], found["multipliers"][m:], residual, steps)


@final
@attrs.frozen
class _BlockPattern:
    """Pattern of the nonzero entries of blocks and rows."""

    n: int
    blocks: RowPattern
    """The columns of each block."""
    rows: RowPattern

    @classmethod
    def of(cls, blocks: Sequence[Matrix], intervals: Intervals) -> _BlockPattern:
        """Return the pattern of blocks and interval rows."""
        n = len(blocks[0][0] if blocks else intervals.rows[0])
        return cls(n, RowPattern(tuple(map(columns_of, blocks))), RowPattern.of(intervals.rows))

    @property
    def named_sizes(self) -> NamedSizes:
        """Sizes and tables."""
        blocks, rows = self.blocks, self.rows
        factor = FactorPattern.of(self.n, (*blocks.columns, *rows.columns))
        return {
            **factor.named_sizes,
            "blocks": len(blocks.columns),
            "intervals": len(rows.columns),
            "entries": blocks.ends[-1],
            "interval_entries": rows.ends[-1],
            "products": blocks.products + rows.products,
            "eliminations": factor.eliminations,
            "block_ends": blocks.ends,
            "block_columns": blocks.flat_columns,
            "interval_ends": rows.ends,
            "interval_columns": rows.flat_columns,
        }
