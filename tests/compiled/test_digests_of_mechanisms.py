"""Programs of 200 mechanisms of all joint types are those of earlier versions: one digest of each, of all algorithms.

The default run has the first 20, `pytest -m deep` the others. A change that is meant writes the file again:
`python -m tests.compiled.test_digests_of_mechanisms`; its commit says why.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import attrs
import pytest

import rbd
from tests.compiled.exact_mechanisms import JOINT_TYPES, exact_mechanism
from tests.compiled.test_digests import ALGORITHMS, OF_LOOPS, Algorithm

FILE = Path(__file__).parents[1] / "data" / "mechanism_digests.json"
COUNT, SAMPLE = 200, 20
SEEDS = [*range(SAMPLE), *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(SAMPLE, COUNT))]
OF_ALL: dict[str, Algorithm] = ALGORITHMS | {
    "poses": lambda s, x: [s.transform_to_root(body) for body in s.mechanism.bodies],
    "inverse_dynamics": lambda s, x: rbd.inverse_dynamics(s, x),
    "mass_matrix": lambda s, x: rbd.mass_matrix(s),
    "inverse_mass_matrix": lambda s, x: rbd.inverse_mass_matrix(s),
    "dynamics_bias": lambda s, x: rbd.dynamics_bias(s),
    "forward_dynamics": lambda s, x: rbd.forward_dynamics(s, x),
    "momentum_matrix": lambda s, x: rbd.momentum_matrix(s),
    "forward_dynamics_derivatives": lambda s, x: rbd.forward_dynamics_derivatives(s, x),
}
OF_TREES: dict[str, Algorithm] = {"inverse_dynamics_derivatives": lambda s, x: rbd.inverse_dynamics_derivatives(s, x)}


def digest(seed: int) -> str:
    """Return the digest of one program that computes the results of all algorithms.

    Solvers that it calls count with the sizes of their arguments; their sources are in the digests of the robots.
    """
    mechanism = exact_mechanism(seed)
    further = OF_LOOPS if mechanism.loop_joints else OF_TREES
    algorithms = [each for name, each in (OF_ALL | further).items() if name != "step_derivatives"]

    def results(state: Any, x: Any) -> list[object]:
        return [each(state, x) for each in algorithms]

    program = rbd.record(results, mechanism, x=mechanism.nv).program
    ports = [(port.name, port.shape) for port in (*program.inputs, *program.outputs)]
    calls = [(call.sizes, attrs.astuple(call.lengths), call.operations) for call in program.calls]
    content = (ports, program.constants, program.code, program.results, program.labels, calls)
    return hashlib.sha256(repr(content).encode()).hexdigest()


@pytest.mark.parametrize("seed", SEEDS)
def test_programs_are_those_of_earlier_versions(seed: int) -> None:
    assert digest(seed) == json.loads(FILE.read_text(encoding="utf-8"))[seed]


def test_the_sample_has_all_joint_types_loops_and_passive_parameters() -> None:
    mechanisms = [exact_mechanism(seed) for seed in range(SAMPLE)]
    kinds = {repr(joint.type) for mechanism in mechanisms for joint in mechanism.tree_joints}
    assert {repr(kind) for kind in JOINT_TYPES} <= kinds
    assert {len(mechanism.loop_joints) for mechanism in mechanisms} == {0, 1}
    assert {any(joint.damping) for mechanism in mechanisms for joint in mechanism.tree_joints} == {True, False}


if __name__ == "__main__":
    FILE.write_text(json.dumps([digest(seed) for seed in range(COUNT)], indent=1) + "\n", encoding="utf-8")
