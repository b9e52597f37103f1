"""The same algorithms on other numbers: complex, exact rationals, intervals, symbols, counted."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given

import rbd
from rbd import Frame, Joint, Mechanism, MechanismState, Prismatic, QuaternionFloating, RigidBody, SinCosRevolute
from rbd.errors import ScalarError, ShapeError
from rbd.scalars.counting import CountingScalar, OperationCount

from .catalog import ALGORITHMS, EVERYTHING, flat, leaves
from .helpers import JOINT_TYPES, Case, case, cases, close, examples


@pytest.mark.parametrize("name", EVERYTHING)
def test_floats_in_a_scalar_state_give_the_same_results(name: str) -> None:
    state = case("tree", seed=113, passive=True).state
    for scalars in (state.with_scalars(state.q, state.v), state.with_scalars(list(state.q), tuple(state.v))):
        close([float(x) for x in flat(EVERYTHING[name](scalars))], flat(EVERYTHING[name](state)), 1e-12, scale=1e-6)


@pytest.mark.parametrize("name", EVERYTHING)
@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_nothing_branches_on_a_value(name: str, kind: str) -> None:
    """A scalar whose truth value raises passes through everything, and computes the same."""
    state = case(kind, seed=127, passive=True).state
    count = OperationCount()
    q, v = ([CountingScalar(float(x), count) for x in vector] for vector in (state.q, state.v))
    counted = state.with_scalars(q, v)
    values = [x.value if isinstance(x, CountingScalar) else float(x) for x in flat(EVERYTHING[name](counted))]
    close(values, flat(EVERYTHING[name](state)), 1e-12, scale=1e-6)


@examples(0.3)
@given(cases(bodies=5))
def test_complex_numbers_without_imaginary_part_give_the_same(a_case: Case) -> None:
    state = a_case.state
    scalar = state.with_scalars(state.q + 0j, state.v + 0j)
    for name, algorithm in ALGORITHMS.items():
        actual = np.array(flat(algorithm(scalar)), dtype=complex)
        assert not actual.imag.any(), name
        close(actual.real, flat(algorithm(state)), 1e-12, scale=1e-6)


def test_a_live_state_refuses_other_scalars_than_floats() -> None:
    """Symbols among the parameters ask for a scalar state; complex torques too."""
    length = sympy.Symbol("l", positive=True)
    state = MechanismState(rbd.robots.double_pendulum(lengths=(length, 1)))
    for call in (rbd.mass_matrix, rbd.inverse_mass_matrix, lambda s: rbd.inverse_dynamics(s, [1.0, 0.0])):
        with pytest.raises(ScalarError) as caught:
            call(state)
        assert "with_scalars" in str(caught.value)
    assert rbd.mass_matrix(state.with_scalars([sympy.S.Zero] * 2, [sympy.S.Zero] * 2))[0, 0].has(length)
    state = MechanismState(rbd.robots.double_pendulum())
    with pytest.raises(ScalarError):
        rbd.forward_dynamics(state, [1j, 0.0])


def test_live_states_accept_exact_parameters() -> None:
    third = Fraction(1, 3)
    exact = rbd.robots.double_pendulum(lengths=(third, third), masses=(third, 2 * third), radius=third / 10)
    rounded = rbd.robots.double_pendulum(lengths=(1 / 3, 1 / 3), masses=(1 / 3, 2 / 3), radius=1 / 30)
    assert exact.mass == 1
    assert isinstance(rbd.mass(exact), Fraction)
    one, two = (MechanismState(mechanism, [0.1, 0.2], [0.3, 0.4]) for mechanism in (exact, rounded))
    close(rbd.mass_matrix(one), rbd.mass_matrix(two), 1e-14)
    close(rbd.forward_dynamics(one, [1.0, 2.0]), rbd.forward_dynamics(two, [1.0, 2.0]), 1e-12)


# --- exact numbers ------------------------------------------------------------------------------------------------


def rational_mechanism() -> Mechanism:
    """Return a floating base, a slide and a hinge, all of whose numbers are binary fractions."""
    mechanism = Mechanism(gravity=(0, 0, -10))
    body = mechanism.root_body
    for k, kind in enumerate((QuaternionFloating(), Prismatic((1, 0, 0)), SinCosRevolute((0, 0, 1)))):
        moment = [[2 + k, 0.25, 0], [0.25, 2, 0], [0, 0, 3]]
        inertia = rbd.SpatialInertia(Frame(f"f{k}"), mass=1.5 + k, com=(0.25, 0.5 * k, 0), moment_about_com=moment)
        successor, joint = RigidBody(f"b{k}", inertia), Joint(f"j{k}", kind)
        pose = rbd.Transform(joint.frame_before, body.default_frame, translation=(0.5, 0, 0.25))
        mechanism.attach(body, successor, joint, joint_pose=pose)
        body = successor
    return mechanism


RATIONAL_Q = [*(Fraction(k, 9) for k in (4, 1, 8, 0)), *(Fraction(1, k) for k in (3, 5, 7)), Fraction(2, 3)]
RATIONAL_Q += [Fraction(3, 5), Fraction(4, 5)]
RATIONAL_V = [Fraction(k, 10) for k in range(1, 9)]
EXACT = [
    "mass_matrix",
    "dynamics_bias",
    "gravity_torques",
    "coriolis_matrix",
    "momentum_matrix",
    "momentum",
    "kinetic_energy",
    "gravitational_potential_energy",
    "center_of_mass",
    "inverse_mass_matrix",
    "transform_to_root",
    "twist",
    "bias_acceleration",
    "configuration_derivative",
]


@pytest.mark.parametrize("name", EXACT)
def test_rational_coordinates_give_rational_results(name: str) -> None:
    mechanism = rational_mechanism()
    exact = MechanismState(mechanism).with_scalars(RATIONAL_Q, RATIONAL_V)
    actual = flat(ALGORITHMS[name](exact))
    assert all(isinstance(x, (Fraction, int)) for x in actual), {type(x) for x in actual}
    state = MechanismState(mechanism, [float(x) for x in RATIONAL_Q], [float(x) for x in RATIONAL_V])
    close([float(x) for x in actual], flat(ALGORITHMS[name](state)), 1e-13, scale=1)


def test_identities_are_exact_on_rationals() -> None:
    state = MechanismState(rational_mechanism()).with_scalars(RATIONAL_Q, RATIONAL_V)
    M, v = rbd.mass_matrix(state), np.array(RATIONAL_V, dtype=object)
    assert (M == M.T).all()
    assert v @ M @ v / 2 == rbd.kinetic_energy(state)
    assert (M @ rbd.inverse_mass_matrix(state) == np.eye(8, dtype=int)).all()
    A = rbd.momentum_matrix(state)
    assert tuple(leaves((A @ RATIONAL_V).components)) == tuple(leaves(rbd.momentum(state).components))
    vd = [Fraction(k, 3) for k in range(8)]
    tau = rbd.inverse_dynamics(state, vd)
    assert list(tau) == list(M @ np.array(vd, dtype=object) + rbd.dynamics_bias(state))
    assert list(rbd.forward_dynamics(state, list(tau))) == vd
    C = rbd.coriolis_matrix(state)
    assert list(C @ v) == list(rbd.dynamics_bias(state) - rbd.gravity_torques(state))


# --- intervals ------------------------------------------------------------------------------------------------------

GUARDED = [
    "mass_matrix",
    "dynamics_bias",
    "gravity_torques",
    "momentum",
    "kinetic_energy",
    "gravitational_potential_energy",
    "center_of_mass",
    "transform_to_root",
    "twist",
    "inverse_dynamics",
    "forward_dynamics",
]


@pytest.mark.parametrize("name", GUARDED)
def test_intervals_contain_the_results_of_floats(name: str) -> None:
    types = [JOINT_TYPES[k] for k in ("revolute z", "prismatic oblique", "planar", "spherical", "sin-cos", "universal")]
    rng = np.random.default_rng(131)
    state = MechanismState(rbd.testing.random_chain(types, rng))
    state.randomize(rng)
    iv = mpmath.iv
    q, v = [iv.mpf(x) for x in state.q], [iv.mpf(x) for x in state.v]
    narrow = flat(ALGORITHMS[name](state.with_scalars(q, v)))
    truth = flat(ALGORITHMS[name](state))
    for interval, x in zip(narrow, truth, strict=True):
        low, high = (float(interval.a), float(interval.b)) if hasattr(interval, "a") else (float(interval),) * 2
        margin = 1e-9 * (1 + abs(x))
        assert low - margin <= x <= high + margin
        assert high - low <= (1e-4 if name == "forward_dynamics" else 1e-9) * (1 + abs(x))


def test_an_interval_of_angles_contains_every_mass_matrix_in_it() -> None:
    mechanism = rbd.robots.double_pendulum()
    iv = mpmath.iv
    wide = MechanismState(mechanism).with_scalars([iv.mpf([0.2, 0.4]), iv.mpf([1.0, 1.1])], [iv.mpf(0), iv.mpf(0)])
    box = rbd.mass_matrix(wide)
    for q2 in np.linspace(1.0, 1.1, 11):
        M = rbd.mass_matrix(MechanismState(mechanism, [0.3, q2]))
        for i in range(2):
            for j in range(2):
                entry = box[i, j]
                low, high = (entry.a, entry.b) if hasattr(entry, "a") else (entry, entry)
                assert float(low) - 1e-12 <= M[i, j] <= float(high) + 1e-12
    assert float(box[0, 0].b) - float(box[0, 0].a) < 0.5


def test_floats_with_exact_numbers_become_exact() -> None:
    """One exact coordinate makes the state exact: floats and integers among coordinates and arguments follow."""
    mechanism = rbd.testing.random_chain([Prismatic((1, 0, 0)), SinCosRevolute((0, 0, 1))], np.random.default_rng(2))
    state = MechanismState(mechanism)
    for q, v in (
        ([Fraction(1, 3), 1, 0.0], [1, 2.0]),
        ([0.5, 1.0, 0], [Fraction(1, 3), 2]),
        ([Fraction(1, 3), 1, 0], None),
    ):
        exact = state.with_scalars(q, v)
        assert {type(x) for x in (*exact.q, *exact.v)} == {Fraction}
        for numbers in (rbd.inverse_dynamics(exact, [1, 0.5]), rbd.forward_dynamics(exact, np.ones(2))):
            assert {type(x) for x in numbers} == {Fraction}


@pytest.mark.parametrize(
    ("x", "y", "out"),
    [
        (0.6, 0.8, np.zeros((2, 2), dtype=int)),
        (0.6, 0.8, np.zeros((2, 2), dtype=np.float32)),
        (0.6 + 1e-30j, 0.8, np.zeros((2, 2))),
        (Fraction(3, 5), Fraction(4, 5), np.zeros((2, 2))),
        (0.6, 0.8, [[0.0, 0.0], [0.0, 0.0]]),
        (0.6, 0.8, np.zeros((2, 3))),
        (0.6, 0.8, np.broadcast_to(0.0, (2, 2))),
    ],
)
def test_out_of_a_scalar_state_must_hold_its_numbers(x: object, y: object, out: object) -> None:
    """Numbers would be cut to integers, imaginary parts lost."""
    mechanism = rbd.testing.random_chain([SinCosRevolute((1, 0, 0)), Prismatic((0, 1, 1))], np.random.default_rng(2))
    state, before = MechanismState(mechanism).with_scalars([x, y, 0]), np.array(out)
    with pytest.raises(ShapeError, match="out"):
        rbd.mass_matrix(state, out=out)
    assert np.array_equal(out, before)
    wide = np.zeros((2, 2), dtype=object)
    assert rbd.mass_matrix(state, out=wide) is wide
