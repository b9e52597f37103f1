"""Programs of the robots are those of earlier versions: their digests, in `tests/data/program_digests.json`.

A change that is meant writes the file again: `python -m tests.compiled.test_digests`; its commit says why.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import rbd
from rbd import algorithms, contact

Algorithm: TypeAlias = Callable[[Any, Any], object]
"""A function of a state and one number per velocity."""
FILE = Path(__file__).parents[1] / "data" / "program_digests.json"
ROBOTS: dict[str, Callable[[], rbd.Mechanism]] = {
    "double_pendulum": rbd.robots.double_pendulum,
    "arm7": rbd.robots.arm7,
    "quadruped": rbd.robots.quadruped,
    "humanoid": rbd.robots.humanoid,
    "hand": lambda: rbd.robots.hand()[0],
    "four_bar": rbd.robots.four_bar,
}
METHODS = (
    "forward_kinematics", "inverse_dynamics", "mass_matrix", "inverse_mass_matrix", "dynamics_bias", "forward_dynamics",
    "momentum_matrix", "forward_dynamics_derivatives", "step",
)  # fmt: skip
OF_TREES = ("inverse_dynamics_derivatives",)


def last(state: Any) -> rbd.RigidBody:
    body: rbd.RigidBody = state.mechanism.bodies[-1]
    return body


def point(state: Any) -> rbd.Point[Any]:
    return rbd.Point(last(state).default_frame, (0.1, 0.2, 0.3))


ALGORITHMS: dict[str, Algorithm] = {
    "geometric_jacobian": lambda s, x: rbd.geometric_jacobian(s, last(s)),
    "geometric_jacobian_rate": lambda s, x: algorithms.geometric_jacobian_rate(s, last(s)),
    "point_jacobian": lambda s, x: rbd.point_jacobian(s, last(s), point(s)),
    "point_jacobian_rate": lambda s, x: algorithms.point_jacobian_rate(s, last(s), point(s)),
    "coriolis_matrix": lambda s, x: rbd.coriolis_matrix(s),
    "gravity_torques": lambda s, x: rbd.gravity_torques(s),
    "passive_torques": lambda s, x: rbd.passive_torques(s),
    "momentum": lambda s, x: rbd.momentum(s),
    "momentum_rate_bias": lambda s, x: rbd.momentum_rate_bias(s),
    "centroidal_momentum_matrix": lambda s, x: rbd.centroidal_momentum_matrix(s),
    "center_of_mass": lambda s, x: rbd.center_of_mass(s),
    "center_of_mass_jacobian": lambda s, x: algorithms.center_of_mass_jacobian(s),
    "kinetic_energy": lambda s, x: rbd.kinetic_energy(s),
    "gravitational_potential_energy": lambda s, x: rbd.gravitational_potential_energy(s),
    "spatial_accelerations": lambda s, x: list(rbd.spatial_accelerations(s, x).values()),
    "regressor": rbd.regressor,
    "dynamics": rbd.dynamics,
}
OF_SMALL_ROBOTS: dict[str, Algorithm] = {
    "inverse_dynamics_second_derivatives": rbd.inverse_dynamics_second_derivatives,
    "step_derivatives": lambda s, x: rbd.step_derivatives(s, x, 1e-3),
}
OF_LOOPS: dict[str, Algorithm] = {
    "constraint_jacobian": lambda s, x: rbd.constraint_jacobian(s),
    "constraint_bias": lambda s, x: rbd.constraint_bias(s),
    "constraint_error": lambda s, x: rbd.constraint_error(s),
    "constrained_dynamics_derivatives": algorithms.constrained_dynamics_derivatives,
    "step_derivatives": OF_SMALL_ROBOTS["step_derivatives"],
}


def contact_step(model: contact.CollisionModel) -> Algorithm:
    return lambda s, x: contact.contact_step(s, model, x, 1e-3, friction=0.5)


def with_contact(robot: str) -> tuple[rbd.Mechanism, dict[str, Algorithm]]:
    """Return a robot, and its algorithms with contact."""
    if robot == "hand":
        mechanism, model = rbd.robots.hand()
        return mechanism, {"contact_step": contact_step(model)}
    mechanism = ROBOTS[robot]()
    if robot != "quadruped":
        return mechanism, {}
    polyhedral = rbd.robots.quadruped_collision_model(mechanism)
    round_cones = rbd.robots.quadruped_collision_model(mechanism, friction_cone="round")
    return mechanism, {
        "contact_step": contact_step(polyhedral),
        "contact_step_with_round_cones": contact_step(round_cones),
        "solve_contact": lambda s, x: contact.solve_contact(s, polyhedral, x),
    }


FURTHER = {"double_pendulum": OF_SMALL_ROBOTS, "arm7": OF_SMALL_ROBOTS, "four_bar": OF_LOOPS}


def digests(robot: str) -> dict[str, str]:
    """Return the digests of a robot's programs."""
    mechanism, contacts = with_contact(robot)
    compiled, methods = rbd.compile(mechanism), [*METHODS, *(() if mechanism.loop_joints else OF_TREES)]
    found = {name: compiled.function(name).program.digest for name in methods}
    for name, algorithm in (ALGORITHMS | FURTHER.get(robot, {}) | contacts).items():
        found[name] = rbd.record(recorded(algorithm), mechanism, x=mechanism.nv).program.digest
    return found


def recorded(algorithm: Algorithm) -> Algorithm:
    """Return an algorithm as a function with the names of arguments that `rbd.record` needs."""
    return lambda state, x: algorithm(state, x)


@pytest.mark.parametrize("robot", ROBOTS)
def test_programs_are_those_of_earlier_versions(robot: str) -> None:
    assert digests(robot) == json.loads(FILE.read_text(encoding="utf-8"))[robot]


if __name__ == "__main__":
    FILE.write_text(json.dumps({robot: digests(robot) for robot in ROBOTS}, indent=1) + "\n", encoding="utf-8")
