"""Motions of a second: those of the active-set method, and of quadprog."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import pytest

import rbd
from rbd.compiled import RecordedFunction
from rbd.contact import CollisionModel, ContactSimulator, ContactTrajectory, JointOptions
from rbd.contact.dynamics.gauss_principle import nearest_motion_by_active_set
from rbd.contact.model.evaluation import as_tuple
from rbd.contact.stepping.options import MARGIN, ContactStepOptions
from rbd.contact.stepping.overlaps import position_correction
from rbd.contact.stepping.problem import step_problem
from rbd.contact.stepping.solution import solved_step, step_results
from rbd.contact.stepping.transport import advance
from rbd.scalars import ScalarArray
from rbd.scalars.arrays import Array
from tests.contact.humanoids import on_feet, standing
from tests.contact.test_coulomb_motion import on_slope
from tests.contact.test_legged import legged, trot
from tests.contact.test_time_stepping import incline

DT, STEPS = 2e-3, 500
FREE = JointOptions(stops=False)


@attrs.frozen(eq=False)
class Scene:
    """A model, its start, its friction, its torques as a function of t, q and v, and its joints."""

    model: CollisionModel
    q: Array
    v: Array
    mu: float
    torques: Any
    joints: JointOptions = FREE

    def simulated(self) -> ContactTrajectory:
        """Return the motion of the simulator, which solves by projection."""
        mechanism = self.model.mechanism
        state = rbd.MechanismState(mechanism, self.q, self.v)

        def control(t: float, now: rbd.MechanismState) -> Array:
            return np.asarray(self.torques(t, np.array(now.q), np.array(now.v)))

        simulator = ContactSimulator(mechanism, self.model, control, DT, friction=self.mu, joints=self.joints)
        return simulator.run(state, STEPS * DT)

    def recorded(self, function: Any, **inputs: int) -> RecordedFunction:
        """Return a function of the state, dt, the margin, mu and torques."""

        def called(state: rbd.ScalarState, torques: ScalarArray, **others: Any) -> dict[str, object]:
            dt, margin, mu = (state.lifted(x) for x in (DT, MARGIN, self.mu))
            options = ContactStepOptions(mu if self.mu else None, margin, self.joints)
            return dict(function(state, tuple(torques), dt, options, **others))

        return rbd.record(called, self.model.mechanism, torques=self.model.mechanism.nv, **inputs)


def quadruped() -> Scene:
    start = rbd.robots.quadruped_configuration() + 0.01 * np.eye(19)[6]
    return Scene(legged(), start, np.array([0, 0, 0, 0.5, 0.1, 0, *[0.0] * 12]), 0.7, trot)


def sliding_box() -> Scene:
    """A box that slides down a slope across its edges, and turns."""
    state, model = on_slope("box", 0.4, inertia=(0.015, 0.02, 0.006))
    v = np.array([0, 0, 1.5, 0.3, 0.8, 0])
    return Scene(model, state.q, v, 0.3, lambda t, q, v: np.zeros(6))


def rolling_ball() -> Scene:
    state, model = on_slope("sphere", 0.2, inertia=0.004)
    return Scene(model, state.q, np.array([5.0, 0, 3.0, 1.0, 0, 0]), 0.3, lambda t, q, v: np.zeros(6))


def hand() -> Scene:
    """Fingers that are pressed against the palm and swing."""
    mechanism, model = rbd.robots.hand()
    goal = np.zeros(13)
    goal[[2, 3, 5, 6, 8, 9]] = -2.5

    def torques(t: float, q: Array, v: Array) -> Array:
        return 20 * (goal + 0.2 * np.sin(8 * t) - q) - 2 * v

    return Scene(model, np.zeros(mechanism.nq), np.zeros(13), 0.4, torques)


def humanoid() -> Scene:
    """A humanoid on boxes whose hips and ankles sway, so that its feet tilt, slide and come down again."""
    model = on_feet("box")
    start = standing(model) + 0.002 * np.eye(37)[6]
    names = [joint.name for joint in model.mechanism.tree_joints[1:]]
    sway = np.array([("hip" in name) - ("ankle" in name) for name in names], dtype=float)

    def torques(t: float, q: Array, v: Array) -> Array:
        goal = start[7:] + 0.15 * np.sin(9 * t) * sway
        return np.concatenate([np.zeros(6), 3000 * (goal - q[7:]) - 60 * v[6:]])

    v = np.array([0, 0, 0, 0.3, 0.1, 0, *[0.0] * 30])
    return Scene(model, start, v, 0.5, torques, JointOptions(stops=False, stiffness=3000.0, damping=60.0))


def pushed_stack() -> Scene:
    """Three boxes, the one in the middle pushed to and fro: it slides on the lowest, and carries the highest along."""
    state, model = incline(0.0, "box", "box", "box")

    def push(t: float, q: Array, v: Array) -> Array:
        return np.concatenate([np.zeros(9), [25 * np.sin(15 * t), 12 * np.sin(9 * t)], np.zeros(7)])

    return Scene(model, state.q, np.zeros(18), 0.4, push)


SCENES = {
    "quadruped": quadruped,
    "sliding box": sliding_box,
    "rolling ball": rolling_ball,
    "hand": hand,
    "humanoid": humanoid,
    "pushed stack": pushed_stack,
}


@pytest.mark.parametrize("name", SCENES)
def test_a_second_is_that_of_the_active_set_method(name: str) -> None:
    scene = SCENES[name]()

    def step(state: rbd.ScalarState, torques: Any, dt: Any, options: Any) -> dict[str, object]:
        pairs = scene.model.pairs
        found = step_results(solved_step(pairs, state, torques, dt, options, nearest_motion_by_active_set), len(pairs))
        return {key: found[key] for key in ("q", "v", "impulses")}

    after, exact, touching = scene.simulated(), scene.recorded(step), 0
    q, v = scene.q, scene.v
    for k in range(STEPS):
        q, v, impulses = (np.array(x) for x in as_tuple(exact(q, v, scene.torques(k * DT, q, v))))
        touching += int((impulses > 0).any())
        np.testing.assert_allclose(after.q[k + 1], q, rtol=0, atol=1e-6)
        np.testing.assert_allclose(after.v[k + 1], v, rtol=0, atol=1e-6)
    assert touching > STEPS / 4, touching


@pytest.mark.peers
@pytest.mark.parametrize("name", SCENES)
def test_a_second_is_that_of_quadprog(name: str) -> None:
    quadprog: Any = pytest.importorskip("quadprog")
    scene = SCENES[name]()

    def program(state: rbd.ScalarState, torques: Any, dt: Any, options: Any) -> dict[str, object]:
        program = step_problem(scene.model.pairs, state, torques, dt, options)[0].program
        return {"mass": program.M, "momentum": program.f, "J": program.J, "bounds": program.bounds}

    def ending(state: rbd.ScalarState, torques: Any, dt: Any, options: Any, x: Any) -> dict[str, object]:
        found, _ = step_problem(scene.model.pairs, state, torques, dt, options)
        q, v = advance(state, tuple(x), position_correction(found.overlaps, tuple(x)), dt)
        return {"q_next": q, "v_next": v}

    size = scene.model.mechanism.nv
    after, make, end = scene.simulated(), scene.recorded(program), scene.recorded(ending, x=size)
    q, v = scene.q, scene.v
    for k in range(STEPS):
        tau = scene.torques(k * DT, q, v)
        mass, momentum, J, bounds = (np.array(x) for x in as_tuple(make(q, v, tau)))
        near = np.abs(J).max(axis=1) > 0
        x = (
            quadprog.solve_qp(mass, momentum, J[near].T, bounds[near])[0]
            if near.any()
            else np.linalg.solve(mass, momentum)
        )
        q, v = (np.array(y) for y in as_tuple(end(q, v, tau, x)))
        np.testing.assert_allclose(after.q[k + 1], q, rtol=0, atol=1e-6)
        np.testing.assert_allclose(after.v[k + 1], v, rtol=0, atol=1e-6)
