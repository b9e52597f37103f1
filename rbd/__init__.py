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

if TYPE_CHECKING:
    from rbd import algorithms as algorithms
    from rbd import bridges as bridges
    from rbd import compiled as compiled
    from rbd import contact as contact
    from rbd import control as control
    from rbd import export as export
    from rbd import gym as gym
    from rbd import intrinsics as intrinsics
    from rbd import joints as joints
    from rbd import mechanism as mechanism
    from rbd import mjcf as mjcf
    from rbd import program as program
    from rbd import rational as rational
    from rbd import robots as robots
    from rbd import rollout as rollout
    from rbd import simulation as simulation
    from rbd import solvers as solvers
    from rbd import spatial as spatial
    from rbd import state as state
    from rbd import testing as testing
    from rbd import urdf as urdf
    from rbd import viz as viz
    from rbd.algorithms.accelerations import relative_acceleration as relative_acceleration
    from rbd.algorithms.accelerations import spatial_accelerations as spatial_accelerations
    from rbd.algorithms.articulated_bodies import articulated_bodies as articulated_bodies
    from rbd.algorithms.articulated_bodies import articulated_inertia as articulated_inertia
    from rbd.algorithms.articulated_bodies import articulated_mobility as articulated_mobility
    from rbd.algorithms.center_of_mass import center_of_mass as center_of_mass
    from rbd.algorithms.center_of_mass import mass as mass
    from rbd.algorithms.center_of_mass import subtree_mass as subtree_mass
    from rbd.algorithms.coriolis import coriolis_matrix as coriolis_matrix
    from rbd.algorithms.derivatives.forward_dynamics import forward_dynamics_derivatives as forward_dynamics_derivatives
    from rbd.algorithms.derivatives.inverse_dynamics import inverse_dynamics_derivatives as inverse_dynamics_derivatives
    from rbd.algorithms.derivatives.matrix_products import bias_derivatives as bias_derivatives
    from rbd.algorithms.derivatives.matrix_products import (
        inverse_mass_product_derivatives as inverse_mass_product_derivatives,
    )
    from rbd.algorithms.derivatives.matrix_products import (
        mass_matrix_product_derivatives as mass_matrix_product_derivatives,
    )
    from rbd.algorithms.derivatives.regressor import regressor as regressor
    from rbd.algorithms.derivatives.second_order import (
        inverse_dynamics_second_derivatives as inverse_dynamics_second_derivatives,
    )
    from rbd.algorithms.derivatives.step_derivatives import step_derivatives as step_derivatives
    from rbd.algorithms.dynamics import dynamics as dynamics
    from rbd.algorithms.energy import gravitational_potential_energy as gravitational_potential_energy
    from rbd.algorithms.energy import kinetic_energy as kinetic_energy
    from rbd.algorithms.forward_dynamics import forward_dynamics as forward_dynamics
    from rbd.algorithms.hybrid_dynamics import HybridDynamics as HybridDynamics
    from rbd.algorithms.inverse_dynamics import dynamics_bias as dynamics_bias
    from rbd.algorithms.inverse_dynamics import gravity_torques as gravity_torques
    from rbd.algorithms.inverse_dynamics import inverse_dynamics as inverse_dynamics
    from rbd.algorithms.jacobians import geometric_jacobian as geometric_jacobian
    from rbd.algorithms.jacobians import point_jacobian as point_jacobian
    from rbd.algorithms.loops.close_loops import LoopClosure as LoopClosure
    from rbd.algorithms.loops.close_loops import close_loops as close_loops
    from rbd.algorithms.loops.constraints import constraint_bias as constraint_bias
    from rbd.algorithms.loops.constraints import constraint_error as constraint_error
    from rbd.algorithms.loops.constraints import constraint_jacobian as constraint_jacobian
    from rbd.algorithms.loops.constraints import loop_gap as loop_gap
    from rbd.algorithms.loops.stabilization import Baumgarte as Baumgarte
    from rbd.algorithms.mass_matrix import inverse_mass_matrix as inverse_mass_matrix
    from rbd.algorithms.mass_matrix import mass_matrix as mass_matrix
    from rbd.algorithms.momentum import centroidal_momentum_matrix as centroidal_momentum_matrix
    from rbd.algorithms.momentum import momentum as momentum
    from rbd.algorithms.momentum import momentum_matrix as momentum_matrix
    from rbd.algorithms.momentum import momentum_rate_bias as momentum_rate_bias
    from rbd.algorithms.passive import passive_torques as passive_torques
    from rbd.algorithms.results.dynamics_result import DynamicsResult as DynamicsResult
    from rbd.array_functions.record import record as record
    from rbd.array_functions.row_status import RowStatus as RowStatus
    from rbd.compiled.robot import compile as compile  # noqa: A004 - used as rbd.compile; not in __all__, where it would shadow
    from rbd.control.gains import PDGains as PDGains
    from rbd.control.gains import SE3PDGains as SE3PDGains
    from rbd.control.pd import pd as pd
    from rbd.engine.interpreted import interpreted as interpreted
    from rbd.joints import Fixed as Fixed
    from rbd.joints import JointType as JointType
    from rbd.joints import MRPFloating as MRPFloating
    from rbd.joints import Planar as Planar
    from rbd.joints import Prismatic as Prismatic
    from rbd.joints import QuaternionFloating as QuaternionFloating
    from rbd.joints import QuaternionSpherical as QuaternionSpherical
    from rbd.joints import Revolute as Revolute
    from rbd.joints import RotationVectorFloating as RotationVectorFloating
    from rbd.joints import RotationVectorSpherical as RotationVectorSpherical
    from rbd.joints import Screw as Screw
    from rbd.joints import SinCosRevolute as SinCosRevolute
    from rbd.joints import Universal as Universal
    from rbd.mechanism import Coupling as Coupling
    from rbd.mechanism import FrameMap as FrameMap
    from rbd.mechanism import HuntCrossley as HuntCrossley
    from rbd.mechanism import Joint as Joint
    from rbd.mechanism import Mechanism as Mechanism
    from rbd.mechanism import RigidBody as RigidBody
    from rbd.mechanism import SoftContact as SoftContact
    from rbd.mechanism import ViscoelasticCoulomb as ViscoelasticCoulomb
    from rbd.mjcf.read import load_mjcf as load_mjcf
    from rbd.mjcf.read import parse_mjcf as parse_mjcf
    from rbd.mjcf.write import write_mjcf as write_mjcf
    from rbd.scalar_states.scalar_state import ScalarState as ScalarState
    from rbd.simulation.dynamics_function import Dynamics as Dynamics
    from rbd.simulation.hold import ZeroOrderHold as ZeroOrderHold
    from rbd.simulation.simulate import simulate as simulate
    from rbd.simulation.trajectory import Trajectory as Trajectory
    from rbd.spatial import Frame as Frame
    from rbd.spatial import FreeVector as FreeVector
    from rbd.spatial import GeometricJacobian as GeometricJacobian
    from rbd.spatial import Momentum as Momentum
    from rbd.spatial import MomentumMatrix as MomentumMatrix
    from rbd.spatial import Point as Point
    from rbd.spatial import PointJacobian as PointJacobian
    from rbd.spatial import SpatialAcceleration as SpatialAcceleration
    from rbd.spatial import SpatialInertia as SpatialInertia
    from rbd.spatial import Tag as Tag
    from rbd.spatial import Transform as Transform
    from rbd.spatial import Twist as Twist
    from rbd.spatial import Wrench as Wrench
    from rbd.spatial import WrenchMatrix as WrenchMatrix
    from rbd.state.mechanism_state import MechanismState as MechanismState
    from rbd.urdf.read import load_urdf as load_urdf
    from rbd.urdf.read import parse_urdf as parse_urdf
    from rbd.urdf.write import write_urdf as write_urdf

__version__ = "0.1.0"

if not TYPE_CHECKING:
    _NAMES = {
        "algorithms": "Baumgarte DynamicsResult HybridDynamics LoopClosure articulated_bodies articulated_inertia "
        "articulated_mobility bias_derivatives center_of_mass centroidal_momentum_matrix close_loops constraint_bias "
        "constraint_error constraint_jacobian coriolis_matrix dynamics dynamics_bias forward_dynamics "
        "forward_dynamics_derivatives geometric_jacobian gravitational_potential_energy gravity_torques "
        "inverse_dynamics inverse_dynamics_derivatives inverse_dynamics_second_derivatives "
        "inverse_mass_matrix inverse_mass_product_derivatives kinetic_energy loop_gap mass mass_matrix "
        "mass_matrix_product_derivatives momentum momentum_matrix momentum_rate_bias passive_torques "
        "point_jacobian regressor relative_acceleration spatial_accelerations step_derivatives subtree_mass",
        "compiled": "RowStatus compile record",
        "control": "PDGains SE3PDGains pd",
        "joints": "Fixed JointType MRPFloating Planar Prismatic QuaternionFloating QuaternionSpherical Revolute "
        "RotationVectorFloating RotationVectorSpherical Screw SinCosRevolute Universal",
        "mechanism": "Coupling FrameMap HuntCrossley Joint Mechanism RigidBody SoftContact ViscoelasticCoulomb",
        "mjcf": "load_mjcf parse_mjcf write_mjcf",
        "simulation": "Dynamics Trajectory ZeroOrderHold simulate",
        "spatial": "Frame FreeVector GeometricJacobian Momentum MomentumMatrix Point PointJacobian SpatialAcceleration "
        "SpatialInertia Tag Transform Twist Wrench WrenchMatrix",
        "state": "MechanismState ScalarState interpreted",
        "urdf": "load_urdf parse_urdf write_urdf",
    }
    """Public names by package; a test compares them with the imports above, which type checkers see."""
    _IMPORTED_WITH_RBD = ("mechanism", "spatial")
    """Packages that are imported with this module; the others are imported when they are first used."""
    _MODULES = (
        *("algorithms", "bridges", "contact", "errors", "export", "gym", "joints", "mechanism", "mjcf", "native"),
        *("rational", "robots", "rollout", "scalars", "simulation", "solvers", "spatial", "testing", "urdf", "viz"),
    )
    """The modules with names of their own for users, which completion shows."""
    _UNLISTED_MODULES = ("compiled", "control", "intrinsics", "program", "state")
    """Modules whose names for users are in this package, or for those who extend it; completion does not show them."""
    _PACKAGE_OF = {name: package for package, names in _NAMES.items() for name in names.split()}
    __all__ = sorted({*_PACKAGE_OF, "__version__"} - {"compile"})

    def __getattr__(name: str) -> object:
        if name in _MODULES or name in _UNLISTED_MODULES:
            return import_module(f"rbd.{name}")
        if name not in _PACKAGE_OF:
            raise AttributeError(f"module 'rbd' has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f"rbd.{_PACKAGE_OF[name]}"), name)
        return value

    def __dir__() -> list[str]:
        return sorted({*__all__, *_MODULES, "compile"})

    globals().update({name: __getattr__(name) for package in _IMPORTED_WITH_RBD for name in _NAMES[package].split()})
