"""Intrinsics specialised to their sizes and tables: unrolled loops, the bits of the loops, what stays as it is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from rbd.intrinsics import Intrinsic, specialisation, tree
from rbd.intrinsics.language import Floats, divide, fma, select, some
from rbd.intrinsics.specialisation import specialised_to
from rbd.intrinsics.traversal import walk
from rbd.intrinsics.workspace import Workspace, floats, ints, operand, result, table
from rbd.native.codegen.calls import calls_text
from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.program import Program
from tests.native.programs import assert_same_bits, native_rows, native_singles, random_inputs, reference

pytestmark = pytest.mark.optimised


class Sparse(Workspace):
    n: int
    count: int
    places = table("count")
    matrix = operand("n", "n")
    x = operand("n")
    y = result("n")
    rounds = result("1")
    work = floats("n")
    order = ints("n")


def _product(w: Sparse, scale: float) -> float:
    """Add the chosen entries, largest place first, and return the sum of squares."""
    square = 0.0
    for i in range(w.n):
        w.work[i] = 0.0
        for k in range(w.count - 1, -1, -1):
            if w.places[k] < w.n and w.places[k] != i:
                w.work[i] = fma(w.matrix[i][w.places[k]], scale * w.x[w.places[k]], w.work[i])
        w.work[i] += float(-i)
        square = fma(w.work[i], w.work[i], square)
    return square


def _relax(w: Sparse) -> int:
    size = _product(w, 1.0)
    rounds = 0
    while rounds < 2 * w.n and some(size > 1.0):
        last = w.n - 1
        for i in range(w.n):
            better = divide(w.x[i], 1.0 + abs(w.work[last - i]))
            w.x[i] = select(size > 1.0, better, w.x[i])
        step = 2
        if rounds == 1 or some(w.work[0] > 0.5):
            w.rounds[0] += select(w.work[0] > 0.5, select(size > 1.0, 0.25, 0.0), 0.0)
            step = 1
        for k in range(w.n - 1):
            last = k
        if step == last:
            w.rounds[0] += 0.0
        w.rounds[0] += select(size > 1.0, 1.0, 0.0)
        size = select(size > 1.0, _product(w, 1.0), size)
        rounds += 1
    for i in range(w.n):
        w.y[i] = w.x[i] - w.work[i]
    return 0


def _operations(n: int, count: int) -> int:
    return (2 * n + 1) * n * (3 * count + 8)


RELAX = Intrinsic(name="relax_for_tests", workspace=Sparse, function=_relax, operations=_operations, specialised=True)


def relaxed(*calls: tuple[int, tuple[int, ...]]) -> Program:
    """Return a program with a call for every size and table."""
    graph = Graph()
    x = graph.input("x", (max(n for n, _ in calls) * (1 + max(n for n, _ in calls)),))
    found = [RELAX((n, len(places), *places), x[: n * (n + 1)]) for n, places in calls]
    return Program.of(graph, "relaxed", {f"y{k}": y for k, y in enumerate(found)})


CALLS = ((3, (2, 0)), (3, (1, 2, 7)), (1, ()), (4, (3, 2, 1, 0)))


def agree(program: Program) -> None:
    arrays = random_inputs(program, 13, seed=1)
    expected = reference(program, arrays, 13)
    assert_same_bits(native_singles(CompiledProgram(program, 1), arrays, 13), expected)
    for lanes in (2, 8):
        assert_same_bits(native_rows(CompiledProgram(program, lanes), arrays, 13), expected)


def test_each_call_has_the_bits_of_the_loops() -> None:
    program = relaxed(*CALLS)
    agree(program)
    assert len(np.unique(reference(program, random_inputs(program, 13, seed=1), 13)[0][:, 3])) > 1
    heads = [line for text in calls_text(program, 8, 8) for line in text.splitlines() if line.startswith("define")]
    assert len({head.split("(")[0] for head in heads if "__relax(" in head}) == len(CALLS)


def test_branches_that_are_not_known_are_kept() -> None:
    program = relaxed((3, (2, 0)))
    call = program.calls[0]
    loop = next(part for part in specialised_to(call.intrinsic, call.sizes).body if isinstance(part, tree.While))
    assert [len(part.otherwise) for part in loop.body if isinstance(part, tree.If)] == [0, 0]


def test_known_loops_are_unrolled_and_entries_stored_once() -> None:
    program = relaxed((3, (2, 0)))
    call = program.calls[0]
    routine = specialised_to(call.intrinsic, call.sizes)
    assert specialised_to(call.intrinsic, call.sizes) is routine
    assert {type(part) for each in routine.closure() for part in walk(each.body)}.isdisjoint({tree.For})
    (product,) = (each for each in routine.closure() if each.name == "_product")
    stores = [part for part in product.body if isinstance(part, tree.Store)]
    assert [store.index for store in stores] == [tree.Number(i, "int") for i in range(3)]
    assert sum(isinstance(part, tree.While) for part in routine.body) == 1


def test_a_function_that_is_too_long_keeps_its_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(specialisation, "MAX_STATEMENTS", 12)
    monkeypatch.setenv("RBD_CACHE", "0")
    specialised_to.cache_clear()
    program = relaxed((4, (3, 2, 1, 0)))
    call = program.calls[0]
    routine = specialised_to(call.intrinsic, call.sizes)
    assert any(isinstance(part, tree.For) for each in routine.closure() for part in walk(each.body))
    agree(program)
    specialised_to.cache_clear()


class Counted(Workspace):
    n: int
    x = operand("n")
    y = result("n")
    order = ints("n")


def _by_order(w: Counted) -> int:
    for i in range(w.n):
        w.order[i] = w.n - 1 - i
    for i in range(w.n):
        w.y[i] = w.x[w.order[i]]
    return 0


BY_ORDER = Intrinsic(
    name="order_for_tests", workspace=Counted, function=_by_order, operations=lambda n: 0, specialised=True
)


def test_ints_that_are_computed_are_not_known() -> None:
    graph = Graph()
    x = graph.input("x", (3,))
    program = Program.of(graph, "order", {"y": BY_ORDER((3,), x)})
    assert specialised_to(BY_ORDER, (3,)) is BY_ORDER.routine
    agree(program)


class Signs(Workspace):
    n: int
    x = operand("n")
    y = result("n")


def _classified(w: Signs, x: float) -> int:
    status = 0
    if x > 0.5:
        status = 1
        if x > 1.0:
            status = 2
    else:
        for k in range(3):
            status = -k
    return status


def _shrunk(w: Signs, x: float) -> int:
    rounds = 0
    stopped = 0
    size = x
    while size > 0.25:
        size *= 0.5
        rounds += 1
        stopped = 7
    return rounds + stopped


def _classify(w: Signs) -> int:
    for i in range(w.n):
        w.y[i] = float(_classified(w, w.x[i])) + 10.0 * float(_shrunk(w, w.x[i]))
    return 0


CLASSIFY = Intrinsic(
    name="classify_for_tests", workspace=Signs, function=_classify, operations=lambda n: 99 * n, specialised=True
)


def test_ints_that_a_branch_or_a_loop_assigns_are_known_behind_it() -> None:
    graph = Graph()
    x = graph.input("x", (5,))
    program = Program.of(graph, "classify", {"y": CLASSIFY((5,), x)})
    assert specialised_to(CLASSIFY, (5,)) is not CLASSIFY.routine
    agree(program)


def _first_large(w: Signs) -> int:
    for i in range(w.n):
        if i == 2:
            w.y[0] = w.x[i]
            return 0
        w.y[i] = 2.0 * w.x[i]
    return 0


FIRST_LARGE = Intrinsic(
    name="first_for_tests", workspace=Signs, function=_first_large, operations=lambda n: n, specialised=True
)


def test_nothing_follows_a_return_in_an_unrolled_loop() -> None:
    graph = Graph()
    program = Program.of(graph, "first", {"y": FIRST_LARGE((4,), graph.input("x", (4,)))})
    assert isinstance(specialised_to(FIRST_LARGE, (4,)).body[-1], tree.Return)
    agree(program)


def _accumulated(x: Floats, y: Floats) -> None:
    y[0] = x[0] + 1.0
    y[1] = x[0] * 2.0


def _accumulate(w: Signs) -> int:
    w.y[0] = w.x[0]
    _accumulated(w.y, w.y)
    return 0


ACCUMULATE = Intrinsic(
    name="accumulate_for_tests", workspace=Signs, function=_accumulate, operations=lambda n: 2, specialised=True
)


def test_one_array_under_two_names_is_read_after_it_is_written() -> None:
    graph = Graph()
    agree(Program.of(graph, "accumulate", {"y": ACCUMULATE((2,), graph.input("x", (2,)))}))


def _double_and_add(w: Signs) -> int:
    entry0 = w.x[0] + 1.0
    entry1 = w.x[1]
    for i in range(w.n):
        w.y[i] = w.x[i] * 2.0
    w.y[0] = w.y[0] + entry0
    w.y[1] = w.y[1] - entry1
    return 0


DOUBLE_AND_ADD = Intrinsic(
    name="double_for_tests", workspace=Signs, function=_double_and_add, operations=lambda n: 4 * n, specialised=True
)


def test_variables_of_stored_entries_have_names_of_their_own() -> None:
    graph = Graph()
    assert specialised_to(DOUBLE_AND_ADD, (3,)) is not DOUBLE_AND_ADD.routine
    agree(Program.of(graph, "double", {"y": DOUBLE_AND_ADD((3,), graph.input("x", (3,)))}))


def _dot(x: Floats, y: Floats, count: int) -> float:
    total = 0.0
    for i in range(count):
        total = fma(x[i], y[i], total)
    return total


def _square(w: Signs) -> int:
    for i in range(w.n):
        w.y[i] = _dot(w.x, w.x, w.n)
    return 0


SQUARE = Intrinsic(
    name="square_for_tests", workspace=Signs, function=_square, operations=lambda n: 2 * n * n, specialised=True
)


def test_one_array_under_two_names_that_is_only_read_keeps_no_loops() -> None:
    graph = Graph()
    program = Program.of(graph, "square", {"y": SQUARE((3,), graph.input("x", (3,)))})
    found = specialised_to(SQUARE, (3,)).closure()
    assert {type(part) for each in found for part in walk(each.body)}.isdisjoint({tree.For})
    agree(program)


def _scaled(x: Floats, y: Floats, count: int) -> None:
    for i in range(count):
        y[i] = 2.0 * x[i]


def _scaled_first(w: Signs) -> None:
    _scaled(w.x, w.y, 1)


def _scale(w: Signs) -> int:
    _scaled(w.x, w.y, 3)
    _scaled_first(w)
    return 0


SCALE = Intrinsic(name="scale_for_tests", workspace=Signs, function=_scale, operations=lambda n: n, specialised=True)


def test_a_function_specialised_in_two_ways_has_two_names() -> None:
    graph = Graph()
    program = Program.of(graph, "scale", {"y": SCALE((3,), graph.input("x", (3,)))})
    found = specialised_to(SCALE, (3,)).closure()
    assert sum(each.name.startswith("_scaled") and each.name != "_scaled_first" for each in found) == 2
    assert {type(part) for each in found for part in walk(each.body)}.isdisjoint({tree.For})
    agree(program)


class Blocks(Workspace):
    n: int
    x = operand("3 * n")
    y = result("3 * n")
    total = result("1")


def _sum_blocks(w: Blocks) -> int:
    w.y[0] = 1.0
    start = 0
    while start < 3 * w.n:
        for k in range(3):
            w.y[start + k] = fma(w.x[start + k], w.y[0], w.total[0])
            w.total[0] += w.x[start + k]
        start += 3
    w.y[1] += w.y[0]
    return 0


SUM_BLOCKS = Intrinsic(
    name="sum_blocks_for_tests", workspace=Blocks, function=_sum_blocks, operations=lambda n: 9 * n, specialised=True
)


def test_a_counted_while_loop_is_kept_with_its_inner_loop_unrolled() -> None:
    graph = Graph()
    program = Program.of(graph, "blocks", {"y": SUM_BLOCKS((4,), graph.input("x", (12,)))})
    body = specialised_to(SUM_BLOCKS, (4,)).body
    (loop,) = (part for part in body if isinstance(part, tree.While))
    assert not any(isinstance(part, tree.For) for part in walk(loop.body))
    assert sum(isinstance(part, tree.Store) and part.array == "w_total" for part in loop.body) == 1
    agree(program)


class Square(Workspace):
    n: int
    rows = operand("n", "n")
    y = result("n")


def _row_products(w: Square) -> int:
    for i in range(w.n):
        if not (i == 1 or w.rows[i][0] > 0.5):
            w.y[i] = _dot(w.rows[i], w.rows[0], w.n)
        if not (i == 2 and w.n == 3):
            w.y[i] += 1.0
    return 0


ROW_PRODUCTS = Intrinsic(
    name="row_products_for_tests",
    workspace=Square,
    function=_row_products,
    operations=lambda n: 3 * n * n,
    specialised=True,
)


def test_negated_conditions_and_rows_of_known_numbers() -> None:
    graph = Graph()
    program = Program.of(graph, "products", {"y": ROW_PRODUCTS((3,), graph.input("x", (9,)))})
    found = specialised_to(ROW_PRODUCTS, (3,)).closure()
    assert {type(part) for each in found for part in walk(each.body)}.isdisjoint({tree.For})
    agree(program)


def _accumulate_both(w: Signs) -> int:
    _accumulated(w.x, w.y)
    _accumulated(w.y, w.y)
    return 0


def _accumulated_again(w: Signs) -> None:
    _accumulated(w.y, w.y)


def _accumulate_within(w: Signs) -> int:
    _accumulated(w.x, w.y)
    _accumulated_again(w)
    return 0


def _count_halves(w: Signs) -> int:
    rounds = 0
    size = abs(w.x[0])
    while size > 0.25:
        size *= 0.5
        rounds += 1
    for k in range(rounds):
        w.y[0] += float(k)
    return 0


def _leave_early(w: Signs) -> int:
    rounds = 0
    while rounds < w.n:
        if w.x[rounds] > 0.5:
            break
        w.y[rounds] = w.x[rounds]
        rounds += 1
    return 0


def _decide_late(w: Signs) -> int:
    for i in range(w.n):
        if w.x[i] > 0.5 and w.n > 9:
            w.y[i] = 1.0
        elif w.x[i] > 0.1 or w.n < 9:
            w.y[i] = 2.0
    return 0


@pytest.mark.parametrize(
    "function",
    [_accumulate_both, _accumulate_within, _count_halves, _leave_early, _decide_late],
    ids=lambda f: f.__name__,
)
def test_what_cannot_be_specialised_stays_as_it_is(function: Callable[[Signs], int]) -> None:
    """One function in two ways under one name, ranges and ends of loops that depend on floats, and conditions, too."""
    intrinsic = Intrinsic(
        name=f"{function.__name__}_for_tests",
        workspace=Signs,
        function=function,
        operations=lambda n: 99 * n,
        specialised=True,
    )
    graph = Graph()
    program = Program.of(graph, "kept", {"y": intrinsic((3,), graph.input("x", (3,)))})
    assert specialised_to(intrinsic, (3,)) is intrinsic.routine
    agree(program)
