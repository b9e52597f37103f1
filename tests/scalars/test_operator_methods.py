"""Operators and NumPy functions of recorded numbers equal the functions of `rbd.scalars`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rbd import scalars
from rbd.errors import RecordingError, ScalarError
from rbd.program.graph import Graph
from rbd.program.program import Program

WORDS: dict[str, tuple[Any, Any]] = {
    "square": (lambda x: x**2, lambda x: x * x),
    "cube": (lambda x: x**3, lambda x: x * x * x),
    "inverse": (lambda x: x**-1, lambda x: 1 / x),
    "power": (lambda x: x**1.5, lambda x: scalars.power(x, 1.5)),
    "of two": (lambda x: 2**x, lambda x: scalars.power(2, x)),
    "of itself": (lambda x: x**x, lambda x: scalars.power(x, x)),
    "abs": (abs, scalars.absolute),
    "np.abs": (np.abs, scalars.absolute),
    "np.fabs": (np.fabs, scalars.absolute),
    "np.conj": (np.conj, lambda x: x),
    "np.square": (np.square, lambda x: x * x),
    "np.sqrt": (np.sqrt, scalars.sqrt),
    "np.sin": (np.sin, scalars.sin),
    "np.cos": (np.cos, scalars.cos),
    "np.tan": (np.tan, scalars.tan),
    "np.arcsin": (np.arcsin, scalars.asin),
    "np.arccos": (np.arccos, scalars.acos),
    "np.arctan": (np.arctan, lambda x: scalars.atan2(x, 1)),
    "np.arctan2": (lambda x: np.arctan2(x, 2 * x), lambda x: scalars.atan2(x, 2 * x)),
    "np.exp": (np.exp, scalars.exp),
    "np.log": (np.log, scalars.log),
    "np.tanh": (np.tanh, scalars.tanh),
}


@pytest.mark.parametrize("name", WORDS)
def test_methods_equal_functions_of_scalars(name: str) -> None:
    graph = Graph()
    word, function = WORDS[name]
    given = np.array(graph.input("x", (2,)), dtype=object)
    found = word(given) if name.startswith("np.") else [word(x) for x in given]
    assert all(a is function(x) for a, x in zip(found, given, strict=True))
    values = Program.of(graph, "methods", {"y": tuple(found)}).interpret(x=[0.3, 0.8])["y"]
    expected = word(np.array([0.3, 0.8]))
    np.testing.assert_allclose(values, expected, rtol=1e-15)


def test_arrays_of_recorded_numbers() -> None:
    graph = Graph()
    x = np.array(graph.input("x", (3,)), dtype=object)
    outputs = {"norm": np.linalg.norm(x), "squares": tuple(x**2), "half": tuple(np.sqrt(x) / 2)}
    found = Program.of(graph, "arrays", outputs).interpret(x=[1.0, 2.0, 2.0])
    assert found["norm"] == 3
    assert found["squares"].tolist() == [1, 4, 4]
    np.testing.assert_allclose(found["half"], np.sqrt([1, 2, 2]) / 2)


def test_powers_of_arrays() -> None:
    graph = Graph()
    x = graph.input("x", ())
    found = Program.of(graph, "powers", {"y": tuple(x ** np.array([1.0, 2.0, 0.5]))}).interpret(x=4.0)
    assert found["y"].tolist() == [4, 16, 2]


def test_reading_the_value_raises() -> None:
    x = np.array(Graph().input("x", (3,)), dtype=object)
    with pytest.raises(RecordingError, match=r"test_operator_methods\.py.*np\.max got a plain array .* like="):
        np.max(x)
    with pytest.raises(ScalarError, match="str"):
        x[0] ** "2"
