"""Rigid-body dynamics with checked frames.

This module is the public list and nothing else: what `__all__` names is public, and so are the modules on the
documentation's API pages. Importing it changes nothing, and needs the core dependencies only. Some packages are
imported when they are first used, such as `rbd.contact`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from rbd import errors as errors
from rbd import scalars as scalars
from rbd.algorithms import (
    Baumgarte,
    HybridDynamics,
    LoopClosure,
    articulated_bodies,
    articulated_inertia,
    articulated_mobility,
    bias_derivatives,
    center_of_mass,
    centroidal_momentum_matrix,
    close_loops,
    constraint_bias,
    constraint_error,
    constraint_jacobian,
    coriolis_matrix,
    dynamics,
    dynamics_bias,
    forward_dynamics,
    forward_dynamics_derivatives,
    geometric_jacobian,
    gravitational_potential_energy,
    gravity_torques,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    inverse_dynamics_second_derivatives,
    inverse_mass_matrix,
    inverse_mass_product_derivatives,
    kinetic_energy,
    loop_gap,
    mass,
    mass_matrix,
    mass_matrix_product_derivatives,
    momentum,
    momentum_matrix,
    momentum_rate_bias,
    passive_torques,
    point_jacobian,
    regressor,
    step_derivatives,
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
from rbd.mechanism import (
    FrameMap,
    HuntCrossley,
    Joint,
    Mechanism,
    RigidBody,
    SoftContact,
    ViscoelasticCoulomb,
)
from rbd.simulation import Dynamics, PDGains, SE3PDGains, Trajectory, ZeroOrderHold, pd, simulate
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
from rbd.state import DynamicsResult, MechanismState, ScalarState, interpreted
from rbd.urdf import load_urdf, parse_urdf, write_urdf

if TYPE_CHECKING:
    from types import ModuleType

    from rbd import bridges as bridges
    from rbd import contact as contact
    from rbd import export as export
    from rbd import rational as rational
    from rbd import robots as robots
    from rbd import testing as testing
    from rbd import viz as viz
else:

    def __getattr__(name: str) -> ModuleType:
        if name in ("bridges", "contact", "export", "rational", "robots", "testing", "viz"):
            return import_module(f"rbd.{name}")
        raise AttributeError(f"module 'rbd' has no attribute {name!r}")


__version__ = "0.1.0"

__all__ = [
    "Baumgarte",
    "Dynamics",
    "DynamicsResult",
    "Fixed",
    "Frame",
    "FrameMap",
    "FreeVector",
    "GeometricJacobian",
    "HuntCrossley",
    "HybridDynamics",
    "Joint",
    "JointType",
    "LoopClosure",
    "MRPFloating",
    "Mechanism",
    "MechanismState",
    "Momentum",
    "MomentumMatrix",
    "PDGains",
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
    "SE3PDGains",
    "ScalarState",
    "Screw",
    "SinCosRevolute",
    "SoftContact",
    "SpatialAcceleration",
    "SpatialInertia",
    "Tag",
    "Trajectory",
    "Transform",
    "Twist",
    "Universal",
    "ViscoelasticCoulomb",
    "Wrench",
    "WrenchMatrix",
    "ZeroOrderHold",
    "__version__",
    "articulated_bodies",
    "articulated_inertia",
    "articulated_mobility",
    "bias_derivatives",
    "center_of_mass",
    "centroidal_momentum_matrix",
    "close_loops",
    "constraint_bias",
    "constraint_error",
    "constraint_jacobian",
    "coriolis_matrix",
    "dynamics",
    "dynamics_bias",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "geometric_jacobian",
    "gravitational_potential_energy",
    "gravity_torques",
    "interpreted",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "inverse_dynamics_second_derivatives",
    "inverse_mass_matrix",
    "inverse_mass_product_derivatives",
    "kinetic_energy",
    "load_urdf",
    "loop_gap",
    "mass",
    "mass_matrix",
    "mass_matrix_product_derivatives",
    "momentum",
    "momentum_matrix",
    "momentum_rate_bias",
    "parse_urdf",
    "passive_torques",
    "pd",
    "point_jacobian",
    "record",
    "regressor",
    "simulate",
    "step_derivatives",
    "subtree_mass",
    "write_urdf",
]
