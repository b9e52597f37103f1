"""Robots with closed chains: they stay closed, and the torques of inverse dynamics reproduce their motion."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import attrs
import numpy as np
import pytest

import rbd
from rbd import MechanismState
from tests.algorithms.helpers import Numbers, close
from tests.mjcf.files_table import files_of
from tests.simulation.closed_chains import CHAINS, ClosedChain

GAP = 1e-8
"""In m or rad: the largest gap over a minute."""
RATE = 3.0
AMPLITUDES = (0.15, -0.1, 0.2)


def widest(chain: ClosedChain, q: Numbers, samples: int = 400) -> float:
    """Return the largest gap along a motion."""
    chosen = np.unique(np.linspace(0, len(q) - 1, samples).astype(int))
    return max(float(rbd.loop_gap(MechanismState(chain.mechanism, q[k]))) for k in chosen)


@attrs.frozen(eq=False)
class Swing:
    """A control by inverse dynamics: the motors swing as q0 + A (1 - cos w t), the other joints follow."""

    chain: ClosedChain
    indices: list[int]
    amplitudes: Numbers

    @classmethod
    def of(cls, chain: ClosedChain) -> Swing:
        state = MechanismState(chain.mechanism, chain.q)
        indices = [state.v_slice(joint).start for joint in chain.actuated]
        return cls(chain, indices, np.array(AMPLITUDES[: len(indices)]))

    def coordinates(self, q: Numbers) -> Numbers:
        """Return the coordinates of the motors."""
        state = MechanismState(self.chain.mechanism)
        return np.asarray(q)[..., [state.q_slice(joint).start for joint in self.chain.actuated]]

    def expected(self, t: Numbers) -> Numbers:
        return self.coordinates(self.chain.q) + (1 - np.cos(RATE * t))[:, None] * self.amplitudes

    def accelerations(self, state: MechanismState) -> Numbers:
        """Return vd: that of an oscillator for the motors, and what the constraints make of it for the others."""
        K, k = rbd.constraint_jacobian(state), rbd.constraint_bias(state)
        others = [i for i in range(len(state.v)) if i not in self.indices]
        wanted, vd = self.coordinates(self.chain.q) + self.amplitudes, np.zeros(len(state.v))
        vd[self.indices] = -(RATE**2) * (self.coordinates(state.q) - wanted)
        right = -k - K[:, self.indices] @ vd[self.indices]
        vd[others] = np.linalg.lstsq(K[:, others], right, rcond=1e-9)[0]
        return vd

    def __call__(self, t: float, state: MechanismState) -> Numbers:
        return rbd.inverse_dynamics(state, self.accelerations(state), actuated=self.chain.actuated)


@pytest.mark.parametrize("make", CHAINS.values(), ids=CHAINS)
def test_there_are_as_many_motors_as_degrees_of_freedom(make: Callable[[], ClosedChain]) -> None:
    chain = make()
    state = MechanismState(chain.mechanism, chain.q)
    assert float(rbd.loop_gap(state)) < 1e-12
    assert rbd.close_loops(state).mobility == len(chain.actuated)


@pytest.mark.parametrize("make", CHAINS.values(), ids=CHAINS)
def test_torques_of_a_motion_are_those_that_made_it(make: Callable[[], ClosedChain]) -> None:
    """With a motor per degree of freedom, the torques are unique, and the actuated joints alone can make the motion."""
    chain, rng = make(), np.random.default_rng(4)
    state = MechanismState(chain.mechanism, chain.q)
    for _ in range(5):
        state.set_velocity(rng.standard_normal(chain.mechanism.nv))
        for joint in chain.actuated:
            state.set_configuration(joint, state.configuration(joint) + rng.uniform(-0.2, 0.2))
        rbd.close_loops(state, fixed=chain.actuated)
        tau = np.zeros(chain.mechanism.nv)
        tau[[state.v_slice(joint).start for joint in chain.actuated]] = rng.standard_normal(len(chain.actuated))
        vd = rbd.forward_dynamics(state, tau)
        close(rbd.inverse_dynamics(state, vd, actuated=chain.actuated), tau, 1e-8, scale=1.0)
        least = rbd.inverse_dynamics(state, vd)
        assert np.linalg.norm(least) <= np.linalg.norm(tau) * (1 + 1e-9)
        close(rbd.forward_dynamics(state, least), vd, 1e-8, scale=1.0)


def swing(chain: ClosedChain, time: float, dt: float) -> None:
    """Let the motors swing; the gap stays small, and the motion is that asked for."""
    control, state = Swing.of(chain), MechanismState(chain.mechanism, chain.q)
    trajectory = rbd.simulate(state, time, control, dt=dt)
    assert widest(chain, trajectory.q) < GAP
    close(control.coordinates(trajectory.q), control.expected(trajectory.t), 1e-8 * max(1.0, time), scale=1.0)


@pytest.mark.parametrize("make", CHAINS.values(), ids=CHAINS)
def test_inverse_dynamics_reproduces_a_motion(make: Callable[[], ClosedChain]) -> None:
    swing(make(), 0.4, 4e-3)


@pytest.mark.deep
@pytest.mark.parametrize("make", CHAINS.values(), ids=CHAINS)
def test_inverse_dynamics_reproduces_a_motion_for_a_minute(make: Callable[[], ClosedChain]) -> None:
    swing(make(), 60.0, 4e-3)


def fall(chain: ClosedChain, time: float) -> None:
    """Let the chain swing under its weight, lightly damped, in machine code: it moves, and stays closed."""
    for joint in chain.mechanism.tree_joints:
        joint.damping = 0.05
    robot, still = rbd.compile(chain.mechanism), np.zeros(chain.mechanism.nv)
    q, _ = robot.rollout(chain.q, still, still, 1e-3, round(time / 1e-3))
    assert widest(chain, q) < GAP
    assert np.ptp(q, axis=0).max() > 1e-2


@pytest.mark.optimised  # it runs longer than it is compiled
@pytest.mark.parametrize("time", [20.0, pytest.param(60.0, marks=pytest.mark.deep)])
@pytest.mark.parametrize("make", CHAINS.values(), ids=CHAINS)
def test_closed_chains_stay_closed_in_machine_code(make: Callable[[], ClosedChain], time: float) -> None:
    fall(make(), time)


# --- files of installed packages ------------------------------------------------------------------------------------

COUPLED = {"mjlab": "yam.xml", "mujoco_playground": "mjx_aloha.xml"}


@pytest.mark.parametrize("package", COUPLED)
def test_couplings_of_installed_models_hold(package: str) -> None:
    from rbd.mjcf import MjcfReport

    found: list[Path] = [path for path in files_of(package, None) if path.name == COUPLED[package]]
    if not found:
        pytest.skip(f"{COUPLED[package]} is in the package {package}, which is not installed")
    report = MjcfReport()
    mechanism = rbd.load_mjcf(found[0], report=report)
    assert mechanism.couplings
    chain = ClosedChain(mechanism, report.keyframes["qpos0"][0], ())
    assert float(rbd.loop_gap(MechanismState(mechanism, chain.q))) < 1e-12
    fall(chain, 1.0)
