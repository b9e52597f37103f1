"""Butcher tableaux of the Runge-Kutta integrators; `scalar_tableau` converts them for recordings.

Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I (1993), chapter II.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import attrs

from rbd.algorithms.time_steps.runge_kutta import CLASSICAL, ScalarTableau
from rbd.arguments import sequence
from rbd.errors import ArgumentError, ShapeError
from rbd.scalars import to_float
from rbd.scalars.number_checks import finite

Row = tuple[float, ...]
_TOLERANCE = 1e-12


def _numbers(values: Sequence[float], argument: str) -> Row:
    return tuple(finite(value, argument) for value in sequence(values, argument, "numbers"))


def _as_rows(values: Sequence[Sequence[float]]) -> tuple[Row, ...]:
    return tuple(_numbers(row, "a") for row in sequence(values, "a", "rows of numbers"))


def _as_weights(values: Sequence[float]) -> Row:
    return _numbers(values, "b")


def _as_other_weights(values: Sequence[float]) -> Row:
    return _numbers(values, "b_hat")


@final
@attrs.frozen
class ButcherTableau:
    """Coefficients of an explicit Runge-Kutta method: `a` couples the stages, `b` weighs them.

    The stage times `c` are the row sums of `a`. An embedded method of another order has weights `b_hat`; the difference
    of the two tells the error of a step. Raises ShapeError when `a` is not square or does not fit `b`, and
    ArgumentError for what are no finite numbers, when the method is not explicit (`a` strictly lower triangular), or
    when `b` does not sum to one.

    >>> from rbd.simulation import ButcherTableau
    >>> midpoint = ButcherTableau(a=[[0, 0], [1 / 2, 0]], b=[0, 1])
    >>> midpoint.c, midpoint.order
    ((0.0, 0.5), 2)
    """

    a: tuple[Row, ...] = attrs.field(converter=_as_rows)
    b: Row = attrs.field(converter=_as_weights)
    b_hat: Row | None = attrs.field(default=None, converter=attrs.converters.optional(_as_other_weights))

    def __attrs_post_init__(self) -> None:
        stages = len(self.b)
        actual = tuple(len(row) for row in self.a)
        if stages == 0 or actual != (stages,) * stages:
            message = f"a has rows of lengths {actual}, needs {stages} rows of {stages} to fit b"
            raise ShapeError(message, argument="a", expected=(stages, stages), actual=actual)
        if any(self.a[i][j] != 0 for i in range(stages) for j in range(i, stages)):
            message = "a has entries on or above its diagonal; only explicit methods are supported"
            raise ArgumentError(message, argument="a", value=self.a, allowed="strictly lower triangular")
        for name, weights in (("b", self.b), ("b_hat", self.b_hat)):
            self._require_weights(name, weights)

    def _require_weights(self, name: str, weights: Row | None) -> None:
        if weights is None:
            return
        if len(weights) != len(self.b):
            message = f"{name} has {len(weights)} weights, needs {len(self.b)} as b has"
            raise ShapeError(message, argument=name, expected=(len(self.b),), actual=(len(weights),))
        if not abs(sum(weights) - 1) <= _TOLERANCE:
            message = f"{name} sums to {sum(weights)}; the weights of a consistent method sum to 1"
            raise ArgumentError(message, argument=name, value=weights, allowed="weights that sum to 1")

    @property
    def c(self) -> Row:
        """The stage times, as fractions of the step; 1 where rounding has moved it, since controllers compare times."""
        sums = map(sum, self.a)
        return tuple(1.0 if abs(total - 1) < _TOLERANCE else total for total in sums)

    @property
    def order(self) -> int:
        """The order of convergence, as far as the conditions up to order four tell (so four means four or more)."""
        order = 0
        for conditions in _order_conditions(self):
            if any(abs(value - exact) > _TOLERANCE for value, exact in conditions):
                break
            order += 1
        return order


def _order_conditions(table: ButcherTableau) -> tuple[tuple[tuple[float, float], ...], ...]:
    """Return per order the sums over rooted trees and what they must be (Hairer et al., table II.2.1)."""
    b, c = table.b, table.c
    ac = tuple(_dot(row, c) for row in table.a)
    acc = tuple(_dot(row, _times(c, c)) for row in table.a)
    aac = tuple(_dot(row, ac) for row in table.a)
    return (
        ((sum(b), 1),),
        ((_dot(b, c), 1 / 2),),
        ((_dot(b, _times(c, c)), 1 / 3), (_dot(b, ac), 1 / 6)),
        (
            (_dot(b, _times(c, _times(c, c))), 1 / 4),
            (_dot(b, _times(c, ac)), 1 / 8),
            (_dot(b, acc), 1 / 12),
            (_dot(b, aac), 1 / 24),
        ),
    )


def _dot(x: Row, y: Row) -> float:
    return sum(_times(x, y))


def _times(x: Row, y: Row) -> Row:
    return tuple(left * right for left, right in zip(x, y, strict=True))


EULER = ButcherTableau(a=((0,),), b=(1,))
HEUN = ButcherTableau(a=((0, 0), (1, 0)), b=(1 / 2, 1 / 2))
RALSTON = ButcherTableau(a=((0, 0, 0), (1 / 2, 0, 0), (0, 3 / 4, 0)), b=(2 / 9, 1 / 3, 4 / 9))
DORMAND_PRINCE = ButcherTableau(
    a=(
        (0, 0, 0, 0, 0, 0, 0),
        (1 / 5, 0, 0, 0, 0, 0, 0),
        (3 / 40, 9 / 40, 0, 0, 0, 0, 0),
        (44 / 45, -56 / 15, 32 / 9, 0, 0, 0, 0),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0, 0),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0, 0),
        (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0),
    ),
    b=(35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0),
    b_hat=(5179 / 57600, 0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40),
)
RUNGE_KUTTA_4 = ButcherTableau(
    a=[[to_float(x) for x in row] for row in CLASSICAL.a], b=[to_float(x) for x in CLASSICAL.b]
)


def error_weights(tableau: ButcherTableau) -> Row:
    """Return the weights of the error of a step: those of the method less those of the embedded one."""
    return tuple(x - y for x, y in zip(tableau.b, tableau.b_hat or (), strict=True))


def scalar_tableau(tableau: ButcherTableau, *, estimates_error: bool = False) -> ScalarTableau:
    """Return the method for recorded scalars; the classical one has exact coefficients.

    >>> scalar_tableau(RUNGE_KUTTA_4) is CLASSICAL, scalar_tableau(HEUN).c
    (True, (0.0, 1.0))
    """
    if tableau == RUNGE_KUTTA_4 and not estimates_error:
        return CLASSICAL
    return ScalarTableau(tableau.a, tableau.b, tableau.c, error_weights(tableau) if estimates_error else None)
