"""What the tests of states and algorithms share: random cases of all joint types, complex-step derivatives, oracles.

The oracles use body poses, inertias and the derivative of a configuration only: no subspace, no recursion of rbd.
Arrays named after six-vectors are angular part first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import rbd
import rbd.testing
from rbd import (
    Fixed,
    Joint,
    JointType,
    Mechanism,
    MechanismState,
    MRPFloating,
    Planar,
    Prismatic,
    QuaternionFloating,
    QuaternionSpherical,
    Revolute,
    RigidBody,
    RotationVectorFloating,
    RotationVectorSpherical,
    Screw,
    SinCosRevolute,
    SpatialInertia,
    Transform,
    Universal,
    Wrench,
)

Numbers = NDArray[Any]
STEP = 1e-30  # of complex steps: its square vanishes beside 1, so that derivatives are exact to rounding
SQUARE = tuple(np.array([[2, -1, 2], [2, 2, -1], [-1, 2, 2]]) / 3)  # an oblique orthonormal basis, in rows

JOINT_TYPES: dict[str, JointType] = {
    "revolute z": Revolute((0, 0, 1)),
    "revolute oblique": Revolute((1, -2, 3)),
    "prismatic x": Prismatic((1, 0, 0)),
    "prismatic oblique": Prismatic((2, 1, -1)),
    "screw y": Screw((0, 1, 0), 0.3),
    "screw oblique": Screw((1, 1, 2), -0.2),
    "fixed": Fixed(),
    "planar": Planar((1, 0, 0), (0, 1, 0)),
    "planar oblique": Planar(SQUARE[0], SQUARE[1]),
    "sin-cos": SinCosRevolute((1, 0, 0)),
    "sin-cos oblique": SinCosRevolute((3, 1, 1)),
    "spherical": QuaternionSpherical(),
    "floating": QuaternionFloating(),
    "MRP floating": MRPFloating(),
    "rotation vector spherical": RotationVectorSpherical(),
    "rotation vector floating": RotationVectorFloating(),
    "universal": Universal((1, 0, 0), (0, 1, 0)),
    "universal oblique": Universal(SQUARE[2], SQUARE[0]),
}
RANDOM = {
    "chain": rbd.testing.random_chain,
    "tree": rbd.testing.random_tree,
    "floating tree": rbd.testing.random_floating_tree,
}


def examples(share: float) -> settings:
    """Return settings that run `share` of the profile's examples: interpreted algorithms cost milliseconds."""
    return settings(max_examples=max(2, round(settings.default.max_examples * share)))


@dataclass(frozen=True)
class Case:
    """A mechanism in a random state, and the generator that made them."""

    mechanism: Mechanism
    state: MechanismState
    rng: np.random.Generator

    def velocity(self) -> Numbers:
        """Return random numbers, one per velocity: torques, accelerations, ..."""
        return self.rng.standard_normal(self.mechanism.nv)

    def body(self) -> RigidBody:
        """Return a random body, perhaps the root."""
        return self.mechanism.bodies[self.rng.integers(len(self.mechanism.bodies))]

    def wrenches(self, frame: str = "root") -> dict[RigidBody, Wrench]:
        """Return random wrenches on most bodies, in the root frame or in body frames."""
        out = {}
        for body in self.mechanism.bodies[1:]:
            if self.rng.random() < 0.7:
                at = self.mechanism.root_frame if frame == "root" else body.default_frame
                out[body] = Wrench(at, self.rng.standard_normal(3), self.rng.standard_normal(3))
        return out


def case(kind: str, seed: int, bodies: int = 7, passive: bool = False) -> Case:
    """Make a case: `kind` is "chain", "tree", "floating tree" or the name of a joint type (alone in a short chain)."""
    rng = np.random.default_rng(seed)
    if kind in RANDOM:
        names = rng.permutation(list(JOINT_TYPES))[:bodies]
        mechanism = RANDOM[kind]([JOINT_TYPES[name] for name in names], rng)
    else:
        types = [Revolute((0, 1, 0)), JOINT_TYPES[kind], JOINT_TYPES[kind], Revolute((1, 1, 0))]
        mechanism = rbd.testing.random_chain(types, rng)
    for joint in mechanism.tree_joints:
        set_passive(joint, rng, on=passive)
    state = MechanismState(mechanism)
    state.randomize(rng)
    return Case(mechanism, state, rng)


def set_passive(joint: Joint, rng: np.random.Generator, *, on: bool) -> None:
    """Give a joint random passive parameters and armature, or none."""
    for name in ("damping", "friction", "armature", "bound_stiffness", "bound_damping"):
        setattr(joint, name, list(rng.uniform(0.1, 1.0, joint.nv)) if on else 0.0)
    joint.friction_velocity = 0.3
    joint.position_bounds = [(-0.2, 0.1)] * joint.nq if on and joint.nq == joint.nv == 1 else None


def cases(*kinds: str, bodies: int = 7, passive: bool = False) -> st.SearchStrategy[Case]:
    """Return a strategy for cases."""
    seeds = st.integers(0, 2**32 - 1)
    return st.builds(case, st.sampled_from(kinds or tuple(RANDOM)), seeds, st.just(bodies), st.just(passive))


# --- numbers out of values --------------------------------------------------------------------------------------


def pose(tf: Transform) -> Numbers:
    """Return a transform as a 4x4 matrix of whatever scalars it holds."""
    rows = [[*row, x] for row, x in zip(tf.rotation_components, tf.translation_components, strict=True)]
    return np.array([*rows, [0, 0, 0, 1]], dtype=complex)


def six(value: Any) -> Numbers:
    """Return a twist, wrench, momentum or acceleration as six numbers."""
    return np.array([*value.angular_components, *value.linear_components], dtype=complex)


def columns(matrix: Any) -> Numbers:
    """Return a Jacobian, momentum or wrench matrix as a 6xn array."""
    return np.array([[*a, *b] for a, b in matrix.columns], dtype=complex).reshape(-1, 6).T


def close(actual: Any, expected: Any, relative: float = 1e-11, scale: float = 0.0) -> None:
    """Assert that two arrays agree, relative to the largest number in sight (at least `scale`)."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    if actual.size:
        size = max(np.abs(actual).max(), np.abs(expected).max(), scale, 1e-300)
        error = np.abs(actual - expected).max()
        assert error <= relative * size, f"off by {error:.3g}, {error / size:.3g} of {size:.3g}"


def raised(call: Callable[[], Any]) -> Any:
    """Return what `call` raises, or else what it returns."""
    try:
        return call()
    except Exception as error:
        return error


# --- derivatives along the motion ---------------------------------------------------------------------------------


def moving(state: MechanismState, vd: Numbers | None = None, v: Numbers | None = None) -> Any:
    """Return the state a complex step ahead: q moves with `v` (default: its own), v with `vd` (default: not)."""
    q, now = state.q.copy(), state.v.copy()
    other = MechanismState(state.mechanism, q, now if v is None else v)
    qd = np.asarray(other.configuration_derivative(), dtype=float)
    vd = np.zeros(len(now)) if vd is None else vd
    return state.with_scalars(q + 1j * STEP * qd, now + 1j * STEP * vd)


def rate(
    state: MechanismState, f: Callable[[Any], Any], vd: Numbers | None = None, v: Numbers | None = None
) -> Numbers:
    """Return the time derivative of `f(state)`, exact to rounding."""
    return np.imag(np.asarray(f(moving(state, vd, v)), dtype=complex)) / STEP


def twist_from_poses(state: MechanismState, body: RigidBody, v: Numbers | None = None) -> Numbers:
    """Return the twist of a body with respect to the root, in the root frame, from the derivative of its pose."""
    H = pose(state.transform_to_root(body)).real
    W = rate(state, lambda s: pose(s.transform_to_root(body)), v=v) @ np.linalg.inv(H)
    np.testing.assert_allclose(W[:3, :3] + W[:3, :3].T, 0, rtol=0, atol=1e-12 * max(1.0, np.abs(W).max()))
    return np.array([W[2, 1], W[0, 2], W[1, 0], *W[:3, 3]])


def jacobians_from_poses(state: MechanismState) -> dict[RigidBody, Numbers]:
    """Return the 6 x nv Jacobian of every body but the root, with respect to the root, in the root frame."""
    nv, bodies = state.mechanism.nv, state.mechanism.bodies[1:]
    out = {body: np.zeros((6, nv)) for body in bodies}
    poses = {body: np.linalg.inv(pose(state.transform_to_root(body)).real) for body in bodies}
    for k in range(nv):
        ahead = moving(state, v=np.eye(nv)[k])
        for body in bodies:
            W = pose(ahead.transform_to_root(body)).imag / STEP @ poses[body]
            out[body][:, k] = [W[2, 1], W[0, 2], W[1, 0], *W[:3, 3]]
    return out


# --- dynamics from first principles ---------------------------------------------------------------------------------


def root_inertia(state: Any, body: RigidBody) -> SpatialInertia:
    """Return a body's inertia in the root frame."""
    return body.inertia.transformed(state.transform_to_root(body))


def body_momentum(state: Any, body: RigidBody) -> Numbers:
    """Return the momentum of one body, in the root frame."""
    return six(root_inertia(state, body) @ state.twist(body))


def weight(state: MechanismState, body: RigidBody) -> Numbers:
    """Return the wrench of gravity on a body, in the root frame, about its origin."""
    force = body.inertia.mass * state.mechanism.gravity.xyz
    if not body.inertia.mass:
        return np.zeros(6)
    com = (state.transform_to_root(body) @ body.inertia.center_of_mass).xyz
    return np.concatenate([np.cross(com, force), force])


def in_root(state: MechanismState, wrench: Wrench) -> Numbers:
    """Return a wrench given in any frame as six numbers in the root frame."""
    return state.transform(wrench, state.mechanism.root_frame).vector


def armature(mechanism: Mechanism) -> Numbers:
    """Return the armature of all velocities."""
    return np.array([float(a) for joint in mechanism.tree_joints for a in joint.armature])


def inverse_dynamics_oracle(
    state: MechanismState, vd: Numbers, wrenches: Mapping[RigidBody, Wrench] | None = None
) -> Numbers:
    """Return the torques that `vd` takes, without passive ones: virtual work of every body's momentum rate."""
    tau = armature(state.mechanism) * vd
    for body, J in jacobians_from_poses(state).items():
        push = rate(state, lambda s, body=body: body_momentum(s, body), vd) - weight(state, body)
        if wrenches and body in wrenches:
            push = push - in_root(state, wrenches[body])
        tau = tau + J.T @ push
    return tau


def mass_matrix_oracle(state: MechanismState) -> Numbers:
    """Return M from poses and inertias alone."""
    M = np.diag(armature(state.mechanism))
    for body, J in jacobians_from_poses(state).items():
        M = M + J.T @ root_inertia(state, body).matrix @ J
    return M
