"""Indices of bodies, joints, constraints and contacts, and arrays in their order.

layout.py        Layout: indices of bodies and joints, slices of q, v and constraint rows
joint_values.py  arrays of q or v, indexed by joints, and as text
"""
