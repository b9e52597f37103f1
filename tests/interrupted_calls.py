"""Calls that are interrupted, other than edits: what they work on, and how that looks before and after."""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import copy
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

import rbd
from tests.mechanism.interrupts import count_lines, raise_at

CLOSE: Final = 1e-9
"""Relative difference of results; machine code and the interpreter may round differently."""


class Interruptible(NamedTuple):
    """A call, and how to make and look at what it works on."""

    make: Callable[[], Any]
    call: Callable[[Any], object]
    look: Callable[[Any], list[np.ndarray[Any, Any]]]


def _pendulum() -> rbd.MechanismState:
    return rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.3, -0.4], v=[1.0, 2.0])


def _linkage() -> rbd.MechanismState:
    return rbd.MechanismState(rbd.robots.four_bar(), [0.5, 0.3, -0.4])


def _state(state: rbd.MechanismState) -> list[np.ndarray[Any, Any]]:
    return [state.q.copy(), state.v.copy()]


def _moved() -> rbd.MechanismState:
    """Return a state that has computed what depends on its coordinates."""
    state = _pendulum()
    _motion(state)
    return state


def _motion(state: rbd.MechanismState) -> list[np.ndarray[Any, Any]]:
    return [*_state(state), state.transform_to_root("lower_link").matrix, state.twist("lower_link").vector]


def _shapes() -> rbd.contact.CollisionModel:
    """Return a collision model of three spheres, without pairs."""
    mechanism = rbd.robots.chain(3)
    model = rbd.contact.CollisionModel(mechanism)
    for body in mechanism.bodies[1:]:
        model.add(body, rbd.contact.Sphere(body.default_frame, 0.1))
    return model


def _pairs(model: rbd.contact.CollisionModel) -> list[np.ndarray[Any, Any]]:
    return [np.array(len(model.pairs))]


def _fallen() -> rbd.MechanismState:
    state = _linkage()
    rbd.close_loops(state)
    return state


def _result(pair: tuple[rbd.MechanismState, rbd.DynamicsResult]) -> list[np.ndarray[Any, Any]]:
    state, result = pair
    wrenches = [result.joint_wrench(joint).vector for joint in result.mechanism.tree_joints]
    return [*_state(state), result.vd.copy(), result.qd.copy(), *wrenches]


def _with_result() -> tuple[rbd.MechanismState, rbd.DynamicsResult]:
    """Return a state and the result of another motion of it."""
    state = _pendulum()
    result = rbd.dynamics(rbd.DynamicsResult(state.mechanism), state)
    state.set_velocity([-3.0, 0.5])
    return state, result


def _compiled_into(pair: tuple[rbd.Mechanism, np.ndarray[Any, Any]]) -> None:
    mechanism, out = pair
    rbd.compile(mechanism).mass_matrix(np.array([0.3, -0.4]), out=out)


def _recorded_into(pair: tuple[rbd.Mechanism, np.ndarray[Any, Any]]) -> None:
    mechanism, out = pair
    out[...] = rbd.record(rbd.mass_matrix, mechanism)(np.array([0.3, -0.4]), np.zeros(2))


def _with_array() -> tuple[rbd.Mechanism, np.ndarray[Any, Any]]:
    return rbd.robots.double_pendulum(), np.zeros((2, 2))


def _array(pair: tuple[rbd.Mechanism, np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    return [pair[1].copy()]


def _damped(t: float, state: rbd.MechanismState) -> np.ndarray[Any, Any]:
    return -state.v


def _simulation(final_time: float, **options: Any) -> Callable[[rbd.MechanismState], object]:
    def simulate(state: rbd.MechanismState) -> object:
        return rbd.simulate(state, final_time, dt=0.01, **options)

    return simulate


def _dynamics(pair: tuple[rbd.MechanismState, rbd.DynamicsResult]) -> None:
    rbd.dynamics(pair[1], pair[0])


def _torques_into(made: tuple[rbd.MechanismState, rbd.DynamicsResult, np.ndarray[Any, Any]]) -> None:
    state, result, out = made
    rbd.inverse_dynamics(state, np.ones(len(out)), out=out, result=result)


def _with_torques(state: rbd.MechanismState) -> tuple[rbd.MechanismState, rbd.DynamicsResult, np.ndarray[Any, Any]]:
    return state, rbd.dynamics(state), np.zeros(state.mechanism.nv)


def _torques(made: tuple[rbd.MechanismState, rbd.DynamicsResult, np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    return [made[1].vd.copy(), made[2].copy()]


def _worlds() -> rbd.rollout.Worlds:
    """Return worlds after a step, one of which has failed."""
    worlds = rbd.rollout.Worlds(rbd.robots.double_pendulum(), count=3, dt=1e-3, parameters=["gravity"], threads=1)
    worlds.step([[0.0, 0.0], [np.nan, 0.0], [0.0, 1.0]])
    return worlds


def _reset(worlds: rbd.rollout.Worlds) -> None:
    worlds.reset([1, 2], [0.1, 0.2], [0.3, 0.4], gravity=[[0, 0, -1.0], [0, 0, -2.0]])


def _rows(worlds: rbd.rollout.Worlds) -> list[np.ndarray[Any, Any]]:
    return [worlds.q.copy(), worlds.v.copy(), worlds.parameters["gravity"].copy(), worlds.t, worlds.status]


@cache
def _ended(mode: str) -> rbd.gym.VectorEnvironment:
    """Return environments whose step is compiled: the first goes on, those behind it end now or have ended."""
    environments = rbd.gym.VectorEnvironment("acrobot-swing-up", 3, 2, autoreset_mode=mode, threads=1)
    environments.reset(seed=3)
    environments.step(np.full((3, 1), 0.5))
    environments.reset(options={"reset_mask": np.array([True, False, False])})
    if mode == "NextStep":
        environments.step(np.full((3, 1), 0.5))
    return environments


@cache
def _single() -> rbd.gym.Environment:
    environment = rbd.gym.Environment("acrobot-swing-up")
    environment.reset(seed=3)
    environment.step(np.array([0.5]))
    return environment


def _step_three(environments: rbd.gym.VectorEnvironment) -> None:
    """Take a step that fails in one of three environments."""
    environments.step(np.array([[np.nan], [0.5], [0.5]]))


def _reset_two(environments: rbd.gym.VectorEnvironment) -> None:
    mask = np.array([True, True, False])
    environments.reset(seed=[None, 7, None], options={"reset_mask": mask})


def _future(environments: rbd.gym.VectorEnvironment) -> list[np.ndarray[Any, Any]]:
    """Return what worlds are, and what further steps of a copy yield: the ends and starts of episodes, too."""
    worlds, twin = environments.worlds, copy(environments)
    steps = [each for _ in range(4) for each in twin.step(np.full((3, 1), -0.5))[:4]]
    return [worlds.q.copy(), worlds.v.copy(), worlds.t, worlds.status, *steps]


def _single_future(environment: rbd.gym.Environment) -> list[np.ndarray[Any, Any]]:
    worlds, twin = environment.worlds, copy(environment)
    steps = [twin.step(np.array([-0.5]))[0], twin.reset()[0], np.array(twin.np_random_seed, float)]
    return [worlds.q.copy(), worlds.v.copy(), worlds.t, worlds.status, *steps]


CALLS: Final[dict[str, Interruptible]] = {
    "simulate": Interruptible(_pendulum, _simulation(0.05, control=_damped), _state),
    "simulate natively": Interruptible(_pendulum, _simulation(0.3), _state),
    "simulate a loop": Interruptible(_fallen, _simulation(0.02), _state),
    "simulate implicitly": Interruptible(_pendulum, _simulation(0.02, integrator="variational-midpoint"), _state),
    "close_loops": Interruptible(_linkage, rbd.close_loops, _state),
    "dynamics": Interruptible(_with_result, _dynamics, _result),
    "inverse dynamics": Interruptible(lambda: _with_torques(_pendulum()), _torques_into, _torques),
    "inverse dynamics of a loop": Interruptible(lambda: _with_torques(_linkage()), _torques_into, _torques),
    "compile": Interruptible(_with_array, _compiled_into, _array),
    "record": Interruptible(_with_array, _recorded_into, _array),
    "set_configuration": Interruptible(_moved, lambda state: state.set_configuration([0.5, 0.6]), _motion),
    "zero": Interruptible(_moved, lambda state: state.zero(), _motion),
    "randomize": Interruptible(_moved, lambda state: state.randomize(1), _motion),
    "add_all_pairs": Interruptible(_shapes, lambda model: model.add_all_pairs(neighbours=True), _pairs),
    "reset worlds": Interruptible(_worlds, _reset, _rows),
    "step environments": Interruptible(lambda: copy(_ended("NextStep")), _step_three, _future),
    "step environments that begin anew": Interruptible(lambda: copy(_ended("SameStep")), _step_three, _future),
    "reset environments": Interruptible(lambda: copy(_ended("NextStep")), _reset_two, _future),
    "step an environment": Interruptible(
        lambda: copy(_single()), lambda made: made.step(np.array([np.nan])), _single_future
    ),
    "reset an environment": Interruptible(lambda: copy(_single()), lambda made: made.reset(seed=5), _single_future),
    "reset an environment without a seed": Interruptible(
        lambda: copy(_single()), lambda made: made.reset(), _single_future
    ),
}


def lines_of(subject: Interruptible) -> int:
    """Return the number of lines of rbd that a call runs through."""
    made = subject.make()
    return count_lines(lambda: subject.call(made))


def duration(subject: Interruptible) -> float:
    """Return the seconds that a second call takes; the first one may record or compile."""
    for _ in range(2):
        made, begin = subject.make(), time.perf_counter()
        subject.call(made)
    return time.perf_counter() - begin


def _same(found: list[np.ndarray[Any, Any]], expected: list[np.ndarray[Any, Any]]) -> bool:
    return all(np.allclose(a, b, rtol=CLOSE, atol=CLOSE) for a, b in zip(found, expected, strict=True))


def interrupt(subject: Interruptible, line: int, error: type[BaseException]) -> str:
    """Raise `error` at a line of a call; return its outcome.

    It is "ended" for a call that has fewer lines: the first one of a process may record or compile.
    """
    return outcome(subject, lambda call: raise_at(line, error, call))


def outcome(subject: Interruptible, run: Callable[[Callable[[], object]], bool]) -> str:
    """Run a call by a function that may interrupt it, and returns whether it did.

    Returns "before" or "after", as what the call works on is then; "ended" for a call that was not interrupted.
    """
    clean = subject.make()
    before = subject.look(clean)
    subject.call(clean)
    after = subject.look(clean)
    made = subject.make()
    if not run(lambda: subject.call(made)):
        assert _same(subject.look(made), after)
        return "ended"
    if _same(subject.look(made), before):
        subject.call(made)  # works afterwards
        assert _same(subject.look(made), after)
        return "before"
    assert _same(subject.look(made), after)
    return "after"
