"""Wrong arguments are refused by name before anything changes; `out=` is filled in place."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np
import pytest

import rbd
from rbd import Frame, MechanismState, Wrench
from rbd.errors import ArgumentError, FrameMismatchError, NotFiniteError, ShapeError, StaleStateError, UnknownNameError

from .helpers import Case, case

VECTOR_OUT: dict[str, Callable] = {
    "inverse_dynamics": lambda s, **k: rbd.inverse_dynamics(s, np.ones(s.mechanism.nv), **k),
    "forward_dynamics": lambda s, **k: rbd.forward_dynamics(s, np.ones(s.mechanism.nv), **k),
    "dynamics_bias": rbd.dynamics_bias,
}
MATRIX_OUT: dict[str, Callable] = {"mass_matrix": rbd.mass_matrix}
TAKES_VECTOR: dict[str, Callable] = {
    "inverse_dynamics": rbd.inverse_dynamics,
    "forward_dynamics": rbd.forward_dynamics,
    "dynamics": lambda s, x: rbd.dynamics(rbd.DynamicsResult(s.mechanism), s, x),
}
TAKES_WRENCHES: dict[str, Callable] = {
    "inverse_dynamics": lambda s, w: rbd.inverse_dynamics(s, np.zeros(s.mechanism.nv), w),
    "forward_dynamics": lambda s, w: rbd.forward_dynamics(s, np.zeros(s.mechanism.nv), w),
    "dynamics_bias": rbd.dynamics_bias,
    "dynamics": lambda s, w: rbd.dynamics(rbd.DynamicsResult(s.mechanism), s, None, w),
}


@pytest.fixture
def a_case() -> Case:
    return case("tree", seed=151)


@pytest.mark.parametrize("name", [*VECTOR_OUT, *MATRIX_OUT])
def test_out(a_case: Case, name: str) -> None:
    call, state, nv = (VECTOR_OUT | MATRIX_OUT)[name], a_case.state, a_case.mechanism.nv
    shape = (nv,) if name in VECTOR_OUT else (nv, nv)
    out = np.full(shape, np.nan)
    assert call(state, out=out) is out
    assert np.array_equal(out, call(state))
    fresh = call(state)
    assert fresh is not call(state)
    fresh += 1  # results are the caller's: writing into them must not leak into the next answer
    assert np.array_equal(out, call(state))


@pytest.mark.parametrize("name", [*VECTOR_OUT, *MATRIX_OUT])
@pytest.mark.parametrize(
    "spoil",
    [
        lambda shape: np.zeros([n + 1 for n in shape]),
        lambda shape: np.zeros((1, *shape)),
        lambda shape: np.zeros(shape, dtype=np.float32),
        lambda shape: np.zeros(shape, dtype=int),
        lambda shape: _frozen(shape),
        lambda shape: [0.0] * shape[0],
    ],
)
def test_wrong_out(a_case: Case, name: str, spoil: Callable) -> None:
    nv = a_case.mechanism.nv
    out = spoil((nv,) if name in VECTOR_OUT else (nv, nv))
    before = np.array(out)
    with pytest.raises((ShapeError, ArgumentError)) as caught:
        (VECTOR_OUT | MATRIX_OUT)[name](a_case.state, out=out)
    assert "out" in str(caught.value)
    assert np.array_equal(before, np.array(out))


PUBLIC = {name: getattr(rbd, name) for name in rbd.__all__}
OUT = [name for name, f in PUBLIC.items() if inspect.isfunction(f) and "out" in inspect.signature(f).parameters]


@pytest.mark.parametrize("name", OUT)
def test_every_function_that_takes_out_fills_it(a_case: Case, name: str) -> None:
    state, mechanism = a_case.state, a_case.mechanism
    body, ones = mechanism.bodies[-1], np.ones(mechanism.nv)
    path = mechanism.path(mechanism.root_body, body)
    extra = {
        "inverse_dynamics": (ones,),
        "forward_dynamics": (ones,),
        "geometric_jacobian": (path,),
        "point_jacobian": (path, rbd.Point(body.default_frame, (1, 2, 3))),
    }.get(name, ())
    plain = getattr(rbd, name)(state, *extra)
    expected = getattr(plain, "matrix", plain)
    out = np.full(expected.shape, np.nan)
    given = getattr(rbd, name)(state, *extra, out=out)
    assert np.array_equal(out, expected)
    assert given is out or type(given) is type(plain)
    for wrong in (np.zeros(expected.shape, np.float32), np.zeros((*expected.shape, 1)), np.zeros(1), "buffer"):
        with pytest.raises(ShapeError) as caught:
            getattr(rbd, name)(state, *extra, out=wrong)
        assert "out" in str(caught.value)


def test_configuration_derivative_fills_out(a_case: Case) -> None:
    out = np.full(a_case.mechanism.nq, np.nan)
    assert a_case.state.configuration_derivative(out=out) is out
    assert np.array_equal(out, a_case.state.configuration_derivative())


def _frozen(shape: tuple[int, ...]) -> np.ndarray:
    array = np.zeros(shape)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
def test_out_may_be_the_input(a_case: Case, name: str) -> None:
    x = a_case.velocity()
    expected = TAKES_VECTOR[name](a_case.state, x.copy())
    function = getattr(rbd, name)
    assert function(a_case.state, x, out=x) is x
    assert np.array_equal(x, expected)


@pytest.mark.parametrize("name", TAKES_VECTOR)
def test_vectors_are_checked(a_case: Case, name: str) -> None:
    nv, call = a_case.mechanism.nv, TAKES_VECTOR[name]
    argument = "vd" if name == "inverse_dynamics" else "torques"
    for bad in (np.zeros(nv + 1), np.zeros(nv - 1), np.zeros((nv, 1)), 1.0, []):
        with pytest.raises(ShapeError) as caught:
            call(a_case.state, bad)
        assert argument in str(caught.value)
    for index, value in ((0, np.nan), (nv - 1, np.inf)):
        bad = np.zeros(nv)
        bad[index] = value
        with pytest.raises(NotFiniteError) as caught:
            call(a_case.state, bad)
        assert argument in str(caught.value)
        assert caught.value.index in (index, (index,))
    with pytest.raises((TypeError, ValueError)):
        call(a_case.state, ["a"] * nv)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, list, tuple])
@pytest.mark.parametrize("name", TAKES_VECTOR)
def test_other_array_likes_are_converted(a_case: Case, name: str, dtype: type) -> None:
    whole = np.arange(a_case.mechanism.nv, dtype=float)
    given = dtype(whole) if dtype in (list, tuple) else whole.astype(dtype)
    get = (lambda r: r.vd) if name == "dynamics" else (lambda r: r)
    assert np.array_equal(get(TAKES_VECTOR[name](a_case.state, given)), get(TAKES_VECTOR[name](a_case.state, whole)))


@pytest.mark.parametrize("name", TAKES_WRENCHES)
def test_wrenches_are_checked(a_case: Case, name: str) -> None:
    call, body = TAKES_WRENCHES[name], a_case.mechanism.bodies[-1]
    stranger = case("chain", seed=1).mechanism.bodies[-1]
    with pytest.raises((FrameMismatchError, UnknownNameError)) as caught:
        call(a_case.state, {body: Wrench(Frame("nowhere"), (0, 0, 0), (0, 0, 0))})
    assert "nowhere" in str(caught.value)
    with pytest.raises(UnknownNameError):
        call(a_case.state, {stranger: Wrench(a_case.mechanism.root_frame, (0, 0, 0), (0, 0, 0))})
    with pytest.raises(ArgumentError) as caught:
        call(a_case.state, {body: np.zeros(6)})
    assert body.name in str(caught.value)
    with pytest.raises(UnknownNameError) as caught:
        call(a_case.state, {body.name + "x": Wrench(a_case.mechanism.root_frame, (0, 0, 0), (0, 0, 0))})
    assert f"did you mean '{body.name}'" in str(caught.value)
    with pytest.raises(ArgumentError):
        call(a_case.state, [Wrench(body.default_frame, (0, 0, 0), (0, 0, 0))])


def test_a_wrench_on_the_root_moves_nothing(a_case: Case) -> None:
    wrench = Wrench(a_case.mechanism.root_frame, (1, 2, 3), (4, 5, 6))
    for call in TAKES_WRENCHES.values():
        one, two = call(a_case.state, {a_case.mechanism.root_body: wrench}), call(a_case.state, {})
        assert np.array_equal(getattr(one, "vd", one), getattr(two, "vd", two))


@pytest.mark.parametrize("name", [*VECTOR_OUT, *MATRIX_OUT, "momentum", "kinetic_energy", "center_of_mass"])
def test_states_older_than_an_edit_are_refused(a_case: Case, name: str) -> None:
    call = (VECTOR_OUT | MATRIX_OUT).get(name) or getattr(rbd, name)
    call(a_case.state)  # whatever is remembered must not answer afterwards
    a_case.mechanism.remove_subtree(a_case.mechanism.bodies[-1])
    with pytest.raises(StaleStateError):
        call(a_case.state)
    call(MechanismState(a_case.mechanism))


def test_results_older_than_an_edit_are_refused(a_case: Case) -> None:
    result = rbd.dynamics(rbd.DynamicsResult(a_case.mechanism), a_case.state)
    body = a_case.mechanism.bodies[1]
    a_case.mechanism.remove_subtree(a_case.mechanism.bodies[-1])
    with pytest.raises(StaleStateError):
        result.acceleration(body)
    with pytest.raises(StaleStateError):
        rbd.dynamics(result, MechanismState(a_case.mechanism))


def test_bodies_of_centre_of_mass_and_subtree_mass_are_checked(a_case: Case) -> None:
    stranger = case("chain", seed=1).mechanism.bodies[-1]
    for call in (
        lambda: rbd.center_of_mass(a_case.state, [stranger]),
        lambda: rbd.subtree_mass(a_case.mechanism, stranger),
        lambda: rbd.articulated_inertia(a_case.state, stranger),
    ):
        with pytest.raises((UnknownNameError, rbd.errors.TopologyError)):
            call()
    with pytest.raises(ArgumentError, match="bodies"):
        rbd.center_of_mass(a_case.state, a_case.mechanism.bodies[-1])


@pytest.mark.parametrize("make", [MechanismState, rbd.DynamicsResult, rbd.Dynamics])
def test_constructors_require_a_mechanism(make: Callable[[object], object]) -> None:
    for bad in ("arm.urdf", None, MechanismState(rbd.robots.double_pendulum())):
        with pytest.raises(ArgumentError, match="Mechanism"):
            make(bad)


@pytest.mark.parametrize(
    "call",
    [
        rbd.mass_matrix,
        rbd.dynamics_bias,
        rbd.coriolis_matrix,
        rbd.inverse_mass_matrix,
        rbd.gravity_torques,
        rbd.passive_torques,
        rbd.kinetic_energy,
        lambda mechanism: rbd.inverse_dynamics(mechanism, [0.0, 0.0]),
        lambda mechanism: rbd.forward_dynamics(mechanism, [0.0, 0.0]),
        lambda mechanism: rbd.dynamics(rbd.DynamicsResult(mechanism), mechanism),
    ],
)
def test_a_mechanism_in_place_of_a_state_is_refused(call: Callable) -> None:
    with pytest.raises(ArgumentError, match="state must be a MechanismState, not a Mechanism"):
        call(rbd.robots.double_pendulum())
