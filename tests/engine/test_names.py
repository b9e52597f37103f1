"""Names of bodies, joints and frames: the same results as for objects, errors that suggest the closest name."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.engine.live_engine import LiveEngine
from rbd.errors import AmbiguousNameError, ArgumentError, FrameMismatchError, UnknownNameError
from rbd.indexing.layout import Layout
from rbd.simulation import Dynamics
from tests.marks import needs_builtins

Query = Callable[[rbd.MechanismState, Any, Any, Any, Any], Any]


def arm() -> tuple[rbd.MechanismState, rbd.RigidBody, rbd.Joint, rbd.Frame]:
    """Return a state of the seven-joint arm, its link 5, its joint 3, and a frame "tip" fixed to the last body."""
    mechanism = rbd.robots.arm7()
    last = mechanism.bodies[-1]
    tip = last.add_frame(rbd.Transform(rbd.Frame("tip"), last.default_frame, translation=(0, 0.1, 0.2)))
    state = rbd.MechanismState(mechanism)
    state.randomize(7)
    return state, mechanism.body("link5"), mechanism.tree_joints[2], tip


def numbers(value: Any) -> np.ndarray:
    """Return what a result consists of as one array."""
    if isinstance(value, slice):
        return np.array([value.start, value.stop])
    if isinstance(value, rbd.Point):
        return value.xyz
    for name in ("matrix", "vector"):
        if hasattr(value, name):
            return np.asarray(getattr(value, name))
    return np.asarray(value)


QUERIES: dict[str, Query] = {
    "transform_to_root": lambda s, b, j, f, r: s.transform_to_root(f),
    "transform_to_root of a body": lambda s, b, j, f, r: s.transform_to_root(b),
    "relative_transform": lambda s, b, j, f, r: s.relative_transform(f, b),
    "twist": lambda s, b, j, f, r: s.twist(b),
    "relative_twist": lambda s, b, j, f, r: s.relative_twist(f, b, frame=r),
    "bias_acceleration": lambda s, b, j, f, r: s.bias_acceleration(b),
    "composite_inertia": lambda s, b, j, f, r: s.composite_inertia(b),
    "inertia": lambda s, b, j, f, r: s.inertia(b),
    "transform": lambda s, b, j, f, r: s.transform(s.twist(b), f),
    "joint_transform": lambda s, b, j, f, r: s.joint_transform(j),
    "motion_subspace": lambda s, b, j, f, r: s.motion_subspace(j),
    "constraint_wrench_subspace": lambda s, b, j, f, r: s.constraint_wrench_subspace(j),
    "placement": lambda s, b, j, f, r: s.placement(j),
    "configuration": lambda s, b, j, f, r: s.configuration(j),
    "velocity": lambda s, b, j, f, r: s.velocity(j),
    "q_slice": lambda s, b, j, f, r: s.q_slice(j),
    "v_slice": lambda s, b, j, f, r: s.v_slice(j),
    "geometric_jacobian": lambda s, b, j, f, r: rbd.geometric_jacobian(s, b, frame=f),
    "point_jacobian": lambda s, b, j, f, r: rbd.point_jacobian(s, b, rbd.Point(s.mechanism.root_frame, (1, 2, 3))),
    "geometric_jacobian_rate": lambda s, b, j, f, r: rbd.algorithms.geometric_jacobian_rate(s, b, frame=f),
    "momentum_matrix": lambda s, b, j, f, r: rbd.momentum_matrix(s, frame=f),
    "center_of_mass": lambda s, b, j, f, r: rbd.center_of_mass(s, [b]),
    "subtree_mass": lambda s, b, j, f, r: rbd.subtree_mass(s.mechanism, b),
    "articulated_inertia": lambda s, b, j, f, r: rbd.articulated_inertia(s, b),
    "articulated_mobility": lambda s, b, j, f, r: rbd.articulated_mobility(s, b, at=f),
    "external_wrench_derivatives": lambda s, b, j, f, r: rbd.algorithms.external_wrench_derivatives(s, b, frame=f),
    "forward_dynamics": lambda s, b, j, f, r: rbd.forward_dynamics(s, np.zeros(7), {b: push(s)}),
    "inverse_dynamics": lambda s, b, j, f, r: rbd.inverse_dynamics(s, np.zeros(7), {b: push(s)}),
    "hybrid": lambda s, b, j, f, r: rbd.forward_dynamics(s, np.zeros(7), prescribed={j: 1.0}).torques,
    "dynamics": lambda s, b, j, f, r: solved(s, b, j),
}


def push(state: rbd.MechanismState) -> rbd.Wrench:
    return rbd.Wrench(state.mechanism.root_frame, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0))


def solved(state: rbd.MechanismState, body: Any, joint: Any) -> list[np.ndarray]:
    result = rbd.dynamics(rbd.DynamicsResult(state.mechanism), state, None, {body: push(state)})
    values = result.acceleration(body), result.proper_acceleration(body), result.joint_wrench(joint)
    return [value.vector for value in values]


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES.keys())
def test_names_and_objects_give_the_same_result(query: Query) -> None:
    state, body, joint, tip = arm()
    objects = query(state, body, joint, tip, state.mechanism.root_frame)
    names = query(state, body.name, joint.name, "tip", state.mechanism.root_frame.name)
    np.testing.assert_array_equal(numbers(objects), numbers(names))
    for attribute in ("body", "base", "frame", "from_frame", "to_frame"):
        if not isinstance(objects, np.ndarray):
            assert getattr(objects, attribute, None) is getattr(names, attribute, None)


@pytest.mark.parametrize("live", [True, False], ids=["live", "scalar"])
def test_unknown_names_suggest_the_closest_one(live: bool) -> None:
    state, _, _, _ = arm()
    asked: Any = state if live else state.with_scalars()
    for call, kind, close in (
        (lambda: asked.twist("lnik5"), "body", "link5"),
        (lambda: asked.transform_to_root("tipp"), "body or frame", "tip"),
        (lambda: asked.configuration("jiont3"), "joint", "joint3"),
        (lambda: rbd.geometric_jacobian(asked, "lnik5"), "body", "link5"),
        (lambda: rbd.geometric_jacobian(asked, "link5", frame="tipp"), "body or frame", "tip"),
        (lambda: rbd.forward_dynamics(asked, [0] * 7, {"lnik5": push(state)}), "body", "link5"),
    ):
        with pytest.raises(UnknownNameError, match=f"no {kind} is named .*; did you mean '{close}'") as caught:
            call()
        assert caught.value.suggestion == close


def test_a_frame_instead_of_a_body_names_its_body() -> None:
    state, _, _, _ = arm()
    with pytest.raises(
        UnknownNameError, match=r"no body is named 'tip'.*; body 'link7' has a frame of that name: write"
    ):
        state.twist("tip")


def test_a_name_of_two_frames_instead_of_a_body_names_their_bodies() -> None:
    state, _, _, _ = arm()
    body = state.mechanism.body("link2")
    body.add_frame(rbd.Transform(rbd.Frame("tip"), body.default_frame))
    with pytest.raises(UnknownNameError, match=r"bodies 'link7', 'link2' have frames of that name") as caught:
        state.twist("tip")
    assert "mechanism.frame" not in str(caught.value)  # would be ambiguous


def test_other_arguments_name_the_allowed_types() -> None:
    state, _, _, _ = arm()
    wrong: Any = 3
    with pytest.raises(ArgumentError, match="body must be a RigidBody or its name, not 3 of type int"):
        state.twist(wrong)
    with pytest.raises(ArgumentError, match="joint must be a Joint or its name"):
        state.velocity(wrong)
    with pytest.raises(ArgumentError, match="b must be a body, a frame, or the name of one"):
        state.relative_transform("tip", wrong)
    with pytest.raises(ArgumentError, match=r"path must be a body, its name, or a path from mechanism.path"):
        rbd.geometric_jacobian(state, wrong)
    with pytest.raises(FrameMismatchError, match="frame"):
        rbd.geometric_jacobian(state, "link5", frame=rbd.Frame("tip"))


def test_coordinates_are_set_by_the_name_of_a_joint() -> None:
    state, _, joint, _ = arm()
    state.set_configuration(joint.name, 0.25)
    state.set_velocity(joint.name, [0.5])
    assert (state.configuration(joint).item(), state.velocity(joint).item()) == (0.25, 0.5)
    with pytest.raises(ArgumentError, match="the value for joint 'joint3' is missing"):
        state.set_configuration(joint.name)


def test_wrenches_on_one_body_under_two_keys_raise() -> None:
    state, body, _, _ = arm()
    both: Any = {body: push(state), body.name: push(state)}
    with pytest.raises(ArgumentError, match="two wrenches on body 'link5'"):
        rbd.dynamics_bias(state, both)


@needs_builtins
@pytest.mark.usefixtures("at_once")
def test_names_have_fast_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once compiled, calls by name run machine code and not the algorithm."""
    state, body, _, _ = arm()
    here = state.mechanism.body("link2")
    calls: dict[str, Callable[[Any, Any], Any]] = {
        "jacobian": lambda b, f: rbd.geometric_jacobian(state, b),
        "jacobian in a frame": lambda b, f: rbd.geometric_jacobian(state, b, frame=f),
        "momentum in a frame": lambda b, f: rbd.momentum_matrix(state, frame=f),
        "wrenches": lambda b, f: rbd.forward_dynamics(state, np.zeros(7), {b: push(state)}),
    }
    for call in calls.values():
        for _ in range(4):
            call(body, here.default_frame)
            call(body.name, here.name)
    wanted = [numbers(call(body, here.default_frame)) for call in calls.values()]
    monkeypatch.setattr(LiveEngine, "run", lambda *_: pytest.fail("the algorithm ran"))
    for call, expected in zip(calls.values(), wanted, strict=True):
        np.testing.assert_array_equal(numbers(call(body.name, here.name)), expected)


@pytest.mark.usefixtures("at_once")
def test_ambiguous_names_raise_on_fast_paths() -> None:
    state, body, _, tip = arm()
    for _ in range(20):
        rbd.geometric_jacobian(state, body, frame="tip")
        state.transform_to_root("tip"), state.relative_transform("tip", body)
    body.add_frame(rbd.Transform(rbd.Frame("tip"), body.default_frame))
    for call in (
        lambda: rbd.geometric_jacobian(state, body, frame="tip"),
        lambda: state.transform_to_root("tip"),
        lambda: state.relative_transform("tip", body),
    ):
        with pytest.raises(AmbiguousNameError):
            call()
    assert rbd.geometric_jacobian(state, body, frame=tip).frame is tip


def test_names_may_be_strings_of_numpy() -> None:
    state, body, _, tip = arm()
    other = state.mechanism.body("link2")
    frames = {body.name: body.default_frame, "tip": tip, other.name: other.default_frame}
    for interpreted in (False, True):
        with rbd.interpreted() if interpreted else nullcontext():
            for name in np.array([*frames] * 4):
                assert state.relative_twist(name, state.mechanism.root_frame).body is frames[name]


def test_names_of_bodies_take_precedence_over_frames() -> None:
    """A body keeps the frame it was made with, under the same name, wherever its default frame is."""
    mechanism = rbd.Mechanism()
    link = rbd.RigidBody("link")
    joint = rbd.Joint("joint", rbd.Revolute((0, 0, 1)))
    own = link.default_frame
    mechanism.attach("world", link, joint, successor_pose=rbd.Transform(own, joint.frame_after, translation=(0, 0, 1)))
    state = rbd.MechanismState(mechanism)
    assert state.transform_to_root("link").from_frame is link.default_frame
    assert mechanism.frame("link") is own is not link.default_frame


def test_loop_joints_and_merged_bodies_by_name() -> None:
    state = rbd.MechanismState(rbd.robots.four_bar())
    loop = state.mechanism.loop_joints[0]
    rbd.close_loops(state)
    gains = rbd.Baumgarte(0.2)
    wanted = rbd.constraint_bias(state, stabilization={loop: gains})
    np.testing.assert_array_equal(rbd.constraint_bias(state, stabilization={loop.name: gains}), wanted)
    np.testing.assert_array_equal(state.joint_transform(loop.name).matrix, state.joint_transform(loop).matrix)
    result = rbd.dynamics(rbd.DynamicsResult(state.mechanism), state)
    np.testing.assert_array_equal(result.loop_wrench(loop.name).vector, result.loop_wrench(loop).vector)
    with pytest.raises(UnknownNameError, match="closes a loop and has no coordinates"):
        state.configuration(loop.name)
    with pytest.raises(UnknownNameError, match="closes no loop"):
        rbd.constraint_bias(state, stabilization={state.mechanism.tree_joints[0].name: gains})


def test_external_wrenches_by_name_in_simulations() -> None:
    state, body, _, _ = arm()
    x = Dynamics(state.mechanism).x0(state)
    by_name = Dynamics(state.mechanism, external=lambda t, s: {body.name: push(s)})
    by_body = Dynamics(state.mechanism, external=lambda t, s: {body: push(s)})
    np.testing.assert_array_equal(by_name(0.0, x), by_body(0.0, x))


def test_copies_of_a_state_look_up_names() -> None:
    import pickle

    state, body, _, _ = arm()
    copy = pickle.loads(pickle.dumps(state))
    assert copy.twist(body.name).isclose(copy.twist(copy.mechanism.body(body.name)))
    assert isinstance(copy.engine.layout, Layout)
