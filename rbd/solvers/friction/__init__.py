"""Motions under Coulomb friction: a linear complementarity problem, its modes and their derivative.

problem.py          workspace and set-up
modes.py            equations of motion with given modes of the pairs
complementarity.py  modes from the complementarity problem (Lemke)
enumeration.py      modes by trial of all combinations
solve.py            the intrinsic that solves, and its labels
derivative.py       the derivative of the solution
lemke.py            Lemke's method
lu.py               LU factors with complete pivoting
"""
