"""Mechanisms at the edge: nothing to move, nothing that weighs, very long, singular."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import rbd
from rbd import (
    DynamicsResult,
    Fixed,
    Frame,
    Joint,
    Mechanism,
    MechanismState,
    Prismatic,
    Revolute,
    RigidBody,
    Transform,
)
from rbd.errors import ArgumentError, SingularError

from .catalog import ALGORITHMS
from .helpers import JOINT_TYPES, case, close, mass_matrix_oracle


def solid(name: str, mass: float = 1.0) -> rbd.SpatialInertia:
    return rbd.SpatialInertia(Frame(name), mass=mass, com=(0, 0, 0.5), moment_about_com=np.diag([0.1, 0.1, 0.05]))


def welded() -> Mechanism:
    """Return a mechanism with bodies and no degree of freedom."""
    mechanism = Mechanism()
    mechanism.attach("world", RigidBody("a", solid("a")), Joint("weld a", Fixed()))
    mechanism.attach("a", RigidBody("b", solid("b")), Joint("weld b", Fixed()))
    return mechanism


def runs_on(mechanism: Mechanism) -> None:
    state = MechanismState(mechanism)
    assert state.q.shape == state.v.shape == (0,)
    assert rbd.mass_matrix(state).shape == rbd.inverse_mass_matrix(state).shape == (0, 0)
    assert rbd.coriolis_matrix(state).shape == (0, 0)
    for name in ("dynamics_bias", "gravity_torques", "passive_torques", "inverse_dynamics", "forward_dynamics"):
        assert ALGORITHMS[name](state).shape == (0,)
    assert rbd.momentum_matrix(state).matrix.shape == (6, 0)
    assert not rbd.momentum(state).vector.any()
    assert rbd.kinetic_energy(state) == 0
    result = rbd.dynamics(DynamicsResult(mechanism), state)
    assert result.vd.shape == result.qd.shape == (0,)
    for body in mechanism.bodies:
        assert not result.acceleration(body).vector.any()
        close(result.proper_acceleration(body).linear, -mechanism.gravity.xyz)


def test_a_mechanism_with_the_root_only() -> None:
    mechanism = Mechanism()
    runs_on(mechanism)
    assert rbd.gravitational_potential_energy(MechanismState(mechanism)) == 0
    assert rbd.mass(mechanism) == 0


def test_a_mechanism_without_velocities() -> None:
    mechanism = welded()
    runs_on(mechanism)
    state = MechanismState(mechanism)
    close(rbd.gravitational_potential_energy(state), 2 * 9.81 * 0.5)
    result = rbd.dynamics(DynamicsResult(mechanism), state)
    close(result.joint_wrench(mechanism.joint("weld a")).linear, [0, 0, 2 * 9.81])


def massless_leaf() -> Mechanism:
    mechanism = Mechanism()
    mechanism.attach("world", RigidBody("arm", solid("arm")), Joint("shoulder", Revolute((0, 1, 0))))
    mechanism.attach("arm", RigidBody("ghost"), Joint("wrist", Revolute((1, 0, 0))))
    return mechanism


def test_a_massless_leaf_only_fails_where_the_mass_matrix_must_be_inverted() -> None:
    mechanism = massless_leaf()
    state = MechanismState(mechanism, [0.3, 0.4], [1.0, 2.0])
    close(rbd.mass_matrix(state)[:, 1], [0, 0], scale=1e-12)
    assert np.isfinite(rbd.inverse_dynamics(state, [1.0, 1.0])).all()
    assert np.isfinite(rbd.coriolis_matrix(state)).all()
    result = DynamicsResult(mechanism)
    calls = [
        lambda: rbd.forward_dynamics(state, [0.0, 0.0]),
        lambda: rbd.dynamics(result, state),
        lambda: rbd.inverse_mass_matrix(state),
        lambda: rbd.articulated_inertia(state, mechanism.bodies[1]),
    ]
    for call in calls:
        with pytest.raises(SingularError) as caught:
            call()
        assert "wrist" in str(caught.value)
    for name in ("vd", "mass_matrix"):
        with pytest.raises(ArgumentError, match="this result is empty"):
            getattr(result, name)
    mechanism.joint("wrist").armature = 0.1  # a rotor is enough
    assert np.isfinite(rbd.forward_dynamics(state, [0.0, 0.1])).all()


def test_parallel_axes_through_a_point_are_singular() -> None:
    """Two hinges about one axis with nothing between them: any split of the motion is a solution."""
    mechanism = Mechanism()
    mechanism.attach("world", RigidBody("between"), Joint("first", Revolute((0, 1, 0))))
    mechanism.attach("between", RigidBody("arm", solid("arm")), Joint("second", Revolute((0, 1, 0))))
    state = MechanismState(mechanism, [0.3, 0.4])
    for call in (rbd.inverse_mass_matrix, lambda s: rbd.forward_dynamics(s, [1.0, 2.0])):
        with pytest.raises(SingularError):
            call(state)


def test_a_massless_intermediate_body_is_fine() -> None:
    mechanism = Mechanism()
    mechanism.attach("world", RigidBody("between"), Joint("first", Revolute((0, 1, 0))))
    mechanism.attach("between", RigidBody("arm", solid("arm")), Joint("second", Prismatic((1, 0, 0))))
    state = MechanismState(mechanism, [0.3, 0.4], [1.0, -1.0])
    tau = np.array([0.5, -0.25])
    vd = rbd.forward_dynamics(state, tau)
    close(rbd.inverse_dynamics(state, vd), tau)
    close(rbd.dynamics(DynamicsResult(mechanism), state, tau).vd, vd)
    M = rbd.mass_matrix(state)
    close(M @ rbd.inverse_mass_matrix(state), np.eye(2))
    turning = 0.1 + 1.0 * (0.5**2 + 0.4**2)  # about the first axis
    close(M, [[turning, 0.5], [0.5, 1.0]], 1e-12)


@pytest.mark.parametrize("kind", [kind for kind in JOINT_TYPES if kind != "fixed"])
def test_massless_bodies_of_every_joint_type(kind: str) -> None:
    """Between two massive bodies, M is still what first principles say."""
    mechanism = Mechanism()
    mechanism.attach("world", RigidBody("ghost"), Joint("first", JOINT_TYPES[kind]))
    mechanism.body("ghost").set_inertia(_nothing(mechanism.body("ghost").default_frame))
    joint = Joint("second", Revolute((0, 0, 1)))
    pose = Transform(joint.frame_before, mechanism.body("ghost").default_frame, translation=(0.1, 0.2, 0.3))
    mechanism.attach("ghost", RigidBody("arm", solid("arm")), joint, joint_pose=pose)
    state = MechanismState(mechanism)
    state.randomize(np.random.default_rng(139))
    close(rbd.mass_matrix(state), mass_matrix_oracle(state), 1e-11)


def _nothing(frame: Frame) -> rbd.SpatialInertia:
    return rbd.SpatialInertia(frame, mass=0.0, com=(0, 0, 0), moment_about_com=np.zeros((3, 3)))


def test_long_chains_need_no_recursion() -> None:
    mechanism = rbd.robots.chain(1200)
    state = MechanismState(mechanism)
    assert np.isfinite(rbd.forward_dynamics(state, np.zeros(mechanism.nv))).all()
    assert np.isfinite(state.transform_to_root(mechanism.bodies[-1]).matrix).all()
    assert rbd.kinetic_energy(state) == 0


@pytest.mark.parametrize(
    "ask",
    [
        rbd.kinetic_energy,
        rbd.momentum,
        rbd.momentum_rate_bias,
        lambda state: state.twist(state.mechanism.bodies[-1]),
        lambda state: state.relative_twist(state.mechanism.bodies[1], state.mechanism.bodies[-1]),
        lambda state: state.bias_acceleration(state.mechanism.bodies[-1]),
    ],
)
def test_framed_values_and_energies_out_of_range_are_refused(ask: Callable[[MechanismState], object]) -> None:
    """Finite velocities, squares and sums that are not."""
    state = MechanismState(rbd.robots.double_pendulum(), [0.1, 0.2], [1.7e308, 1.7e308])
    with pytest.raises(rbd.errors.NotFiniteError, match="left the range"):
        ask(state)


def test_huge_numbers_are_refused_with_their_names() -> None:
    a_case = case("tree", seed=149)
    a_case.state.set_velocity(np.full(a_case.mechanism.nv, 1e200))
    with pytest.raises(rbd.errors.NotFiniteError):
        rbd.dynamics_bias(a_case.state)
