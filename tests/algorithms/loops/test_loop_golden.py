"""Loops against the constrained dynamics of Pinocchio: four-bar linkages, spatial loops closed by balls and welds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbd
from rbd import Fixed, Frame, Joint, Mechanism, MechanismState, QuaternionSpherical, Revolute, RigidBody, SpatialInertia

GOLDEN = json.loads((Path(__file__).parents[2] / "data" / "pinocchio_loops.json").read_text(encoding="utf-8"))
CASES = GOLDEN["cases"]
LOOPS = {"planar": Revolute((0, 0, 1)), "spherical": QuaternionSpherical(), "fixed": Fixed()}


def built(case: dict[str, Any]) -> Mechanism:
    """Return the mechanism of a case."""
    mechanism = Mechanism(gravity=GOLDEN["gravity"])
    ends = []
    for c, chain in enumerate(case["chains"]):
        parent = mechanism.root_body
        for k, row in enumerate(chain):
            joint, frame = Joint(f"joint {c}{k}", Revolute(row["axis"])), Frame(f"{c}{k}")
            inertia = SpatialInertia(
                frame, mass=row["mass"], com=row["com"], moment_about_com=np.array(row["moment_about_com"])
            )
            body = RigidBody(frame.name, inertia)
            pose = rbd.Transform(joint.frame_before, parent.default_frame, row["rotation"], row["translation"])
            mechanism.attach(parent, body, joint, joint_pose=pose)
            parent = body
        ends.append(parent)
    loop = Joint("loop", LOOPS[case["kind"]])
    places = [(case[name]["rotation"], case[name]["translation"]) for name in ("first", "second")]
    before = rbd.Transform(loop.frame_before, ends[0].default_frame, *places[0])
    after = rbd.Transform(loop.frame_after, ends[1].default_frame, *places[1])
    mechanism.attach(ends[0], ends[1], loop, joint_pose=before, successor_pose=after.inverse())
    return mechanism


@pytest.mark.parametrize("case", CASES, ids=[f"{case['kind']} {k}" for k, case in enumerate(CASES)])
def test_accelerations_are_those_of_pinocchio(case: dict[str, Any]) -> None:
    mechanism = built(case)
    state = MechanismState(mechanism, case["q"], case["v"])
    assert float(rbd.loop_gap(state)) < 1e-12
    assert np.abs(rbd.constraint_jacobian(state) @ state.v).max() < 1e-10
    vd = np.array(case["vd"])
    found = rbd.forward_dynamics(state, case["tau"], stabilization=None)
    np.testing.assert_allclose(found, vd, rtol=1e-9, atol=1e-9 * np.abs(vd).max())
    result = rbd.dynamics(rbd.DynamicsResult(mechanism), state, case["tau"], stabilization=None)
    np.testing.assert_allclose(result.vd, vd, rtol=1e-9, atol=1e-9 * np.abs(vd).max())
    assert result.constraint_rank == {"planar": 2, "spherical": 3, "fixed": 6}[case["kind"]]
