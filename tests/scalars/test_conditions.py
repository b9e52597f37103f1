"""Plain conditions: Python's and NumPy's bools, and their logic."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy
from mpmath import iv

from rbd.errors import ScalarError
from rbd.scalars import both, either, invert, less, where


@pytest.mark.parametrize(("c", "d"), list(product([True, False, np.True_, np.False_], repeat=2)))
def test_truth_tables(c: Any, d: Any) -> None:
    assert both(c, d) is bool(c and d)
    assert either(c, d) is bool(c or d)
    assert invert(c) is (not c)
    assert where(c, 1.0, 2.0) == (1.0 if c else 2.0)


def test_bools_with_undecided_conditions() -> None:
    for c in (less(sympy.Symbol("x"), 1), less(iv.mpf([0, 2]), 1)):
        assert both(True, c) is c
        assert both(c, np.True_) is c
        assert both(False, c) is False
        assert both(c, False) is False
        assert either(False, c) is c
        assert either(c, False) is c
        assert either(True, c) is True
        assert either(c, True) is True


@pytest.mark.parametrize("bad", [1.0, "yes", None, 1])
def test_values_that_are_not_conditions_raise(bad: Any) -> None:
    with pytest.raises(ScalarError, match="condition"):
        where(bad, 1.0, 2.0)
    with pytest.raises(ScalarError, match="condition"):
        invert(bad)
    with pytest.raises(ScalarError, match="condition"):
        both(bad, bad)


def test_conditions_of_two_families_do_not_mix() -> None:
    symbolic, interval = less(sympy.Symbol("x"), 1), less(iv.mpf([0, 2]), 1)
    for mixed in (both, either):
        with pytest.raises(ScalarError):
            mixed(symbolic, interval)
        with pytest.raises(ScalarError):
            mixed(interval, symbolic)
