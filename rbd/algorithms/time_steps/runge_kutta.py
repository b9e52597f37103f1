"""Runge-Kutta-Munthe-Kaas methods on recorded scalars: the arithmetic of stages and steps.

Stages are in local coordinates around the initial configuration of the step, as in `rbd.simulation`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias, final

import attrs

from rbd.algorithms.time_steps.continuous_dynamics import StateRates, reset_separated_contacts
from rbd.algorithms.time_steps.fixed_step import stepped
from rbd.algorithms.time_steps.local_coordinates import global_coordinates, normalised_configuration
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Scalar, Vector, const

Row: TypeAlias = tuple[Scalar, ...]
RatesByStage: TypeAlias = Mapping[int, StateRates]
"""Rates by the index of the stage."""


@final
@attrs.frozen
class ScalarTableau:
    """Butcher tableau of scalars: coupling `a`, weights `b`, times `c`, and weights of its error, if estimated."""

    a: tuple[Row, ...]
    b: Row
    c: Row
    error: Row | None = None

    @property
    def stage_count(self) -> int:
        """The number of stages."""
        return len(self.b)

    @property
    def key(self) -> str:
        """A name that is the same for the same numbers."""
        return hashlib.sha256(repr((self.a, self.b, self.c, self.error)).encode()).hexdigest()[:20]

    def weights_after(self, k: int) -> Row:
        """Return the weights of the rates after stage k: of the next stage, or of the end."""
        return self.a[k + 1] if k + 1 < self.stage_count else self.b

    def rates_needed_after(self, k: int) -> tuple[int, ...]:
        """Return the stages before k whose rates are needed after it."""
        weights = [self.weights_after(k), self.error or ()] if k + 1 == self.stage_count else [self.weights_after(k)]
        return tuple(j for j in range(k) if any(row[j] for row in weights if row))


_HALF, _THIRD, _SIXTH = const(1, 2), const(1, 3), const(1, 6)
CLASSICAL: Final = ScalarTableau(
    a=((0, 0, 0, 0), (_HALF, 0, 0, 0), (0, _HALF, 0, 0), (0, 0, 1, 0)),
    b=(_SIXTH, _THIRD, _THIRD, _SIXTH),
    c=(0, _HALF, _HALF, 1),
)
"""The classical method of fourth order."""


def runge_kutta_step(
    tableau: ScalarTableau,
    start: ScalarState,
    s: Vector,
    rates: Callable[[int, ScalarState, Vector], StateRates],
    dt: Scalar,
) -> tuple[Vector, Vector, Vector]:
    """Return q, v and s at the end of a step; `rates` are those of a stage, at its state and contact states."""
    state, s_stage, stage_rates = start, s, dict[int, StateRates]()
    for k in range(tableau.stage_count - 1):
        stage_rates[k] = rates(k, state, s_stage)
        phi, v, s_stage = next_stage_state(tableau, k, start, s, stage_rates, dt)
        state = start.with_scalars(global_coordinates(start, phi), v)
    stage_rates[tableau.stage_count - 1] = rates(tableau.stage_count - 1, state, s_stage)
    return end_of_step(tableau, start, s, stage_rates, dt)


def next_stage_state(
    tableau: ScalarTableau, index: int, start: ScalarState, s: Vector, rates: RatesByStage, dt: Scalar
) -> tuple[Vector, Vector, Vector]:
    """Return local coordinates, velocities and contact states of the stage after `index`."""
    v0, weights = start.velocity_scalars(), tableau.weights_after(index)
    phi, v, s_next = (
        _advanced(x0, weights, {k: rates[k][part] for k in sorted(rates)}, dt)
        for part, x0 in enumerate(((0,) * len(v0), v0, s))
    )
    return phi, v, s_next


def end_of_step(
    tableau: ScalarTableau, start: ScalarState, s: Vector, rates: RatesByStage, dt: Scalar
) -> tuple[Vector, Vector, Vector]:
    """Return q, v and s at the end of a step; contact states are not reset if the error is estimated."""
    phi, v, s_next = next_stage_state(tableau, tableau.stage_count - 1, start, s, rates, dt)
    q = normalised_configuration(start, phi)
    return q, v, s_next if tableau.error else reset_separated_contacts(start, q, v, s_next)


def _advanced(start: Vector, weights: Row, rates: Mapping[int, Vector], dt: Scalar) -> Vector:
    """Return start + dt Σ weight rate."""
    used = [k for k in rates if weights[k]]
    if len(used) == 1:
        weight = weights[used[0]]
        return stepped(start, rates[used[0]], dt if weight == 1 else dt * weight)
    return stepped(start, weighted_sum(weights, rates), dt)


def weighted_sum(weights: Row, rates: Mapping[int, Vector]) -> Vector:
    """Return Σ weight rate; the rates of equal weights are added first."""
    groups: dict[Scalar, list[Vector]] = {}
    for k, rate in rates.items():
        if weights[k]:
            groups.setdefault(weights[k], []).append(rate)
    size = len(next(iter(rates.values())))
    return tuple(total(total(rate[i] for rate in group) * w for w, group in groups.items()) for i in range(size))


def total(terms: Iterable[Scalar]) -> Scalar:
    """Return the sum of scalars, from the first to the last: since Python 3.12, `sum` rounds floats otherwise."""
    result: Scalar = 0
    for term in terms:
        result = result + term
    return result
