"""Derivatives of live states: fast paths accept the same arguments and raise the same errors as the general path."""

from __future__ import annotations

import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import rbd
from rbd import MechanismState, Wrench
from rbd.errors import (
    ArgumentError,
    FrameMismatchError,
    NotFiniteError,
    RbdError,
    ScalarError,
    ShapeError,
    SingularError,
    StaleStateError,
    UnknownNameError,
    WrongThreadError,
)
from rbd.kernels.kernel import Kernel
from tests.marks import needs_builtins

from ..algorithms.helpers import raised
from .derivatives import (
    FUNCTIONS,
    Function,
    assert_near,
    assert_same,
    needs_vectors,
    pushes,
)


@pytest.fixture
def open_ways(at_once: None) -> MechanismState:
    """A state with fast paths of all forms of all functions."""
    state = MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    for function in FUNCTIONS.values():
        for more, named in function.forms(pushes(state)):
            for _ in range(4):
                function.run(state, *function.arguments(2), *more, **named)
    return state


@needs_builtins
def test_a_builtin_that_refuses_is_called_once(open_ways: MechanismState) -> None:
    table, name = open_ways.engine.builtins, "inverse_dynamics_derivatives"
    plain = next(key for key in table if getattr(key, "__name__", None) == name)
    builtin, calls = table[plain], []

    def counted(*args: object) -> object:
        calls.append(args)
        return builtin(*args)

    table[plain] = counted
    rbd.inverse_dynamics_derivatives(open_ways, [0.5, -0.5])
    assert calls == [([0.5, -0.5],)]


def wrong_calls(state: Any, function: Function) -> list[tuple[Callable[[], object], type[Exception]]]:
    """Return calls that fail, and how."""
    run, args, bare = function.run, function.arguments(2), function.numbers
    calls: list[tuple[Callable[[], object], type[Exception]]] = [
        (lambda: run(state, *args, no_such=1), TypeError),
        (lambda: run(state, *args, out=np.zeros((2, 2))), TypeError),
    ]
    if function.vectors:
        calls += [
            (lambda: run(state, np.zeros(3), *bare), ShapeError),
            (lambda: run(state, np.array([0.0, np.nan]), *bare), NotFiniteError),
            (lambda: run(state, [Fraction(1, 2), "x"], *bare), RbdError),
            *([(lambda: run(state), TypeError)] if needs_vectors(run) else []),
            (
                lambda: run(state, 1e308 * np.ones(2), *bare, **({"space": "coordinates"} if function.spaces else {})),
                RbdError,
            ),
        ]
    if function.spaces:
        calls += [
            (lambda s=space: run(state, *args, space=s), ArgumentError) for space in ("world", 3, ["tangent"], None)
        ]
    if function.wrenches:
        body, root, stranger = state.mechanism.bodies[-1], state.mechanism.root_frame, rbd.RigidBody("stranger")
        push = Wrench(root, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        wrong = Wrench(rbd.Frame("elsewhere"), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        calls += [
            (lambda: run(state, *args, {stranger: push}), UnknownNameError),
            (lambda: run(state, *args, {body: wrong}), FrameMismatchError),
            (lambda: run(state, *args, {body: 3.0}), ArgumentError),
            (lambda: run(state, *args, [push]), ArgumentError),
            (lambda: run(state, *args, np.zeros(6)), ArgumentError),
            (lambda: run(state, *args, np.zeros(12), space="coordinates"), ArgumentError),
            (lambda: run(state, *args, {body: push}, external_wrenches={body: push}), TypeError),
            (lambda: run(state, *args, None, external_wrenches={body: push}), TypeError),
            (lambda: run(state, *args, {body: push}, None), TypeError),
        ]
    return calls


@pytest.mark.parametrize("name", FUNCTIONS)
def test_errors_are_those_of_the_source(name: str, open_ways: MechanismState) -> None:
    function = FUNCTIONS[name]
    for call, kind in wrong_calls(open_ways, function):
        found = raised(call)
        assert isinstance(found, kind), found
        with rbd.interpreted():
            expected = raised(call)
        assert (type(found), str(found)) == (type(expected), str(expected))


def test_fast_paths_accept_the_same_arguments(open_ways: MechanismState) -> None:
    state = open_ways
    expected = rbd.inverse_dynamics_derivatives(state, np.array([1.0, 2.0]))
    strided: Any = np.array([1.0, 0.0, 2.0])[::2]
    for vd in ([1, 2], (1.0, 2.0), strided, np.array([1, 2]), np.array([1.0, 2.0], dtype=np.float32), [Fraction(1), 2]):
        assert_near(rbd.inverse_dynamics_derivatives(state, vd), expected)
    assert_same(rbd.inverse_dynamics_derivatives(state, vd=np.array([1.0, 2.0])), expected)
    slopes = rbd.step_derivatives(state, np.zeros(2), 1.0)
    assert_same(rbd.step_derivatives(state, np.zeros(2), 1), slopes)
    assert_same(rbd.step_derivatives(state, np.zeros(2), np.float64(1.0)), slopes)
    assert_same(rbd.step_derivatives(state, np.zeros(2), dt=1.0), slopes)


def test_other_scalars_run_the_source(open_ways: MechanismState) -> None:
    exact = open_ways.with_scalars([Fraction(0), Fraction(0)], [Fraction(1, 2), Fraction(1, 3)])
    half = [Fraction(1, 2), Fraction(1, 4)]
    found = rbd.bias_derivatives(open_ways.with_scalars(open_ways.q + 0j), {})
    assert all(x.dtype == complex for x in found)
    for x in rbd.mass_matrix_product_derivatives(exact, half).ravel():
        assert isinstance(x, (Fraction, int))
    with pytest.raises(ScalarError):
        rbd.inverse_dynamics_derivatives(open_ways, [1j, 2.0])  # type: ignore[list-item]  # the error


def test_threads_and_structural_edits(open_ways: MechanismState) -> None:
    state, vd, found = open_ways, np.ones(2), list[BaseException | None]()

    def elsewhere() -> None:
        found.append(raised(lambda: rbd.inverse_dynamics_derivatives(state, vd)))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert isinstance(found[0], WrongThreadError)
    state.mechanism.remove_subtree(state.mechanism.bodies[-1])
    for function in FUNCTIONS.values():
        assert isinstance(raised(lambda f=function: f.run(state, *f.arguments(2))), StaleStateError)


@pytest.mark.usefixtures("at_once")
def test_edits_of_parameters_take_effect() -> None:
    state = MechanismState(rbd.robots.arm7())
    state.randomize(3)
    mechanism, vd = state.mechanism, np.ones(7)
    tool = mechanism.bodies[-1]
    for k in range(5):
        mechanism.gravity = (0.0, float(k), -9.0)
        mechanism.joint("joint4").damping = 0.1 * k
        push = {tool: Wrench(mechanism.root_frame, (1.0, 2.0, 3.0), (4.0, 5.0, float(k)))}
        with rbd.interpreted():
            expected = rbd.inverse_dynamics_derivatives(state, vd), rbd.inverse_dynamics_derivatives(state, vd, push)
        for _ in range(4):
            assert_near(rbd.inverse_dynamics_derivatives(state, vd), expected[0])
            assert_near(rbd.inverse_dynamics_derivatives(state, vd, push), expected[1])


@pytest.mark.usefixtures("at_once")
def test_interpreted_blocks_run_the_source(open_ways: MechanismState) -> None:
    state, seen = open_ways, list[object]()
    with rbd.interpreted():
        state.engine.pass_result(state, Kernel(seen.append), "q")
        rbd.inverse_dynamics_derivatives(state, np.ones(2))
    assert seen == [state]


@pytest.mark.usefixtures("at_once")
def test_a_singular_mass_matrix_names_the_joint() -> None:
    mechanism = rbd.robots.double_pendulum(masses=(1.0, 0.0), radius=0.0)
    state = MechanismState(mechanism)
    for _ in range(4):
        with pytest.raises(SingularError, match="elbow"):
            rbd.forward_dynamics_derivatives(state, np.zeros(2))
        with pytest.raises(SingularError, match="elbow"):
            rbd.step_derivatives(state, np.zeros(2), 0.1)
