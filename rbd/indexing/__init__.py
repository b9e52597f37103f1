"""Indices of bodies, joints, constraints and contacts, and arrays in their order.

layout.py            Layout: indices of bodies and joints, slices of q, v and constraint rows
joint_values.py      arrays of q or v, indexed by joints
joint_table.py       arrays of q or v as text, a line per joint
parameter_arrays.py  parameters of a mechanism as arrays: inertias by body, placements by joint
"""
