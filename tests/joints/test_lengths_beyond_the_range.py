"""Coordinates whose squares overflow or vanish describe the rotations of their multiples, to the last bit."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

import rbd
from rbd import scalars as s
from rbd.errors import NotFiniteError, RotationError, SingularError
from rbd.joints.base import JointType
from rbd.joints.charts import MRPChart
from rbd.joints.tuples import matvec
from rbd.scalars.dual import Dual
from rbd.scalars.lengths import length, lowered, rescaled
from rbd.spatial import so3
from tests.joints.samples import random_mechanism_of

POWERS = (-1000, -700, -512, -452, -449, -300, 300, 449, 452, 511, 512, 700, 1000, 1020)
SCALED = (rbd.QuaternionSpherical(), rbd.QuaternionFloating(), rbd.SinCosRevolute((1, 2, 3)))
AFTER, BEFORE = rbd.Frame("after"), rbd.Frame("before")


def mechanism() -> rbd.Mechanism:
    """Return a chain with a joint of every type whose coordinates have any length."""
    made, before = rbd.Mechanism(), "world"
    for number, joint_type in enumerate(SCALED):
        body = rbd.RigidBody(f"body{number}")
        made.attach(before, body, rbd.Joint(f"joint{number}", joint_type))
        moment = np.diag([0.3, 0.4, 0.5])
        body.set_inertia(
            rbd.SpatialInertia(body.default_frame, mass=1.5, com=(0.2, 0.1, -0.3), moment_about_com=moment)
        )
        before = body.name
    return made
