"""Methods of a compiled robot become builtins with the same results."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import weakref
from collections.abc import Callable
from types import BuiltinFunctionType
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.array_functions.evaluation import Evaluation
from rbd.array_functions.function import CALLS_BEFORE_BUILTIN
from rbd.compiled import CompiledRobot, record
from rbd.compiled import compile as compile_robot
from rbd.compiled.method_base import CallOptions
from rbd.errors import ArgumentError, InertiaError, NotFiniteError, ShapeError, StaleStateError
from rbd.scalars.arrays import Array
from tests.marks import needs_builtins

pytestmark = pytest.mark.optimised

Call = Callable[[CompiledRobot], object]
Q, V, A = np.random.default_rng(5).normal(size=(3, 7))


def warm(robot: CompiledRobot, call: Call) -> object:
    return [call(robot) for _ in range(CALLS_BEFORE_BUILTIN + 2)][-1]


@pytest.fixture(scope="module")
def mechanism() -> rbd.Mechanism:
    return rbd.robots.arm7()


@pytest.fixture(scope="module")
def robot(mechanism: rbd.Mechanism) -> CompiledRobot:
    return compile_robot(mechanism)


METHODS: dict[str, Call] = {
    "forward_kinematics": lambda robot: robot.forward_kinematics(Q),
    "inverse_dynamics": lambda robot: robot.inverse_dynamics(Q, V, A),
    "mass_matrix": lambda robot: robot.mass_matrix(Q),
    "dynamics_bias": lambda robot: robot.dynamics_bias(Q, V),
    "forward_dynamics": lambda robot: robot.forward_dynamics(Q, V, A),
    "momentum_matrix": lambda robot: robot.momentum_matrix(Q),
    "step": lambda robot: robot.step(Q, V, A, 0.01),
}


@needs_builtins
@pytest.mark.parametrize("name", METHODS)
def test_methods_become_builtins_with_the_same_results(robot: CompiledRobot, name: str) -> None:
    slow = METHODS[name](robot)
    fast = warm(robot, METHODS[name])
    method = getattr(robot, name)
    assert isinstance(method, BuiltinFunctionType)
    assert pickle.dumps(fast) == pickle.dumps(slow)
    assert method.__name__ == name
    assert method.__doc__ == inspect.getdoc(getattr(CompiledRobot, name))
    assert (
        list(inspect.signature(method).parameters)
        == list(inspect.signature(getattr(CompiledRobot, name)).parameters)[1:]
    )


@pytest.mark.parametrize("often", [False, True])
def test_builtins_accept_all_forms_of_arguments(robot: CompiledRobot, mechanism: rbd.Mechanism, often: bool) -> None:
    mine = robot if often else compile_robot(mechanism)
    if often:
        warm(mine, METHODS["inverse_dynamics"])
    expected = mine.inverse_dynamics(Q, V, A)
    same: list[Array] = [
        mine.inverse_dynamics(list(Q), tuple(V), A),
        mine.inverse_dynamics(Q, V, vd=A),
        mine.inverse_dynamics(q=Q, v=V, vd=A, threads=2),
        mine.inverse_dynamics(Q, V, A, out=np.empty(7)),
        mine.inverse_dynamics(Q[None], V, A)[0],
        mine.inverse_dynamics(np.stack([Q, Q]), V, A, threads=2)[1],
    ]
    assert all(result.tobytes() == expected.tobytes() for result in same)
    out = np.zeros(7)
    assert mine.inverse_dynamics(Q, V, A, out=out) is out
    with pytest.raises(ShapeError, match="vd"):
        mine.inverse_dynamics(Q, V, A[:3])
    with pytest.raises(NotFiniteError, match=r"v\[2\]"):
        mine.inverse_dynamics(Q, np.where(np.arange(7) == 2, np.nan, V), A)
    with pytest.raises(TypeError, match="inverse_dynamics"):
        mine.inverse_dynamics(Q, V)  # that is the point


def test_edits_make_builtins_stale() -> None:
    mechanism = rbd.robots.double_pendulum()
    robot, zeros = compile_robot(mechanism), np.zeros(2)
    warm(robot, lambda robot: robot.inverse_dynamics(zeros, zeros, zeros))
    bound = robot.inverse_dynamics
    mechanism.gravity = (0, 0, -1)
    for call in (robot.inverse_dynamics, bound):
        with pytest.raises(StaleStateError):
            call(zeros, zeros, zeros)
    assert compile_robot(mechanism).inverse_dynamics(zeros, zeros, zeros).shape == (2,)


def test_builtins_outlive_robot_and_mechanism() -> None:
    robot, zeros = compile_robot(rbd.robots.double_pendulum()), np.zeros(2)
    warm(robot, lambda robot: robot.mass_matrix(zeros))
    method, expected = robot.mass_matrix, robot.mass_matrix(zeros)
    del robot
    gc.collect()
    assert method(zeros).tobytes() == expected.tobytes()
    assert method([0, 0]).tobytes() == expected.tobytes()


def test_robots_are_freed_with_the_last_reference() -> None:
    robot, zeros = compile_robot(rbd.robots.double_pendulum()), np.zeros(2)
    warm(robot, lambda robot: robot.mass_matrix(zeros))
    watched = weakref.ref(robot)
    gc.disable()
    try:
        del robot
        assert watched() is None
    finally:
        gc.enable()


def test_copies_and_pickles(robot: CompiledRobot) -> None:
    expected = warm(robot, METHODS["inverse_dynamics"])
    for other in (pickle.loads(pickle.dumps(robot)), copy.deepcopy(robot)):
        assert pickle.dumps(METHODS["inverse_dynamics"](other)) == pickle.dumps(expected)
    function = record(lambda state: state.q[0] * state.v[1], rbd.robots.double_pendulum())
    again = pickle.loads(pickle.dumps(function))
    assert float(again([2.0, 0.0], [0.0, 3.0])) == 6.0


def test_recorded_functions_become_builtins() -> None:
    function = record(lambda state: state.q[0] * state.v[1], rbd.robots.double_pendulum())
    q, v = np.array([2.0, 0.0]), np.array([0.0, 3.0])
    results = [function(q, v) for _ in range(CALLS_BEFORE_BUILTIN + 3)]
    assert all(type(result) is np.ndarray and result.shape == () and result == 6.0 for result in results)
    assert function.compile()(q, v=v) == 6.0
    assert function(np.stack([q, q]), v).tolist() == [6.0, 6.0]
    with pytest.raises(NotFiniteError):
        function(q, np.array([0.0, np.inf]))


@needs_builtins
def test_small_batches_make_builtins_and_run_in_them(mechanism: rbd.Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = compile_robot(mechanism)
    q, v, a = np.random.default_rng(6).normal(size=(3, 8, 7))
    slow = robot.inverse_dynamics(q, v, a)
    warm(robot, lambda robot: robot.inverse_dynamics(q, v, a))
    assert isinstance(robot.inverse_dynamics, BuiltinFunctionType)
    monkeypatch.setattr(Evaluation, "__call__", None)  # nothing may come this way
    assert robot.inverse_dynamics(q, v, a).tobytes() == slow.tobytes()
    assert robot.inverse_dynamics(q, v[0], a[0], out=np.empty((8, 7)))[0].tobytes() == slow[0].tobytes()
    monkeypatch.undo()
    alone = [robot.inverse_dynamics(q[k], v[k], a[k]) for k in range(8)]
    assert np.array(alone).tobytes() == slow.tobytes()


WRENCH = np.array([0.1, 0.2, 0.3, 1.0, 2.0, 3.0])
OUT = np.empty(7), np.empty(7)
OPTIONS: dict[str, Call] = {
    "inputs by name": lambda robot: robot.inverse_dynamics(Q, v=V, vd=A),
    "no torques": lambda robot: robot.forward_dynamics(Q, V),
    "torques are None": lambda robot: robot.step(Q, V, None, 0.01),
    "options at their defaults": lambda robot: robot.step(
        Q, V, tau=A, dt=0.01, integrator="munthe-kaas-rk4", threads=1
    ),
    "a NumPy number": lambda robot: robot.step(Q, V, A, np.float64(0.01)),
    "another integrator": lambda robot: robot.step(Q, V, A, 0.01, integrator="semi-implicit-euler"),
    "another integrator, a batch": lambda robot: robot.step(Q[None], V, A, 0.01, integrator="semi-implicit-euler"),
    "another integrator, arrays for results": lambda robot: robot.step(
        Q, V, None, 0.01, integrator="semi-implicit-euler", out=OUT
    ),
    "no stabilisation": lambda robot: robot.step(Q, V, A, 0.01, stabilization=None),
    "arrays for results": lambda robot: robot.step(Q, V, A, 0.01, out=list(OUT)),
    "wrenches": lambda robot: robot.step(Q, V, A, 0.01, external_wrenches={"link7": WRENCH, "link3": -WRENCH}),
    "wrenches, another integrator": lambda robot: robot.step(
        Q, V, A, 0.01, external_wrenches={"link7": WRENCH, "link3": -WRENCH}, integrator="semi-implicit-euler"
    ),
    "wrenches in the root frame": lambda robot: robot.inverse_dynamics(
        Q, V, A, external_wrenches={robot.mechanism.body("link5"): WRENCH}, wrench_frame="root"
    ),
    "wrenches of a batch": lambda robot: robot.forward_dynamics(
        Q, V, external_wrenches={"link3": np.stack([WRENCH, -WRENCH])}
    ),
    "a Jacobian": lambda robot: robot.geometric_jacobian(Q, "link4"),
    "another Jacobian": lambda robot: robot.geometric_jacobian(Q, body=robot.mechanism.body("link5")),
    "another space": lambda robot: robot.forward_dynamics_derivatives(Q, V, space="coordinates"),
    "derivatives without torques": lambda robot: robot.forward_dynamics_derivatives(Q, V),
}


@needs_builtins
@pytest.mark.parametrize("name", OPTIONS)
def test_calls_with_options_run_in_builtins(
    mechanism: rbd.Mechanism, robot: CompiledRobot, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = pickle.dumps(OPTIONS[name](compile_robot(mechanism)))
    for each in (METHODS["step"], OPTIONS[name]):
        warm(robot, each)
    monkeypatch.setattr(CallOptions, "call", None)  # nothing may come this way
    assert pickle.dumps(OPTIONS[name](robot)) == slow


@needs_builtins
def test_wrenches_with_frames_of_their_own_are_no_arrays(mechanism: rbd.Mechanism) -> None:
    robot, body = compile_robot(mechanism), mechanism.body("link7")
    wrench = rbd.Wrench(mechanism.root_frame, WRENCH[:3], WRENCH[3:])
    framed = warm(robot, lambda robot: robot.inverse_dynamics(Q, V, A, external_wrenches={body: wrench}))
    arrays = warm(robot, lambda robot: robot.inverse_dynamics(Q, V, A, external_wrenches={body: WRENCH}))
    root = robot.inverse_dynamics(Q, V, A, external_wrenches={body: WRENCH}, wrench_frame="root")
    again = robot.inverse_dynamics(Q, V, A, external_wrenches={body: wrench})
    assert pickle.dumps(framed) == pickle.dumps(root) == pickle.dumps(again)
    assert pickle.dumps(framed) != pickle.dumps(arrays)


@pytest.mark.parametrize("name", ["inverse_dynamics", "step", "rollout"])
@pytest.mark.parametrize("kind", [list, tuple, "framed"])
def test_one_dictionary_of_other_wrenches_in_many_calls(mechanism: rbd.Mechanism, kind: Any, name: str) -> None:
    """Builtins take arrays only; an object that stays the same is read anew in each call."""
    robot, body = rbd.compile(mechanism), mechanism.bodies[-1]
    rest = {"inverse_dynamics": (), "step": (0.01,), "rollout": (0.01, 3)}[name]

    def wrench(x: Any) -> Any:
        return rbd.Wrench(body.default_frame, x[:3], x[3:]) if kind == "framed" else kind(x)

    def call(external: Any) -> bytes:
        found = getattr(robot, name)(Q, V, A, *rest, external_wrenches=external)
        return b"".join(each.tobytes() for each in (found if isinstance(found, tuple) else (found,)))

    same = {body: wrench(WRENCH)}
    first = warm(robot, lambda _: call(same))
    same[body] = wrench(2 * WRENCH)
    assert first != call(same) == warm(robot, lambda _: call({body: 2 * WRENCH}))


@needs_builtins
def test_parameters_of_the_mechanism_run_in_builtins_unless_they_are_checked(
    mechanism: rbd.Mechanism, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = compile_robot(mechanism, ["gravity", "inertia"])
    gravity, inertia = np.array([0.0, 0.0, -3.0]), 2 * robot.parameters["inertia"]
    calls: list[Call] = [
        lambda robot: robot.inverse_dynamics(Q, V, A),
        lambda robot: robot.inverse_dynamics(Q, V, A, gravity=gravity),
        lambda robot: robot.inverse_dynamics(Q, V, A, gravity=np.stack([gravity, 2 * gravity])),
    ]
    slow = [pickle.dumps(call(robot)) for call in calls]
    heavy = pickle.dumps(robot.inverse_dynamics(Q, V, A, inertia=inertia))
    for call in calls:
        warm(robot, call)
    assert pickle.dumps(robot.inverse_dynamics(Q, V, A, inertia=inertia)) == heavy
    with pytest.raises(InertiaError):
        robot.inverse_dynamics(Q, V, A, inertia=-inertia)
    monkeypatch.setattr(CallOptions, "call", None)
    assert [pickle.dumps(call(robot)) for call in calls] == slow


@needs_builtins
def test_mistakes_are_named_by_builtins_too(robot: CompiledRobot) -> None:
    warm(robot, METHODS["step"])
    warm(robot, OPTIONS["another integrator"])
    with pytest.raises(ArgumentError, match="no integrator is called 'euler'"):
        robot.step(Q, V, A, 0.01, integrator="euler")  # type: ignore[call-overload]  # that is the point
    with pytest.raises(ArgumentError, match="contact states"):
        robot.step(Q, V, A, 0.01, s=V)
    with pytest.raises(TypeError, match="dt"):
        robot.step(Q, V, A)  # type: ignore[call-overload]  # that is the point
    with pytest.raises(NotFiniteError, match=r"v\[0\]"):
        robot.step(Q, np.full(7, np.nan), A, 0.01, integrator="semi-implicit-euler")


@needs_builtins
def test_errors_of_small_batches_name_the_row(mechanism: rbd.Mechanism) -> None:
    robot = compile_robot(mechanism)
    q, v, a = np.random.default_rng(6).normal(size=(3, 8, 7))
    warm(robot, lambda robot: robot.inverse_dynamics(q, v, a))
    q[5, 2], out = np.nan, np.full((8, 7), 3.0)
    with pytest.raises(NotFiniteError, match=r"^q\[2\] is not finite in row 5 of the batch$"):
        robot.inverse_dynamics(q, v, a, out=out)
    assert (out[5] == 3.0).all()
    status = rbd.RowStatus()
    found = robot.inverse_dynamics(q, v, a, status=status)
    assert np.flatnonzero(status.failed).tolist() == [5]
    assert found[4].tobytes() == robot.inverse_dynamics(q[4], v[4], a[4]).tobytes()


def test_results_may_overlap_inputs(robot: CompiledRobot) -> None:
    memory = np.random.default_rng(3).normal(size=(40, 7))
    expected = robot.inverse_dynamics(memory[:30].copy(), V, memory[0].copy())
    robot.inverse_dynamics(memory[:30], V, memory[0], out=memory[3:33])
    assert memory[3:33].tobytes() == expected.tobytes()


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2)])
def test_empty_batches(robot: CompiledRobot, shape: tuple[int, ...]) -> None:
    assert robot.inverse_dynamics(np.empty((*shape, 7)), V, A).shape == (*shape, 7)
    assert robot.mass_matrix(np.empty((*shape, 7)), threads=3).shape == (*shape, 7, 7)


def test_robots_without_velocities() -> None:
    robot, nothing = compile_robot(rbd.Mechanism()), np.empty(0)
    for _ in range(CALLS_BEFORE_BUILTIN + 2):
        assert robot.inverse_dynamics(nothing, nothing, nothing).shape == (0,)
        assert robot.mass_matrix(nothing).shape == (0, 0)
    assert robot.inverse_dynamics(np.empty((4, 0)), nothing, nothing).shape == (4, 0)
    assert robot.mass_matrix(np.empty((4, 2, 0))).shape == (4, 2, 0, 0)
