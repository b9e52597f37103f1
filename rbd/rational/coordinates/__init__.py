"""Conversion between coordinates of joints and variables s.

coordinate.py             displacements and angles
rotation.py               rotations about any axis
joint_coordinates.py      the coordinates of every joint type
nominal_configuration.py  nominal configurations q* as users give them
configuration_map.py      conversion of whole configurations
"""
