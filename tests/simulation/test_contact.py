"""Bodies that bounce, rest, stick and slip."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.contact import HalfSpace
from rbd.errors import ArgumentError, DivergedError, FrameMismatchError, ShapeError, StaleStateError
from rbd.native.executable import ArrayExecutable
from rbd.simulation import EnergyMonitor, Event
from rbd.simulation.programs import recorded_steps
from tests.simulation.contacts import ball, block, floor, slope

ELASTIC = rbd.SoftContact(rbd.HuntCrossley(stiffness=50e3, damping=0.0))
RUBBER = rbd.SoftContact(rbd.HuntCrossley.hertz(), rbd.ViscoelasticCoulomb(0.5, 20e3, 200.0))


def test_an_elastic_ball_keeps_bouncing() -> None:
    """Upstream: energy, that of the contact included, within 1e-2, and more than three bounces."""
    mechanism = ball(ELASTIC, radius=0.05)
    state = rbd.MechanismState(mechanism, q=[0.25])
    monitor = EnergyMonitor(limit=5e-3)
    bounces = Event(lambda t, state: state.v[0], direction=1)
    trajectory = rbd.simulate(state, 2.0, dt=1e-3, monitors=[monitor], events=[bounces])
    assert len(trajectory.events) > 3
    assert monitor.elastic.max() > 0.95 * 0.2 * 9.81
    assert trajectory.q.min() > 0.0


@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_energy_accounts_include_compliant_contacts(exponent: float) -> None:
    """A mass slides on the floor without slipping: normal springs, and those of friction, give back what they take."""
    mechanism = rbd.Mechanism()
    inertia = rbd.SpatialInertia(rbd.Frame("mass"), mass=1.0, moment_about_com=0.01 * np.eye(3))
    carriage, mass = rbd.RigidBody("carriage"), rbd.RigidBody("mass", inertia)
    mechanism.attach("world", carriage, rbd.Joint("x", rbd.Prismatic((1, 0, 0))))
    mechanism.attach(carriage, mass, rbd.Joint("z", rbd.Prismatic((0, 0, 1))))
    sticky = rbd.ViscoelasticCoulomb(coefficient=10.0, stiffness=1e3, damping=1e-6)
    model = rbd.SoftContact(rbd.HuntCrossley(stiffness=1e3, damping=0.0, exponent=exponent), sticky)
    mass.add_contact_point(rbd.Point(mass.default_frame, (0, 0, 0)), model)
    floor(mechanism)
    state, monitor = rbd.MechanismState(mechanism, q=[0.0, -0.012], v=[0.05, 0.0]), EnergyMonitor(limit=1e-6)
    trajectory = rbd.simulate(state, 0.5, dt=1e-3, monitors=[monitor])
    in_friction = 1e3 * np.square(trajectory.s).sum(axis=1) / 2
    assert in_friction.max() > 1e-3
    assert np.ptp(monitor.elastic - in_friction) > 1e-3
    assert np.array_equal(trajectory.energies(mechanism).total, monitor.total)


def test_the_coefficient_of_restitution_falls_with_the_speed_of_impact() -> None:
    """Hunt and Crossley: 1 - alpha * speed, for slow impacts."""
    for speed in (0.05, 0.1, 0.2):
        mechanism = ball(rbd.SoftContact(rbd.HuntCrossley.hertz(alpha=0.2)))
        mechanism.gravity = (0, 0, 0)
        state = rbd.MechanismState(mechanism, q=[1e-3], v=[-speed])
        up = Event(lambda t, state: state.q[0] - 1e-3, direction=1, terminal=True)
        rbd.simulate(state, 2.0, dt=2e-4, events=[up])
        assert float(state.v[0]) / speed == pytest.approx(1 - 0.2 * speed, abs=2 * (0.2 * speed) ** 2)


def test_a_ball_comes_to_rest_where_its_weight_is_borne() -> None:
    mechanism = ball(rbd.SoftContact(rbd.HuntCrossley(stiffness=5e3, damping=50e3)))
    state = rbd.MechanismState(mechanism, q=[0.01])
    rbd.simulate(state, 3.0, dt=1e-3)
    assert -float(state.q[0]) == pytest.approx((9.81 / 5e3) ** (2 / 3), rel=1e-6)
    assert abs(float(state.v[0])) < 1e-8


@pytest.mark.parametrize("points", [1, 8])
@pytest.mark.parametrize(("excess", "slips"), [(-0.03, False), (0.03, True)])
def test_a_block_sticks_and_slips_on_either_side_of_the_friction_angle(points: int, excess: float, slips: bool) -> None:
    """The ground that the block never touches must not matter."""
    angle = math.atan(0.5) + excess
    mechanism = block(RUBBER, points)
    floor(mechanism, slope(angle))
    floor(mechanism, height=-100.0)
    state = rbd.MechanismState(mechanism)
    tilt = rbd.Transform(
        mechanism.joint("free").frame_after,
        mechanism.joint("free").frame_before,
        rotation=[[math.cos(angle), 0, math.sin(angle)], [0, 1, 0], [-math.sin(angle), 0, math.cos(angle)]],
    )
    state.set_configuration(mechanism.joint("free"), tilt)
    bearing = 1 if points == 1 else 4
    depth = (9.81 * math.cos(angle) / (bearing * 50e3)) ** (
        2 / 3
    )  # of the points that bear it, so that it does not bounce
    state.set_configuration(np.concatenate((state.q[:4], -depth * np.array(slope(angle)))))
    trajectory = rbd.simulate(state, 0.5, dt=1e-3)  # settles
    assert trajectory.s.shape == (501, 3 * 2 * points)
    before = state.q[4:].copy()
    rbd.simulate(state, 0.5, dt=1e-3, contact_states=trajectory.s[-1])
    moved = float(np.linalg.norm(state.q[4:] - before))
    assert moved > 5e-2 if slips else moved < 1e-4


def test_a_sliding_block_slows_down_as_coulomb_says() -> None:
    mechanism = block(RUBBER, 1)
    floor(mechanism)
    depth = (9.81 / 50e3) ** (2 / 3)
    state = rbd.MechanismState(mechanism, q=[1, 0, 0, 0, 0, 0, -depth], v=[0, 0, 0, 2.0, 0, 0])
    rbd.simulate(state, 0.2, dt=1e-3)
    assert float(state.v[3]) == pytest.approx(2.0 - 0.5 * 9.81 * 0.2, rel=2e-3)


def test_displacements_are_reset_after_lift_off() -> None:
    """Upstream forgets to: its integrator brings the displacement back."""
    mechanism = block(RUBBER, 1)
    floor(mechanism)
    state = rbd.MechanismState(mechanism, q=[1, 0, 0, 0, 0, 0, -1e-3], v=[0, 0, 0, 0.3, 0, 0.3])
    trajectory = rbd.simulate(state, 0.02, dt=2.5e-4)
    height = trajectory.q[:, 6]
    touching = height <= 0
    assert touching.any()
    assert not touching[-1]
    assert np.abs(trajectory.s[touching][1:]).max() > 1e-6
    assert not trajectory.s[~touching].any()


def test_contact_states_are_kept_from_run_to_run() -> None:
    mechanism = block(RUBBER, 1)
    floor(mechanism)
    q = [1, 0, 0, 0, 0, 0, -((9.81e-5 / 5) ** (2 / 3))]
    whole, parts = rbd.MechanismState(mechanism, q), rbd.MechanismState(mechanism, q)
    push = rbd.Wrench(mechanism.root_frame, (0, 0, 0), (2.0, 0, 0))
    body = mechanism.body("block")

    def pushed(t: float, state: rbd.MechanismState) -> dict[rbd.RigidBody, rbd.Wrench]:
        point = rbd.Point(state.mechanism.root_frame, state.q[4:])
        return {body: rbd.Wrench.of_force(point, rbd.FreeVector(point.frame, push.linear))}

    once = rbd.simulate(whole, 0.0625, dt=1 / 512, external=pushed)
    first = rbd.simulate(parts, 0.03125, dt=1 / 512, external=pushed)
    second = rbd.simulate(parts, 0.03125, dt=1 / 512, external=pushed, contact_states=first.s[-1])
    assert np.abs(first.s[-1]).max() > 1e-6
    assert np.allclose(once.s[-1], second.s[-1], rtol=0, atol=1e-15)
    assert np.allclose(whole.q, parts.q, rtol=0, atol=1e-14)
    with pytest.raises(ShapeError, match="contact_states"):
        rbd.simulate(parts, 0.01, contact_states=[1.0])


def test_contacts_in_functions_for_other_solvers() -> None:
    mechanism = block(RUBBER, 1)
    floor(mechanism)
    f = rbd.Dynamics(mechanism)
    state = rbd.MechanismState(mechanism, q=[1, 0, 0, 0, 0, 0, -1e-3], v=[0, 0, 0, 0.1, 0, 0])
    x = f.x0(state, [1e-4, 0, 0])
    assert (f.ns, f.nx, x.shape) == (3, 16, (16,))
    xd = f(0.0, x)
    normal = 50e3 * 1e-3**1.5
    assert xd[12] == pytest.approx(normal - 9.81)
    assert xd[10] == pytest.approx(-0.5 * normal)
    assert xd[13] == pytest.approx((-20e3 * 1e-4 + 0.5 * normal) / 200.0)
    lifted = f.project(np.concatenate((x[:6], [0.1], x[7:])))
    assert not lifted[13:].any()
    assert f.project(x)[13] == x[13]


def test_half_spaces_are_structure() -> None:
    mechanism = block(RUBBER, 1)
    state = rbd.MechanismState(mechanism)
    ground = floor(mechanism)
    with pytest.raises(StaleStateError):
        rbd.simulate(state, 0.1)
    assert mechanism.half_spaces == (ground,)
    copy, frames = mechanism.copy()
    assert copy.half_spaces[0].frame == frames[mechanism.root_frame]
    assert pickle.loads(pickle.dumps(mechanism)).half_spaces[0].isclose(ground)
    assert mechanism.maximal_coordinates()[0].half_spaces[0].normal.xyz.tolist() == [0, 0, 1]
    assert mechanism.submechanism("block")[0].half_spaces == ()
    mechanism.remove_half_space(ground)
    assert mechanism.half_spaces == ()
    with pytest.raises(ArgumentError, match="none of the mechanism"):
        mechanism.remove_half_space(ground)
    frame = mechanism.body("block").default_frame
    carried = HalfSpace(rbd.Point(frame, (0, 0, 0)), rbd.FreeVector(frame, (0, 0, 1)))
    with pytest.raises(FrameMismatchError):
        mechanism.add_half_space(carried)
    assert mechanism.half_spaces == ()


def test_half_spaces_in_other_frames_of_the_root() -> None:
    mechanism = rbd.Mechanism()
    table = mechanism.root_body.add_frame(
        rbd.Transform(rbd.Frame("table"), mechanism.root_frame, translation=(0, 0, 0.7))
    )
    top = HalfSpace(rbd.Point(table, (0, 0, 0)), rbd.FreeVector(table, (0, 0, 3)))
    assert mechanism.add_half_space(top).separation(rbd.Point(mechanism.root_frame, (1, 2, 1))) == pytest.approx(0.3)


def test_points_may_have_models_of_their_own() -> None:
    """Upstream has one model per mechanism. Points without friction have no states; the others keep theirs apart."""
    mechanism = block(RUBBER, 1)
    body = mechanism.body("block")
    grippy = rbd.SoftContact(rbd.HuntCrossley(1e4, 0.0, 1.0), rbd.ViscoelasticCoulomb(5.0, 1e3, 10.0))
    body.add_contact_point(rbd.Point(body.default_frame, (0, 0, 0)), ELASTIC)
    body.add_contact_point(rbd.Point(body.default_frame, (0, 0, 0)), grippy)
    floor(mechanism)
    floor(mechanism, (-1, 0, 0), height=0.0)
    state = rbd.MechanismState(mechanism, q=[1, 0, 0, 0, -1.0, 0, -1e-3])
    s = np.zeros(12)  # two points with friction, two half-spaces
    s[0:3], s[6:9] = (1e-5, 0, 0), (0, 1e-3, 0)
    result = rbd.dynamics(rbd.DynamicsResult(mechanism), state, contact_states=s)
    force = result.contact_wrench(body).linear
    hertz = 50e3 * 1e-3**1.5
    assert force == pytest.approx([-20e3 * 1e-5, -1e3 * 1e-3, 2 * hertz + 1e4 * 1e-3])
    assert result.sd.shape == (12,)
    assert rbd.simulate(state, 0.01, dt=1e-3, contact_states=s).s.shape == (11, 12)


def test_a_run_with_other_states_or_none_leaves_no_trace() -> None:
    """Contact states live in a run, not in the state: nothing is left over for the next one."""
    mechanism = block(RUBBER, 1)
    floor(mechanism)
    q, v = [1, 0, 0, 0, 0, 0, -1e-3], [0, 0, 0, 0.2, 0, 0]
    state = rbd.MechanismState(mechanism, q, v)
    first = rbd.simulate(state, 0.02, dt=1e-3)
    assert first.s[-1].any()
    state.set_configuration(q)
    state.set_velocity(v)
    second = rbd.simulate(state, 0.02, dt=1e-3)
    assert np.array_equal(first.s, second.s)
    assert np.array_equal(first.q, second.q)


class Runaway(rbd.mechanism.FrictionModel):
    """Displacements that leave the range of floats within a step."""

    def force(self, displacement: Any, velocity: Any, normal_force: Any) -> Any:
        return velocity * 0

    def rate(self, displacement: Any, force: Any) -> Any:
        return displacement * 0 + rbd.FreeVector(displacement.frame, (0, 1e307, 1e307))


@pytest.mark.parametrize("integrator", ["semi-implicit-euler", "munthe-kaas-rk4"])
def test_contact_states_that_overflow_are_a_divergence(integrator: Any) -> None:
    mechanism = ball(rbd.SoftContact(rbd.HuntCrossley.hertz(), Runaway()))
    state = rbd.MechanismState(mechanism, [-0.01])
    # In Python: programs of steps reset the states of points that have lifted off before they look at them.
    with rbd.interpreted(), pytest.raises(DivergedError, match="joint height"):
        rbd.simulate(state, 1e3, dt=100.0, integrator=integrator)


def overflowing(integrator: Any, steps: int) -> rbd.Trajectory:
    """Return the run of a ball that is thrown off the ground, with displacements that overflow meanwhile."""
    mechanism = ball(rbd.SoftContact(rbd.HuntCrossley.hertz(), Runaway()))
    return rbd.simulate(rbd.MechanismState(mechanism, [-0.01]), steps * 100.0, dt=100.0, integrator=integrator)


@pytest.mark.parametrize("integrator", ["semi-implicit-euler", "munthe-kaas-rk4"])
def test_contact_states_that_overflow_off_the_ground_are_reset(
    integrator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In interpreted and in compiled steps; the ball comes down again in the tenth step, if at all."""
    with monkeypatch.context() as patch:
        patch.setattr(ArrayExecutable, "load", lambda executable: False)  # as with an empty disk cache
        interpreted = overflowing(integrator, 9)
    monkeypatch.setattr(recorded_steps, "COMPILING_COST", (0, 0))
    compiled = overflowing(integrator, 9)
    for x, y in ((interpreted.q, compiled.q), (interpreted.v, compiled.v), (interpreted.s, compiled.s)):
        assert x.tobytes() == y.tobytes()
    assert not interpreted.s.any()


def test_contact_states_that_overflow_on_the_ground_are_a_divergence_in_runs_of_any_length() -> None:
    messages = list[str]()
    for steps in (10, 600):
        with pytest.raises(DivergedError, match=r"after t = 900.0 s: s\[1\] is inf") as caught:
            overflowing("semi-implicit-euler", steps)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
