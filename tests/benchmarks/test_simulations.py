"""Benchmarks of `simulate` with a control in Python: the same motion in both contenders, goals."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.bench import goals, groups, robots, simulations, worlds
from rbd.bench.clock import Pace
from rbd.bench.contender import difference
from rbd.bench.queries import Query
from rbd.bench.rbd_engine import LIVE, RbdEngine
from rbd.bench.report import Machine, Report, ReportRow, Section
from rbd.bench.run import measured_rows
from rbd.bench.samples import random_samples
from rbd.bench.simulations import IntegrationMethod, PythonControl
from rbd.scalars.arrays import Array


@pytest.mark.parametrize("method", IntegrationMethod)
def test_simulate_and_the_loop_compute_the_same(method: IntegrationMethod) -> None:
    mechanism = robots.robot("double_pendulum")
    engine = RbdEngine(mechanism, random_samples(mechanism, 1))
    mine, loop = simulations.simulation(engine, method), simulations.step_loop(engine, method)
    assert mine.states == loop.states >= 1000
    assert difference(mine, loop, [0]) < 1e-12
    assert mine.value is not None
    assert np.abs(mine.value(0) - engine.samples.q[0]).max() > 1e-3  # it moves


def test_the_loop_calls_the_control_once_per_step(monkeypatch: pytest.MonkeyPatch) -> None:
    times = list[float]()

    def control(t: float, state: rbd.MechanismState) -> Array:
        times.append(t)
        return np.zeros(2)

    def same(mechanism: rbd.Mechanism) -> PythonControl:
        return control

    monkeypatch.setattr(simulations, "zero_control", same)
    mechanism = robots.robot("double_pendulum")
    engine = RbdEngine(mechanism, random_samples(mechanism, 1))
    simulations.step_loop(engine, IntegrationMethod.RUNGE_KUTTA).run(1)
    assert len(times) == simulations.STEPS
    times.clear()
    simulations.simulation(engine, IntegrationMethod.EULER).run(1)
    assert len(times) == simulations.STEPS


def test_the_quadruped_stands_on_compliant_feet() -> None:
    mechanism = simulations.compliant_quadruped()
    contender = simulations.quadruped_simulation(mechanism)
    assert contender.value is not None
    state = rbd.MechanismState(mechanism, contender.value(0))
    feet = [point for body in mechanism.bodies for point in body.contact_points]
    heights = [float(state.transform(point.location, mechanism.root_frame).components[2]) for point in feet]
    assert len(heights) == 4
    assert all(-0.01 < height < 0 for height in heights)
    assert state.q[6] == pytest.approx(0.3, abs=0.05)


def test_the_quadruped_has_a_row_without_a_reference() -> None:
    [group] = groups.quadruped_groups()
    [row] = measured_rows(worlds.QUADRUPED, group, Pace(window=1e-4, rounds=1))
    assert (row.section, row.quantity, row.contender) == (
        Section.CONTROLLED,
        simulations.QUADRUPED_PD,
        simulations.SIMULATE,
    )
    assert row.speedup is None
    assert row.seconds > 0


def _report(row: ReportRow) -> Report:
    return Report(Machine(processor="", cores=1, load=[], lanes=8, system="", versions={}), False, [], [row], [], [])


@pytest.mark.parametrize("robot", ["double_pendulum", "panda", "talos"])
@pytest.mark.parametrize("method", IntegrationMethod)
@pytest.mark.parametrize(("speedup", "reached"), [(0.7, True), (0.65, False)])
def test_simulate_has_a_goal(robot: str, method: IntegrationMethod, speedup: float, reached: bool) -> None:
    row = ReportRow(robot, Section.CONTROLLED, method, simulations.SIMULATE, 1, 1, 1e-6, 1e-6, speedup, 0.0)
    [outcome] = goals.outcomes(_report(row))
    assert (outcome.reached, outcome.goal) == (reached, "≥ 0.667")


@pytest.mark.parametrize(("seconds", "measured", "reached"), [(50e-6, "20", True), (125e-6, "8", False)])
def test_the_quadruped_has_a_goal(seconds: float, measured: str, reached: bool) -> None:
    quantity, contender = simulations.QUADRUPED_PD, simulations.SIMULATE
    row = ReportRow(worlds.QUADRUPED, Section.CONTROLLED, quantity, contender, 1, 1, seconds, seconds, None, 0.0)
    [outcome] = goals.outcomes(_report(row))
    assert (outcome.measured, outcome.reached, outcome.goal) == (measured, reached, "≥ 10")


@pytest.mark.parametrize(("speedup", "reached"), [(0.7, True), (0.6, False)])
def test_jacobians_as_matrices_have_a_goal(speedup: float, reached: bool) -> None:
    row = ReportRow("panda", Section.LIVE, Query.JACOBIAN_MATRIX, LIVE, 1, 1, 1e-6, 1e-6, speedup, 0.0)
    [outcome] = goals.outcomes(_report(row))
    assert outcome.reached == reached
