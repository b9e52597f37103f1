"""Arrays made in machine code, of tuples and of matrices in column order: what NumPy makes of them, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd import Frame, GeometricJacobian, PointJacobian
from rbd.native.builtins.array_makers import install_array_makers
from rbd.scalars import const
from rbd.scalars.arrays import array_of, pack
from rbd.scalars.native_functions import NATIVE_FUNCTIONS
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
    install_array_makers()
    return NATIVE_FUNCTIONS.array_of_tuples


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


@pytest.fixture(scope="module")
def make_row_order(make: Callable[[object], Any]) -> Callable[[object], Any]:
    assert make is not None
    return NATIVE_FUNCTIONS.copy_in_row_order


@pytest.mark.parametrize("shape", [(6, 7), (3, 4), (6, 1), (1, 6), (6, 0), (2, 3)])
def test_matrices_in_column_order_become_those_in_row_order(
    shape: tuple[int, int], make_row_order: Callable[[object], Any]
) -> None:
    matrix = np.asfortranarray(np.random.default_rng(5).standard_normal(shape))
    found = make_row_order(matrix)
    assert type(found) is np.ndarray
    assert found.tobytes() == matrix.copy().tobytes()
    assert found.shape == shape
    assert found.flags.c_contiguous
    assert found.flags.owndata
    assert found.flags.writeable
    assert not np.shares_memory(found, matrix) or not matrix.size


@pytest.mark.parametrize(
    "other",
    [
        np.ones((6, 7)),
        np.ones((12, 7), order="F")[::2],
        np.ones((6, 7), np.float32, order="F"),
        np.ones((6, 7), int, order="F"),
        np.ones((2, 3, 4), order="F"),
        np.ones(6),
        np.ma.masked_array(np.ones((2, 3), order="F")),
        ((1.0,), (2.0,)),
        None,
    ],
    ids=lambda other: type(other).__name__,
)
def test_other_matrices_are_left_to_numpy(other: Any, make_row_order: Callable[[object], Any]) -> None:
    assert make_row_order(other) is NotImplemented


@pytest.mark.parametrize("kind", ["geometric", "point"])
def test_the_matrix_of_a_jacobian_of_numbers_is_made_in_machine_code(
    kind: str, make_row_order: Callable[[object], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    a, numbers = Frame("a"), np.random.default_rng(6).standard_normal((7, 2, 3))
    made = list[Any]()

    def counted(matrix: object) -> object:
        made.append(make_row_order(matrix))
        return made[-1]

    monkeypatch.setattr(NATIVE_FUNCTIONS, "copy_in_row_order", counted)
    jacobian = PointJacobian.of_array(a, numbers[:, 0].copy()) if kind == "point" else geometric(a, numbers)
    matrix = jacobian.matrix
    assert made[0] is matrix
    assert matrix.tobytes() == np.array(jacobian.components).tobytes()
    jacobian.columns  # noqa: B018 - are made now
    assert jacobian.matrix.tobytes() == matrix.tobytes()


def geometric(frame: Frame[Any], numbers: Any) -> GeometricJacobian[Any, Any, Any]:
    return GeometricJacobian.of_array(frame, frame, frame, numbers)


def test_the_matrix_of_a_jacobian_of_columns_needs_no_array(make_row_order: Callable[[object], Any]) -> None:
    a, numbers = Frame("a"), np.random.default_rng(6).standard_normal((7, 2, 3))
    assert make_row_order is not None
    of_columns = GeometricJacobian.trusted(a, a, a, geometric(a, numbers).columns)
    assert of_columns.matrix.tobytes() == geometric(a, numbers).matrix.tobytes()
