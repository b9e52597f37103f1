"""Quadratic programs by the dual active-set method: exact, one at a time, with a reason where there is no solution.

active_set.py             an orthonormal basis of the active rows
active_set_method.py      the method of Goldfarb and Idnani
quadratic_program.py      solve_quadratic_program
guarded_program.py        solve_guarded_quadratic_program: for rows of a batch, of which few need it
interval_program.py       programs with interval rows, as programs with more unknowns
active_set_derivative.py  derivatives of minima, of any method: the active rows are equations
"""
