"""Kinematic loops: constraint equations K vd = -k, their least-squares solution, stabilisation and closing.

equations.py      K, k and the errors of constraints, as arrays
kinematics.py     kinematics of loop joints; K and k
couplings.py      rows of couplings
stabilization.py  stabilisation of constraints, as users give it
loop_gains.py     its gains per loop and coupling
dynamics.py       forward dynamics with loops
least_squares.py  solution for accelerations, multipliers and torques
reactions.py      wrenches of joints
close_loops.py    closing of loops
"""
