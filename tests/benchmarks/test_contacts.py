"""Contact benchmarks: the same loop for all contenders, with contacts in the measured part."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import rbd
from rbd import bench
from rbd.bench import contacts, goals, peers, robots
from rbd.bench.contender import RBD, difference
from rbd.bench.report import Report, ReportRow, Section
from rbd.contact import ContactEvent, ContactSimulator


@pytest.fixture(scope="module")
def case() -> contacts.HandCase:
    return contacts.hand_case(quick=True)


def test_the_measured_part_of_the_loop_is_in_contact(case: contacts.HandCase) -> None:
    loop = contacts.hand_simulation(case, recorded=False)
    assert loop.states == 200
    assert [event.step for event in _events(case)] == [127]  # 2.8 s + 127 ms: where the first finger lands
    recorded = contacts.hand_simulation(case, recorded=True)
    assert difference(recorded, loop, [0, 150, 199]) < 1e-12


def _events(case: contacts.HandCase) -> tuple[ContactEvent, ...]:
    state = rbd.MechanismState(case.mechanism, *case.initial_state)
    control = contacts.python_control(contacts.START)
    simulator = ContactSimulator(case.mechanism, case.tips, control, contacts.DT, law="euclidean")
    return simulator.run(state, case.steps * contacts.DT).events


@pytest.mark.peers
def test_other_engines_compute_the_same(case: contacts.HandCase) -> None:
    for package in ("pinocchio", "coal", "quadprog"):
        pytest.importorskip(package)
    close, loop = peers.hand_contacts(case)
    assert close is not None
    assert loop is not None
    assert difference(close, contacts.distances(case), range(close.states)) < 1e-12
    assert difference(loop, contacts.hand_simulation(case, recorded=False), [0, 150, 199]) < 1e-10


def test_the_hand_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["rbd.bench.run"], "startup_times", lambda repeats: [])  # the same for all robots
    report = bench.run(bench.BenchSettings(robots=(robots.HAND,), quick=True, peers=False))
    close = report.row(robots.HAND, Section.BATCH, contacts.CAPSULE_DISTANCES, RBD)
    assert close is not None
    assert close.states == 200
    for contender in (RBD, contacts.RECORDED):
        row = report.row(robots.HAND, Section.SIMULATION, contacts.HAND_STEP, contender)
        assert row is not None
        assert row.seconds > 0
    assert contacts.CAPSULE_DISTANCES in bench.as_text(report)


@pytest.mark.parametrize(("speedup", "reached"), [(10.5, True), (9.0, False)])
def test_the_loop_has_a_goal(speedup: float, reached: bool) -> None:
    row = ReportRow(
        robots.HAND, Section.SIMULATION, contacts.HAND_STEP, contacts.RECORDED, 1, 1, 1e-5, 1e-5, speedup, 0.0
    )
    machine = {"processor": "", "cores": 1, "load": [], "lanes": 8, "system": "", "versions": {}}
    report = Report(machine, False, [], [row], [], [])  # type: ignore[arg-type]  # a machine as a plain dict
    [outcome] = goals.outcomes(report)
    assert (outcome.reached, outcome.measured) == (reached, np.format_float_positional(speedup, trim="-"))
