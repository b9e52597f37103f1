"""Bodies, joints and mechanisms: structure and parameters, no configuration.

Room: mechanism. May import `errors`, `scalars`, `spatial` and `joints`.
"""

from __future__ import annotations

from rbd.mechanism.body import RigidBody
from rbd.mechanism.body_data import ContactPoint
from rbd.mechanism.joint import Joint
from rbd.mechanism.mechanism import Mechanism
from rbd.mechanism.reports import FrameMap, MergeReport, RerootReport
from rbd.mechanism.tree import TreePath

__all__ = [
    "ContactPoint",
    "FrameMap",
    "Joint",
    "Mechanism",
    "MergeReport",
    "RerootReport",
    "RigidBody",
    "TreePath",
]
