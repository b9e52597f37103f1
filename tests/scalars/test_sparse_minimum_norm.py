"""The solution of least norm for blocks of sparse rows: that of the dense decomposition, and its multipliers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd.native import available
from rbd.native.compiled_program import CompiledProgram
from rbd.program.differentiate import derivative
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars import Matrix, Scalar, Vector
from rbd.scalars.arrays import Array
from rbd.scalars.counting import CountingScalar, OperationCount
from rbd.solvers import minimum_norm_solve
from rbd.solvers.equations import block_rows
from rbd.solvers.equations import sparse_minimum_norm as sparse_minimum_norm_module
from rbd.solvers.equations.sparse_minimum_norm import BlockStructure, sparse_minimum_norm

TOLERANCE = 1e-9
Blocks = list[tuple[int, ...]]


def chain(links: int, rng: np.random.Generator, height: int = 2, width: int = 3) -> tuple[list[list[Any]], Blocks]:
    """Return blocks of rows, each over the columns of two neighbours; the integer 0 elsewhere."""
    rows: list[list[Any]] = []
    for k in range(links):
        for _ in range(height):
            row: list[Any] = [0] * ((links + 1) * width)
            row[k * width : (k + 2) * width] = rng.uniform(-1, 1, 2 * width).tolist()
            rows.append(row)
    blocks = [tuple(range(k * height, (k + 1) * height)) for k in range(links)]
    return rows, blocks


def solved(rows: list[list[Any]], blocks: Blocks, right: list[float]) -> tuple[Array, Array, float]:
    matrix = tuple(map(tuple, rows))
    x, y, rank = sparse_minimum_norm(BlockStructure.of(matrix, blocks, len(rows[0])), matrix, tuple(right), TOLERANCE)
    return np.array(x, dtype=float), np.array(y, dtype=float), float(rank)  # type: ignore[arg-type]  # of floats


def expected(rows: list[list[Any]], right: list[float]) -> tuple[Array, Array, float]:
    """Return what numpy's singular values make of it: those below the tolerance count as zero."""
    matrix = np.array(rows, dtype=float)
    inverse = np.linalg.pinv(matrix, rcond=1e-8)
    x = inverse @ right
    return x, inverse.T @ x, int(np.linalg.matrix_rank(matrix, tol=1e-8))


def close(found: tuple[Array, Array, float], wanted: tuple[Array, Array, float], tolerance: float = 1e-9) -> None:
    for a, b in zip(found[:2], wanted[:2], strict=True):
        assert np.abs(a - b).max() <= tolerance * (1 + np.abs(b).max())
    assert found[2] == wanted[2]


@given(seed=st.integers(0, 10**6), links=st.integers(1, 6), extra=st.integers(0, 3))
def test_sparse_and_dense_solutions_agree(seed: int, links: int, extra: int) -> None:
    """Loops over loops: further blocks tie columns far apart."""
    rng = np.random.default_rng(seed)
    rows, blocks = chain(links, rng)
    for _ in range(extra):
        row: list[Any] = [0] * len(rows[0])
        for j in rng.choice(len(row), 2, replace=False):
            row[j] = float(rng.uniform(0.5, 1))
        blocks.append((len(rows),))
        rows.append(row)
    right = rng.uniform(-1, 1, len(rows)).tolist()
    x, rank = minimum_norm_solve(tuple(map(tuple, rows)), right, TOLERANCE)
    found = solved(rows, blocks, right)
    singular = np.linalg.svd(np.array(rows, dtype=float), compute_uv=False)
    if singular[min(len(rows), len(rows[0])) - 1] > 1e-3 * singular[0]:
        close(found, expected(rows, right))
        assert np.abs(found[0] - np.array(x, dtype=float)).max() < 1e-9 * (1 + np.abs(found[0]).max())
        assert found[2] == rank


@pytest.mark.parametrize("links", [1, 4])
def test_independent_rows_need_no_dense_decomposition(links: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a wrong factor would only cost time."""
    rows, blocks = chain(links, np.random.default_rng(links))
    right = np.linspace(-1.0, 1.0, len(rows)).tolist()
    monkeypatch.setattr(block_rows, "_solve_dense", None)
    close(solved(rows, blocks, right), expected(rows, right))
    with pytest.raises(TypeError):
        solved([*rows, rows[0]], [*blocks, (len(rows),)], [*right, 1.0])


@pytest.mark.parametrize("consistent", [True, False])
def test_dependent_rows_have_the_least_multipliers(consistent: bool) -> None:
    rng = np.random.default_rng(4)
    rows, blocks = chain(4, rng)
    rows.append([a - 2 * b if a or b else 0 for a, b in zip(rows[2], rows[3], strict=True)])
    rows.append([0.0 if x else 0 for x in rows[0]])
    blocks += [(8,), (9,)]
    right = rng.uniform(-1, 1, 10).tolist()
    if consistent:
        right[8:] = [right[2] - 2 * right[3], 0.0]
    close(solved(rows, blocks, right), expected(rows, right))


def test_nearly_dependent_rows_are_left_to_the_dense_decomposition() -> None:
    rng = np.random.default_rng(7)
    rows, blocks = chain(5, rng)
    rows[9] = [a + 1e-6 * b if a or b else 0 for a, b in zip(rows[8], rows[9], strict=True)]
    right = rng.uniform(-1, 1, 10).tolist()
    x, rank = minimum_norm_solve(tuple(map(tuple, rows)), right, TOLERANCE)
    found = solved(rows, blocks, right)
    assert found[2] == rank == 10
    assert np.abs(found[0] - np.array(x, dtype=float)).max() < 1e-9 * np.abs(found[0]).max()


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("where", ["rows", "right"])
def test_numbers_that_are_not_finite_make_the_result_nan(value: float, where: str) -> None:
    rng = np.random.default_rng(1)
    rows, blocks = chain(3, rng)
    right = rng.uniform(-1, 1, 6).tolist()
    if where == "rows":
        rows[2][4] = value
    else:
        right[3] = value
    x, y, _ = solved(rows, blocks, right)
    assert np.isnan(x).any()
    assert np.isnan(y).any()


def test_rows_of_zeros() -> None:
    rows: list[list[Any]] = [[0.0, 0.0, 0], [0, 0.0, 0.0]]
    x, y, rank = solved(rows, [(0,), (1,)], [1.0, 2.0])
    assert (x.tolist(), y.tolist(), rank) == ([0.0] * 3, [0.0] * 2, 0.0)


def test_an_order_of_minimum_degree_keeps_a_chain_tridiagonal() -> None:
    """The blocks of the factor, and the operations, grow with the length of the chain; for a ring, too."""
    rng = np.random.default_rng(0)
    work: list[int] = []
    for links in (10, 20, 40):
        rows, blocks = chain(links, rng)
        shuffled = [blocks[k] for k in rng.permutation(links)]
        sizes = BlockStructure.of(tuple(map(tuple, rows)), shuffled, len(rows[0])).sizes
        assert sizes[5] == links - 1
        work.append(sizes[9])
    assert work[2] - work[1] == 2 * (work[1] - work[0])


def tied(seed: int) -> tuple[list[list[Any]], Blocks]:
    """Return a chain with further rows that tie columns far apart."""
    rng = np.random.default_rng(seed)
    rows, blocks = chain(4, rng, 1 + seed % 3, 5)
    for count in (3, 8):
        row: list[Any] = [0] * len(rows[0])
        for j in rng.choice(len(row), count, replace=False).tolist():
            row[j] = float(rng.uniform(-1, 1))
        blocks.append((len(rows),))
        rows.append(row)
    return rows, blocks


@pytest.mark.parametrize("seed", range(6))
def test_products_are_counted_per_pair_of_rows_and_column_in_common(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[Any, ...]] = []
    count = sparse_minimum_norm_module._products

    def noted(*arguments: Any) -> int:
        given.append(arguments)
        return count(*arguments)

    monkeypatch.setattr(sparse_minimum_norm_module, "_products", noted)
    rows, blocks = tied(seed)
    BlockStructure.of(tuple(map(tuple, rows)), blocks, len(rows[0]))
    supports = [{j for i in block for j, x in enumerate(rows[i]) if x} for block in blocks for _ in block]
    pairs = [len(supports[i] & supports[j]) for i in range(len(rows)) for j in range(i + 1)]
    assert count(*given[0]) == 2 * sum(pairs)


@pytest.mark.parametrize("seed", range(6))
def test_the_work_is_that_of_the_sparse_solution_without_signs_and_pivots(seed: int) -> None:
    """Sign changes, pivots and comparisons, which are not in it, are a fifth to three tenths more."""
    rows, blocks = tied(seed)
    structure, count = BlockStructure.of(tuple(map(tuple, rows)), blocks, len(rows[0])), OperationCount()
    matrix = tuple(tuple(CountingScalar(x, count) if x else 0 for x in row) for row in rows)
    sparse_minimum_norm(structure, matrix, tuple(CountingScalar(1.0, count) for _ in rows), TOLERANCE)
    assert 1.2 < count.total / structure.sizes[9] < 1.35


def densely_solved(
    structure: BlockStructure, rows: Matrix, right: Vector, tolerance: Scalar
) -> tuple[Vector, Vector, Scalar]:
    """Return what `sparse_minimum_norm` does, by two dense decompositions."""
    x, rank = minimum_norm_solve(rows, right, tolerance)
    return x, minimum_norm_solve(tuple(zip(*rows, strict=True)), x, tolerance)[0], rank


def recorded(links: int = 4, *, redundant: bool = False, dense: bool = False) -> tuple[Program, Array]:
    """Return a program of x, y and rank from the entries of rows and right side, and a point of it."""
    rng = np.random.default_rng(3)
    rows, blocks = chain(links, rng)
    if redundant:
        rows.append(list(rows[1]))
        blocks.append((2 * links,))
    values = [x for row in rows for x in row if x]
    graph = Graph()
    given_values = graph.input("given", (len(values) + len(rows),))
    entries = iter(given_values)
    matrix = tuple(tuple(next(entries) if x else 0 for x in row) for row in rows)
    right = tuple(entries)
    solve = densely_solved if dense else sparse_minimum_norm
    x, y, rank = solve(BlockStructure.of(matrix, blocks, len(rows[0])), matrix, right, TOLERANCE)
    sides = rng.uniform(-1, 1, len(rows))
    if redundant:
        sides[-1] = sides[1]
    return Program.of(graph, "sparse", {"x": x, "y": y, "rank": rank}), np.concatenate([values, sides])


@pytest.mark.skipif(not available(), reason="needs machine code")
@pytest.mark.parametrize("redundant", [False, True])
@pytest.mark.parametrize("lanes", [1, 8])
def test_machine_code_has_the_bits_of_the_interpreter(redundant: bool, lanes: int) -> None:
    program, point = recorded(redundant=redundant)
    rows = point * (1 + 0.01 * np.arange(9))[:, None]
    outputs = [np.zeros((9, *port.shape)) for port in program.outputs]
    assert CompiledProgram(program, lanes=lanes).run_batch([rows], outputs, 9) == (-1, 0)
    for k in range(9):
        values, status = program.interpret_flat(rows[k].tolist())
        assert status == 0
        assert np.concatenate([each[k].reshape(-1) for each in outputs]).tobytes() == np.array(values).tobytes()


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("output", ["x", "y"])
def test_derivatives(mode: Any, output: str) -> None:
    """Central differences of the interpreter; their own error is about 1e-9."""
    program, point = recorded(3)
    slope = derivative(program, output, "given", mode=mode)
    flat, status = slope.interpret_flat(point.tolist())
    assert status == 0
    size = next(port.size for port in program.outputs if port.name == output)
    start = {"x": 0, "y": program.outputs[0].size}[output]
    found = np.array(flat).reshape(size, len(point))
    for k in range(len(point)):
        step = np.zeros(len(point))
        step[k] = 1e-6
        after, before = (np.array(program.interpret_flat((point + s).tolist())[0]) for s in (step, -step))
        slope_k = ((after - before) / 2e-6)[start : start + size]
        assert np.abs(found[:, k] - slope_k).max() < 1e-6 * (1 + np.abs(slope_k).max())


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("output", ["x", "y"])
@pytest.mark.parametrize("consistent", [True, False])
def test_derivatives_with_dependent_rows_are_those_of_the_dense_decomposition(
    mode: Any, output: str, consistent: bool
) -> None:
    """Along every tangent, whether it keeps the rank or not."""
    (sparse, point), (dense, _) = (recorded(3, redundant=True, dense=dense) for dense in (False, True))
    point[-1] += 0.0 if consistent else 0.5
    found, wanted = (
        np.array(derivative(each, output, "given", mode=mode).interpret_flat(point.tolist())[0])
        for each in (sparse, dense)
    )
    assert np.abs(found - wanted).max() < 1e-10 * (1 + np.abs(wanted).max())


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_derivatives_of_multipliers_of_two_rows_of_one_column(mode: Any) -> None:
    """By hand: A = (a, c), y = A (A b) / |A|^4."""
    graph = Graph()
    a, c, *right = graph.input("given", (4,))
    rows = ((a,), (c,))
    _, y, _ = sparse_minimum_norm(BlockStructure.of(rows, [(0,), (1,)], 1), rows, tuple(right), TOLERANCE)
    slope = derivative(Program.of(graph, "column", {"y": y}), "y", "given", mode=mode)
    A, b = np.array([0.6, -1.1]), np.array([0.9, 0.4])
    square, along = A @ A, A @ b
    of_A = (np.outer(A, b) + along * np.eye(2)) / square**2 - 4 * along * np.outer(A, A) / square**3
    wanted = np.hstack([of_A, np.outer(A, A) / square**2])
    found = np.array(slope.interpret_flat([*A.tolist(), *b.tolist()])[0]).reshape(2, 4)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
