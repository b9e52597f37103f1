"""Contact: signed distances of shapes, contact dynamics with friction, time stepping.

A sub-package depends only on those above it.

    arguments.py   checks of numbers and pairs
    geometry/      shapes; signed distance, nearest points and normal of two of them
    model/         pairs of a mechanism's shapes: distances, contact Jacobian, broad phase
    dynamics/      Gauss's principle, Coulomb friction, quadratic programs, impacts
    stepping/      time stepping: one step, and its derivatives
    simulation/    `ContactSimulator`: steps in a loop, with a control
"""

from __future__ import annotations

from rbd.contact.dynamics.accelerations.solve_contact import solve_contact
from rbd.contact.dynamics.impacts import impact
from rbd.contact.dynamics.results import ContactSolution, ImpactSolution
from rbd.contact.dynamics.solve_qp import QPSolution, solve_qp
from rbd.contact.geometry.convex_hulls import ConvexHull
from rbd.contact.geometry.height_fields import HeightField
from rbd.contact.geometry.round_solids import Cylinder, Ellipsoid
from rbd.contact.geometry.shapes import Box, Capsule, Shape, Sphere
from rbd.contact.model.collision_model import CollisionModel, FrictionCone
from rbd.contact.model.compliance import Compliance
from rbd.contact.model.distances import Distance
from rbd.contact.model.pairs import Pair
from rbd.contact.simulation.simulator import ContactSimulator
from rbd.contact.simulation.trajectory import ContactEvent, ContactTrajectory
from rbd.contact.stepping.contact_step import ContactStep, contact_step
from rbd.contact.stepping.derivatives import ContactStepDerivatives, contact_step_derivatives
from rbd.contact.stepping.options import JointOptions
from rbd.spatial.half_space import HalfSpace

__all__ = [
    "Box",
    "Capsule",
    "CollisionModel",
    "Compliance",
    "ContactEvent",
    "ContactSimulator",
    "ContactSolution",
    "ContactStep",
    "ContactStepDerivatives",
    "ContactTrajectory",
    "ConvexHull",
    "Cylinder",
    "Distance",
    "Ellipsoid",
    "FrictionCone",
    "HalfSpace",
    "HeightField",
    "ImpactSolution",
    "JointOptions",
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
