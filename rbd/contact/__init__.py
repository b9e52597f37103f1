"""Shapes, how close they come, and what happens when they touch.

In the order of their dependence:

    arguments.py                        what numbers and pairs may be
    shapes.py cores.py                  Capsule, Sphere, Box; the same as bare numbers in one frame
    directions.py segments.py bricks.py closest.py    distances, witnesses, normals, one function per pair of kinds
    pairs.py distance.py kinematics.py  pairs of a mechanism's shapes; how their distances depend on its state
    phases.py                           many pairs: which may be near, and those alone
    watched.py functions.py tables.py model.py    shapes and pairs of a mechanism; what is recorded; CollisionModel
    gauss.py evaluation.py qp.py        what contacts allow; quadratic programs
    results.py                          what is given for a state with contacts
    cones.py accelerations.py coulomb.py solve.py    friction; accelerations and impacts
    manifold.py velocity.py             points to rest on; steps with friction
    derivatives.py                      of such steps
    stepping.py trajectory.py simulator.py    ContactSimulator
"""

from __future__ import annotations

from rbd.contact.derivatives import ContactStepDerivatives, contact_step_derivatives
from rbd.contact.distance import Distance
from rbd.contact.model import CollisionModel
from rbd.contact.pairs import Pair
from rbd.contact.qp import QPSolution, solve_qp
from rbd.contact.results import ContactSolution, ContactStep, ImpactSolution
from rbd.contact.shapes import Box, Capsule, Shape, Sphere
from rbd.contact.simulator import ContactSimulator
from rbd.contact.solve import impact, solve_contact
from rbd.contact.trajectory import ContactEvent, ContactTrajectory
from rbd.contact.velocity import contact_step
from rbd.spatial.half_space import HalfSpace

__all__ = [
    "Box",
    "Capsule",
    "CollisionModel",
    "ContactEvent",
    "ContactSimulator",
    "ContactSolution",
    "ContactStep",
    "ContactStepDerivatives",
    "ContactTrajectory",
    "Distance",
    "HalfSpace",
    "ImpactSolution",
    "Pair",
    "QPSolution",
    "Shape",
    "Sphere",
    "contact_step",
    "contact_step_derivatives",
    "impact",
    "solve_contact",
    "solve_qp",
]
