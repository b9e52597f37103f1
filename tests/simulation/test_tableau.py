"""Runge-Kutta tableaus: order conditions and refusals."""

from __future__ import annotations

import pytest

from rbd.errors import ArgumentError, ShapeError
from rbd.simulation import EULER, HEUN, RALSTON, RUNGE_KUTTA_4, ButcherTableau

THREE_EIGHTHS = ButcherTableau(
    a=[[0, 0, 0, 0], [1 / 3, 0, 0, 0], [-1 / 3, 1, 0, 0], [1, -1, 1, 0]], b=[1 / 8, 3 / 8, 3 / 8, 1 / 8]
)


@pytest.mark.parametrize(
    ("tableau", "order"), [(EULER, 1), (HEUN, 2), (RALSTON, 3), (RUNGE_KUTTA_4, 4), (THREE_EIGHTHS, 4)]
)
def test_order_conditions(tableau: ButcherTableau, order: int) -> None:
    assert tableau.order == order


def test_a_wrong_weight_costs_order() -> None:
    assert ButcherTableau(a=RUNGE_KUTTA_4.a, b=[1 / 4, 1 / 4, 1 / 4, 1 / 4]).order == 2


def test_stage_times_are_exact() -> None:
    assert RUNGE_KUTTA_4.c == (0, 0.5, 0.5, 1)


def test_tableaus_compare_by_value() -> None:
    assert ButcherTableau([[0, 0], [1, 0]], [0.5, 0.5]) == HEUN


@pytest.mark.parametrize("a", [[[0, 1], [1, 0]], [[0, 0], [1, 0.1]]])
def test_implicit_methods_are_refused(a: list[list[float]]) -> None:
    with pytest.raises(ArgumentError, match="explicit") as caught:
        ButcherTableau(a, [0.5, 0.5])
    assert caught.value.argument == "a"


@pytest.mark.parametrize(("a", "b"), [([[0]], [0.5, 0.5]), ([[0], [1]], [0.5, 0.5]), ([], [])])
def test_shapes_must_fit(a: list[list[float]], b: list[float]) -> None:
    with pytest.raises(ShapeError):
        ButcherTableau(a, b)


@pytest.mark.parametrize(("b", "reason"), [([0.5, 0.6], "sums to 1.1"), ([float("nan"), 0.5], "b is nan")])
def test_weights_must_sum_to_one(b: list[float], reason: str) -> None:
    with pytest.raises(ArgumentError, match=reason):
        ButcherTableau([[0, 0], [1, 0]], b)
