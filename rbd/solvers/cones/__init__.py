"""Programs with second-order cones, many at a time: round friction cones.

program.py               solve_cone_program: coordinates and units, then the projection, then a check of its residual
projection.py            the projection: Newton's method, then the augmented Lagrangian method for the lanes that remain
workspace.py             the arrays of the projection
rows.py                  blocks of three rows, interval rows, their projections, and the residual
newton_system.py         the matrix of Newton's method, and its solution
newton.py                Newton's method on the point and the multipliers together
augmented_lagrangian.py  the augmented Lagrangian method, which ends from everywhere
"""
