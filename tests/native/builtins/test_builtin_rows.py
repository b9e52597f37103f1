"""Builtins made at run time: small batches."""

from __future__ import annotations

import gc
import sys
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest

from rbd.native.builtins.builtin import Binding, make_builtin
from rbd.native.compiled_program import CompiledProgram
from tests.marks import needs_builtins
from tests.native.builtins.test_builtin import HANDED_ON, Fallback, product, splitting

pytestmark = needs_builtins

RNG = np.random.default_rng(3)
A, X, S = RNG.uniform(-1, 1, (5, 2, 3)), RNG.uniform(-1, 1, (5, 3)), RNG.uniform(-1, 1, 5)


def with_rows(program: Any) -> CompiledProgram:
    """Return a kernel with code for rows and for one state."""
    kernel = CompiledProgram(program)
    for library in (kernel.compile_batch(), kernel.compile_single()):
        assert library
    return kernel


@pytest.fixture(scope="module")
def kernel() -> CompiledProgram:
    return with_rows(product())


@pytest.fixture
def fallback() -> Fallback:
    return Fallback()


@pytest.fixture
def entry(kernel: CompiledProgram, fallback: Fallback) -> Any:
    return make_builtin(kernel, fallback)


def alone(entry: Any, count: int = 5) -> Any:
    """Return the results of single calls."""
    return np.array([entry(A[k], X[k], S[k : k + 1].reshape(())) for k in range(count)])


def test_rows_have_the_bits_of_single_calls(entry: Any, fallback: Fallback) -> None:
    for count in (1, 2, 5):
        y = entry(A[:count], X[:count], S[:count])
        assert type(y) is np.ndarray
        assert (y.dtype, y.shape, y.flags.carray, y.flags.owndata) == (np.float64, (count, 2), True, True)
        assert y.tobytes() == alone(entry, count).tobytes()
    assert fallback.calls == []


def test_arguments_without_leading_axes_are_the_same_for_all_rows(entry: Any, fallback: Fallback) -> None:
    for arguments in ((A, X[0], 0.5), (A[0], X, 0.5), (A[0], X[0], S), (A[0], X, S)):
        wide = (np.broadcast_to(x, (5, *np.shape(x))[-n:]).copy() for x, n in zip(arguments, (3, 2, 1), strict=True))
        assert entry(*arguments).tobytes() == entry(*wide).tobytes()
    assert fallback.calls == []


def test_any_leading_axes(entry: Any, fallback: Fallback) -> None:
    lead = (2, 1, 3)
    a, x, s = (RNG.uniform(-1, 1, (*lead, *own)) for own in ((2, 3), (3,), ()))
    y = entry(a, x, s)
    assert y.shape == (*lead, 2)
    assert y.tobytes() == entry(a.reshape(6, 2, 3), x.reshape(6, 3), s.reshape(6)).tobytes()
    assert entry(a, X[0], 0.5).shape == (*lead, 2)
    assert fallback.calls == []


def test_array_for_the_result(entry: Any, fallback: Fallback) -> None:
    out = np.zeros((5, 2))
    assert entry(A, X, S, out=out) is out
    assert out.tobytes() == alone(entry).tobytes()
    assert fallback.calls == []


def test_several_results() -> None:
    fallback = Fallback()
    entry = make_builtin(with_rows(splitting()), fallback)
    x = RNG.uniform(-1, 1, (4, 2))
    result = entry(x)
    ordinary = (np.zeros(4), np.zeros((4, 3, 1)), np.zeros((4, 0)))
    assert type(result) is tuple
    assert [part.shape for part in result] == [part.shape for part in ordinary]
    assert [sys.getrefcount(part) for part in result] == [sys.getrefcount(part) for part in ordinary]
    columns = np.stack((x[:, 0], x[:, 1], np.ones(4)), axis=1)
    assert [part.tobytes() for part in result] == [(x[:, 0] + x[:, 1]).tobytes(), columns.tobytes(), b""]
    for k in range(4):
        assert [part[k].tobytes() for part in result] == [part.tobytes() for part in entry(x[k])]
    assert fallback.calls == []


def test_code_for_rows_that_comes_later(fallback: Fallback) -> None:
    kernel = CompiledProgram(product())
    entry = make_builtin(kernel, fallback)
    assert entry(A, X, S) is HANDED_ON
    assert kernel.compile_batch()
    assert entry(A, X, S).shape == (5, 2)


def test_code_for_one_state_that_comes_later(fallback: Fallback) -> None:
    kernel = CompiledProgram(product())
    assert kernel.compile_batch()
    entry = make_builtin(kernel, fallback)
    assert entry(A, X, S).shape == (5, 2)
    assert entry(A[0], X[0], 0.5) is HANDED_ON
    assert kernel.compile_single()
    assert entry(A[0], X[0], 0.5).shape == (2,)


UNUSUAL: dict[str, tuple[Any, ...]] = {
    "other numbers of rows": (A, X[:4], S),
    "leading axes that broadcast": (A, X[:1], S),
    "more leading axes": (A, X[None], S),
    "fewer leading axes": (A[None], X, S),
    "an axis too short": (A, X[:, :2], S),
    "transposed": (A.transpose(0, 2, 1), X, S),
    "leading axes unevenly apart": (np.ones((4, 2, 2, 3))[:, :1], np.ones((4, 2, 3))[:, ::2], S[:1]),
    "leading axes in Fortran's order": (np.asfortranarray(np.ones((2, 2, 2, 3))), X[0], 0.5),
    "misaligned": (A, np.frombuffer(bytearray(121), np.uint8)[1:].view(np.float64).reshape(5, 3), S),
    "float32": (A, X.astype(np.float32), S),
    "a list": (A, X.tolist(), S),
    "None": (A, None, S),
    "NaN": (A, np.where(np.arange(15).reshape(5, 3) == 7, np.nan, X), S),
    "overflow": (A * 1e200, X * 1e200, S),
}


@pytest.mark.parametrize("arguments", UNUSUAL.values(), ids=UNUSUAL.keys())
def test_everything_else_is_handed_on_as_it_is(entry: Any, fallback: Fallback, arguments: tuple[Any, ...]) -> None:
    assert entry(*arguments) is HANDED_ON
    ((given, named),) = fallback.calls
    assert all(a is b for a, b in zip(given, arguments, strict=True))
    assert named == {}


def test_results_that_cannot_be_written_are_handed_on(entry: Any, fallback: Fallback) -> None:
    fixed = np.zeros((5, 2))
    fixed.flags.writeable = False
    for out in (fixed, np.zeros((4, 2)), np.zeros((5, 3)), np.zeros(2), np.zeros((5, 4))[:, ::2]):
        assert entry(A, X, S, out=out) is HANDED_ON
        assert not out.any()
    assert len(fallback.calls) == 5


def test_results_that_overlap_arguments_are_handed_on(entry: Any, fallback: Fallback) -> None:
    memory = np.zeros(100)
    for start in (9, 15, 24):  # the argument is at 10 to 24
        memory[10:25] = X.reshape(-1)
        out = memory[start : start + 10].reshape(5, 2)
        assert entry(A, memory[10:25].reshape(5, 3), S, out=out) is HANDED_ON
        assert entry(A, memory[10:13], S, out=memory[12:22].reshape(5, 2)) is HANDED_ON
        assert memory[10:25].tobytes() == X.tobytes()
    assert entry(A, memory[10:25].reshape(5, 3), S, out=memory[:10].reshape(5, 2)).base is memory
    assert entry(A, memory[10:25].reshape(5, 3), S, out=memory[25:35].reshape(5, 2)).base is memory
    assert len(fallback.calls) == 6


def test_results_that_overlap_strided_arguments_are_handed_on(entry: Any, fallback: Fallback) -> None:
    memory = np.ones(200)
    backwards, columns = memory[100:130].reshape(10, 3)[::-2], memory[100:115].reshape(3, 5).T
    for x, first, end in ((backwards, 103, 130), (columns, 100, 115)):
        assert entry(A, x, S, out=memory[first - 10 : first].reshape(5, 2)) is not HANDED_ON
        assert entry(A, x, S, out=memory[end : end + 10].reshape(5, 2)) is not HANDED_ON
        assert fallback.calls == []
        for start in (first - 9, end - 1):
            assert entry(A, x, S, out=memory[start : start + 10].reshape(5, 2)) is HANDED_ON
        fallback.calls.clear()


LAYOUTS: dict[str, tuple[Any, ...]] = {
    "column order": tuple(map(np.asfortranarray, (A, X, S))),
    "one in column order": (A, np.asfortranarray(X), S),
    "part of rows": (A, np.hstack([X, X])[:, 3:], S),
    "every other row": (A, np.repeat(X, 2, axis=0)[::2], np.repeat(S, 2)[1::2]),
    "backwards": (A[::-1].copy()[::-1], X, S[::-1].copy()[::-1]),
    "transposed": (A.transpose(0, 2, 1).copy().transpose(0, 2, 1), X, S),
    "shared rows": (A, np.broadcast_to(X[1], (5, 3)), S),
    "shared and strided": (np.asfortranarray(A[2]), X, S),
}


@pytest.mark.parametrize("arguments", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_strided_arrays(entry: Any, fallback: Fallback, arguments: tuple[Any, ...]) -> None:
    found = entry(*arguments)
    assert found.tobytes() == entry(*(np.array(x, order="C") for x in arguments)).tobytes()
    for out in (np.zeros((5, 2)), np.zeros((2, 5)).T):
        assert entry(*arguments, out=out) is out
        assert out.tobytes() == found.tobytes()
    assert fallback.calls == []


def test_results_are_in_column_order_if_all_arguments_with_rows_are(entry: Any, fallback: Fallback) -> None:
    a, x, s = map(np.asfortranarray, (A, X, S))
    for arguments, columns in (((a, x, s), True), ((a, X[0], 0.5), True), ((A, x, s), False), ((A, X, s), False)):
        y = entry(*arguments)
        assert (y.flags.f_contiguous, y.flags.c_contiguous, y.flags.owndata) == (columns, not columns, True)
    lead = np.moveaxis(RNG.uniform(-1, 1, (3, 2, 4)), 0, -1)
    y = entry(A[0], lead, 0.5)
    assert y.shape == (2, 4, 2)
    assert y.strides == (32, 8, 64)
    assert y.tobytes() == entry(A[0], lead.copy(), 0.5).tobytes()
    assert fallback.calls == []


def test_one_strided_row_is_a_batch_of_its_own(entry: Any, fallback: Fallback) -> None:
    y = entry(np.asfortranarray(A[0]), np.hstack([X, X])[0, ::2], 0.5)
    assert y.shape == (2,)
    assert y.tobytes() == entry(A[0], np.hstack([X, X])[0, ::2].copy(), 0.5).tobytes()
    assert fallback.calls == []


def test_no_rows_and_many_rows(entry: Any, fallback: Fallback) -> None:
    assert entry(A[:0], X[0], 0.5).shape == (0, 2)
    assert entry(np.ones((3, 0, 2, 3)), np.ones((3, 0, 3)), 0.5).shape == (3, 0, 2)
    many = RNG.uniform(-1, 1, (5000, 2, 3))
    for a in (many, np.asfortranarray(many)):
        y = entry(a, X[0], 0.5)
        assert y[4990:].tobytes() == entry(many[4990:], X[0], 0.5).tobytes()
    assert fallback.calls == []


def test_large_batches_release_the_lock(entry: Any) -> None:
    """A thread that waits for the interpreter's lock gets it while rows are computed."""
    many, turns, gate, interval = np.ones((400_000, 2, 3)), list[int](), threading.Lock(), sys.getswitchinterval()
    gate.acquire()

    def wait() -> None:
        with gate:
            turns.append(1)

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.05)  # it is at the gate
    sys.setswitchinterval(1e3)  # nobody has to give the lock away
    try:
        gate.release()
        before = len(turns)
        for _ in range(1000):
            if not turns:
                entry(many, X[0], 0.5)
        after = len(turns)
    finally:
        sys.setswitchinterval(interval)
        thread.join()
    assert (before, after) == (0, 1)


def test_bound_builtins_take_no_batches(kernel: CompiledProgram, fallback: Fallback) -> None:
    entry = make_builtin(kernel, fallback, Binding(inputs=(None, None, np.array(0.5))))
    assert entry(A[0], X[0]).shape == (2,)
    assert entry(A, X) is HANDED_ON
    assert make_builtin(kernel, None, Binding(outputs=(np.zeros(2),)))(A, X, S) is NotImplemented


def test_reference_counts(entry: Any) -> None:
    out, nan = np.zeros((5, 2)), np.full((5, 3), np.nan)
    things: list[Any] = [A, X, S, out, nan, entry, np.dtype(np.float64), np.ndarray, HANDED_ON, None]

    def counts() -> list[int]:
        return [sys.getrefcount(thing) for thing in things[:-1]]

    before = counts()
    for _ in range(100):
        entry(A, X, S)
        entry(A, X, S, out=out)
        entry(A, nan, S)
        entry(A, nan, S, out=out)
        entry(A, X, S, out=X)
    entry.__self__.fallback.calls.clear()
    assert counts() == before


def test_everything_is_freed_with_the_last_reference() -> None:
    kernel = with_rows(product())
    watched = [weakref.ref(kernel), weakref.ref(kernel.compile_batch())]
    entry = make_builtin(kernel, Fallback())
    del kernel
    assert entry(A, X, S).shape == (5, 2)
    del entry
    gc.collect()
    assert [each() for each in watched] == [None, None]
