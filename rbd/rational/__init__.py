"""Rational forward kinematics: poses as polynomials and rational functions, and bounds of them.

A module depends only on those above it.

    polynomials/    polynomials, rational functions, tangent half-angle substitution, Bernstein coefficients
    coordinates/    from coordinates of joints to variables of polynomials, and back
    pose.py         poses with polynomial or rational entries
    polynomial_kinematics.py    forward kinematics on polynomials around a nominal configuration
    bounds.py       ranges over boxes of s
    kinematics.py   `RationalForwardKinematics`
"""

from rbd.rational.bounds import Bounds
from rbd.rational.kinematics import RationalForwardKinematics
from rbd.rational.polynomials.polynomial import Polynomial
from rbd.rational.polynomials.polynomial_scalars import HalfTangent
from rbd.rational.polynomials.rational_function import RationalFunction
from rbd.rational.pose import MultilinearPose, RationalPose

__all__ = [
    "Bounds",
    "HalfTangent",
    "MultilinearPose",
    "Polynomial",
    "RationalForwardKinematics",
    "RationalFunction",
    "RationalPose",
]
