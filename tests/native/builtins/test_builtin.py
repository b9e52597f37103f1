"""Builtins: arguments, calls of the fallback, guards, and reference counts."""

from __future__ import annotations

import gc
import inspect
import resource
import sys
import tracemalloc
import weakref
from array import array
from typing import Any

import numpy as np
import pytest

from rbd.native.builtins.builtin import Binding, make_builtin
from rbd.native.builtins.builtin_ir import MAX_PORTS
from rbd.native.builtins.context import Guards, Word
from rbd.native.compiled_program import CompiledProgram
from rbd.native.runtime import abi
from rbd.program.graph import Graph
from rbd.program.program import Program
from tests.marks import needs_builtins

pytestmark = needs_builtins
HANDED_ON = object()


class Fallback:
    """A fallback that records its calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def __call__(self, *arguments: Any, **named: Any) -> object:
        self.calls.append((arguments, named))
        return HANDED_ON


def product() -> Program:
    """Return y = A x s with A[2, 3], x[3] and a number s."""
    graph = Graph()
    rows, x, s = graph.input("A", (2, 3)), graph.input("x", (3,)), graph.input("s")
    return Program.of(
        graph, "product", {"y": tuple(sum(a * b for a, b in zip(row, x, strict=True)) * s for row in rows)}
    )


def splitting() -> Program:
    graph = Graph()
    x, y = graph.input("x", (2,))
    return Program.of(graph, "splitting", {"a": x + y, "b": ((x,), (y,), (1,)), "c": ()})


@pytest.fixture
def fallback() -> Fallback:
    return Fallback()


@pytest.fixture
def entry(fallback: Fallback) -> Any:
    return make_builtin(CompiledProgram(product()), fallback)


A, X, S = np.arange(6.0).reshape(2, 3), np.array([1.0, 2.0, 3.0]), np.array(0.5)
Y = [4.0, 13.0]


# -- arguments --------------------------------------------------------------------------------------------------------


def test_new_array(entry: Any, fallback: Fallback) -> None:
    y = entry(A, X, S)
    assert type(y) is np.ndarray
    assert y.tolist() == Y
    assert (y.dtype, y.shape) == (np.float64, (2,))
    assert y.flags.owndata
    assert y.flags.writeable
    assert y.flags.carray
    assert entry(A, X, S) is not y
    assert fallback.calls == []


def test_numbers_for_scalars(entry: Any, fallback: Fallback) -> None:
    assert entry(A, X, 0.5).tolist() == Y
    assert entry(A, X, np.float64(0.5)).tolist() == Y
    assert fallback.calls == []


def test_array_for_the_result(entry: Any, fallback: Fallback) -> None:
    out = np.zeros(2)
    assert entry(A, X, S, out=out) is out
    assert out.tolist() == Y
    assert fallback.calls == []


def test_the_result_may_be_an_input() -> None:
    graph = Graph()
    x = graph.input("x", (3,))
    entry = make_builtin(CompiledProgram(Program.of(graph, "p", {"y": x[::-1]})), Fallback())
    values = np.array([1.0, 2.0, 3.0])
    assert entry(values, out=values) is values
    assert values.tolist() == [3.0, 2.0, 1.0]


def test_read_only_inputs_and_views_that_are_whole(entry: Any, fallback: Fallback) -> None:
    fixed = X.copy()
    fixed.flags.writeable = False
    assert entry(A, fixed, S).tolist() == Y
    stack = np.stack([A, A + 1])
    assert entry(stack[0], X, S).tolist() == Y
    assert fallback.calls == []


def test_several_results() -> None:
    fallback = Fallback()
    entry = make_builtin(CompiledProgram(splitting()), fallback)
    result = entry(np.array([2.0, 3.0]))
    ordinary = (np.zeros(()), np.zeros((3, 1)), np.zeros(0))
    assert [sys.getrefcount(part) for part in result] == [sys.getrefcount(part) for part in ordinary]
    assert sys.getrefcount(result) == sys.getrefcount(ordinary)
    assert type(result) is tuple
    assert [part.tolist() for part in result] == [5.0, [[2.0], [3.0], [1.0]], []]
    assert [part.shape for part in result] == [(), (3, 1), (0,)]
    assert fallback.calls == []
    assert entry(np.array([2.0, 3.0]), out=np.zeros(())) is HANDED_ON
    assert entry(np.array([2.0, 3.0]), out=ordinary) is HANDED_ON  # without parameters


def test_nothing_in_or_out() -> None:
    constant = make_builtin(CompiledProgram(Program.of(Graph(), "p", {"y": (1, 2)})), Fallback())
    assert constant().tolist() == [1.0, 2.0]
    silent = make_builtin(CompiledProgram(Program.of(Graph(), "p", {})), Fallback())
    assert silent() == ()


# -- what is handed on ------------------------------------------------------------------------------------------------


class Subclass(np.ndarray):  # any
    pass


UNUSUAL: dict[str, tuple[Any, ...]] = {
    "too few": (A, X),
    "none": (),
    "too many": (A, X, S, S),
    "a list": (A, [1.0, 2.0, 3.0], S),
    "an int": (A, X, 2),
    "a NumPy number of single precision": (A, X, np.float32(2.0)),
    "None": (A, None, S),
    "a bool": (A, X, True),
    "a number for an array": (A, 1.0, S),
    "float32": (A, X.astype(np.float32), S),
    "int64": (A, np.array([1, 2, 3]), S),
    "bytes swapped": (A, X.astype(">f8"), S),
    "complex": (A, X.astype(complex), S),
    "objects": (A, X.astype(object), S),
    "too short": (A, X[:2], S),
    "too long": (A, np.ones(4), S),
    "one axis more": (A, X[None], S),
    "one axis less": (A[0], X, S),
    "transposed": (np.ones((3, 2)), X, S),
    "Fortran's order": (np.asfortranarray(A), X, S),
    "strided": (A, np.ones(6)[::2], S),
    "backwards": (A, X[::-1], S),
    "a vector for a number": (A, X, np.ones(1)),
    "a subclass": (A, X.view(Subclass), S),
    "a batch": (np.ones((5, 2, 3)), X, S),
    "misaligned": (A, np.frombuffer(bytearray(25), np.uint8)[1:].view(np.float64), S),
    "NaN": (A, np.array([1.0, np.nan, 2.0]), S),
    "infinite number": (A, X, float("inf")),
    "overflow": (A * 1e200, X * 1e200, S),
}


@pytest.mark.parametrize("arguments", UNUSUAL.values(), ids=UNUSUAL.keys())
def test_everything_else_is_handed_on_as_it_is(entry: Any, fallback: Fallback, arguments: tuple[Any, ...]) -> None:
    assert entry(*arguments) is HANDED_ON
    ((given, named),) = fallback.calls
    assert all(a is b for a, b in zip(given, arguments, strict=True))
    assert named == {}


@pytest.mark.parametrize(
    "named",
    [
        {"out": None},
        {"out": np.zeros(3)},
        {"out": np.zeros((1, 2))},
        {"out": np.zeros(2, np.float32)},
        {"out": np.zeros(4)[::2]},
        {"out": [0.0, 0.0]},
        {"out": 1.0},
        {"threads": 2},
        {"out": np.zeros(2), "threads": 1},
        {"o": np.zeros(2)},
        {"".join(["ou", "t "]): np.zeros(2)},
    ],
    ids=str,
)
def test_unusual_keywords_are_handed_on(entry: Any, fallback: Fallback, named: dict[str, Any]) -> None:
    assert entry(A, X, S, **named) is HANDED_ON
    ((given, passed),) = fallback.calls
    assert given == (A, X, S) or all(a is b for a, b in zip(given, (A, X, S), strict=True))
    assert list(passed) == list(named)
    assert all(passed[key] is named[key] for key in named)


def test_keywords_for_inputs_are_handed_on(entry: Any, fallback: Fallback) -> None:
    assert entry(A, X, s=0.5) is HANDED_ON
    assert entry(A=A, x=X, s=0.5) is HANDED_ON
    assert [list(named) for _, named in fallback.calls] == [["s"], ["A", "x", "s"]]


def test_results_that_cannot_be_written_are_handed_on(entry: Any, fallback: Fallback) -> None:
    fixed = np.zeros(2)
    fixed.flags.writeable = False
    assert entry(A, X, S, out=fixed) is HANDED_ON
    assert fixed.tolist() == [0.0, 0.0]
    untouched = np.zeros(2)
    assert entry(A, np.full(3, np.nan), S, out=untouched) is HANDED_ON
    assert untouched.tolist() == [0.0, 0.0]


def test_exceptions_of_the_fallback_come_through() -> None:
    def refuse(*_: object) -> object:
        raise LookupError("refused")

    entry = make_builtin(CompiledProgram(product()), refuse)
    with pytest.raises(LookupError, match="refused"):
        entry(1)
    assert entry(A, X, S).tolist() == Y


def test_too_many_ports_are_left_to_the_fallback(fallback: Fallback) -> None:
    graph = Graph()
    ports = [graph.input(f"x{k}") for k in range(MAX_PORTS + 1)]
    assert make_builtin(CompiledProgram(Program.of(graph, "p", {"y": sum(ports)})), fallback) is fallback
    graph = Graph()
    ports = [graph.input(f"x{k}") for k in range(MAX_PORTS)]
    entry = make_builtin(CompiledProgram(Program.of(graph, "p", {f"y{k}": x for k, x in enumerate(ports)})), fallback)
    assert [float(y) for y in entry(*map(float, range(MAX_PORTS)))] == list(range(MAX_PORTS))


# -- guards -----------------------------------------------------------------------------------------------------------


def guards(words: array[int]) -> Guards:
    """Return guards with the current values of words."""
    return tuple((Word(words, k), expected) for k, expected in enumerate(words))


def test_a_guard_that_does_not_hold(fallback: Fallback) -> None:
    words = array("q", [3, 2**40])
    entry = make_builtin(CompiledProgram(product()), fallback, Binding(guards=guards(words)))
    assert entry(A, X, S).tolist() == Y
    for k in (0, 1):
        words[k] += 1
        assert entry(A, X, S) is HANDED_ON
        words[k] -= 1
        assert entry(A, X, S).tolist() == Y


def test_a_guard_keeps_its_words(fallback: Fallback) -> None:
    entry = make_builtin(CompiledProgram(product()), fallback, Binding(guards=guards(array("q", [1, 2]))))
    gc.collect()
    junk = [array("q", [9, 9]) for _ in range(1000)]
    assert entry(A, X, S).tolist() == Y
    assert len(junk) == 1000


# -- what Python sees -------------------------------------------------------------------------------------------------


def test_name_signature_and_documentation(fallback: Fallback) -> None:
    text = "product($self, A, x, s, *, out=None)\n--\n\nMultiply."
    entry = make_builtin(CompiledProgram(product()), fallback, name="product", documentation=text)
    assert (entry.__name__, entry.__doc__) == ("product", "Multiply.")
    assert str(inspect.signature(entry)) == "(A, x, s, *, out=None)"
    assert callable(entry)
    assert type(entry) is type(len)


# -- references and memory --------------------------------------------------------------------------------------------


def test_reference_counts(entry: Any) -> None:
    out = np.zeros(2)
    things: list[Any] = [A, X, S, out, entry, np.dtype(np.float64), np.ndarray, float, HANDED_ON]

    def counts() -> list[int]:
        return [sys.getrefcount(thing) for thing in things]

    before = counts()
    for _ in range(100):
        entry(A, X, S)
        entry(A, X, S, out=out)
        entry(A, X, 0.5)
        entry(A, X, S, out=None)
        entry(A, X)
        entry(A, X, float("nan"))
    entry.__self__.fallback.calls.clear()
    assert counts() == before


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the memory in use")
def test_a_million_calls_leave_nothing_behind() -> None:
    single, several = (make_builtin(CompiledProgram(p), lambda *_: None) for p in (product(), splitting()))
    pair, nan, out = np.ones(2), np.full(3, np.nan), np.zeros(2)

    def use(times: int) -> None:
        for _ in range(times):
            single(A, X, 0.5)
            single(A, X, S, out=out)
            several(pair)
            single(A, nan, S)

    use(1000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    use(250_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096
    tracemalloc.start()
    use(100)
    start = tracemalloc.get_traced_memory()[0]
    use(5000)
    assert tracemalloc.get_traced_memory()[0] - start < 2000
    tracemalloc.stop()


def test_everything_is_freed_with_the_last_reference() -> None:
    compiled, fallback = CompiledProgram(product()), Fallback()
    watched = [weakref.ref(compiled), weakref.ref(compiled.compile_single()), weakref.ref(fallback)]
    entry = make_builtin(compiled, fallback)
    del compiled, fallback
    assert entry(A, X, S).tolist() == Y
    assert all(reference() is not None for reference in watched)
    gc.disable()
    try:
        del entry
        assert [reference() for reference in watched] == [None] * 3
    finally:
        gc.enable()


def test_many_builtins_come_and_go() -> None:
    programs: list[CompiledProgram] = []
    for k in range(60):
        graph = Graph()
        x = graph.input("x", (4,))
        programs.append(CompiledProgram(Program.of(graph, "p", {"y": tuple(e * (k + 1.0) for e in x)})))
    entries = [make_builtin(compiled, Fallback()) for compiled in programs]
    del programs
    for k in range(0, 60, 2):
        entries[k] = entries[k + 1]
    gc.collect()
    assert [entry(np.ones(4))[0] for entry in entries] == [float(k + 1 + (k % 2 == 0)) for k in range(60)]


# -- gates ------------------------------------------------------------------------------------------------------------


def test_memory_is_tried_out() -> None:
    assert abi.is_listed()
    assert abi.is_verified()


@pytest.mark.parametrize(
    "field",
    [
        *("ARRAY_DATA", "ARRAY_NDIM", "ARRAY_SHAPE", "ARRAY_DTYPE", "ARRAY_FLAGS", "FLOAT_VALUE", "STRUCTURE_DATA"),
        *("REFERENCE_COUNT", "_DEFINED_OFFSET"),
    ],
)
def test_another_layout_is_noticed(monkeypatch: pytest.MonkeyPatch, field: str) -> None:
    monkeypatch.setattr(abi, field, 0 if field in ("FLOAT_VALUE", "STRUCTURE_DATA") else 8)
    assert not abi.is_verified()


@pytest.mark.parametrize(
    ("where", "name", "value"),
    [
        ("sys.platform", "platform", "plan9"),
        ("np.__version__", "numpy", "3.0.0"),
        ("np.__version__", "numpy", "1.26.4"),
        ("sys.version_info", "python", (3, 10, 0)),
        ("sys.version_info", "python", (3, 15, 0)),
        ("sys.abiflags", "free threads", "t"),
    ],
)
def test_other_interpreters_are_not_listed(monkeypatch: pytest.MonkeyPatch, where: str, name: str, value: Any) -> None:
    owner, attribute = where.split(".", 1)
    monkeypatch.setattr(getattr(abi, owner), attribute, value)
    assert not abi.is_listed()


def test_unknown_interpreters_get_the_fallback(monkeypatch: pytest.MonkeyPatch, fallback: Fallback) -> None:
    monkeypatch.setattr(abi, "is_supported", lambda: False)
    assert make_builtin(CompiledProgram(product()), fallback) is fallback
