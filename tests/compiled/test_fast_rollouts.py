"""Rollouts of a compiled robot become builtins with the same results; all other calls are left to Python."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import BuiltinFunctionType
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.array_functions.function import CALLS_BEFORE_BUILTIN
from rbd.array_functions.row_status import RowStatus
from rbd.compiled import CompiledRobot, step_methods
from rbd.compiled import compile as compile_robot
from rbd.errors import ArgumentError, NotFiniteError, ShapeError, SingularError
from tests.marks import needs_builtins
from tests.simulation.contacts import block, floor, slope

pytestmark = [pytest.mark.optimised, needs_builtins]

STEPS, DT = 4, 0.01
Q, V, TAU = np.random.default_rng(5).normal(size=(3, 7))
SERIES = np.random.default_rng(6).normal(size=(STEPS, 7))
QS = np.random.default_rng(7).normal(size=(3, 7))
Rollout = Callable[..., tuple[Any, ...]]
CALLS: dict[str, Callable[[Rollout], tuple[Any, ...]]] = {
    "constant torques": lambda rollout: rollout(Q, V, TAU, DT, STEPS),
    "torques of every step": lambda rollout: rollout(Q, V, SERIES, DT, STEPS),
    "no torques": lambda rollout: rollout(Q, V, None, DT, STEPS),
    "one step": lambda rollout: rollout(Q, V, TAU, DT, 1),
    "one row of torques": lambda rollout: rollout(Q, V, SERIES[:1], DT, 1),
    "NumPy's number": lambda rollout: rollout(Q, V, TAU, np.float64(DT), STEPS),
    "keywords": lambda rollout: rollout(Q, V, steps=STEPS, dt=DT, tau=TAU, threads=1, status=None, out=None),
    "another integrator": lambda rollout: rollout(Q, V, TAU, DT, STEPS, integrator="semi-implicit-euler"),
    "rows of q": lambda rollout: rollout(QS, V, TAU, DT, STEPS),
    "one row": lambda rollout: rollout(QS[:1], V, TAU, DT, STEPS),
    "rows of all": lambda rollout: rollout(QS, QS[::-1].copy(), QS + 1, DT, STEPS),
    "rows of torques of every step": lambda rollout: rollout(QS, V, np.stack([SERIES, 2 * SERIES, -SERIES]), DT, STEPS),
    "as many rows as steps": lambda rollout: rollout(QS, V, QS, DT, 3),
    "rows of steps": lambda rollout: rollout(QS, V, None, np.array([DT, 2 * DT, 0.5 * DT]), STEPS),
    "a wrench": lambda rollout: rollout(Q, V, TAU, DT, STEPS, external_wrenches={"link7": np.arange(6.0)}),
}


@pytest.fixture(scope="module")
def robot() -> CompiledRobot:
    return warm(compile_robot(rbd.robots.arm7()))


def warm(robot: CompiledRobot) -> CompiledRobot:
    """Call every kind of rollout often enough."""
    for call in CALLS.values():
        for _ in range(CALLS_BEFORE_BUILTIN + 2):
            call(robot.rollout)
    return robot


@pytest.fixture
def in_python(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that gets an entry for each rollout in Python."""
    calls, original = list[int](), step_methods.rollout

    def rollout(*arguments: Any) -> Any:
        calls.append(1)
        return original(*arguments)

    monkeypatch.setattr(step_methods, "rollout", rollout)
    return calls


def same(found: tuple[Any, ...], expected: tuple[Any, ...]) -> None:
    assert type(found) is tuple
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert a.shape == b.shape
        assert a.tobytes() == b.tobytes()
        assert a.flags.c_contiguous
        assert a.flags.owndata
        assert a.flags.writeable


@pytest.mark.parametrize("name", CALLS)
def test_a_builtin_has_the_bits_of_python_and_of_steps(robot: CompiledRobot, name: str, in_python: list[int]) -> None:
    assert type(robot.rollout) is BuiltinFunctionType
    found = CALLS[name](robot.rollout)
    assert in_python == []
    same(found, CALLS[name](compile_robot(robot.mechanism).rollout))
    assert in_python == [1]


def test_rows_of_a_batch_are_those_of_one_state(robot: CompiledRobot) -> None:
    series = np.stack([SERIES, 2 * SERIES, -SERIES])
    qs, vs = robot.rollout(QS, V, series, DT, STEPS)
    for k in range(3):
        q, v = robot.rollout(QS[k], V, series[k], DT, STEPS)
        assert qs[k].tobytes() == q.tobytes()
        assert vs[k].tobytes() == v.tobytes()


def test_errors_name_the_row(robot: CompiledRobot, in_python: list[int]) -> None:
    torques = np.stack([TAU, np.full(7, np.nan), TAU])
    with pytest.raises(NotFiniteError, match="in row 1") as caught:
        robot.rollout(QS, V, torques, DT, STEPS)
    assert caught.value.__notes__ == [f"in step 0 of {STEPS}"]
    assert in_python == [1]


def test_rows_are_those_of_a_loop_of_steps(robot: CompiledRobot) -> None:
    q, v = Q, V
    qs, vs = robot.rollout(Q, V, SERIES, DT, STEPS)
    for k in range(STEPS):
        assert qs[k].tobytes() == q.tobytes()
        assert vs[k].tobytes() == v.tobytes()
        q, v = robot.step(q, v, SERIES[k], DT)
    assert qs[STEPS].tobytes() == q.tobytes()
    assert vs[STEPS].tobytes() == v.tobytes()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((Q, V, TAU, DT, 0), {}),
        ((Q, V, TAU, DT, np.int64(STEPS)), {}),
        ((Q, V, TAU, 1e-5, 2000), {}),
        ((Q, V, TAU, DT, STEPS), {"status": RowStatus()}),
        ((Q, V, TAU, DT, STEPS), {"threads": 2}),
        ((list(Q), V, TAU, DT, STEPS), {}),
        ((np.stack([Q, Q])[None], V, TAU, DT, STEPS), {}),
        ((np.stack([Q, Q])[:0], V, TAU, DT, STEPS), {}),
        ((Q, np.stack([V, Q]), TAU, DT, STEPS), {}),
        ((np.stack([Q, Q, Q, Q]), V, TAU, DT, 40), {}),
        ((np.stack([Q, Q]), V, np.zeros((1, STEPS, 7)), DT, STEPS), {}),
        ((np.asfortranarray(np.stack([Q, V])), V, TAU, DT, STEPS), {}),
        ((Q, V, np.asfortranarray(SERIES), DT, STEPS), {}),
        ((Q, V, TAU.astype(np.float32), DT, STEPS), {}),
    ],
)
def test_other_calls_are_left_to_python(robot: CompiledRobot, arguments: Any, named: Any, in_python: list[int]) -> None:
    found = robot.rollout(*arguments, **named)
    assert in_python == [1]
    same(found, compile_robot(robot.mechanism).rollout(*arguments, **named))


def test_results_are_written_to_out(robot: CompiledRobot, in_python: list[int]) -> None:
    out = [np.empty((STEPS + 1, 7)) for _ in range(2)]
    found = robot.rollout(Q, V, TAU, DT, STEPS, out=out)
    assert in_python == [1]
    assert found[0] is out[0]
    same(found, robot.rollout(Q, V, TAU, DT, STEPS))


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (ShapeError, (Q[:-1], V, TAU, DT, STEPS)),
        (ShapeError, (Q, V, SERIES, DT, STEPS + 1)),
        (NotFiniteError, (Q, V, TAU, np.nan, STEPS)),
        ((NotFiniteError, SingularError), (Q, V, np.full(7, 1e9), 10.0, 100)),
        (ArgumentError, (Q, V, TAU, DT, -1)),
        (ArgumentError, (Q, V, TAU, DT, 2**70)),
        (ArgumentError, (Q, V, TAU, DT, True)),
        (ArgumentError, (Q, V, TAU, DT, "4")),
    ],
)
def test_errors_are_those_of_python(robot: CompiledRobot, error: Any, arguments: Any) -> None:
    with pytest.raises(error) as caught:
        robot.rollout(*arguments)
    with pytest.raises(error) as expected:
        compile_robot(robot.mechanism).rollout(*arguments)
    assert str(caught.value) == str(expected.value)
    assert getattr(caught.value, "__notes__", []) == getattr(expected.value, "__notes__", [])


def test_an_edit_is_noticed() -> None:
    robot = warm(compile_robot(rbd.robots.arm7()))
    robot.mechanism.joints[0].damping = [0.5]
    with pytest.raises(rbd.errors.StaleStateError):
        robot.rollout(Q, V, TAU, DT, STEPS)


def test_the_builtin_has_the_signature_of_the_method(robot: CompiledRobot) -> None:
    names = list(inspect.signature(CompiledRobot.rollout).parameters)[1:]
    assert list(inspect.signature(robot.rollout).parameters) == names


def test_parameters_of_the_mechanism(in_python: list[int]) -> None:
    robot = compile_robot(rbd.robots.arm7(), parameters=["gravity"])
    gravity = np.array([0.0, 1.0, -3.0])
    slow, *_ = [robot.rollout(Q, V, TAU, DT, STEPS, gravity=gravity) for _ in range(CALLS_BEFORE_BUILTIN + 2)]
    in_python.clear()
    same(robot.rollout(Q, V, TAU, DT, STEPS, gravity=gravity), slow)
    assert in_python == []
    other = robot.rollout(Q, V, TAU, DT, STEPS)
    assert in_python == []
    assert other[0].tobytes() != slow[0].tobytes()


def test_contact_states(in_python: list[int]) -> None:
    mechanism = block(rbd.SoftContact(rbd.HuntCrossley.hertz(), rbd.ViscoelasticCoulomb(0.5, 20e3, 200.0)), 8)
    floor(mechanism, slope(0.6))
    robot, q, v, s = compile_robot(mechanism), np.array([1.0, 0, 0, 0, 0, 0, -1e-3]), np.zeros(6), np.zeros(24)
    slow, *_ = [robot.rollout(q, v, None, 1e-3, STEPS, s=s) for _ in range(CALLS_BEFORE_BUILTIN + 2)]
    in_python.clear()
    found = robot.rollout(q, v, None, 1e-3, STEPS, s=s)
    assert len(found) == 3
    assert in_python == []
    same(found, slow)
