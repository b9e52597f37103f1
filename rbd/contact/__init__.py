"""Shapes, how close they come, and what happens when they touch.

Room: contact; may import compiled and above. Inside, a module may import only those above it:

    shapes.py cores.py                  Capsule, Sphere, Box; the same as bare numbers in one frame
    directions.py segments.py bricks.py closest.py    distances, witnesses, normals, one function per pair of kinds
    pairs.py kinematics.py model.py     pairs of a mechanism's shapes; how their distances depend on its state
"""

from __future__ import annotations

from rbd.contact.model import CollisionModel, Distance
from rbd.contact.pairs import Pair
from rbd.contact.shapes import Box, Capsule, Shape, Sphere
from rbd.spatial.half_space import HalfSpace

__all__ = ["Box", "Capsule", "CollisionModel", "Distance", "HalfSpace", "Pair", "Shape", "Sphere"]
