"""Compliant contact: the formulas, the wrenches they make, and `dynamics` with them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd.algorithms.soft_contact import contact_energy, contact_forces_kernel, reset_contacts_kernel
from rbd.contact import HalfSpace
from rbd.errors import ArgumentError, FrameMismatchError, NotFiniteError, ShapeError, SingularError
from rbd.mechanism import NormalModel

numbers = st.floats(-1.0, 1.0)


@given(st.floats(-0.1, 0.1), st.floats(-10, 10), st.sampled_from([1.0, 1.5, 2.2]))
def test_normal_forces_are_positive_and_only_in_contact(z: float, rate: float, n: float) -> None:
    force = float(rbd.HuntCrossley(1e4, 2e3, n).force(z, rate))
    assert force >= 0
    if z <= 0:
        assert force == 0
    else:
        assert force == pytest.approx(max(1e4 * z**n + 2e3 * z**n * rate, 0), abs=1e-12)


@given(st.floats(1e-6, 0.1), st.sampled_from([1.0, 1.5, 2.2]))
def test_energy_is_the_work_of_the_spring(z: float, n: float) -> None:
    model = rbd.HuntCrossley(1e4, 0.0, n)
    step = 1e-4 * z
    slope = (float(model.energy(z + step)) - float(model.energy(z - step))) / (2 * step)
    assert slope == pytest.approx(float(model.force(z, 0.0)), rel=1e-6)
    assert model.energy(-z) == 0


def test_hertz() -> None:
    model = rbd.HuntCrossley.hertz(50e3, 0.2)
    assert (model.stiffness, model.damping, model.exponent) == (50e3, 15e3, 1.5)
    assert model == rbd.HuntCrossley()


@given(*[st.tuples(numbers, numbers, numbers)] * 2, st.floats(0, 100))
def test_friction_stays_in_its_cone_and_sticks_inside(x: tuple[float, ...], v: tuple[float, ...], push: float) -> None:
    world = rbd.Frame("world")
    model = rbd.ViscoelasticCoulomb(0.7, 100.0, 10.0)
    displacement, velocity = rbd.FreeVector(world, x), rbd.FreeVector(world, v)
    force = model.force(displacement, velocity, push)
    wanted = -100.0 * displacement.xyz - 10.0 * velocity.xyz
    assert float(force.norm()) <= 0.7 * push * (1 + 1e-12)
    rate = model.rate(displacement, force)
    if np.linalg.norm(wanted) <= 0.7 * push:
        assert force.xyz.tolist() == wanted.tolist()
        assert np.allclose(rate.xyz, velocity.xyz, atol=1e-13)
    else:
        assert float(force.norm()) == pytest.approx(0.7 * push)
    if push == 0:
        assert np.allclose(rate.xyz, -10.0 * displacement.xyz, atol=1e-12)


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: rbd.HuntCrossley(stiffness=0.0), "stiffness"),
        (lambda: rbd.HuntCrossley(damping=-1.0), "damping"),
        (lambda: rbd.HuntCrossley(exponent=0.5), "exponent"),
        (lambda: rbd.HuntCrossley(stiffness=math.nan), "stiffness"),
        (lambda: rbd.ViscoelasticCoulomb(-0.1, 1.0, 1.0), "coefficient"),
        (lambda: rbd.ViscoelasticCoulomb(0.1, 1.0, 0.0), "damping"),
        (lambda: rbd.SoftContact("rubber"), "normal"),
        (lambda: rbd.SoftContact(friction="rubber"), "friction"),
    ],
)
def test_illegal_models_are_refused(make: object, argument: str) -> None:
    assert callable(make)
    with pytest.raises(ArgumentError) as caught:
        make()
    assert caught.value.argument == argument


def half_space(normal: tuple[float, float, float] = (0, 0, 1)) -> HalfSpace:
    frame = rbd.Frame("world")
    return HalfSpace(rbd.Point(frame, (0.1, 0.2, 0.3)), rbd.FreeVector(frame, normal))


@given(st.tuples(numbers, numbers, numbers), st.tuples(numbers, numbers, st.floats(0.1, 1)))
def test_the_gradient_of_the_separation_is_the_normal(p: tuple[float, ...], n: tuple[float, float, float]) -> None:
    solid = half_space(n)
    here = float(solid.separation(rbd.Point(solid.frame, p)))
    for k in range(3):
        there = rbd.Point(solid.frame, np.array(p) + 0.5 * np.eye(3)[k])
        assert float(solid.separation(there)) - here == pytest.approx(0.5 * solid.normal.xyz[k], abs=1e-12)


def test_separation_from_half_spaces() -> None:
    solid = half_space((0, 0, 5))
    assert solid.contains(rbd.Point(solid.frame, (7, 8, 0.3)))
    assert solid.contains(rbd.Point(solid.frame, (7, 8, -1)))
    assert not solid.contains(rbd.Point(solid.frame, (7, 8, 0.31)))


def test_half_spaces_check_frames() -> None:
    solid, other = half_space(), rbd.Frame("world")
    with pytest.raises(FrameMismatchError):
        HalfSpace(rbd.Point(other, (0, 0, 0)), solid.normal)
    with pytest.raises(FrameMismatchError):
        solid.separation(rbd.Point(other, (0, 0, 0)))
    with pytest.raises(SingularError):
        half_space((0, 0, 0))
    tf = rbd.Transform(solid.frame, other, rotation=[[0, 0, 1], [1, 0, 0], [0, 1, 0]], translation=(1, 2, 3))
    point = rbd.Point(solid.frame, (0.3, -0.4, 0.5))
    moved = solid.transformed(tf)
    assert moved.separation(tf @ point) == pytest.approx(solid.separation(point))
    assert moved.transformed(tf.inverse()).isclose(solid)


def walker(seed: int = 0) -> rbd.MechanismState:
    """Return a free body carrying another on a hinge, three contact points each, between floor and wall."""
    rng = np.random.default_rng(seed)
    mechanism = rbd.Mechanism()
    model = rbd.SoftContact(rbd.HuntCrossley(1e3, 100.0), rbd.ViscoelasticCoulomb(0.6, 300.0, 20.0))
    bodies: list[rbd.RigidBody] = []
    for name in ("trunk", "leg"):
        moment = np.diag([0.3, 0.2, 0.4])
        bodies.append(rbd.RigidBody(name, rbd.SpatialInertia(rbd.Frame(name), mass=2.0, moment_about_com=moment)))
    mechanism.attach("world", bodies[0], rbd.Joint("free", rbd.QuaternionFloating()))
    mechanism.attach(bodies[0], bodies[1], rbd.Joint("hip", rbd.Revolute((0, 1, 0))))
    for body in bodies:
        for _ in range(3):
            body.add_contact_point(rbd.Point(body.default_frame, rng.uniform(-0.5, 0.5, 3)), model)
    root = mechanism.root_frame
    for normal in ((0, 0, 1), (-1, 0.2, 0)):
        mechanism.add_half_space(HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, normal)))
    state = rbd.MechanismState(mechanism)
    state.randomize(rng)
    state.set_configuration(mechanism.joint("free"), np.concatenate((state.q[:4], rng.uniform(-0.1, 0.1, 3))))
    return state


@pytest.mark.parametrize("seed", range(5))
def test_the_momentum_changes_by_the_wrenches_of_contact(seed: int) -> None:
    """d(momentum)/dt = weight + contact wrenches: signs, points and frames at once."""
    state = walker(seed)
    s = 0.01 * np.random.default_rng(seed).standard_normal(36)
    result = rbd.dynamics(rbd.DynamicsResult(state.mechanism), state, contact_states=s)
    root = state.mechanism.root_frame
    contact = sum((result.contact_wrench(body) for body in state.mechanism.bodies[1:]), rbd.Wrench.zero(root))
    weight = rbd.Wrench.of_force(rbd.center_of_mass(state), rbd.FreeVector(root, (0, 0, -9.81 * 4.0)))
    rate = rbd.momentum_matrix(state) @ result.vd
    change = rate.vector + rbd.momentum_rate_bias(state).vector
    assert np.allclose(change, contact.vector + weight.vector, atol=1e-9)
    assert np.linalg.norm(contact.vector) > 1


@pytest.mark.parametrize("seed", range(3))
def test_dynamics_with_contact_is_dynamics_under_those_wrenches(seed: int) -> None:
    state = walker(seed)
    result = rbd.dynamics(rbd.DynamicsResult(state.mechanism), state, [0.1] * 7)
    for _ in range(12):  # however often: no shortcut may forget the contacts
        again = rbd.dynamics(result, state, [0.1] * 7)
    wrenches = {body: again.contact_wrench(body) for body in state.mechanism.bodies[1:]}
    expected = rbd.forward_dynamics(state, [0.1] * 7, wrenches)
    assert np.allclose(again.vd, expected, atol=1e-9)
    assert not np.allclose(again.vd, rbd.forward_dynamics(state, [0.1] * 7))
    assert again.sd.shape == (36,)
    assert again.contact_wrench(state.mechanism.root_body).vector.tolist() == [0] * 6


def test_forces_of_points_without_contact_are_zero() -> None:
    state = walker()
    state.set_configuration(state.mechanism.joint("free"), np.concatenate((state.q[:4], (-10, 0, 10))))
    s = tuple(np.linspace(-1, 1, 36))
    contact = contact_forces_kernel(state, s)
    assert all(not wrench.vector.any() for wrench in contact.wrenches if wrench is not None)
    assert np.allclose(contact.sd, -15.0 * np.array(s))
    assert reset_contacts_kernel(state, s) == (0.0,) * 36
    assert contact_energy(state, (0,) * 36) == 0
    stored = sum(
        pair.point.model.friction.stiffness * np.square(s[pair.s_slice]).sum() / 2
        for pair in state.layout.contact_pairs
    )
    assert contact_energy(state, s) == pytest.approx(stored, rel=1e-12)


def test_contact_is_recorded_and_differentiated_across_lift_off() -> None:
    """At the surface itself the derivative is finite, whatever the exponent."""
    state = walker()
    live = contact_forces_kernel(state, (0.01,) * 36)
    scalar = contact_forces_kernel(state.with_scalars(), (0.01,) * 36)
    assert np.allclose(live.sd, scalar.sd, atol=1e-12)
    for a, b in zip(live.wrenches[1:], scalar.wrenches[1:], strict=True):
        assert a is not None
        assert b is not None
        assert a.isclose(b, atol=1e-9)
    model = rbd.HuntCrossley()
    assert complex(model.force(0.0 + 1e-30j, 0.0)) == 0  # type: ignore[arg-type]  # complex numbers are scalars
    deeper = complex(model.force(0.01 + 1e-30j, 0.0)).imag / 1e-30  # type: ignore[arg-type]  # a complex step
    assert deeper == pytest.approx(50e3 * 1.5 * 0.01**0.5)


def test_exact_numbers_stay_exact() -> None:
    model = rbd.HuntCrossley(stiffness=Fraction(100), damping=Fraction(10), exponent=1)
    assert model.force(Fraction(1, 3), Fraction(1, 7)) == Fraction(100, 3) + Fraction(10, 21)


def test_a_user_defined_model() -> None:
    class Penalty(NormalModel):
        def force(self, penetration: rbd.scalars.Scalar, rate: rbd.scalars.Scalar) -> rbd.scalars.Scalar:
            return rbd.scalars.maximum(penetration, 0) * 42.0

        def energy(self, penetration: rbd.scalars.Scalar) -> rbd.scalars.Scalar:
            depth = rbd.scalars.maximum(penetration, 0)
            return depth * depth * 21.0

    mechanism = rbd.Mechanism(gravity=(0, 0, 0))
    body = rbd.RigidBody("ball", rbd.SpatialInertia(rbd.Frame("ball"), mass=1.0, moment_about_com=np.eye(3)))
    mechanism.attach("world", body, rbd.Joint("height", rbd.Prismatic((0, 0, 1))))
    body.add_contact_point(rbd.Point(body.default_frame, (0, 0, 0)), rbd.SoftContact(Penalty()))
    root = mechanism.root_frame
    mechanism.add_half_space(HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    result = rbd.dynamics(rbd.DynamicsResult(mechanism), rbd.MechanismState(mechanism, [-0.5]))
    assert result.vd.tolist() == [21.0]
    assert result.contact_wrench(body).linear.tolist() == [0, 0, 21.0]


def test_contact_states_without_contacts_are_refused() -> None:
    state = rbd.MechanismState(rbd.robots.double_pendulum())
    with pytest.raises(ShapeError, match="contact_states"):
        rbd.dynamics(rbd.DynamicsResult(state.mechanism), state, contact_states=[0.0])


def test_contact_states_of_the_wrong_length_are_refused() -> None:
    state = walker()
    result = rbd.DynamicsResult(state.mechanism)
    with pytest.raises(ShapeError, match="contact_states"):
        rbd.dynamics(result, state, contact_states=[0.0])
    with pytest.raises(NotFiniteError, match="contact_states"):
        rbd.dynamics(result, state, contact_states=[math.nan] * 36)
