"""Derivatives of motions with loops against complex steps, redundant constraints and multipliers included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbd
from rbd import Joint, Mechanism, MechanismState, QuaternionFloating, Wrench
from rbd.algorithms.external_wrenches import applied_wrenches
from rbd.algorithms.loops.dynamics import constrained_dynamics_kernel
from rbd.algorithms.loops.loop_gains import gains_of_constraints
from rbd.errors import ArgumentError, ShapeError
from rbd.testing.random_mechanisms import random_body

from ..helpers import Numbers, close, rate
from ..loops.linkages import bennett, sarrus
from ..loops.mechanisms import consistent, looped
from .test_derivatives import by_coordinates

KEPT = 1e-9


def moving_state(mechanism: Mechanism, rng: np.random.Generator) -> MechanismState:
    """Return a state in which the loops are closed and their velocities fit."""
    state = MechanismState(mechanism)
    _, sizes, rows = np.linalg.svd(rbd.constraint_jacobian(state))
    free = rows[int((sizes > KEPT * sizes[0]).sum()) :]
    state.set_velocity(free.T @ rng.standard_normal(len(free)))
    return state


def planar_four_bar() -> Mechanism:
    """Return the four-bar linkage: of its five constraints, three are redundant."""
    return rbd.robots.four_bar()


def floating_four_bar() -> Mechanism:
    """Return the linkage on a body that floats, with passive torques everywhere."""
    rng = np.random.default_rng(2)
    mechanism, base = Mechanism(), random_body("base", rng)
    mechanism.attach("world", base, Joint("free", QuaternionFloating()))
    mechanism.attach_mechanism(base, rbd.robots.four_bar())
    for joint in mechanism.tree_joints:
        joint.damping, joint.armature = 0.2, 0.1
    return mechanism


@pytest.mark.parametrize("make", [planar_four_bar, floating_four_bar])
@pytest.mark.parametrize("stabilization", [None, rbd.Baumgarte(0.2)])
def test_redundant_constraints(make: Any, stabilization: Any) -> None:
    check(moving_state(make(), np.random.default_rng(3)), stabilization)


@pytest.mark.parametrize("make", [sarrus, bennett])
def test_overconstrained_linkages(make: Any) -> None:
    """Sarrus's has five constraints, four independent; Bennett's five, two independent."""
    state = make()
    rbd.close_loops(state)
    state.set_velocity(np.linspace(1.0, 2.0, state.mechanism.nv))
    state.set_velocity(consistent(state))
    check(state, rbd.Baumgarte(0.1))


@pytest.mark.parametrize(
    "kind", ["prismatic oblique", "screw oblique", "universal oblique", "planar oblique", "spherical", "fixed"]
)
def test_loops_closed_by_many_kinds_of_joint(kind: str) -> None:
    check(looped(kind, 3).state, rbd.Baumgarte(0.1))


SHORT_ROWS = (  # moments of inertia, abscissas, size
    ((2.88, 1.22, 7.42), (1.9, -2.98, 2.14), 1.5e-10),
    ((0.117, 2.88, 0.225), (2.18, 0.25, -1.2), 4.5e-10),
    ((0.52, 1.39, 0.44), (0.566, -0.973, -0.65), 9.3e-10),
)


@pytest.mark.parametrize(("moments", "abscissas", "size"), SHORT_ROWS)
def test_rows_near_the_rank_tolerance(moments: Any, abscissas: Any, size: float) -> None:
    """The row of the translation is so short that K M^-1/2 has rank 2, but factored by its rows rank 1."""
    check(MechanismState(tiny_loop(moments, size * np.array(abscissas), size)), None)


def tiny_loop(moments: Any, x: Numbers, size: float) -> Mechanism:
    """Return three revolute joints, one of them against two, and a slider between their ends."""
    mechanism = Mechanism(gravity=(0, -9.81, 0))
    bodies = [rbd.RigidBody(f"body{i}") for i in range(3)]
    places = [(x[0], size, 0), (x[1], -2 * size, 0), (x[2] - x[1], 5 * size, 0)]
    for i, (body, moment, place) in enumerate(zip(bodies, moments, places, strict=True)):
        body.set_inertia(
            rbd.SpatialInertia(body.default_frame, mass=1.0, com=(0, 0.2, 0), moment_about_com=moment * np.eye(3))
        )
        joint = Joint(f"joint{i}", rbd.Revolute((0, 0, 1)))
        before = bodies[1] if i == 2 else mechanism.root_body
        pose = rbd.Transform(joint.frame_before, before.default_frame, translation=place)
        mechanism.attach(before, body, joint, joint_pose=pose)
    slider, (first, _, last) = Joint("slider", rbd.Prismatic((1, 0, 0))), bodies
    mechanism.attach(
        first,
        last,
        slider,
        joint_pose=rbd.Transform(slider.frame_before, first.default_frame, translation=(-x[0], -size, 0)),
        successor_pose=rbd.Transform(last.default_frame, slider.frame_after, translation=(x[2], 3 * size, 0)),
    )
    return mechanism


def check(state: MechanismState, stabilization: Any) -> None:
    """Compare everything in both spaces with complex steps."""
    mechanism, rng = state.mechanism, np.random.default_rng(3)
    nv, tau = mechanism.nv, rng.standard_normal(mechanism.nv)
    body = mechanism.bodies[-1]
    push = {body: Wrench(mechanism.root_frame, rng.standard_normal(3), rng.standard_normal(3))}
    found = rbd.algorithms.constrained_dynamics_derivatives(state, tau, push, stabilization=stabilization)

    def both(s: Any, torques: Numbers = tau) -> Any:
        return solution(s, torques, push, stabilization)

    still, units = np.zeros(nv), np.eye(nv)
    for name, columns in (
        ("q", [rate(state, both, still, unit) for unit in units]),
        ("v", [rate(state, both, unit, still) for unit in units]),
        ("torques", [np.imag(both(state.with_scalars(state.q + 0j), tau + 1e-30j * unit)) / 1e-30 for unit in units]),
    ):
        expected = np.array(columns).T
        close(getattr(found, f"vd_by_{name}"), expected[:nv], 1e-11)
        close(getattr(found, f"multipliers_by_{name}"), expected[nv:], 1e-11)
    whole = rbd.algorithms.constrained_dynamics_derivatives(
        state, tau, push, stabilization=stabilization, space="coordinates"
    )
    expected = by_coordinates(state, both)
    close(whole.vd_by_q, expected[:nv], 1e-11)
    close(whole.multipliers_by_q, expected[nv:], 1e-11)
    three = rbd.forward_dynamics_derivatives(state, tau, push, stabilization=stabilization)
    for a, b in zip(three, (found.vd_by_q, found.vd_by_v, found.vd_by_torques), strict=True):
        assert np.array_equal(a, b)


def test_trees_have_the_derivatives_of_forward_dynamics() -> None:
    mechanism = rbd.robots.double_pendulum()
    state, tau = MechanismState(mechanism, [0.3, 0.4], [1.0, 2.0]), [0.5, -0.5]
    found = rbd.algorithms.constrained_dynamics_derivatives(state, tau)
    expected = rbd.forward_dynamics_derivatives(state, tau)
    for a, b in zip((found.vd_by_q, found.vd_by_v, found.vd_by_torques), expected, strict=True):
        close(a, b, 1e-12)
    assert found.multipliers_by_q.shape == (0, 2)


def solution(state: Any, torques: Numbers, push: Any, stabilization: Any) -> Any:
    """Return vd and the multipliers of any state."""
    gains = gains_of_constraints(state.layout, stabilization)
    found = constrained_dynamics_kernel(state, tuple(torques), applied_wrenches(state, push), gains)
    return np.array([*found[0], *found[7]], dtype=complex)


def test_what_is_refused() -> None:
    state = MechanismState(rbd.robots.four_bar())
    with pytest.raises(ArgumentError, match="space"):
        rbd.forward_dynamics_derivatives(state, np.zeros(3), space="world")  # type: ignore[arg-type]  # the error
    with pytest.raises(ShapeError):
        rbd.forward_dynamics_derivatives(state, np.zeros(2))
