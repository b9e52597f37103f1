"""Errors of what NumPy cannot do with recorded values name the line and the replacement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import RecordingError
from rbd.recorded_arrays.refusals import REFUSED
from tests.recorded_arrays.recordings import recorded


def assigned(x: Any) -> Any:
    torques = np.zeros(3)
    torques[0] = x[0]
    return torques


def assigned_rows(x: Any) -> Any:
    matrix = np.zeros((2, 3))
    matrix[1] = x
    return matrix


def added_in_place(x: Any) -> Any:
    torques = np.zeros(3)
    torques += x
    return torques


def added_at(x: Any) -> Any:
    torques = np.zeros(3)
    np.add.at(torques, [0, 1, 2], x)
    return torques


def converted(x: Any) -> Any:
    return x.astype(float)


def branch(x: Any) -> Any:
    return 1.0 if (x > 0).any() else 2.0


def mask(x: Any) -> Any:
    return x[x > 0]


def store_by_mask(x: Any) -> Any:
    x[x > 0] = 0.0
    return x


def plain_clip(x: Any) -> Any:
    return np.clip(np.array([x[0], x[1]]), -1, 1)


def largest_of_list(x: Any) -> Any:
    return np.max([x[0], x[1]])


LIKE = r"make the array with like=, such as numpy\.zeros\(3, like=state\.q\)"
CASES: dict[Callable[[Any], Any], str] = {
    assigned: f"an array of floats cannot hold it; {LIKE}",
    assigned_rows: f"an array of floats cannot hold it; {LIKE}",
    added_in_place: f"storing recorded values in an array of floats; {LIKE}",
    added_at: f"storing recorded values in an array of floats; {LIKE}",
    converted: "an array of floats cannot hold it",
    branch: r"branching on .* choose with numpy\.where\(condition, a, b\)",
    mask: r"indexing with recorded conditions; write numpy\.where\(condition, a, b\)",
    store_by_mask: r"indexing with recorded conditions",
    plain_clip: rf"np\.clip got a plain array or list of recorded values; {LIKE}",
    largest_of_list: r"np\.max got a plain array or list of recorded values",
    lambda x: np.linalg.svd(x[:, None]): r"numpy\.linalg\.svd does not run on recorded values; singular values",
    lambda x: np.linalg.lstsq(x[:, None], x): r"numpy\.linalg\.lstsq .* write numpy\.linalg\.pinv\(A\) @ b",
    lambda x: np.linalg.norm(x[:, None] * x, 2): r"numpy\.linalg\.svd",
    lambda x: np.linalg.norm(x, 0): r"numpy\.count_nonzero",
    lambda x: x % 2: r"numpy\.remainder .* numpy\.arctan2\(numpy\.sin\(x\), numpy\.cos\(x\)\)",
    lambda x: np.where(x == 0, 1, 2): r"numpy\.equal .* numpy\.abs\(a - b\) <= tolerance",
    lambda x: np.where(x, 1, 2): r"a recorded number where a condition is needed; compare it, as in x > 0",
    lambda x: np.where(x > 0): r"numpy\.nonzero .* choose with numpy\.where",
    lambda x: np.argmax(x): r"numpy\.argmax .* numpy\.max\(x\)",
    lambda x: np.isfinite(x).all(): r"numpy\.isfinite .* raises NotFiniteError",
    lambda x: np.fft.fft(x): r"numpy\.fft.* does not run on recorded values",
    lambda x: (x > 0) * x: r"numpy\.multiply does not run on recorded values",
}


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_refusals_name_the_replacement(function: Callable[[Any], Any]) -> None:
    with pytest.raises(RecordingError, match=CASES[function]) as caught:
        recorded(function, [(3,)])
    assert "test_refusals.py:" in str(caught.value.where)
    assert str(caught.value.where) in str(caught.value)


@pytest.mark.parametrize("axis", [None, (0, 1, 2)])
def test_norms_over_three_axes_are_refused_as_by_numpy(axis: Any) -> None:
    for norm in (
        lambda x: np.linalg.norm(x, 1, axis),
        lambda x: recorded(lambda y: np.linalg.norm(y, 1, axis), [x.shape]),
    ):
        with pytest.raises(ValueError, match="Improper number of dimensions to norm"):
            norm(np.ones((2, 2, 2)))


@pytest.mark.parametrize("order", ["fro", "nuc"])
def test_orders_of_matrix_norms_are_refused_for_vectors_as_by_numpy(order: Any) -> None:
    for norm in (
        lambda x: np.linalg.norm(x, order, axis=0),
        lambda x: recorded(lambda y: np.linalg.norm(y, order, axis=0), [x.shape]),
    ):
        with pytest.raises(ValueError, match=f"Invalid norm order '{order}' for vectors"):
            norm(np.ones(3))


def test_refused_functions_exist() -> None:
    for name in REFUSED:
        module, _, function = name.removeprefix("numpy.").rpartition(".")
        assert callable(getattr(np.linalg if module else np, function))


def test_the_replacement_of_sinc_equals_it() -> None:
    formula = REFUSED["numpy.sinc"].removeprefix("write ").partition(",")[0]
    x = np.array([-1.3, 0.2, 0.5, 2.7])
    np.testing.assert_allclose(eval(formula, {"numpy": np, "x": x}), np.sinc(x), rtol=1e-14, atol=1e-16)


def test_a_failed_recording_of_a_state_says_how_to_make_arrays() -> None:
    arm = rbd.robots.arm7()
    for function in (
        lambda s: np.linalg.inv(np.array([[s.q[0], 1.0], [0.0, s.q[1]]])),
        lambda s: np.sin(np.array([s.q[0], 1.0])),
    ):
        with pytest.raises(RecordingError, match=rf"plain array of recorded values .*{LIKE}") as caught:
            rbd.record(function, arm)
        assert "test_refusals.py:" in str(caught.value.where)
