"""One file per algorithm: the readable source of everything rbd computes.

Algorithms are plain functions of a state; see the design page for their rules.

mass_matrix.py                 mass matrix M (CRBA) and its inverse
inverse_dynamics.py            inverse dynamics, bias c, gravity torques
newton_euler.py                the recursion of inverse dynamics (RNEA)
forward_dynamics.py            forward dynamics
articulated_body_algorithm.py  the recursion of forward dynamics (ABA)
articulated_bodies.py          articulated-body inertias, and mobilities
hybrid_dynamics.py             prescribed accelerations of some joints
dynamics.py                    `dynamics`: all terms in a result
accelerations.py               accelerations of bodies
coriolis.py                    Coriolis matrix
jacobians.py                   geometric Jacobians of bodies and points
momentum.py                    momentum and momentum matrices
center_of_mass.py              mass, centre of mass
energy.py                      kinetic and potential energy
passive.py                     damping, friction and springs of joints
soft_contact.py                forces of compliant contact
external_wrenches.py           external wrenches, checked
torques.py                     torques as users give them
assembly.py                    matrices from blocks per pair of joints
trees.py                       checks of algorithms for trees
results/                       DynamicsResult, and the writers of its arrays
loops/                         constraint equations and their solution
time_steps/                    steps to be recorded
derivatives/                   analytical derivatives
"""

from rbd.algorithms.accelerations import relative_acceleration, spatial_accelerations
from rbd.algorithms.articulated_bodies import (
    ArticulatedBodies,
    ArticulatedBody,
    articulated_bodies,
    articulated_inertia,
    articulated_mobility,
)
from rbd.algorithms.center_of_mass import center_of_mass, center_of_mass_jacobian, mass, subtree_mass
from rbd.algorithms.coriolis import coriolis_matrix
from rbd.algorithms.derivatives.constrained_dynamics import ConstrainedDerivatives, constrained_dynamics_derivatives
from rbd.algorithms.derivatives.forward_dynamics import forward_dynamics_derivatives
from rbd.algorithms.derivatives.inverse_dynamics import inverse_dynamics_derivatives
from rbd.algorithms.derivatives.matrix_products import (
    bias_derivatives,
    inverse_mass_product_derivatives,
    mass_matrix_product_derivatives,
)
from rbd.algorithms.derivatives.regressor import external_wrench_derivatives, gravity_derivatives, regressor
from rbd.algorithms.derivatives.second_order import SecondDerivatives, inverse_dynamics_second_derivatives
from rbd.algorithms.derivatives.step_derivatives import StepDerivatives, step_derivatives
from rbd.algorithms.dynamics import dynamics
from rbd.algorithms.energy import gravitational_potential_energy, kinetic_energy
from rbd.algorithms.external_wrenches import ExternalWrenches
from rbd.algorithms.forward_dynamics import forward_dynamics
from rbd.algorithms.hybrid_dynamics import HybridDynamics
from rbd.algorithms.inverse_dynamics import dynamics_bias, gravity_torques, inverse_dynamics
from rbd.algorithms.jacobians import geometric_jacobian, geometric_jacobian_rate, point_jacobian, point_jacobian_rate
from rbd.algorithms.loops.close_loops import LoopClosure, close_loops
from rbd.algorithms.loops.constraints import constraint_bias, constraint_error, constraint_jacobian, loop_gap
from rbd.algorithms.loops.stabilization import Baumgarte, LoopStabilization, Stabilization
from rbd.algorithms.mass_matrix import inverse_mass_matrix, mass_matrix
from rbd.algorithms.momentum import (
    centroidal_momentum_matrix,
    centroidal_transform,
    momentum,
    momentum_matrix,
    momentum_rate_bias,
)
from rbd.algorithms.passive import passive_torques
from rbd.algorithms.results.dynamics_result import DynamicsResult

__all__ = [
    "ArticulatedBodies",
    "ArticulatedBody",
    "Baumgarte",
    "ConstrainedDerivatives",
    "DynamicsResult",
    "ExternalWrenches",
    "HybridDynamics",
    "LoopClosure",
    "LoopStabilization",
    "SecondDerivatives",
    "Stabilization",
    "StepDerivatives",
    "articulated_bodies",
    "articulated_inertia",
    "articulated_mobility",
    "bias_derivatives",
    "center_of_mass",
    "center_of_mass_jacobian",
    "centroidal_momentum_matrix",
    "centroidal_transform",
    "close_loops",
    "constrained_dynamics_derivatives",
    "constraint_bias",
    "constraint_error",
    "constraint_jacobian",
    "coriolis_matrix",
    "dynamics",
    "dynamics_bias",
    "external_wrench_derivatives",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "geometric_jacobian",
    "geometric_jacobian_rate",
    "gravitational_potential_energy",
    "gravity_derivatives",
    "gravity_torques",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "inverse_dynamics_second_derivatives",
    "inverse_mass_matrix",
    "inverse_mass_product_derivatives",
    "kinetic_energy",
    "loop_gap",
    "mass",
    "mass_matrix",
    "mass_matrix_product_derivatives",
    "momentum",
    "momentum_matrix",
    "momentum_rate_bias",
    "passive_torques",
    "point_jacobian",
    "point_jacobian_rate",
    "regressor",
    "relative_acceleration",
    "spatial_accelerations",
    "step_derivatives",
    "subtree_mass",
]
