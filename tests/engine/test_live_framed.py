"""Framed values and numbers of live states: fast paths agree with the general path."""

from __future__ import annotations

import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import rbd
from rbd import Mechanism, MechanismState, algorithms
from rbd.engine.live_engine import LiveEngine
from rbd.errors import (
    ArgumentError,
    FrameMismatchError,
    NotFiniteError,
    ShapeError,
    SingularError,
    StaleStateError,
    UnknownNameError,
    WrongThreadError,
)
from rbd.kernels.kernel import Kernel
from rbd.testing import random_chain
from tests.marks import needs_builtins

from ..algorithms.catalog import flat
from ..algorithms.helpers import JOINT_TYPES, close, raised
from .derivatives import two_joints

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "momentum_matrix": rbd.momentum_matrix,
    "centroidal_momentum_matrix": rbd.centroidal_momentum_matrix,
    "center_of_mass_jacobian": algorithms.center_of_mass_jacobian,
    "center_of_mass": rbd.center_of_mass,
    "momentum": rbd.momentum,
    "momentum_rate_bias": rbd.momentum_rate_bias,
    "kinetic_energy": rbd.kinetic_energy,
    "gravitational_potential_energy": rbd.gravitational_potential_energy,
}


def assert_same(one: Any, two: Any) -> None:
    assert type(one) is type(two)
    assert getattr(one, "frame", None) is getattr(two, "frame", None)
    assert flat(one) == flat(two)
    assert list(map(type, flat(one))) == list(map(type, flat(two)))


def assert_near(one: Any, two: Any) -> None:
    assert type(one) is type(two)
    assert getattr(one, "frame", None) is getattr(two, "frame", None)
    close(flat(one), flat(two), 1e-12, scale=1.0)


@needs_builtins
@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_fast_paths_are_bitwise_equal(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it is open, no line of the algorithm runs."""
    run, state, found = FUNCTIONS[name], MechanismState(rbd.robots.humanoid()), list[Any]()
    for seed in range(3):
        state.randomize(seed)
        found = [run(state) for _ in range(4)]
        with rbd.interpreted():
            assert_near(found[0], run(state))
        for again in found:
            assert_same(again, found[0])
    assert len(state.engine.builtins) == 1
    monkeypatch.setattr(LiveEngine, "run", None)
    monkeypatch.setattr(LiveEngine, "evaluate", None)
    assert_same(run(state), found[0])


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_every_joint_type(kind: str) -> None:
    state = two_joints(kind)
    for run in FUNCTIONS.values():
        with rbd.interpreted():
            expected = run(state)
        first = run(state)
        assert_near(first, expected)
        for _ in range(3):
            assert_same(run(state), first)


@needs_builtins
@pytest.mark.usefixtures("at_once")
def test_momentum_matrices_in_frames() -> None:
    """Every frame has a fast path of its own; into arrays it takes longer."""
    state = MechanismState(rbd.robots.arm7())
    state.randomize(3)
    mechanism = state.mechanism
    last = mechanism.bodies[-1].default_frame
    for frame in (None, mechanism.root_frame, last, mechanism.frame("tool")):
        with rbd.interpreted():
            expected = rbd.momentum_matrix(state, frame=frame)
        first = rbd.momentum_matrix(state, frame=frame)
        assert_near(first, expected)
        out = np.zeros((6, 7))
        for _ in range(4):
            assert_same(rbd.momentum_matrix(state, frame=frame), first)
            assert_same(rbd.momentum_matrix(state, frame=frame, out=out), first)
            close(out, first.matrix, 0.0)
    assert len(state.engine.builtins) == 4


@pytest.mark.usefixtures("at_once")
def test_centers_of_some_bodies() -> None:
    state = MechanismState(rbd.robots.arm7())
    state.randomize(3)
    some = state.mechanism.bodies[2:4]
    for _ in range(4):
        whole = rbd.center_of_mass(state)
        for found in (rbd.center_of_mass(state, some), rbd.center_of_mass(state, bodies=some)):
            with rbd.interpreted():
                assert_near(found, rbd.center_of_mass(state, some))
            assert flat(found) != flat(whole)
        assert_same(rbd.center_of_mass(state, None), whole)
        assert_same(rbd.center_of_mass(state, bodies=None), whole)


@pytest.mark.usefixtures("at_once")
def test_constant_components_of_results() -> None:
    """In a plane, some components are no outputs of machine code; where nothing moves, none is."""
    still = MechanismState(random_chain([rbd.Fixed()], np.random.default_rng(1)))
    for state in (MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0]), still):
        for run in FUNCTIONS.values():
            with rbd.interpreted():
                expected = run(state)
            for _ in range(4):
                assert_near(run(state), expected)


@pytest.fixture
def open_ways(at_once: None) -> MechanismState:
    """A state with fast paths for all functions."""
    state = MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    for run in FUNCTIONS.values():
        for _ in range(4):
            run(state)
    return state


@pytest.mark.parametrize("name", FUNCTIONS)
def test_errors_are_those_of_the_source(name: str, open_ways: MechanismState) -> None:
    run, state = FUNCTIONS[name], open_ways
    wrong: list[tuple[Callable[[], object], type[Exception]]] = [
        (lambda: run(state, no_such=1), TypeError),
        (lambda: run(state, None, None), TypeError),
        (lambda: run(), TypeError),
        (lambda: run(state.mechanism), ArgumentError if name != "center_of_mass_jacobian" else Exception),
    ]
    if name == "momentum_matrix":
        wrong += [
            (lambda: run(state, frame=rbd.Frame("elsewhere")), FrameMismatchError),
            (lambda: run(state, frame="nowhere"), UnknownNameError),
            (lambda: run(state, frame=None, out=np.zeros(3)), ShapeError),
        ]
    for call, kind in wrong:
        found: Any = raised(call)
        assert isinstance(found, kind), found
        with rbd.interpreted():
            expected: Any = raised(call)
        assert (type(found), str(found)) == (type(expected), str(expected))


def test_numbers_out_of_range(open_ways: MechanismState) -> None:
    open_ways.set_velocity([1e200, -1e200])
    for run in (rbd.kinetic_energy, rbd.momentum_rate_bias):
        error = raised(lambda run=run: run(open_ways))
        assert isinstance(error, NotFiniteError), error


def test_owners_edits_and_interpreted_blocks(open_ways: MechanismState) -> None:
    state, found, seen = open_ways, list[BaseException | None](), list[object]()
    with rbd.interpreted():
        state.engine.pass_result(state, Kernel(seen.append), "q")
        rbd.center_of_mass(state)
    assert seen == [state]

    def elsewhere() -> None:
        found.extend(raised(lambda run=run: run(state)) for run in FUNCTIONS.values())

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert {type(error) for error in found} == {WrongThreadError}
    mechanism = state.mechanism
    for k in range(4):
        mechanism.gravity = (0.0, float(k), -9.0)
        mechanism.joint("elbow").armature = 0.1 * k
        for run in FUNCTIONS.values():
            with rbd.interpreted():
                expected = run(state)
            for _ in range(3):
                assert_near(run(state), expected)
    mechanism.remove_subtree(mechanism.bodies[-1])
    for run in FUNCTIONS.values():
        assert isinstance(raised(lambda run=run: run(state)), StaleStateError)


def test_other_scalars_run_the_source(open_ways: MechanismState) -> None:
    exact = open_ways.with_scalars([Fraction(0), Fraction(0)], [Fraction(1, 2), Fraction(1, 3)])
    for run in FUNCTIONS.values():
        assert {type(x) for x in flat(run(exact))} <= {Fraction, int}


@pytest.mark.usefixtures("at_once")
def test_centre_of_mass_without_mass_raises() -> None:
    mechanism = Mechanism()
    mechanism.attach("world", rbd.RigidBody("ghost"), rbd.Joint("hinge", rbd.Revolute((0, 0, 1))))
    state = MechanismState(mechanism)
    for _ in range(4):
        for run in (rbd.center_of_mass, rbd.centroidal_momentum_matrix, algorithms.center_of_mass_jacobian):
            assert isinstance(raised(lambda run=run: run(state)), SingularError)


@pytest.mark.usefixtures("at_once")
def test_interpreted_calls_do_not_open_fast_paths() -> None:
    """What the source computes opens no way to what machine code computed before."""
    state = MechanismState(rbd.robots.arm7())
    state.randomize(3)
    mechanism = state.mechanism
    near, far = (mechanism.path(mechanism.root_body, body) for body in (mechanism.bodies[3], mechanism.bodies[-1]))
    last = mechanism.bodies[-1].default_frame
    for _ in range(4):
        rbd.geometric_jacobian(state, near, out=np.zeros((6, 7)))  # in a form that has no fast path
    with rbd.interpreted():
        jacobian = rbd.geometric_jacobian(state, far)
    for _ in range(4):
        rbd.momentum_matrix(state, out=np.zeros((6, 7)))
    with rbd.interpreted():
        matrix = rbd.momentum_matrix(state, frame=last)
    for _ in range(2):
        close(rbd.geometric_jacobian(state, far).matrix, jacobian.matrix, 1e-12)
        assert_near(rbd.momentum_matrix(state, frame=last), matrix)


@needs_builtins
@pytest.mark.usefixtures("at_once")
def test_queries_follow_frames_that_move() -> None:
    """Fast paths and frames that were looked up belong to one version of the parameters."""
    state = MechanismState(rbd.robots.arm7())
    state.randomize(3)
    hand, tool, link = (state.mechanism.body("link7"), state.mechanism.frame("tool"), state.mechanism.body("link3"))
    queries: list[Callable[[], Any]] = [
        lambda: state.transform_to_root(tool),
        lambda: state.transform_to_root("tool"),
        lambda: state.relative_transform(tool, link),
        lambda: state.relative_transform(state.mechanism.root_frame, tool),
        lambda: state.relative_twist(tool, link, frame=tool),
        lambda: state.transform(state.twist(hand), tool),
        lambda: rbd.geometric_jacobian(state, hand, frame=tool),
        lambda: rbd.momentum_matrix(state, frame=tool),
    ]
    before = [[query() for _ in range(4)][-1] for query in queries]
    hand.move_frame(rbd.Transform(tool, hand.default_frame, translation=[0.3, -0.2, 0.1]))
    for query, known in zip(queries, before, strict=True):
        found = [query() for _ in range(4)]
        with rbd.interpreted():
            expected = query()
        assert_near(found[-1], expected)
        assert flat(found[0]) == flat(found[-1])
        assert flat(found[0]) != flat(known)


@pytest.mark.usefixtures("at_once")
def test_poses_seen_from_the_root_invert_those_in_it() -> None:
    state = MechanismState(random_chain(list(JOINT_TYPES.values())[:5], np.random.default_rng(7)))
    state.randomize(3)
    root = state.mechanism.root_frame
    for body in state.mechanism.bodies:
        there, back = state.relative_transform(root, body), state.relative_transform(body, root)
        assert (there.from_frame, there.to_frame) == (root, body.default_frame)
        assert_near(there, back.inverse())
