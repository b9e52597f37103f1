"""Operation counts, which are exact: longer expressions fail here on any machine.

The tables are ceilings. Who makes a formula shorter lowers them.
"""

from __future__ import annotations

import pytest

from rbd.bench import robots
from rbd.bench.contender import Quantity
from rbd.bench.goals import OPERATIONS
from rbd.bench.rbd_engine import program
from rbd.native.codegen.inlining import inline_calls

CEILINGS = {
    "double_pendulum": {
        "POSES": 13,
        "INVERSE": 28,
        "MASS": 4,
        "FORWARD": 40,
        "INVERSE_DERIVATIVES": 47,
        "FORWARD_DERIVATIVES": 93,
    },
    "arm7": {
        "POSES": 150,
        "INVERSE": 515,
        "MASS": 277,
        "FORWARD": 1180,
        "INVERSE_DERIVATIVES": 2285,
        "FORWARD_DERIVATIVES": 4150,
    },
    "humanoid": {
        # 19 of these scale the quaternion of the floating base, whose norm may be beyond the range of squares.
        "POSES": 798,
        "INVERSE": 2418,
        "MASS": 2598,
        "FORWARD": 7494,
        "INVERSE_DERIVATIVES": 18220,
        "FORWARD_DERIVATIVES": 199152,  # with a call that takes all columns for full; see below
    },
}
CASES = [(robot, quantity) for robot in CEILINGS for quantity in Quantity]
GOALS = [(robot, quantity) for robot, goals in OPERATIONS.items() for quantity in goals]


@pytest.mark.parametrize(("robot", "quantity"), CASES)
def test_operation_counts_of_rbd_robots_do_not_grow(robot: str, quantity: Quantity) -> None:
    assert program(robots.robot(robot), quantity).count().total <= CEILINGS[robot][quantity.name]


def test_batches_omit_structural_zeros() -> None:
    program_of_batch = inline_calls(program(robots.robot("humanoid"), Quantity.FORWARD_DERIVATIVES))
    assert program_of_batch.count().total <= 102143


@pytest.mark.peers
@pytest.mark.parametrize(("robot", "quantity"), GOALS)
def test_operation_counts_of_example_robots_meet_the_goals(robot: str, quantity: Quantity) -> None:
    if not robots.has_examples():
        pytest.skip("example-robot-data is not installed")
    assert program(robots.robot(robot), quantity).count().total <= OPERATIONS[robot][quantity]
