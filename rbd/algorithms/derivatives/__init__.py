"""Analytical derivatives of inverse and forward dynamics, of products with the mass matrix, and of time steps.

inverse_dynamics.py      first derivatives of inverse dynamics
second_order.py          second ones
rnea.py                  the recursion of the derivatives
variations.py            terms of joints and bodies in it
applied_forces.py        terms of passive torques and external wrenches
forward_dynamics.py      derivatives of forward dynamics
constrained_dynamics.py  the same with loops
matrix_products.py       derivatives of c, M x and M^-1 f
regressor.py             derivatives by inertial parameters, gravity, external wrenches
step_derivatives.py      derivatives of a time step
step_stages.py           the chain rule through the stages of a step
step_coordinates.py      local coordinates of a step with their derivatives
sparse_products.py       products that skip structural zeros
space.py                 along velocities, or by the entries of q
"""
