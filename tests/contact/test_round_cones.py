"""Round friction cones: Coulomb's law in all directions, the cone program's conditions, stops, springs, bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import rbd
from rbd.contact import Box, CollisionModel, Compliance, ContactSimulator, HalfSpace, Sphere, contact_step
from rbd.contact.dynamics.residuals import cone_residual
from rbd.errors import ArgumentError, SolverError
from rbd.mechanism.parameters import BoundsLike
from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.rollout import Worlds
from rbd.scalars import to_float
from rbd.scalars.arrays import Array
from rbd.solvers.cones.program import ConeSolution, solve_cone_program
from rbd.solvers.equations.ltdl_factor import Factor
from tests.contact.test_projected_program import nested
from tests.native.programs import assert_same_bits, native_rows, native_singles, reference

G = 9.81


def body_on_floor(
    shape: str, *, cone: str = "round", slope: Array | None = None, bounds: BoundsLike = None
) -> tuple[rbd.MechanismState, CollisionModel]:
    gravity = (0, 0, -G) if slope is None else tuple(slope)
    mechanism = rbd.Mechanism(gravity=gravity)
    body = rbd.RigidBody("body", rbd.SpatialInertia(rbd.Frame("b"), mass=1.5, moment_about_com=np.eye(3) / 50))
    mechanism.attach("world", body, rbd.Joint("free", rbd.QuaternionFloating(), position_bounds=bounds))
    model, root = CollisionModel(mechanism, friction_cone=cone), mechanism.root_frame  # type: ignore[arg-type]  # any
    floor = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    solid = Sphere(body.default_frame, 0.1) if shape == "ball" else Box(body.default_frame, (0.3, 0.3, 0.2))
    model.add_pair(model.add(body, solid), floor)
    return rbd.MechanismState(mechanism, [1, 0, 0, 0, 0, 0, 0.1]), model


def programs(seed: int) -> tuple[Array, Array, Array, Array]:
    """Return Hessian, linear term, cones (count, 3, n) and bounds that some point obeys."""
    rng = np.random.default_rng(seed)
    n, count = int(rng.integers(2, 9)), int(rng.integers(1, 6))
    root = rng.normal(size=(n, n))
    cones = rng.normal(size=(count, 3, n))
    if seed % 3 == 0 and count > 1:
        cones[1] = cones[0]
    inside = np.einsum("kij,j->ki", cones, rng.normal(size=n))
    bounds = (
        inside[:, 0] - np.hypot(inside[:, 1], inside[:, 2]) - rng.uniform(0, 0.5, count) * (rng.random(count) < 0.5)
    )
    return root @ root.T + 0.2 * np.eye(n), 3 * rng.normal(size=n), cones, bounds


def solved(hessian: Array, linear: Array, cones: Array, bounds: Array) -> ConeSolution:
    rows = tuple(tuple(row) for row in hessian.tolist())
    blocks = [tuple(tuple(row) for row in block) for block in cones.tolist()]
    return solve_cone_program(rows, Factor.of(rows, ["x"] * len(rows)), linear.tolist(), blocks, bounds.tolist())


@given(st.integers(0, 10**6))
def test_solutions_obey_the_conditions_of_the_minimum(seed: int) -> None:
    hessian, linear, cones, bounds = programs(seed)
    found = solved(hessian, linear, cones, bounds)
    x, forces = np.array(found.x, dtype=float), np.array(found.forces, dtype=float)
    slack = np.einsum("kij,j->ki", cones, x)
    slack[:, 0] -= bounds
    size = max(1.0, np.abs(x).max(), np.abs(forces).max())
    assert np.abs(hessian @ x - linear - np.einsum("kij,ki->j", cones, forces)).max() < 1e-8 * size
    for each in (slack, forces):
        assert (each[:, 0] - np.hypot(each[:, 1], each[:, 2])).min() > -1e-8 * size
    assert np.abs((slack * forces).sum(axis=1)).max() < 1e-8 * size**2


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_solutions_are_those_of_an_independent_solver(seed: int) -> None:
    hessian, linear, cones, bounds = programs(seed)
    found = solved(hessian, linear, cones, bounds)

    def margin(x: Array) -> Array:
        s = np.einsum("kij,j->ki", cones, x)
        return np.asarray(s[:, 0] - bounds - np.sqrt(s[:, 1] ** 2 + s[:, 2] ** 2 + 1e-16))

    def objective(x: Array) -> float:
        return float(x @ hessian @ x / 2 - linear @ x)

    other = minimize(
        objective,
        np.zeros(len(linear)),
        jac=lambda x: hessian @ x - linear,
        constraints={"type": "ineq", "fun": margin},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-13},
    )
    assume(other.success)
    value = objective(np.array(found.x, dtype=float))
    assert value < other.fun + 1e-5 * (1 + abs(other.fun))
    assert value > other.fun - 1e-5 * (1 + abs(other.fun))


@given(st.integers(0, 10**6))
def test_residuals_tell_what_a_motion_or_a_force_is_off(seed: int) -> None:
    hessian, linear, cones, bounds = programs(seed)
    found, rng = solved(hessian, linear, cones, bounds), np.random.default_rng(seed)
    x, forces = np.array(found.x, dtype=float), np.array(found.forces, dtype=float)

    def residual(x: Array, forces: Array) -> float:
        """Return the residual of a program whose forces are in balance."""
        balanced = hessian @ x - np.einsum("kij,ki->j", cones, forces)
        rows, sides = nested(np.vstack(cones)), tuple(np.repeat(bounds, 3).tolist())
        motion = tuple(x.tolist()), tuple(forces.ravel().tolist())
        return to_float(cone_residual(nested(hessian), tuple(balanced.tolist()), rows, sides, *motion))

    size = max(1.0, np.abs(x).max(), np.abs(forces).max())
    assert residual(x, forces) < 1e-7 * size
    off = x + 0.1 * rng.normal(size=len(x))
    slack = np.einsum("kij,j->ki", cones, off)
    violation = (np.hypot(slack[:, 1], slack[:, 2]) - slack[:, 0] + bounds).max()
    assert residual(off, forces) > 0.3 * violation
    outside = forces - 2 * size * np.eye(3)[0]
    assert residual(x, outside) > 0.3 * size


@pytest.mark.parametrize("noise", [0.0, 1e-17])
def test_rows_of_rounding_errors_constrain_nothing(noise: float) -> None:
    """A point on the axis of a joint, which the joint does not move."""
    cones = np.array([[[0.0, 1.0], [0.5, 0.0], [0.0, 0.0]], [[noise, noise], [noise, 0.0], [0.0, noise]]])
    found = solved(np.eye(2), np.array([-1.0, -1.0]), cones, np.array([0.0, 0.0]))
    alone = solved(np.eye(2), np.array([-1.0, -1.0]), cones[:1], np.array([0.0]))
    assert found.x == alone.x
    assert found.forces[1] == (0, 0, 0)


def test_without_cones_the_motion_is_the_free_one() -> None:
    hessian, linear, cones, bounds = programs(4)
    found = solved(hessian, linear, cones[:0], bounds[:0])
    np.testing.assert_allclose(hessian @ np.array(found.x, dtype=float), linear, rtol=0, atol=1e-12)
    assert (found.forces, found.interval_forces, found.residual) == ((), (), 0)


def test_bounds_above_zero_of_rows_of_zeros_raise() -> None:
    cones = np.array([[[0.0, 1.0], [0.5, 0.0], [0.0, 0.0]], np.zeros((3, 2))])
    with pytest.raises(SolverError, match="round friction cones"):
        solved(np.eye(2), np.array([-1.0, -1.0]), cones, np.array([0.0, 1.0]))


@pytest.mark.parametrize("azimuth", np.linspace(0.1, 6.2, 7))
def test_friction_is_opposite_to_the_slip_and_equal_in_all_directions(azimuth: float) -> None:
    """A box is pushed across its sliding direction: two constant forces turn its way."""
    state, model = body_on_floor("box")
    turn = np.array([[np.cos(azimuth), -np.sin(azimuth)], [np.sin(azimuth), np.cos(azimuth)]])
    state.set_velocity([0, 0, 0, *(turn @ [0.02, 0.0]), 0])
    push = turn @ [0.0, 8.0]
    after = contact_step(state, model, [0, 0, 0, *push, 0], 5e-3, friction=0.4)
    slip = after.v[3:5]
    force = 1.5 * (slip - state.v[3:5]) / 5e-3 - push
    assert np.linalg.norm(force) == pytest.approx(0.4 * after.impulses[0] / 5e-3, rel=1e-8)
    assert force[0] * slip[1] - force[1] * slip[0] == pytest.approx(0, abs=1e-6)
    assert force @ slip < 0
    expected, _ = body_on_floor("box")
    expected.set_velocity([0, 0, 0, 0.02, 0, 0])
    same = contact_step(expected, _, [0, 0, 0, 0, 8.0, 0], 5e-3, friction=0.4)
    np.testing.assert_allclose(turn.T @ slip, same.v[3:5], rtol=0, atol=1e-8)


@pytest.mark.parametrize("azimuth", [0.0, 0.4, 0.785, 2.0])
def test_boxes_stick_up_to_the_friction_angle_in_any_direction(azimuth: float) -> None:
    """A polyhedral cone bears less between its edges."""
    mu = 0.5
    for angle, sticks in ((np.arctan(mu) - 0.01, True), (np.arctan(mu) + 0.01, False)):
        pull = G * np.array([np.sin(angle) * np.cos(azimuth), np.sin(angle) * np.sin(azimuth), -np.cos(angle)])
        state, model = body_on_floor("box", slope=pull)
        ContactSimulator(state.mechanism, model, None, 2e-3, friction=mu).run(state, 0.3)
        assert (np.abs(state.v).max() < 1e-8) == sticks
        if not sticks:
            speed = 0.3 * G * (np.sin(angle) - mu * np.cos(angle))
            assert np.linalg.norm(state.v[3:5]) == pytest.approx(speed, rel=5e-2)


def test_a_sliding_ball_decelerates_and_rolls_as_coulomb_says() -> None:
    results = []
    for cone in ("round", "polyhedral"):
        state, model = body_on_floor("ball", cone=cone)
        state.set_velocity([0, 0, 0, 0.6, 0.8, 0])
        results.append(contact_step(state, model, None, 1e-3, friction=0.3))
    np.testing.assert_allclose(results[0].v, results[1].v, rtol=0, atol=1e-9)  # its first edge is along the slip
    assert results[0].kkt_residual < 1e-9
    state, model = body_on_floor("ball")
    state.set_velocity([0, 0, 0, 0.6, 0.8, 0])
    ContactSimulator(state.mechanism, model, None, 2e-4, friction=0.3).run(state, 0.5)
    speed = 1.0 / (1 + 1 / (1.5 * 0.01 * 50))  # sliding has ended: v + I / (m r²) v = 1
    assert np.linalg.norm(state.q[4:6]) == pytest.approx(_way(speed), rel=2e-3)
    assert state.q[5] / state.q[4] == pytest.approx(4 / 3, rel=1e-6)


def _way(rolling: float) -> float:
    """Return how far a ball comes in half a second that begins to slide at 1 m/s and then rolls."""
    slowing = (1.0 - rolling) / (0.3 * G)
    return (1.0 + rolling) / 2 * slowing + rolling * (0.5 - slowing)


def test_stops_dry_friction_and_springs_are_in_the_same_step() -> None:
    """With one direction of motion, both kinds of cones are the same."""
    results = []
    for cone in ("polyhedral", "round"):
        mechanism = rbd.Mechanism()
        carriage = rbd.RigidBody("carriage")
        along = rbd.Joint("along", rbd.Prismatic([1, 0, 0]), position_bounds=(-1.0, 0.01), friction=0.5)
        mechanism.attach("world", carriage, along)
        ball = rbd.RigidBody("ball", rbd.SpatialInertia(rbd.Frame("ball"), mass=1.5, moment_about_com=np.eye(3)))
        mechanism.attach(carriage, ball, rbd.Joint("up", rbd.Prismatic([0, 0, 1])))
        model = CollisionModel(mechanism, friction_cone=cone)  # type: ignore[arg-type]  # one of two words
        root = mechanism.root_frame
        floor = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
        shape = model.add(ball, Sphere(ball.default_frame, 0.1))
        model.add_pair(shape, floor, compliance=Compliance(3e3, 40.0))
        state = rbd.MechanismState(mechanism, [0.0, 0.098], [0.4, -0.2])
        run = ContactSimulator(mechanism, model, None, 2e-3, friction=0.3).run(state, 0.1)
        results.append(np.hstack([run.q, run.v]))
    np.testing.assert_allclose(results[0], results[1], rtol=0, atol=1e-7)
    assert results[0][:, 0].max() == pytest.approx(0.01, abs=1e-9)  # it met the stop


@pytest.mark.optimised
def test_one_lane_many_lanes_threads_and_the_interpreter_give_the_same_bits() -> None:
    hessian, linear, cones, _ = programs(4)
    graph, count, rng = Graph(), 19, np.random.default_rng(1)
    forces, sides = graph.input("linear", (len(linear),)), graph.input("bounds", (len(cones),))
    matrix = tuple(map(tuple, hessian.tolist()))
    blocks = [tuple(map(tuple, block)) for block in cones.tolist()]
    found = solve_cone_program(matrix, Factor.of(matrix, ["x"] * len(matrix)), forces, blocks, sides)
    outputs = {"x": found.x, "cones": tuple(x for cone in found.forces for x in cone), "residual": found.residual}
    program = Program.of(graph, "cones", outputs)
    arrays = [linear + rng.normal(size=(count, len(linear))), -rng.exponential(size=(count, len(cones)))]
    expected = reference(program, arrays, count)
    assert expected[1] == (-1, 0)
    assert (np.abs(expected[0][:, len(linear) :]) > 1e-3).any()
    assert_same_bits(native_singles(CompiledProgram(program, 1), arrays, count), expected)
    for lanes in (2, 8):
        assert_same_bits(native_rows(CompiledProgram(program, lanes), arrays, count), expected)
    assert_same_bits(native_rows(CompiledProgram(program, 8), arrays, count, threads=2), expected)
    reversed_rows = native_rows(CompiledProgram(program, 8), [x[::-1].copy() for x in arrays], count)
    np.testing.assert_array_equal(reversed_rows[0][::-1], expected[0])


def test_the_ground_carries_the_weight_of_a_box_at_rest() -> None:
    """On a slope below the friction angle; its corners together carry the weight, and friction holds it."""
    angle, dt = 0.3, 2e-3
    state, model = body_on_floor("box", slope=G * np.array([0.8 * np.sin(angle), 0.6 * np.sin(angle), -np.cos(angle)]))
    ContactSimulator(state.mechanism, model, None, dt, friction=0.5).run(state, 0.1)
    after = contact_step(state, model, None, dt, friction=0.5)
    assert after.impulses.sum() == pytest.approx(1.5 * G * np.cos(angle) * dt, rel=1e-8)
    assert np.abs(after.v).max() < 1e-9


@pytest.mark.optimised
def test_worlds_with_round_cones_have_the_bits_of_single_ones() -> None:
    state, model = body_on_floor("box")
    rng = np.random.default_rng(0)
    q = np.tile(state.q, (9, 1))
    v = rng.normal(size=(9, 6)) * [1, 1, 1, 1, 1, 0.1]
    many, one, threaded = (
        Worlds(state.mechanism, model, count=n, dt=2e-3, friction=0.5, threads=threads)
        for n, threads in ((9, 1), (1, 1), (9, 2))
    )
    for each in (many, threaded):
        each.reset(None, q=q, v=v)
        each.step(steps=30)
    np.testing.assert_array_equal(threaded.v, many.v)
    for k in range(9):
        one.reset(None, q=q[k : k + 1], v=v[k : k + 1])
        one.step(steps=30)
        np.testing.assert_array_equal(many.q[k], one.q[0])
        np.testing.assert_array_equal(many.v[k], one.v[0])


@pytest.mark.optimised
def test_derivatives_of_steps_without_friction_are_the_same_for_both_cones() -> None:
    found = []
    for cone in ("round", "polyhedral"):
        state, model = body_on_floor("ball", cone=cone)
        state.set_velocity([0.1, 0.2, 0.3, 0.6, 0.8, -0.5])
        found.append(rbd.contact.contact_step_derivatives(state, model, None, 1e-3))
    assert np.abs(found[0].v_by_v).max() > 0.5
    for name in ("q_by_q", "q_by_v", "q_by_torques", "v_by_q", "v_by_v", "v_by_torques"):
        np.testing.assert_array_equal(getattr(found[0], name), getattr(found[1], name))


@pytest.mark.parametrize("cone", ["round", "polyhedral"])
def test_a_bound_on_a_coordinate_that_has_no_rate_constrains_nothing(cone: str) -> None:
    """The scalar part of a quaternion does not change at the identity: the row of its bounds is zero."""
    motions = list[Array]()
    for bounds in (None, [(-2.0, 2.0), *[(-np.inf, np.inf)] * 6]):
        state, model = body_on_floor("box", cone=cone, bounds=bounds)
        contact_step(state, model, np.zeros(6), 1e-3, friction=0.5)
        motions.append(state.v)
    np.testing.assert_allclose(motions[1], motions[0], rtol=0, atol=1e-12)


def test_what_round_cones_do_not_have_is_refused() -> None:
    state, model = body_on_floor("ball")
    ball, floor = model.pairs[0].a, model.pairs[0].b
    with pytest.raises(ArgumentError, match="no torsional or rolling friction"):
        model.add_pair(ball, floor, rolling_friction=0.1)
    with pytest.raises(ArgumentError, match="derivatives of steps with friction need polyhedral"):
        rbd.contact.contact_step_derivatives(state, model, None, 1e-3, friction=0.5)
    with pytest.raises(ArgumentError, match="friction cone"):
        CollisionModel(state.mechanism, friction_cone="square")  # type: ignore[arg-type]  # a wrong word
    cones = [((1.0,), (0.0,), (0.0,)), ((-1.0,), (0.0,), (0.0,))]
    with pytest.raises(SolverError, match="round friction cones"):
        solve_cone_program(((1.0,),), Factor.of(((1.0,),), ["x"]), (0.0,), cones, (1.0, 1.0))
