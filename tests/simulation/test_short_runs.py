"""Short runs: their steps are interpreted with the bits of machine code, which is made where it costs less."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbd
from rbd import native
from rbd.native.executable import ArrayExecutable
from rbd.scalars.arrays import Array
from rbd.simulation import EnergyMonitor, Trajectory
from rbd.simulation.programs import recorded_steps
from rbd.simulation.programs.interpreted_loop import InterpretedLoop

pytestmark = pytest.mark.optimised

ROBOTS: dict[str, Callable[[], rbd.Mechanism]] = {
    "pendulum": rbd.robots.double_pendulum,
    "arm": rbd.robots.arm7,
    "quadruped": rbd.robots.quadruped,
    "linkage": rbd.robots.four_bar,
}
NAMES = [pytest.param(name, marks=pytest.mark.optimised(name != "quadruped")) for name in ROBOTS]
"""The largest is compiled without optimisation."""
INTEGRATORS = ("munthe-kaas-rk4", "semi-implicit-euler", "dormand-prince")


def brake(t: float, state: rbd.MechanismState) -> Array:
    return np.cos(3 * t) - 0.3 * state.v


CONTROLS: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "python": lambda: brake,
    "held": lambda: rbd.ZeroOrderHold(brake, 0.004),
}


def run(mechanism: rbd.Mechanism, control: object = brake, steps: int = 6, **options: Any) -> Trajectory:
    state = rbd.MechanismState(mechanism)
    state.randomize(np.random.default_rng(1))
    if mechanism.loop_joints:
        rbd.close_loops(state)
        state.set_velocity(np.zeros(mechanism.nv))
    return rbd.simulate(state, steps * 1e-3, control, **options)  # type: ignore[arg-type] # any kind


def bits(trajectory: Trajectory) -> tuple[bytes, ...]:
    return tuple(x.tobytes() for x in (trajectory.t, trajectory.q, trajectory.v, trajectory.s))


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the list that gets the number of steps of every interpreted run of stages."""
    taken, original = list[int](), InterpretedLoop.run

    def noted(self: InterpretedLoop, times: Any, *arguments: Any, **named: Any) -> bool:
        taken.append(len(times) - 1)
        return original(self, times, *arguments, **named)

    monkeypatch.setattr(InterpretedLoop, "run", noted)
    return taken


def no_code(self: ArrayExecutable) -> bool:
    return False


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("name", NAMES)
def test_interpreted_steps_have_the_bits_of_machine_code(
    name: str, control: str, integrator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(recorded_steps, "COMPILING_COST", (10**12, 0))
        patch.setattr(ArrayExecutable, "load", no_code)  # as with an empty disk cache
        short = run(ROBOTS[name](), CONTROLS[control](), integrator=integrator)
    monkeypatch.setattr(recorded_steps, "COMPILING_COST", (0, 0))
    assert bits(run(ROBOTS[name](), CONTROLS[control](), integrator=integrator)) == bits(short)


def test_monitors_and_external_wrenches_have_the_bits_of_machine_code(
    interpreted: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    mechanism = rbd.robots.arm7()

    def push(t: float, state: rbd.MechanismState) -> dict[rbd.RigidBody, rbd.Wrench]:
        return {mechanism.bodies[-1]: rbd.Wrench(mechanism.root_frame, (t, 1, 2), (3, 0, 1))}

    options: dict[str, Any] = {"monitors": [EnergyMonitor()], "external": push}
    monkeypatch.setattr(ArrayExecutable, "load", no_code)
    short = run(mechanism, **options)
    assert interpreted == [1] * 6
    monkeypatch.setattr(recorded_steps, "COMPILING_COST", (0, 0))
    assert bits(run(mechanism, **options)) == bits(short)
    assert interpreted == [1] * 6


def test_runs_of_any_length_begin_with_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also without a compiler, and where short runs have been interpreted before."""
    pendulum = rbd.robots.double_pendulum()
    long = run(pendulum, steps=1000)
    for steps in (1, 499, 500):
        short = run(pendulum, steps=steps)
        assert short.q[:-1].tobytes() == long.q[:steps].tobytes()
        assert short.v.tobytes() == long.v[: steps + 1].tobytes()
    monkeypatch.setattr(native, "available", lambda: False)
    assert bits(run(rbd.robots.double_pendulum(), steps=20)) == bits(run(pendulum, steps=20))


def test_machine_code_is_made_once_interpreting_costs_more(
    interpreted: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An arm's step costs about 3900 operations with its calls; 165 of them cost what compiling costs."""
    monkeypatch.setattr(ArrayExecutable, "load", no_code)
    mechanism = rbd.robots.arm7()
    for _ in range(20):
        run(mechanism, steps=10)
    assert set(interpreted) == {10}
    assert 14 <= len(interpreted) <= 18
    run(rbd.robots.arm7(), steps=200)
    assert set(interpreted) == {10}


def test_machine_code_on_disk_is_used_from_the_first_step(interpreted: list[int]) -> None:
    run(rbd.robots.arm7(), steps=200)
    run(rbd.robots.arm7(), steps=2)
    assert interpreted == []


def test_a_control_that_moves_the_state_is_refused_when_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ArrayExecutable, "load", no_code)

    def mover(t: float, state: rbd.MechanismState) -> None:
        state.zero()

    with pytest.raises(rbd.errors.ArgumentError, match="control changed the state") as caught:
        run(rbd.robots.double_pendulum(), mover)
    assert caught.value.__notes__ == ["raised by control(t, state) at t = 0.0"]


@pytest.mark.parametrize("torques", [[0.5, 0.25], (0.5, 0.25), np.float32([0.5, 0.25]), None])
def test_torques_of_other_kinds_are_converted_when_interpreted(
    torques: object, interpreted: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ArrayExecutable, "load", no_code)
    pendulum = rbd.robots.double_pendulum()
    expected = np.zeros(2) if torques is None else np.array(torques, dtype=np.float64)
    assert bits(run(pendulum, lambda t, state: torques)) == bits(run(pendulum, lambda t, state: expected))
    assert interpreted == [6, 6]


@pytest.mark.parametrize("steps", [5, 2000])
def test_masked_torques_are_refused(steps: int, interpreted: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where short runs interpret: an array of a subclass of NumPy's is converted, never copied."""
    monkeypatch.setattr(ArrayExecutable, "load", no_code)
    masked = np.ma.MaskedArray([1.0, 2.0], mask=[True, False])
    with pytest.raises(rbd.errors.NotFiniteError, match=r"control\[0\] is masked") as caught:
        run(rbd.robots.double_pendulum(), lambda t, state: masked, steps)
    assert caught.value.__notes__ == ["raised by control(t, state) at t = 0.0"]
    assert interpreted == ([5] if steps == 5 else [])


def test_the_control_edits_the_mechanism_when_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps after the edit are taken by the method in Python, with the new parameters."""
    monkeypatch.setattr(ArrayExecutable, "load", no_code)

    def edit(t: float, state: rbd.MechanismState) -> None:
        if t == 0.0:
            state.mechanism.tree_joints[0].damping = 5.0

    edited = rbd.robots.double_pendulum()
    found = run(edited, edit)
    expected = rbd.robots.double_pendulum()
    expected.tree_joints[0].damping = 5.0
    np.testing.assert_allclose(found.q, run(expected, None).q, rtol=0, atol=1e-12)


def test_an_interrupt_restores_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ArrayExecutable, "load", no_code)
    state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.3, 0.2])

    def stop(t: float, state: rbd.MechanismState) -> None:
        if t > 0.003:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rbd.simulate(state, 0.01, stop)
    assert state.q.tolist() == [0.3, 0.2]
