"""What inertial parameters, gravity and external wrenches do to motions, with loops too, against complex steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbd
from rbd import Mechanism, MechanismState, RigidBody, Wrench, algorithms
from rbd.algorithms.external_wrenches import applied_wrenches
from rbd.algorithms.loops.dynamics import constrained_dynamics_kernel
from rbd.algorithms.loops.loop_gains import gains_of_constraints
from rbd.algorithms.loops.stabilization import DEFAULT_STABILIZATION
from rbd.scalar_states.parameter_arrays import ParameterValues
from rbd.scalar_states.scalar_state import ScalarState

from ..helpers import STEP, Numbers, case, close
from ..loops.linkages import sarrus
from ..loops.mechanisms import consistent, looped

Function = Callable[[Any], Any]
KINDS = ["chain", "tree", "floating tree"]


def inertial(mechanism: Mechanism) -> Numbers:
    """Return the parameters of all bodies, a row each."""
    rows = [body.inertia.components for body in mechanism.bodies[1:] if body.inertia is not None]
    return np.array(rows, dtype=complex)


def slopes(state: MechanismState, name: str, values: Numbers, f: Function) -> Numbers:
    """Return the derivative of f(state) by every entry of a parameter."""
    columns = []
    for k in range(values.size):
        step = np.zeros(values.size)
        step[k] = STEP
        moved = values + 1j * step.reshape(values.shape)
        nested = tuple(map(tuple, moved)) if moved.ndim == 2 else tuple(moved)
        parameters = ParameterValues({name: nested})
        other = ScalarState(state.mechanism, state.q + 0j, state.v + 0j, parameters=parameters)
        columns.append(np.imag(np.asarray(f(other), dtype=complex)) / STEP)
    return np.array(columns).T


def by_wrench(state: MechanismState, body: RigidBody, frame: Any, f: Callable[[Any, Any], Any]) -> Numbers:
    """Return the derivative of f(state, wrenches) by a wrench on `body` in `frame`, around none."""
    still, columns = state.with_scalars(state.q + 0j, state.v + 0j), []
    for unit in np.eye(6):
        step = [complex(0, STEP * x) for x in unit]
        push = {body: Wrench.trusted(frame, (step[0], step[1], step[2]), (step[3], step[4], step[5]))}
        columns.append(np.imag(np.asarray(f(still, push), dtype=complex)) / STEP)
    return np.array(columns).T


@pytest.mark.parametrize("kind", KINDS)
def test_every_part_of_the_equation_of_motion_by_inertias(kind: str) -> None:
    a_case = case(kind, seed=41, bodies=5, passive=True)
    state, x, p = a_case.state, a_case.velocity(), inertial(a_case.mechanism)
    still, inverse = rbd.regressor(state, np.zeros_like(x)), rbd.inverse_mass_matrix(state)
    push = a_case.wrenches("body")
    vd, answer = rbd.forward_dynamics(state, x, push), inverse @ x
    for f, found, bound in (
        (lambda s: rbd.inverse_dynamics(s, x, push), rbd.regressor(state, x), 1e-11),
        (lambda s: rbd.dynamics_bias(s, push), still, 1e-11),
        (lambda s: np.asarray(rbd.mass_matrix(s)) @ x, rbd.regressor(state, x) - still, 1e-11),
        (
            lambda s: np.asarray(rbd.inverse_mass_matrix(s)) @ x,
            -inverse @ (rbd.regressor(state, answer) - still),
            1e-10,
        ),
        (lambda s: rbd.forward_dynamics(s, x, push), -inverse @ rbd.regressor(state, vd), 1e-10),
    ):
        close(found, slopes(state, "inertia", p, f), bound, scale=1e-2)


@pytest.mark.parametrize("kind", KINDS)
def test_motions_by_gravity_and_wrenches(kind: str) -> None:
    a_case = case(kind, seed=43, bodies=5, passive=True)
    state, tau, mechanism = a_case.state, a_case.velocity(), a_case.mechanism
    inverse, field = rbd.inverse_mass_matrix(state), np.array(mechanism.gravity.xyz, dtype=complex)
    by_gravity = algorithms.gravity_derivatives(state)
    close(by_gravity, slopes(state, "gravity", field, lambda s: rbd.inverse_dynamics(s, tau)), 1e-11)
    close(-inverse @ by_gravity, slopes(state, "gravity", field, lambda s: rbd.forward_dynamics(s, tau)), 1e-11)
    body = mechanism.bodies[-1]
    for frame in (mechanism.root_frame, body.default_frame, mechanism.bodies[1].default_frame):
        found = algorithms.external_wrench_derivatives(state, body, frame=frame)
        close(found, by_wrench(state, body, frame, lambda s, w: rbd.inverse_dynamics(s, tau, w)), 1e-11)
        close(-inverse @ found, by_wrench(state, body, frame, lambda s, w: rbd.forward_dynamics(s, tau, w)), 1e-11)


def redundant() -> MechanismState:
    """Return a linkage with five constraints, four of them independent."""
    state = sarrus()
    state.set_velocity(np.linspace(1.0, 2.0, state.mechanism.nv))
    state.set_velocity(consistent(state))
    return state


@pytest.mark.parametrize("make", [redundant, lambda: looped("spherical", 5).state, lambda: looped("fixed", 6).state])
def test_motions_and_multipliers_of_loops(make: Callable[[], MechanismState]) -> None:
    state = make()
    mechanism = state.mechanism
    tau = np.linspace(-1.0, 1.0, mechanism.nv)

    def solution(s: Any, push: Any = None) -> Any:
        found = constrained_dynamics_kernel(
            s, tuple(tau), applied_wrenches(s, push), gains_of_constraints(s.layout, DEFAULT_STABILIZATION)
        )
        return np.array([*found[0], *found[7]])

    answers = algorithms.constrained_dynamics_derivatives(state, tau)
    both = -np.vstack([answers.vd_by_torques, answers.multipliers_by_torques])
    vd = rbd.forward_dynamics(state, tau)
    by_inertias = both @ rbd.regressor(state, vd)
    close(by_inertias, slopes(state, "inertia", inertial(mechanism), solution), 1e-11)
    field = np.array(mechanism.gravity.xyz, dtype=complex)
    close(both @ algorithms.gravity_derivatives(state), slopes(state, "gravity", field, solution), 1e-11)
    body = mechanism.bodies[-1]
    found = both @ algorithms.external_wrench_derivatives(state, body, frame=body.default_frame)
    close(found, by_wrench(state, body, body.default_frame, solution), 1e-11)
