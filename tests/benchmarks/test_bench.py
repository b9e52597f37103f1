"""`rbd bench` without other engines: reports, tables, errors. Times are not tested."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import attrs
import numpy as np
import pytest

import rbd
from rbd import bench, cli
from rbd.bench import goals, preparation, rbd_engine, robots, startup, tables, worlds
from rbd.bench.clock import Pace, alternate
from rbd.bench.contender import RBD, Contender, Quantity, difference
from rbd.bench.peak import PEAK, peak
from rbd.bench.queries import Query
from rbd.bench.report import (
    LOOP_DYNAMICS,
    LOOP_DYNAMICS_AFTER_SET,
    PYTHON_LOOP_SECTIONS,
    SOLUTION,
    Preparation,
    Report,
    ReportRow,
    Section,
)
from rbd.bench.rollouts import ROLLOUT
from rbd.bench.run import warm_up
from rbd.bench.samples import COUNT, random_samples
from rbd.bench.simulations import SIMULATE, STEP_LOOP, IntegrationMethod
from rbd.bench.tree import tree_of
from rbd.bench.values import Operation
from rbd.errors import SolverError, UnknownNameError
from rbd.mechanism import Mechanism
from rbd.native import cached_code
from rbd.native.runtime.thread_pool import compiler_thread

QUICK = bench.BenchSettings(robots=("double_pendulum",), quick=True, peers=False)


@attrs.frozen
class Command:
    """What the command printed and wrote, and the report it made."""

    out: str
    error: str
    data: str
    page: str
    report: Report


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """One run of the command, which is a run of `bench.run` at the same time."""
    folder, reports, run = tmp_path_factory.mktemp("bench"), list[Report](), bench.run

    def remembering(settings: bench.BenchSettings, report_progress: Callable[[str], object]) -> Report:
        assert settings == QUICK
        reports.append(run(settings, report_progress))
        return reports[-1]

    data, page = folder / "bench.json", folder / "bench.md"
    options = ["--robots", "double_pendulum", "--quick", "--no-peers", "--json", str(data), "--markdown", str(page)]
    out, error = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(error):
        patch.setattr(bench, "run", remembering)
        assert cli.main(["bench", *options]) == 0
    texts = (out.getvalue(), error.getvalue(), data.read_text(encoding="utf-8"), page.read_text(encoding="utf-8"))
    return Command(*texts, reports[0])


@pytest.fixture(scope="module")
def report(command: Command) -> Report:
    return command.report


# -- a run ------------------------------------------------------------------------------------------------------------


def test_every_section_is_measured(report: Report) -> None:
    found = {(row.section, row.quantity, row.contender) for row in report.rows}
    expected = {(Section.SINGLE, q, contender) for q in Quantity for contender in (rbd_engine.KERNEL, RBD)}
    expected |= {(Section.LIVE, SOLUTION, rbd_engine.LIVE), (Section.SMALL_BATCH, Quantity.INVERSE, RBD)}
    expected |= {(Section.LIVE, query, rbd_engine.LIVE) for query in Query}
    expected |= {
        (Section.CONTROLLED, method, contender) for method in IntegrationMethod for contender in (SIMULATE, STEP_LOOP)
    }
    expected |= {
        (Section.SHORT, method, contender) for method in IntegrationMethod for contender in (ROLLOUT, STEP_LOOP)
    }
    expected |= {(Section.VALUES, operation, RBD) for operation in Operation}
    many = [(Section.COLUMNS, q) for q in (Quantity.INVERSE, Quantity.FORWARD)]
    expected |= {(*group, contender) for group in many for contender in (RBD, rbd_engine.ROW_ORDER, PEAK)}
    sections = (Section.BATCH, Section.THREADS)
    expected |= {(section, q, RBD) for section in sections for q in (Quantity.INVERSE, Quantity.FORWARD)}
    assert found == expected


def test_a_linkage_has_sections_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["rbd.bench.run"], "startup_times", lambda repeats: [])  # the same for all robots
    report = bench.run(bench.BenchSettings(robots=("four_bar",), quick=True, peers=False))
    found = [(row.section, row.quantity, row.contender) for row in report.rows if row.robot]
    forward = Quantity.FORWARD.value
    expected = [(Section.SINGLE, forward, contender) for contender in (rbd_engine.KERNEL, RBD)]
    assert found == [
        *expected,
        *((Section.LIVE, quantity, rbd_engine.LIVE) for quantity in (LOOP_DYNAMICS, LOOP_DYNAMICS_AFTER_SET)),
    ]
    assert set(report.robots[0].operations) == {"inverse dynamics", "mass matrix", "forward dynamics"}
    assert "dynamics with a loop" in bench.as_text(report)


def test_states_of_a_linkage_are_closed() -> None:
    mechanism = robots.robot("four_bar")
    samples = random_samples(mechanism, 5)
    for q, v in zip(samples.q, samples.v, strict=True):
        state = rbd.MechanismState(mechanism, q, v)
        assert float(rbd.loop_gap(state)) < 1e-10
        assert np.abs(rbd.constraint_jacobian(state) @ v).max() < 1e-10


def test_rows_have_plausible_numbers(report: Report) -> None:
    for row in report.rows:
        assert 0 < row.best <= row.seconds
        assert (row.speedup is None) == (row.section not in PYTHON_LOOP_SECTIONS)  # nobody else to compare with
        assert row.difference is None or row.difference < 1e-12


def test_preparations_are_measured(report: Report) -> None:
    found = {p.task: p for p in report.preparations}
    assert list(found) == [preparation.RECORDING, preparation.COLD, preparation.CACHED]
    assert all(0 < p.best <= p.seconds for p in found.values())


def test_new_processes_are_measured(report: Report) -> None:
    found = {(p.robot, p.task): p for p in report.startup}
    humanoid = [(startup.HUMANOID, startup.FIRST), (startup.HUMANOID, startup.LONGEST)]
    assert list(found) == [("", startup.IMPORT), ("", startup.DEPENDENCIES), *humanoid]
    assert all(0 < p.best <= p.seconds for p in found.values())
    assert found["", startup.IMPORT].seconds > found["", startup.DEPENDENCIES].seconds / 2
    page = bench.as_markdown(report)
    assert all(f"| {task} |" in page for _, task in found)


def test_new_processes_find_no_machine_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RBD_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("RBD_CACHE", "0")
    names = ("PYTHONDONTWRITEBYTECODE", "RBD_CACHE")
    kept = f"[name in os.environ for name in {names}] + os.listdir(os.environ['RBD_CACHE_DIR'])"
    assert startup.run_script(f"import json, os; print(json.dumps({kept}))") == [False, False]
    assert list(tmp_path.iterdir()) == []


def test_json_contains_all_results(report: Report) -> None:
    content = json.loads(report.to_json())
    assert set(content) == {"version", "machine", "quick", "robots", "rows", "preparations", "startup"}
    assert set(content["rows"][0]) == {field.name for field in attrs.fields(ReportRow)}
    assert {"processor", "cores", "load", "lanes", "system", "versions"} == set(content["machine"])
    assert content["machine"]["versions"]["rbd"] == rbd.__version__
    assert content["machine"]["lanes"] in (2, 4, 8)
    assert content["robots"][0]["operations"] == {
        quantity.value: rbd_engine.program(robots.robot("double_pendulum"), quantity).count().total
        for quantity in Quantity
    }


def test_the_page_shows_every_row_and_warns_of_a_quick_run(report: Report) -> None:
    page = bench.as_markdown(report)
    assert page.startswith("# Benchmarks\n")
    assert page.count("| rbd kernel |") == len(Quantity)
    assert "quick run" in page
    assert "What rbd aims at" not in page
    assert bench.as_text(report).count("rbd kernel") == len(Quantity)


def test_the_cache_of_the_user_is_not_changed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mechanism = robots.robot("double_pendulum")
    samples = random_samples(mechanism, 1)
    preparation.make_ready(mechanism, samples.q[0], samples.v[0])  # compiles what all programs of a process share
    monkeypatch.setenv("RBD_CACHE_DIR", str(tmp_path / "mine"))
    monkeypatch.delenv("RBD_CACHE", raising=False)
    assembled, assemble = list[str](), cached_code.assemble
    monkeypatch.setattr(cached_code, "assemble", lambda text: assembled.append(text) or assemble(text))
    preparation.preparations("double_pendulum", mechanism, samples, 1)
    assert len(assembled) == 2 * len(set(assembled)) == 6  # once before it is measured, and nothing from a cache
    assert os.environ["RBD_CACHE_DIR"] == str(tmp_path / "mine")
    assert "RBD_CACHE" not in os.environ
    assert list(tmp_path.iterdir()) == []


# -- the command ------------------------------------------------------------------------------------------------------


def test_the_command_prints_and_writes(command: Command) -> None:
    assert "double_pendulum: one state per call" in command.out
    assert "double_pendulum: recording and compiling" in command.error
    assert json.loads(command.data)["quick"] is True
    assert command.page.startswith("# Benchmarks\n")


@pytest.mark.parametrize("robot", ["nobody", "missing.urdf"])
def test_unknown_robots_raise(robot: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "--robots", robot, "--quick", "--no-peers"]) == 1
    assert robot in capsys.readouterr().err


def test_unwritable_files_raise_before_measurements(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "--json", str(tmp_path / "none" / "bench.json")]) == 1
    captured = capsys.readouterr()
    assert "No such file" in captured.err
    assert "one state" not in captured.err


def test_without_machine_code_the_interpreter_is_measured(tmp_path: Path) -> None:
    data = tmp_path / "bench.json"
    options = ["--robots", "double_pendulum", "--quick", "--no-peers", "--json", str(data)]
    environment = {**os.environ, "RBD_NATIVE": "0"}
    subprocess.run([sys.executable, "-m", "rbd", "bench", *options], check=True, capture_output=True, env=environment)
    content = json.loads(data.read_text(encoding="utf-8"))
    assert {row["contender"] for row in content["rows"]} == {RBD, rbd_engine.LIVE}
    assert {row["section"] for row in content["rows"]} == {Section.VALUES, Section.SINGLE, Section.LIVE}
    assert content["machine"]["lanes"] == 1


# -- the parts --------------------------------------------------------------------------------------------------------


def contender(name: str, value: float, costs: Iterator[float] | None = None) -> Contender:
    def run(times: int) -> None:
        CLOCK[0] += times * next(costs or iter([1.0]))

    return Contender(name, run, 1, lambda k: np.array([value, float(k)]))


CLOCK = [0.0]


def test_contenders_with_different_results_are_not_timed() -> None:
    assert difference(contender("a", 1.0), contender("b", 1.0 + 1e-9), [0, 1]) == pytest.approx(1e-9, rel=1e-3)
    with pytest.raises(SolverError, match="a and b differ"):
        difference(contender("a", 1.0), contender("b", 1.1), [0])
    with pytest.raises(SolverError, match="differ by nan"):
        difference(contender("a", np.nan), contender("b", 1.0), [0])


def test_ratios_are_taken_between_neighbours() -> None:
    def costs(factor: float) -> Iterator[float]:
        load = 1.0
        while True:
            load = load % 7 + 1  # a machine that gets busier all the time
            yield factor * load

    pace = Pace(window=0.5, rounds=50, time_limit=1e9)
    slow, fast = alternate([contender("a", 0, costs(3.0)), contender("b", 0, costs(1.0))], pace, lambda: CLOCK[0])
    assert fast.speedup(slow) == pytest.approx(3.0)
    assert fast.best == pytest.approx(1.0)


def test_states_are_the_same_in_every_run_and_fit_the_robot() -> None:
    mechanism = robots.robot("humanoid")
    first, second = random_samples(mechanism), random_samples(mechanism)
    assert first.q.shape == (COUNT, mechanism.nq)
    assert np.array_equal(first.q, second.q)
    assert np.allclose(np.linalg.norm(first.q[:, :4], axis=1), 1.0)
    assert np.array_equal(first.repeated(300).tau[128], first.tau[0])


def test_kernel_and_interpreter_agree_for_every_state() -> None:
    mechanism = robots.robot("arm7")
    mine = rbd_engine.RbdEngine(mechanism, random_samples(mechanism))
    kernel = mine.kernel(Quantity.FORWARD)
    assert kernel is not None
    kernel.run(2)
    assert difference(kernel, mine.single(Quantity.FORWARD), range(kernel.states)) == 0


def test_goals_for_column_order_compare_rows_of_one_run(report: Report) -> None:
    def row(quantity: Quantity, contender: str, seconds: float) -> ReportRow:
        return attrs.evolve(
            report.rows[0],
            robot="arm7",
            section=Section.COLUMNS,
            quantity=quantity,
            contender=contender,
            seconds=seconds,
            speedup=None,
        )

    pairs = [(Quantity.INVERSE, 40e-9), (Quantity.FORWARD, 33e-9)]
    rows = [
        row(quantity, contender, seconds)
        for quantity, slow in pairs
        for contender, seconds in ((RBD, 20e-9), (rbd_engine.ROW_ORDER, slow), (PEAK, 6e-9))
    ]
    robot = attrs.evolve(report.robots[0], name="arm7", nv=7)
    found = goals.outcomes(attrs.evolve(report, robots=[robot], rows=rows, startup=[], preparations=[]))
    assert [(o.measured, o.reached) for o in found] == [("2", True), ("30 %", False)]


def test_the_peak_counts_operations() -> None:
    """Half as many multiply-adds as operations, rounded up to full rounds of vectors."""
    contender = peak(1000, 10)
    contender.run(3)
    assert (contender.name, contender.states, contender.value) == (PEAK, 10, None)
    assert difference(contender, contender, [0]) is None


def test_robots_have_no_passive_torques() -> None:
    mechanism = robots.without_passive_torques(rbd.robots.arm7())
    parameters = [(j.damping, j.friction, j.armature, j.bound_stiffness, j.bound_damping) for j in mechanism.joints]
    assert not np.any(parameters)


def test_a_urdf_file_is_a_robot(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(rbd.urdf.format_urdf(rbd.robots.arm7()), encoding="utf-8")
    assert robots.robot(str(path)).nv == 7
    with pytest.raises(UnknownNameError, match="no robot is named 'arm8'; did you mean 'arm7'") as caught:
        robots.robot("arm8")
    assert (caught.value.kind, caught.value.suggestion) == ("robot", "arm7")


def test_the_quadruped_is_a_default_robot_and_a_known_one() -> None:
    assert worlds.QUADRUPED in robots.default_names()
    with pytest.raises(UnknownNameError, match=r"known robots: .*, quadruped") as caught:
        robots.robot("quadrupet")
    assert caught.value.suggestion == worlds.QUADRUPED


def test_plain_numbers_of_a_robot_are_in_depth_first_order() -> None:
    tree = tree_of(robots.robot("humanoid"))
    assert tree is not None
    assert tree.links[0].kind == "floating"
    for k, link in enumerate(tree.links):
        ancestors = [k - 1]
        while ancestors[-1] >= 0:
            ancestors.append(tree.links[ancestors[-1]].parent)
        assert link.parent in ancestors
    assert sorted(i for link in tree.links for i in link.v) == list(range(36))


def test_plain_numbers_of_unsupported_mechanisms_are_none() -> None:
    assert tree_of(rbd.robots.four_bar()) is None
    screw = Mechanism()
    nut = rbd.SpatialInertia(rbd.Frame("nut"), mass=1, com=(0, 0, 0), moment=np.eye(3))
    screw.attach(screw.root_body, rbd.RigidBody("nut", nut), rbd.Joint("screw", rbd.Screw((0, 0, 1), pitch=0.1)))
    assert tree_of(screw) is None


# -- goals ------------------------------------------------------------------------------------------------------------


def with_numbers(report: Report, lanes: int, speedup: float, seconds: float) -> Report:
    row = attrs.evolve(report.rows[0], robot="panda", section=Section.BATCH, quantity=Quantity.INVERSE, contender=RBD)
    machine = report.machine.copy()
    machine["lanes"] = lanes
    return attrs.evolve(
        report,
        quick=False,
        machine=machine,
        robots=[attrs.evolve(report.robots[0], name="panda", operations=dict.fromkeys(Quantity, 700))],
        rows=[attrs.evolve(row, speedup=speedup)],
        preparations=[Preparation("panda", preparation.COLD, seconds, seconds)],
        startup=[
            Preparation(robot, task, value, value)
            for robot, task, value in (
                ("", startup.IMPORT, 0.26),
                ("", startup.DEPENDENCIES, 0.2),
                (startup.HUMANOID, startup.FIRST, 0.14),
                (startup.HUMANOID, startup.LONGEST, 0.02),
            )
        ],
    )


def test_outcomes_of_goals(report: Report) -> None:
    found = {outcome.quantity: outcome for outcome in goals.outcomes(with_numbers(report, 8, 30.0, 0.6))}
    assert found["operations: inverse dynamics"].reached
    assert not found["operations: mass matrix"].reached
    (batch,) = (outcome for quantity, outcome in found.items() if quantity.startswith(Section.BATCH))
    assert (batch.goal, batch.measured, batch.reached) == ("≥ 40", "30", False)
    (cold,) = (outcome for quantity, outcome in found.items() if quantity.startswith(preparation.COLD))
    assert (cold.goal, cold.measured, cold.reached) == ("≤ 500 ms", "600 ms", False)


def test_outcomes_of_goals_for_new_processes(report: Report) -> None:
    found = {o.quantity: (o.goal, o.measured, o.reached) for o in goals.outcomes(with_numbers(report, 8, 30.0, 0.6))}
    (title,) = (quantity for quantity in found if quantity.startswith(startup.IMPORT))
    assert found[title] == ("≤ 1.25", "1.3", False)
    assert found[startup.FIRST] == ("≤ 150 ms", "140 ms", True)
    assert found[startup.LONGEST] == ("≤ 10 ms", "20 ms", False)


def test_goals_are_halved_for_four_lanes(report: Report) -> None:
    outcomes = goals.outcomes(with_numbers(report, 4, 30.0, 0.6))
    assert any(outcome.goal == "≥ 20" and outcome.reached for outcome in outcomes)


def test_contenders_are_measured_after_the_background_thread_has_compiled() -> None:
    """The background thread is busy at first; what it was told to compile is compiled when time is taken."""
    begin, compiled = threading.Event(), list[int]()
    passes = list[int]()

    def run(count: int) -> None:
        passes.append(len(compiled))
        compiler_thread.submit(lambda: (begin.wait(0.05), compiled.append(count)))

    warm_up(Contender("live", run, 1, None))
    assert passes == [0, 1, 2]
    assert len(compiled) == 3


def test_the_page_shows_missed_goals(report: Report) -> None:
    page = tables.as_markdown(with_numbers(report, 8, 30.0, 0.6))
    assert "## What rbd aims at" in page
    assert "| ≥ 40 | 30 | **no** |" in page
