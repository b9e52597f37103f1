"""Recorded programs of all algorithms and joint types agree with their Python source."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbd
from rbd.kernels.kernel import kernels
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalar_states.scalar_state import ScalarState
from tests.algorithms.catalog import ALGORITHMS, flat
from tests.algorithms.helpers import JOINT_TYPES, case, close


def recorded(state: rbd.MechanismState, algorithm: Any) -> Program:
    """Record what an algorithm says about a state, with its coordinates as inputs."""
    graph = Graph()
    q, v = graph.input("q", (len(state.q),)), graph.input("v", (len(state.v),))
    return Program.of(graph, "p", {"out": tuple(flat(algorithm(state.with_scalars(q, v))))})


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("kind", [*JOINT_TYPES, "tree"])
def test_programs_agree_with_the_source(name: str, kind: str) -> None:
    state = case(kind, seed=127, passive=True).state
    program = recorded(state, ALGORITHMS[name])
    expected = flat(ALGORITHMS[name](state.with_scalars(list(state.q), list(state.v))))
    close(list(program.interpret(q=state.q, v=state.v)["out"]), expected, 1e-12, scale=1e-6)


def arm_program(name: str, *arguments: str) -> tuple[rbd.Mechanism, Program]:
    arm = rbd.robots.arm7()
    graph = Graph()
    state = ScalarState(arm, graph.input("q", (7,)), graph.input("v", (7,)))
    out = kernels()[name](state, *(graph.input(argument, (7,)) for argument in arguments))
    return arm, Program.of(graph, name, {"out": out})


def test_forward_dynamics_inverts_inverse_dynamics() -> None:
    rng = np.random.default_rng(7)
    _, inverse = arm_program("inverse_dynamics", "vd")
    _, forward = arm_program("forward_dynamics", "tau")
    q, v, vd = rng.normal(size=(3, 7))
    torques = inverse.interpret(q=q, v=v, vd=vd)["out"]
    assert np.allclose(forward.interpret(q=q, v=v, tau=torques)["out"], vd, rtol=1e-10, atol=1e-10)


def test_recording_is_deterministic() -> None:
    assert arm_program("forward_dynamics", "tau")[1].digest == arm_program("forward_dynamics", "tau")[1].digest
