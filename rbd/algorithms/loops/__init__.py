"""Kinematic loops: constraint equations K vd = -k, their least-squares solution, stabilisation and closing."""
