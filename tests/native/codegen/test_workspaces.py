"""Workspaces as one parameter: the same bits as Python, whatever is passed on, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rbd.compiled import RecordedFunction
from rbd.errors import ArgumentError, ScalarError
from rbd.intrinsics import Intrinsic
from rbd.intrinsics.language import Floats, Rows, fma
from rbd.intrinsics.parser import parse
from rbd.intrinsics.workspace import Workspace, floats, ints, operand, result, scratch, table
from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.program import Program
from tests.export.building import call, compiled_c
from tests.native.programs import assert_same_bits, native_rows, native_singles, random_inputs, reference

pytestmark = pytest.mark.optimised

ROWS = 9


class Product(Workspace):
    """y = A x in the order of a table, and A beside y."""

    m: int
    n: int
    order = table("m")
    a = operand("m", "n")
    x = operand("n")
    beside = floats("m", "n + 1")
    seen = ints("m")


class Sums(Product):
    y = result("m")
    both = result("m", "n + 1")


def _inner(n: int, a: Floats, b: Floats) -> float:
    total = 0.0
    for i in range(n):
        total = fma(a[i], b[i], total)
    return total


def _border(m: int, n: int, matrix: Rows, column: Floats) -> None:
    for i in range(m):
        matrix[i][n] = column[i]


def _scale(w: Product, k: int) -> None:
    row = w.order[k]
    for i in range(w.n):
        w.beside[row][i] = w.a[row][i]
    w.seen[row] += 1


def _products(w: Sums) -> int:
    for k in range(w.m):
        _scale(w, k)
        row = w.order[k]
        w.y[row] = _inner(w.n, w.beside[row], w.x) * float(w.seen[row])
    _border(w.m, w.n, w.beside, w.y)
    for i in range(w.m):
        for j in range(w.n + 1):
            w.both[i][j] = w.beside[i][j]
    return 0


PRODUCTS = Intrinsic("products_for_tests", Sums, _products, lambda m, n: 2 * m * n + m)
M, N, ORDER = 4, 3, (2, 0, 3, 1)


def products() -> Program:
    graph = Graph()
    y = PRODUCTS((M, N, *ORDER), [x for row in graph.input("a", (M, N)) for x in row] + list(graph.input("x", (N,))))
    return Program.of(graph, "products", {"y": y})


def test_matrices_rows_and_workspaces_are_passed_on() -> None:
    rng = np.random.default_rng(2)
    a, x = rng.normal(size=(M, N)), rng.normal(size=N)
    found = np.array(PRODUCTS((M, N, *ORDER), [*a.reshape(-1).tolist(), *x.tolist()]), dtype=float)
    np.testing.assert_allclose(found[:M], a @ x, rtol=1e-14, atol=1e-15)  # rounding of three terms
    assert (found[M:].reshape(M, N + 1) == np.column_stack([a, found[:M]])).all()


@pytest.mark.parametrize("lanes", [1, 2, 8])
def test_machine_code_gives_the_bits_of_python(lanes: int) -> None:
    program = products()
    arrays = random_inputs(program, ROWS, seed=5)
    expected = reference(program, arrays, ROWS)
    assert_same_bits(native_rows(CompiledProgram(program, lanes), arrays, ROWS), expected)
    assert_same_bits(native_singles(CompiledProgram(program, lanes), arrays, ROWS), expected)


def test_c_gives_the_bits_of_python(tmp_path: Path) -> None:
    recorded = RecordedFunction(products())
    a, x = random_inputs(recorded.program, 1, seed=6)
    found = np.full(M * (N + 2), 7.0)
    assert call(compiled_c(recorded.to_c("f"), tmp_path, "f"), "f", a[0], x[0], found) == 0
    assert found.tobytes() == np.asarray(recorded.interpret(a[0], x[0])).tobytes()


def test_only_what_is_used_is_passed() -> None:
    (scale,) = (routine for routine in PRODUCTS.routine.calls if routine.name == "_scale")
    names = [name.name for name in scale.parameters]
    assert sorted(names) == sorted(["w_order", "w_n", "w_beside", "w_beside_stride", "w_a", "w_seen", "k"])


# ---------------------------------------------------------------- refusals


def _missing(w: Product) -> float:
    return w.z[0]  # type: ignore[attr-defined, no-any-return]  # planted


def _kept(w: Product) -> int:
    w_n = 1
    return w_n


def _kept_by_a_loop(w: Product) -> None:
    for w_a in range(3):
        w.y[w_a] = 1.0  # type: ignore[attr-defined]  # planted


def _kept_by_a_matrix(a_stride: int, a: Rows) -> int:
    return a_stride


def _takes_sums(w: Sums) -> float:
    return w.y[0]


def _derived(w: Product) -> float:
    return _takes_sums(w)  # type: ignore[arg-type]  # planted


def _whole_row(w: Product) -> None:
    w.a[0] = w.x


def _number_of_a_matrix(w: Product) -> float:
    return w.a[0] * 2.0  # type: ignore[operator, return-value]  # planted


def _too_deep(w: Product) -> float:
    return w.x[0][0]  # type: ignore[index, no-any-return]  # planted


def _written_size(w: Product) -> None:
    w.n = 3


def _row_for_a_matrix(w: Product) -> None:
    _border(1, 1, w.x, w.x)  # type: ignore[arg-type]  # planted


PLANTED = {
    _missing: "Product has no 'z'",
    _kept: "'w_n' is reserved for the fields of 'w'",
    _kept_by_a_loop: "'w_a' is reserved",
    _kept_by_a_matrix: "'a_stride' is reserved",
    _derived: "'w' is no Sums",
    _whole_row: "is a row",
    _number_of_a_matrix: "is no number",
    _too_deep: "is no array",
    _written_size: "cannot be assigned",
    _row_for_a_matrix: "_border takes int, int, rows, floats",
}


@pytest.mark.parametrize("function", PLANTED, ids=lambda function: function.__name__)
def test_what_is_not_in_the_subset_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(ScalarError, match=re.escape(PLANTED[function])):
        parse(function)


@pytest.mark.parametrize("shape", ["k", "n + k", "len(n)"])
def test_shapes_are_made_of_sizes(shape: str) -> None:
    with pytest.raises(ArgumentError, match="made of"):
        type("Wrong", (Product,), {"extra": floats(shape)})


class Scratched(Workspace):
    """Arrays to work in, of which some need not be zero."""

    n: int
    x = operand("n")
    first = scratch("n")
    total = floats("1")
    second = scratch("2")
    others = floats("n")
    numbers = ints("3")
    y = result("n")


def _sums(w: Scratched) -> int:
    for i in range(w.n):
        w.first[i] = w.x[i] + w.others[i]
        w.total[0] += w.first[i]
        w.second[0] = w.total[0]
        w.y[i] = w.second[0]
    return 0


SUMS: Intrinsic = Intrinsic("scratched_sums", Scratched, _sums, lambda n: 2 * n)


def test_arrays_to_write_before_they_are_read_are_not_made_zero() -> None:
    graph = Graph()
    x = graph.input("x", (4,))
    program = Program.of(graph, "sums", {"y": SUMS((4,), x), "again": SUMS((4,), x[::-1])})
    (call, *_) = program.calls
    assert call.zeroed_work == [range(4, 5), range(7, 14)]
    inputs = random_inputs(program, ROWS)
    expected = reference(program, inputs, ROWS)
    assert np.isfinite(expected[0]).all()
    for lanes in (2, 8):
        assert_same_bits(native_rows(CompiledProgram(program, lanes), inputs, ROWS), expected)
    assert np.isnan(Scratched((4,), [0.0] * 4).second).all()


def test_bases_declare_an_array_in_one_way() -> None:
    other = type("Other", (Workspace,), {"__annotations__": {"n": "int"}, "x": operand("n")})
    with pytest.raises(ArgumentError, match="two bases declare 'x' in different ways"):
        type("Both", (Scratched, type("Longer", (other,), {"x": operand("2 * n")})), {})
    assert type("Same", (Scratched, other), {}).layout.arrays == Scratched.layout.arrays
