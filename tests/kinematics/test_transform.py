"""Change of frame of values, and queries between bodies and frames."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given

import rbd
from rbd import Frame, FreeVector, Momentum, Point, SpatialAcceleration, Transform, Twist, Wrench
from rbd.errors import ArgumentError, FrameMismatchError, RbdError, UnknownNameError

from ..algorithms.helpers import Case, case, cases, close, examples, moving, pose, raised, rate, six


@pytest.fixture(autouse=True, scope="module")
def _readable_source() -> Iterator[None]:
    """Compute with the source, which scalar states run too; `test_live.py` holds live states to it."""
    with rbd.interpreted():
        yield


NOWHERE = (FrameMismatchError, UnknownNameError)


def adjoint(H: np.ndarray) -> np.ndarray:
    """Return the 6x6 matrix that carries twists (angular first) along the pose H."""
    R, p = H[:3, :3], H[:3, 3]
    hat = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    out = np.zeros((6, 6))
    out[:3, :3] = out[3:, 3:] = R
    out[3:, :3] = hat @ R
    return out


def frames_of(a_case: Case) -> list[Frame]:
    """Return some frames: default ones, extra ones, frames before joints, the root's."""
    body = a_case.body()
    joint = a_case.mechanism.tree_joints[-1]
    return [body.default_frame, *body.frames[:2], joint.frame_before, a_case.mechanism.root_frame]


@examples(1)
@given(cases())
def test_relative_transforms_compose(a_case: Case) -> None:
    state, root = a_case.state, a_case.mechanism.root_frame
    for a in frames_of(a_case):
        to_root = state.transform_to_root(a)
        assert (to_root.from_frame, to_root.to_frame) == (a, root)
        for b in frames_of(a_case):
            tf = state.relative_transform(a, b)
            assert (tf.from_frame, tf.to_frame) == (a, b)
            expected = np.linalg.inv(state.transform_to_root(b).matrix) @ to_root.matrix
            close(tf.matrix, expected, 1e-13, scale=1)


@examples(1)
@given(cases())
def test_values_in_another_frame(a_case: Case) -> None:
    state, rng = a_case.state, a_case.rng
    frames = frames_of(a_case)
    a, b = frames[rng.integers(len(frames))], frames[rng.integers(len(frames))]
    H = state.relative_transform(a, b).matrix
    x, w = rng.standard_normal(3), rng.standard_normal(6)
    close(state.transform(Point(a, x), b).xyz, (H @ [*x, 1])[:3], 1e-13, scale=1)
    close(state.transform(FreeVector(a, x), b).xyz, H[:3, :3] @ x, 1e-13, scale=1)
    body, base = (a_case.body().default_frame for _ in range(2))
    twist = Twist(body, base, a, w[:3], w[3:])
    moved = state.transform(twist, b)
    assert (moved.body, moved.base, moved.frame) == (body, base, b)
    close(moved.vector, adjoint(H) @ w, 1e-13, scale=1)
    co_adjoint = np.linalg.inv(adjoint(H)).T
    for kind in (Wrench, Momentum):
        moved = state.transform(kind(a, w[:3], w[3:]), b)
        assert moved.frame == b
        assert isinstance(moved, kind)
        close(moved.vector, co_adjoint @ w, 1e-12, scale=1)
    J = rbd.geometric_jacobian(state, a_case.mechanism.path(a_case.body(), a_case.body()))
    J_a = state.transform(J, a)
    expected = adjoint(np.linalg.inv(state.transform_to_root(a).matrix)) @ J.matrix
    close(J_a.matrix, expected, 1e-12, scale=1)


@examples(1)
@given(cases())
def test_an_inertia_in_another_frame(a_case: Case) -> None:
    body, state = a_case.mechanism.bodies[-1], a_case.state
    b = frames_of(a_case)[0]
    H = state.relative_transform(body.default_frame, b).matrix
    inverse = np.linalg.inv(adjoint(H))
    moved = state.transform(body.inertia, b)
    assert moved.frame == b
    close(moved.matrix, inverse.T @ body.inertia.matrix @ inverse, 1e-12)


@examples(1)
@given(cases())
def test_an_acceleration_in_a_moving_frame_is_the_rate_of_the_twist_there(a_case: Case) -> None:
    """Spatial accelerations are derivatives of components: the frames' own motion enters."""
    state, vd = a_case.state, a_case.velocity()
    body, base, other = a_case.body(), a_case.body(), a_case.body()
    in_root = rate(state, lambda s: six(s.relative_twist(body, base)), vd)
    root = a_case.mechanism.root_frame
    acceleration = SpatialAcceleration(body.default_frame, base.default_frame, root, in_root[:3], in_root[3:])
    moved = state.transform(acceleration, other.default_frame)
    expected = rate(state, lambda s: six(s.transform(s.relative_twist(body, base), other.default_frame)), vd)
    close(moved.vector, expected, 1e-10, scale=1 + np.abs(in_root).max())
    back = state.transform(moved, root)
    close(back.vector, in_root, 1e-10, scale=1 + np.abs(in_root).max())


@examples(1)
@given(cases())
def test_relative_twists_of_frames(a_case: Case) -> None:
    """The twist between two frames is that of the bodies they are fixed to, whatever their place."""
    state = a_case.state
    for a in frames_of(a_case):
        for b in frames_of(a_case):
            twist = state.relative_twist(a, b)
            assert (twist.body, twist.base, twist.frame) == (a, b, a_case.mechanism.root_frame)
            H = pose(state.relative_transform(a, b)).real
            W = rate(state, lambda s, a=a, b=b: pose(s.relative_transform(a, b))) @ np.linalg.inv(H)
            in_b = np.array([W[2, 1], W[0, 2], W[1, 0], *W[:3, 3]])
            close(state.transform(twist, b).vector, in_b, 1e-11, scale=1)


def test_same_frame_is_the_same_value() -> None:
    a_case = case("tree", seed=173)
    body = a_case.mechanism.bodies[-1]
    point = Point(body.default_frame, (1, 2, 3))
    assert np.array_equal(a_case.state.transform(point, body.default_frame).xyz, point.xyz)


def test_bodies_and_frames_of_other_mechanisms_raise() -> None:
    a_case, other = case("tree", seed=179), case("tree", seed=181)
    state, nowhere = a_case.state, Frame("nowhere")
    stranger = other.mechanism.bodies[-1]
    own = a_case.mechanism.bodies[-1]
    calls = [
        lambda: state.transform_to_root(nowhere),
        lambda: state.transform_to_root(stranger),
        lambda: state.transform_to_root(stranger.default_frame),
        lambda: state.relative_transform(own, nowhere),
        lambda: state.relative_transform(nowhere, own),
        lambda: state.twist(stranger),
        lambda: state.relative_twist(stranger, own),
        lambda: state.relative_twist(own, nowhere),
        lambda: state.bias_acceleration(stranger),
        lambda: state.composite_inertia(stranger),
        lambda: state.inertia(stranger),
        lambda: state.motion_subspace(other.mechanism.tree_joints[0]),
        lambda: state.constraint_wrench_subspace(other.mechanism.tree_joints[0]),
        lambda: state.placement(other.mechanism.tree_joints[0]),
        lambda: state.transform(Point(nowhere, (0, 0, 0)), own.default_frame),
        lambda: state.transform(Point(own.default_frame, (0, 0, 0)), nowhere),
    ]
    for k, call in enumerate(calls):
        assert isinstance(raised(call), (*NOWHERE, rbd.errors.TopologyError)), f"call {k}"
    for call in (lambda: state.transform_to_root("arm"), lambda: state.transform_to_root(3)):
        with pytest.raises((ArgumentError, RbdError)):
            call()


def test_values_without_a_frame_raise() -> None:
    a_case = case("tree", seed=191)
    for bad in (3.0, "x", None, np.zeros(3)):
        with pytest.raises(ArgumentError):
            a_case.state.transform(bad, a_case.mechanism.root_frame)
    point = Point(a_case.mechanism.root_frame, (1, 2, 3))
    for nowhere in (3, None):
        with pytest.raises(ArgumentError, match="frame must be a body, a frame, or the name of one"):
            a_case.state.transform(point, nowhere)


@examples(1)
@given(cases())
def test_motion_subspace_times_velocity_is_the_twist_over_a_joint(a_case: Case) -> None:
    state, mechanism = a_case.state, a_case.mechanism
    for joint in mechanism.tree_joints:
        S = state.motion_subspace(joint)
        assert (S.body, S.base, S.frame) == (joint.frame_after, joint.frame_before, mechanism.root_frame)
        across = state.relative_twist(joint.frame_after, joint.frame_before)
        close(S.matrix @ state.velocity(joint), across.vector, 1e-12, scale=1)


@examples(0.6)
@given(cases())
def test_scalar_states_have_the_same_queries(a_case: Case) -> None:
    state, ahead = a_case.state, moving(a_case.state)
    for frame in frames_of(a_case):
        close(pose(ahead.transform_to_root(frame)).real, state.transform_to_root(frame).matrix, 1e-15)
    body = a_case.mechanism.bodies[-1]
    point = ahead.transform(Point(body.default_frame, (1, 2, 3)), a_case.mechanism.root_frame)
    expected = state.transform(Point(body.default_frame, (1, 2, 3)), a_case.mechanism.root_frame)
    close(np.array(point.xyz_components, dtype=complex).real, expected.xyz, 1e-15)
    assert isinstance(state.placement(a_case.mechanism.tree_joints[0]), Transform)
    assert state.inertia(body).frame == body.default_frame
    close(state.gravity.xyz, a_case.mechanism.gravity.xyz, 1e-15)


def test_scalar_states_check_their_coordinates() -> None:
    a_case = case("tree", seed=193)
    state = a_case.state
    with pytest.raises(rbd.errors.ShapeError):
        state.with_scalars(list(state.q)[:-1], list(state.v))
    with pytest.raises(rbd.errors.ShapeError):
        state.with_scalars(list(state.q), [*state.v, 0.0])
    with pytest.raises(rbd.errors.NotFiniteError):
        state.with_scalars([np.nan, *state.q[1:]], state.v)
    with pytest.raises((RbdError, TypeError)):
        state.with_scalars(["a"] * len(state.q), state.v)
    scalar = state.with_scalars(state.q, state.v)
    assert not hasattr(scalar, "set_configuration")
    with pytest.raises(rbd.errors.ArgumentError, match="read-only"):
        scalar.q = state.q
