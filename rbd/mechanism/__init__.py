"""Bodies, joints and mechanisms: structure and parameters, no configuration."""

from __future__ import annotations

from rbd.mechanism.body import ContactPoint, RigidBody
from rbd.mechanism.coupling import Coupling
from rbd.mechanism.edit_reports import FrameMap, MergeReport, RerootReport
from rbd.mechanism.joint import Joint
from rbd.mechanism.mechanism import Mechanism
from rbd.mechanism.soft_contact import FrictionModel, HuntCrossley, NormalModel, SoftContact, ViscoelasticCoulomb
from rbd.mechanism.tree import TreePath

__all__ = [
    "ContactPoint",
    "Coupling",
    "FrameMap",
    "FrictionModel",
    "HuntCrossley",
    "Joint",
    "Mechanism",
    "MergeReport",
    "NormalModel",
    "RerootReport",
    "RigidBody",
    "SoftContact",
    "TreePath",
    "ViscoelasticCoulomb",
]
