"""Derivatives of twelve real robots against Pinocchio's, in both spaces, joints attached in any order.

Pinocchio differentiates along velocities. By coordinates, its columns are combined here by what its own maps say of
rotation vectors, and by textbook formulas for quaternions and angles given by sine and cosine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbd
from rbd import JointType, Mechanism, QuaternionFloating, Revolute, RotationVectorFloating, SinCosRevolute
from rbd.bench import peers
from rbd.bench.contender import Contender, Quantity
from rbd.bench.rbd_engine import RbdEngine
from rbd.bench.robots import without_passive_torques
from rbd.bench.samples import Samples, random_samples

from ..golden import ROBOTS, Numbers, from_description, joint_type

pytestmark = pytest.mark.peers
STATES = 2
FUNCTIONS: dict[Quantity, Any] = {
    Quantity.INVERSE_DERIVATIVES: rbd.inverse_dynamics_derivatives,
    Quantity.FORWARD_DERIVATIVES: rbd.forward_dynamics_derivatives,
}


def made(robot: str, floating: type, continuous: type, seed: int | None = None) -> Mechanism:
    """Return a robot with floating and continuous joints of given types, attached in a random order with a seed."""

    def chosen(row: dict[str, Any]) -> JointType:
        match row["kind"]:
            case "floating":
                return floating()
            case "continuous":
                return continuous(row["axis"])
            case _:
                return joint_type(row)

    rng = None if seed is None else np.random.default_rng(seed)
    return without_passive_torques(from_description(robot, rng, chosen))


def pinocchio_of(mechanism: Mechanism) -> tuple[Samples, dict[Quantity, Contender]]:
    """Return states, and what Pinocchio makes of them."""
    pytest.importorskip("pinocchio")
    engine = RbdEngine(mechanism, random_samples(mechanism, STATES, seed=7))
    try:
        theirs = peers.load_peer("Pinocchio", engine)
    except RuntimeError as error:
        pytest.skip(f"Pinocchio refuses an inertia that its own reader takes: {error}")
    assert theirs is not None
    contenders = {quantity: theirs.single(quantity) for quantity in FUNCTIONS}
    return engine.samples, {quantity: each for quantity, each in contenders.items() if each is not None}


def parts(flat: Numbers, nv: int) -> Numbers:
    """Return the three matrices a contender gives."""
    return flat.reshape(3, nv, nv)


def agree(found: Any, expected: Numbers) -> None:
    assert np.abs(np.asarray(found, dtype=float) - expected).max() < 1e-10 * np.abs(expected).max()


@pytest.mark.parametrize("robot", ROBOTS)
def test_along_velocities_in_any_order(robot: str) -> None:
    for seed in (None, 3):
        mechanism = made(robot, QuaternionFloating, Revolute, seed=seed)
        samples, theirs = pinocchio_of(mechanism)
        for quantity, function in FUNCTIONS.items():
            for k, (q, v, last) in enumerate(samples.rows(quantity)):
                expected = parts(theirs[quantity].value(k), mechanism.nv)
                for a, b in zip(function(rbd.MechanismState(mechanism, q, v), last), expected, strict=True):
                    agree(a, b)


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("floating", [QuaternionFloating, RotationVectorFloating])
def test_by_coordinates(robot: str, floating: type) -> None:
    plain = made(robot, QuaternionFloating, Revolute, seed=5)
    mechanism = made(robot, floating, SinCosRevolute, seed=5)
    samples, theirs = pinocchio_of(plain)
    for quantity, function in FUNCTIONS.items():
        for k, (q, v, last) in enumerate(samples.rows(quantity)):
            expected = parts(theirs[quantity].value(k), mechanism.nv)
            state, charts = translated(mechanism, plain, q, v)
            by_q, by_v, by_last = function(state, last, space="coordinates")
            for a, b in zip((by_q, by_v, by_last), (expected[0] @ charts, *expected[1:]), strict=True):
                agree(a, b)


def translated(mechanism: Mechanism, plain: Mechanism, q: Numbers, v: Numbers) -> tuple[rbd.MechanismState, Numbers]:
    """Return the state with q in the coordinates of `mechanism`, and how velocities answer these."""
    state, other = rbd.MechanismState(mechanism), rbd.MechanismState(plain, q, v)
    charts, whole = np.zeros((mechanism.nv, mechanism.nq)), np.zeros(mechanism.nq)
    for joint in mechanism.tree_joints:
        at, own = state.q_slice(joint), other.configuration(plain.joint(joint.name))
        whole[at], charts[state.v_slice(joint), at] = coordinates(joint.type, np.asarray(own))
    state.set_configuration(whole)
    state.set_velocity(v)
    return state, charts


def coordinates(kind: JointType, q: Numbers) -> tuple[Numbers, Numbers]:
    """Return q of a joint, a quaternion or an angle, in the coordinates of `kind`, and the derivative of v by qd."""
    if isinstance(kind, SinCosRevolute):
        sine, cosine = np.sin(q[0]), np.cos(q[0])
        return np.array([sine, cosine]), np.array([[cosine, -sine]])
    if not isinstance(kind, (QuaternionFloating, RotationVectorFloating)):
        return q, np.eye(1)
    pin: Any = pytest.importorskip("pinocchio")
    (w, x, y, z), place = q[:4], q[4:]
    R = pin.Quaternion(w, x, y, z).toRotationMatrix()
    turn = 2 * np.array([[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]])
    if isinstance(kind, RotationVectorFloating):
        rotation_vector = pin.log3(R)
        q, turn = np.array([*rotation_vector, *place]), pin.Jexp3(rotation_vector)
    top, bottom = np.zeros((3, 3)), np.zeros((3, turn.shape[1]))
    return q, np.block([[turn, top], [bottom, R.T]])
