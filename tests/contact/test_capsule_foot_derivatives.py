"""Derivatives of recorded steps with feet of several shapes: central differences, the active set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

import rbd
from rbd.bridges.pullback import pullback
from rbd.compiled import RecordedFunction
from rbd.contact import (
    Box,
    Capsule,
    CollisionModel,
    ContactStepDerivatives,
    HalfSpace,
    contact_step,
    contact_step_derivatives,
)
from rbd.scalars.arrays import Array
from rbd.solvers.projections.grouped_projection import PROJECT_GROUPS

DT, MU, STATES, RADIUS = 2e-3, 0.6, 20, 0.05
H, FAR, FASTER = 1e-5, 1e-4, 1e-2
HEIGHTS = {"touching": (-1e-4, 1e-4), "near": (0.5e-3, 6e-3), "in the air": (0.05, 0.1)}
FEET = (
    pytest.param("two capsules", marks=pytest.mark.deep),  # they are in the other feet, too
    "two capsules and a box",
    "two capsules at a knee with a stop",
)


class Foot(NamedTuple):
    """A foot, its recorded step, derivatives of v by q, v and torques, its pullback, and those at the active set."""

    model: CollisionModel
    step: RecordedFunction
    by_inputs: Sequence[RecordedFunction]
    reverse: Callable[..., Sequence[Array]]
    at_active_set: RecordedFunction


def body(name: str) -> rbd.RigidBody:
    inertia = rbd.SpatialInertia(rbd.Frame(name), mass=1.5, moment_about_com=np.diag([0.01, 0.02, 0.025]))
    return rbd.RigidBody(name, inertia)


def mechanism_with_foot(kind: str) -> tuple[rbd.Mechanism, rbd.RigidBody]:
    """Return a free foot, or one that hangs at a free body by a knee with a stop and dry friction."""
    mechanism, foot = rbd.Mechanism(gravity=(0, 0, -9.81)), body("foot")
    free = rbd.Joint("free", rbd.QuaternionFloating())
    if "knee" not in kind:
        mechanism.attach("world", foot, free)
        return mechanism, foot
    mechanism.attach("world", shank := body("shank"), free)
    limits: dict[str, Any] = {"position_bounds": (-0.5, 0.5), "friction": (0.1,)}
    mechanism.attach(shank, foot, rbd.Joint("knee", rbd.Revolute((0, 1, 0)), **limits))
    return mechanism, foot


@cache
def made(kind: str) -> Foot:
    mechanism, foot = mechanism_with_foot(kind)
    model, root = CollisionModel(mechanism), mechanism.root_frame
    ground = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    for side in (-0.05, 0.05):
        frame, along = rbd.Frame(f"capsule at {side}"), [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
        foot.add_frame(rbd.Transform(frame, foot.default_frame, rotation=along, translation=(0, side, 0)))
        model.add_pair(model.add(foot, Capsule(frame, length=0.2, radius=RADIUS)), ground)
    if "box" in kind:
        model.add_pair(model.add(foot, Box(foot.default_frame, (0.3, 0.05, 2 * RADIUS))), ground)

    def step(state: rbd.ScalarState, tau: Any) -> Any:
        return contact_step(state, model, tau, DT, friction=MU).v

    def derivatives(state: rbd.ScalarState, tau: Any) -> Any:
        return contact_step_derivatives(state, model, tau, DT, friction=MU)

    recorded = rbd.record(step, mechanism, tau=mechanism.nv)
    by_inputs = [recorded.derivative("result", name) for name in ("q", "v", "tau")]
    at_active_set = rbd.record(derivatives, mechanism, tau=mechanism.nv)
    return Foot(model, recorded, by_inputs, pullback(recorded.program), at_active_set)


def states(foot: Foot, height: str) -> tuple[Array, Array, Array]:
    """Return states of a slightly tilted foot, and torques."""
    rng, mechanism = np.random.default_rng(len(height)), foot.model.mechanism
    q = np.zeros((STATES, mechanism.nq))
    q[:, 0], q[:, 1:3] = 1, rng.standard_normal((STATES, 2)) * 0.02
    q[:, :4] /= np.linalg.norm(q[:, :4], axis=1)[:, None]
    q[:, 6] = RADIUS + rng.uniform(*HEIGHTS[height], STATES)
    q[:, 7:] = rng.choice([0.5 - 1e-4, 0.3], (STATES, mechanism.nq - 7))
    v = rng.standard_normal((STATES, mechanism.nv)) - np.eye(mechanism.nv)[5]
    return q, v, rng.standard_normal((STATES, mechanism.nv))


def neighbours(foot: Foot, given: tuple[Array, Array, Array], h: float) -> tuple[Array, Array, Array]:
    """Return states and torques beside those given, by h along each direction in q, v and torques, then by -h."""
    (q, v, tau), mechanism = given, foot.model.mechanism
    rows = list[tuple[Array, Array, Array]]()
    for sign in (h, -h):
        units = sign * np.eye(mechanism.nv)
        for unit in units:
            there = rbd.MechanismState(mechanism)
            there.global_coordinates(q, unit)
            rows.append((there.q.copy(), v, tau))
        rows += [(q, v + unit, tau) for unit in units] + [(q, v, tau + unit) for unit in units]
    first, second, third = (np.array(column) for column in zip(*rows, strict=True))
    return first, second, third


def derivatives_at_active_set(foot: Foot, *given: Array) -> Array:
    """Return the derivatives of v by q, v and torques, side by side."""
    found = ContactStepDerivatives(*foot.at_active_set(*given))
    return np.concatenate([found.v_by_q, found.v_by_v, found.v_by_torques], axis=-1)


def is_smooth(foot: Foot, given: tuple[Array, Array, Array], expected: Array, limit: float) -> bool:
    """Return whether derivatives stay nearly the same around: rows hold what they hold with clear multipliers."""
    nv = foot.model.mechanism.nv
    around = derivatives_at_active_set(foot, *neighbours(foot, given, FAR))
    fast = derivatives_at_active_set(foot, *(x[nv : 2 * nv] for x in neighbours(foot, given, FASTER)))
    slow = derivatives_at_active_set(foot, *(x[nv : 2 * nv] for x in neighbours(foot, given, -FASTER)))
    return all(bool(np.abs(found - expected).max() < limit) for found in (around, fast, slow))


@pytest.mark.parametrize("height", HEIGHTS)
@pytest.mark.parametrize("kind", FEET)
def test_forward_and_reverse_derivatives_are_those_of_differences_and_of_the_active_set(kind: str, height: str) -> None:
    foot, smooth = made(kind), 0
    weights = np.arange(1.0, foot.model.mechanism.nv + 1)
    for q, v, tau in zip(*states(foot, height), strict=True):
        given, count = (q, v, tau), 3 * len(v)
        expected = derivatives_at_active_set(foot, *given)
        scale = 1 + np.abs(expected).max()
        if not is_smooth(foot, given, expected, 0.05 * scale):
            continue
        smooth += 1
        beside = neighbours(foot, given, H)
        after = np.asarray(foot.step(*beside))
        forward = np.concatenate([np.asarray(function(*given)) for function in foot.by_inputs], axis=1)
        of_q, of_v, of_tau = foot.reverse(*given, weights)
        along = (beside[0][: len(v)] - beside[0][count : count + len(v)]).T / (2 * H)
        reverse = np.concatenate([of_q @ along, of_v, of_tau])
        np.testing.assert_allclose(forward, (after[:count] - after[count:]).T / (2 * H), rtol=0, atol=1e-5 * scale)
        np.testing.assert_allclose(forward, expected, rtol=0, atol=1e-7 * scale)
        np.testing.assert_allclose(reverse, weights @ expected, rtol=0, atol=1e-6 * scale)
    assert smooth > STATES // 2


@pytest.mark.parametrize("kind", FEET)
def test_the_rows_of_these_feet_come_in_groups(kind: str) -> None:
    assert any(call.intrinsic is PROJECT_GROUPS for call in made(kind).step.program.calls)
