"""Derivatives of live states: fast paths of all forms of calls agree with the general path."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import rbd
from rbd import MechanismState, Wrench, native
from rbd.engine.live_engine import LiveEngine
from rbd.errors import (
    RecordingLimitError,
    TopologyError,
)
from rbd.recorder.kernel_cache import RecordingFailure, kernel_cache
from rbd.testing import random_chain
from tests.marks import needs_builtins

from ..algorithms.helpers import JOINT_TYPES, Case, cases, close, examples
from ..algorithms.loops.mechanisms import looped
from .derivatives import (
    FUNCTIONS,
    SECOND,
    arrays,
    assert_near,
    assert_same,
    pushes,
    two_joints,
)


@needs_builtins
@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("name", FUNCTIONS | SECOND)
def test_fast_paths_of_all_forms_are_bitwise_equal(name: str) -> None:
    function = (FUNCTIONS | SECOND)[name]
    mechanism = random_chain(
        [JOINT_TYPES["universal oblique"], JOINT_TYPES["planar"], JOINT_TYPES["sin-cos"]], np.random.default_rng(4)
    )
    state = MechanismState(mechanism)
    state.randomize(1)
    args = function.arguments(mechanism.nv)
    for more, named in function.forms(pushes(state)):
        first = function.run(state, *args, *more, **named)
        with rbd.interpreted():
            assert_near(first, function.run(state, *args, *more, **named))
        found = [function.run(state, *args, *more, **named) for _ in range(4)]
        for again in found:
            assert_same(again, first)
        for a, b in zip(arrays(found[2]), arrays(found[3]), strict=True):
            assert a.flags.c_contiguous
            assert a.flags.writeable
            assert not np.shares_memory(a, b)
    assert len(state.engine.builtins) == 1 + (1 if function.spaces else 0) + (2 if function.wrenches else 0)


@needs_builtins
@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_fast_path_is_used(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it is open, no line of the algorithm runs."""
    function, state = FUNCTIONS[name], MechanismState(rbd.robots.arm7())
    args, push = function.arguments(7), pushes(state)
    for more, named in function.forms(push):
        for _ in range(4):
            function.run(state, *args, *more, **named)
    monkeypatch.setattr(MechanismState, "vector", None)
    monkeypatch.setattr(LiveEngine, "run", None)
    for more, named in function.forms(push):
        if more != (None,):  # that one goes the general path
            function.run(state, *args, *more, **named)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_every_joint_type(kind: str) -> None:
    """In the form that has everything: wrenches, and by coordinates."""
    state = two_joints(kind)
    for function in (FUNCTIONS | SECOND).values():
        args = function.arguments(state.mechanism.nv)
        named = function.forms(pushes(state))[-1 if not function.wrenches else -3][1]
        with rbd.interpreted():
            expected = function.run(state, *args, **named)
        first = function.run(state, *args, **named)
        assert_near(first, expected)
        for _ in range(2):
            assert_same(function.run(state, *args, **named), first)


@examples(0.05)
@given(cases("tree", "floating tree", bodies=4, passive=True))
def test_recorded_programs_agree_with_the_source(a_case: Case) -> None:
    state, tau = a_case.state, a_case.velocity()
    for push in (a_case.wrenches(), a_case.wrenches("body")):
        for run in (rbd.inverse_dynamics_derivatives, rbd.forward_dynamics_derivatives):
            found = run(state, tau, push)
            with rbd.interpreted():
                expected = run(state, tau, push)
            bound = 1e-11 * max(1.0, float(np.linalg.cond(rbd.mass_matrix(state))) / 1e2)
            for a, b in zip(found, expected, strict=True):
                close(a, b, bound)


@pytest.mark.usefixtures("at_once")
def test_wrenches_in_any_frame_and_of_any_numbers() -> None:
    """Every call computes with the wrenches it is given."""
    state = MechanismState(rbd.robots.arm7())
    state.randomize(2)
    body, root, vd = state.mechanism.bodies[-1], state.mechanism.root_frame, np.ones(7)
    frames = [root, body.default_frame, state.mechanism.bodies[3].default_frame, state.mechanism.frame("tool")]
    for k, frame in enumerate(frames * 4):
        push = {body: Wrench(frame, (0, k, 1.0), (1.0, 0, -k))}
        with rbd.interpreted():
            expected = rbd.inverse_dynamics_derivatives(state, vd, push)
        assert_near(rbd.inverse_dynamics_derivatives(state, vd, push), expected)
        none = {body: Wrench.zero(frame)}
        assert_near(rbd.inverse_dynamics_derivatives(state, vd, none), rbd.inverse_dynamics_derivatives(state, vd))


@pytest.mark.usefixtures("at_once")
def test_number_of_fast_paths_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rbd.engine.fast_path_table._MAX_FAST_PATHS", 4)
    state = MechanismState(rbd.robots.arm7())
    vd = np.ones(7)
    for body in state.mechanism.bodies[1:] * 2:
        push = {body: Wrench(state.mechanism.root_frame, (0.0, 1.0, 2.0), (3.0, 4.0, 5.0))}
        first = rbd.bias_derivatives(state, push)
        for _ in range(3):
            assert_same(rbd.bias_derivatives(state, push), first)
        assert len(state.engine.builtins) <= 4
    assert rbd.inverse_dynamics_derivatives(state, vd)[0].shape == (7, 7)


@pytest.mark.usefixtures("at_once")
def test_loops() -> None:
    state = looped("universal", 8).state
    nv = state.mechanism.nv
    tau = np.linspace(-1.0, 1.0, nv)
    first, step = rbd.forward_dynamics_derivatives(state, tau), rbd.step_derivatives(state, tau, 0.1)
    with rbd.interpreted():
        assert_near(step, rbd.step_derivatives(state, tau, 0.1))
    for _ in range(4):
        assert_same(rbd.forward_dynamics_derivatives(state, tau), first)
        assert_same(rbd.step_derivatives(state, tau, 0.1), step)
        with pytest.raises(TopologyError):
            rbd.inverse_dynamics_derivatives(state, tau)
        with pytest.raises(TopologyError):
            rbd.inverse_dynamics_second_derivatives(state, tau)


@pytest.mark.usefixtures("at_once")
def test_mechanisms_without_velocities() -> None:
    mechanism = random_chain([rbd.Fixed()], np.random.default_rng(1))
    state = MechanismState(mechanism)
    for _ in range(4):
        assert [x.shape for x in rbd.inverse_dynamics_derivatives(state, [])] == [(0, 0)] * 3
        assert rbd.regressor(state, []).shape == (0, 10)
        second = rbd.inverse_dynamics_second_derivatives(state, [])
        assert [x.shape for x in arrays(second)] == [(0, 0, 0)] * 4


def test_programs_above_the_limit_run_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rbd.program.nodes.RECORDING_LIMIT", 5000)
    state, vd = MechanismState(rbd.robots.arm7()), np.linspace(-1.0, 1.0, 7)
    state.randomize(1)
    with pytest.warns(native.InterpretedWarning, match="Python source"):
        found = rbd.inverse_dynamics_second_derivatives(state, vd)
    with rbd.interpreted():
        assert_same(found, rbd.inverse_dynamics_second_derivatives(state, vd))
    assert {type(entry) for entry in kernel_cache(state.mechanism)._kernels.values()} == {RecordingFailure}
    with pytest.raises(RecordingLimitError):
        rbd.compile(state.mechanism).inverse_dynamics_second_derivatives(state.q, state.v, vd)
