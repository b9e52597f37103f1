"""Order of instructions: all are there once, after their operands, and results keep their bits."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rbd.native.codegen.ordering import WINDOW, in_issue_order, reordered
from rbd.program.graph import Graph
from rbd.program.opcodes import Op, operands_of
from rbd.program.program import Program
from rbd.scalars import Scalar
from tests.native.programs import assert_same_bits, random_program, reference


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


@given(st.integers(0, 2**32 - 1), st.integers(1, 600))
def test_instructions_come_once_and_after_their_operands(seed: int, size: int) -> None:
    program = random_program(seed, size, checks=0.1)
    ordered = in_issue_order(program)
    assert len(ordered.code) == len(program.code)
    assert sorted(code[0] for code in ordered.code) == sorted(code[0] for code in program.code)
    for index, instruction in enumerate(ordered.code):
        assert all(operand < program.input_size + index for operand in operands_of(instruction))


@given(st.integers(0, 2**32 - 1))
def test_results_keep_their_bits(seed: int) -> None:
    program = random_program(seed, 300, checks=0.05)
    rng = np.random.default_rng(seed)
    rows = [rng.standard_normal((3, *port.shape)) for port in program.inputs]
    assert_same_bits(reference(in_issue_order(program), rows, 3), reference(program, rows, 3))


def test_checks_keep_their_order() -> None:
    program = random_program(5, 900, checks=0.2)
    labels = [code[2] for code in program.code if code[0] == Op.POSITIVE]
    assert len(set(labels)) > 1
    assert [code[2] for code in in_issue_order(program).code if code[0] == Op.POSITIVE] == labels


def test_chains_in_view_are_interleaved() -> None:
    ordered = in_issue_order(chains(4, WINDOW // 8))
    first, depth = ordered.input_size, list[int]()
    for instruction in ordered.code:
        depth.append(1 + max((depth[r - first] for r in operands_of(instruction) if r >= first), default=0))
    assert depth == sorted(depth)


def test_chains_beyond_the_view_wait() -> None:
    program = chains(2, 2 * WINDOW)
    ordered, middle = in_issue_order(program), len(program.code) // 2
    assert ordered.code[: WINDOW // 2] == program.code[: WINDOW // 2]
    assert ordered.code[-WINDOW // 2 :] == program.code[-WINDOW // 2 :]
    assert ordered.code[:middle] != program.code[:middle]


def test_the_recorded_order_is_an_order() -> None:
    program = random_program(7, 50)
    assert reordered(program, range(len(program.code))) == program
