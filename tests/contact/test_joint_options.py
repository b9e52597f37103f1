"""Joints in contact steps: stops, dry friction, implicit damping and gains of the control."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import rbd
from rbd.contact import (
    CollisionModel,
    ContactSimulator,
    HalfSpace,
    JointOptions,
    Sphere,
    contact_step,
    contact_step_derivatives,
)
from rbd.contact.simulation.control import Control
from rbd.errors import ArgumentError, NotFiniteError, ShapeError
from rbd.scalars.arrays import Array

DT = 2e-3
QUADRUPED = rbd.robots.quadruped_configuration()


def slider(mass: float = 2.0, **parameters: object) -> tuple[rbd.Mechanism, CollisionModel]:
    """Return a mass on a horizontal rail; nothing touches it."""
    mechanism = rbd.Mechanism()
    inertia = rbd.SpatialInertia(rbd.Frame("cart"), mass=mass, moment_about_com=np.eye(3))
    joint = rbd.Joint("rail", rbd.Prismatic([1, 0, 0]), **parameters)  # type: ignore[arg-type]  # floats and bounds
    mechanism.attach(mechanism.root_body, rbd.RigidBody("cart", inertia), joint)
    return mechanism, CollisionModel(mechanism)


def run(
    mechanism: rbd.Mechanism, model: CollisionModel, q: float, v: float, *, torque: float = 0.0, time: float = 1.0
) -> rbd.contact.ContactTrajectory:
    simulator = ContactSimulator(mechanism, model, lambda t, state: [torque], DT, friction=0.0)
    return simulator.run(rbd.MechanismState(mechanism, [q], [v]), time)


def test_a_stop_holds_at_the_bound_and_never_lets_pass() -> None:
    mechanism, model = slider(position_bounds=(-0.2, 0.5))
    after = run(mechanism, model, 0.0, 1.0, torque=3.0)
    assert after.q.max() == pytest.approx(0.5, abs=1e-12)
    assert after.v[-1] == pytest.approx(0, abs=1e-12)
    back = run(mechanism, model, 0.5, 0.0, torque=-3.0, time=0.3)  # it may leave
    assert back.v[-1, 0] == pytest.approx(-0.45, rel=1e-9)


def test_stops_may_be_off_and_springs_at_bounds_replace_them() -> None:
    mechanism, model = slider(position_bounds=(-0.2, 0.5))
    simulator = ContactSimulator(mechanism, model, None, DT, friction=0.0, joints=JointOptions(stops=False))
    assert simulator.run(rbd.MechanismState(mechanism, [0.0], [1.0]), 1.0).q[-1] == pytest.approx(1.0)
    sprung, model = slider(position_bounds=(-0.2, 0.5), bound_stiffness=1e3)
    bounced = run(sprung, model, 0.4, 1.0, time=0.4)
    assert bounced.v[-1, 0] == pytest.approx(-1.0, rel=0.02)
    assert bounced.q.max() == pytest.approx(0.5 + np.sqrt(2 / 1e3), rel=0.05)


@pytest.mark.parametrize("far", [1e12, 1e308])
def test_bounds_that_no_joint_reaches_change_nothing(far: float) -> None:
    ends = []
    for low in (-np.inf, -far):
        mechanism, model = slider(position_bounds=(low, 0.5))
        ends.append(run(mechanism, model, 0.0, 1.0, torque=3.0).q)
    assert np.array_equal(*ends)


def test_a_coordinate_beyond_its_bound_returns_in_a_few_steps() -> None:
    mechanism, model = slider(position_bounds=(-0.2, 0.5))
    after = run(mechanism, model, 0.501, 0.0, torque=500.0, time=0.1)
    overlaps = after.q[:, 0] - 0.5
    assert (np.diff(overlaps) < 0).all()
    np.testing.assert_allclose(overlaps[1:20], 0.8 * overlaps[:19], rtol=1e-9)


@pytest.mark.parametrize("torque", [0.0, 1.4, -1.4])
def test_dry_friction_stops_a_slider_and_holds_it(torque: float) -> None:
    mechanism, model = slider(friction=1.5)
    after = run(mechanism, model, 0.0, 0.3, torque=torque, time=8.0)
    deceleration = (1.5 - torque) / 2.0
    assert after.q[-1, 0] == pytest.approx(0.3**2 / (2 * deceleration), abs=0.5 * 0.3 * DT + 1e-9)
    assert np.array_equal(after.v[-1], [0.0]) or abs(after.v[-1, 0]) < 1e-14
    slowed = np.diff(after.v[:, 0])[: int(0.3 / deceleration / DT) - 1] / DT
    np.testing.assert_allclose(slowed, -deceleration, rtol=1e-9)


def test_dry_friction_gives_way_to_larger_forces() -> None:
    mechanism, model = slider(friction=1.5)
    assert run(mechanism, model, 0.0, 0.0, torque=2.0).v[-1, 0] == pytest.approx(0.25, rel=1e-9)


def test_damping_of_joints_is_implicit() -> None:
    """v⁺ = v / (1 + dt d / m): stable at any damping, though dt d / m is 100."""
    mechanism, model = slider(damping=1e5)
    after = run(mechanism, model, 0.0, 1.0, time=0.01)
    np.testing.assert_allclose(after.v[:, 0], (1 + DT * 1e5 / 2) ** -np.arange(6.0), rtol=1e-12)


def test_stiff_gains_are_stable_and_those_of_the_control() -> None:
    """The step solves m (v⁺ - v) / dt = k (x - q - dt v⁺) - g v⁺."""
    mechanism, model = slider()
    k, g, goal = 4e6, 100.0, 0.3

    def control(t: float, state: rbd.MechanismState) -> Array:
        return k * (goal - state.q) - g * state.v

    options = JointOptions(stiffness=k, damping=g)
    state = rbd.MechanismState(mechanism, [0.0], [0.5])
    after = contact_step(state, model, np.asarray(control(0.0, state)), DT, joints=options)
    assert 2.0 * (after.v[0] - 0.5) / DT == pytest.approx(k * (goal - DT * after.v[0]) - g * after.v[0], rel=1e-9)
    held = ContactSimulator(mechanism, model, control, DT, friction=0.0, joints=options).run(state, 1.0)
    assert held.q[-1, 0] == pytest.approx(goal, abs=1e-9)
    loose = ContactSimulator(mechanism, model, control, DT, friction=0.0)
    assert np.abs(loose.run(rbd.MechanismState(mechanism, [0.0], [0.5]), 0.05).q[-1]) > 1e6


def held(stiffness: float, damping: float) -> Control:
    def torques(t: float, state: rbd.MechanismState) -> Array:
        return np.concatenate([np.zeros(6), stiffness * (QUADRUPED[7:] - state.q[7:]) - damping * state.v[6:]])

    return torques


def test_a_quadruped_with_stiff_gains_stands_and_the_ground_carries_its_weight() -> None:
    robot = rbd.robots.quadruped()
    model, options = rbd.robots.quadruped_collision_model(robot), JointOptions(stiffness=3000.0, damping=30.0)
    state = rbd.MechanismState(robot, QUADRUPED + 0.02 * np.eye(19)[6])
    ContactSimulator(robot, model, held(3000.0, 30.0), DT, friction=0.7, joints=options).run(state, 2.0)
    assert np.abs(state.v).max() < 1e-6
    torques = np.asarray(held(3000.0, 30.0)(0.0, state))
    loads = contact_step(state, model, torques, DT, friction=0.7, joints=options).impulses / DT
    assert loads.sum() == pytest.approx(robot.mass * 9.81, rel=1e-6)
    state = rbd.MechanismState(robot, QUADRUPED + 0.02 * np.eye(19)[6])
    with pytest.raises(rbd.errors.DivergedError):
        ContactSimulator(robot, model, held(3000.0, 30.0), DT, friction=0.7).run(state, 2.0)


def test_a_limp_quadruped_with_joint_friction_folds_up_to_its_stops() -> None:
    robot = rbd.robots.quadruped()
    for joint in robot.tree_joints[1:]:
        joint.friction = 0.3
    model = rbd.robots.quadruped_collision_model(robot)
    state = rbd.MechanismState(robot, QUADRUPED)
    after = ContactSimulator(robot, model, None, DT, friction=0.7).run(state, 1.0)
    bounds = np.array([bound for joint in robot.tree_joints[1:] for bound in joint.position_bounds])
    assert (after.q[:, 7:] > bounds[:, 0] - 1e-4).all()
    assert (after.q[:, 7:] < bounds[:, 1] + 1e-4).all()
    assert (np.abs(after.q[-1, 7:, None] - bounds) < 1e-4).any()
    energies = [rbd.kinetic_energy(s) + rbd.gravitational_potential_energy(s) for s in _states(robot, after)]
    assert np.diff(energies).max() < 1e-3  # the error of the step's order; stops and friction take energy only


def _states(robot: rbd.Mechanism, after: rbd.contact.ContactTrajectory) -> list[rbd.MechanismState]:
    return [rbd.MechanismState(robot, q, v) for q, v in zip(after.q[::20], after.v[::20], strict=True)]


def test_planar_joints_have_stops_along_their_coordinates() -> None:
    mechanism = rbd.Mechanism()
    inertia = rbd.SpatialInertia(rbd.Frame("puck"), mass=1.0, moment_about_com=np.eye(3))
    free = (-np.inf, np.inf)
    joint = rbd.Joint("table", rbd.Planar([1, 0, 0], [0, 1, 0]), position_bounds=[(-np.inf, 0.4), free, free])
    mechanism.attach(mechanism.root_body, rbd.RigidBody("puck", inertia), joint)
    state = rbd.MechanismState(mechanism, [0, 0, 0.7], [1.0, 0.5, 0.0])
    after = ContactSimulator(mechanism, CollisionModel(mechanism), None, DT, friction=0.0).run(state, 1.0)
    assert after.q[-1, 0] == pytest.approx(0.4, abs=1e-9)
    assert after.q[-1, 1] > 0.5  # it goes on along the stop


def leg() -> tuple[CollisionModel, Array]:
    """Return a floating leg on its heel and toe, 2 mm deep, whose knee is at its stop."""
    mechanism, parent = rbd.Mechanism(gravity=(0, 0, -9.81)), "world"
    model, root = CollisionModel(mechanism), mechanism.root_frame
    ground = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    free, hip, knee = rbd.QuaternionFloating(), rbd.Revolute((0, 1, 0)), rbd.Revolute((0, 1, 0))
    for name, kind, low in (("trunk", free, 0.0), ("thigh", hip, -1.5), ("shank", knee, -0.8)):
        inertia = rbd.SpatialInertia(rbd.Frame(name), mass=1.5, moment_about_com=np.diag([0.01, 0.02, 0.015]))
        body, limits = rbd.RigidBody(name, inertia), {} if kind is free else {"position_bounds": (low, 1.5)}
        joint = rbd.Joint(f"{name} joint", kind, **limits)
        below = (0, 0, -0.3 if name == "shank" else 0)
        before = mechanism.body(parent).default_frame
        mechanism.attach(parent, body, joint, joint_pose=rbd.Transform(joint.frame_before, before, translation=below))
        parent = name
    for x in (-0.05, 0.05):
        frame = rbd.Frame(f"sole at {x}")
        body.add_frame(rbd.Transform(frame, body.default_frame, translation=(x, 0, -0.3)))
        model.add_pair(model.add(body, Sphere(frame, 0.02)), ground)
    q = np.array([1, 0, 0, 0, 0, 0, 0.3 * np.cos(0.8) + 0.318, 0.8, -0.8])
    return model, q


def quadruped() -> tuple[CollisionModel, Array]:
    """Return a quadruped on its feet, 2 mm deep, whose first knee is at its stop."""
    robot, q = rbd.robots.quadruped(), QUADRUPED - 2e-3 * np.eye(19)[6]
    q[9] = -2.7
    return rbd.robots.quadruped_collision_model(robot), q


@pytest.mark.parametrize(("make", "knee"), [(leg, 7), pytest.param(quadruped, 8, marks=pytest.mark.deep)])
def test_derivatives_of_steps_with_friction_and_stops_agree_with_finite_differences(
    make: Callable[[], tuple[CollisionModel, Array]], knee: int
) -> None:
    (model, q), options, rng = make(), JointOptions(stiffness=50.0, damping=2.0), np.random.default_rng(2)
    robot, nv = model.mechanism, model.mechanism.nv
    for joint in robot.tree_joints[1:]:
        joint.friction = 0.3
    v, tau = rng.normal(size=nv) * 0.3, rng.normal(size=nv)
    v[[5, knee]] = -1.0  # the feet go down, and the knee closes further
    state = rbd.MechanismState(robot, q, v)
    found = contact_step_derivatives(state, model, tau, DT, friction=0.7, joints=options)
    assert (contact_step(state, model, tau, DT, friction=0.7, joints=options).impulses > 0).any()

    def after(v: Array) -> Array:
        state = rbd.MechanismState(robot, q, v)
        return np.asarray(contact_step(state, model, tau, DT, friction=0.7, joints=options).v)

    h, columns = 1e-6, np.eye(nv)
    differences = np.array([(after(v + h * e) - after(v - h * e)) / (2 * h) for e in columns]).T
    np.testing.assert_allclose(found.v_by_v, differences, rtol=0, atol=1e-5)
    assert abs(after(v)[knee]) < 1e-9


def test_errors_name_the_argument() -> None:
    mechanism, model = slider()
    state = rbd.MechanismState(mechanism)
    with pytest.raises(ArgumentError, match="stiffness is -1"):
        JointOptions(stiffness=-1.0)
    with pytest.raises(ArgumentError, match="damping is"):
        JointOptions(damping=[1.0, -2.0])
    with pytest.raises(NotFiniteError, match="stiffness"):
        JointOptions(stiffness=[np.nan])
    with pytest.raises(ArgumentError, match="stops must be True or False"):
        JointOptions(stops=1)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(ShapeError, match="stiffness"):
        contact_step(state, model, [0.0], DT, joints=JointOptions(stiffness=[1.0, 2.0]))
    with pytest.raises(ShapeError, match="damping"):
        ContactSimulator(mechanism, model, None, DT, friction=0.0, joints=JointOptions(damping=[1.0, 2.0]))
    with pytest.raises(ArgumentError, match="give friction, too"):
        ContactSimulator(mechanism, model, None, DT, joints=JointOptions())
    with pytest.raises(rbd.errors.RbdError, match="joints"):
        contact_step(state, model, [0.0], DT, joints="hard")  # type: ignore[arg-type]  # wrong on purpose
