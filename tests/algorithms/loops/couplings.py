"""Random trees with couplings, and their motion by projection: v = G u with the velocities u that are independent."""

from __future__ import annotations

import attrs
import numpy as np
from hypothesis import strategies as st

import rbd
import rbd.testing.strategies
from rbd import Fixed, JointType, MechanismState, Prismatic, QuaternionFloating, Revolute, Screw
from rbd.mechanism import Coupling
from tests.algorithms.helpers import Numbers

TYPES: tuple[JointType, ...] = (
    Revolute((0, 0, 1)),
    Revolute((1, -2, 3)),
    Prismatic((2, 1, -1)),
    Screw((0, 1, 0), 0.3),
    QuaternionFloating(),
    Fixed(),
)


def coupled_states(*, couplings: int = 4) -> st.SearchStrategy[MechanismState]:
    """Return states of random trees with couplings, which configurations and velocities satisfy."""
    trees = rbd.testing.strategies.mechanisms(st.sampled_from(TYPES), min_bodies=2, max_couplings=couplings)
    return rbd.testing.strategies.states(trees.filter(lambda mechanism: mechanism.couplings)).map(satisfied)


def satisfied(state: MechanismState) -> MechanismState:
    """Set the coordinates of coupled joints, sources first."""
    for coupling in ordered(state):
        source = coupling.source
        x, v = (0.0, 0.0) if source is None else (state.configuration(source)[0], state.velocity(source)[0])
        state.set_configuration(coupling.joint, [curve(coupling)(x)])
        state.set_velocity(coupling.joint, [curve(coupling).deriv()(x) * v])
    return state


def ordered(state: MechanismState) -> list[Coupling]:
    """Return the couplings, sources first: joints are coupled to earlier ones."""
    return sorted(state.mechanism.couplings, key=lambda each: state.mechanism.tree_joints.index(each.joint))


def curve(coupling: Coupling) -> np.polynomial.Polynomial:
    return np.polynomial.Polynomial(np.array(coupling.coefficients, dtype=float))


@attrs.frozen(eq=False)
class Projection:
    """v = G u and vd = G ud + g on the motions that couplings allow."""

    G: Numbers
    g: Numbers


def projection(state: MechanismState) -> Projection:
    """Return the projection, by the chain rule along the couplings."""
    joints = {coupling.joint for coupling in state.mechanism.couplings}
    free = [
        i
        for joint in state.mechanism.tree_joints
        if joint not in joints
        for i in range(state.v_slice(joint).start, state.v_slice(joint).stop)
    ]
    G, g = np.zeros((state.mechanism.nv, len(free))), np.zeros(state.mechanism.nv)
    G[free, range(len(free))] = 1.0
    for coupling in ordered(state):
        row, source = state.v_slice(coupling.joint).start, coupling.source
        if source is not None:
            x, v, from_row = state.configuration(source)[0], state.velocity(source)[0], state.v_slice(source).start
            slope = curve(coupling).deriv()(x)
            G[row] = slope * G[from_row]
            g[row] = slope * g[from_row] + curve(coupling).deriv(2)(x) * v**2
    return Projection(G, g)
