"""Array arguments: conversion of valid ones, errors for others."""

from __future__ import annotations

import math
import re
import warnings
from collections import UserList
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from mpmath import iv

from rbd.errors import NotFiniteError, RbdError, ScalarError, ShapeError
from rbd.scalars import const
from rbd.scalars.arrays import check_out, float_array, matrix_scalars, pack, scalars, to_float_array
from rbd.scalars.entries import any_array

finite = st.floats(allow_nan=False, allow_infinity=False)
HALF = Fraction(1, 2)
X = sympy.Symbol("x")

VECTORS: list[Any] = [
    [1, 2, 3],
    (1.0, 2.0, 3.0),
    [1, 2.0, np.float32(3)],
    range(1, 4),
    np.array([1, 2, 3]),
    np.array([1, 2, 3], dtype=np.uint8),
    np.array([1, 2, 3], dtype=np.float32),
    np.array([1, 2, 3], dtype=np.longdouble),
    np.array([1, 2, 3], dtype=">f8"),
    np.array([1.0, 0, 2, 0, 3])[::2],
    np.array([3.0, 2, 1])[::-1],
    np.array([1.0, 2, 3], dtype=object),
    [np.float64(1), np.int64(2), const(3)],
    [const(1), 2, np.array(3.0)],
    np.ma.masked_array([1.0, 2.0, 3.0], mask=False),
    UserList([1.0, 2.0, 3.0]),
]


@pytest.mark.parametrize("values", VECTORS, ids=repr)
def test_vectors_are_converted(values: Any) -> None:
    array = float_array(values, (3,), "q")
    assert type(array) is np.ndarray
    assert array.dtype == np.float64
    assert array.dtype.isnative
    assert array.flags.c_contiguous
    assert not (isinstance(values, np.ndarray) and np.shares_memory(array, values))
    assert array.tolist() == [1.0, 2.0, 3.0]
    flat = scalars(values, 3, "q")
    assert flat == (1.0, 2.0, 3.0)
    assert [type(x) for x in flat] == [float, float, float]
    assert scalars(values, None, "q") == flat


@given(st.lists(finite, max_size=80))
def test_floats_pass_unchanged(values: list[float]) -> None:
    array = np.array(values, dtype=float)
    assert float_array(array, (len(values),), "q").tolist() == values
    assert float_array(values, (None,), "q").tolist() == values
    assert scalars(array, len(values), "q") == tuple(values)
    assert scalars(values, len(values), "q") == tuple(values)


def test_arrays_are_copied_unless_told_otherwise() -> None:
    array = np.zeros((2, 2))
    assert not np.shares_memory(float_array(array, (2, 2), "M"), array)
    assert float_array(array, (2, 2), "M", copy=False) is array
    assert float_array(array.T[:, :1], (2, 1), "M", copy=False).flags.c_contiguous
    assert not np.shares_memory(float_array(array.T, (2, 2), "M"), array)
    assert float_array(array.T, (2, 2), "M").flags.c_contiguous


@pytest.mark.parametrize(
    ("values", "shape"),
    [
        ([1.0, 2.0], (3,)),
        ([], (3,)),
        (1.0, (1,)),
        (1.0, (3,)),
        ([1.0], ()),
        ([1.0], (3,)),
        ([[1.0, 2.0, 3.0]], (3,)),
        ([[1.0], [2.0], [3.0]], (3,)),
        (np.zeros((3, 1)), (3,)),
        (np.zeros(3), (3, 1)),
        (np.zeros((2, 3)), (3, 2)),
        (np.zeros((2, 3)), (None, 2)),
        (np.zeros((2, 3)), (None,)),
        ([[1.0, 2.0], [3.0]], (2, 2)),
        (None, (1,)),
        ({1.0, 2.0}, (2,)),
        ({}, (0,)),
        (iter([1.0]), (1,)),
    ],
    ids=lambda given: type(given).__name__ if hasattr(given, "__next__") else repr(given),
)
def test_nothing_broadcasts(values: Any, shape: tuple[int | None, ...]) -> None:
    with pytest.raises(ShapeError, match="torque") as caught:
        float_array(values, shape, "torque")
    assert caught.value.argument == "torque"
    assert caught.value.expected == shape


@pytest.mark.parametrize(
    "values",
    [
        [True, False],
        [1.0, True],
        [1.0, np.True_],
        np.array([True, False]),
        np.array([True, False], dtype=object),
        ["1.0", "2.0"],
        [1.0, "2.0"],
        np.array(["1", "2"]),
        np.array(["1", "2"], dtype=object),
        [b"1", b"2"],
        "12",
        [None, 1.0],
        np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"),
        np.zeros(2, dtype=[("a", float)]),
    ],
    ids=repr,
)
def test_values_that_are_not_numbers_raise(values: Any) -> None:
    with pytest.raises(ShapeError, match="q"):
        float_array(values, (2,), "q")
    with pytest.raises(ShapeError, match="q"):
        scalars(values, 2, "q")
    with pytest.raises(ShapeError, match="q"):
        matrix_scalars([values], 1, 2, "q")


def test_complex_numbers_raise() -> None:
    for values in ([1j, 1.0], np.array([1j, 1.0])):
        with pytest.raises(ShapeError, match="complex"):
            float_array(values, (2,), "q")
        assert scalars(values, 2, "q") == (1j, 1.0)


@pytest.mark.parametrize("foreign", [X, HALF, iv.mpf([1, 2])], ids=["symbol", "fraction", "interval"])
def test_other_scalars_raise(foreign: Any) -> None:
    array = np.empty(2, dtype=object)
    array[:] = [foreign, 1.0]
    for values in ([foreign, 1.0], array):
        with pytest.raises(ScalarError, match="with_scalars") as caught:
            float_array(values, (2,), "q")
        assert caught.value.argument == "q"
        assert scalars(values, 2, "q")[0] is foreign
        assert matrix_scalars([values], 1, 2, "q")[0][0] is foreign
    with pytest.raises(ScalarError, match="q"):
        scalars([object(), 1.0], 2, "q")


def test_floats_with_exact_scalars_become_exact() -> None:
    values = [HALF, 1, 0.25, np.float32(0.5), np.int64(3), const(1, 3)]
    result = scalars(values, 6, "q")
    assert result == (HALF, 1, Fraction(1, 4), HALF, 3, const(1, 3))
    assert [type(x) for x in result[:5]] == [Fraction, int, Fraction, Fraction, int]
    # Without an exact neighbour integers are floats.
    assert [type(x) for x in scalars([1, const(1, 2), 0.5], 3, "q")] == [float, float, float]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("size", [3, 100])
def test_values_that_are_not_finite_are_named(bad: float, size: int) -> None:
    vector = np.ones(size)
    vector[size - 2] = bad
    for values in (vector, vector.tolist(), vector.astype(np.float32), vector.astype(object)):
        for convert in (lambda v: float_array(v, (size,), "q"), lambda v: scalars(v, size, "q")):
            with pytest.raises(NotFiniteError, match=rf"q\[{size - 2}\]") as caught:
                convert(values)
            assert caught.value.index == (size - 2,)
            assert caught.value.argument == "q"
    matrix = np.ones((2, size))
    matrix[1, 2] = bad
    for values in (matrix, matrix.tolist()):
        for convert in (lambda v: float_array(v, (2, size), "M"), lambda v: matrix_scalars(v, 2, size, "M")):
            with pytest.raises(NotFiniteError, match=r"M\[1, 2\]") as caught:
                convert(values)
            assert caught.value.index == (1, 2)


def test_numbers_above_the_range_of_floats_raise() -> None:
    for values in ([10**400, 1], [complex(math.nan, 0), 1]):
        with pytest.raises(NotFiniteError, match="q"):
            scalars(values, 2, "q")
    with pytest.raises(NotFiniteError):
        float_array([10**400, 1], (2,), "q")
    with pytest.raises(NotFiniteError):
        float_array(np.array([np.finfo(np.longdouble).max, 1], dtype=np.longdouble), (2,), "q")


def test_huge_numbers_are_finite() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float_array(np.full(100, 1e300), (100,), "q")[99] == 1e300
        assert float_array([1e308, -1e308], (2,), "q")[0] == 1e308


MASKED = np.ma.masked_array([1.0, 2.0], mask=[False, True])
NESTED_MASKS: dict[str, tuple[object, str]] = {
    "list": ([[1.0, 2.0], MASKED], "[1, 1]"),
    "tuple": ((MASKED,), "[0, 1]"),
    "list of lists": ([[[0.0, 0.0]], [MASKED]], "[1, 0, 1]"),
    "masked constant": ([1.0, np.ma.masked], "[1]"),
    "objects": (np.array([[1.0, np.ma.masked]], dtype=object), "[0, 1]"),
    "integers": ([np.ma.masked_array([1, 2], [True, False])], "[0, 0]"),
}


@pytest.mark.parametrize("kind", NESTED_MASKS)
def test_masks_in_sequences_are_refused(kind: str) -> None:
    values, place = NESTED_MASKS[kind]
    with pytest.raises(NotFiniteError, match=rf"^q{re.escape(place)} is masked$") as caught:
        any_array(values, "q")
    assert caught.value.index == tuple(map(int, place.strip("[]").split(", ")))


def test_sequences_without_masked_entries_pass() -> None:
    for values in ([np.ma.masked_array([1.0, 2.0])], [[1.0, 2.0]], np.array([[1, 2.0]], dtype=object), []):
        assert np.array_equal(any_array(values, "q"), np.array(values))
    endless: list[object] = [1.0, MASKED]
    endless[1] = endless
    with pytest.raises(ShapeError):
        float_array(endless, (2,), "q")


def test_masked_entries_are_refused() -> None:
    masked = np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False])
    for convert in (lambda: float_array(masked, (3,), "q"), lambda: scalars(masked, 3, "q")):
        with pytest.raises(NotFiniteError, match=r"q\[1\] is masked"):
            convert()


@pytest.mark.parametrize(
    "values",
    [[[1, 2], [3, 4]], ((1.0, 2.0), (3.0, 4.0)), np.array([[1, 2], [3, 4]]), [np.array([1, 2]), (3, 4)]],
    ids=repr,
)
def test_matrices(values: Any) -> None:
    expected = ((1.0, 2.0), (3.0, 4.0))
    for shape in [(2, 2), (None, 2), (2, None), (None, None)]:
        assert matrix_scalars(values, *shape, "M") == expected
    assert all(type(x) is float for row in matrix_scalars(values, 2, 2, "M") for x in row)


@pytest.mark.parametrize(
    "values",
    [[1.0, 2.0], [[1.0], [2.0, 3.0]], [[1.0, 2.0, 3.0]], 1.0, [[[1.0, 2.0]], [[1.0, 2.0]]], [], [[], []]],
    ids=repr,
)
def test_matrices_of_other_shapes_are_refused(values: Any) -> None:
    with pytest.raises(ShapeError, match="M"):
        matrix_scalars(values, 2, 2, "M")


def test_matrices_without_entries() -> None:
    assert matrix_scalars(np.zeros((3, 0)), 3, None, "M") == ((), (), ())
    assert matrix_scalars([[], [], []], 3, 0, "M") == ((), (), ())
    assert matrix_scalars([], None, 3, "M") == ()


def test_matrices_of_foreign_scalars() -> None:
    assert matrix_scalars([[X, 0], [0.5, 1]], 2, 2, "M") == ((X, 0), (sympy.Rational(1, 2), 1))
    assert matrix_scalars(np.array([[X, 0], [0, X]]), 2, 2, "M") == ((X, 0), (0, X))


def test_pack_by_content() -> None:
    cases: list[tuple[Any, Any, tuple[int, ...]]] = [
        ((1.0, 2), np.float64, (2,)),
        ((1, 2), np.float64, (2,)),
        (((1.0, const(1, 2)), (0, 1)), np.float64, (2, 2)),
        ((), np.float64, (0,)),
        (((), (), ()), np.float64, (3, 0)),
        ((1j, 0, const(1, 2)), np.complex128, (3,)),
        ((HALF, 1.0), np.object_, (2,)),
        (((X, 1), (2, X)), np.object_, (2, 2)),
        ((iv.mpf([1, 2]), 1.0), np.object_, (2,)),
        ((((1.0,),),), np.float64, (1, 1, 1)),
    ]
    for nested, dtype, shape in cases:
        array = pack(nested)
        assert (array.dtype, array.shape) == (dtype, shape)
    assert pack((HALF, 1)).tolist() == [HALF, 1]
    assert pack((1j, const(1, 2))).tolist() == [1j, 0.5]


def test_to_float_array() -> None:
    assert to_float_array(((1.0, 2), (const(1, 2), np.float32(0)))).tolist() == [[1.0, 2.0], [0.5, 0.0]]
    assert to_float_array((1, 2)).dtype == np.float64
    for foreign in (X, HALF, 1j, iv.mpf(1)):
        with pytest.raises(ScalarError, match="components"):
            to_float_array((1.0, foreign))


def test_check_out() -> None:
    out = np.zeros((2, 3))
    assert check_out(out, (2, 3), "out") is out
    fresh = check_out(None, (2, 3), "out")
    assert (fresh.shape, fresh.dtype) == ((2, 3), np.float64)
    frozen = np.zeros((2, 3))
    frozen.flags.writeable = False
    bad: list[Any] = [np.zeros(6), np.zeros((3, 2)), np.zeros((3, 2)).T, np.zeros((2, 6))[:, ::2], frozen]
    bad += [np.zeros((2, 3), dtype=np.float32), np.zeros((2, 3), dtype=object), [[0.0] * 3] * 2, 0.0]
    for other in bad:
        with pytest.raises(ShapeError, match="out"):
            check_out(other, (2, 3), "out")


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=2) | st.complex_numbers() | st.integers(),
        lambda s: st.lists(s, max_size=3),
    )
)
def test_only_rbd_errors_are_raised(junk: Any) -> None:
    for convert in (
        lambda: float_array(junk, (2,), "q"),
        lambda: float_array(junk, (None, 2), "q"),
        lambda: scalars(junk, None, "q"),
        lambda: matrix_scalars(junk, None, None, "q"),
    ):
        try:
            convert()
        except RbdError as error:
            assert "q" in str(error)  # noqa: PT017
