"""Order of instructions: all are there once, after their operands, and results keep their bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd.native.codegen.ordering import in_issue_order, lookahead, reordered
from rbd.program.graph import Graph
from rbd.program.opcodes import Op, operands_of
from rbd.program.program import Program
from rbd.scalars import Scalar
from tests.native.programs import assert_same_bits, random_program, reference

all_lanes = pytest.mark.parametrize("lanes", [2, 4, 8])


def chains(count: int, length: int) -> Program:
    """Return a program of chains of dependent instructions, one recorded after the other."""
    graph = Graph()
    x, y = graph.input("x"), graph.input("y")
    ends = list[Scalar]()
    for k in range(count):
        end = x + k
        for _ in range(length):
            end = end * y + 1
        ends.append(end)
    return Program.of(graph, "chains", {"ends": tuple(ends)})


@all_lanes
@given(seed=st.integers(0, 2**32 - 1), size=st.integers(1, 600))
def test_instructions_come_once_and_after_their_operands(seed: int, size: int, lanes: int) -> None:
    program = random_program(seed, size, checks=0.1)
    ordered = in_issue_order(program, lanes)
    assert len(ordered.code) == len(program.code)
    assert sorted(code[0] for code in ordered.code) == sorted(code[0] for code in program.code)
    for index, instruction in enumerate(ordered.code):
        assert all(operand < program.input_size + index for operand in operands_of(instruction))


@all_lanes
@given(seed=st.integers(0, 2**32 - 1))
def test_results_keep_their_bits(seed: int, lanes: int) -> None:
    program = random_program(seed, 300, checks=0.05)
    rng = np.random.default_rng(seed)
    rows = [rng.standard_normal((3, *port.shape)) for port in program.inputs]
    assert_same_bits(reference(in_issue_order(program, lanes), rows, 3), reference(program, rows, 3))


@all_lanes
def test_checks_keep_their_order(lanes: int) -> None:
    program = random_program(5, 900, checks=0.2)
    labels = [code[2] for code in program.code if code[0] == Op.POSITIVE]
    assert len(set(labels)) > 1
    assert [code[2] for code in in_issue_order(program, lanes).code if code[0] == Op.POSITIVE] == labels


@all_lanes
def test_chains_in_view_are_interleaved(lanes: int) -> None:
    ordered = in_issue_order(chains(4, lookahead(lanes) // 8), lanes)
    first, depth = ordered.input_size, list[int]()
    for instruction in ordered.code:
        depth.append(1 + max((depth[r - first] for r in operands_of(instruction) if r >= first), default=0))
    assert depth == sorted(depth)


@all_lanes
def test_chains_beyond_the_view_wait(lanes: int) -> None:
    program = chains(2, 2 * lookahead(lanes))
    ordered, middle = in_issue_order(program, lanes), len(program.code) // 2
    half = lookahead(lanes) // 2
    assert ordered.code[:half] == program.code[:half]
    assert ordered.code[-half:] == program.code[-half:]
    assert ordered.code[:middle] != program.code[:middle]


def test_narrow_vectors_have_a_short_view() -> None:
    """The processors have fewer registers for what a long view keeps."""
    assert lookahead(2) <= lookahead(4) < lookahead(8)


def test_the_recorded_order_is_an_order() -> None:
    program = random_program(7, 50)
    assert reordered(program, range(len(program.code))) == program
