"""Independence of live states: copies, threads, memory; kernels that cannot be recorded."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import rbd
from rbd import MechanismState, native
from rbd.engine.coordinate_writer import WRITES_BEFORE_BUILTIN
from rbd.errors import WrongThreadError
from rbd.kernels.kernel import kernels
from rbd.recorder.kernel_cache import RecordedKernel, RecordingFailure, kernel_cache
from tests.marks import needs_builtins

from ..algorithms.helpers import raised
from ..joints.test_contract import Cam
from .live import assert_close, entries, values

# --- copies, threads, memory ----------------------------------------------------------------------------------------


@needs_builtins
@pytest.mark.parametrize("duplicate", [copy.deepcopy, copy.copy, lambda s: pickle.loads(pickle.dumps(s))])
def test_copies_of_states_with_fast_paths_are_independent(
    warm: tuple[MechanismState, rbd.DynamicsResult], duplicate: Callable[[MechanismState], MechanismState]
) -> None:
    state, _ = warm
    twin = duplicate(state)
    M = rbd.mass_matrix(state)
    assert np.array_equal(rbd.mass_matrix(twin), M)
    twin.randomize(3)
    assert np.array_equal(rbd.mass_matrix(state), M)
    assert not np.array_equal(rbd.mass_matrix(twin), M)


@needs_builtins
def test_fast_paths_raise_in_other_threads(warm: tuple[MechanismState, rbd.DynamicsResult]) -> None:
    state, result = warm
    zero = np.zeros(state.mechanism.nv)
    calls: list[Callable[[], object]] = [
        lambda: rbd.mass_matrix(state),
        lambda: rbd.inverse_dynamics(state, zero),
        lambda: rbd.dynamics(result, state, zero),
        lambda: state.set_configuration(np.zeros(state.mechanism.nq)),
        lambda: state.set_velocity(zero),
    ]
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.extend(raised(call) for call in calls))
    thread.start()
    thread.join()
    assert [type(error) for error in found] == [WrongThreadError] * len(calls)


def _run_of(mechanism: rbd.Mechanism, seed: int, steps: int) -> Iterator[bytes]:
    """Yield what a state of its own says at many random places."""
    state, result, rng = MechanismState(mechanism), rbd.DynamicsResult(mechanism), np.random.default_rng(seed)
    for _ in range(steps):
        state.set_configuration(rng.standard_normal(mechanism.nq))
        state.set_velocity(rng.standard_normal(mechanism.nv))
        tau = rng.standard_normal(mechanism.nv)
        yield rbd.mass_matrix(state).tobytes()
        yield rbd.inverse_dynamics(state, tau).tobytes()
        yield rbd.dynamics(result, state, tau).vd.tobytes()


@pytest.mark.parametrize("steps", [3334, pytest.param(100_000, marks=pytest.mark.deep)])  # of three evaluations
def test_threads_with_separate_states_agree_with_one_thread(steps: int) -> None:
    mechanism = rbd.robots.arm7()
    expected = [hash(tuple(_run_of(mechanism.copy()[0], seed, steps))) for seed in range(8)]
    found: list[int] = [0] * 8

    def work(seed: int) -> None:
        found[seed] = hash(tuple(_run_of(mechanism, seed, steps)))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


@pytest.mark.usefixtures("at_once")  # nothing is compiled while memory is counted
@pytest.mark.parametrize("calls", [3000, pytest.param(1_000_000, marks=pytest.mark.deep)])
def test_calls_leak_no_memory(calls: int) -> None:
    import tracemalloc

    state = MechanismState(rbd.robots.arm7())
    result, tau = rbd.DynamicsResult(state.mechanism), np.ones(7)
    q, out = np.full(7, 0.5), np.empty((7, 7))

    def work(times: int) -> None:
        for _ in range(times):
            state.set_configuration(q)
            state.set_velocity(tau)
            rbd.mass_matrix(state)
            rbd.mass_matrix(state, out=out)
            rbd.inverse_dynamics(state, tau)
            rbd.dynamics(result, state, tau)
            state.transform_to_root(state.mechanism.bodies[-1])

    work(64)
    gc.collect()
    tracemalloc.start()
    try:
        work(50)
        before = tracemalloc.take_snapshot()
        work(calls)
        gc.collect()  # which gives back what Python keeps of freed tuples
        after = tracemalloc.take_snapshot()
    finally:
        tracemalloc.stop()
    ours = tracemalloc.Filter(inclusive=True, filename_pattern="*/rbd/*")
    growth = after.filter_traces([ours]).compare_to(before.filter_traces([ours]), "filename")
    assert sum(each.size_diff for each in growth) < 4096


@pytest.mark.usefixtures("at_once")
def test_kernel_caches_are_freed_with_their_mechanism() -> None:
    import weakref

    state = MechanismState(rbd.robots.arm7())
    for _ in range(4):
        rbd.mass_matrix(state)
        state.set_configuration(np.ones(7))
        rbd.dynamics(result := rbd.DynamicsResult(state.mechanism), state)
    ghosts = [weakref.ref(state.mechanism), weakref.ref(kernel_cache(state.mechanism))]
    del state, result
    gc.collect()
    assert [ghost() for ghost in ghosts] == [None, None]


def test_kernel_caches_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rbd.recorder.kernel_cache._MAX_KERNELS", 4)
    state = MechanismState(rbd.robots.arm7(), np.full(7, 0.2))
    path = state.mechanism.path
    bodies = state.mechanism.bodies
    first = rbd.geometric_jacobian(state, path(bodies[0], bodies[3])).matrix
    for body in bodies[1:]:
        rbd.geometric_jacobian(state, path(bodies[0], body))
        assert len(entries(state)) <= 4
    assert np.array_equal(rbd.geometric_jacobian(state, path(bodies[0], bodies[3])).matrix, first)


# --- what cannot be recorded, and what is rare ----------------------------------------------------------------------


class Choosy(Cam):
    """A joint of somebody else's that looks at numbers, so that it cannot be recorded."""

    def transform(self, q: Any, after: rbd.Frame, before: rbd.Frame) -> rbd.Transform:
        return super().transform(q if q[0] > 0 else tuple(q), after, before)


@pytest.mark.parametrize("kind", [Cam, Choosy])
def test_custom_joint_types(kind: type[rbd.JointType]) -> None:
    """They are recorded like ours; what cannot be is computed by the source."""
    mechanism = rbd.testing.random_chain(
        [rbd.Revolute((0, 1, 0)), kind(), rbd.Prismatic((1, 0, 0))], np.random.default_rng(5)
    )
    state = MechanismState(mechanism, [0.3, 0.4, 0.5], [1.0, 2.0, 3.0])
    with rbd.interpreted():
        expected = values(state)
    with pytest.warns(native.InterpretedWarning) if kind is Choosy else nullcontext():
        found = values(state)
    assert_close(found, expected)
    assert any(type(entry) is RecordingFailure for entry in entries(state)) == (kind is Choosy)
    for _ in range(WRITES_BEFORE_BUILTIN + 2):
        state.set_configuration(np.array([0.3, 0.4, 0.5]))
    assert_close(values(state), expected)


@pytest.mark.parametrize("name", ["_executable_and_form", "coordinate_check_program"])
def test_recordings_without_memory_are_tried_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_memory(*args: object) -> None:
        raise MemoryError

    mechanism = rbd.robots.double_pendulum()
    cache, kernel = kernel_cache(mechanism), kernels()["mass_matrix"]
    with monkeypatch.context() as poor:
        poor.setattr(f"rbd.recorder.kernel_cache.{name}", without_memory)
        if name == "_executable_and_form":
            with pytest.raises(MemoryError):
                cache.get_or_record(mechanism, kernel, ())
        else:
            assert cache.coordinate_check(mechanism, "q") is None
    assert isinstance(cache.get_or_record(mechanism, kernel, ())[0], RecordedKernel)
    assert cache.coordinate_check(mechanism, "q") is not None


@pytest.mark.usefixtures("at_once")
def test_loops() -> None:
    """Solves with run-time decisions are part of the machine code; what a result says of loops stays the same."""
    mechanism = rbd.robots.four_bar()
    state = MechanismState(mechanism)
    rbd.close_loops(state)
    state.set_velocity(np.linspace(0.1, 0.2, mechanism.nv))
    tau = np.linspace(-1, 1, mechanism.nv)

    def solved() -> list[np.ndarray]:
        result = rbd.dynamics(rbd.DynamicsResult(mechanism), state, tau)
        names = ("vd", "qd", "mass_matrix", "constraint_jacobian", "constraint_bias", "multipliers")
        loops = [result.loop_wrench(joint).vector for joint in mechanism.loop_joints]
        return [*(getattr(result, name).copy() for name in names), np.array(result.constraint_rank), *loops]

    with rbd.interpreted():
        expected = solved()
    first = solved()
    for one, two in zip(first, expected, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-9)
    for _ in range(4):
        assert all(map(np.array_equal, solved(), first))


def test_threads_do_not_inherit_states_with_an_identifier() -> None:
    """Python gives the identifier of a thread that has ended to later ones."""
    made, refused = list[MechanismState](), list[bool]()

    def run(target: Callable[[], object]) -> None:
        thread = threading.Thread(target=target)
        thread.start()
        thread.join()

    def use() -> None:
        try:
            made[0].set_configuration(np.zeros(7))
        except WrongThreadError as error:
            refused.append("a thread that has ended, or that Python did not start" in str(error))

    run(lambda: made.append(MechanismState(rbd.robots.arm7())))
    for _ in range(8):
        run(use)
    assert refused == [True] * 8
    made[0].adopt()
    run(lambda: None)
    made[0].set_configuration(np.ones(7))


def test_copies_of_frames_share_what_is_cached() -> None:
    state = MechanismState(rbd.robots.arm7())
    frame = state.mechanism.bodies[-1].default_frame
    state.transform_to_root(frame)
    size = len(state.engine.cache)
    for _ in range(10):
        state.transform_to_root(pickle.loads(pickle.dumps(frame)))
    assert len(state.engine.cache) == size
