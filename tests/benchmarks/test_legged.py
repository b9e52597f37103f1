"""Benchmarks of robots on the ground: the same motion in both engines, tables and goals."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

import rbd
from rbd import bench
from rbd.bench import goals, legged, peers
from rbd.bench.contender import RBD
from rbd.bench.legged import DT, FRICTION, STEPS, LeggedCase
from rbd.bench.report import Machine, Report, ReportRow, Section
from rbd.contact import ContactSimulator
from rbd.errors import UnknownNameError


def require_package() -> None:
    """Skip the test without the package of the robots, whose files are read and which is not imported."""
    if find_spec(legged.PACKAGE) is None:
        pytest.skip(f"{legged.PACKAGE} is not installed")


@pytest.fixture(scope="module", params=["go1", "g1"])
def case(request: pytest.FixtureRequest) -> LeggedCase:
    require_package()
    return legged.legged_case(legged.ROBOTS[request.param], 3)


@pytest.mark.peers
def test_both_engines_move_the_robot_alike(case: LeggedCase) -> None:
    """Contact models differ by millimetres: trunks stay together, and feet on the ground."""
    mujoco = pytest.importorskip("mujoco")
    from rbd.bench.peers.mujoco_legged import model_of

    control = legged.python_control(case)
    simulator = ContactSimulator(case.mechanism, case.model, control, DT, friction=FRICTION)
    state = rbd.MechanismState(case.mechanism, case.q[0], case.v[0])
    trajectory = simulator.run(state, STEPS * DT)
    assert abs(trajectory.distances).max() < 5e-3

    model = model_of(case)
    data = mujoco.MjData(model)
    data.qpos[:] = np.hstack([case.q[0, 4:7], case.q[0, :4], case.q[0, 7:]])
    data.ctrl[:] = case.targets(0.0)
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
    assert np.abs(data.qpos[:3] - trajectory.q[-1, 4:7]).max() < 5e-3
    assert np.abs(data.qpos[7:] - trajectory.q[-1, 7:]).max() < 0.05


def test_starts_are_above_the_ground_and_the_first_is_on_it(case: LeggedCase) -> None:
    distances = np.asarray(case.model.recorded("distances")(case.q, case.v))[:, :, 0]
    assert abs(distances[0].min()) < 1e-12
    assert (case.q[1:, 6] > case.q[0, 6]).all()
    assert len(case.targets(0.3)) == case.mechanism.nv - 6


def test_compliant_contacts_carry_the_robot() -> None:
    require_package()
    case = legged.legged_case(legged.ROBOTS["go1"], 2)
    mechanism = legged.softened(case)
    worlds = rbd.rollout.Worlds(
        mechanism, count=2, dt=DT, control=legged.recorded_control(case, mechanism), integrator="semi-implicit-euler"
    )
    worlds.reset(None, q=case.q, v=case.v)
    worlds.step(steps=STEPS)
    assert (worlds.status == 0).all()
    assert np.abs(worlds.q[:, 6] - case.q[0, 6]).max() < 0.03


def test_robots_of_packages_that_are_missing_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legged, "PACKAGE", "a_package_that_is_missing")
    with pytest.raises(
        UnknownNameError, match="go1 is a robot of a_package_that_is_missing, which is not installed"
    ) as caught:
        legged.legged_case(legged.ROBOTS["go1"], 1)
    assert (caught.value.kind, caught.value.suggestion) == ("robot", None)


def test_a_robot_on_the_ground_is_measured() -> None:
    require_package()
    report = bench.run(bench.BenchSettings(robots=("go1",), quick=True, peers=False))
    for section in (Section.GROUND, Section.GROUND_THREADS):
        for quantity in (legged.HARD, legged.SOFT):
            row = report.row("go1", section, quantity, RBD)
            assert row is not None
            assert row.states == 16 * STEPS
    assert report.row("go1", Section.GROUND_SINGLE, legged.SINGLE, RBD) is not None
    assert "× MuJoCo" in bench.as_text(report)
    assert peers.PACKAGES["MuJoCo"] == "mujoco"


@pytest.mark.parametrize(("speedup", "reached"), [(10.5, True), (9.0, False)])
def test_steps_on_the_ground_have_a_goal(speedup: float, reached: bool) -> None:
    row = ReportRow("go1", Section.GROUND, legged.HARD, RBD, 1, 1, 1e-6, 1e-6, speedup, 0.0)
    machine = Machine(processor="", cores=1, load=[], lanes=8, system="", versions={})
    report = Report(machine, False, [], [row], [], [])
    [outcome] = goals.outcomes(report)
    assert (outcome.reached, outcome.goal) == (reached, "≥ 10")
