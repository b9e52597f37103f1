"""External wrenches on live states: fast paths by bodies and frames agree with the general path."""

from __future__ import annotations

import threading
from collections.abc import Callable
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given

import rbd
from rbd import MechanismState, Wrench
from rbd.engine.live_engine import LiveEngine
from rbd.errors import (
    ArgumentError,
    FrameMismatchError,
    NotFiniteError,
    RbdError,
    ShapeError,
    SingularError,
    StaleStateError,
    UnknownNameError,
    WrongThreadError,
)
from rbd.kernels.kernel import Kernel
from rbd.testing import random_chain
from tests.marks import needs_builtins

from ..algorithms.helpers import JOINT_TYPES, Case, cases, close, examples, raised
from ..algorithms.loops.mechanisms import looped
from .derivatives import Wrenches, needs_vectors, pushes, two_joints

Call = Callable[..., Any]


@attrs.frozen
class Function:
    """A function of a state, of vectors and of external wrenches."""

    run: Call
    vectors: int = 1

    def arguments(self, nv: int) -> tuple[Any, ...]:
        return tuple(np.linspace(-1.0, 1.5, nv) for _ in range(self.vectors))


FUNCTIONS = {
    "inverse_dynamics": Function(rbd.inverse_dynamics),
    "forward_dynamics": Function(rbd.forward_dynamics),
    "dynamics_bias": Function(rbd.dynamics_bias, 0),
}


def forms(push: Wrenches) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Return more arguments and keywords of every form that has a fast path."""
    only = dict(list(push.items())[:1])
    return [((), {}), ((None,), {}), (({},), {}), ((push,), {}), ((), {"external_wrenches": push}), ((only,), {})]


@needs_builtins
@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_fast_paths_of_all_forms_are_bitwise_equal(name: str) -> None:
    function = FUNCTIONS[name]
    mechanism = random_chain(
        [JOINT_TYPES["universal oblique"], JOINT_TYPES["planar"], JOINT_TYPES["sin-cos"]], np.random.default_rng(4)
    )
    state = MechanismState(mechanism)
    state.randomize(1)
    args, out = function.arguments(mechanism.nv), np.zeros(mechanism.nv)
    for more, named in forms(pushes(state)):
        first = function.run(state, *args, *more, **named)
        with rbd.interpreted():
            close(first, function.run(state, *args, *more, **named), 1e-12)
        found = [function.run(state, *args, *more, **named) for _ in range(4)]
        assert all(np.array_equal(again, first) for again in found)
        assert not np.shares_memory(found[2], found[3])
        for _ in range(2):
            out[:] = 7.0
            assert function.run(state, *args, *more, **named, out=out) is out
            assert np.array_equal(out, first)
    assert len(state.engine.builtins) == 3


@needs_builtins
@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_fast_path_is_used(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it is open, no line of the algorithm runs."""
    function, state = FUNCTIONS[name], MechanismState(rbd.robots.arm7())
    args, push = function.arguments(7), pushes(state)
    for more, named in forms(push):
        for _ in range(4):
            function.run(state, *args, *more, **named)
    monkeypatch.setattr(MechanismState, "vector", None)
    monkeypatch.setattr(LiveEngine, "run", None)
    for more, named in forms(push):
        function.run(state, *args, *more, **named)
        function.run(state, *args, *more, **named, out=np.zeros(7))


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_every_joint_type(kind: str) -> None:
    state = two_joints(kind)
    push = pushes(state)
    for function in FUNCTIONS.values():
        args = function.arguments(state.mechanism.nv)
        with rbd.interpreted():
            expected = function.run(state, *args, push)
        first = function.run(state, *args, push)
        close(first, expected, 1e-11)
        for _ in range(2):
            assert np.array_equal(function.run(state, *args, push), first)


@examples(0.05)
@given(cases("tree", "floating tree", bodies=4, passive=True))
def test_recorded_programs_agree_with_the_source(a_case: Case) -> None:
    state = a_case.state
    bound = 1e-11 * max(1.0, float(np.linalg.cond(rbd.mass_matrix(state))) / 1e2)
    for push in (a_case.wrenches(), a_case.wrenches("body")):
        for function in FUNCTIONS.values():
            args = function.arguments(state.mechanism.nv)
            found = function.run(state, *args, push)
            with rbd.interpreted():
                close(found, function.run(state, *args, push), bound)


@pytest.mark.usefixtures("at_once")
def test_wrenches_in_any_frame_and_of_any_numbers() -> None:
    """Every call computes with the wrenches it is given."""
    state = MechanismState(rbd.robots.arm7())
    state.randomize(2)
    body, root, vd = state.mechanism.bodies[-1], state.mechanism.root_frame, np.ones(7)
    frames = [root, body.default_frame, state.mechanism.bodies[3].default_frame, state.mechanism.frame("tool")]
    for k, frame in enumerate(frames * 4):
        push = {body: Wrench(frame, (0, k, 1.0), (1.0, 0, -k))}
        exact = {body: Wrench(frame, (Fraction(k), 0, 1), (0, 0, 0))}
        with rbd.interpreted():
            expected = [rbd.inverse_dynamics(state, vd, each) for each in (push, exact)]
        for each, torques in zip((push, exact), expected, strict=True):
            close(rbd.inverse_dynamics(state, vd, each), torques, 1e-12)
        close(rbd.inverse_dynamics(state, vd, {body: Wrench.zero(frame)}), rbd.inverse_dynamics(state, vd), 1e-12)


@pytest.mark.usefixtures("at_once")
def test_a_wrench_in_different_frames_gives_the_same_result() -> None:
    """The same push said in four frames, two of which have fast paths of their own."""
    state = MechanismState(rbd.robots.arm7())
    body, tau = state.mechanism.bodies[-1], np.linspace(-1, 1, 7)
    push = Wrench(state.mechanism.root_frame, (1.0, -2.0, 3.0), (0.5, 1.5, -1.0))
    frames = [body.default_frame, state.mechanism.bodies[2].default_frame, state.mechanism.frame("tool")]
    for seed in range(5):
        state.randomize(seed)
        expected = rbd.forward_dynamics(state, tau, {body: push})
        for frame in frames:
            there = state.transform(push, frame)
            close(rbd.forward_dynamics(state, tau, {body: there}), expected, 1e-11)


@pytest.mark.usefixtures("at_once")
def test_loops() -> None:
    state = looped("universal", 8).state
    tau, push = np.linspace(-1.0, 1.0, state.mechanism.nv), pushes(state)
    for function in FUNCTIONS.values():
        args = function.arguments(state.mechanism.nv)
        with rbd.interpreted():
            expected = function.run(state, *args, push)
        first = function.run(state, *args, push)
        close(first, expected, 1e-10)
        for _ in range(4):
            assert np.array_equal(function.run(state, *args, push), first)
    loose = rbd.forward_dynamics(state, tau, push, stabilization=None)
    with rbd.interpreted():
        close(loose, rbd.forward_dynamics(state, tau, push, stabilization=None), 1e-10)


@pytest.mark.usefixtures("at_once")
def test_mechanisms_without_velocities() -> None:
    state = MechanismState(random_chain([rbd.Fixed()], np.random.default_rng(1)))
    for _ in range(4):
        for function in FUNCTIONS.values():
            assert function.run(state, *function.arguments(0), pushes(state)).shape == (0,)


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.fixture
def open_ways(at_once: None) -> MechanismState:
    """A state with fast paths of all forms of all functions."""
    state = MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    for function in FUNCTIONS.values():
        for more, named in forms(pushes(state)):
            for _ in range(4):
                function.run(state, *function.arguments(2), *more, **named)
    return state


def wrong_calls(state: Any, function: Function) -> list[tuple[Callable[[], object], type[Exception]]]:
    """Return calls that fail, and how."""
    run, args, push = function.run, function.arguments(2), pushes(state)
    body, stranger = state.mechanism.bodies[-1], rbd.RigidBody("stranger")
    wrong = Wrench(rbd.Frame("elsewhere"), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    huge = Wrench(state.mechanism.root_frame, (1e308, 1e308, 1e308), (1e308, 1e308, 1e308))
    calls: list[tuple[Callable[[], object], type[Exception]]] = [
        (lambda: run(state, *args, {stranger: push[body]}), UnknownNameError),
        (lambda: run(state, *args, {body: wrong}), FrameMismatchError),
        (lambda: run(state, *args, {body: 3.0}), ArgumentError),
        (lambda: run(state, *args, {"body": push[body]}), RbdError),
        (lambda: run(state, *args, [push[body]]), ArgumentError),
        (lambda: run(state, *args, np.zeros(6)), ArgumentError),
        (lambda: run(state, *args, np.zeros(12)), ArgumentError),
        (lambda: run(state, *args, push, external_wrenches=push), TypeError),
        (lambda: run(state, *args, None, external_wrenches=push), TypeError),
        (lambda: run(state, *args, push, no_such=1), TypeError),
        (lambda: run(state, *args, push, None), TypeError),
        (lambda: run(state, *args, push, out=np.zeros(3)), ShapeError),
        (lambda: run(state, *args, push, out=[0.0, 0.0]), RbdError),
        (lambda: run(state, *args, dict.fromkeys(push, huge)), NotFiniteError),
    ]
    if function.vectors:
        calls += [
            (lambda: run(state, np.zeros(3), push), ShapeError),
            (lambda: run(state, np.array([0.0, np.nan]), push), NotFiniteError),
            (lambda: run(state, [Fraction(1, 2), "x"], push), RbdError),
            *([(lambda: run(state, external_wrenches=push), TypeError)] if needs_vectors(run) else []),
        ]
    return calls


@pytest.mark.parametrize("name", FUNCTIONS)
def test_errors_are_those_of_the_source(name: str, open_ways: MechanismState) -> None:
    function = FUNCTIONS[name]
    for call, kind in wrong_calls(open_ways, function):
        found: Any = raised(call)
        assert isinstance(found, kind), found
        with rbd.interpreted():
            expected: Any = raised(call)
        assert (type(found), str(found)) == (type(expected), str(expected))
        assert repr(found.__dict__) == repr(expected.__dict__)


def test_first_argument_must_be_a_state(open_ways: MechanismState) -> None:
    push = pushes(open_ways)
    wrong: Any = open_ways.mechanism
    for function in FUNCTIONS.values():
        assert isinstance(raised(lambda f=function: f.run(wrong, *f.arguments(2), push)), ArgumentError)


def test_fast_paths_accept_the_same_arguments(open_ways: MechanismState) -> None:
    state, push = open_ways, pushes(open_ways)
    expected = rbd.inverse_dynamics(state, np.array([1.0, 2.0]), push)
    strided: Any = np.array([1.0, 0.0, 2.0])[::2]
    vd: Any
    for vd in ([1, 2], (1.0, 2.0), strided, np.array([1, 2]), np.array([1.0, 2.0], dtype=np.float32), [Fraction(1), 2]):
        close(rbd.inverse_dynamics(state, vd, push), expected, 1e-12)
    assert np.array_equal(rbd.inverse_dynamics(state, vd=np.array([1.0, 2.0]), external_wrenches=push), expected)
    result = rbd.DynamicsResult(state.mechanism)
    assert np.array_equal(rbd.inverse_dynamics(state, np.array([1.0, 2.0]), push, result=result), expected)
    motors = state.mechanism.tree_joints
    assert np.array_equal(rbd.inverse_dynamics(state, np.array([1.0, 2.0]), push, actuated=motors), expected)


def test_other_scalars_run_the_source(open_ways: MechanismState) -> None:
    exact = open_ways.with_scalars([Fraction(0), Fraction(0)], [Fraction(1, 2), Fraction(1, 3)])
    body, root = open_ways.mechanism.bodies[-1], open_ways.mechanism.root_frame
    push = {body: Wrench(root, (Fraction(1, 2), 1, 0), (0, Fraction(1, 3), 2))}
    for function in FUNCTIONS.values():
        args = ([Fraction(1, 2), Fraction(1, 4)],) * function.vectors
        assert all(isinstance(x, (Fraction, int)) for x in function.run(exact, *args, push))
        assert function.run(open_ways.with_scalars(open_ways.q + 0j), *args, push).dtype == complex


def test_threads_and_structural_edits(open_ways: MechanismState) -> None:
    state, push, found = open_ways, pushes(open_ways), list[BaseException | None]()

    def elsewhere() -> None:
        found.extend(raised(lambda f=f: f.run(state, *f.arguments(2), push)) for f in FUNCTIONS.values())

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert [type(error) for error in found] == [WrongThreadError] * 3
    state.mechanism.remove_subtree(state.mechanism.bodies[-1])
    for function in FUNCTIONS.values():
        error = raised(lambda f=function: f.run(state, *f.arguments(2), push))
        assert isinstance(error, StaleStateError)


@pytest.mark.usefixtures("at_once")
def test_edits_of_parameters_take_effect() -> None:
    state = MechanismState(rbd.robots.arm7())
    state.randomize(3)
    mechanism = state.mechanism
    push = pushes(state)
    for k in range(5):
        mechanism.gravity = (0.0, float(k), -9.0)
        mechanism.joint("joint4").damping = 0.1 * k
        for function in FUNCTIONS.values():
            args = function.arguments(7)
            with rbd.interpreted():
                expected = function.run(state, *args, push)
            for _ in range(4):
                close(function.run(state, *args, push), expected, 1e-11)


def test_interpreted_blocks_run_the_source(open_ways: MechanismState) -> None:
    state, seen = open_ways, list[object]()
    with rbd.interpreted():
        state.engine.pass_result(state, Kernel(seen.append), "q")
        rbd.inverse_dynamics(state, np.ones(2), pushes(state))
    assert seen == [state]


@pytest.mark.usefixtures("at_once")
def test_a_singular_mass_matrix_names_the_joint() -> None:
    state = MechanismState(rbd.robots.double_pendulum(masses=(1.0, 0.0), radius=0.0))
    for _ in range(4):
        with pytest.raises(SingularError, match="elbow"):
            rbd.forward_dynamics(state, np.zeros(2), pushes(state))


@pytest.mark.usefixtures("at_once")
def test_integer_wrenches_do_not_affect_fast_paths() -> None:
    """Wrenches of integers become constants of what is recorded; tables of other kinds are no dictionaries."""
    state = MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    root, result = state.mechanism.root_frame, rbd.DynamicsResult(state.mechanism)
    whole = {state.mechanism.bodies[-1]: Wrench.trusted(root, (1, 2, 3), (4, 5, 6))}
    for function in FUNCTIONS.values():
        args = function.arguments(2)
        with rbd.interpreted():
            expected = [function.run(state, *args, push) for push in (whole, None)]
            vd = [rbd.forward_dynamics(state, [0.5, 0.5], push) for push in (whole, None)]
        for _ in range(4):
            close(function.run(state, *args, MappingProxyType(whole)), expected[0], 1e-12)
            close(function.run(state, *args, whole), expected[0], 1e-12)
            close(function.run(state, *args), expected[1], 1e-12)
            close(function.run(state, *args, None), expected[1], 1e-12)
            for push, rates in ((MappingProxyType(whole), vd[0]), (whole, vd[0]), (None, vd[1]), ({}, vd[1])):
                close(rbd.dynamics(result, state, [0.5, 0.5], push).vd, rates, 1e-12)
                close(rbd.dynamics(result, state, np.array([0.5, 0.5]), push).vd, rates, 1e-12)
