"""Derivatives of time steps of live states: fast paths of both integrators agree with the general path."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

import rbd
from rbd import MechanismState, native
from rbd.algorithms.derivatives.step_derivatives import step_derivatives_kernel
from rbd.algorithms.derivatives.step_stages import DIFFERENTIATED_STEPS
from tests.marks import needs_builtins

from .derivatives import assert_near, assert_same, pushes, two_joints

RULE: Final = "munthe-kaas-rk4"


@needs_builtins
@pytest.mark.usefixtures("at_once")
def test_fast_paths_of_all_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    """One per rule, space and set of pushed bodies; once they are open, no line of the algorithm runs."""
    state, tau = MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0]), np.array([0.5, -0.5])
    forms: list[dict[str, Any]] = [
        {"integrator": rule, "space": space} | push
        for rule in DIFFERENTIATED_STEPS
        for space in ("tangent", "coordinates")
        for push in ({}, {"external_wrenches": pushes(state)})
    ]
    expected: list[Any] = []
    for form in forms:
        first = rbd.step_derivatives(state, tau, 0.1, **form)
        with rbd.interpreted():
            assert_near(first, rbd.step_derivatives(state, tau, 0.1, **form))
        for _ in range(3):
            assert_same(rbd.step_derivatives(state, tau, 0.1, **form), first)
        expected.append(first)
    usual = rbd.step_derivatives(state, tau, 0.1)
    assert len(state.engine.builtins) == len(forms)
    monkeypatch.setattr(MechanismState, "vector", None)
    for form, first in zip(forms, expected, strict=True):
        assert_same(rbd.step_derivatives(state, tau, 0.1, **form), first)
    assert_same(rbd.step_derivatives(state, tau, 0.1), usual)
    assert_same(usual, expected[0])


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("kind", ["spherical", "MRP floating", "planar oblique", "sin-cos oblique", "screw oblique"])
def test_joint_types(kind: str) -> None:
    state = two_joints(kind)
    tau, push = np.linspace(-1.0, 1.5, state.mechanism.nv), pushes(state)
    with rbd.interpreted():
        expected = rbd.step_derivatives(state, tau, 0.05, push, space="coordinates", integrator=RULE)
    first = rbd.step_derivatives(state, tau, 0.05, push, space="coordinates", integrator=RULE)
    assert_near(first, expected)
    for _ in range(2):
        assert_same(rbd.step_derivatives(state, tau, 0.05, push, space="coordinates", integrator=RULE), first)


def test_gains_of_loops() -> None:
    state = MechanismState(rbd.robots.four_bar(), [0.3, 0.5, -0.2], [1.0, -2.0, 0.5])  # the loop is open
    tau = np.linspace(-1.0, 1.0, 3)
    found: list[Any] = []
    for gains in (rbd.Baumgarte(), rbd.Baumgarte(0.05), None):
        with rbd.interpreted():
            expected = rbd.step_derivatives(state, tau, 0.1, stabilization=gains)
        found.append(rbd.step_derivatives(state, tau, 0.1, stabilization=gains))
        assert_near(found[-1], expected)
    assert_same(found[0], rbd.step_derivatives(state, tau, 0.1))
    assert np.abs(found[0].v_by_q - found[1].v_by_q).max() > 1e-3
    assert np.abs(found[0].v_by_q - found[2].v_by_q).max() > 1e-3


def test_programs_above_the_limit_run_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rbd.program.nodes.RECORDING_LIMIT", 5000)
    state, tau = MechanismState(rbd.robots.arm7()), np.linspace(-1.0, 1.0, 7)
    state.randomize(1)
    with pytest.warns(native.InterpretedWarning, match="Python source"):
        found = rbd.step_derivatives(state, tau, 0.01, integrator=RULE)
    with rbd.interpreted():
        assert_same(found, rbd.step_derivatives(state, tau, 0.01, integrator=RULE))


@pytest.mark.parametrize("kind", ["prismatic x", "spherical"])
def test_large_products_are_calls_of_an_intrinsic(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    state = two_joints(kind)
    tau = np.linspace(-1.0, 1.5, state.mechanism.nv)

    def slopes(s: rbd.ScalarState, tau: Any, dt: Any) -> list[Any]:
        blocks = step_derivatives_kernel(s, tau, dt, (), "coordinates", RULE)
        return [x for block in blocks for row in block for x in row]

    written_out = rbd.record(slopes, state.mechanism, tau=len(tau), dt=())
    monkeypatch.setattr("rbd.algorithms.derivatives.sparse_products.MAX_RECORDED_SOLVES", 0)
    called = rbd.record(slopes, state.mechanism, tau=len(tau), dt=())
    assert "solve_factored" in called.program.count().breakdown
    assert "solve_factored" not in written_out.program.count().breakdown
    one, two = (np.asarray(f(state.q, state.v, tau, 0.05)) for f in (called, written_out))
    assert np.abs(one - two).max() < 1e-12 * np.abs(two).max()
