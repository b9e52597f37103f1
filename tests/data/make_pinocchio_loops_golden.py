"""Write tests/data/pinocchio_loops.json: constrained accelerations of mechanisms with loops, computed by Pinocchio.

Needs the `peers` group (`pin`); run `python tests/data/make_pinocchio_loops_golden.py`.

Every case is a mechanism of two chains of revolute joints that stand on the ground, closed by one loop joint between
their last bodies, in one state that keeps the loop. Placements are those of the joints in the body before them;
`first` and `second` are the places of the loop joint on the two last bodies. All accelerations are `vd` for the torques
`tau`, without stabilisation. The planar case is a four-bar linkage.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pinocchio as pin

TARGET = Path(__file__).parent / "pinocchio_loops.json"
CASES = 6
EXACT = 1e-14, 1e-12, 200  # accuracy, regularisation, iterations of the proximal solver


def body(rng: np.random.Generator, planar: bool) -> dict[str, object]:
    """Return a joint and the body behind it."""
    axis = np.array([0.0, 0.0, 1.0]) if planar else rng.standard_normal(3)
    rotation = np.eye(3) if planar else pin.SE3.Random().rotation
    root = rng.standard_normal((3, 3))
    spread = root @ root.T / 20 + np.eye(3) / 20  # second moments of mass, of which any positive ones are physical
    moment = np.trace(spread) * np.eye(3) - spread
    return {
        "axis": (axis / np.linalg.norm(axis)).tolist(),
        "rotation": rotation.tolist(),
        "translation": [*rng.uniform(0.3, 0.6, 1 if planar else 3), *([0.0, 0.0] if planar else [])],
        "mass": rng.uniform(0.5, 2.0),
        "com": rng.uniform(-0.2, 0.2, 3).tolist(),
        "moment_about_com": moment.tolist(),
    }


def build(chains: list[list[dict[str, object]]]) -> pin.Model:
    """Return the tree of both chains."""
    model = pin.Model()
    for c, chain in enumerate(chains):
        parent = 0
        for k, row in enumerate(chain):
            place = pin.SE3(np.array(row["rotation"]), np.array(row["translation"]))
            joint = pin.JointModelRevoluteUnaligned(np.array(row["axis"]))
            parent = model.addJoint(parent, joint, place, f"{c}{k}")
            inertia = pin.Inertia(row["mass"], np.array(row["com"]), np.array(row["moment_about_com"]))
            model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    return model


def opening(model: pin.Model, q: np.ndarray, places: tuple, rows: int) -> np.ndarray:
    """Return how velocities move two frames apart: the first rows of the difference of their Jacobians."""
    model = model.copy()
    frames = [
        model.addFrame(pin.Frame(f"end {k}", joint, place, pin.FrameType.OP_FRAME))
        for k, (joint, place) in enumerate(places)
    ]
    data, axes = model.createData(), pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    one, two = (pin.computeFrameJacobian(model, data, q, frame, axes) for frame in frames)
    return (one - two)[:rows]


def case(kind: str, lengths: tuple[int, int], rng: np.random.Generator) -> dict[str, object]:
    """Return one mechanism in one state, with its accelerations."""
    planar = kind == "planar"
    chains = [[body(rng, planar) for _ in range(n)] for n in lengths]
    model = build(chains)
    data = model.createData()
    ends = lengths[0], sum(lengths)
    q, tau = rng.uniform(-2.0, 2.0, model.nq), rng.standard_normal(model.nv)
    pin.forwardKinematics(model, data, q)
    first = pin.SE3(np.eye(3), np.array([0.4, 0.1, 0.0])) if planar else pin.SE3.Random()
    second = data.oMi[ends[1]].actInv(data.oMi[ends[0]] * first)
    contact = pin.ContactType.CONTACT_6D if kind == "fixed" else pin.ContactType.CONTACT_3D
    loop = pin.RigidConstraintModel(contact, model, ends[0], first, ends[1], second, pin.ReferenceFrame.LOCAL)
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    models.append(loop)
    datas.append(loop.createData())
    jacobian = opening(model, q, ((ends[0], first), (ends[1], second)), 6 if kind == "fixed" else 3)
    v = rng.standard_normal(model.nv)
    v -= np.linalg.pinv(jacobian, rcond=1e-9) @ (jacobian @ v)
    pin.initConstraintDynamics(model, data, models, datas)
    settings = pin.ProximalSettings(*EXACT)
    vd = pin.constraintDynamics(model, data, q, v, tau, models, datas, settings)
    places = {
        name: {"rotation": place.rotation.tolist(), "translation": place.translation.tolist()}
        for name, place in (("first", first), ("second", second))
    }
    state = {name: values.tolist() for name, values in (("q", q), ("v", v), ("tau", tau), ("vd", np.array(vd)))}
    return {"kind": kind, "chains": chains, **places, **state}


def main() -> None:
    """Write the file."""
    rng = np.random.default_rng(7)
    pin.seed(7)
    shapes = {"planar": (2, 1), "spherical": (3, 3), "fixed": (5, 4)}
    cases = [case(kind, lengths, rng) for kind, lengths in shapes.items() for _ in range(CASES)]
    content = {"pin": version("pin"), "gravity": [0.0, 0.0, -9.81], "cases": cases}
    TARGET.write_text(json.dumps(content, indent=None, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
