"""Projections onto cones: conditions of the minimum, sparse rows, stops, problems that Newton's steps leave."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars.arrays import Array
from rbd.scalars.protocol import Matrix, Scalar
from rbd.solvers.cones.newton import STEPS
from rbd.solvers.cones.projection import NearestInCones, project_on_cones
from rbd.solvers.intervals import Intervals
from tests.contact.test_projected_program import nested
from tests.native.programs import assert_same_bits, native_rows, native_singles, reference

N, BLOCKS, STOPS = 8, 4, 3
OWN = (range(8), range(4), (*range(2), 4, 5), (0, 1, 6, 7))
"""The columns of each block: two are of branches that share the first two columns."""


class SparseCones:
    """Blocks with zeros outside of their columns, offsets, and interval rows with bounds and friction, for a seed."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.A = np.zeros((BLOCKS, 3, N))
        for block, columns in zip(self.A, OWN, strict=True):
            block[:, list(columns)] = rng.normal(size=(3, len(columns)))
        self.A /= np.sqrt((self.A**2).sum(axis=2).max(axis=1))[:, None, None]
        if seed % 2:
            self.A[0] = self.A[1]
        inside = rng.normal(size=N)
        s = self.A @ inside
        self.b = -s
        self.b[:, 0] += rng.uniform(0, 0.2, BLOCKS)
        self.R = np.eye(N)[[1, 4, 7]]
        self.interval_sides = rng.normal(size=STOPS)
        u = inside[[1, 4, 7]] - self.interval_sides
        self.lower, self.upper = u - rng.uniform(0, 0.3, STOPS), u + rng.uniform(0, 0.3, STOPS)
        self.friction = rng.uniform(0, 0.5, STOPS) * (rng.random(STOPS) < 0.5)

    def solved(self) -> NearestInCones:
        """Return the projection."""
        limits = (tuple(x.tolist()) for x in (self.lower, self.upper, self.friction, 0 * self.interval_sides))
        intervals = Intervals(nested(self.R), *limits)
        return project_on_cones(
            [_sparse(x) for x in self.A], self.b.ravel().tolist(), intervals, self.interval_sides.tolist()
        )


def _sparse(block: Array) -> Matrix:
    """Return a block whose zeros are structural."""
    return tuple(tuple(x if x != 0 else 0 for x in row) for row in block.tolist())


@given(st.integers(0, 10**6))
def test_point_and_forces_obey_the_conditions_of_the_minimum(seed: int) -> None:
    problem = SparseCones(seed)
    found = problem.solved()
    z, efforts = np.array(found.z, dtype=float), np.array(found.interval_forces, dtype=float)
    forces = np.array(found.forces, dtype=float).reshape(BLOCKS, 3)
    size = max(1.0, np.abs(forces).max(), np.abs(efforts).max())
    np.testing.assert_allclose(
        np.einsum("kij,ki->j", problem.A, forces) + problem.R.T @ efforts, z, rtol=0, atol=1e-9 * size
    )
    slack = problem.A @ z + problem.b
    for each in (slack, forces):
        assert (each[:, 0] - np.hypot(each[:, 1], each[:, 2])).min() > -1e-9 * size
    assert np.abs((slack * forces).sum(axis=1)).max() < 1e-8 * size**2
    u = problem.R @ z - problem.interval_sides
    assert (u - problem.lower).min() > -1e-9
    assert (problem.upper - u).min() > -1e-9
    rubbing = np.clip(efforts, -problem.friction, problem.friction)
    assert np.abs(np.where(rubbing == efforts, 0, np.minimum(u - problem.lower, problem.upper - u))).max() < 1e-9
    against = np.where(np.abs(u) > 1e-9, rubbing + np.sign(u) * problem.friction, 0)
    free = (u - problem.lower > 1e-9) & (problem.upper - u > 1e-9)
    assert np.abs(against[free]).max(initial=0) < 1e-9


def test_zeros_that_are_known_do_not_change_the_projection() -> None:
    problem = SparseCones(2)
    dense = project_on_cones([nested(x) for x in problem.A], problem.b.ravel().tolist())
    sparse = project_on_cones([_sparse(x) for x in problem.A], problem.b.ravel().tolist())
    np.testing.assert_allclose(sparse.z, dense.z, rtol=0, atol=1e-12)
    assert np.abs(np.array(dense.z)).max() > 0.1


def test_blocks_of_no_extent_constrain_nothing() -> None:
    problem = SparseCones(2)
    blocks, offsets = [_sparse(x) for x in problem.A], problem.b.ravel().tolist()
    nothing = ((0.0,) * N,) * 3
    found = project_on_cones([*blocks, nothing], (*offsets, 1.0, 0.0, 0.0))
    assert found.z == project_on_cones(blocks, offsets).z
    assert found.forces[-3:] == (0, 0, 0)


@pytest.fixture(scope="module")
def hard_corners() -> tuple[Array, Array]:
    """Return blocks and offsets of bodies that turn on an edge: four corners of a face, many motions."""
    rng, count = np.random.default_rng(5), 24
    corners = np.array([[x, y, -0.5] for x in (-1, 1) for y in (-1, 1)])
    rows = np.array([[0, 0, 1], [0.6, 0, 0], [0, 0.6, 0]])
    block = np.concatenate([2 * np.cross(corners[:, None], rows), np.tile(rows, (4, 1, 1))], axis=2)
    block /= np.sqrt((block**2).sum(axis=2).max(axis=1))[:, None, None]
    v = rng.normal(size=(count, 6)) * [1, 1, 1, 1, 1, 0.2]
    slacks = np.einsum("kai,ni->nka", block, v)
    size = np.maximum(-slacks[..., 0], np.hypot(slacks[..., 1], slacks[..., 2])).max(axis=1)
    return block, slacks / size[:, None, None]


@pytest.mark.parametrize(("blocks", "most"), [(1, 5), (2, STEPS)])
def test_newtons_method_takes_few_steps_where_contacts_are_few(blocks: int, most: int) -> None:
    """With wrong derivatives it ends without a solution, and the augmented Lagrangian method needs dozens of steps."""
    rng, steps = np.random.default_rng(blocks), list[Scalar]()
    for _ in range(40):
        A = rng.normal(size=(blocks, 3, N))
        A /= np.sqrt((A**2).sum(axis=2).max(axis=1))[:, None, None]
        steps.append(project_on_cones([nested(x) for x in A], rng.normal(size=3 * blocks).tolist()).steps)
    assert 2 < np.max(steps) <= most


def test_the_augmented_lagrangian_method_solves_what_newtons_steps_leave(hard_corners: tuple[Array, Array]) -> None:
    block, offsets = hard_corners
    found = [project_on_cones([nested(x) for x in block], each.ravel().tolist()) for each in offsets]
    steps = np.array([each.steps for each in found])
    assert (steps > STEPS).sum() > 3
    assert ((steps > 0) & (steps <= STEPS)).sum() > 3
    assert max(each.residual for each in found) <= 1e-10  # type: ignore[type-var]  # floats


@pytest.mark.optimised
def test_lanes_of_both_methods_have_the_bits_of_single_ones(hard_corners: tuple[Array, Array]) -> None:
    block, offsets = hard_corners
    graph = Graph()
    given = graph.input("offsets", (12,))
    interval_sides: tuple[Scalar, ...] = (given[0], given[4])
    intervals = Intervals(nested(np.eye(6)[:2]), (-0.1, -0.2), (0.3, 0.1), (0.02, 0.0), (0, 0))
    found = project_on_cones([nested(x) for x in block], given, intervals, interval_sides)
    outputs = {"z": found.z, "forces": (*found.forces, *found.interval_forces), "steps": (found.steps, found.residual)}
    program = Program.of(graph, "cones", outputs)
    arrays, count = [offsets.reshape(len(offsets), 12)], len(offsets)
    expected = reference(program, arrays, count)
    steps = expected[0][:, -2]
    assert steps.min() <= STEPS < steps.max()
    assert_same_bits(native_singles(CompiledProgram(program, 1), arrays, count), expected)
    for lanes in (2, 8):
        assert_same_bits(native_rows(CompiledProgram(program, lanes), arrays, count), expected)
    assert_same_bits(native_rows(CompiledProgram(program, 8), arrays, count, threads=2), expected)
