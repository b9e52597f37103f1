"""Motion of a joint's predecessor: the twist at the frame after the joint, of the predecessor."""

from __future__ import annotations

import numpy as np

from rbd.spatial import Frame
from rbd.spatial.recursions.classical import ClassicalMotion
from rbd.spatial.recursions.predecessor_motion import PredecessorMotion
from tests.spatial.helpers import WORLD, transform, twist, with_rng


@with_rng
def test_twist_is_that_of_the_predecessor(rng: np.random.Generator) -> None:
    tf, base = transform(rng), Frame("inertial")
    V = twist(rng, WORLD, base, WORLD)
    zero, gradient = (0.0, 0.0, 0.0), ((0.0, 0.0, 0.0),) * 3
    moving = ClassicalMotion(WORLD, base, V.angular_components, zero, zero, gradient)
    found = PredecessorMotion.of_body(moving, V.linear_components, tf).twist
    assert found.isclose(V.transformed(tf.inverse()))
