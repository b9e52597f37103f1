"""Kinematic loops: constraint equations K vd = -k, their least-squares solution, stabilisation and closing.

constraints.py           K, k and the errors of constraints, as arrays
kinematics.py            kinematics of loop joints; K and k
couplings.py             rows of couplings
constraint_equations.py  ConstraintEquations: K and k with their rank tolerance
stabilization.py         stabilisation of constraints, as users give it
loop_gains.py            its gains per loop and coupling
least_squares.py         solution for accelerations and multipliers
dynamics.py              forward dynamics with loops
inverse_dynamics.py      inverse dynamics with loops
reactions.py             wrenches of joints
close_loops.py           closing of loops
"""
