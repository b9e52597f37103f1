"""Augmented Lagrangian method with semismooth Newton steps, for any rows: sparse, redundant, with interval rows.

Also called the method of multipliers (Hestenes 1969; Powell 1969). As in Li, Sun, Toh (SIAM Journal on Optimization 28,
2018) and Hermans, Themelis, Patrinos (Mathematical Programming Computation 14, 2022). Each round minimises

    L(z) = |z|²/2 + sum of max(0, y)² / (2 rho),   y = lam + rho (c - U z),

over z, then lam becomes max(0, y). L is convex and piecewise quadratic, so that Newton's method with an exact line
search ends after few steps:

    z, lam = the warm start, or zero; rho = 1e8                       method.py: begin
    until the residual is small:                                      method.py: iterate
        A = rows with y > 0; factor I + rho A'A if A is new           newton_step.py
        d = -(I + rho A'A)⁻¹ grad L
        if a full step along d switches no row of A:                  a full step ends the round
            z += d, lam = max(0, y)
        else:
            z += t d, where t minimises L along d                     line_search.py
        residual, y and grad L at z                                   residual.py
        at the end of a round: a larger rho if it gained little, new modes of interval rows

A step changes y together with z, so that the large rho costs no digits. The pivots of I + rho A'A are at least one,
however many rows depend on each other.

Interval rows (interval_rows.py) have a mode during a round: an equation of A, at rest or at a bound, or a constant
force, sliding. The proximal operator of their cost says what the next mode is.

workspace.py      names of all arrays
method.py         the loop, the penalty, the bound of operations
residual.py       violations, trial multipliers, gradient, residual
interval_rows.py  modes of rows with two bounds and dry friction
newton_step.py    matrix, direction, step
line_search.py    the minimum along the direction
"""
