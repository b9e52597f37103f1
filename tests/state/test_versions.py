"""Versions: validity of cached results, stale states, owner threads, copies."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable

import numpy as np
import pytest

import rbd
from rbd import Joint, MechanismState, Revolute, RigidBody
from rbd.errors import StaleStateError, WrongThreadError

from ..algorithms.catalog import ALGORITHMS, flat
from ..algorithms.helpers import Case, case, raised

Q_ONLY = ("mass_matrix", "gravity_torques", "momentum_matrix", "transform_to_root", "composite_inertia")


@pytest.fixture
def a_case() -> Case:
    return case("tree", seed=157, bodies=6, passive=True)


def values(state: MechanismState) -> dict[str, list]:
    return {name: flat(algorithm(state)) for name, algorithm in ALGORITHMS.items()}


def fresh(state: MechanismState) -> dict[str, list]:
    """Return what a state without any memory says."""
    return values(MechanismState(state.mechanism, state.q, state.v))


CHANGES: dict[str, Callable[[Case], None]] = {
    "q": lambda c: c.state.set_configuration(_elsewhere(c).q),
    "v": lambda c: c.state.set_velocity(c.velocity()),
    "one joint": lambda c: c.state.set_velocity(_moving_joint(c), [0.25] * _moving_joint(c).nv),
    "randomize": lambda c: c.state.randomize(c.rng),
    "zero": lambda c: c.state.zero(),
    "normalize": lambda c: c.state.normalize(),
    "global coordinates": lambda c: c.state.global_coordinates(c.state.q, 0.1 * c.velocity()),
    "gravity": lambda c: setattr(c.mechanism, "gravity", (1.0, 2.0, 3.0)),
    "inertia": lambda c: _double(c.mechanism.bodies[1]),
    "damping": lambda c: _parameter(c, "damping", 7.0),
    "friction": lambda c: _parameter(c, "friction", 3.0),
    "friction velocity": lambda c: _parameter(c, "friction_velocity", 3.0),
    "armature": lambda c: _parameter(c, "armature", 7.0),
    "bounds": lambda c: [setattr(j, "position_bounds", None) for j in c.mechanism.tree_joints],
    "bound stiffness": lambda c: _parameter(c, "bound_stiffness", 70.0),
    "bound damping": lambda c: _parameter(c, "bound_damping", 70.0),
}


def _moving_joint(a_case: Case) -> Joint:
    return next(joint for joint in a_case.mechanism.tree_joints if joint.nv)


def _elsewhere(a_case: Case) -> MechanismState:
    other = MechanismState(a_case.mechanism)
    other.randomize(a_case.rng)
    return other


def _double(body: RigidBody) -> None:
    body.set_inertia(body.inertia + body.inertia)


def _parameter(a_case: Case, name: str, value: float) -> None:
    for joint in a_case.mechanism.tree_joints:
        setattr(joint, name, value)


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_invalidates_cached_results(a_case: Case, change: str) -> None:
    """After anything changes, every answer is the one a new state gives."""
    before = values(a_case.state)
    CHANGES[change](a_case)
    after, expected = values(a_case.state), fresh(a_case.state)
    for name in ALGORITHMS:
        assert after[name] == expected[name], name
    assert change == "normalize" or any(after[name] != before[name] for name in ALGORITHMS)


def test_velocity_does_not_invalidate_configuration_results(a_case: Case) -> None:
    state, body = a_case.state, a_case.mechanism.bodies[-1]
    before = {name: flat(ALGORITHMS[name](state)) for name in Q_ONLY}
    pose = state.transform_to_root(body)
    twist = state.twist(body)
    state.set_velocity(a_case.velocity())
    assert state.transform_to_root(body) is pose
    assert not state.twist(body).isclose(twist)
    for name in Q_ONLY:
        assert flat(ALGORITHMS[name](state)) == before[name]
    state.set_configuration(state.q * 1.0)
    assert state.transform_to_root(body).isclose(pose)


def test_two_states_of_one_mechanism_are_independent(a_case: Case) -> None:
    before = values(a_case.state)
    other = _elsewhere(a_case)
    assert values(other) != before
    assert values(a_case.state) == before


EDITS: dict[str, Callable[[Case], object]] = {
    "attach": lambda c: c.mechanism.attach(c.mechanism.bodies[1], RigidBody("new"), Joint("new", Revolute((0, 0, 1)))),
    "remove subtree": lambda c: c.mechanism.remove_subtree(c.mechanism.bodies[-1]),
    "replace joint": lambda c: c.mechanism.replace_joint(c.mechanism.tree_joints[0], Joint("new", Revolute((0, 0, 1)))),
    "merge": lambda c: c.mechanism.remove_fixed_joints(),
}


@pytest.mark.parametrize("edit", EDITS)
def test_structure_edits_make_states_stale(edit: str) -> None:
    rng = np.random.default_rng(163)
    types = [Revolute((0, 0, 1)), rbd.Fixed(), Revolute((0, 1, 0)), rbd.QuaternionSpherical()]
    mechanism = rbd.testing.random_tree(types, rng)
    a_case = Case(mechanism, MechanismState(mechanism), rng)
    state = a_case.state
    scalar = state.with_scalars(state.q, state.v)
    values(state)
    EDITS[edit](a_case)
    uses = {
        **{name: f for name, f in ALGORITHMS.items() if not name.endswith("jacobian")},  # those ask for a path first
        "set_configuration": lambda s: s.set_configuration(np.array(s.q)),
        "set_velocity": lambda s: s.set_velocity(np.array(s.v)),
        "zero": lambda s: s.zero(),
        "randomize": lambda s: s.randomize(rng),
        "normalize": lambda s: s.normalize(),
        "placement": lambda s: s.placement(mechanism.joints[0]),
    }
    for name, use in uses.items():
        assert isinstance(raised(lambda use=use: use(state)), StaleStateError), name
    with pytest.raises(StaleStateError) as caught:
        rbd.mass_matrix(scalar)
    assert caught.value.made_with != caught.value.now
    with pytest.raises(StaleStateError):
        state.with_scalars(state.q, state.v)


def test_adding_a_frame_leaves_states_usable(a_case: Case) -> None:
    """A frame more moves nothing: asking for it works at once, on a state that was there before."""
    state, body = a_case.state, a_case.mechanism.bodies[-1]
    before = state.transform_to_root(body)
    tool = rbd.Frame("tool")
    body.add_frame(rbd.Transform(tool, body.default_frame, translation=(0, 0, 1)))
    expected = before @ rbd.Transform(tool, body.default_frame, translation=(0, 0, 1))
    assert state.transform_to_root(tool).isclose(expected)


# --- threads, pickles, copies ----------------------------------------------------------------------------------------


def in_another_thread(call: Callable[[], object]) -> object:
    """Return what `call` returns or raises in another thread."""
    box: list[object] = []
    thread = threading.Thread(target=lambda: box.append(raised(call)))
    thread.start()
    thread.join()
    return box[0]


@pytest.mark.parametrize(
    "use",
    [
        rbd.mass_matrix,
        lambda s: s.set_configuration(np.array(s.q)),
        lambda s: s.set_velocity(np.array(s.v)),
        lambda s: s.transform_to_root(s.mechanism.bodies[-1]),
        lambda s: s.zero(),
        lambda s: s.with_scalars(list(s.q), list(s.v)),
        lambda s: s.placement(s.mechanism.tree_joints[-1]),
        lambda s: s.successor_placement(s.mechanism.tree_joints[-1]),
    ],
)
def test_a_state_belongs_to_one_thread(a_case: Case, use: Callable) -> None:
    error = in_another_thread(lambda: use(a_case.state))
    assert isinstance(error, WrongThreadError)
    assert error.owner == threading.get_ident() != error.caller
    use(a_case.state)


def test_adopt_transfers_a_state(a_case: Case) -> None:
    state = a_case.state
    expected = rbd.mass_matrix(state)

    def take() -> np.ndarray:
        state.adopt()
        return rbd.mass_matrix(state)

    assert np.array_equal(in_another_thread(take), expected)
    with pytest.raises(WrongThreadError):
        rbd.mass_matrix(state)
    state.adopt()
    assert np.array_equal(rbd.mass_matrix(state), expected)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, copy.copy, lambda s: pickle.loads(pickle.dumps(s))])
def test_copies_of_a_state(a_case: Case, duplicate: Callable) -> None:
    """A copy says the same and lives its own life; frames keep their identity through pickles."""
    before = values(a_case.state)
    twin = duplicate(a_case.state)
    assert values(twin) == before
    twin.randomize(a_case.rng)
    assert values(a_case.state) == before
    assert values(twin) != before
    body = a_case.mechanism.bodies[-1]
    assert twin.transform_to_root(body.default_frame).from_frame == body.default_frame


def test_a_pickled_state_belongs_to_whoever_unpickles_it(a_case: Case) -> None:
    data = pickle.dumps(a_case.state)
    M = in_another_thread(lambda: rbd.mass_matrix(pickle.loads(data)))
    assert np.array_equal(M, rbd.mass_matrix(a_case.state))


def test_unpickled_states_have_separate_mechanisms(a_case: Case) -> None:
    before = values(a_case.state)
    twin = pickle.loads(pickle.dumps(a_case.state))
    twin.mechanism.gravity = (1.0, 2.0, 3.0)
    twin.mechanism.remove_subtree(twin.mechanism.bodies[-1])
    assert values(a_case.state) == before


def test_mechanisms_are_freed_with_their_states(a_case: Case) -> None:
    """Nothing global keeps a mechanism: dropping it and its states frees it."""
    import gc
    import weakref

    other = case("tree", seed=167)
    values(other.state)
    ghost = weakref.ref(other.mechanism)
    del other
    gc.collect()
    assert ghost() is None
