"""Arrays of tuples made in machine code: what NumPy makes of them, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd.native.builtins import value_builtin
from rbd.scalars import arrays, const
from rbd.scalars.arrays import array_of, pack
from tests.marks import needs_builtins

pytestmark = needs_builtins
NUMBERS = st.one_of(st.floats(), st.integers(-(2**60), 2**60))
NESTED = st.one_of(
    st.lists(NUMBERS, min_size=1, max_size=20).map(tuple),
    st.integers(1, 5).flatmap(
        lambda n: st.lists(st.lists(NUMBERS, min_size=n, max_size=n).map(tuple), min_size=1, max_size=6).map(tuple)
    ),
)


@pytest.fixture(scope="module")
def make() -> Callable[[object], Any]:
    value_builtin._code()  # pyright: ignore[reportPrivateUsage]  # made with the first builtin of a value
    return arrays._make_array  # pyright: ignore[reportPrivateUsage]  # what the builtin was set as


@given(nested=NESTED)
def test_numbers_become_the_array_that_numpy_makes(nested: Any, make: Callable[[object], Any]) -> None:
    found, expected = make(nested), np.array(nested, dtype=np.float64)
    if found is NotImplemented:  # minus one may be an error of the conversion
        assert any(type(x) is int and x == -1 for x in np.array(nested, dtype=object).flat)
        found = array_of(nested)
    assert type(found) is np.ndarray
    assert found.dtype == np.float64
    assert found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()
    assert found.flags.c_contiguous
    assert found.flags.owndata
    assert found.flags.writeable


@pytest.mark.parametrize(
    "other",
    [
        (),
        ((), ()),
        1.0,
        [1.0, 2.0],
        (True, 1.0),
        (1.0, "2"),
        (1.0, None),
        (1j, 1.0),
        (np.float64(1.0), 2.0),
        (Fraction(1, 2), 1.0),
        (const(1, 2), 1.0),
        (10**400, 1.0),
        ((1.0, 2.0), (3.0,)),
        ((1.0, 2.0), 3.0),
        (1.0, (2.0, 3.0)),
        ((1.0, 2.0), [3.0, 4.0]),
        (((1.0,),), ((2.0,),)),
    ],
)
def test_everything_else_is_left_to_numpy(other: Any, make: Callable[[object], Any]) -> None:
    found = make(other)
    assert found is NotImplemented or (other == ((), ()) and found.shape == (2, 0))


def test_no_reference_leaks(make: Callable[[object], Any]) -> None:
    x, y = float("1.25"), float("2.5")
    for nested in ((x, y), (x, None), ((x, y), (y, x)), ((x, y), (y,))):
        before = [sys.getrefcount(each) for each in (x, y, nested)]
        for _ in range(5):
            make(nested)
        assert [sys.getrefcount(each) for each in (x, y, nested)] == before


def test_scalars_of_other_kinds_keep_their_arrays(make: Callable[[object], Any]) -> None:
    assert array_of((const(1, 2), 1.0)).tolist() == [0.5, 1.0]
    exact: Any = array_of((Fraction(1, 2), 1))
    assert exact.dtype == object
    assert pack((1j, 1.0)).dtype == np.complex128
    assert array_of((-1, 2)).tolist() == [-1.0, 2.0]
