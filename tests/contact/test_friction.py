"""Accelerations with friction: sticking, sliding, rolling, other solvers, errors."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.contact import Capsule, CollisionModel, HalfSpace, Sphere, impact, solve_contact
from rbd.errors import ArgumentError, SolverError, TopologyError

MU, MASS, G = 0.4, 2.0, 9.81
Made = tuple[rbd.MechanismState, CollisionModel]


def puck(v: list[float], *, swapped: bool = False) -> Made:
    """A ball without spin on a plane: it moves along x, y and z."""
    mechanism = rbd.Mechanism()
    parent = mechanism.root_body
    for k, name in enumerate("xyz"):
        inertia = rbd.SpatialInertia(rbd.Frame(name), mass=MASS, moment_about_com=np.eye(3)) if k == 2 else None
        body = rbd.RigidBody(name, inertia)
        mechanism.attach(parent, body, rbd.Joint(name, rbd.Prismatic(np.eye(3)[k])))
        parent = body
    return rbd.MechanismState(mechanism, [0.0, 0.0, 0.1], v), floored(mechanism, parent, swapped=swapped)


def floored(mechanism: rbd.Mechanism, body: rbd.RigidBody, *, swapped: bool = False) -> CollisionModel:
    """Put a ball of 10 cm on a body above a floor."""
    model, root = CollisionModel(mechanism), mechanism.root_frame
    floor = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    ball = model.add(body, Sphere(body.default_frame, 0.1))
    model.add_pair(*((floor, ball) if swapped else (ball, floor)))
    return model


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("angle", [0.0, 0.7, 2.1, -1.9])
def test_puck_sticks_up_to_the_friction_limit(angle: float, swapped: bool) -> None:
    state, model = puck([0, 0, 0], swapped=swapped)
    way = np.array([np.cos(angle), np.sin(angle), 0])
    for pull in (0.5, 0.99, 1.5, 4.0):
        force = pull * MU * MASS * G
        found = solve_contact(state, model, force * way, friction=MU)
        np.testing.assert_allclose(found.vd, max(0.0, force / MASS - MU * G) * way, rtol=0, atol=1e-9)
        assert found.multipliers[0] == pytest.approx(MASS * G, abs=1e-8)
        assert found.kkt_residual < 1e-7
        held = np.array([*(found.vd[:2] * MASS - force * way[:2]), MASS * G])
        np.testing.assert_allclose(found.contact_torques, held, rtol=0, atol=1e-7)


@pytest.mark.parametrize("swapped", [False, True])
def test_friction_on_a_sliding_puck_is_opposite_to_its_velocity(swapped: bool) -> None:
    state, model = puck([0.3, -0.4, 0.0], swapped=swapped)
    pull = np.array([1.0, 2.0, -3.0])
    found = solve_contact(state, model, pull, friction=MU)
    weight = MASS * G + 3.0
    wanted = np.array([1.0, 2.0, 0.0]) / MASS - MU * weight / MASS * np.array([0.6, -0.8, 0])
    np.testing.assert_allclose(found.vd, wanted, rtol=0, atol=1e-9)
    assert found.energy_change == pytest.approx(-MU * weight * 0.5, abs=1e-8)


def test_no_friction_on_separating_pairs() -> None:
    state, model = puck([0.5, 0.0, 0.0])
    found = solve_contact(state, model, [1.0, 0.0, 2 * MASS * G], friction=MU)
    np.testing.assert_allclose(found.vd, [0.5, 0, G], rtol=0, atol=1e-12)
    assert not found.multipliers.any()
    assert not found.active.any()


@pytest.mark.parametrize("pull", [1.0, -3.0])
def test_wheel_rolls_up_to_the_friction_limit(pull: float) -> None:
    mechanism = rbd.Mechanism()
    parent, radius = mechanism.root_body, 0.1
    for name, kind in (
        ("x", rbd.Prismatic([1, 0, 0])),
        ("z", rbd.Prismatic([0, 0, 1])),
        ("spin", rbd.Revolute([0, 1, 0])),
    ):
        inertia = rbd.SpatialInertia(rbd.Frame(name), mass=MASS, moment_about_com=np.eye(3) * 0.4 * MASS * radius**2)
        body = rbd.RigidBody(name, inertia if name == "spin" else None)
        mechanism.attach(parent, body, rbd.Joint(name, kind))
        parent = body
    model = floored(mechanism, parent)
    state = rbd.MechanismState(mechanism, [0, radius, 0], [2.0, 0, 20.0])
    rolling = solve_contact(state, model, [pull, 0.0, 0.0], friction=MU)
    assert rolling.vd[0] == pytest.approx(radius * rolling.vd[2], abs=1e-9)
    assert rolling.vd[0] == pytest.approx(pull / (1.4 * MASS), abs=1e-9)
    assert rolling.energy_change == pytest.approx(0, abs=1e-9)  # nothing slides
    spinning = solve_contact(state, model, [0.0, 0.0, 10.0], friction=MU)
    assert spinning.vd[0] == pytest.approx(MU * G, abs=1e-8)
    assert spinning.vd[1] == pytest.approx(0, abs=1e-8)


def _pressing_hand(seed: int) -> tuple[rbd.MechanismState, CollisionModel, np.ndarray]:
    mechanism, model = rbd.robots.hand()
    rng = np.random.default_rng(seed)
    q = rng.uniform(-0.2, 0.2, 13)
    q[[2, 3, 5, 6, 8, 9]] -= 1.2
    return rbd.MechanismState(mechanism, q, 0.1 * rng.normal(size=13)), model, rng.normal(size=13) - 3


@pytest.mark.parametrize("friction", [None, 0.0, 0.3, 1.0])
@pytest.mark.parametrize("bias", ["exact", "tutorial"])
@pytest.mark.parametrize("seed", range(3))
def test_daqp_finds_the_same_accelerations(seed: int, bias: str, friction: float | None) -> None:
    pytest.importorskip("daqp")
    state, model, torques = _pressing_hand(seed)
    if friction == 1.0:
        state.set_velocity(np.zeros(13))  # what slides would jam
    options = {"bias": bias, "friction": friction, "threshold": 0.2}
    mine, theirs = (solve_contact(state, model, torques, **options, solver=s) for s in ("rbd", "daqp"))
    scale = np.abs(mine.vd).max()
    np.testing.assert_allclose(theirs.vd, mine.vd, rtol=0, atol=1e-9 * scale)
    np.testing.assert_allclose(theirs.multipliers, mine.multipliers, rtol=0, atol=1e-7 * max(1, mine.multipliers.max()))
    assert mine.multipliers.max() > 0


@pytest.mark.parametrize("seed", range(4))
def test_accelerations_of_the_hand_obey_coulombs_law(seed: int) -> None:
    """Torques are balanced, bounds hold, friction stays in the cone."""
    state, model, torques = _pressing_hand(seed)
    found = solve_contact(state, model, torques, friction=MU, threshold=0.2)
    balance = rbd.mass_matrix(state) @ found.vd + rbd.dynamics_bias(state) - torques - found.contact_torques
    assert np.abs(balance).max() < 1e-9
    rows = model.jacobian(state)
    reach = np.array([d.value for d in model.distances(state)], dtype=float) + model.bias(state) + rows @ found.vd
    touching = found.multipliers > 1e-9
    assert touching.any()
    assert reach.min() > -1e-5
    np.testing.assert_allclose(reach[touching], 0, rtol=0, atol=1e-5)
    assert found.kkt_residual < 1e-5


def test_error_if_sliding_bodies_jam() -> None:
    """Three fingers that slide on the palm with a coefficient of one: forces would have to grow without bounds."""
    mechanism, model = rbd.robots.hand()
    q = np.zeros(13)
    q[[2, 3, 5, 6, 8, 9]] = -1.2
    state = rbd.MechanismState(mechanism, q, np.linspace(-0.1, 0.1, 13))
    pressing = np.full(13, -2.0)
    assert solve_contact(state, model, pressing, friction=0.3, threshold=0.05).kkt_residual < 1e-9
    with pytest.raises(SolverError, match=r"no accelerations obey Coulomb.*jam.*contact_step") as caught:
        solve_contact(state, model, pressing, friction=1.0, threshold=0.05)
    assert caught.value.status == "friction"
    state.set_velocity(np.zeros(13))
    assert solve_contact(state, model, pressing, friction=1.0, threshold=0.05).kkt_residual < 1e-9


def test_friction_zero_equals_no_friction() -> None:
    state, model, torques = _pressing_hand(1)
    smooth, none = (solve_contact(state, model, torques, friction=mu, threshold=0.2) for mu in (0.0, None))
    np.testing.assert_allclose(smooth.vd, none.vd, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(none.contact_torques, model.jacobian(state).T @ none.multipliers, rtol=0, atol=1e-10)


def test_friction_on_scalar_states() -> None:
    state, model = puck([0.3, -0.4, 0.0])
    live = solve_contact(state, model, [1.0, 0, 0], friction=MU)
    scalar = solve_contact(state.with_scalars(), model, [1.0, 0, 0], friction=MU)
    np.testing.assert_allclose(live.vd, np.array(scalar.vd, dtype=float), rtol=0, atol=1e-12)


def test_one_recorded_function_for_all_thresholds_and_coefficients() -> None:
    state, model = puck([0.3, 0, 0])
    for k in range(3):
        solve_contact(state, model, np.zeros(3), friction=0.1 * k, threshold=0.01 * k)
    assert len(model.functions) == 1


def test_one_recorded_function_for_all_restitutions_and_active_pairs() -> None:
    state, model, _ = _pressing_hand(2)
    for restitution, active in ((0.0, [0, 2]), (0.5, [0]), (1.0, range(4))):
        hit = impact(state, model, law="unilateral", restitution=restitution, active=active)
        scalar = impact(state.with_scalars(), model, law="unilateral", restitution=restitution, active=active)
        np.testing.assert_allclose(np.array(scalar.v, dtype=float), hit.v, rtol=0, atol=1e-12)
    assert len(model.functions) == 1


@pytest.mark.parametrize("law", ["inelastic", "euclidean", "unilateral"])
def test_active_pairs_and_residual_of_impacts(law: str) -> None:
    state, model, _ = _pressing_hand(2)
    hit = impact(state, model, law=law, active=[0, 2])
    assert hit.kkt_residual < 1e-10
    assert not hit.active[[1, 3]].any()
    if law != "unilateral":
        assert hit.active[[0, 2]].all()


def test_errors_name_the_argument() -> None:
    state, model = puck([0, 0, 0])
    zero = np.zeros(3)
    for name, value in (("friction", -0.1), ("friction", float("nan")), ("threshold", float("nan"))):
        with pytest.raises(ArgumentError, match=f"{name} is"):
            solve_contact(state, model, zero, **{name: value})
    with pytest.raises(ArgumentError, match="no solver is called 'quadprog'; there are rbd, daqp"):
        solve_contact(state, model, zero, solver="quadprog")
    with pytest.raises(ArgumentError, match="live state"):
        solve_contact(state.with_scalars(), model, zero, solver="daqp")


def test_mechanisms_with_loops_raise() -> None:
    mechanism = rbd.robots.four_bar()
    model = CollisionModel(mechanism)
    bodies = mechanism.bodies[1], mechanism.bodies[-1]
    model.add_pair(*(model.add(body, Capsule(body.default_frame, 0.1, 0.01)) for body in bodies))
    state = rbd.MechanismState(mechanism)
    with pytest.raises(TopologyError, match="solve_contact works on trees"):
        solve_contact(state, model, np.zeros(mechanism.nv))
    with pytest.raises(TopologyError, match="impact works on trees"):
        impact(state, model)
    with pytest.raises(TopologyError, match="contact_step works on trees"):
        rbd.contact.contact_step(state, model, np.zeros(mechanism.nv), 1e-3)
    with pytest.raises(TopologyError, match="ContactSimulator works on trees"):
        rbd.contact.ContactSimulator(mechanism, model, None, 1e-3).run(state, 0.1)
