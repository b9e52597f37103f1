"""Compliant contact points in the quadratic program of a step: regularised rows.

Regularised constraints that stand for implicit springs and dampers: Lacoursière 2007. A point with stiffness k and
damping d at the distance phi pushes with the force

    f = max(0, -k phi⁺ - d phi'⁺)   at the end of the step, where phi⁺ = phi + dt phi'⁺

In terms of its impulse lam = dt f this is a row with a bound and a regularisation R,

    phi'⁺ + R lam >= -k phi / (dt k + d)   where R = 1 / (dt (dt k + d)),   lam >= 0

which for large k and phi > 0 is that of a hard point, phi'⁺ >= -phi / dt; where shapes overlap, a spring pushes them
apart with what it holds, and a hard point does not. R lam is sqrt(R) w for one more unknown w of mass 1, so
that whatever solves and differentiates hard steps does so for these. The edges of a friction cone share the w of their
point: its impulse along the normal is the sum of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rbd.contact.model.compliance import Compliance
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Matrix, Scalar, Vector, less, sqrt, where
from rbd.scalars.linear_algebra import identity
from rbd.solvers.equations.ltdl_factor import Factor
from rbd.solvers.intervals import Intervals


class SpringRow(NamedTuple):
    """The bound of the rate of a compliant point, and the factor sqrt(R) of its unknown."""

    bound: Scalar
    factor: Scalar


def spring_row(state: ScalarState, compliance: Compliance, phi: Scalar, dt: Scalar) -> SpringRow:
    """Return the row of a point at the distance `phi`; only points inside have a damper."""
    k = state.lifted(compliance.stiffness)
    reaction = dt * k + where(less(phi, 0), state.lifted(compliance.damping), 0)
    return SpringRow(-k * phi / reaction, sqrt(1 / (dt * reaction)))


def with_springs(rows: Matrix, factors: Sequence[Scalar | None], point_shares: Sequence[tuple[int, Scalar]]) -> Matrix:
    """Return rows with a column for each spring; `factors` are those of the points, None if a point is hard.

    `point_shares` are the number of each row's point, and the row's share of the normal.
    """
    springs = [(k, factor) for k, factor in enumerate(factors) if factor is not None]
    return tuple(
        (*row, *(share * factor if k == point else 0 for k, factor in springs))
        for row, (point, share) in zip(rows, point_shares, strict=True)
    )


def with_unit_masses(mass: Matrix, count: int) -> Matrix:
    """Return the mass matrix with `count` more unknowns of mass 1."""
    n = len(mass)
    below = tuple((*(0 for _ in range(n)), *row) for row in identity(count))
    return (*((*row, *(0 for _ in range(count))) for row in mass), *below)


def factor_with_unit_masses(factor: Factor, count: int) -> Factor:
    """Return the factor of a mass matrix with `count` more unknowns of mass 1."""
    return Factor((*factor.rows, *((),) * count), (*factor.inverse_diagonal, *(1,) * count))


def padded(row: Vector, count: int) -> Vector:
    """Return a vector with `count` more zeros."""
    return (*row, *(0 for _ in range(count)))


def intervals_without_springs(intervals: Intervals, count: int) -> Intervals:
    """Return interval rows with `count` more unknowns, which they do not have."""
    return intervals._replace(rows=tuple(padded(row, count) for row in intervals.rows))
