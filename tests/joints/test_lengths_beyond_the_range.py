"""Coordinates whose squares overflow or vanish describe the rotations of their multiples, to the last bit."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

import rbd
from rbd import scalars as s
from rbd.errors import NotFiniteError, RotationError, SingularError
from rbd.joints.base import JointType
from rbd.joints.charts import MRPChart
from rbd.scalars.dual import Dual
from rbd.scalars.linear_algebra import matvec
from rbd.scalars.norms import norm, scaled_down, scaled_into_range
from rbd.spatial import so3
from rbd.spatial.half_space import HalfSpace
from rbd.spatial.quaternion import mrp_to_quaternion, mrp_velocity_jacobian, quaternion_to_rotation

POWERS = (-1000, -700, -512, -452, -449, -300, 300, 449, 452, 511, 512, 700, 1000, 1020)
SCALED = (rbd.QuaternionSpherical(), rbd.QuaternionFloating(), rbd.SinCosRevolute((1, 2, 3)))
AFTER, BEFORE = rbd.Frame("after"), rbd.Frame("before")


def mechanism() -> rbd.Mechanism:
    """Return a chain with a joint of every type whose coordinates have any length."""
    made, before = rbd.Mechanism(), "world"
    for number, joint_type in enumerate(SCALED):
        body = rbd.RigidBody(f"body{number}")
        made.attach(before, body, rbd.Joint(f"joint{number}", joint_type))
        moment = np.diag([0.3, 0.4, 0.5])
        body.set_inertia(
            rbd.SpatialInertia(body.default_frame, mass=1.5, com=(0.2, 0.1, -0.3), moment_about_com=moment)
        )
        before = body.name
    return made


def scaled_rows(q: np.ndarray) -> np.ndarray:
    """Return q, and q with the rotations' coordinates times powers of two; the position stays."""
    rows = np.tile(q, (len(POWERS) + 1, 1))
    for row, power in zip(rows[1:], POWERS, strict=True):
        row[:8] = [math.ldexp(x, power) for x in row[:8]]
        row[11:] = [math.ldexp(x, power) for x in row[11:]]
    return rows


def poses(state: rbd.MechanismState) -> Any:
    """Return the entries of all poses."""
    found = [state.transform_to_root(body) for body in state.mechanism.bodies[1:]]
    return tuple(x for tf in found for row in (*tf.rotation_components, tf.translation_components) for x in row)


FUNCTIONS = {
    "poses": poses,
    "mass matrix": rbd.mass_matrix,
    "bias": rbd.dynamics_bias,
    "accelerations": lambda state: rbd.forward_dynamics(state, [0.1] * 10),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_recordings_give_the_bits_of_ordinary_coordinates(name: str) -> None:
    robot = mechanism()
    state = rbd.MechanismState(robot)
    state.randomize(np.random.default_rng(4))
    rows, v = scaled_rows(np.array(state.q)), np.array(state.v)
    function = rbd.record(FUNCTIONS[name], robot)
    wanted = np.asarray(function.interpret(rows[0], v))
    for row in rows[1:]:
        assert np.asarray(function.interpret(row, v)).tobytes() == wanted.tobytes()
        assert np.asarray(function(row, v)).tobytes() == wanted.tobytes()
    assert all(np.asarray(found).tobytes() == wanted.tobytes() for found in np.asarray(function(rows, v)))


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_derivatives_along_velocities_do_not_depend_on_the_length(mode: Any) -> None:
    robot = mechanism()
    state = rbd.MechanismState(robot)
    state.randomize(np.random.default_rng(5))
    rows, v = scaled_rows(np.array(state.q)), np.array(state.v)
    derivative = rbd.record(rbd.gravitational_potential_energy, robot).derivative("result", "q", mode=mode)
    wanted = derivative(rows[0], v)
    assert np.abs(wanted).max() > 0.1
    for row in rows[1:]:
        np.testing.assert_allclose(derivative(row, v), wanted, rtol=1e-13, atol=1e-14)  # a few roundings


@pytest.mark.parametrize("joint_type", SCALED, ids=lambda kind: type(kind).__name__)
@pytest.mark.parametrize("power", POWERS)
def test_joints_on_floats(joint_type: JointType, power: int) -> None:
    rng = np.random.default_rng(6)
    q0, q = joint_type.random(rng), joint_type.random(rng)
    v = tuple(rng.standard_normal(joint_type.nv).tolist())
    size = 2 if joint_type.nv == 1 else 4

    def grown(x: Any) -> tuple[float, ...]:
        return (*(math.ldexp(c, power) for c in x[:size]), *x[size:])

    assert joint_type.transform(grown(q), AFTER, BEFORE).matrix.tobytes() == pose(joint_type, q).tobytes()
    assert joint_type.normalize(grown(q)) == joint_type.normalize(q)
    assert joint_type.local_coordinates(q0, grown(q)) == joint_type.local_coordinates(q0, q)
    assert joint_type.local_coordinates(grown(q), q0) == joint_type.local_coordinates(q, q0)
    rate = joint_type.configuration_derivative(grown(q), v)
    assert joint_type.velocity(grown(q), rate) == pytest.approx(v, rel=1e-14)
    assert matvec(joint_type.velocity_jacobian(grown(q)), rate) == pytest.approx(v, rel=1e-14)
    error = float(joint_type.normalization_error(grown(q)))  # type: ignore[arg-type]  # floats in, a float out
    assert error == pytest.approx(abs(math.ldexp(1.0, power) - 1), rel=1e-15)


def pose(joint_type: JointType, q: Any) -> Any:
    """Return the transform of a joint as a matrix."""
    return joint_type.transform(q, AFTER, BEFORE).matrix


def test_the_cases_that_were_wrong() -> None:
    robot, body = rbd.Mechanism(), rbd.RigidBody("body")
    robot.attach("world", body, rbd.Joint("free", rbd.QuaternionFloating()))
    moment = np.diag([0.3, 0.4, 0.5])
    body.set_inertia(rbd.SpatialInertia(body.default_frame, mass=2.0, com=(0, 0, 0), moment_about_com=moment))
    compiled = rbd.compile(robot)
    found = compiled.forward_kinematics([1e154, 1e154, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(np.asarray(found)[-1][:3, :3], [[1, 0, 0], [0, 0, -1], [0, 1, 0]], rtol=0, atol=1e-15)
    upside_down = compiled.dynamics_bias([0, 2e154, 0, 0, 0, 0, 0], [0.0] * 6)
    wanted = compiled.dynamics_bias([0, 1, 0, 0, 0, 0, 0], [0.0] * 6)
    np.testing.assert_allclose(upside_down, wanted, rtol=1e-15, atol=1e-15)
    state = rbd.MechanismState(robot)
    for factor in (1e200, 1e-160, 5e-324):
        state.set_configuration([3 * factor, 4 * factor, 0, 0, 1, 2, 3], normalize=True)
        np.testing.assert_allclose(state.q, [0.6, 0.8, 0, 0, 1, 2, 3], rtol=1e-15)


@pytest.mark.parametrize("joint_type", SCALED, ids=lambda kind: type(kind).__name__)
def test_no_length_at_all_stays_an_error(joint_type: JointType) -> None:
    robot, body = rbd.Mechanism(), rbd.RigidBody("body")
    robot.attach("world", body, rbd.Joint("free", joint_type))
    moment = np.diag([0.3, 0.4, 0.5])
    body.set_inertia(rbd.SpatialInertia(body.default_frame, mass=2.0, com=(1, 2, 3), moment_about_com=moment))
    q = [0.0] * joint_type.nq
    with pytest.raises(NotFiniteError, match="left the range"):
        rbd.compile(robot).forward_kinematics(q)
    with pytest.raises(RotationError, match="away from norm 1"):
        rbd.MechanismState(robot).set_configuration(q, normalize=True)


def test_exact_scalars_stay_exact_and_symbols_free_of_choices() -> None:
    small, large = Fraction(1, 10**200), Fraction(10**200)
    for unit in (small, large):
        exact = rbd.QuaternionSpherical().transform((unit, 2 * unit, 3 * unit, 4 * unit), AFTER, BEFORE)
        ordinary = rbd.QuaternionSpherical().transform(tuple(map(Fraction, (1, 2, 3, 4))), AFTER, BEFORE)
        assert exact.rotation_components == ordinary.rotation_components
    symbols = sympy.symbols("w x y z")
    found = rbd.QuaternionSpherical().transform(symbols, AFTER, BEFORE)
    assert not any(sympy.sympify(x).has(sympy.Piecewise) for row in found.rotation_components for x in row)
    assert scaled_into_range(symbols) == (symbols, 1)


@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_derivatives_by_duals_and_complex_steps(factor: float) -> None:
    slopes = (0.3, -0.2, 0.5, 0.1)

    def entry(q: Any) -> Any:
        return rbd.QuaternionSpherical().transform(q, AFTER, BEFORE).rotation_components[0][1]

    ordinary = entry(tuple(Dual(x, d) for x, d in zip((1.0, 2.0, 3.0, 4.0), slopes, strict=True)))
    dual = entry(tuple(Dual(factor * x, factor * d) for x, d in zip((1.0, 2.0, 3.0, 4.0), slopes, strict=True)))
    step = entry(tuple(factor * complex(x, 1e-20 * d) for x, d in zip((1.0, 2.0, 3.0, 4.0), slopes, strict=True)))
    assert dual.value == pytest.approx(ordinary.value, rel=1e-14)
    assert dual.derivative == pytest.approx(ordinary.derivative, rel=1e-13)
    assert step.imag * 1e20 == pytest.approx(ordinary.derivative, rel=1e-13)


def mrp_matrices(r: Any) -> list[Any]:
    """Return rotation and velocity matrix of modified Rodrigues parameters of any kind, as arrays of floats."""
    rotation = quaternion_to_rotation(mrp_to_quaternion(r))
    return [np.array(matrix, dtype=float) for matrix in (rotation, mrp_velocity_jacobian(r))]


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1.0, 1e60, 1e78, 1e100, 1e140, 1e155, 1e160, 1e300])
def test_modified_rodrigues_parameters(size: float) -> None:
    r = (0.3 * size, -1.2 * size, 0.7 * size)
    rotation, velocity = mrp_matrices(tuple(map(Fraction, r)))  # exact but for one rounding
    found = mrp_matrices(r)
    np.testing.assert_allclose(found[0], rotation, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(found[1], velocity, rtol=1e-13, atol=1e-307)  # subnormals round
    principal = tuple(s.to_float(x) for x in MRPChart().principal_value(r))
    assert max(map(abs, principal)) <= 1
    np.testing.assert_allclose(mrp_matrices(principal)[0], rotation, rtol=1e-14, atol=1e-15)


def test_lengths_and_directions() -> None:
    world = rbd.Frame("world")
    for factor in (1e-320, 1e-200, 1.0, 1e155, 1e200, 1.7e307):
        vector = rbd.FreeVector(world, (3 * factor, 0, 4 * factor))
        assert vector.norm() == pytest.approx(5 * factor, rel=1e-3 if factor < 1e-300 else 1e-15)
        assert vector.normalized().components == pytest.approx((0.6, 0, 0.8), rel=1e-3 if factor < 1e-300 else 1e-15)
        floor = HalfSpace(rbd.Point.origin(world), vector)
        assert floor.normal.norm() == pytest.approx(1, rel=1e-15)
        turn = np.array(so3.minimal_rotation((factor, 0, 0), (0, factor, 0)), dtype=float)
        np.testing.assert_allclose(turn, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], rtol=0, atol=1e-15)
        for axis in (rbd.Revolute((factor, 0, 0)).axis, rbd.SinCosRevolute((0, factor, 0)).axis):
            assert sorted(axis) == [0, 0, 1]
    with pytest.raises(SingularError, match="length of the vector"):
        rbd.FreeVector(world, (0, 0, 0)).normalized()


@pytest.mark.parametrize("values", [(3.0, 4.0), (2.0**199, 0.0), (1.0, 1e-300), (1e-60, 1e-200)])
def test_ordinary_numbers_are_what_they_were(values: tuple[float, float]) -> None:
    assert scaled_into_range(values) == (values, 1)
    assert scaled_into_range(values)[0] is values
    assert scaled_down(values)[0] is values
    assert norm(values) == math.sqrt(values[0] * values[0] + values[1] * values[1])
    assert s.is_float(norm(values))
