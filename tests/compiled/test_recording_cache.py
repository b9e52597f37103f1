"""Disk cache of compiled robots: cached functions are found if and only if they are the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import attrs
import numpy as np
import pytest

import rbd
from rbd.compiled import CompiledRobot, RecordedFunction, record
from rbd.errors import SingularError, StaleStateError
from rbd.joints import JointType
from rbd.native.runtime import sources
from rbd.scalars import sin
from rbd.spatial import SpatialInertia
from tests.algorithms.helpers import case

ROOT = Path(__file__).resolve().parents[2]
Q, V = np.array([0.3, -0.4]), np.array([1.0, 2.0])


@pytest.fixture
def cache_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and sources that do not change while the tests run."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("RBD_CACHE_DIR", str(folder))
    monkeypatch.delenv("RBD_CACHE", raising=False)
    monkeypatch.setattr(sources, "sources_digest", lambda folder: "sources")
    return folder


@pytest.fixture
def recordings(cache_directory: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was recorded, by name."""
    module = sys.modules["rbd.array_functions.record"]
    original, names = module._program_of_spec, list[str]()

    def noted(spec: object, mechanism: rbd.Mechanism, name: str, parameters: tuple[str, ...]) -> object:
        names.append(name)
        return original(spec, mechanism, name, parameters)

    monkeypatch.setattr(module, "_program_of_spec", noted)
    return names


def function(robot: CompiledRobot, name: str) -> RecordedFunction:
    return robot._table.functions[name]


def test_cached_functions_are_not_recorded_again(recordings: list[str]) -> None:
    first, second = (rbd.compile(rbd.robots.double_pendulum()) for _ in range(2))
    assert first.mechanism is not second.mechanism
    expected = first.inverse_dynamics(Q, V, V), first.mass_matrix(Q), first.step(Q, V, V, 0.1)[0]
    assert recordings == ["inverse_dynamics", "mass_matrix", "step munthe-kaas-rk4"]
    found = second.inverse_dynamics(Q, V, V), second.mass_matrix(Q), second.step(Q, V, V, 0.1)[0]
    assert len(recordings) == 3
    for a, b in zip(expected, found, strict=True):
        assert a.tobytes() == b.tobytes()


def test_cached_functions_are_recorded_on_access_to_their_program(recordings: list[str]) -> None:
    mechanism = rbd.robots.double_pendulum()
    rbd.compile(mechanism).mass_matrix(Q)
    robot = rbd.compile(mechanism)
    robot.mass_matrix(Q)
    recorded = function(robot, "mass_matrix")
    assert repr(recorded) == "<recorded mass_matrix(q), found on disk>"
    assert len(recordings) == 1
    assert recorded.count().total > 0
    assert len(recordings) == 2
    assert recorded.interpret(Q).tobytes() == robot.mass_matrix(Q).tobytes()
    assert "operations" in repr(recorded)
    assert len(recordings) == 2


def test_batches_of_cached_functions(recordings: list[str]) -> None:
    """Code for batches is another thing on disk, which may be missing where that for one state is found."""
    mechanism = rbd.robots.double_pendulum()
    rbd.compile(mechanism).mass_matrix(Q)
    robot = rbd.compile(mechanism)
    rows = robot.mass_matrix(np.tile(Q, (20, 1)))
    assert recordings == ["mass_matrix"] * 2
    assert rows[7].tobytes() == robot.mass_matrix(Q).tobytes()
    again = rbd.compile(mechanism)
    assert again.mass_matrix(np.tile(Q, (20, 1))).tobytes() == rows.tobytes()
    assert len(recordings) == 2


def test_edited_mechanisms_are_not_recorded_for_cached_functions(recordings: list[str]) -> None:
    mechanism = rbd.robots.double_pendulum()
    rbd.compile(mechanism).mass_matrix(Q)
    robot = rbd.compile(mechanism)
    robot.mass_matrix(Q)
    recorded = function(robot, "mass_matrix")
    mechanism.gravity = (0, 0, -1.62)
    with pytest.raises(StaleStateError, match="mass_matrix"):
        recorded.count()
    mechanism.gravity = (0, 0, -9.81)
    assert recorded.count().total > 0


CHANGES: dict[str, Callable[[rbd.Mechanism], object]] = {
    "gravity": lambda m: setattr(m, "gravity", (0, 0, -9.82)),
    "damping": lambda m: setattr(m.tree_joints[1], "damping", 0.125),
    "armature": lambda m: setattr(m.tree_joints[0], "armature", 0.125),
    "inertia": lambda m: m.bodies[1].set_inertia(
        SpatialInertia(m.bodies[1].default_frame, mass=2.0, moment_about_com=np.eye(3))
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_other_robots_have_other_keys(recordings: list[str], change: Callable[[rbd.Mechanism], object]) -> None:
    mechanism = rbd.robots.double_pendulum()
    before = rbd.compile(mechanism).inverse_dynamics(Q, V, V)
    change(mechanism)
    after = rbd.compile(mechanism).inverse_dynamics(Q, V, V)
    assert len(recordings) == 2
    assert np.abs(before - after).max() > 1e-4
    state = rbd.MechanismState(mechanism, q=Q, v=V)
    np.testing.assert_allclose(after, rbd.inverse_dynamics(state, V), rtol=1e-12)


def test_options_are_part_of_the_key(recordings: list[str]) -> None:
    mechanism = rbd.robots.double_pendulum()
    for _ in range(2):
        plain, free = rbd.compile(mechanism), rbd.compile(mechanism, ["gravity"])
        both, other = rbd.compile(mechanism, ["gravity", "damping"]), rbd.compile(mechanism, ["damping", "gravity"])
        results = [robot.inverse_dynamics(Q, V, V) for robot in (plain, free, both, other)]
        for result in results[1:]:
            np.testing.assert_allclose(result, results[0], rtol=1e-12)
        bodies = [plain.geometric_jacobian(Q, body) for body in mechanism.bodies[1:]]
        assert np.abs(bodies[0] - bodies[1]).max() > 0.1
        steps = [plain.step(Q, V, V, 0.1, integrator=name)[0] for name in ("munthe-kaas-rk4", "semi-implicit-euler")]
        assert np.abs(steps[0] - steps[1]).max() > 1e-4
        assert len(recordings) == 8


def test_parameters_as_inputs_of_cached_functions(recordings: list[str]) -> None:
    for _ in range(2):
        robot = rbd.compile(rbd.robots.double_pendulum(), ["gravity"])
        assert np.abs(robot.inverse_dynamics(Q, 0 * V, 0 * V)).max() > 1
        assert not robot.inverse_dynamics(Q, 0 * V, 0 * V, gravity=np.zeros(3)).any()
    assert len(recordings) == 1


def test_errors_of_cached_functions_name_joints(recordings: list[str]) -> None:
    mechanism = rbd.Mechanism()
    mechanism.attach("world", rbd.RigidBody("leaf"), rbd.Joint("hinge of a leaf", rbd.Revolute((0, 0, 1))))
    messages = list[str]()
    for _ in range(2):
        with pytest.raises(SingularError) as caught:
            rbd.compile(mechanism, ["inertia"]).forward_dynamics([0.1], [0.0], [0.0], inertia=np.zeros((1, 10)))
        messages.append(str(caught.value))
    assert "hinge of a leaf" in messages[0]
    assert messages[0] == messages[1]
    assert len(recordings) == 1


def test_joint_types_of_all_kinds(recordings: list[str]) -> None:
    for kind in ("tree", "floating tree"):
        sample = case(kind, seed=4, bodies=9, passive=True)
        q, v = sample.state.q, sample.state.v
        results = [rbd.compile(sample.mechanism).forward_dynamics(q, v, v) for _ in range(2)]
        assert results[0].tobytes() == results[1].tobytes()
    assert len(recordings) == 2


# -- what is not kept -------------------------------------------------------------------------------------------------


@attrs.frozen
class Crooked(JointType):
    """Somebody's own joint type: a revolute one with another angle."""

    inner: JointType = attrs.field(factory=lambda: rbd.Revolute((0, 0, 1)))
    nq = nv = 1

    def transform(self, q, after, before):  # type: ignore[no-untyped-def]  # a user's class without types
        return self.inner.transform((sin(q[0]),), after, before)

    def motion_subspace(self, q, after, before):  # type: ignore[no-untyped-def]  # a user's class without types
        return self.inner.motion_subspace(q, after, before)

    constraint_wrench_subspace = project = zero = random = None  # type: ignore[assignment]  # never called


def test_custom_joint_types_are_not_cached(recordings: list[str]) -> None:
    mechanism = rbd.Mechanism()
    mechanism.attach("world", rbd.RigidBody("body"), rbd.Joint("crooked", Crooked()))
    poses = [rbd.compile(mechanism).forward_kinematics([0.5]) for _ in range(2)]
    assert recordings == ["forward_kinematics"] * 2
    assert poses[0].tobytes() == poses[1].tobytes()


def test_functions_of_users_are_not_cached(cache_directory: Path) -> None:
    calls = list[str]()
    mechanism = rbd.robots.double_pendulum()
    for factor in (1.0, 2.0):

        def energy(state: rbd.ScalarState, factor: float = factor) -> object:
            calls.append("energy")
            return factor * rbd.kinetic_energy(state)

        assert float(record(energy, mechanism)(Q, V)) == pytest.approx(
            factor * rbd.kinetic_energy(rbd.MechanismState(mechanism, q=Q, v=V))
        )
    assert calls == ["energy"] * 2


def test_without_a_cache_everything_is_recorded(recordings: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RBD_CACHE", "0")
    for _ in range(2):
        rbd.compile(rbd.robots.double_pendulum()).mass_matrix(Q)
    assert len(recordings) == 2


# -- damage -----------------------------------------------------------------------------------------------------------


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:-3]),
    "a bit": flipped,
    "gone": lambda path: path.unlink(),
    "others may write": lambda path: path.chmod(0o666),
}


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
@pytest.mark.parametrize("which", ["outlines", "code", "both"])
def test_damaged_entries_are_recorded_again(
    recordings: list[str], cache_directory: Path, which: str, damage: Callable[[Path], object]
) -> None:
    mechanism = rbd.robots.double_pendulum()
    expected = rbd.compile(mechanism).mass_matrix(Q)
    entries = list((cache_directory / "objects").iterdir())
    outlines = [path for path in entries if b'"mass_matrix"' in path.read_bytes()]
    assert len(outlines) == 1
    assert len(entries) > 1
    for path in {"outlines": outlines, "code": set(entries) - set(outlines), "both": entries}[which]:
        damage(path)
    assert rbd.compile(mechanism).mass_matrix(Q).tobytes() == expected.tobytes()
    assert len(recordings) == 2
    assert rbd.compile(mechanism).mass_matrix(Q).tobytes() == expected.tobytes()
    assert len(recordings) == 2


# -- processes of their own -------------------------------------------------------------------------------------------

SCRIPT = """
import sys
import numpy as np
import rbd
from rbd.program.program import Program
made, recorded = Program.of.__func__, []
Program.of = classmethod(lambda kind, graph, name, outputs: recorded.append(name) or made(kind, graph, name, outputs))
robot = rbd.compile(rbd.robots.humanoid())
state = rbd.MechanismState(robot.mechanism)
robot.mass_matrix(state.q)
tau = robot.inverse_dynamics(state.q, state.v, np.ones(state.v.size))
print(recorded, tau.tobytes().hex())
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of rbd that nobody else works on."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "rbd", folder / "rbd", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def started(package: Path, cache: Path, **variables: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(package), "RBD_CACHE_DIR": str(cache), **variables}
    environment.pop("RBD_CACHE", None)
    command, pipe = [sys.executable, "-c", SCRIPT], subprocess.PIPE
    return subprocess.Popen(command, env=environment, cwd=package, stdout=pipe, stderr=pipe, text=True)


def finished(process: subprocess.Popen[str]) -> tuple[str, str]:
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    recorded, _, numbers = out.strip().rpartition(" ")
    return recorded, numbers


BOTH, NOTHING = "['mass_matrix', 'inverse_dynamics']", "[]"


def test_processes_share_the_cache_until_a_source_changes(package: Path, tmp_path: Path) -> None:
    recorded, numbers = finished(started(package, tmp_path, PYTHONHASHSEED="1"))
    assert recorded == BOTH
    assert finished(started(package, tmp_path, PYTHONHASHSEED="2")) == (NOTHING, numbers)
    source = package / "rbd" / "algorithms" / "inverse_dynamics.py"
    source.write_text(source.read_text() + "\n# a remark\n")
    assert finished(started(package, tmp_path)) == (BOTH, numbers)
    assert finished(started(package, tmp_path)) == (NOTHING, numbers)


def test_two_processes_at_once(package: Path, tmp_path: Path) -> None:
    processes = [started(package, tmp_path) for _ in range(2)]
    results = {finished(process)[1] for process in processes}
    assert len(results) == 1
    assert finished(started(package, tmp_path)) == (NOTHING, *results)


@pytest.mark.skipif(os.name != "posix", reason="there is always a home elsewhere")
@pytest.mark.parametrize("home", ["missing", "a file"])
def test_without_a_usable_folder_everything_is_recorded(package: Path, tmp_path: Path, home: str) -> None:
    place = tmp_path / "home"
    place.write_text("") if home == "a file" else None
    folder = place / "cache" if home == "a file" else Path("/proc/nowhere")
    assert finished(started(package, folder))[0] == BOTH


def test_digest_of_the_loaded_sources() -> None:
    """The digest is that of all files of the package, or there is none because one was edited since."""
    from rbd.recorder.recording_cache import PACKAGE

    assert (PACKAGE / "__init__.py").samefile(Path(rbd.__file__))
    found = sources.sources_digest(PACKAGE)
    assert found is None or len(found) == 64
