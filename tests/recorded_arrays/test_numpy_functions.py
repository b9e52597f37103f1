"""Functions of NumPy on recorded arrays agree with NumPy on floats."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays, mutually_broadcastable_shapes

from rbd.errors import RecordingError
from rbd.recorded_arrays import NumpyProtocol, RecordedArray
from tests.recorded_arrays.recordings import interpreted, recorded

NUMBERS = st.floats(-3.0, 3.0).map(lambda x: round(x, 3))
Function = Callable[..., Any]


def agree(function: Function, *given: Any, rtol: float = 1e-12, atol: float = 1e-12) -> None:
    """Compare a recorded function with the same function of floats: shapes, and values to rounding."""
    found, wanted = interpreted(function, given), np.asarray(function(*given), dtype=np.float64)
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=atol)


ELEMENTWISE: dict[str, Function] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: 1.0 - x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / (4 + y),
    "reciprocal": lambda x, y: np.reciprocal(4 + y) + 0 * x,
    "negative": lambda x, y: -x + (+y),
    "square": lambda x, y: x**2 + np.square(y),
    "power": lambda x, y: np.power(4 + x, y) + (4 + y) ** 0.5 + np.float_power(4 + x, 2),
    "absolute": lambda x, y: abs(x) + np.fabs(y) + np.absolute(x),
    "sign": lambda x, y: np.sign(x) * y,
    "heaviside": lambda x, y: np.heaviside(x, y),
    "copysign": lambda x, y: np.copysign(x, y + 0.0005),
    "minimum": lambda x, y: np.minimum(x, y) + np.fmin(x, 0),
    "maximum": lambda x, y: np.maximum(x, y) + np.fmax(x, 0),
    "clip": lambda x, y: np.clip(x, -1, 1.5) + np.clip(y, None, x) + np.clip(y, 0.5, None) + x.clip(-np.inf, 0.5),
    "roots": lambda x, y: np.sqrt(4 + x) + np.hypot(x, y + 0.0005),
    "trigonometry": lambda x, y: np.sin(x) + np.cos(y) + np.tan(x / 3) + np.arctan(x) + np.arctan2(x, 4 + y),
    "inverse trigonometry": lambda x, y: np.arcsin(x / 4) + np.arccos(y / 4),
    "angles": lambda x, y: np.deg2rad(x) + np.rad2deg(y) + np.radians(y) + np.degrees(x),
    "exponentials": lambda x, y: np.exp(x) + np.exp2(y) + np.log(4 + x) + np.log2(4 + x) + np.log10(4 + y),
    "hyperbolic": lambda x, y: np.sinh(x) + np.cosh(y) + np.tanh(x) + np.expm1(y),
    "where": lambda x, y: np.where(x > y, x, 2 * y),
    "conditions": lambda x, y: np.where((x > 0) & (y <= 1) | ~(x >= y), x, y),
    "logical": lambda x, y: np.where(np.logical_or(np.logical_not(x < y), np.logical_and(x < 1, y > 0)), 1.0, -1.0),
    "select": lambda x, y: np.select([x > 1, x + y > 0], [x, 2 * y], default=-1),
    "interp": lambda x, y: np.interp(x, [-2, -1, 0.5, 2], [1.0, 3.0, -2.0, 5.0]) + 0 * y,
    "interp outside": lambda x, y: np.interp(x, [-1, 1], [1.0, 3.0], left=7.0, right=-7.0) + 0 * y,
}


@pytest.mark.parametrize("name", ELEMENTWISE)
@given(data=st.data())
def test_elementwise_functions(name: str, data: st.DataObject) -> None:
    shapes = data.draw(mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3)).input_shapes
    x, y = (data.draw(arrays(np.float64, shape, elements=NUMBERS)) for shape in shapes)
    agree(ELEMENTWISE[name], x, y, rtol=1e-11)


@pytest.mark.parametrize("part", [np.real, np.imag, lambda x: x.real, lambda x: x.imag])
def test_values_are_real(part: Function) -> None:
    agree(part, np.array([[0.5, -2.0, 3.0]]))


REDUCTIONS: dict[str, Function] = {
    "sum": np.sum,
    "prod": np.prod,
    "mean": np.mean,
    "std": lambda x, **axis: np.std(x + np.arange(x.size).reshape(x.shape), **axis),
    "var": np.var,
    "max": np.max,
    "min": np.min,
    "amax": np.amax,
    "ptp": np.ptp,
    "method sum": lambda x, **axis: x.sum(**axis),
    "method mean": lambda x, **axis: x.mean(**axis),
    "method max": lambda x, **axis: x.max(**axis),
    "any": lambda x, **axis: np.where(np.any(x > 1, **axis), 1.0, 2.0),
    "all": lambda x, **axis: np.where((x < 1).all(**axis), 1.0, 2.0),
    "norm": lambda x, **axis: np.linalg.norm(4 + x, **axis),
}


@pytest.mark.parametrize("name", REDUCTIONS)
@given(data=st.data())
def test_reductions(name: str, data: st.DataObject) -> None:
    x = data.draw(arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 3)), elements=NUMBERS))
    axis = data.draw(st.sampled_from([None, 0, 1, -1]))
    agree(lambda a: REDUCTIONS[name](a, axis=axis), x)


@given(arrays(np.float64, (3, 4), elements=NUMBERS), st.sampled_from([1, -1, np.inf, -np.inf, None, "fro"]))
def test_norms_of_matrices(x: Any, order: Any) -> None:
    agree(lambda a: np.linalg.norm(4 + a, order), x)
    agree(lambda a: np.linalg.norm(np.stack([4 + a, a - 4]), order, axis=(1, 2), keepdims=True), x)


@given(arrays(np.float64, (3, 4), elements=NUMBERS), st.sampled_from([1, 2, 3, 0.5, np.inf, -np.inf]))
def test_norms_of_vectors(x: Any, order: Any) -> None:
    agree(lambda a: np.linalg.norm(4 + a, order, axis=1, keepdims=True), x)
    agree(lambda a: np.linalg.norm(4 + a[0], order), x)


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="these names came with NumPy 2.1")
@given(arrays(np.float64, 3, elements=NUMBERS))
def test_bounds_of_clip_have_names(x: Any) -> None:
    agree(lambda a: np.clip(a, min=0.5) + np.clip(a, max=1.5) + np.clip(a, min=-1.0, max=1.0), x)


def _filled(x: Any, zeros: Any) -> Any:
    zeros[0, 0] = x[0, 0]
    zeros[1:, 1] = x[1:, 0]
    zeros[-1] += 2.0
    return zeros


LINEAR: dict[str, Function] = {
    "matmul": lambda x, v: x @ x.T @ v,
    "dot": lambda x, v: np.dot(x, x.T).dot(v),
    "vdot": lambda x, v: np.vdot(v, v),
    "inner": lambda x, v: np.inner(x.T, v),
    "outer": lambda x, v: np.outer(v, x[:, 0]),
    "cross": lambda x, v: np.cross(v, x[:, 0]) + np.linalg.cross(x[:, 0], v),
    "kron": lambda x, v: np.kron(v, x),
    "einsum": lambda x, v: np.einsum("ij,i->j", x, v) + np.einsum("ij,ij", x, x),
    "tensordot": lambda x, v: np.tensordot(x, v, axes=(0, 0)),
    "trace": lambda x, v: np.trace(x) + x.trace(),
    "transpose": lambda x, v: np.transpose(x) * v + np.swapaxes(x, 0, 1),
    "power": lambda x, v: np.linalg.matrix_power(x @ x.T, 3),
    "multi_dot": lambda x, v: np.linalg.multi_dot([x.T, x, x.T, v]),
    "concatenate": lambda x, v: np.concatenate([x, v[:, None], np.eye(3)], axis=1),
    "stack": lambda x, v: np.stack([v, x[:, 0], np.ones(3)]),
    "block": lambda x, v: np.block([[x, v[:, None]], [np.zeros((1, x.shape[1])), np.ones((1, 1))]]),
    "vstack": lambda x, v: np.vstack([v, x[:, 0]]),
    "hstack": lambda x, v: np.hstack([v, x[:, 0], 1.0]),
    "slices": lambda x, v: x[::-1, :1] * v[1:] + x[[0, 2], 0],
    "masks that are known": lambda x, v: v[np.array([True, False, True])],
    "diagonals": lambda x, v: np.diag(v) @ x + np.diag(x @ x.T)[:, None],
    "triangles": lambda x, v: np.tril(x) + np.triu(x, 1),
    "shapes": lambda x, v: np.broadcast_to(v, (2, 3)).reshape(3, 2) + np.expand_dims(v, 1) + np.squeeze(v[:1]),
    "changes": lambda x, v: np.diff(v, append=1.0) + np.roll(v, 1) + np.flip(v) + np.cumsum(v),
    "tiles": lambda x, v: np.tile(v, 2) + np.repeat(v, 2),
    "eye": lambda x, v: np.eye(3) * v + np.eye(3, like=v) @ x[:, :1],
    "zeros like": lambda x, v: _filled(x, np.zeros_like(x, shape=(3, 3))),
    "zeros with like=": lambda x, v: _filled(x, np.zeros((3, 3), like=v)),
    "array with like=": lambda x, v: np.array([[v[0], 1.0], [0.0, v[1]]], like=v) @ v[:2],
    "other arrays with like=": lambda x, v: np.full(3, v[0], like=v) + np.ones(3, like=v) + np.arange(3.0, like=v),
    "in place": lambda x, v: np.add(v, 1.0, out=np.zeros_like(v)),
    "average": lambda x, v: np.average(v, weights=[1.0, 2.0, 3.0]),
    "polynomial": lambda x, v: np.polyval([1.0, -2.0, 0.5], v),
    "trapezoid": lambda x, v: np.trapezoid(v, dx=0.5),
    "numbers beside them": lambda x, v: np.float64(2.0) * v[0] + np.arange(3.0) * v[1] - np.array([v[2], 1.0, v[0]]),
    "functions of one scalar": lambda x, v: np.maximum(v[0], 0.5) + np.clip(v[1], -1, 1) + np.where(v[0] > 1, 1, v[2]),
}


@pytest.mark.parametrize("name", LINEAR)
@given(data=st.data())
def test_functions_of_matrices(name: str, data: st.DataObject) -> None:
    columns = data.draw(st.integers(2 if name == "slices" else 1, 4))
    x = data.draw(arrays(np.float64, (3, columns), elements=NUMBERS))
    agree(LINEAR[name], x, data.draw(arrays(np.float64, 3, elements=NUMBERS)), atol=1e-10)


def sampled(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).normal(size=shape)


SEEDS, SIZES = st.integers(0, 2**32 - 1), st.integers(1, 7)


@given(SEEDS, SIZES, st.sampled_from([(), (1,), (3,)]))
def test_solve(seed: int, n: int, columns: tuple[int, ...]) -> None:
    a, b = sampled(seed, n, n) + 3 * np.eye(n)[::-1], sampled(seed + 1, n, *columns)
    agree(np.linalg.solve, a, b, rtol=1e-8 * np.linalg.cond(a), atol=1e-13 * np.linalg.cond(a))


@given(SEEDS, SIZES)
def test_inverse_and_determinant(seed: int, n: int) -> None:
    a = sampled(seed, n, n)
    accuracy = 1e-13 * np.linalg.cond(a) ** 2
    agree(np.linalg.inv, a, rtol=accuracy, atol=accuracy)
    agree(np.linalg.det, a, rtol=1e-13 * np.linalg.cond(a))


@given(SEEDS, st.integers(1, 5), st.integers(1, 5))
def test_pseudo_inverse(seed: int, m: int, n: int) -> None:
    a = sampled(seed, m, n)
    accuracy = 1e-13 * np.linalg.cond(a) ** 2
    agree(np.linalg.pinv, a, rtol=accuracy, atol=accuracy)
    agree(lambda x: np.linalg.pinv(np.vstack([x, x]), rcond=1e-8), a, rtol=accuracy, atol=accuracy)


@given(SEEDS, SIZES, st.booleans())
def test_cholesky(seed: int, n: int, upper: bool) -> None:
    root = sampled(seed, n, n)
    agree(lambda a: np.linalg.cholesky(a, upper=upper), root @ root.T + np.eye(n), rtol=1e-9)


def test_stacks_of_matrices() -> None:
    a, b = sampled(1, 2, 3, 3), sampled(2, 3)
    for function in (np.linalg.solve, lambda x, y: np.linalg.solve(x[:, None], np.stack([y, 2 * y])[..., None])):
        agree(function, a, b)
    for function in (np.linalg.inv, np.linalg.det, np.linalg.pinv, lambda x: np.linalg.cholesky(x @ x.mT)):
        agree(function, a)
    agree(np.linalg.det, np.zeros((0, 0)))


def test_wrong_shapes_raise_what_numpy_raises() -> None:
    for shapes, function in (
        (((2, 3),), np.linalg.inv),
        (((2, 3),), np.linalg.det),
        (((3,),), np.linalg.cholesky),
        (((2, 2), (3,)), np.linalg.solve),
        (((2, 2), (3,)), np.matmul),
        (((2,), (3,)), np.add),
        (((2,), (3,)), lambda x, y: np.concatenate([x, y[None]])),
        (((2,), (3,)), lambda x, y: np.select([x > 0], [x, y])),
        (((2,), (3,)), lambda x, y: np.interp(x, [0.0, 1.0], y)),
        (((2,), (3,)), lambda x, y: np.interp(x, [0.0, 1.0, 2.0, 3.0], y)),
    ):
        with pytest.raises(ValueError, match=r"\w"):
            function(*(np.ones(shape) for shape in shapes))
        with pytest.raises(ValueError, match=r"dimension|axes|rows|shape|length|align"):
            recorded(function, shapes)


# ---------------------------------------------------------------- all of NumPy

ARGUMENTS = ("A", "b", "AA", "Ab", "bb", "bbb", "A1", "b1", "A01")
OF_DTYPES = {"result_type", "min_scalar_type", "common_type", "empty_like", "array2string", "array_repr", "array_str"}
"""Functions whose results do not depend on values, or are texts of them."""
OF_FILES = {"save", "savetxt", "savez", "savez_compressed"}


def functions(module: Any) -> Iterator[tuple[str, Function]]:
    """Yield the functions of a module of NumPy that ask their arguments for the protocol."""
    for name in sorted(set(dir(module)) - OF_DTYPES - OF_FILES):
        function = getattr(module, name)
        if isinstance(function, np.ufunc) or hasattr(function, "_implementation"):
            yield name, function


def flat(value: Any) -> list[Any]:
    """Return the entries of nested results."""
    if value is None:
        return []
    if isinstance(value, (tuple, list)):
        return [entry for part in value for entry in flat(part)]
    return value.ravel().tolist() if isinstance(value, np.ndarray) else [value]


KNOWN: dict[str, Any] = {
    "A": np.random.default_rng(1).uniform(0.2, 0.9, (3, 3)),
    "b": np.array([0.3, 0.8, 0.5]),
    "1": 1,
    "0": 0,
}


def result_of(function: Function, arguments: str) -> list[Any] | None:
    """Return what a function of NumPy gives for floats; None if it is not called like this, or not finite."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = flat(function(*(np.copy(KNOWN[a]) if a in "Ab" else KNOWN[a] for a in arguments)))
        except Exception:
            return None
    return found if np.isfinite(np.asarray(found, dtype=np.complex128)).all() else None


def recorded_result_of(function: Function, arguments: str) -> Any:
    """Return what it gives as a recorded function of its arrays."""

    def call(*given: Any) -> Any:
        entries = iter(given)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return flat(function(*(next(entries) if a in "Ab" else KNOWN[a] for a in arguments)))

    return interpreted(call, [KNOWN[a] for a in arguments if a in "Ab"])


@pytest.mark.parametrize("module", [np, np.linalg, np.fft], ids=["numpy", "linalg", "fft"])
def test_every_function_of_numpy_agrees_or_is_refused(module: Any) -> None:
    agreed, refused = set[str](), dict[str, object]()
    calls = ((name, f, a) for name, f in functions(module) for a in (ARGUMENTS if name != "pinv" else ARGUMENTS[:1]))
    for name, function, arguments in calls:
        wanted = result_of(function, arguments)
        if wanted is None:
            continue
        try:
            found = recorded_result_of(function, arguments)
        except RecordingError as error:
            refused[name] = error.where
        else:
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12, err_msg=f"{name} of {arguments}")
            agreed.add(name)
    assert len(agreed) >= {np: 140, np.linalg: 12, np.fft: 0}[module], sorted(agreed)
    assert refused
    assert all("test_numpy_functions.py" in str(where) for where in refused.values())


def test_results_are_recorded_arrays() -> None:
    def function(x: Any) -> Any:
        assert type(x) is RecordedArray
        for made in (x[1:], x.T, x + 1, np.sin(x), np.stack([x, x]), np.where(x > 0, x, 0), x > 0, np.linalg.inv(x)):
            assert type(made) is RecordedArray
        assert isinstance(x[0, 0], NumpyProtocol)
        assert isinstance(x[0, 0] > 1, NumpyProtocol)
        return x

    recorded(function, [(2, 2)])
