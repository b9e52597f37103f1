"""External wrenches of compiled functions."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

import rbd
from rbd.compiled import CompiledRobot
from rbd.errors import ArgumentError, FrameMismatchError, NotFiniteError, ShapeError, UnknownNameError

MECHANISM = rbd.robots.arm7()
ROBOT = rbd.compile(MECHANISM)
FIRST, SECOND = MECHANISM.bodies[7], MECHANISM.bodies[3]
Numbers = NDArray[np.float64]
FRAMES = pytest.mark.parametrize("frame", ["body", "root"])


def bits(array: Any) -> bytes:
    return np.asarray(array).tobytes()


def samples(count: int) -> tuple[Numbers, Numbers, Numbers, Numbers, Numbers]:
    """Return q, v, torques or accelerations, and wrenches on two bodies."""
    rng = np.random.default_rng(11)
    q, v, tau = (rng.uniform(-1, 1, (count, 7)) for _ in range(3))
    return q, v, tau, rng.uniform(-5, 5, (count, 6)), rng.uniform(-5, 5, (count, 6))


def live_wrenches(frame: str, first: Numbers, second: Numbers) -> dict[rbd.RigidBody, rbd.Wrench[Any]]:
    frames = {"body": lambda body: body.default_frame, "root": lambda body: MECHANISM.root_frame}
    pairs = ((FIRST, first), (SECOND, second))
    return {body: rbd.Wrench(frames[frame](body), x[:3], x[3:]) for body, x in pairs}


CALLS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "inverse_dynamics": (
        lambda q, v, x, **options: ROBOT.inverse_dynamics(q, v, x, **options),
        lambda state, x, wrenches: rbd.inverse_dynamics(state, x, wrenches),
    ),
    "forward_dynamics": (
        lambda q, v, x, **options: ROBOT.forward_dynamics(q, v, x, **options),
        lambda state, x, wrenches: rbd.forward_dynamics(state, x, wrenches),
    ),
    "dynamics_bias": (
        lambda q, v, x, **options: ROBOT.dynamics_bias(q, v, **options),
        lambda state, x, wrenches: rbd.dynamics_bias(state, wrenches),
    ),
}


@FRAMES
@pytest.mark.optimised
@pytest.mark.parametrize("name", CALLS)
def test_batches_have_the_bits_of_live_calls(name: str, frame: Literal["body", "root"]) -> None:
    call, live = CALLS[name]
    q, v, x, first, second = samples(19)
    wrenches: dict[str, Numbers] = {FIRST.name: first, SECOND.name: second}
    found = call(q, v, x, external_wrenches=wrenches, wrench_frame=frame)
    assert found.shape == (19, 7)
    for k in range(19):
        state = rbd.MechanismState(MECHANISM, q[k], v[k])
        assert bits(live(state, x[k], live_wrenches(frame, first[k], second[k]))) == bits(found[k])
        single = {FIRST: first[k], SECOND: second[k]}
        assert bits(call(q[k], v[k], x[k], external_wrenches=single, wrench_frame=frame)) == bits(found[k])
    assert bits(found) != bits(call(q, v, x))


def test_wrenches_say_which_frame_they_are_in() -> None:
    q, v, tau, first, second = (x[0] for x in samples(1))
    mixed = {
        FIRST: rbd.Wrench(MECHANISM.root_frame, first[:3], first[3:]),
        SECOND: rbd.Wrench(SECOND.default_frame, second[:3], second[3:]),
    }
    state = rbd.MechanismState(MECHANISM, q, v)
    vd = rbd.forward_dynamics(state, tau, mixed)
    assert bits(ROBOT.forward_dynamics(q, v, tau, external_wrenches=mixed)) == bits(vd)
    other = {SECOND: mixed[SECOND], FIRST: mixed[FIRST]}
    assert bits(ROBOT.forward_dynamics(q, v, tau, external_wrenches=other)) == bits(vd)


def test_each_set_of_bodies_is_recorded_once() -> None:
    robot = rbd.compile(MECHANISM)
    q, v, tau, first, second = samples(2)
    for _ in range(2):
        robot.forward_dynamics(q, v, tau, external_wrenches={FIRST: first})
        robot.forward_dynamics(q, v, tau, external_wrenches={FIRST: first, SECOND: second})
        robot.forward_dynamics(q, v, tau, external_wrenches={SECOND: second, FIRST: first})
        robot.forward_dynamics(q, v, tau, external_wrenches={})
    assert repr(robot).count("forward_dynamics") == 3


def test_wrenches_and_batches_broadcast() -> None:
    q, v, tau, first, second = samples(5)
    held = ROBOT.forward_dynamics(q, v, tau, external_wrenches={FIRST: first[0], SECOND: second})
    spread = ROBOT.forward_dynamics(q, v, tau, external_wrenches={FIRST: np.tile(first[0], (5, 1)), SECOND: second})
    assert bits(held) == bits(spread)
    several = ROBOT.forward_dynamics(q[0], v[0], tau[0], external_wrenches={FIRST: first})
    assert several.shape == (5, 7)


@FRAMES
@pytest.mark.parametrize("integrator", ["munthe-kaas-rk4", "semi-implicit-euler"])
def test_steps_and_rollouts(frame: Literal["body", "root"], integrator: Any) -> None:
    q, v, tau, first, second = samples(9)
    options: dict[str, Any] = {"integrator": integrator, "wrench_frame": frame}
    wrenches = {FIRST: first, SECOND: second}
    qs, vs = ROBOT.rollout(q, v, tau, 1e-3, 3, external_wrenches=wrenches, **options)
    q0, v0 = q, v
    for k in range(3):
        q0, v0 = ROBOT.step(q0, v0, tau, 1e-3, external_wrenches=wrenches, **options)
        assert (bits(qs[:, k + 1]), bits(vs[:, k + 1])) == (bits(q0), bits(v0))
    alone = {FIRST: first[4], SECOND: second[4]}
    q1, v1 = ROBOT.rollout(q[4], v[4], tau[4], 1e-3, 3, external_wrenches=alone, **options)
    assert (bits(qs[4]), bits(vs[4])) == (bits(q1), bits(v1))


@FRAMES
def test_a_short_step_moves_as_forward_dynamics_says(frame: Literal["body", "root"]) -> None:
    q, v, tau, first, _ = samples(3)
    options: dict[str, Any] = {"external_wrenches": {FIRST: first}, "wrench_frame": frame}
    dt = 2.0**-20
    vd = ROBOT.forward_dynamics(q, v, tau, **options)
    _, after = ROBOT.step(q, v, tau, dt, integrator="semi-implicit-euler", **options)
    np.testing.assert_allclose((after - v) / dt, vd, rtol=1e-8, atol=1e-7)


def test_parameters_as_inputs() -> None:
    robot = CompiledRobot(MECHANISM, ["gravity"])
    q, v, tau, first, _ = samples(3)
    vd = robot.forward_dynamics(q, v, tau, external_wrenches={FIRST: first})
    np.testing.assert_allclose(vd, ROBOT.forward_dynamics(q, v, tau, external_wrenches={FIRST: first}), rtol=1e-9)
    none = robot.forward_dynamics(q, v, tau, external_wrenches={FIRST: first}, gravity=np.zeros(3))
    assert bits(none) != bits(vd)
    qs, _ = robot.rollout(q, v, tau, 1e-3, 2, external_wrenches={FIRST: first}, gravity=np.zeros(3))
    assert qs.shape == (3, 3, 7)


def test_rows_with_bad_wrenches_are_named() -> None:
    q, v, tau, first, second = samples(9)
    first[5, 2] = np.nan
    name = f"external_wrench_on_{FIRST.name}"
    with pytest.raises(NotFiniteError) as caught:
        ROBOT.forward_dynamics(q, v, tau, external_wrenches={FIRST: first, SECOND: second})
    assert str(caught.value) == f"{name}[2] is not finite in row 5 of the batch"
    status = rbd.RowStatus()
    ROBOT.rollout(q, v, tau, 1e-3, 2, external_wrenches={FIRST: first, SECOND: second}, status=status)
    assert str(status) == f"1 of 9 rows failed\nrow 5: in step 0: {name}[2] is not finite"


def test_mechanisms_with_loops() -> None:
    mechanism = rbd.robots.four_bar()
    body, robot = mechanism.bodies[2], rbd.compile(mechanism)
    q, v, wrench = np.zeros((3, mechanism.nq)), np.zeros(mechanism.nv), np.arange(18.0).reshape(3, 6)
    vd = robot.forward_dynamics(q, v, external_wrenches={body: wrench}, wrench_frame="root")
    for k in range(3):
        state = rbd.MechanismState(mechanism, q[k], v)
        alone = rbd.forward_dynamics(
            state, None, {body: rbd.Wrench(mechanism.root_frame, wrench[k, :3], wrench[k, 3:])}
        )
        assert bits(vd[k]) == bits(alone)


def test_bodies_whose_names_are_no_identifiers() -> None:
    mechanism = rbd.robots.double_pendulum()
    for name in ("a b", "a_b"):
        frame = rbd.Frame(name)
        inertia = rbd.SpatialInertia(frame, mass=1.0, com=(0, 0, 0), moment_about_com=np.eye(3))
        mechanism.attach(
            mechanism.root_body, rbd.RigidBody(name, inertia), rbd.Joint(f"to {name}", rbd.Prismatic((0, 0, 1)))
        )
    robot = rbd.compile(mechanism)
    q, push = np.zeros(4), np.array([0, 0, 0, 0, 0, 3.0])
    tau = robot.inverse_dynamics(q, q, q)
    pushed = robot.inverse_dynamics(q, q, q, external_wrenches={"a b": push, "a_b": 2 * push})
    np.testing.assert_allclose(tau - pushed, [0, 0, 3, 6], rtol=0, atol=1e-12)
    with pytest.raises(NotFiniteError, match=r"external_wrench_3_on_a_b\[0\]"):
        robot.inverse_dynamics(q, q, q, external_wrenches={"a b": push * np.nan, "a_b": push})


def test_wrong_arguments() -> None:
    q, v, tau, first, _ = samples(2)
    stranger = rbd.robots.double_pendulum().bodies[1]
    wrong: Any = [first]
    frame: Any = "world"
    with pytest.raises(ArgumentError, match="external_wrenches must map bodies"):
        ROBOT.forward_dynamics(q, v, tau, external_wrenches=wrong)
    with pytest.raises(ArgumentError, match="wrench_frame"):
        ROBOT.forward_dynamics(q, v, tau, external_wrenches={FIRST: first}, wrench_frame=frame)
    with pytest.raises(ArgumentError, match="wrench_frame"):
        ROBOT.rollout(q, v, tau, 1e-3, 2, wrench_frame=frame)
    with pytest.raises(UnknownNameError):
        ROBOT.inverse_dynamics(q, v, tau, external_wrenches={"nobody": first})
    with pytest.raises(UnknownNameError):
        ROBOT.inverse_dynamics(q, v, tau, external_wrenches={stranger: first})
    both: Any = {FIRST: first, FIRST.name: first}
    with pytest.raises(ArgumentError, match="two wrenches on body"):
        ROBOT.dynamics_bias(q, v, external_wrenches=both)
    with pytest.raises(ShapeError, match=rf"external_wrench_on_{FIRST.name} has shape \(2, 5\), needs \(6,\)"):
        ROBOT.step(q, v, tau, 1e-3, external_wrenches={FIRST: first[:, :5]})
    elsewhere = rbd.Wrench(SECOND.default_frame, first[0, :3], first[0, 3:])
    with pytest.raises(FrameMismatchError, match="the body's default frame"):
        ROBOT.forward_dynamics(q[0], v[0], tau[0], external_wrenches={FIRST: elsewhere})


@FRAMES
def test_frames_of_wrenches_may_have_been_pickled(frame: Literal["body", "root"]) -> None:
    q, v, tau, first, second = (x[0] for x in samples(1))
    wrenches = live_wrenches(frame, first, second)
    pickled = {
        body: rbd.Wrench(pickle.loads(pickle.dumps(x.frame)), *np.split(x.vector, 2)) for body, x in wrenches.items()
    }
    found = ROBOT.forward_dynamics(q, v, tau, external_wrenches=pickled)
    assert bits(found) == bits(ROBOT.forward_dynamics(q, v, tau, external_wrenches=wrenches))
