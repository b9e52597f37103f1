"""Parameters, loops, values and statements that are not in the language of intrinsics."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import pytest

from rbd.errors import ScalarError
from rbd.intrinsics.language import Floats
from rbd.intrinsics.parser import parse

_TEXT = "no number"


def _defaulted(n: int = 1) -> int:
    return n


def _annotated(name: str) -> int:
    return 1


def _condition_kept(x: float) -> float:
    positive = x > 0.0
    return positive


def _parameter_counts(n: int, x: Floats) -> None:
    for n in range(n):  # noqa: B020 - planted
        x[n] = 0.0


def _no_step(n: int, x: Floats) -> None:
    for i in range(0, n, 0):
        x[i] = 0.0


def _other_result(x: float) -> int:
    return x  # type: ignore[return-value]  # planted


def _no_effect(x: float) -> float:
    abs(x)
    return x


def _from_the_end(x: Floats) -> float:
    return x[-1]


def _no_condition(x: float) -> float:
    if x:
        x = 1.0
    return x


def _text_of_the_module(n: int) -> int:
    return _TEXT  # type: ignore[return-value]  # planted


def _listed(n: int) -> int:
    return [n]  # type: ignore[return-value]  # planted


def _negating(function: Callable[[float], float]) -> Callable[[float], float]:
    @functools.wraps(function)
    def negated(x: float) -> float:
        return -function(x)

    return negated


def _same(function: Callable[[float], float]) -> Callable[[float], float]:
    return function


@_same
def _decorated(x: float) -> float:
    return x


def _plain(x: float) -> float:
    return x


PLANTED = {
    _defaulted: "have no defaults",
    _annotated: "'str' is no annotation",
    _condition_kept: "a variable is a float or an int",
    _parameter_counts: "the loop's variable 'n' has another use",
    _no_step: "a range's step is a whole number other than 0",
    _other_result: "the returned value must be of type 'int'",
    _no_effect: "'abs(x)' has no effect",
    _from_the_end: "the index '-1' counts from the end; write the length minus it",
    _no_condition: "'x' is no condition",
    _text_of_the_module: "'_TEXT' is no variable and no number of the module",
    _listed: "'[n]' is not allowed",
    _decorated: "a decorator of '_decorated' is not allowed",
    _negating(_plain): "a decorator of '_plain' is not allowed",
}


@pytest.mark.parametrize("function", PLANTED, ids=lambda function: function.__name__)
def test_what_is_not_in_the_language_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(ScalarError, match=re.escape(PLANTED[function])):
        parse(function)


@pytest.mark.parametrize(
    ("function", "shown"),
    [(len, "<built-in function len>"), (lambda x: x, "<function <lambda>")],
    ids=["builtin", "lambda"],
)
def test_what_is_no_function_is_refused(function: Callable[..., Any], shown: str) -> None:
    with pytest.raises(ScalarError, match=f"an intrinsic is a plain Python function, not {shown}"):
        parse(function)
