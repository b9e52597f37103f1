"""Builtins bound to memory: what they read and write, when they decline, and that they keep the books of references."""

from __future__ import annotations

import gc
import sys
import threading
import tracemalloc
import weakref
from array import array
from typing import Any

import numpy as np
import pytest

from rbd.native.builtins.builtin import Binding, make_builtin
from rbd.native.builtins.context import BuiltinContext, Word
from rbd.native.builtins.records import INTEGER, POINTER, structure_fields
from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars import positive, sqrt
from tests.marks import needs_builtins

pytestmark = needs_builtins


def weighed() -> Program:
    """Return y = a x + b with a number a of a vector, an argument x[3] and a bound b[3]."""
    graph = Graph()
    a, x, b = graph.input("a", (1,)), graph.input("x", (3,)), graph.input("b", (3,))
    scale = sqrt(positive(a[0], "a"))
    return Program.of(graph, "weighed", {"y": tuple(scale * u + w for u, w in zip(x, b, strict=True))})


class Bench:
    """Memory, and a builtin bound to it."""

    def __init__(self, *, to_arrays: bool) -> None:
        self.words = array("q", [threading.get_ident(), 7, 0])
        self.a, self.b = np.array([4.0]), np.array([1.0, 2.0, 3.0])
        self.y, self.copy = np.zeros(3), np.zeros(3)
        binding = Binding(
            Word(self.words, 0),
            ((Word(self.words, 1), 7),),
            (self.a, None, self.b),
            None if to_arrays else (self.y,),
            () if to_arrays else ((self.y, self.copy), (self.b, self.b)),
            Word(self.words, 2),
        )
        self.call: Any = make_builtin(CompiledProgram(weighed()), None, binding)


X = np.array([1.0, 1.0, 2.0])


def test_new_arrays() -> None:
    bench = Bench(to_arrays=True)
    assert bench.call(X).tolist() == [3.0, 4.0, 7.0]
    bench.a[0], bench.b[0] = 1.0, 0.0
    out = np.empty(3)
    assert bench.call(X, out=out) is out
    assert out.tolist() == bench.call(X).tolist() == [1.0, 3.0, 5.0]


def test_buffers_copies_and_the_counter() -> None:
    bench = Bench(to_arrays=False)
    assert bench.call(X) is None
    assert bench.y.tolist() == bench.copy.tolist() == [3.0, 4.0, 7.0]
    assert bench.words[2] == 1
    assert bench.call(X, out=np.empty(3)) is NotImplemented
    assert bench.words[2] == 1


@pytest.mark.parametrize("to_arrays", [True, False])
def test_everything_unusual_is_declined(to_arrays: bool) -> None:
    bench = Bench(to_arrays=to_arrays)
    odd = [(), (X, X), ([1.0, 1.0, 2.0],), (X.astype(np.float32),), (X[::-1],), (X[:2],), (X * np.nan,), (None,)]
    for arguments in odd:
        assert bench.call(*arguments) is NotImplemented
    assert bench.call(X, into=np.empty(3)) is NotImplemented
    assert bench.call(X, out=np.empty(2)) is NotImplemented
    bench.a[0] = -1.0
    assert bench.call(X) is NotImplemented
    assert bench.y.tolist() == bench.copy.tolist() == [0.0] * 3
    assert bench.words[2] == 0


def test_guards_and_owner() -> None:
    bench = Bench(to_arrays=False)
    bench.words[1] = 8
    assert bench.call(X) is NotImplemented
    bench.words[1] = 7
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(bench.call(X)))
    thread.start()
    thread.join()
    assert found == [NotImplemented]
    assert bench.call(X) is None


@pytest.mark.parametrize("to_arrays", [True, False])
def test_references_and_memory(to_arrays: bool) -> None:
    bench = Bench(to_arrays=to_arrays)
    things = (X, bench.b, None, NotImplemented)
    before = [sys.getrefcount(thing) for thing in things]
    for _ in range(1000):
        bench.call(X)
        bench.call(None)
    after = [sys.getrefcount(thing) for thing in things]
    assert all(abs(a - b) < 100 for a, b in zip(before, after, strict=True))
    ghost = weakref.ref(bench.y)
    del bench, things
    gc.collect()
    assert ghost() is None


def sequence() -> tuple[Any, array[int]]:
    """Return a builtin with two outputs, one of them a number, and the words it is bound to."""
    graph = Graph()
    x = graph.input("x", (2,))
    program = Program.of(graph, "two", {"a": sqrt(positive(x[0] + x[1], "sum")), "b": (x, x)})
    words = array("q", [threading.get_ident()])
    return make_builtin(CompiledProgram(program), None, Binding(Word(words, 0), (), (None,))), words


def test_several_new_arrays() -> None:
    call, words = sequence()
    x = np.array([1.0, 3.0])
    a, b = first = call(x)
    assert (type(first), a.shape, float(a), b.tolist()) == (tuple, (), 2.0, [[1.0, 3.0], [1.0, 3.0]])
    x[:] = 8.0, 1.0
    again = call(x)
    assert (float(again[0]), float(a), b[0, 1]) == (3.0, 2.0, 3.0)
    assert not np.shares_memory(again[1], b)
    for odd in (lambda: call(x, out=b), lambda: call(-x), lambda: call(x, b), lambda: call([1.0, 2.0]), call):
        assert odd() is NotImplemented
    words[0] += 1
    assert call(x) is NotImplemented


def test_several_new_arrays_are_given_back() -> None:
    call, _ = sequence()
    x = np.array([1.0, 3.0])
    before = sys.getrefcount(x), sys.getrefcount(NotImplemented)
    tracemalloc.start()
    for argument in (x, -x):  # the second is refused when the arrays have been made
        call(argument)
        size = tracemalloc.get_traced_memory()[0]
        for _ in range(1000):
            call(argument)
        assert tracemalloc.get_traced_memory()[0] - size < 10_000
    tracemalloc.stop()
    after = sys.getrefcount(x), sys.getrefcount(NotImplemented)
    assert all(abs(a - b) < 100 for a, b in zip(before, after, strict=True))


class TwoWords(BuiltinContext):
    _fields_ = structure_fields({"count": INTEGER, "memory": POINTER})


def test_words_of_a_context_have_their_names() -> None:
    """ctypes takes any name; machine code would find a null pointer in the word that was meant."""
    assert TwoWords.of(count=3, memory=None).count == 3
    for words in ({"count": 3, "memroy": 5}, {"count": 3}):
        with pytest.raises(KeyError, match="memory"):
            TwoWords.of(**words)
