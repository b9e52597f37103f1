"""Regrouped inertial parameters: the same joint torques with fewer operations."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.kernels.kernel import kernels
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalar_states.scalar_state import ScalarState
from tests.algorithms.helpers import JOINT_TYPES, case, close


@pytest.mark.parametrize("kind", [*JOINT_TYPES, "chain", "tree", "floating tree"])
def test_joint_torques_do_not_change(kind: str) -> None:
    state = case(kind, seed=11, bodies=12).state
    q, v = list(state.q), list(state.v)
    numbers = tuple(0.3 - 0.1 * k for k in range(len(v)))
    plain, moved = (ScalarState(state.mechanism, q, v, regroup=regroup) for regroup in (False, True))
    for name, arguments in (
        ("mass_matrix", ()),
        ("inverse_dynamics", (numbers,)),
        ("forward_dynamics", (numbers,)),
        ("dynamics_bias", ()),
        ("gravity_torques", ()),
    ):
        algorithm = kernels()[name]
        expected, actual = np.array(algorithm(plain, *arguments)), np.array(algorithm(moved, *arguments))
        close(list(actual.ravel()), list(expected.ravel()), 1e-9, scale=1e-3)


def test_inertias_of_bodies_do_not_change() -> None:
    state = case("chain", seed=3).state
    moved = ScalarState(state.mechanism, list(state.q), list(state.v), regroup=True)
    for body in state.mechanism.bodies[1:]:
        assert moved.inertia(body).components == state.inertia(body).components


def operations(mechanism: rbd.Mechanism, name: str, *inputs: str, regroup: bool) -> int:
    graph = Graph()
    q, v = graph.input("q", (mechanism.nq,)), graph.input("v", (mechanism.nv,))
    state = ScalarState(mechanism, q, v, regroup=regroup)
    outcome = kernels()[name](state, *(graph.input(key, (mechanism.nv,)) for key in inputs))
    return Program.of(graph, name, {"out": outcome}).count().total


@pytest.mark.parametrize(
    ("name", "inputs", "most", "most_regrouped"),
    [
        ("inverse_dynamics", ("vd",), 595, 515),
        ("mass_matrix", (), 295, 277),
        ("forward_dynamics", ("tau",), 1263, 1180),
    ],
)
def test_operation_counts_of_an_arm(name: str, inputs: tuple[str, ...], most: int, most_regrouped: int) -> None:
    """Counts are exact; they may only fall."""
    arm = rbd.robots.arm7()
    assert operations(arm, name, *inputs, regroup=False) <= most
    assert operations(arm, name, *inputs, regroup=True) <= most_regrouped
