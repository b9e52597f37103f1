"""Quadratic programs by the dual active-set method: exact, one at a time, with a reason where there is no solution.

quadratic_program.py      solve_quadratic_program, and a guarded call of it for rows of a batch that need it
interval_program.py       programs with interval rows, as programs with more unknowns
active_set_derivative.py  derivatives of minima, of any method: the active rows are equations
"""
