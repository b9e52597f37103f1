"""Functions of JAX: values, derivatives both ways, batches, compiled by JAX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbd
from rbd import MechanismState
from rbd.bridges import jax_dynamics, jax_function
from rbd.compiled import RecordedFunction
from rbd.errors import ArgumentError, ShapeError
from rbd.program.lazy_program import LazyProgram
from rbd.program.outline import Outline
from rbd.program.program import Program
from rbd.testing import random_floating_tree

jax = pytest.importorskip("jax", reason="the extra `jax` is not installed")


@pytest.fixture(autouse=True)
def doubles() -> Any:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def made() -> MechanismState:
    rng = np.random.default_rng(1)
    state = MechanismState(random_floating_tree([rbd.Universal((1, 0, 0), (0, 1, 0)), rbd.Revolute((0, 0, 1))], rng))
    state.randomize(rng)
    return state


def test_derivatives_are_recorded_when_the_function_is_differentiated(monkeypatch: pytest.MonkeyPatch) -> None:
    state, recorded = made(), list[str]()
    plain = RecordedFunction.derivative

    def derivative(self: RecordedFunction, of: str, wrt: str, **options: Any) -> RecordedFunction:
        recorded.append(wrt)
        return plain(self, of, wrt, **options)

    monkeypatch.setattr(RecordedFunction, "derivative", derivative)
    function = jax_function(rbd.record(rbd.kinetic_energy, state.mechanism))
    q, v = np.array(state.q), np.array(state.v)
    assert abs(function(q, v) - rbd.kinetic_energy(state)) < 1e-12
    assert recorded == []
    momenta = jax.grad(function, argnums=1)
    np.testing.assert_allclose(momenta(q, v), rbd.mass_matrix(state) @ v, rtol=0, atol=1e-12)
    momenta(q, v)
    assert recorded == ["q", "v"]


def test_a_program_from_the_disk_cache_is_not_recorded() -> None:
    def record() -> Program:
        raise AssertionError("recorded")

    program = rbd.record(rbd.kinetic_energy, made().mechanism).program
    assert callable(jax_function(RecordedFunction(LazyProgram(Outline.of(program), record))))


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
def test_dynamics(name: Any) -> None:
    state = made()
    last = np.linspace(-1.0, 1.0, state.mechanism.nv)
    function = jax_dynamics(rbd.compile(state.mechanism), name)
    q, v = np.array(state.q), np.array(state.v)
    np.testing.assert_allclose(function(q, v, last), getattr(rbd, name)(state, last), rtol=0, atol=1e-10)
    expected = getattr(rbd, f"{name}_derivatives")(state, last, space="coordinates")
    for way in (jax.jacfwd, jax.jacrev):
        found = way(function, argnums=(0, 1, 2))(q, v, last)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-10 * np.abs(b).max())


def test_batches_under_jit() -> None:
    state = made()
    function = jax_dynamics(rbd.compile(state.mechanism))
    q, v = np.array([state.q] * 4), np.random.default_rng(2).standard_normal((4, state.mechanism.nv))
    tau = np.ones(state.mechanism.nv)

    def effort(one_q: Any, one_v: Any) -> Any:
        return (function(one_q, one_v, tau) ** 2).sum()

    slopes = jax.jit(jax.vmap(jax.grad(effort, argnums=1)))(q, v)
    for k in range(4):
        state.set_velocity(v[k])
        vd = rbd.forward_dynamics(state, tau)
        np.testing.assert_allclose(slopes[k], 2 * vd @ rbd.forward_dynamics_derivatives(state, tau)[1], rtol=1e-9)


def test_recorded_functions_and_scalars() -> None:
    mechanism = rbd.robots.double_pendulum()
    energy = jax_function(rbd.record(rbd.gravitational_potential_energy, mechanism))
    q = np.array([0.3, 0.4])
    slope = jax.grad(energy)(q, np.zeros(2))
    np.testing.assert_allclose(slope, rbd.gravity_torques(MechanismState(mechanism, q)), rtol=0, atol=1e-12)


def test_what_is_refused() -> None:
    mechanism = rbd.robots.double_pendulum()
    two = rbd.record(lambda s: {"a": rbd.kinetic_energy(s), "b": rbd.mass_matrix(s)}, mechanism)
    with pytest.raises(ArgumentError, match="a, b"):
        jax_function(two)
    with pytest.raises(ArgumentError, match="mass_matrix"):
        jax_dynamics(rbd.compile(mechanism), "mass_matrix")  # type: ignore[arg-type]  # the error
    function = jax_dynamics(rbd.compile(mechanism))
    zero = np.zeros(2)
    with pytest.raises(ShapeError, match="q has shape"):
        function(np.zeros(3), zero, zero)
    with pytest.raises(ShapeError, match="vmap"):
        jax.jit(function)(np.zeros((5, 2)), zero, zero)
    with pytest.raises(ArgumentError, match="q, v, tau"):
        function(zero, zero)
    with pytest.raises(ArgumentError, match="once"):
        jax.hessian(lambda q: function(q, zero, zero).sum())(zero)


def test_second_derivatives_are_those_of_a_wrapped_derivative() -> None:
    mechanism = rbd.robots.double_pendulum()
    energy = rbd.record(rbd.gravitational_potential_energy, mechanism)
    q, still = np.array([0.3, 0.4]), np.zeros(2)
    found = jax.jacrev(jax_function(energy.derivative("result", "q")))(q, still)
    expected = rbd.bias_derivatives(MechanismState(mechanism, q))[0]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
