"""Geometric and point Jacobians, twists and accelerations between bodies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import rbd
from rbd import DynamicsResult, FreeVector, Point, Wrench
from rbd.errors import ArgumentError, FrameMismatchError, ShapeError, UnknownNameError

from .helpers import (
    JOINT_TYPES,
    Case,
    case,
    cases,
    close,
    examples,
    jacobians_from_poses,
    rate,
    six,
    twist_from_poses,
)


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_jacobians_of_every_joint_type_are_the_derivatives_of_poses(kind: str) -> None:
    state = case(kind, seed=37).state
    mechanism = state.mechanism
    for body, expected in jacobians_from_poses(state).items():
        J = rbd.geometric_jacobian(state, mechanism.path(mechanism.root_body, body))
        assert (J.body, J.base, J.frame) == (body.default_frame, mechanism.root_frame, mechanism.root_frame)
        close(J.matrix, expected)


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_twists_of_every_joint_type_are_the_derivatives_of_poses(kind: str) -> None:
    state = case(kind, seed=41).state
    for body in state.mechanism.bodies[1:]:
        twist = state.twist(body)
        assert (twist.body, twist.base, twist.frame) == (body.default_frame, *[state.mechanism.root_frame] * 2)
        close(twist.vector, twist_from_poses(state, body))


@examples(1)
@given(cases(bodies=9))
def test_geometric_jacobian_times_velocity_is_the_relative_twist(a_case: Case) -> None:
    state, mechanism = a_case.state, a_case.mechanism
    for _ in range(3):
        base, body, other = a_case.body(), a_case.body(), a_case.body()
        path = mechanism.path(base, body)
        J = rbd.geometric_jacobian(state, path)
        expected = state.relative_twist(body, base)
        actual = J @ state.v
        assert (actual.body, actual.base, actual.frame) == (expected.body, expected.base, expected.frame)
        close(actual.vector, expected.vector, 1e-12, scale=1)
        close(expected.vector, state.twist(body).vector - state.twist(base).vector, 1e-12, scale=1)
        for frame in (body.default_frame, base.default_frame, other.default_frame):
            J_frame = rbd.geometric_jacobian(state, path, frame=frame)
            assert J_frame.frame == frame
            close((J_frame @ state.v).vector, state.transform(expected, frame).vector, 1e-12, scale=1)


@examples(0.6)
@given(cases(bodies=9))
def test_columns_of_joints_off_the_path_are_zero(a_case: Case) -> None:
    state, mechanism = a_case.state, a_case.mechanism
    base, body = a_case.body(), a_case.body()
    J = rbd.geometric_jacobian(state, mechanism.path(base, body)).matrix
    on_path = {joint for end in (base, body) for joint in mechanism.tree_joints if mechanism.supports(joint, end)}
    both = {j for j in on_path if mechanism.supports(j, base) and mechanism.supports(j, body)}
    for joint in mechanism.tree_joints:
        block = J[:, state.v_slice(joint)]
        assert block.any() == (joint in on_path - both and joint.nv > 0)


@examples(0.6)
@given(cases(bodies=9))
def test_reversed_path_gives_the_negative_jacobian(a_case: Case) -> None:
    base, body = a_case.body(), a_case.body()
    there = rbd.geometric_jacobian(a_case.state, a_case.mechanism.path(base, body))
    back = rbd.geometric_jacobian(a_case.state, a_case.mechanism.path(body, base))
    assert there.isclose(-back)


@examples(1)
@given(cases())
def test_power_of_a_wrench(a_case: Case) -> None:
    """(Jᵀ w) . v = w . twist."""
    state = a_case.state
    J = rbd.geometric_jacobian(state, a_case.mechanism.path(a_case.body(), a_case.body()))
    wrench = Wrench(J.frame, a_case.rng.standard_normal(3), a_case.rng.standard_normal(3))
    close(J.torque(wrench), J.matrix.T @ wrench.vector, 1e-13)
    close(J.torque(wrench) @ state.v, wrench.dot(J @ state.v), 1e-12, scale=1)
    with pytest.raises(FrameMismatchError):
        J.torque(Wrench(rbd.Frame("elsewhere"), (0, 0, 0), (0, 0, 0)))


@examples(1)
@given(cases())
def test_point_jacobian(a_case: Case) -> None:
    """In the frame of the point: the velocity, relative to the base, of the body-fixed point that is there now."""
    state, mechanism = a_case.state, a_case.mechanism
    base, body = a_case.body(), a_case.body()
    path = mechanism.path(base, body)
    xyz, force = a_case.rng.standard_normal(3), a_case.rng.standard_normal(3)
    local = Point(body.default_frame, xyz)
    for point in (local, state.transform(local, mechanism.root_frame)):
        J = rbd.point_jacobian(state, path, point)
        assert J.frame == point.frame
        twist = state.transform(state.relative_twist(body, base), point.frame)
        close((J @ state.v).xyz, twist.point_velocity(point).xyz, 1e-12, scale=1)
        close(J.torque(FreeVector(point.frame, force)), J.matrix.T @ force, 1e-13)


@examples(1)
@given(cases())
def test_point_jacobian_is_the_derivative_of_a_position(a_case: Case) -> None:
    state, mechanism = a_case.state, a_case.mechanism
    body = mechanism.bodies[-1]
    point = Point(body.default_frame, a_case.rng.standard_normal(3))
    in_root = state.transform(point, mechanism.root_frame)
    J = rbd.point_jacobian(state, mechanism.path(mechanism.root_body, body), in_root)
    velocity = rate(state, lambda s: np.array(s.transform(point, mechanism.root_frame).xyz_components, dtype=complex))
    close(J.matrix @ state.v, velocity, scale=1)


def test_out_and_wrong_arguments() -> None:
    a_case = case("tree", seed=43)
    state, mechanism = a_case.state, a_case.mechanism
    path = mechanism.path(mechanism.root_body, mechanism.bodies[-1])
    point = Point(mechanism.bodies[-1].default_frame, (1, 2, 3))
    out6, out3 = np.full((6, mechanism.nv), np.nan), np.full((3, mechanism.nv), np.nan)
    J, P = rbd.geometric_jacobian(state, path, out=out6), rbd.point_jacobian(state, path, point, out=out3)
    assert np.array_equal(J.matrix, out6)
    assert np.array_equal(P.matrix, out3)
    with pytest.raises(ShapeError):
        rbd.geometric_jacobian(state, path, out=np.zeros((5, mechanism.nv)))
    with pytest.raises(ShapeError):
        rbd.point_jacobian(state, path, point, out=np.zeros((3, mechanism.nv + 1)))
    other, nowhere = case("chain", seed=1).mechanism, rbd.Frame("nowhere")
    for way in (path, mechanism.path(mechanism.bodies[-1], mechanism.bodies[-1])):  # also where there are no joints
        with pytest.raises(FrameMismatchError):
            rbd.point_jacobian(state, way, Point(nowhere, (0, 0, 0)))
        with pytest.raises(FrameMismatchError):
            rbd.geometric_jacobian(state, way, frame=nowhere)
        with pytest.raises(ArgumentError):
            rbd.point_jacobian(state, way, (1, 2, 3))
    for foreign in (other.path(other.root_body, other.bodies[-1]), other.path(other.bodies[1], other.bodies[1])):
        with pytest.raises(UnknownNameError):
            rbd.geometric_jacobian(state, foreign)
    with pytest.raises(ArgumentError):
        rbd.geometric_jacobian(state, 1)


@pytest.mark.parametrize(
    "name", ["geometric_jacobian", "geometric_jacobian_rate", "point_jacobian", "point_jacobian_rate"]
)
def test_jacobian_errors_name_the_function_that_was_called(name: str) -> None:
    a_case = case("chain", seed=1)
    path = a_case.mechanism.path(a_case.mechanism.root_body, a_case.body())
    further = (Point(a_case.mechanism.root_frame, (0, 0, 0)),) if name.startswith("point") else ()
    with pytest.raises(ArgumentError, match=rf"^{name}\b"):
        getattr(rbd.algorithms, name)("no state", path, *further)
    with pytest.raises(ArgumentError, match=rf"^{name}\b"):
        getattr(rbd.algorithms, name)(a_case.state, 3, *further)


@examples(0.5)
@given(cases(bodies=6))
def test_relative_accelerations_of_all_pairs_are_derivatives_of_relative_twists(a_case: Case) -> None:
    state, mechanism = a_case.state, a_case.mechanism
    result = rbd.dynamics(DynamicsResult(mechanism), state, a_case.velocity())
    vd = result.vd
    scale = 1 + np.abs(vd).max(initial=0)
    for base in mechanism.bodies:
        for body in mechanism.bodies:
            expected = rate(state, lambda s, b=body, a=base: six(s.relative_twist(b, a)), vd)
            close(result.acceleration(body).vector - result.acceleration(base).vector, expected, scale=scale)


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_bias_accelerations_of_every_joint_type(kind: str) -> None:
    state = case(kind, seed=47).state
    root = state.mechanism.root_frame
    for body in state.mechanism.bodies[1:]:
        bias = state.bias_acceleration(body)
        assert (bias.body, bias.base, bias.frame) == (body.default_frame, root, root)
        close(bias.vector, rate(state, lambda s, b=body: six(s.twist(b))), scale=1)
