"""Mechanisms the tests of this folder share."""

from __future__ import annotations

import numpy as np
import pytest

from rbd.joints import (
    Fixed,
    JointType,
    MRPFloating,
    Planar,
    Prismatic,
    QuaternionFloating,
    QuaternionSpherical,
    Revolute,
    RotationVectorFloating,
    RotationVectorSpherical,
    Screw,
    SinCosRevolute,
    Universal,
)
from rbd.mechanism import Mechanism
from rbd.testing.random_mechanisms import random_tree

ALL_TYPES: tuple[JointType, ...] = (
    Revolute((1, 2, 3)),
    Prismatic((0, 1, 0)),
    Screw((0, 0, 1), 0.3),
    Fixed(),
    Planar((1, 0, 0), (0, 0, 1)),
    SinCosRevolute((3, -1, 0)),
    QuaternionSpherical(),
    QuaternionFloating(),
    MRPFloating(),
    RotationVectorSpherical(),
    RotationVectorFloating(),
    Universal((1, 0, 0), (0, 1, 0)),
)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


@pytest.fixture
def zoo(rng: np.random.Generator) -> Mechanism:
    """A random tree with every joint type in it twice."""
    return random_tree(ALL_TYPES * 2, rng)
