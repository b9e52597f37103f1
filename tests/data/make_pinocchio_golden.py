"""Write the golden numbers of tests/data/pinocchio: real robots, computed by Pinocchio.

Needs the `peers` group (`pin`, `example-robot-data`); run `python tests/data/make_pinocchio_golden.py`.

Each robot gets two files. `<robot>.json` is a neutral description of the tree (joints with parent, placement, axis,
inertia of the body behind the joint; fixed joints already merged), so that the numbers can be checked without the
robot's URDF, plus the versions that made it. `<robot>.npz` holds the numbers of 20 states.

Joints stand in Pinocchio's order, named; the coordinates of each joint follow rbd's conventions: a free joint has
q = (w, x, y, z, position), v = (angular, linear) in the body's frame; a continuous joint is one angle; six-vectors are
angular part first and, unless said, expressed in the world frame about its origin. `lower` arrays are the lower
triangle of a symmetric matrix, row by row. Passive torques are absent and rotor inertia is zero.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pinocchio as pin

STATES = 20
WHOLE = 4  # states for which the quantities of every body are kept
HERE = Path(__file__).parent / "pinocchio"
ROBOTS = Path(pin.__file__).parents[4] / "share/example-robot-data/robots"

# name: (file, floating base)
MODELS = {
    "double_pendulum": ("double_pendulum_description/urdf/double_pendulum_continuous.urdf", False),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", False),
    "panda": ("panda_description/urdf/panda.urdf", False),
    "kinova": ("kinova_description/robots/kinova.urdf", False),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", False),
    "tiago": ("tiago_description/robots/tiago_no_hand.urdf", False),
    "baxter": ("baxter_description/urdf/baxter.urdf", False),
    "borinot": ("borinot_description/urdf/borinot_flying_arm_2.urdf", True),
    "solo12": ("solo_description/robots/solo12.urdf", True),
    "anymal": ("anymal_c_simple_description/urdf/anymal.urdf", True),
    "talos": ("talos_data/robots/talos_reduced.urdf", True),
    "icub": ("icub_description/robots/icub_reduced.urdf", True),
}
AXES = {"X": [1.0, 0.0, 0.0], "Y": [0.0, 1.0, 0.0], "Z": [0.0, 0.0, 1.0]}


def kind_and_axis(joint: pin.JointModel) -> tuple[str, list[float] | None]:
    """Return our name of a joint's type, and its axis."""
    short = joint.shortname().removeprefix("JointModel")
    if short == "FreeFlyer":
        return "floating", None
    kind = "prismatic" if short.startswith("P") else "continuous" if short.startswith("RUB") else "revolute"
    if short.endswith("Unaligned"):
        return kind, [float(x) for x in joint.extract().axis]
    return kind, AXES[short[-1]]


def describe(model: pin.Model) -> list[dict[str, object]]:
    """Return the tree as plain data."""
    rows = []
    for index in range(1, model.njoints):
        kind, axis = kind_and_axis(model.joints[index])
        place, inertia, parent = model.jointPlacements[index], model.inertias[index], model.parents[index]
        rows.append(
            {
                "joint": model.names[index],
                "parent": None if parent == 0 else model.names[parent],
                "kind": kind,
                "axis": axis,
                "rotation": place.rotation.tolist(),
                "translation": place.translation.tolist(),
                "mass": float(inertia.mass),
                "com": inertia.lever.tolist(),
                "moment_about_com": inertia.inertia.tolist(),
            }
        )
    return rows


def maps(model: pin.Model) -> tuple[int, list[int]]:
    """Return our number of coordinates, and Pinocchio's index of each of our velocity coordinates."""
    nq, order = 0, []
    for joint in list(model.joints)[1:]:
        nq += 7 if joint.nq == 7 else 1
        order += [joint.idx_v + k for k in ((3, 4, 5, 0, 1, 2) if joint.nv == 6 else range(joint.nv))]
    return nq, order


def sample(model: pin.Model, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a random configuration, ours and Pinocchio's."""
    ours: list[float] = []
    theirs: list[float] = []
    for joint in list(model.joints)[1:]:
        kind, _ = kind_and_axis(joint)
        if kind == "floating":
            quat = rng.standard_normal(4)
            quat /= np.linalg.norm(quat)
            place = rng.uniform(-2.0, 2.0, 3)
            ours += [*quat, *place]
            theirs += [*place, *quat[1:], quat[0]]
        elif kind == "continuous":
            angle = rng.uniform(-7.0, 7.0)
            ours.append(angle)
            theirs += [np.cos(angle), np.sin(angle)]
        else:
            ours.append(rng.uniform(-0.5, 0.5) if kind == "prismatic" else rng.uniform(-3.1, 3.1))
            theirs.append(ours[-1])
    return np.array(ours), np.array(theirs)


def swap(rows: np.ndarray) -> np.ndarray:
    """Exchange the linear and angular halves of six-vectors (first axis)."""
    return np.concatenate([rows[3:], rows[:3]])


def about_origin(rows: np.ndarray, com: np.ndarray) -> np.ndarray:
    """Move angular-first momenta from about `com` to about the origin."""
    columns = rows.reshape(6, -1)
    return np.concatenate([columns[:3] + np.cross(com, columns[3:].T).T, columns[3:]]).reshape(rows.shape)


def numbers(model: pin.Model, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return every quantity of one random state."""
    data = model.createData()
    q, pin_q = sample(model, rng)
    _, order = maps(model)
    v, vd, tau = rng.standard_normal(model.nv), rng.standard_normal(model.nv), 10 * rng.standard_normal(model.nv)
    wrench = rng.standard_normal(6)  # on the last body, in its frame
    pin_v, pin_vd, pin_tau = np.empty(model.nv), np.empty(model.nv), np.empty(model.nv)
    pin_v[order], pin_vd[order], pin_tau[order] = v, vd, tau
    forces = [pin.Force.Zero() for _ in range(model.njoints)]
    forces[-1] = pin.Force(swap(wrench))
    last = model.njoints - 1

    out = {"q": q, "v": v, "vd": vd, "tau": tau, "wrench": wrench}
    pin.crba(model, data, pin_q)
    mass = np.triu(data.M) + np.triu(data.M, 1).T
    out["mass_matrix_lower"] = mass[np.ix_(order, order)][np.tril_indices(model.nv)]
    out["bias"] = pin.nle(model, data, pin_q, pin_v)[order]
    out["gravity"] = pin.computeGeneralizedGravity(model, data, pin_q)[order]
    out["forward_dynamics"] = pin.aba(model, data, pin_q, pin_v, pin_tau)[order]
    out["forward_dynamics_external"] = pin.aba(model, data, pin_q, pin_v, pin_tau, forces)[order]
    out["inverse_dynamics_external"] = pin.rnea(model, data, pin_q, pin_v, pin_vd, forces)[order]
    out["inverse_dynamics"] = pin.rnea(model, data, pin_q, pin_v, pin_vd)[order]
    local = [pin.Force(data.f[i]) for i in range(model.njoints)]
    jacobian = pin.computeJointJacobians(model, data, pin_q)
    jacobian = pin.getJointJacobian(model, data, last, pin.ReferenceFrame.WORLD)
    out["jacobian"] = swap(jacobian)[:, order]
    pin.forwardKinematics(model, data, pin_q, pin_v, pin_vd)
    out["joint_wrenches"] = np.array([swap(data.oMi[i].act(local[i]).vector) for i in range(1, model.njoints)])
    out["poses"] = np.array([data.oMi[i].homogeneous[:3] for i in range(1, model.njoints)])
    out["twist"] = swap(data.oMi[last].act(data.v[last]).vector)
    out["acceleration"] = swap(data.oMi[last].act(data.a[last]).vector)
    out["com"] = pin.centerOfMass(model, data, pin_q)
    out["kinetic_energy"] = np.array(pin.computeKineticEnergy(model, data, pin_q, pin_v))
    out["potential_energy"] = np.array(pin.computePotentialEnergy(model, data, pin_q))
    pin.ccrba(model, data, pin_q, pin_v)
    out["centroidal_momentum_matrix"] = swap(data.Ag)[:, order]
    out["momentum_matrix"] = about_origin(out["centroidal_momentum_matrix"], out["com"])
    out["momentum"] = about_origin(swap(data.hg.vector), out["com"])
    pin.computeCentroidalMomentumTimeVariation(model, data, pin_q, pin_v, pin_vd)
    out["momentum_rate"] = about_origin(swap(data.dhg.vector), out["com"])
    return {name: np.array(value) for name, value in out.items()}


def write(name: str, file: str, floating: bool, seed: int) -> None:
    """Write the two files of one robot."""
    text = (ROBOTS / file).read_text()
    model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer()) if floating else pin.buildModelFromXML(text)
    model.armature = np.zeros(model.nv)
    rng = np.random.default_rng(seed)
    states = [numbers(model, rng) for _ in range(STATES)]
    arrays = {key: np.array([state[key] for state in states]) for key in states[0]}
    for key in ("poses", "joint_wrenches", "momentum_matrix"):
        arrays[key] = arrays[key][:WHOLE]
    np.savez_compressed(HERE / f"{name}.npz", allow_pickle=False, **arrays)
    description = {
        "file": file,
        "floating": floating,
        "versions": {p: version(p) for p in ("pin", "example-robot-data", "numpy")},
        "seed": seed,
        "gravity": model.gravity.linear.tolist(),
        "joints": describe(model),
    }
    (HERE / f"{name}.json").write_text(json.dumps(description, indent=1) + "\n")


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for number, (robot, (path, free)) in enumerate(MODELS.items()):
        write(robot, path, free, 20 + number)
