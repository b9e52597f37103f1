"""Specifications of the functions of compiled robots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import attrs

from rbd import algorithms
from rbd.algorithms.derivatives.space import SPACES, Space
from rbd.algorithms.external_wrenches import ExternalWrenches
from rbd.algorithms.time_steps.continuous_dynamics import DEFAULT_DYNAMICS, ContinuousDynamics
from rbd.algorithms.time_steps.fixed_step import FixedStepMethod
from rbd.algorithms.time_steps.steps import step_function
from rbd.array_functions.recording_spec import Inputs, RecordingSpec
from rbd.kinematics import passes
from rbd.mechanism import RigidBody
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars.arrays import ScalarArray

TORQUES_AND_STEP: Final[Inputs] = {"tau": "v", "dt": "scalar"}


def _poses(state: ScalarState) -> object:
    """Return the pose of every body, which is recorded as a 4x4 matrix."""
    return tuple(passes.to_root(state))


def _forward_dynamics(
    state: ScalarState, tau: ScalarArray, external_wrenches: ExternalWrenches | None = None
) -> ScalarArray:
    """Return the accelerations; compiled functions call torques `tau`, as methods of compiled robots do."""
    return algorithms.forward_dynamics(state, tau, external_wrenches)


def _derivatives(function: Callable[..., tuple[object, ...]], space: str, last: str) -> Callable[..., object]:
    """Return a function that returns three derivatives by name."""

    def derivatives(state: ScalarState, **inputs: object) -> object:
        d_dq, d_dv, d_dlast = function(state, *inputs.values(), space=space)
        return {"d_dq": d_dq, "d_dv": d_dv, last: d_dlast}

    return derivatives


def _second_derivatives(space: Space) -> Callable[..., object]:
    """Return a function that returns all second derivatives of inverse dynamics by name."""

    def derivatives(state: ScalarState, vd: ScalarArray) -> object:
        found = algorithms.inverse_dynamics_second_derivatives(state, vd, space=space)
        return {field.name: getattr(found, field.name) for field in attrs.fields(type(found))}

    return derivatives


SPECS: Mapping[str, RecordingSpec] = {
    "forward_kinematics": RecordingSpec(_poses, "q"),
    "inverse_dynamics": RecordingSpec(algorithms.inverse_dynamics, "qv", {"vd": "v"}, regroup=True),
    "mass_matrix": RecordingSpec(algorithms.mass_matrix, "q", regroup=True),
    "inverse_mass_matrix": RecordingSpec(algorithms.inverse_mass_matrix, "q", regroup=True),
    "dynamics_bias": RecordingSpec(algorithms.dynamics_bias, "qv", regroup=True),
    "forward_dynamics": RecordingSpec(_forward_dynamics, "qv", {"tau": "v"}, regroup=True),
    "momentum_matrix": RecordingSpec(algorithms.momentum_matrix, "q"),
}
"""Specifications by name of the method."""

DERIVATIVE_SPECS: Mapping[tuple[str, Space], RecordingSpec] = {
    **{
        (name, space): RecordingSpec(_derivatives(function, space, last), "qv", {argument: "v"}, regroup=True)
        for name, function, argument, last in (
            ("inverse_dynamics_derivatives", algorithms.inverse_dynamics_derivatives, "vd", "d_dvd"),
            ("forward_dynamics_derivatives", algorithms.forward_dynamics_derivatives, "tau", "d_dtau"),
        )
        for space in SPACES
    },
    **{
        ("inverse_dynamics_second_derivatives", space): RecordingSpec(
            _second_derivatives(space), "qv", {"vd": "v"}, regroup=True
        )
        for space in SPACES
    },
}
"""Specifications of derivatives by name of the method and space."""


def jacobian_spec(target: RigidBody) -> RecordingSpec:
    """Return the specification of the Jacobian of a body with respect to the root."""

    def jacobian(state: ScalarState) -> object:
        mechanism = state.mechanism
        return algorithms.geometric_jacobian(state, mechanism.path(mechanism.root_body, target))

    return RecordingSpec(jacobian, "q")


def step_spec(
    integrator: FixedStepMethod, ns: int = 0, dynamics: ContinuousDynamics = DEFAULT_DYNAMICS
) -> RecordingSpec:
    """Return the specification of a time step with `ns` contact states."""
    inputs: Inputs = {"s": "s", **TORQUES_AND_STEP} if ns else TORQUES_AND_STEP
    return RecordingSpec(step_function(integrator, dynamics), "qv", inputs, regroup=True)
