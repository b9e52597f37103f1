"""Rigid-body dynamics with checked frames.

This module is the public list and nothing else: what `__all__` names is public, and so are the modules on the
documentation's API pages. Importing it changes nothing, and needs the core dependencies only.
"""

from __future__ import annotations

from rbd import errors as errors
from rbd import robots as robots
from rbd import scalars as scalars
from rbd.algorithms import (
    articulated_inertia,
    center_of_mass,
    centroidal_momentum_matrix,
    coriolis_matrix,
    dynamics,
    dynamics_bias,
    forward_dynamics,
    geometric_jacobian,
    gravitational_potential_energy,
    gravity_torques,
    inverse_dynamics,
    inverse_mass_matrix,
    kinetic_energy,
    mass,
    mass_matrix,
    momentum,
    momentum_matrix,
    momentum_rate_bias,
    passive_torques,
    point_jacobian,
    subtree_mass,
)
from rbd.compiled import compile as compile  # noqa: A004 - used as rbd.compile; not in __all__, where it would shadow
from rbd.compiled import record
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
from rbd.mechanism import FrameMap, Joint, Mechanism, RigidBody
from rbd.simulation import Dynamics, Trajectory, simulate
from rbd.spatial import (
    Frame,
    FreeVector,
    GeometricJacobian,
    Momentum,
    MomentumMatrix,
    Point,
    PointJacobian,
    SpatialAcceleration,
    SpatialInertia,
    Tag,
    Transform,
    Twist,
    Wrench,
    WrenchMatrix,
)
from rbd.state import DynamicsResult, MechanismState, ScalarState
from rbd.urdf import load_urdf, parse_urdf, write_urdf

__version__ = "0.1.0"

__all__ = [
    "Dynamics",
    "DynamicsResult",
    "Fixed",
    "Frame",
    "FrameMap",
    "FreeVector",
    "GeometricJacobian",
    "Joint",
    "JointType",
    "MRPFloating",
    "Mechanism",
    "MechanismState",
    "Momentum",
    "MomentumMatrix",
    "Planar",
    "Point",
    "PointJacobian",
    "Prismatic",
    "QuaternionFloating",
    "QuaternionSpherical",
    "Revolute",
    "RigidBody",
    "RotationVectorFloating",
    "RotationVectorSpherical",
    "ScalarState",
    "Screw",
    "SinCosRevolute",
    "SpatialAcceleration",
    "SpatialInertia",
    "Tag",
    "Trajectory",
    "Transform",
    "Twist",
    "Universal",
    "Wrench",
    "WrenchMatrix",
    "__version__",
    "articulated_inertia",
    "center_of_mass",
    "centroidal_momentum_matrix",
    "coriolis_matrix",
    "dynamics",
    "dynamics_bias",
    "forward_dynamics",
    "geometric_jacobian",
    "gravitational_potential_energy",
    "gravity_torques",
    "inverse_dynamics",
    "inverse_mass_matrix",
    "kinetic_energy",
    "load_urdf",
    "mass",
    "mass_matrix",
    "momentum",
    "momentum_matrix",
    "momentum_rate_bias",
    "parse_urdf",
    "passive_torques",
    "point_jacobian",
    "record",
    "simulate",
    "subtree_mass",
    "write_urdf",
]
