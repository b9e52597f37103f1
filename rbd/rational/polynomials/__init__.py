"""Polynomials and rational functions in the variables of a mechanism.

ring.py                 the variables, and monomials packed into integers
arithmetic.py           sums and products of terms, with bounds on their errors
ring_element.py         operators that follow from others, LaTeX
horner.py               Horner's scheme
substitution.py         values of the variables at s
s_checks.py          checks of s
evaluation.py           values at s
derivatives.py          derivatives by s
recorded_functions.py   recorded functions
printing.py             text, LaTeX and SymPy expressions
polynomial.py           `Polynomial`
polynomial_scalars.py   polynomials as scalars of `rbd.scalars`; `HalfTangent`
division.py             division without remainder
rational_function.py    `RationalFunction`
half_angle.py           tangent half-angle substitution: from cosines and sines to s
bernstein.py            Bernstein coefficients of monomials on intervals of s
"""
