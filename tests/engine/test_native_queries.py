"""Framed queries in machine code: the same bits, types and errors as those made in Python."""

from __future__ import annotations

import gc
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbd
from rbd import MechanismState
from rbd.engine import query_counts
from rbd.engine.live_engine import LiveEngine
from rbd.engine.native_queries import NativeQueries
from rbd.errors import NotFiniteError, StaleStateError, WrongThreadError
from rbd.kernels.query_builtins import QueryTable, no_builtin
from rbd.native import live_executable
from rbd.testing import random_floating_tree
from tests.marks import needs_builtins

from ..algorithms.catalog import flat
from ..algorithms.helpers import JOINT_TYPES
from .derivatives import two_joints

pytestmark = [needs_builtins, pytest.mark.usefixtures("at_once")]


@pytest.fixture(autouse=True)
def without_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make builtins at the first call."""
    monkeypatch.setattr(query_counts, "_CALLS_BEFORE_BUILTIN", 1)


def with_tools(mechanism: rbd.Mechanism) -> list[rbd.Frame]:
    """Attach frames to all bodies; return them and the default frames."""
    frames = [body.default_frame for body in mechanism.bodies]
    turned = rbd.Transform.from_quaternion(rbd.Frame("t"), rbd.Frame("b"), (0.5, 0.5, -0.5, 0.5), (0.1, 0, 0.3))
    for k, body in enumerate(mechanism.bodies):
        rotation = None if k % 2 else turned.rotation
        tool = rbd.Transform(rbd.Frame(f"tool {k}"), body.default_frame, rotation, (0.1, -0.2, 0.3 * k))
        frames.append(body.add_frame(tool))
    return frames


def tree() -> rbd.Mechanism:
    kinds: list[rbd.JointType] = [rbd.QuaternionSpherical(), rbd.Planar((1, 0, 0), (0, 1, 0)), rbd.Revolute((0, 0, 1))]
    return random_floating_tree(kinds, np.random.default_rng(3))


def builtins_of(state: MechanismState) -> list[QueryTable]:
    return [state._poses, state._transforms, state._twists, state._accelerations]


def answers(state: MechanismState, frames: list[rbd.Frame]) -> Iterator[Any]:
    for frame in frames:
        yield state.transform_to_root(frame)
    for body in state.mechanism.bodies:
        yield state.transform_to_root(body)
        yield state.twist(body)
        yield state.bias_acceleration(body)
        for frame in frames[::3]:
            yield state.transform(state.twist(body), frame)
    for a, b in product(frames, frames):
        yield state.relative_transform(a, b)
        yield state.relative_twist(a, b)
    for a, b, c in zip(frames, frames[2:], frames[5:], strict=False):
        yield state.relative_twist(a, b, frame=c)


def same(one: Any, two: Any) -> None:
    assert type(one) is type(two)
    assert [frame for _, frame in one._frames()] == [frame for _, frame in two._frames()]
    assert flat(one) == flat(two)
    assert list(map(type, flat(one))) == list(map(type, flat(two)))


@pytest.mark.parametrize("make", [tree, rbd.robots.arm7, rbd.robots.double_pendulum, rbd.robots.four_bar])
def test_the_bits_are_those_of_python(make: Callable[[], rbd.Mechanism], monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = make()
    frames = with_tools(mechanism)
    fast, slow = MechanismState(mechanism), MechanismState(mechanism)
    for seed in range(3):
        for state in (fast, slow):
            state.randomize(np.random.default_rng(seed))
        found = list(answers(fast, frames))
        assert all(builtins_of(fast))
        found = list(answers(fast, frames))
        with monkeypatch.context() as patch:
            patch.setattr(LiveEngine, "request_builtin", lambda *_: None)
            for one, two in zip(found, answers(slow, frames), strict=True):
                same(one, two)


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_every_joint_type(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = two_joints(kind)
    frames = with_tools(fast.mechanism)
    fast = MechanismState(fast.mechanism, fast.q, fast.v)
    slow = MechanismState(fast.mechanism, fast.q, fast.v)
    for _ in range(2):
        found = list(answers(fast, frames))
    with monkeypatch.context() as patch:
        patch.setattr(LiveEngine, "request_builtin", lambda *_: None)
        for one, two in zip(found, answers(slow, frames), strict=True):
            same(one, two)


@pytest.fixture
def arm(at_once: None) -> tuple[MechanismState, rbd.Frame]:
    mechanism = rbd.robots.arm7()
    tool = with_tools(mechanism)[-1]
    state = MechanismState(mechanism, np.linspace(0.1, 0.7, 7), np.linspace(-1, 1, 7))
    for _ in range(4):
        state.transform_to_root(tool), state.twist("link7"), state.relative_transform("link2", tool)
    assert list(map(len, builtins_of(state))) == [1, 1, 1, 0]
    return state, tool


def test_queries_of_a_state_at_rest_become_builtins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(live_executable, "OPERATIONS_BEFORE_COMPILING", 10_000)
        patch.setattr(live_executable, "OPERATIONS_BEFORE_SEARCH", 2_000)
        patch.setenv("RBD_CACHE_DIR", str(tmp_path))  # no machine code is found
        state = MechanismState(random_floating_tree([rbd.Revolute((0, 0, 1))] * 3, np.random.default_rng(8)))
        body = state.mechanism.bodies[-1]
        state.randomize(5)
        expected = state.twist(body)
        assert not any(builtins_of(state))
        for _ in range(300):
            same(state.twist(body), expected)
    assert list(map(len, builtins_of(state))) == [0, 0, 1, 0]


def test_queries_without_machine_code_are_planned_once_per_edit(
    arm: tuple[MechanismState, rbd.Frame], monkeypatch: pytest.MonkeyPatch
) -> None:
    state, _ = arm
    planned, plans = NativeQueries._planned, list[object]()
    monkeypatch.setattr(NativeQueries, "_planned", lambda self, plan: plans.append(plan) or planned(self, plan))
    expected = state.twist("link6")
    for gravity, is_float in ((Fraction(1), False), (Fraction(2), False), (3.0, True)):
        state.mechanism.gravity = (0, 0, gravity)
        plans.clear()
        for _ in range(5):
            assert state.twist("link6").isclose(expected)
        assert len(plans) == 1
        assert (state._twists["link6"] is no_builtin) != is_float


def test_above_the_maximum_all_queries_are_forgotten(arm: tuple[MechanismState, rbd.Frame], monkeypatch: Any) -> None:
    monkeypatch.setattr(query_counts, "_MAX_QUERIES", 3)
    state, _ = arm
    bodies = state.mechanism.bodies[1:] * 2
    found = [state.twist(body) for body in bodies]
    assert 0 < sum(map(len, builtins_of(state))) <= 3
    with monkeypatch.context() as patch:
        patch.setattr(LiveEngine, "request_builtin", lambda *_: None)
        other = MechanismState(state.mechanism, state.q, state.v)
        for one, body in zip(found, bodies, strict=True):
            same(one, other.twist(body))


def test_a_value_is_made_once_per_write(arm: tuple[MechanismState, rbd.Frame]) -> None:
    state, tool = arm
    first, twist = state.transform_to_root(tool), state.twist("link7")
    assert state.transform_to_root(tool) is first
    assert state.twist("link7") is twist
    state.set_velocity(np.ones(7))
    assert not state.twist("link7").isclose(twist)
    state.set_configuration(np.zeros(7))
    second = state.transform_to_root(tool)
    assert not second.isclose(first)
    assert second.isclose(MechanismState(state.mechanism).transform_to_root(tool))


def test_no_line_of_the_source_runs(arm: tuple[MechanismState, rbd.Frame], monkeypatch: pytest.MonkeyPatch) -> None:
    state, tool = arm
    for _ in range(3):
        state.relative_twist("link2", tool), state.bias_acceleration("link7")
    monkeypatch.setattr(LiveEngine, "pass_result", None)
    state.set_configuration(np.ones(7))
    for _ in range(2):
        assert state.transform_to_root(tool).from_frame is tool
        assert state.twist("link7").frame is state.mechanism.root_frame
        assert state.relative_transform("link2", tool).to_frame is tool
        assert state.relative_twist("link2", tool).base is tool
        assert state.bias_acceleration("link7").frame is state.mechanism.root_frame


def test_values_are_ordinary_objects(arm: tuple[MechanismState, rbd.Frame]) -> None:
    state, tool = arm
    pose = state.transform_to_root(tool)
    assert gc.is_tracked(pose)
    gc.collect()
    assert pickle.loads(pickle.dumps(pose)).isclose(pose)
    with pytest.raises(AttributeError):
        pose.from_frame = tool  # type: ignore[misc] # frozen
    assert (pose @ pose.inverse()).isclose(rbd.Transform.identity(pose.to_frame, pose.to_frame))


def test_no_reference_leaks(arm: tuple[MechanismState, rbd.Frame]) -> None:
    state, tool = arm
    root = state.mechanism.root_frame

    def references() -> tuple[int, int, int]:
        for _ in range(50):
            state.set_configuration(np.ones(7))
            state.transform_to_root(tool), state.twist("link7"), state.relative_transform("link2", tool)
        gc.collect()
        return sys.getrefcount(tool), sys.getrefcount(root), sys.getrefcount(rbd.Transform)

    references()
    assert references() == references()
    pose = state.transform_to_root(tool)
    state.set_configuration(np.zeros(7))
    state.transform_to_root(tool)
    assert sys.getrefcount(pose) == 2


def test_guards(arm: tuple[MechanismState, rbd.Frame]) -> None:
    state, tool = arm
    before = state.transform_to_root(tool)
    raised: list[BaseException] = []

    def elsewhere() -> None:
        for ask in (lambda: state.transform_to_root(tool), lambda: state.twist("link7")):
            try:
                ask()
            except WrongThreadError as error:
                raised.append(error)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert len(raised) == 2
    with rbd.interpreted():
        assert state.transform_to_root(tool).isclose(before)
    link = state.mechanism.body("link7")
    state.mechanism.gravity = (0, 0, -1.0)  # type: ignore[assignment] # mypy knows the getter's type only
    same(state.transform_to_root(tool), before)
    same(state.transform_to_root(tool), before)
    state.mechanism.attach(link, rbd.RigidBody("cup"), rbd.Joint("hold", rbd.Fixed()))
    for ask in (lambda: state.transform_to_root(tool), lambda: state.twist("link7")):
        with pytest.raises(StaleStateError):
            ask()


@pytest.mark.parametrize(
    "ask",
    [
        lambda s, t: s.transform_to_root(t),
        lambda s, t: s.relative_transform(t, s.mechanism.root_frame),
        lambda s, t: s.relative_transform(s.mechanism.root_frame, t),
    ],
)
def test_poses_that_leave_the_range_are_refused(ask: Callable[[MechanismState, rbd.Frame], Any]) -> None:
    """The translation of a frame is added to that of its body."""
    mechanism = rbd.Mechanism("rail")
    slider = rbd.RigidBody("slider", rbd.SpatialInertia.sphere(rbd.Frame("s"), mass=1.0, radius=0.1))
    mechanism.attach(mechanism.root_body, slider, rbd.Joint("rail", rbd.Prismatic((1, 0, 0))))
    far = rbd.Transform(rbd.Frame("far"), slider.default_frame, np.diag([1.0, -1.0, -1.0]), (1.5e308, 0, 0))
    tool = slider.add_frame(far)
    state = MechanismState(mechanism, [0.0])
    for _ in range(3):
        assert ask(state, tool).is_finite
    state.set_configuration([1.5e308])
    for _ in range(3):
        with pytest.raises(NotFiniteError):
            ask(state, tool)


def test_twists_that_leave_the_range_are_refused(arm: tuple[MechanismState, rbd.Frame]) -> None:
    state, _ = arm
    state.set_velocity(np.full(7, 1.5e308))
    for _ in range(3):
        with pytest.raises(NotFiniteError):
            state.twist("link7")
    state.set_velocity(np.ones(7))
    assert np.isfinite(state.twist("link7").vector).all()


def test_results_of_kernels_are_made_in_machine_code(arm: tuple[MechanismState, rbd.Frame]) -> None:
    state, tool = arm
    path = state.mechanism.path(state.mechanism.body("link2"), state.mechanism.body("link7"))
    asks: list[Callable[[], Any]] = [
        lambda: rbd.geometric_jacobian(state, "link7", frame=tool),
        lambda: rbd.geometric_jacobian(state, "link7"),
        lambda: rbd.geometric_jacobian(state, path, frame="link3"),
        lambda: rbd.algorithms.geometric_jacobian_rate(state, path, frame=tool),
        lambda: rbd.center_of_mass(state),
        lambda: rbd.momentum(state),
        lambda: rbd.kinetic_energy(state),
    ]
    for ask in asks:
        found = [ask() for _ in range(4)]
        with rbd.interpreted():
            expected = ask()
        for each in found:
            assert flat(each) == flat(found[0])
            assert list(map(type, flat(each))) == list(map(type, flat(found[0])))
            np.testing.assert_allclose(flat(each), flat(expected), rtol=0, atol=1e-12)
        state.set_configuration(state.q + 0.1)
        moved = ask()
        assert flat(moved) != flat(found[0])
    assert state.engine.builtins_by_identity


def test_frames_and_names_of_one_call_are_told_apart(arm: tuple[MechanismState, rbd.Frame]) -> None:
    state, tool = arm
    body = state.mechanism.body("link7")
    for _ in range(4):
        local, rooted = rbd.geometric_jacobian(state, body, frame=tool), rbd.geometric_jacobian(state, body)
        named, keyed = rbd.geometric_jacobian(state, "link7"), rbd.geometric_jacobian(state, path="link7")  # type: ignore[call-arg] # by name
        assert local.frame is tool
        assert rooted.frame is named.frame is keyed.frame is state.mechanism.root_frame
        filled = np.empty((6, 7))
        assert rbd.geometric_jacobian(state, body, frame=tool, out=filled).frame is tool
        np.testing.assert_array_equal(filled, local.matrix)


def test_jacobians_over_an_array_are_like_those_of_columns(arm: tuple[MechanismState, rbd.Frame]) -> None:
    state, tool = arm
    for _ in range(4):
        found = rbd.geometric_jacobian(state, "link7", frame=tool)
    plain = rbd.GeometricJacobian(found.body, found.base, found.frame, found.angular, found.linear)
    for make in (lambda: rbd.geometric_jacobian(state, "link7", frame=tool), lambda: copied(found)):
        np.testing.assert_array_equal(make().matrix, plain.matrix)
        assert make().matrix.flags.c_contiguous
        assert make().matrix.flags.owndata
        assert make().columns == plain.columns
        assert make().components == plain.components
        assert make().isclose(plain)
        assert repr(make()) == repr(plain)
        assert (make() @ state.v).isclose(plain @ state.v)
    with pytest.raises(AttributeError, match="no attribute 'colums'"):
        found.colums  # type: ignore[attr-defined] # noqa: B018 - a misprint


def copied(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def test_builtins_see_where_a_frame_of_a_removed_joint_goes() -> None:
    mechanism = rbd.robots.four_bar()
    joint = mechanism.loop_joints[0]
    mechanism.remove_joint(joint)
    state, body, frame = MechanismState(mechanism), mechanism.bodies[1], joint.frame_before
    for _ in range(4):
        state.transform_to_root(frame)
    body.add_frame(rbd.Transform(frame, body.default_frame, translation=(0, 0, 5)))
    for _ in range(4):
        expected = state.transform_to_root(body) @ body.fixed_transform(frame, body.default_frame)
        assert state.transform_to_root(frame).isclose(expected)
