"""Poses as polynomials and rational functions of a few variables, and what can be proven with them.

kinematics.py    RationalForwardKinematics: variables, poses, conversions, bounds
expansion.py     the state that runs on polynomials, and paths through the mechanism
nominal.py       nominal configurations as they come in
coordinate.py, rotations.py, coordinates.py    what becomes of the coordinates of every joint type
family.py        polynomials as scalars of the house
ring.py, polynomial.py, arithmetic.py     variables, polynomials, sums and products
fraction.py, conversion.py                rational functions, and how they come about
pose.py, evaluation.py, printing.py       poses; values, native programs; text, LaTeX, SymPy
bernstein.py, bounds.py                   rigorous ranges over boxes
"""

from rbd.rational.bounds import Bounds
from rbd.rational.family import HalfTangent
from rbd.rational.fraction import RationalFunction
from rbd.rational.kinematics import RationalForwardKinematics
from rbd.rational.polynomial import Polynomial
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
