"""Modes of pairs under friction from a linear complementarity problem.

Lemke's method (Cottle, Pang and Stone 1992, section 4.4) for the problem of Stewart and Trinkle 1996.
Functions in the language of intrinsics; modes as in `modes.py`, `is_undecided` as in `problem.py`.
"""

from __future__ import annotations

from typing import Final

from rbd.solvers.friction.lemke import lemke
from rbd.solvers.friction.problem import FrictionProblem

_LARGE_WEIGHT: Final = 16.0
_SMALL_WEIGHT: Final = 0.0625
"""Entries of one pair in the covering vectors numbered from 1; all entries of number 0 are one."""


def _number_variables(w: FrictionProblem) -> int:
    """Assign numbers to the variables: normal forces, then for each direction its force and its backward speed."""
    m = 0
    for k in range(w.p):
        if w.is_undecided[3 * k] == 1:
            w.variable_index[5 * k] = m
            w.leaves_first[m] = 1
            m += 1
            for r in range(1, 3):
                if w.is_undecided[3 * k + r] == 1:
                    w.variable_index[5 * k + 2 * r - 1] = m
                    w.variable_index[5 * k + 2 * r] = m + 1
                    w.leaves_first[m] = 0
                    w.leaves_first[m + 1] = 0
                    m += 2
    return m


def _rate_row(w: FrictionProblem, m: int, row: int, rate: int, sign: float) -> None:
    """Write the row of a rate: its coefficients of the forces, and its value without them."""
    for column in range(m + 2):
        w.tableau[row][column] = 0.0
    for k in range(w.p):
        if w.is_undecided[3 * k] == 1:
            normal_force = w.gram[rate][3 * k]
            for r in range(1, 3):
                friction = w.signs[3 * k + r] * w.gram[rate][3 * k + r]
                normal_force -= friction
                if w.is_undecided[3 * k + r] == 1:
                    w.tableau[row][w.variable_index[5 * k + 2 * r - 1]] = sign * friction
            w.tableau[row][w.variable_index[5 * k]] = sign * normal_force
    w.tableau[row][m + 1] = sign * w.free_rates[rate]


def _write_tableau(w: FrictionProblem, m: int, covering_vector: int) -> None:
    """Write the tableau.

    The variable of a direction's force is its distance from the bound of sliding in the free direction. The speed
    along a direction is the difference of two nonnegative parts: the forward one is complementary to that variable, the
    backward one to the distance from the opposite bound.
    """
    for k in range(w.p):
        if w.is_undecided[3 * k] == 1:
            normal_force = w.variable_index[5 * k]
            _rate_row(w, m, normal_force, 3 * k, 1.0)
            w.tableau[normal_force][m] = 1.0
            if covering_vector == k + 1:
                w.tableau[normal_force][m] = _LARGE_WEIGHT
            if covering_vector == k + w.p + 1:
                w.tableau[normal_force][m] = _SMALL_WEIGHT
            for r in range(1, 3):
                if w.is_undecided[3 * k + r] == 1:
                    force = w.variable_index[5 * k + 2 * r - 1]
                    _rate_row(w, m, force, 3 * k + r, w.signs[3 * k + r])
                    w.tableau[force][force + 1] = 1.0
                    for column in range(m + 2):
                        w.tableau[force + 1][column] = 0.0
                    w.tableau[force + 1][normal_force] = 2.0
                    w.tableau[force + 1][force] = -1.0


def _read_modes(w: FrictionProblem, m: int) -> None:  # noqa: C901 - plain loops over arrays
    """Read the modes off the solved tableau."""
    for j in range(m):
        w.is_basic[j] = 0
    for i in range(m):
        if w.basis[i] >= m and w.basis[i] < 2 * m:
            w.is_basic[w.basis[i] - m] = 1
    for k in range(w.p):
        w.modes[3 * k] = 0
        if w.is_undecided[3 * k] == 1:
            w.modes[3 * k] = w.is_basic[w.variable_index[5 * k]]
            for r in range(1, 3):
                if w.is_undecided[3 * k + r] == 1:
                    mode = 1
                    if w.signs[3 * k + r] < 0.0:
                        mode = -1
                    if w.is_basic[w.variable_index[5 * k + 2 * r - 1]] == 1:
                        mode = -mode * w.is_basic[w.variable_index[5 * k + 2 * r]]
                    w.modes[3 * k + r] = mode


def find_modes_by_lemke(w: FrictionProblem, covering_vector: int) -> int:
    """Find modes by Lemke's method; return the number of pivots, or RAY or PIVOT_LIMIT.

    Covering vector 0 has equal entries; k + 1 and k + p + 1 weight pair k by 16 and 1/16.
    """
    m = _number_variables(w)
    for k in range(w.p):
        for a in range(3 * k + 1, 3 * k + 3):
            w.signs[a] = 1.0
            if w.is_undecided[a] == 1 and w.free_rates[a] < 0.0:
                w.signs[a] = -1.0
    _write_tableau(w, m, covering_vector)
    pivots = lemke(m, 50 + 20 * m, w.tableau, w.basis, w.leaves_first)
    _read_modes(w, m)
    return pivots
