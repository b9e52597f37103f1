"""Golden numbers of real robots (tests/data/pinocchio), and rbd mechanisms to compare with them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rbd
from rbd import (
    Frame,
    Joint,
    JointType,
    Mechanism,
    MechanismState,
    Prismatic,
    QuaternionFloating,
    Revolute,
    RigidBody,
    SinCosRevolute,
    SpatialInertia,
    Transform,
    Wrench,
)

Numbers = NDArray[np.float64]
FOLDER = Path(__file__).parents[1] / "data" / "pinocchio"
ROBOTS = sorted(path.stem for path in FOLDER.glob("*.json"))
# (passes through every state, needs one row per body): the latter are stored for fewer states.
WHOLE = ("poses", "joint_wrenches", "momentum_matrix")
_WIDTH = {"floating": (7, 6)}


@cache
def description(robot: str) -> dict[str, Any]:
    return json.loads((FOLDER / f"{robot}.json").read_text())


@cache
def golden(robot: str) -> Mapping[str, Numbers]:
    with np.load(FOLDER / f"{robot}.npz", allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def joint_type(row: dict[str, Any]) -> JointType:
    match row["kind"]:
        case "floating":
            return QuaternionFloating()
        case "prismatic":
            return Prismatic(row["axis"])
        case "continuous":
            return SinCosRevolute(row["axis"])  # the URDF reader makes Revolute of these: both are compared
        case _:
            return Revolute(row["axis"])


def shuffled(rows: list[dict[str, Any]], rng: np.random.Generator) -> list[dict[str, Any]]:
    """Return the rows of a description in a random order in which bodies can be attached."""
    left, known, order = list(rows), {None}, list[dict[str, Any]]()
    while left:
        row = left.pop(int(rng.choice([i for i, row in enumerate(left) if row["parent"] in known])))
        known.add(row["joint"])
        order.append(row)
    return order


def from_description(
    robot: str, rng: np.random.Generator | None = None, make: Callable[[dict[str, Any]], JointType] = joint_type
) -> Mechanism:
    """Build the robot by the public interface, from the neutral description alone; in a random order with an `rng`."""
    data = description(robot)
    mechanism = Mechanism(gravity=data["gravity"])
    for row in data["joints"] if rng is None else shuffled(data["joints"], rng):
        joint = Joint(row["joint"], make(row))
        frame = Frame(f"link behind {joint.name}")
        inertia = SpatialInertia(frame, mass=row["mass"], com=row["com"], moment_about_com=row["moment_about_com"])
        parent = mechanism.root_body if row["parent"] is None else mechanism.successor(mechanism.joint(row["parent"]))
        pose = Transform(joint.frame_before, parent.default_frame, row["rotation"], row["translation"])
        mechanism.attach(parent, RigidBody(f"link {joint.name}", inertia), joint, joint_pose=pose)
    return mechanism


class Comparison:
    """One mechanism, driven through the golden states; coordinates are matched by the names of joints."""

    def __init__(self, robot: str, mechanism: Mechanism) -> None:
        self.data, self.mechanism = golden(robot), mechanism
        self.joints, self.q_map, self.v_map = [], [], []
        free = [joint for joint in mechanism.tree_joints if joint.nv == 6]
        state, q_at = MechanismState(mechanism), 0
        for row in description(robot)["joints"]:
            joint = free[0] if row["kind"] == "floating" else mechanism.joint(row["joint"])
            nq, _ = _WIDTH.get(row["kind"], (1, 1))
            self.joints.append(joint)
            self.q_map.append((q_at, q_at + nq, state.q_slice(joint), isinstance(joint.type, SinCosRevolute)))
            self.v_map += list(range(mechanism.nv))[state.v_slice(joint)]
            q_at += nq
        assert sorted(self.v_map) == list(range(mechanism.nv)), "the robots have different joints"

    def ours(self, vector: Numbers) -> Numbers:
        """Bring a golden vector of velocities or torques into the mechanism's order."""
        out = np.empty_like(vector)
        out[self.v_map] = vector
        return out

    def configuration(self, golden_q: Numbers) -> Numbers:
        q = np.empty(self.mechanism.nq)
        for start, stop, ours, sin_cos in self.q_map:
            part = golden_q[start:stop]
            q[ours] = [np.sin(part[0]), np.cos(part[0])] if sin_cos else part
        return q

    def quantities(self, k: int) -> dict[str, Numbers]:
        """Return everything of golden state `k`, in golden order."""
        state = MechanismState(self.mechanism, self.configuration(self.data["q"][k]), self.ours(self.data["v"][k]))
        vd, tau = self.ours(self.data["vd"][k]), self.ours(self.data["tau"][k])
        last = self.mechanism.successor(self.joints[-1])
        load = {last: Wrench(self.joints[-1].frame_after, self.data["wrench"][k][:3], self.data["wrench"][k][3:])}
        result = rbd.dynamics(
            rbd.DynamicsResult(self.mechanism), state, rbd.inverse_dynamics(state, vd)
        )  # its vd is the golden one
        centroidal = rbd.centroidal_momentum_matrix(state)
        path = self.mechanism.path(self.mechanism.root_body, last)
        at = self.v_map
        out = {
            "mass_matrix_lower": rbd.mass_matrix(state)[np.ix_(at, at)][np.tril_indices(len(at))],
            "bias": rbd.dynamics_bias(state)[at],
            "gravity": rbd.gravity_torques(state)[at],
            "inverse_dynamics": rbd.inverse_dynamics(state, vd)[at],
            "inverse_dynamics_external": rbd.inverse_dynamics(state, vd, load)[at],
            "forward_dynamics": rbd.forward_dynamics(state, tau)[at],
            "forward_dynamics_external": rbd.forward_dynamics(state, tau, load)[at],
            "jacobian": rbd.geometric_jacobian(state, path).matrix[:, at],
            "twist": state.twist(last).vector,
            "acceleration": result.acceleration(last).vector,
            "com": rbd.center_of_mass(state).xyz,
            "kinetic_energy": rbd.kinetic_energy(state),
            "potential_energy": rbd.gravitational_potential_energy(state),
            "centroidal_momentum_matrix": centroidal.matrix[:, at],
            "momentum": rbd.momentum(state).vector,
            "momentum_rate": rbd.momentum_matrix(state).matrix @ vd + rbd.momentum_rate_bias(state).vector,
        }
        if k < len(self.data["poses"]):
            poses = [state.transform_to_root(self.mechanism.successor(joint)).matrix[:3] for joint in self.joints]
            out["poses"] = np.array(poses)
            out["joint_wrenches"] = np.array([result.joint_wrench(joint).vector for joint in self.joints])
            out["momentum_matrix"] = rbd.momentum_matrix(state).matrix[:, at]
        return {name: np.asarray(value) for name, value in out.items()}


QUANTITIES = [
    "mass_matrix_lower",
    "bias",
    "gravity",
    "inverse_dynamics",
    "inverse_dynamics_external",
    "forward_dynamics",
    "forward_dynamics_external",
    "jacobian",
    "twist",
    "acceleration",
    "com",
    "kinetic_energy",
    "potential_energy",
    "centroidal_momentum_matrix",
    "momentum",
    "momentum_rate",
    *WHOLE,
]


def tolerance(name: str, expected: Numbers, relative: float = 1e-10) -> Numbers:
    """Return the allowed error of every entry, relative to the size of that entry over all states.

    Entries of the mass matrix are measured by their diagonal entries, so that light fingers count as much as a heavy
    trunk; others have a floor at 1e-5 of the largest, where nothing but rounding may remain.
    """
    if name == "mass_matrix_lower":
        size = round((np.sqrt(8 * expected.shape[1] + 1) - 1) / 2)
        rows, columns = np.tril_indices(size)
        diagonal = expected[:, rows == columns]
        return relative * np.sqrt(diagonal[:, rows] * diagonal[:, columns])
    scale = np.abs(expected).max(axis=0)
    return relative * np.maximum(scale, (1e-5 if relative < 1e-8 else 1e-2) * scale.max())
