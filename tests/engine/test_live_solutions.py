"""Solutions with external wrenches: fast paths of results agree with the general path."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import rbd
from rbd import DynamicsResult, MechanismState, Wrench
from rbd.errors import ArgumentError, FrameMismatchError, NotFiniteError, ShapeError, StaleStateError, WrongThreadError
from tests.marks import needs_builtins

from ..algorithms.helpers import case, close, raised
from ..algorithms.loops.mechanisms import looped
from .derivatives import Wrenches, pushes
from .test_every_kernel import touching

ARRAYS = ("q", "v", "qd", "vd", "mass_matrix", "dynamics_bias", "passive_torques")
LOOPS = ("constraint_jacobian", "constraint_bias", "multipliers")


def everything(result: DynamicsResult) -> list[np.ndarray]:
    mechanism = result.mechanism
    arrays = [getattr(result, name) for name in (*ARRAYS, *LOOPS)]
    values: list[Any] = [result.joint_wrench(joint) for joint in mechanism.tree_joints]
    values += [result.loop_wrench(joint) for joint in mechanism.loop_joints]
    values += [result.acceleration(body) for body in mechanism.bodies]
    return [*(array.copy() for array in arrays), *(value.vector for value in values)]


def agree(one: list[np.ndarray], two: list[np.ndarray]) -> None:
    for a, b in zip(one, two, strict=True):
        close(a, b, 1e-10, scale=1.0)


def fresh(state: MechanismState, tau: Any, push: Any) -> list[np.ndarray]:
    """Return what the source says."""
    with rbd.interpreted():
        return everything(rbd.dynamics(DynamicsResult(state.mechanism), state, tau, push))


def choices(state: MechanismState) -> list[Wrenches | None]:
    push = pushes(state)
    first, last = push
    return [None, push, {first: push[first]}, {}, {last: push[last]}]


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("kind", ["tree", "loops"])
def test_a_result_holds_the_last_solution_of_any_path(kind: str) -> None:
    """With wrenches and without, in turn: what is asked for later belongs to the last solution."""
    state = (looped("revolute oblique", 3) if kind == "loops" else case("tree", 1157, 6, passive=True)).state
    result, rng, mechanism = DynamicsResult(state.mechanism), np.random.default_rng(1), state.mechanism
    for k in range(6):
        for push in choices(state):
            if kind == "tree":
                state.randomize(rng)
            state.set_velocity(rng.standard_normal(mechanism.nv))
            tau = rng.standard_normal(mechanism.nv)
            expected = fresh(state, tau, push)
            named = k % 2 and push is not None
            if named:
                assert rbd.dynamics(result, state, tau, external_wrenches=push) is result
            else:
                assert rbd.dynamics(result, state, tau, push) is result
            agree(everything(result), expected)
    quiet = fresh(state, np.zeros(mechanism.nv), pushes(state))
    agree(everything(rbd.dynamics(result, state, external_wrenches=pushes(state))), quiet)
    agree(everything(rbd.dynamics(result, state, None, pushes(state))), quiet)


@needs_builtins
@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("kind", ["tree", "loops"])
def test_fast_path_is_used(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    state = looped("universal", 8).state if kind == "loops" else MechanismState(rbd.robots.arm7())
    result, tau, push = DynamicsResult(state.mechanism), np.ones(state.mechanism.nv), pushes(state)
    for _ in range(4):
        for each in choices(state):
            rbd.dynamics(result, state, tau, each)
        rbd.dynamics(result, state, tau)
    expected = fresh(state, tau, push)
    other = DynamicsResult(state.mechanism)
    for _ in range(4):
        rbd.dynamics(other, state, tau)  # another result of the same state gets ways of its own
    monkeypatch.setattr(MechanismState, "vector", None)
    monkeypatch.setattr(DynamicsResult, "store", None)
    rbd.dynamics(result, state, tau)
    rbd.dynamics(result, state, tau, push)
    rbd.dynamics(result, state, tau, external_wrenches=push)
    rbd.dynamics(result, state, None, push)
    rbd.dynamics(result, state, tau, push)
    rbd.dynamics(other, state, tau)
    monkeypatch.undo()
    agree(everything(result), expected)


@pytest.mark.usefixtures("at_once")
def test_a_solution_keeps_its_external_wrenches() -> None:
    state = MechanismState(rbd.robots.arm7())
    state.randomize(1)
    mechanism, result, tau = state.mechanism, DynamicsResult(state.mechanism), np.ones(7)
    push = pushes(state)
    for _ in range(4):
        rbd.dynamics(result, state, tau, push)
    expected = fresh(state, tau, push)
    twins = [copy.deepcopy(result), pickle.loads(pickle.dumps(result))]
    push.clear()  # the caller's table is the caller's, and so are the arrays and the state
    state.randomize(2)
    joint = mechanism.tree_joints[0]
    found = result.joint_wrench(joint).vector
    result.vd[...] = np.nan
    agree([found], [expected[len(ARRAYS) + len(LOOPS)]])
    for twin in twins:
        agree(everything(twin), expected)


@pytest.mark.usefixtures("at_once")
def test_failures_leave_the_result_unchanged() -> None:
    state = MechanismState(rbd.robots.arm7())
    result, tau, push = DynamicsResult(state.mechanism), np.ones(7), pushes(state)
    for _ in range(4):
        rbd.dynamics(result, state, tau, push)
    before = everything(result)
    body, root = state.mechanism.bodies[-1], state.mechanism.root_frame
    huge = Wrench(root, (1e308, 1e308, 1e308), (1e308, 1e308, 1e308))
    wrong: Any = result
    for call, kind in (
        (lambda: rbd.dynamics(result, state, np.full(7, np.nan), push), NotFiniteError),
        (lambda: rbd.dynamics(result, state, np.ones(6), push), ShapeError),
        (lambda: rbd.dynamics(result, state, tau, dict.fromkeys(push, huge)), NotFiniteError),
        (lambda: rbd.dynamics(result, state, tau, {body: Wrench.zero(rbd.Frame("elsewhere"))}), FrameMismatchError),
        (lambda: rbd.dynamics(result, state, tau, wrong), ArgumentError),
        (lambda: rbd.dynamics(wrong.mechanism, state, tau, push), ArgumentError),
        (lambda: rbd.dynamics(result, wrong, tau, push), ArgumentError),
        (lambda: rbd.dynamics(result, state, tau, push, out=result), TypeError),  # type: ignore[call-arg]  # the error
        (lambda: rbd.dynamics(result, state, tau, None, external_wrenches=push), TypeError),  # type: ignore[misc]  # the error
    ):
        error = raised(call)
        assert isinstance(error, kind), error
        with rbd.interpreted():
            expected = raised(call)
        assert str(error) == str(expected)
        agree(everything(result), before)


@pytest.mark.usefixtures("at_once")
def test_edits_and_owners() -> None:
    state = MechanismState(rbd.robots.arm7())
    mechanism, result, tau, push = state.mechanism, DynamicsResult(state.mechanism), np.ones(7), pushes(state)
    for k in range(4):
        mechanism.gravity = (0.0, float(k), -9.0)
        for _ in range(4):
            agree(everything(rbd.dynamics(result, state, tau, push)), fresh(state, tau, push))
    mechanism.gravity = (0.0, 0.0, -1.0)
    assert isinstance(raised(lambda: result.joint_wrench(mechanism.tree_joints[0])), StaleStateError)
    state.engine.buffers.words[0] += 1  # another thread's
    assert isinstance(raised(lambda: rbd.dynamics(result, state, tau, push)), WrongThreadError)
    state.adopt()
    mechanism.remove_subtree(mechanism.bodies[-1])
    assert isinstance(raised(lambda: rbd.dynamics(result, state, tau, push)), StaleStateError)


@pytest.mark.usefixtures("at_once")
def test_results_with_contacts() -> None:
    state = touching().state
    result, tau, push = DynamicsResult(state.mechanism), np.ones(state.mechanism.nv), pushes(state)
    for _ in range(4):
        for each in (push, None):
            agree(everything(rbd.dynamics(result, state, tau, each)), fresh(state, tau, each))


@pytest.mark.usefixtures("at_once")
def test_number_of_fast_paths_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rbd.algorithms.results.result_writer._MAX_FAST_PATHS", 3)
    state = MechanismState(rbd.robots.arm7())
    result, tau = DynamicsResult(state.mechanism), np.ones(7)
    for body in state.mechanism.bodies[1:] * 2:
        push = {body: Wrench(state.mechanism.root_frame, (0.0, 1.0, 2.0), (3.0, 4.0, 5.0))}
        for _ in range(4):
            rbd.dynamics(result, state, tau, push)
        agree(everything(result), fresh(state, tau, push))
        assert len(result.writer.builtins) <= 3


@pytest.mark.usefixtures("at_once")
def test_calls_with_other_scalars_in_between() -> None:
    state = MechanismState(rbd.robots.arm7())
    result, tau, push = DynamicsResult(state.mechanism), np.ones(7), pushes(state)
    for _ in range(3):
        for _ in range(4):
            rbd.dynamics(result, state, tau, push)
        expected = fresh(state, tau, push)
        agree(everything(result), expected)
        rbd.dynamics(result, state.with_scalars(state.q + 0j), tau, push)
        assert result.vd.dtype == complex
        agree([result.vd.real], [expected[3]])
