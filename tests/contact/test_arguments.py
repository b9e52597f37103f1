"""Errors of wrong arguments: they name the argument, the value and what is allowed; nothing is changed.

Every argument is tried with every wrong kind in `tests/arguments`; here is what the errors say.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import pytest
import sympy

import rbd
from rbd.errors import ArgumentError, FrameMismatchError, NotFiniteError, RbdError, ScalarError, ShapeError

contact: Any = rbd.contact  # type checkers are to say nothing: calls are wrong on purpose
Capsule, CollisionModel, ContactSimulator = contact.Capsule, contact.CollisionModel, contact.ContactSimulator
contact_step, solve_contact, impact, solve_qp = (
    contact.contact_step,
    contact.solve_contact,
    contact.impact,
    contact.solve_qp,
)
NAN = float("nan")
ROBOT: tuple[rbd.Mechanism, Any] = rbd.robots.hand()
HAND, MODEL = ROBOT
ZERO = np.zeros(13)
STEPS: dict[str, Callable[..., object]] = {
    "contact_step": contact_step,
    "contact_step_derivatives": contact.contact_step_derivatives,
}
Call = Callable[[rbd.MechanismState], object]


def _simulator(control: Any = None, **settings: Any) -> Any:
    return ContactSimulator(HAND, MODEL, control, **{"dt": 1e-3} | settings)


def _elsewhere() -> rbd.MechanismState:
    return rbd.MechanismState(rbd.robots.double_pendulum())


NUMBERS: list[tuple[Call, str, str]] = [
    (lambda s: Capsule(rbd.Frame("f"), "long", 0.1), "length", "length is 'long' of type str, must be a number"),
    (lambda s: Capsule(rbd.Frame("f"), True, 0.1), "length", "length is True of type bool, must be a number"),
    (lambda s: contact.Sphere(rbd.Frame("f"), 1j), "radius", "radius is 1j of type complex, must be a number"),
    (lambda s: MODEL.near(s, None), "margin", "margin is None, must be a number"),
    (lambda s: contact_step(s, MODEL, ZERO, 10**5000), "dt", "dt is inf, must be a finite number above 0"),
    (lambda s: contact_step(s, MODEL, ZERO, -(10**400)), "dt", "dt is -inf, must be a finite number above 0"),
    (lambda s: contact_step(s, MODEL, ZERO, np.ones(1)), "dt", "dt is an ndarray, must be a finite number above 0"),
    (lambda s: contact_step(s, MODEL, ZERO, 1e-3, margin=NAN), "margin", "margin is nan, must be a finite number of 0"),
    (lambda s: contact_step(s, MODEL, ZERO, 1e-3, friction={}), "friction", "friction is a dict, must be a finite"),
    (
        lambda s: contact_step(s, MODEL, ZERO, 1e-3, friction=1e300),
        "friction",
        r"friction is 1e\+300, allowed is 0 to 100",
    ),
    (
        lambda s: solve_contact(s, MODEL, ZERO, threshold=np.inf),
        "threshold",
        "threshold is inf, must be a finite",
    ),
    (
        lambda s: solve_contact(s, MODEL, ZERO, friction=[0.5]),
        "friction",
        "friction is a list, must be a finite",
    ),
    (
        lambda s: impact(s, MODEL, restitution="x"),
        "restitution",
        "restitution is 'x' of type str, must be a number",
    ),
    (lambda s: _simulator(dt=None), "dt", "dt is None, must be a finite number above 0"),
    (lambda s: _simulator(threshold=-1), "threshold", "threshold is -1, must be a finite number of 0 or more"),
    (lambda s: _simulator().run(s, "1"), "final_time", "final_time is '1' of type str, must be a finite number of 0"),
    (
        lambda s: _simulator().run(s, 1e300),
        "final_time",
        "final_time makes 1e\\+303 steps of 0.001 s in 1e\\+300 s, needs at most 1e\\+10 steps",
    ),
]

KINDS: list[tuple[Call, str, str]] = [
    (
        lambda s: contact_step(s, HAND, ZERO, 1e-3),
        "model",
        "contact_step: model must be a CollisionModel, not a Mech",
    ),
    (lambda s: solve_contact(s, None, ZERO), "model", "solve_contact: model must be a CollisionModel, not None"),
    (lambda s: impact(s, "hand"), "model", "impact: model must be a CollisionModel, not 'hand' of type str"),
    (lambda s: impact(HAND, MODEL), "state", "state must be a MechanismState, not a Mechanism"),
    (lambda s: impact(_elsewhere(), MODEL), "state", "another mechanism than the collision model"),
    (lambda s: impact(s, MODEL, law=None), "law", "there are inelastic, euclidean, unilateral"),
    (
        lambda s: impact(s, MODEL, active=3),
        "active",
        "active must be a sequence of indices of pairs, not 3 of",
    ),
    (lambda s: impact(s, MODEL, active=[True]), "active", "active holds True of type bool, needs indices of pairs"),
    (lambda s: impact(s, MODEL, active=[2**70]), "active", "active names pair .* there are 4 pairs"),
    (lambda s: MODEL.distances(s, pairs="0"), "pairs", "pairs must be a sequence of indices of pairs, not '0'"),
    (lambda s: MODEL.distances(s, pairs=[0.5]), "pairs", "pairs holds 0.5, needs indices of pairs"),
    (lambda s: MODEL.jacobian(s, pairs=np.zeros(2)), "pairs", "pairs holds .*, needs indices of pairs"),
    (lambda s: MODEL.jacobian(s, pairs=np.zeros((2, 2), dtype=int)), "pairs", "pairs holds an ndarray"),
    (lambda s: MODEL.jacobian(s, pairs=np.array([0, 9])), "pairs", "pairs names pair 9, there are 4 pairs"),
    (lambda s: MODEL.distances(s, 4), "previous", "previous must be a sequence of distances, not 4 of type int"),
    (lambda s: MODEL.distances(s, [None] * 4), "previous", "previous holds None; pass what `distances` returned"),
    (lambda s: MODEL.body("wrist"), "shape", "shape is 'wrist' of type str, which is no shape of this model"),
    (lambda s: MODEL.add_pair(MODEL.shapes[0], [1]), "b", "b is a list, which is no shape of this model; add it first"),
    (lambda s: MODEL.add_all_pairs(neighbours=1), "neighbours", "neighbours must be True or False, not 1 of type int"),
    (
        lambda s: MODEL.recorded("rows"),
        "name",
        "no function .* is called 'rows'; there are distances, ",
    ),
    (lambda s: CollisionModel("hand"), "mechanism", "mechanism must be a Mechanism, not 'hand' of type str"),
    (
        lambda s: ContactSimulator(HAND, HAND, None, 1e-3),
        "collision_model",
        "must be a CollisionModel, not a Mechanism",
    ),
    (
        lambda s: _simulator(5),
        "control",
        "control must be None, a recorded function or a function of time and state, such as lambda t, state: torques",
    ),
    (lambda s: _simulator(law="soft"), "law", "no law is called 'soft'"),
    (lambda s: _simulator().run(s.with_scalars(), 0.1), "state", "state must be a MechanismState, not a ScalarState"),
    (lambda s: _simulator().run(s, 0.1, progress=3), "progress", "progress must be True, False or a function"),
    (lambda s: solve_qp(np.eye(1), [1], [[1]], [1], solver=3), "solver", "there are rbd, daqp"),
]


@pytest.mark.parametrize(("call", "argument", "words"), [*NUMBERS, *KINDS])
def test_errors_name_the_argument_and_allowed_values(call: Call, argument: str, words: str) -> None:
    state, count = rbd.MechanismState(HAND), len(MODEL.pairs)
    with pytest.raises(ArgumentError, match=words) as caught:
        call(state)
    assert caught.value.argument == argument
    assert pickle.loads(pickle.dumps(caught.value.message)) == str(caught.value)
    assert not state.q.any()
    assert len(MODEL.pairs) == count


ARRAYS: list[tuple[Call, type[RbdError], str]] = [
    (lambda s: contact_step(s, MODEL, [1j] * 13, 1e-3), ShapeError, "torques is complex, needs real numbers"),
    (lambda s: contact_step(s, MODEL, [True] * 13, 1e-3), ShapeError, "torques has truth values, needs numbers"),
    (lambda s: contact_step(s, MODEL, ["1"] * 13, 1e-3), ShapeError, "torques has dtype <U1, needs numbers"),
    (lambda s: contact_step(s, MODEL, [1] * 12, 1e-3), ShapeError, r"torques has shape \(12,\), needs \(13,\)"),
    (lambda s: contact_step(s, MODEL, [NAN] * 13, 1e-3), NotFiniteError, r"torques\[0\] is nan"),
    (lambda s: contact_step(s, MODEL, [10**400] * 13, 1e-3), NotFiniteError, "torques"),
    (lambda s: contact_step(s.with_scalars(), MODEL, [True] * 13, 1e-3), ShapeError, "torques"),
    (lambda s: contact_step(s, MODEL, [sympy.Symbol("x")] * 13, 1e-3), ScalarError, "torques"),
    (lambda s: solve_contact(s, MODEL, "x"), ShapeError, "torques"),
    (lambda s: _simulator(lambda t, state: "x").run(s, 0.1), ShapeError, "control"),
    (lambda s: _simulator(lambda t, state: ZERO * NAN).run(s, 0.1), NotFiniteError, r"control\[0\] is nan"),
    (lambda s: solve_qp(np.eye(2), "x", [], []), ShapeError, "linear"),
    (lambda s: solve_qp(np.eye(2), [True, True], [], []), ShapeError, "linear has truth values"),
    (lambda s: solve_qp(np.eye(2), [1, 1], "x", []), ShapeError, "rows"),
    (lambda s: solve_qp(np.eye(2), [1, 1], [[1]], []), ShapeError, r"rows has shape \(1, 1\), needs \(0, 2\)"),
    (lambda s: solve_qp(np.eye(2), [1, 1], [[1, 1]], {}), ShapeError, "bounds"),
    (lambda s: contact.Box(rbd.Frame("f"), 1.0), ShapeError, "size"),
    (lambda s: Capsule(rbd.Frame("f"), 10**400, 0.1), NotFiniteError, "length is inf"),
]


@pytest.mark.parametrize(("call", "kind", "words"), ARRAYS)
def test_errors_name_the_array(call: Call, kind: type[RbdError], words: str) -> None:
    state = rbd.MechanismState(HAND)
    with pytest.raises(kind, match=words) as caught:
        call(state)
    assert words.startswith(str(caught.value.argument))
    assert not state.q.any()


def test_previous_normals_must_be_floats_in_the_root_frame() -> None:
    state = rbd.MechanismState(HAND)
    found = MODEL.distances(state)

    def spoilt(frame: rbd.Frame[Any], number: Any) -> list[Any]:
        return [attrs.evolve(d, normal=rbd.FreeVector.trusted(frame, (number, 0.0, 1.0))) for d in found]

    for given in (state, state.with_scalars()):
        with pytest.raises(NotFiniteError, match="previous"):
            MODEL.distances(given, spoilt(HAND.root_frame, NAN))
        with pytest.raises(FrameMismatchError, match="previous"):
            MODEL.distances(given, spoilt(rbd.Frame("nowhere"), 0.0))
    for pairs in (None, range(4)):
        with pytest.raises((ScalarError, ShapeError), match="previous"):
            MODEL.distances(state, spoilt(HAND.root_frame, 1j), pairs=pairs)
    with pytest.raises(NotFiniteError, match="previous"):
        MODEL.distances(state, spoilt(HAND.root_frame, NAN), pairs=range(4))
    with pytest.raises(ArgumentError, match="pass what `distances` returned"):
        MODEL.distances(state, [attrs.evolve(d, normal=None) for d in found])


@pytest.mark.parametrize(
    ("inputs", "result", "words"),
    [
        (
            {"u": 2},
            lambda state, u: state.q * u[0],
            r"maps .*u \(2,\).* must map q \(13,\), v \(13,\), and perhaps t \(\)",
        ),
        ({"t": (1,)}, lambda state, t: state.q * t[0], r"t \(1,\)"),
        ({}, lambda state: state.q[0], "to result"),
    ],
)
def test_recorded_controls_must_map_state_and_time_to_torques(inputs: Any, result: Any, words: str) -> None:
    recorded = rbd.record(result, HAND, **inputs)
    with pytest.raises(ArgumentError, match=words) as caught:
        _simulator(recorded)
    assert caught.value.argument == "control"


def test_recorded_controls_of_other_mechanisms_raise() -> None:
    recorded = rbd.record(lambda state: state.q, rbd.robots.double_pendulum())
    with pytest.raises(ArgumentError, match=r"control maps q \(2,\), v \(2,\) to result \(2,\)"):
        _simulator(recorded)


@pytest.mark.parametrize("step", STEPS)
def test_settings_may_be_numbers_of_any_type(step: str) -> None:
    state = rbd.MechanismState(HAND)
    expected: Any = STEPS[step](state, MODEL, ZERO, 0.5, friction=1.0, margin=1.0)
    for one in (1, np.int8(1), np.float32(1), Fraction(1), np.array(1.0)):
        for torques in ([0] * 13, (0.0,) * 13, [Fraction(0)] * 13, np.zeros(13, dtype=int)):
            found: Any = STEPS[step](state, MODEL, torques, Fraction(1, 2), friction=one, margin=one)
            name = "v" if step == "contact_step" else "v_by_v"
            assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()


def test_pair_indices_may_be_integers_of_any_type() -> None:
    state = rbd.MechanismState(HAND)
    expected = MODEL.jacobian(state)[[2, 0]]
    for pairs in ([2, 0], (np.int8(2), 0), np.array([2, 0], dtype=np.uint8), iter([2, 0]), range(2, -1, -2)):
        assert (MODEL.jacobian(state, pairs=pairs) == expected).all()
    hit = impact(state, MODEL, active={2, 0})
    assert (hit.v == impact(state, MODEL, active=np.array([0, 2])).v).all()


def test_solve_qp_without_rows() -> None:
    ways: list[Any] = [[], (), np.zeros(0), np.zeros((0, 2))]
    for rows in ways:
        assert solve_qp(np.eye(2), [1.0, 2.0], rows, []).x.tolist() == [1.0, 2.0]
