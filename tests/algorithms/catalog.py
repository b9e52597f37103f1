"""Every query and algorithm of a state that needs nothing but the state, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

import rbd
from rbd import MechanismState


def flat(value: Any) -> list[Any]:
    """Return the scalars of whatever an algorithm returned, in a fixed order."""
    if isinstance(value, list):
        return [scalar for part in value for scalar in flat(part)]
    if isinstance(value, np.ndarray):
        return list(value.ravel())
    if hasattr(value, "components"):
        return leaves(value.components)
    return [value]


def leaves(value: Any) -> list[Any]:
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, tuple) else [value]


def arguments(state: Any) -> tuple[list[float], list[float]]:
    nv = state.mechanism.nv
    return [0.5 + 0.1 * k for k in range(nv)], [1 - 0.2 * k for k in range(nv)]


def solution(state: Any) -> list[Any]:
    """Return everything `dynamics` says, with a wrench on the last body."""
    mechanism = state.mechanism
    push = rbd.Wrench(mechanism.bodies[-1].default_frame, (1, -2, 3), (0.5, 0.25, -1))
    result = rbd.DynamicsResult(mechanism)
    rbd.dynamics(result, state, arguments(state)[1], {mechanism.bodies[-1]: push})
    arrays = [result.qd, result.vd, result.mass_matrix, result.dynamics_bias, result.passive_torques]
    motion = [f(body) for body in mechanism.bodies for f in (result.acceleration, result.proper_acceleration)]
    return [*arrays, *motion, *(result.joint_wrench(joint) for joint in mechanism.tree_joints)]


ALGORITHMS: dict[str, Callable[[Any], Any]] = {
    "mass_matrix": rbd.mass_matrix,
    "dynamics_bias": rbd.dynamics_bias,
    "gravity_torques": rbd.gravity_torques,
    "passive_torques": rbd.passive_torques,
    "coriolis_matrix": rbd.coriolis_matrix,
    "momentum_matrix": rbd.momentum_matrix,
    "centroidal_momentum_matrix": rbd.centroidal_momentum_matrix,
    "momentum": rbd.momentum,
    "momentum_rate_bias": rbd.momentum_rate_bias,
    "kinetic_energy": rbd.kinetic_energy,
    "gravitational_potential_energy": rbd.gravitational_potential_energy,
    "center_of_mass": rbd.center_of_mass,
    "inverse_mass_matrix": rbd.inverse_mass_matrix,
    "inverse_dynamics": lambda s: rbd.inverse_dynamics(s, arguments(s)[0]),
    "forward_dynamics": lambda s: rbd.forward_dynamics(s, arguments(s)[1]),
    "articulated_inertia": lambda s: rbd.articulated_inertia(s, s.mechanism.bodies[1]),
    "geometric_jacobian": lambda s: rbd.geometric_jacobian(s, _path(s)),
    "point_jacobian": lambda s: rbd.point_jacobian(s, _path(s), _tip(s)),
    "dynamics": solution,
    "transform_to_root": lambda s: s.transform_to_root(s.mechanism.bodies[-1]),
    "relative_transform": lambda s: s.relative_transform(s.mechanism.bodies[1], s.mechanism.bodies[-1]),
    "twist": lambda s: s.twist(s.mechanism.bodies[-1]),
    "relative_twist": lambda s: s.relative_twist(s.mechanism.bodies[1], s.mechanism.bodies[-1]),
    "bias_acceleration": lambda s: s.bias_acceleration(s.mechanism.bodies[-1]),
    "composite_inertia": lambda s: s.composite_inertia(s.mechanism.bodies[1]),
    "configuration_derivative": lambda s: s.configuration_derivative(),
    "local_coordinates": lambda s: s.local_coordinates([float(x) for x in MechanismState(s.mechanism).q])[0],
}

DERIVATIVES: dict[str, Callable[[Any], Any]] = {
    "inverse_dynamics_derivatives": lambda s: list(
        rbd.inverse_dynamics_derivatives(s, arguments(s)[0], _push(s), space="coordinates")
    ),
    "forward_dynamics_derivatives": lambda s: list(rbd.forward_dynamics_derivatives(s, arguments(s)[1], _push(s))),
    "bias_derivatives": lambda s: list(rbd.bias_derivatives(s)),
    "mass_matrix_product_derivatives": lambda s: rbd.mass_matrix_product_derivatives(s, arguments(s)[0]),
    "inverse_mass_product_derivatives": lambda s: rbd.inverse_mass_product_derivatives(s, arguments(s)[0]),
    "step_derivatives": lambda s: _entries(rbd.step_derivatives(s, arguments(s)[1], 0.01)),
    "regressor": lambda s: rbd.regressor(s, arguments(s)[0]),
    "gravity_derivatives": rbd.algorithms.gravity_derivatives,
    "external_wrench_derivatives": lambda s: rbd.algorithms.external_wrench_derivatives(s, s.mechanism.bodies[-1]),
    "center_of_mass_jacobian": rbd.algorithms.center_of_mass_jacobian,
    "geometric_jacobian_rate": lambda s: rbd.algorithms.geometric_jacobian_rate(s, _path(s)),
    "hybrid_dynamics": lambda s: _entries(
        rbd.forward_dynamics(
            s, arguments(s)[1], prescribed={s.mechanism.tree_joints[0]: [0.5] * s.mechanism.tree_joints[0].nv}
        )
    ),
    "spatial_accelerations": lambda s: list(rbd.spatial_accelerations(s, arguments(s)[0]).values()),
    "articulated_mobility": lambda s: rbd.articulated_mobility(s, s.mechanism.bodies[-1]),
}
EVERYTHING = ALGORITHMS | DERIVATIVES


def _entries(value: Any) -> list[Any]:
    """Return the arrays of a result."""
    return [getattr(value, field.name) for field in attrs.fields(type(value))]


def _prescribed(state: Any) -> Any:
    first = state.mechanism.tree_joints[0]
    return {first: [0.5] * first.nv}


def _push(state: Any) -> Any:
    body = state.mechanism.bodies[-1]
    return {body: rbd.Wrench(state.mechanism.root_frame, (1, -2, 3), (0.5, 0.25, -1))}


def _path(state: Any) -> Any:
    return state.mechanism.path(state.mechanism.root_body, state.mechanism.bodies[-1])


def _tip(state: Any) -> Any:
    return rbd.Point(state.mechanism.bodies[-1].default_frame, (1, 2, 3))
