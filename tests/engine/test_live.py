"""Live states run recorded programs: bitwise equal results for any number of calls, equal to the source to 1e-12."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import rbd
from rbd import MechanismState, native
from rbd.errors import NotFiniteError, RotationError, ShapeError, SingularError, StaleStateError
from rbd.kernels.kernel import Kernel, kernels
from rbd.native import compiled_program, live_executable
from rbd.native.compiled_program import CompiledProgram
from rbd.native.runtime.thread_pool import compiler_thread
from rbd.recorder.kernel_cache import KernelCache, RecordedKernel, kernel_cache
from tests.marks import needs_builtins

from ..algorithms.helpers import JOINT_TYPES, Case, case, cases, examples, raised
from .live import assert_close, entries, values

# --- the same numbers, whoever computes them ---------------------------------------------------------------------


@examples(0.1)
@given(cases("tree", "floating tree", bodies=5, passive=True))
def test_recorded_programs_agree_with_the_source(a_case: Case) -> None:
    with rbd.interpreted():
        expected = values(a_case.state)
    assert_close(values(a_case.state), expected)


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_every_joint_type(kind: str) -> None:
    a_case = case(kind, seed=3, passive=True)
    with rbd.interpreted():
        expected = values(a_case.state)
    assert_close(values(a_case.state), expected)
    assert {type(entry) for entry in entries(a_case.state)} == {RecordedKernel}, "something cannot be recorded"


@needs_builtins
@pytest.mark.usefixtures("at_once")
def test_results_are_bitwise_equal_for_any_number_of_calls(a_case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interpreted, compiled, through builtins: nobody can tell."""
    state = a_case.state
    with monkeypatch.context() as patient:
        patient.setattr(live_executable, "OPERATIONS_BEFORE_COMPILING", 10**9)
        first = values(state)
    moved = state.q.copy(), state.v.copy()
    for _ in range(3):
        state.randomize(1)
        values(state)
        state.set_configuration(moved[0])
        state.set_velocity(moved[1])
        assert values(state) == first
    compiled = [entry.executable.machine_code for entry in entries(state) if entry is not None]
    assert len(compiled) > 20
    assert all(kernel is not None for kernel in compiled)
    assert {getattr(key, "__name__", "") for key in state.engine.builtins} >= {
        "mass_matrix",
        "inverse_dynamics",
        "forward_dynamics",
    }


@pytest.mark.usefixtures("at_once")
@pytest.mark.optimised
def test_machine_code_and_interpreter_are_bitwise_equal(a_case: Case) -> None:
    """Every kernel, on its own inputs."""
    state = a_case.state
    for _ in range(3):
        values(state)
    rng = np.random.default_rng(5)
    for entry in entries(state):
        program = entry.executable.program
        inputs = {port.name: rng.standard_normal(port.shape) for port in program.inputs} | {"q": state.q, "v": state.v}
        reference = raised(lambda inputs=inputs, program=program: program.interpret(**inputs))
        found = entry.executable([inputs[port.name] for port in program.inputs])
        assert entry.executable.machine_code is not None
        if isinstance(reference, Exception):
            assert found is None
        else:
            for port, array in zip(program.outputs, found, strict=True):
                assert np.array_equal(reference[port.name], array), program.name


def test_every_kernel_is_covered(a_case: Case) -> None:
    """The catalogue of these tests asks for every kernel that trees have."""
    values(a_case.state)
    recorded = {key[0] for key in kernel_cache(a_case.mechanism)._kernels}
    missing = {name for name, kernel in kernels().items() if kernel not in recorded}
    assert not {"mass_matrix", "dynamics", "inverse_dynamics", "forward_dynamics", "coriolis_matrix"} & missing


@pytest.mark.usefixtures("at_once")
def test_states_of_one_mechanism_share_kernels(a_case: Case) -> None:
    expected = values(a_case.state)
    count = len(entries(a_case.state))
    other = MechanismState(a_case.mechanism, a_case.state.q, a_case.state.v)
    assert values(other) == expected
    assert len(entries(other)) == count


# --- switches --------------------------------------------------------------------------------------------------------


def test_interpreted_runs_the_source_in_this_thread_only(a_case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    original = KernelCache.get_or_record

    def watched(self: KernelCache, *args: Any) -> Any:
        calls.append(args[1].name)
        return original(self, *args)

    monkeypatch.setattr(KernelCache, "get_or_record", watched)
    with rbd.interpreted():
        rbd.mass_matrix(a_case.state)
        assert calls == []
        thread = threading.Thread(target=lambda: rbd.mass_matrix(MechanismState(a_case.mechanism)))
        thread.start()
        thread.join()
        assert calls == ["mass_matrix"]
    rbd.mass_matrix(a_case.state)
    assert calls == ["mass_matrix"] * 2


@needs_builtins
@pytest.mark.usefixtures("at_once")
def test_builtins_check_for_interpreted_blocks() -> None:
    """A symbol in the source is seen only where the source runs."""
    state = MechanismState(rbd.robots.arm7())
    for _ in range(4):
        M = rbd.mass_matrix(state)
    assert state.engine.builtins
    seen: list[object] = []
    with rbd.interpreted():
        state.engine.pass_result(state, Kernel(seen.append), "q")
        inside = rbd.mass_matrix(state)
    assert seen == [state]
    assert np.abs(inside - M).max() < 1e-12
    assert np.array_equal(rbd.mass_matrix(state), M)


def test_background_compilation_does_not_block(a_case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()
    make = compiled_program.cached_code

    def slow(*args: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            gate.wait(60)
        return make(*args)

    monkeypatch.setattr(compiled_program, "cached_code", slow)
    monkeypatch.setattr(CompiledProgram, "load_single", lambda code: False)
    monkeypatch.setattr(live_executable, "OPERATIONS_BEFORE_COMPILING", -1)
    monkeypatch.setattr(live_executable, "OPERATIONS_BEFORE_SEARCH", -1)
    first = rbd.mass_matrix(a_case.state)
    for _ in range(5):
        assert np.array_equal(rbd.mass_matrix(a_case.state), first)
    (entry,) = entries(a_case.state)
    assert entry.executable.machine_code is None
    gate.set()
    done = threading.Event()
    compiler_thread.submit(done.set)
    assert done.wait(60)
    assert entry.executable.machine_code is not None
    assert np.array_equal(rbd.mass_matrix(a_case.state), first)


@pytest.mark.usefixtures("at_once")
def test_results_without_machine_code_are_bitwise_equal(a_case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        expected = values(a_case.state)
    other, _ = a_case.mechanism.copy()
    monkeypatch.setattr(native, "available", lambda: False)
    monkeypatch.setattr(native, "warn_interpreted", lambda: None)
    state = MechanismState(other, a_case.state.q, a_case.state.v)
    for _ in range(3):
        found = values(state)
    assert found == expected
    assert not state.engine.builtins


# --- parameters and structure ---------------------------------------------------------------------------------------

EDITS: dict[str, Callable[[Case], object]] = {
    "gravity": lambda c: setattr(c.mechanism, "gravity", (1.0, 2.0, 3.0)),
    "inertia": lambda c: c.mechanism.bodies[-1].set_inertia(c.mechanism.bodies[-1].inertia + _heavier(c)),
    "damping": lambda c: setattr(_moving(c), "damping", 3.5),
    "friction": lambda c: setattr(_moving(c), "friction", 2.5),
    "armature": lambda c: setattr(_moving(c), "armature", 1.5),
    "placement": lambda c: c.mechanism.bodies[0].move_frame(_shifted(c)),
    "bounds": lambda c: setattr(_bounded(c), "position_bounds", (-0.01, 0.01)),
}


def _moving(a_case: Case) -> rbd.Joint:
    return next(joint for joint in a_case.mechanism.tree_joints if joint.nv)


def _heavier(a_case: Case) -> rbd.SpatialInertia:
    return rbd.SpatialInertia(a_case.mechanism.bodies[-1].default_frame, mass=1.0, moment=np.eye(3))


def _bounded(a_case: Case) -> rbd.Joint:
    return next(joint for joint in a_case.mechanism.tree_joints if joint.nq == joint.nv == 1)


def _shifted(a_case: Case) -> rbd.Transform:
    joint = a_case.mechanism.tree_joints[0]
    placed = a_case.mechanism.placement(joint)
    return rbd.Transform(placed.from_frame, placed.to_frame, placed.rotation, placed.translation + 0.5)


@pytest.mark.parametrize("edit", EDITS)
def test_edits_take_effect(edit: str) -> None:
    a_case = case("tree", 1157, 4, passive=True)
    before = values(a_case.state)
    for _ in range(2):
        EDITS[edit](a_case)
        with rbd.interpreted():
            expected = values(a_case.state)
        assert_close(values(a_case.state), expected)
    assert any(expected[name] != before[name] for name in expected)
    fresh = MechanismState(a_case.mechanism, a_case.state.q, a_case.state.v)
    assert values(fresh) == values(a_case.state)


@pytest.mark.usefixtures("at_once")
def test_the_second_edit_records_nothing() -> None:
    state = MechanismState(rbd.robots.arm7())
    for k in range(6):
        state.mechanism.gravity = (0.0, float(k), -9.81)
        for _ in range(3):  # the last one through a builtin
            bias = rbd.dynamics_bias(state)
            rbd.mass_matrix(state)
        with rbd.interpreted():
            np.testing.assert_allclose(bias, rbd.dynamics_bias(state), rtol=0, atol=1e-12)
    programs = [entry.executable.outline for entry in entries(state)]
    inputs = [(p.name, p.inputs[-1].name) for p in programs]
    both = ("dynamics_bias", "mass_matrix")
    assert sorted(inputs) == sorted([(name, port) for name in both for port in ("v", "gravity")])


def test_symbolic_parameters_run_the_source() -> None:
    mechanism = rbd.robots.double_pendulum()
    body = mechanism.bodies[-1]
    inertia = body.inertia
    state = MechanismState(mechanism, [0.3, 0.4], [1.0, 2.0])
    M, energy = rbd.mass_matrix(state), rbd.kinetic_energy(state)
    exact = rbd.SpatialInertia(
        inertia.frame, mass=Fraction(inertia.mass), com=inertia.center_of_mass.xyz, moment=inertia.moment
    )
    body.set_inertia(exact)
    assert rbd.kinetic_energy(state) == pytest.approx(energy, rel=1e-12)
    body.set_inertia(inertia)
    assert np.array_equal(rbd.mass_matrix(state), M)


@needs_builtins
@pytest.mark.usefixtures("at_once")
def test_structure_edits_close_fast_paths(a_case: Case) -> None:
    state = MechanismState(rbd.robots.arm7())
    result = rbd.DynamicsResult(state.mechanism)
    for _ in range(4):
        rbd.mass_matrix(state)
        rbd.dynamics(result, state)
        state.set_configuration(np.ones(7))
    assert state.engine.builtins
    assert result.writer.builtins
    state.mechanism.remove_subtree(state.mechanism.bodies[-1])
    for call in (
        lambda: rbd.mass_matrix(state),
        lambda: rbd.dynamics(result, state),
        lambda: state.set_configuration(np.ones(7)),
    ):
        assert isinstance(raised(call), StaleStateError)


# --- errors ---------------------------------------------------------------------------------------------------------


@needs_builtins
def test_fast_paths_raise_the_same_errors(warm: tuple[MechanismState, rbd.DynamicsResult]) -> None:
    state, result = warm
    nv, q = state.mechanism.nv, state.q.copy()
    before = [array.copy() for array in (state.q, state.v, result.vd, result.mass_matrix, result.q)]
    nan, long = np.full(nv, np.nan), np.full(nv, 1e200)
    wrong_norm = q.copy()
    wrong_norm[:4] *= 1.1
    for call, error in (
        (lambda: state.set_configuration(np.full(len(q), np.nan)), NotFiniteError),
        (lambda: state.set_configuration(q[:-1]), ShapeError),
        (lambda: state.set_configuration(wrong_norm), RotationError),
        (lambda: state.set_velocity(nan), NotFiniteError),
        (lambda: rbd.inverse_dynamics(state, nan), NotFiniteError),
        (lambda: rbd.inverse_dynamics(state, nan[:-1]), ShapeError),
        (lambda: rbd.forward_dynamics(state, nan), NotFiniteError),
        (lambda: rbd.dynamics(result, state, nan), NotFiniteError),
        (lambda: rbd.mass_matrix(state, out=np.zeros(3)), ShapeError),
    ):
        assert isinstance(raised(call), error)
    after = [state.q, state.v, result.vd, result.mass_matrix, result.q]
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    state.set_velocity(long)
    assert isinstance(raised(lambda: rbd.dynamics(result, state)), NotFiniteError)
    assert all(np.array_equal(a, b) for a, b in zip(before[2:], after[2:], strict=True))


@needs_builtins
def test_fast_paths_accept_the_same_arguments(warm: tuple[MechanismState, rbd.DynamicsResult]) -> None:
    state, result = warm
    tau = np.linspace(-1, 1, state.mechanism.nv)
    vd = rbd.forward_dynamics(state, tau)
    out = np.empty_like(vd)
    assert rbd.forward_dynamics(state, tau, out=out) is out
    assert np.array_equal(out, vd)
    assert np.array_equal(rbd.forward_dynamics(state, tau.tolist()), vd)
    assert np.array_equal(rbd.forward_dynamics(state, tau.astype(np.float32).astype(np.longdouble)).shape, vd.shape)
    assert np.array_equal(rbd.forward_dynamics(state=state, torques=tau), vd)
    nudged = state.q.copy()
    nudged[:4] *= 1 + 1e-9
    state.set_configuration(nudged)
    assert abs(np.linalg.norm(state.q[:4]) - 1) < 1e-15
    assert rbd.dynamics(result, state).vd is result.vd


@pytest.mark.usefixtures("at_once")
def test_singular_masses_are_named_at_every_call() -> None:
    mechanism = rbd.Mechanism()
    mechanism.attach("world", rbd.RigidBody("ghost"), rbd.Joint("hinge", rbd.Revolute((0, 0, 1))))
    state, result = MechanismState(mechanism), rbd.DynamicsResult(mechanism)
    out, buffer = np.full(1, 7.0), result.writer.arrays["vd"]
    buffer[:] = 7.0
    for _ in range(4):
        with pytest.raises(SingularError, match="hinge"):
            rbd.dynamics(result, state)
        with pytest.raises(SingularError, match="hinge"):
            rbd.forward_dynamics(state, [1.0], out=out)
    assert out == buffer == 7.0


@needs_builtins
def test_results_hold_the_last_solved_state(warm: tuple[MechanismState, rbd.DynamicsResult]) -> None:
    """A result filled by machine code says of accelerations and wrenches what one filled by the general path says."""
    state, result = warm
    mechanism, rng = state.mechanism, np.random.default_rng(1)
    other = MechanismState(mechanism)
    for each in (state, other, state):
        each.randomize(rng)
        tau = rng.standard_normal(mechanism.nv)
        rbd.dynamics(result, each, tau)
        reference = rbd.DynamicsResult(mechanism)
        rbd.dynamics(reference, MechanismState(mechanism, each.q, each.v), tau)
        each.randomize(rng)
        for array in ("q", "v", "qd", "vd", "mass_matrix", "dynamics_bias", "passive_torques"):
            assert np.array_equal(getattr(result, array), getattr(reference, array)), array
        result.vd[...] = np.nan  # arrays are the caller's; what is asked later does not read them
        joint, body = mechanism.tree_joints[-1], mechanism.bodies[-1]
        assert np.array_equal(result.joint_wrench(joint).vector, reference.joint_wrench(joint).vector)
        assert np.array_equal(result.acceleration(body).vector, reference.acceleration(body).vector)
    twin = pickle.loads(pickle.dumps(result))
    assert not twin.writer.builtins
    assert np.array_equal(twin.acceleration(twin.mechanism.bodies[-1]).vector, reference.acceleration(body).vector)
