"""Rigid-body dynamics with checked frames.

This module is the public list and nothing else: what `__all__` names is public, and so are the modules on the
documentation's API pages. Importing it changes nothing, and needs the core dependencies only. Values
with frames and mechanisms are imported with it, everything else when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from rbd import errors as errors
from rbd import native as native
from rbd import scalars as scalars
from rbd.mechanism import (
    Coupling,
    FrameMap,
    HuntCrossley,
    Joint,
    Mechanism,
    RigidBody,
    SoftContact,
    ViscoelasticCoulomb,
)
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

if TYPE_CHECKING:
    from rbd import bridges as bridges
    from rbd import contact as contact
    from rbd import export as export
    from rbd import gym as gym
    from rbd import rational as rational
    from rbd import robots as robots
    from rbd import rollout as rollout
    from rbd import testing as testing
    from rbd import viz as viz
    from rbd.algorithms.accelerations import relative_acceleration, spatial_accelerations
    from rbd.algorithms.articulated_bodies import articulated_bodies, articulated_inertia, articulated_mobility
    from rbd.algorithms.center_of_mass import center_of_mass, mass, subtree_mass
    from rbd.algorithms.coriolis import coriolis_matrix
    from rbd.algorithms.derivatives.forward_dynamics import forward_dynamics_derivatives
    from rbd.algorithms.derivatives.inverse_dynamics import inverse_dynamics_derivatives
    from rbd.algorithms.derivatives.matrix_products import (
        bias_derivatives,
        inverse_mass_product_derivatives,
        mass_matrix_product_derivatives,
    )
    from rbd.algorithms.derivatives.regressor import regressor
    from rbd.algorithms.derivatives.second_order import inverse_dynamics_second_derivatives
    from rbd.algorithms.derivatives.step_derivatives import step_derivatives
    from rbd.algorithms.dynamics import dynamics
    from rbd.algorithms.dynamics_result import DynamicsResult
    from rbd.algorithms.energy import gravitational_potential_energy, kinetic_energy
    from rbd.algorithms.forward_dynamics import forward_dynamics
    from rbd.algorithms.hybrid_dynamics import HybridDynamics
    from rbd.algorithms.inverse_dynamics import dynamics_bias, gravity_torques, inverse_dynamics
    from rbd.algorithms.jacobians import geometric_jacobian, point_jacobian
    from rbd.algorithms.loops.close_loops import LoopClosure, close_loops
    from rbd.algorithms.loops.equations import constraint_bias, constraint_error, constraint_jacobian, loop_gap
    from rbd.algorithms.loops.stabilization import Baumgarte
    from rbd.algorithms.mass_matrix import inverse_mass_matrix, mass_matrix
    from rbd.algorithms.momentum import centroidal_momentum_matrix, momentum, momentum_matrix, momentum_rate_bias
    from rbd.algorithms.passive import passive_torques
    from rbd.compiled.record import record
    from rbd.compiled.robot import compile as compile  # noqa: A004 - used as rbd.compile; not in __all__, where it would shadow
    from rbd.compiled.status import RowStatus
    from rbd.control.pd import PDGains, SE3PDGains, pd
    from rbd.engine.interpreted import interpreted
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
    from rbd.kinematics.scalar_state import ScalarState
    from rbd.mjcf.read import load_mjcf, parse_mjcf
    from rbd.mjcf.write import write_mjcf
    from rbd.simulation.dynamics_function import Dynamics
    from rbd.simulation.hold import ZeroOrderHold
    from rbd.simulation.simulate import simulate
    from rbd.simulation.trajectory import Trajectory
    from rbd.state.mechanism_state import MechanismState
    from rbd.urdf.read import load_urdf, parse_urdf
    from rbd.urdf.write import write_urdf
else:
    _PACKAGES = frozenset(
        {
            *(
                "algorithms",
                "bridges",
                "compiled",
                "contact",
                "control",
                "export",
                "gym",
                "intrinsics",
                "joints",
                "mjcf",
                "program",
            ),
            *("rational", "robots", "rollout", "simulation", "solvers", "state", "testing", "urdf", "viz"),
        }
    )
    _ELSEWHERE = {
        "compiled": "RowStatus compile record",
        "joints": "Fixed JointType MRPFloating Planar Prismatic QuaternionFloating QuaternionSpherical Revolute "
        "RotationVectorFloating RotationVectorSpherical Screw SinCosRevolute Universal",
        "mjcf": "load_mjcf parse_mjcf write_mjcf",
        "control": "PDGains SE3PDGains pd",
        "simulation": "Dynamics Trajectory ZeroOrderHold simulate",
        "state": "MechanismState ScalarState interpreted",
        "urdf": "load_urdf parse_urdf write_urdf",
    }
    """Names of packages that are imported when they are first used; all others in `__all__` are those of algorithms."""
    _MODULES = (
        *("algorithms", "bridges", "contact", "errors", "export", "joints", "mechanism", "mjcf", "native", "rational"),
        *("robots", "rollout", "scalars", "simulation", "solvers", "spatial", "testing", "urdf", "viz"),
    )
    """The modules with names of their own for users, which completion shows."""
    _PACKAGE_OF = {name: package for package, names in _ELSEWHERE.items() for name in names.split()}

    def __getattr__(name: str) -> object:
        if name in _PACKAGES:
            return import_module(f"rbd.{name}")
        if name not in _PACKAGE_OF and name not in __all__:
            raise AttributeError(f"module 'rbd' has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(f"rbd.{_PACKAGE_OF.get(name, 'algorithms')}"), name)
        return found

    def __dir__() -> list[str]:
        return sorted({*__all__, *_MODULES, "compile"})


__version__ = "0.1.0"

__all__ = [
    "Baumgarte",
    "Coupling",
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
    "RowStatus",
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
    "load_mjcf",
    "load_urdf",
    "loop_gap",
    "mass",
    "mass_matrix",
    "mass_matrix_product_derivatives",
    "momentum",
    "momentum_matrix",
    "momentum_rate_bias",
    "parse_mjcf",
    "parse_urdf",
    "passive_torques",
    "pd",
    "point_jacobian",
    "record",
    "regressor",
    "relative_acceleration",
    "simulate",
    "spatial_accelerations",
    "step_derivatives",
    "subtree_mass",
    "write_mjcf",
    "write_urdf",
]
