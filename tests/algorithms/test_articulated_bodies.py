"""Everything the articulated-body algorithm finds, prescribed accelerations, and mobility."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

import rbd
from rbd import Frame, Joint, Mechanism, MechanismState, Point, Prismatic, Revolute, RigidBody, SpatialInertia, Wrench
from rbd.errors import (
    ArgumentError,
    FrameMismatchError,
    NotFiniteError,
    ShapeError,
    SingularError,
    TopologyError,
    UnknownNameError,
)
from rbd.testing import random_tree

from .helpers import JOINT_TYPES, Case, Numbers, case, cases, close, examples, six

KINDS = ["chain", "tree", "floating tree"]


def names_of(mechanism: Mechanism) -> dict[RigidBody, Joint]:
    return {mechanism.successor(joint): joint for joint in mechanism.tree_joints}


# --- per body -------------------------------------------------------------------------------------------------------


@examples(0.3)
@given(cases(bodies=6, passive=True))
def test_the_motion_is_that_of_forward_dynamics_and_everything_balances(a_case: Case) -> None:
    state, tau, push = a_case.state, a_case.velocity(), a_case.wrenches()
    found = rbd.articulated_bodies(state, tau, push)
    close(found.vd, rbd.forward_dynamics(state, tau, push), 1e-9, scale=1e-3)
    assert np.array_equal(found.torques, tau)
    forces = max(np.abs(link.joint_wrench.vector).max() for link in found.bodies)
    assert found.residual <= 1e-12 * max(1.0, forces)


@pytest.mark.parametrize("place", ["root", "body", "mark", "point"])
@pytest.mark.parametrize("kind", KINDS)
def test_values_at_any_reference_obey_their_definitions(kind: str, place: str) -> None:
    a_case = case(kind, seed=7, passive=True)
    state, mechanism, tau = a_case.state, a_case.mechanism, a_case.velocity()
    middle = mechanism.bodies[len(mechanism.bodies) // 2]
    at: Any = {"root": None, "body": middle.default_frame, "mark": middle.frames[-1]}.get(place)
    if place == "point":
        at = Point(mechanism.root_frame, [3.0, -2.0, 1.0])
    found = rbd.articulated_bodies(state, tau, at=at)
    result = rbd.dynamics(rbd.DynamicsResult(mechanism), state, tau)
    joints = names_of(mechanism)
    for link in found.bodies:
        joint = joints[link.body]
        parent = mechanism.predecessor(joint)
        v, vd = state.v[state.v_slice(joint)], found.vd[state.v_slice(joint)]
        below = [other for other in found.bodies if mechanism.predecessor(joints[other.body]) is link.body]
        zero = np.zeros(6)
        v_parent = zero if parent is mechanism.root_body else found.body(parent).twist.vector
        a_parent = zero if parent is mechanism.root_body else found.body(parent).acceleration.vector
        close(link.twist.vector, v_parent + link.screws.matrix @ v, 1e-11, scale=1e-3)
        kappa, screws = link.bias_acceleration.vector, link.screws.matrix
        close(link.acceleration.vector, a_parent + kappa + screws @ vd, 1e-10, scale=1e-3)
        inertia = inertia_at(state, link.body, found.frame, at)
        own = inertia @ link.acceleration.vector + link.bias_force.vector - link.weight.vector
        rest = link.joint_wrench.vector - sum((other.joint_wrench.vector for other in below), zero)
        close(rest, own, 1e-11, scale=1e-3)
        felt = link.articulated_inertia @ link.acceleration + link.articulated_bias
        close(felt.vector, link.joint_wrench.vector, 1e-11, scale=1e-3)
        assert link.screws.frame is link.weight.frame is found.frame
        if place == "root":
            close(link.twist.vector, state.twist(link.body).vector, 1e-12)
            close(link.acceleration.vector, result.acceleration(link.body).vector, 1e-10)
            close(link.joint_wrench.vector, result.joint_wrench(joint).vector, 1e-10)
            close(link.articulated_inertia.matrix, rbd.articulated_inertia(state, link.body).matrix, 1e-11)
            close(link.weight.linear, float(link.body.inertia.mass) * mechanism.gravity.xyz, 1e-12)  # type: ignore[union-attr]  # all have one


def inertia_at(state: MechanismState, body: RigidBody, frame: Frame, at: Any) -> Numbers:
    inertia = body.inertia
    assert inertia is not None
    if not isinstance(at, Point):
        return inertia.transformed(state.relative_transform(body.default_frame, frame)).matrix
    tf = state.relative_transform(body.default_frame, at.frame)
    shift = rbd.Transform(at.frame, frame, translation=-at.xyz)
    return inertia.transformed(shift @ tf).matrix


def test_values_of_a_body_with_prescribed_joints() -> None:
    """The articulated bias of a body is what holds it when all beyond is free."""
    a_case = case("floating tree", seed=9)
    state, mechanism, tau = a_case.state, a_case.mechanism, a_case.velocity()
    base = mechanism.tree_joints[0]
    found = rbd.articulated_bodies(state, tau, prescribed={base: np.zeros(6)}, at=base.frame_after)
    link = found.body(mechanism.successor(base))
    close(link.joint_wrench.vector, link.articulated_bias.vector, 1e-11)
    close(found.torques[state.v_slice(base)], link.joint_wrench.vector, 1e-11)


@pytest.mark.parametrize("kind", ["floating", "rotation vector floating", "placed"])
def test_values_far_from_the_origin_are_those_near_it(kind: str) -> None:
    """A base that floats, or hangs on a hinge, a thousand kilometres away; derivatives and steps included."""
    near, far = (numbers_at(kind, distance) for distance in (0.0, 1e6))
    for name, value in near.items():
        close(far[name], value, 1e-9, scale=1e-2)


def numbers_at(kind: str, distance: float) -> dict[str, Numbers]:
    """Return all that dynamics says of a tree whose base is far away."""
    place = distance * np.array([1.0, -1.0, 0.5])
    part = random_tree([JOINT_TYPES[k] for k in ("universal oblique", "planar", "spherical")], np.random.default_rng(5))
    base = RigidBody("base", SpatialInertia(Frame("base"), mass=1.0, moment=np.eye(3)))
    joint, moved = Joint("base", JOINT_TYPES.get(kind, Revolute((0, 1, 0)))), Mechanism()
    shift = place if kind == "placed" else np.zeros(3)
    pose = rbd.Transform(joint.frame_before, moved.root_frame, translation=shift)
    moved.attach(moved.root_body, base, joint, joint_pose=pose)
    moved.attach_mechanism(base, part)
    state = MechanismState(moved)
    state.randomize(np.random.default_rng(7))
    if kind != "placed":
        q = state.q.copy()
        q[joint.nq - 3 : joint.nq] = place
        state.set_configuration(q)
    tip, x = moved.bodies[-1], np.linspace(-1.0, 1.0, moved.nv)
    step, hybrid = (
        rbd.step_derivatives(state, x, 0.01),
        rbd.forward_dynamics(state, x, prescribed={joint: x[: joint.nv]}),
    )
    inverse, forward = rbd.inverse_dynamics_derivatives(state, x), rbd.forward_dynamics_derivatives(state, x)
    return {
        "hybrid": hybrid.torques,
        "inverse by q": inverse[0],
        "inverse by v": inverse[1],
        "forward by q": forward[0],
        "forward by v": forward[1],
        "forward by torques": forward[2],
        "products": rbd.mass_matrix_product_derivatives(state, x),
        "quotients": rbd.inverse_mass_product_derivatives(state, x),
        "step": step.v_by_q,
        "step by q": step.q_by_q,
        "regressor": rbd.regressor(state, x),
        "second": rbd.inverse_dynamics_second_derivatives(state, x).by_q_and_q,
        "wrench": rbd.algorithms.external_wrench_derivatives(state, tip, frame=tip.default_frame),
        "centre": rbd.algorithms.center_of_mass_jacobian(state).matrix,
    }


@pytest.mark.parametrize("distance", [1e2, 1e4, 1e6])
def test_accuracy_far_from_the_origin(distance: float) -> None:
    """Featherstone3D's screws at the world's origin lose ten digits at a hundred metres, all at a million."""
    results = []
    for shift in (0.0, distance):
        rng = np.random.default_rng(5)
        mechanism = random_tree([JOINT_TYPES[k] for k in ("revolute z", "screw y", "prismatic x")], rng)
        joint = mechanism.tree_joints[0]
        moved = Mechanism()
        base = RigidBody("base", SpatialInertia(Frame("base"), mass=1.0, moment=np.eye(3)))
        slide, rail = Joint("slide", Prismatic((1, 0, 0))), moved.root_body
        pose = rbd.Transform(slide.frame_before, moved.root_frame, translation=[shift, -shift, 0.5 * shift])
        moved.attach(rail, base, slide, joint_pose=pose)
        moved.attach_mechanism(base, mechanism)
        state = MechanismState(moved, np.linspace(-1, 1, moved.nq), np.linspace(1, 2, moved.nv))
        found = rbd.articulated_bodies(state, np.ones(moved.nv), at=moved.bodies[-1].default_frame)
        mobility = rbd.articulated_mobility(state, moved.bodies[-1], at=moved.bodies[-1].default_frame)
        everything = [found.vd, mobility.matrix.ravel(), rbd.forward_dynamics(state, np.ones(moved.nv))]
        for link in found.bodies:
            values = (link.twist, link.bias_acceleration, link.bias_force, link.articulated_bias, link.acceleration)
            everything += [value.vector for value in (*values, link.joint_wrench)]
            everything += [link.articulated_inertia.matrix.ravel(), link.screws.matrix.ravel()]
        assert joint in mechanism.tree_joints
        results.append(np.concatenate(everything))
    close(results[1], results[0], 1e-9)


# --- prescribed accelerations ----------------------------------------------------------------------------------------


@examples(0.3)
@given(cases(bodies=6, passive=True))
def test_prescribe_and_recover(a_case: Case) -> None:
    state, mechanism, tau, push = a_case.state, a_case.mechanism, a_case.velocity(), a_case.wrenches("body")
    vd = rbd.forward_dynamics(state, tau, push)
    chosen = {joint: vd[state.v_slice(joint)] for joint in mechanism.tree_joints if a_case.rng.random() < 0.5}
    given_torques = tau.copy()
    for joint in chosen:
        given_torques[state.v_slice(joint)] = 77.0  # does not matter
    hybrid = rbd.forward_dynamics(state, given_torques, push, prescribed=chosen)
    close(hybrid.vd, vd, 1e-10, scale=1e-3)
    close(hybrid.torques, tau, 1e-9, scale=1.0)


@examples(0.3)
@given(cases(bodies=6, passive=True))
def test_any_prescribed_motion_is_one_of_inverse_dynamics(a_case: Case) -> None:
    state, mechanism, tau = a_case.state, a_case.mechanism, a_case.velocity()
    chosen = {joint: a_case.rng.standard_normal(joint.nv) for joint in mechanism.tree_joints[::2]}
    hybrid = rbd.forward_dynamics(state, tau, prescribed=chosen)
    for joint in mechanism.tree_joints:
        at = state.v_slice(joint)
        expected, found = (chosen[joint], hybrid.vd[at]) if joint in chosen else (tau[at], hybrid.torques[at])
        assert np.array_equal(expected, found)
    close(rbd.inverse_dynamics(state, hybrid.vd), hybrid.torques, 1e-9, scale=1e-2)


def test_prescribing_nothing_is_forward_dynamics_and_everything_inverse_dynamics() -> None:
    a_case = case("tree", seed=3, passive=True)
    state, tau = a_case.state, a_case.velocity()
    close(rbd.forward_dynamics(state, tau, prescribed={}).vd, rbd.forward_dynamics(state, tau), 1e-10)
    everything = {joint: tau[state.v_slice(joint)] for joint in a_case.mechanism.tree_joints}
    hybrid = rbd.forward_dynamics(state, np.zeros_like(tau), prescribed=everything)
    close(hybrid.torques, rbd.inverse_dynamics(state, tau), 1e-11)


def test_a_locked_joint_may_carry_no_inertia() -> None:
    mechanism = rbd.robots.double_pendulum(masses=(1.0, 0.0), radius=0.0)
    state, elbow = MechanismState(mechanism, [0.3, 0.4]), mechanism.joint("elbow")
    with pytest.raises(SingularError, match="elbow"):
        rbd.articulated_bodies(state, [0.0, 0.0])
    assert rbd.forward_dynamics(state, [0.0, 0.0], prescribed={elbow: 0.5}).vd[1] == 0.5


@pytest.mark.parametrize("value", [1, 1.0, np.float32(1.0), np.array(1.0), np.array([1.0]), [1], (np.int64(1),)])
def test_one_acceleration_in_many_shapes(value: Any) -> None:
    mechanism = rbd.robots.double_pendulum()
    found = rbd.forward_dynamics(MechanismState(mechanism), [0.0, 0.0], prescribed={mechanism.joint("elbow"): value})
    assert found.vd[1] == 1.0


def test_what_is_refused() -> None:
    mechanism = rbd.robots.double_pendulum()
    state, elbow = MechanismState(mechanism), mechanism.joint("elbow")
    with pytest.raises(UnknownNameError, match="other"):
        rbd.forward_dynamics(state, [0.0, 0.0], prescribed={Joint("other", Revolute((0, 0, 1))): 1.0})
    with pytest.raises(ArgumentError, match="prescribed"):
        rbd.forward_dynamics(state, [0.0, 0.0], prescribed=[elbow])  # type: ignore[call-overload]  # the error
    with pytest.raises(ShapeError, match="elbow"):
        rbd.forward_dynamics(state, [0.0, 0.0], prescribed={elbow: [1.0, 2.0]})
    with pytest.raises(NotFiniteError, match="elbow"):
        rbd.forward_dynamics(state, [0.0, 0.0], prescribed={elbow: np.nan})
    with pytest.raises(ArgumentError, match="joint 'elbow' has two prescribed accelerations"):
        rbd.forward_dynamics(state, [0.0, 0.0], prescribed={elbow: 1.0, "elbow": 2.0})  # type: ignore[dict-item]  # mixed
    with pytest.raises(ArgumentError, match="out"):
        rbd.forward_dynamics(state, [0.0, 0.0], prescribed={elbow: 1.0}, out=np.zeros(2))  # type: ignore[call-overload]  # the error
    with pytest.raises(ShapeError):
        rbd.articulated_bodies(state, [0.0])
    with pytest.raises(FrameMismatchError):
        rbd.articulated_bodies(state, [0.0, 0.0], at=Frame("nowhere"))
    with pytest.raises(UnknownNameError):
        rbd.articulated_bodies(state, [0.0, 0.0]).body(mechanism.root_body)
    with pytest.raises(UnknownNameError):
        rbd.articulated_mobility(state, RigidBody("other"))
    four_bar = MechanismState(rbd.robots.four_bar())
    zero = np.zeros(four_bar.mechanism.nv)
    for call in (
        lambda: rbd.articulated_bodies(four_bar, zero),
        lambda: rbd.articulated_inertia(four_bar, four_bar.mechanism.bodies[-1]),
        lambda: rbd.articulated_mobility(four_bar, four_bar.mechanism.bodies[-1]),
        lambda: rbd.forward_dynamics(four_bar, zero, prescribed={}),
    ):
        with pytest.raises(TopologyError):
            call()


# --- mobility --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_mobility_is_the_jacobian_around_the_inverse_of_m(kind: str) -> None:
    a_case = case(kind, seed=21, passive=True)
    state, mechanism = a_case.state, a_case.mechanism
    for body in mechanism.bodies:
        path = mechanism.path(mechanism.root_body, body)
        jacobian = rbd.geometric_jacobian(state, path, frame=body.default_frame).matrix
        expected = jacobian @ np.linalg.solve(rbd.mass_matrix(state), jacobian.T)
        mobility = rbd.articulated_mobility(state, body, at=body.default_frame)
        close(mobility.matrix, expected, 1e-11, scale=1e-3)
        assert np.array_equal(mobility.matrix, mobility.matrix.T)


def test_mobility_is_the_change_of_acceleration_per_wrench() -> None:
    a_case = case("tree", seed=27)
    state, mechanism, tau = a_case.state, a_case.mechanism, a_case.velocity()
    body = mechanism.bodies[-2]
    push = Wrench(mechanism.root_frame, a_case.rng.standard_normal(3), a_case.rng.standard_normal(3))
    change = six(rbd.articulated_mobility(state, body) @ push).real
    before, after = (rbd.articulated_bodies(state, tau, w).body(body).acceleration.vector for w in ({}, {body: push}))
    close(after - before, change, 1e-11)


# --- by hand ---------------------------------------------------------------------------------------------------------


def test_a_pendulum_starts_to_fall() -> None:
    """A box of 0.30 x 0.02 x 0.02111 m and 1 kg, centre 0.14905 m from the axis, held out level."""
    mechanism = Mechanism(gravity=(0, 0, -9.80665))
    moments = np.diag([0.02**2 + 0.02111**2, 0.3**2 + 0.02**2, 0.3**2 + 0.02**2]) / 12
    inertia = SpatialInertia(Frame("link"), mass=1.0, com=[0.14905, 0, 0], moment_about_com=moments)
    link = RigidBody("link", inertia)
    mechanism.attach(mechanism.root_body, link, Joint("pivot", Revolute((0, -1, 0))))
    found = rbd.articulated_bodies(MechanismState(mechanism, [0.0]), [0.0])
    assert abs(found.vd[0] + 49.133403) < 1e-6
    reaction = found.body(link).joint_wrench
    assert abs(reaction.linear[2] - (9.80665 - 49.133403 * 0.14905)) < 1e-6


def test_work_of_an_actuator_is_the_energy_gained() -> None:
    """A slider pulled by 5 N carries a pendulum; what the motor does goes into energy."""
    mechanism = Mechanism(gravity=(0, 0, -9.80665))
    cart = RigidBody("cart", SpatialInertia(Frame("cart"), mass=1.0, moment=np.eye(3) / 1000))
    rod = RigidBody("rod", SpatialInertia(Frame("rod"), mass=1.0, com=[0.15, 0, 0], moment_about_com=np.eye(3) / 100))
    mechanism.attach(mechanism.root_body, cart, Joint("slide", Prismatic((1, 0, 0))))
    mechanism.attach(cart, rod, Joint("pivot", Revolute((0, 1, 0))))

    def energy(state: MechanismState) -> float:
        return rbd.kinetic_energy(state) + rbd.gravitational_potential_energy(state)

    state = MechanismState(mechanism)
    before = energy(state)
    trajectory = rbd.simulate(state, 1.0, lambda t, s: [5.0, 0.0], dt=2e-3)
    after = MechanismState(mechanism, trajectory.q[-1], trajectory.v[-1])
    assert abs(5.0 * trajectory.q[-1][0] - (energy(after) - before)) < 1e-7


def test_other_kinds_of_bodies_and_states_are_refused_by_the_function_that_was_called() -> None:
    state = MechanismState(rbd.robots.double_pendulum())
    other: Any = 3
    with pytest.raises(ArgumentError, match=r"ArticulatedBodies\.body: body must be"):
        rbd.articulated_bodies(state, [0.0, 0.0]).body(other)
    with pytest.raises(ArgumentError, match="relative_acceleration: state must be"):
        rbd.relative_acceleration(other, [0.0, 0.0], "lower_link", "world")
    with pytest.raises(ArgumentError, match="centroidal_transform: state must be"):
        rbd.algorithms.centroidal_transform(other)
