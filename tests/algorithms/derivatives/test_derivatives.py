"""Derivatives of inverse and forward dynamics against complex steps of the algorithms themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import rbd
from rbd import Joint, MechanismState, Revolute, RigidBody, Wrench
from rbd.errors import ArgumentError, NotFiniteError, ShapeError, SingularError, TopologyError
from rbd.joints import JointType
from rbd.joints.reversed import Reversed
from rbd.testing.random_mechanisms import attach_at_random_pose, random_body, random_chain

from ..helpers import JOINT_TYPES, RANDOM, STEP, Case, Numbers, case, cases, close, examples, rate

Function = Callable[[Any], Any]
Wrenches = dict[RigidBody, Wrench]


def by_position(state: MechanismState, f: Function) -> Numbers:
    """Return the derivative of f along every velocity."""
    still = np.zeros(state.mechanism.nv)
    return np.array([rate(state, f, still, unit) for unit in np.eye(len(still))]).T


def by_velocity(state: MechanismState, f: Function) -> Numbers:
    still = np.zeros(state.mechanism.nv)
    return np.array([rate(state, f, unit, still) for unit in np.eye(len(still))]).T


def by_coordinates(state: MechanismState, f: Function) -> Numbers:
    """Return the derivative of f(normalise(q)) by the entries of q."""
    columns = []
    for unit in np.eye(state.mechanism.nq):
        q = state.q + 1j * STEP * unit
        parts = [node.joint.type.normalize(tuple(q[node.q_slice])) for node in state.nodes]
        moved = state.with_scalars([x for part in parts for x in part], state.v + 0j)
        columns.append(np.imag(np.asarray(f(moved), dtype=complex)) / STEP)
    return np.array(columns).T


def mixed_wrenches(a_case: Case) -> Wrenches:
    """Return wrenches on all bodies, held by the root, by the body itself or by any other body."""
    bodies, rng = a_case.mechanism.bodies, a_case.rng
    holders = [bodies[rng.integers(len(bodies))] if rng.random() < 0.5 else body for body in bodies[1:]]
    return {
        body: Wrench(holder.default_frame, rng.standard_normal(3), rng.standard_normal(3))
        for body, holder in zip(bodies[1:], holders, strict=True)
    }


def check(a_case: Case, wrenches: Wrenches | None = None) -> None:
    state, vd, tau = a_case.state, a_case.velocity(), a_case.velocity()
    loss = max(1.0, np.linalg.cond(rbd.mass_matrix(state)) / 1e4)  # a solve loses what its matrix makes it lose

    def inverse(s: Any) -> Any:
        return rbd.inverse_dynamics(s, vd, wrenches)

    def forward(s: Any) -> Any:
        return rbd.forward_dynamics(s, tau, wrenches)

    for f, found, square, bound in (
        (inverse, rbd.inverse_dynamics_derivatives(state, vd, wrenches), rbd.mass_matrix, 1e-11),
        (forward, rbd.forward_dynamics_derivatives(state, tau, wrenches), rbd.inverse_mass_matrix, 1e-11 * loss),
    ):
        close(found[0], by_position(state, f), bound, scale=1e-2)
        close(found[1], by_velocity(state, f), bound, scale=1e-2)
        close(found[2], square(state), bound)
    d_dq, d_dv, _ = rbd.inverse_dynamics_derivatives(state, vd, wrenches, space="coordinates")
    close(d_dq, by_coordinates(state, inverse), 1e-11, scale=1e-2)
    close(d_dv, rbd.inverse_dynamics_derivatives(state, vd, wrenches)[1], 1e-14)
    d_dq, _, _ = rbd.forward_dynamics_derivatives(state, tau, wrenches, space="coordinates")
    close(d_dq, by_coordinates(state, forward), 1e-11 * loss, scale=1e-2)


@pytest.mark.parametrize("passive", [False, True])
@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_every_joint_type(kind: str, passive: bool) -> None:
    a_case = case(kind, seed=5, passive=passive)
    check(a_case, mixed_wrenches(a_case))


@examples(0.2)
@given(cases(bodies=6, passive=True))
def test_random_mechanisms(a_case: Case) -> None:
    check(a_case, mixed_wrenches(a_case))


@examples(0.2)
@given(cases(bodies=6))
def test_random_mechanisms_without_passive_torques(a_case: Case) -> None:
    check(a_case)


@pytest.mark.parametrize("kind", ["planar", "universal oblique", "screw oblique", "rotation vector floating"])
def test_reversed_joints(kind: str) -> None:
    types: list[JointType] = [Revolute((0, 1, 0)), Reversed(JOINT_TYPES[kind]), Revolute((1, 0, 0))]
    rng = np.random.default_rng(3)
    mechanism = random_chain(types, rng)
    state = MechanismState(mechanism)
    state.randomize(rng)
    check(Case(mechanism, state, rng))


def test_springs_on_coordinates_that_are_not_velocities() -> None:
    """The spring of a bound acts on a coordinate: the map to it from velocities changes with position too."""
    for kind in ("rotation vector spherical", "planar", "rotation vector floating", "sin-cos"):
        a_case = case(kind, seed=11, passive=True)
        for joint in a_case.mechanism.tree_joints[1:3]:
            joint.position_bounds = [(-0.05, 0.05)] * joint.nq
        check(a_case)


def test_two_floating_bodies_and_the_order_of_insertion() -> None:
    """Whatever hangs on the root, and however late it was attached."""
    rng = np.random.default_rng(17)
    mechanism = random_chain([JOINT_TYPES["universal"], JOINT_TYPES["floating"]], rng)
    for parent, kind in ((0, "floating"), (1, "spherical"), (3, "revolute z"), (2, "planar"), (0, "MRP floating")):
        number = len(mechanism.bodies)
        joint, body = Joint(f"joint{number}", JOINT_TYPES[kind]), random_body(f"late{number}", rng)
        attach_at_random_pose(mechanism, mechanism.bodies[parent], body, joint, rng)
    state = MechanismState(mechanism)
    state.randomize(rng)
    check(Case(mechanism, state, rng))


@pytest.mark.parametrize("kind", RANDOM)
def test_derivatives_of_inverse_and_forward_dynamics_are_consistent(kind: str) -> None:
    a_case = case(kind, seed=23, passive=True)
    state, tau = a_case.state, a_case.velocity()
    vd = rbd.forward_dynamics(state, tau)
    inverse = rbd.inverse_dynamics_derivatives(state, vd)
    forward = rbd.forward_dynamics_derivatives(state, tau)
    for a, b in zip(forward[:2], inverse[:2], strict=True):
        close(inverse[2] @ a, -b, 1e-11)


def test_a_fast_base_costs_no_accuracy() -> None:
    """Seven kilometres a second change no torque: derivatives count velocities from a frame that moves along."""
    a_case = case("floating tree", seed=31)
    state, vd = a_case.state, a_case.velocity()
    linear = slice(3, 6)
    v = state.v.copy()
    v[linear] = 0.0
    state.set_velocity(v)
    slow = rbd.inverse_dynamics_derivatives(state, vd)
    drag = np.cross(v[:3], [7e3, -2e3, 1e3])
    v[linear] = [7e3, -2e3, 1e3]
    state.set_velocity(v)
    vd[linear] -= drag
    fast = rbd.inverse_dynamics_derivatives(state, vd)
    close(fast[0], slow[0], 1e-10)
    close(fast[1][:, 6:], slow[1][:, 6:], 1e-12)


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [rbd.inverse_dynamics_derivatives, rbd.forward_dynamics_derivatives])
def test_bad_arguments_are_named(function: Callable[..., Any]) -> None:
    state = MechanismState(rbd.robots.double_pendulum())
    with pytest.raises(ArgumentError, match="tangent") as caught:
        function(state, [0.0, 0.0], space="quaternion")
    assert caught.value.argument == "space"
    with pytest.raises(ShapeError):
        function(state, [0.0])
    with pytest.raises(NotFiniteError):
        function(state, [0.0, np.nan])


def test_torques_of_loops_are_not_unique() -> None:
    four_bar = MechanismState(rbd.robots.four_bar())
    with pytest.raises(TopologyError):
        rbd.inverse_dynamics_derivatives(four_bar, np.zeros(four_bar.mechanism.nv))


def test_a_singular_mass_matrix_names_the_joint() -> None:
    mechanism = rbd.robots.double_pendulum(masses=(1.0, 0.0), radius=0.0)
    state = MechanismState(mechanism)
    with pytest.raises(SingularError, match="elbow"):
        rbd.forward_dynamics_derivatives(state, [0.0, 0.0])
    d_dq, _, _ = rbd.inverse_dynamics_derivatives(state, [0.0, 0.0])
    assert np.isfinite(d_dq).all()
