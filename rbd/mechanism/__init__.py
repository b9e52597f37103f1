"""Bodies, joints and mechanisms: structure and parameters, no configuration.

mechanism.py      Mechanism: bodies connected by joints, and gravity
queries.py        its queries: bodies, joints and frames by name, sizes, structure
body.py           RigidBody, its data and contact points
joint.py          Joint
parameters.py     checks of parameters of joints
coupling.py       Coupling of the coordinates of two joints
soft_contact.py   normal and friction models of contact points
names.py          checks of names
registry.py       bodies, joints and frames of a mechanism by name, tags, versions
members.py        data of bodies and joints, and their entries in the registry
structure.py      graph, spanning tree, couplings, frames of joints
tree.py           TreePath; ancestors, paths and order of the spanning tree
transaction.py    edits that happen as a whole or not at all
copying.py        copies of mechanisms, whole or in part, and of bodies
drawing.py        mechanisms as text
edits/            edits of the structure
"""

from __future__ import annotations

from rbd.mechanism.body import ContactPoint, RigidBody
from rbd.mechanism.coupling import Coupling
from rbd.mechanism.edits.reports import FrameMap, MergeReport, RerootReport
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
