"""Functions of NumPy that choose or compare, on arrays of scalars."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np

from rbd import scalars
from rbd.recorded_arrays.creation import object_array
from rbd.recorded_arrays.elementwise import ELEMENTWISE, condition, ufunc_of
from rbd.recorded_arrays.refusals import refuse_function
from rbd.scalars.protocol import ScalarArray


def _where_entry(test: Any, a: Any, b: Any) -> Any:
    return scalars.where(condition(test), a, b)


_WHERE: Final = ufunc_of(_where_entry, 3)


def _where(tests: Any, *branches: Any) -> Any:
    if not branches:
        refuse_function("numpy.nonzero", tests)
    return _WHERE(*map(object_array, (tests, *branches)))


def _select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    """Choose by the first condition that holds."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    selected = object_array(default)
    for tests, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        selected = object_array(_where(tests, choice, selected))
    return selected


_UNSET: Final = object()


def _clip(a: Any, a_min: Any = _UNSET, a_max: Any = _UNSET, out: Any = None, **options: Any) -> Any:
    low = options.pop("min", None) if a_min is _UNSET else a_min
    high = options.pop("max", None) if a_max is _UNSET else a_max
    return ELEMENTWISE["clip"](object_array(a), object_array(low), object_array(high), out=out, **options)


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """Interpolate between points that are known while recording."""
    points = np.asarray(xp, dtype=np.float64)
    if period is not None or points.ndim != 1 or not (np.diff(points) > 0).all():
        raise ValueError("numpy.interp on recorded values takes increasing points without a period")
    values = object_array(fp)
    if values.shape != points.shape:
        raise ValueError("fp and xp are not of the same length")

    def interpolated(at: Any) -> Any:
        return _interpolated(at, points.tolist(), values.tolist(), left, right)

    return ufunc_of(interpolated, 1)(object_array(x))


def _interpolated(x: Any, points: list[float], values: list[Any], left: Any, right: Any) -> Any:
    value = values[0] if left is None else left
    for k, (start, end) in enumerate(pairwise(points)):
        slope = (values[k + 1] - values[k]) / (end - start)
        value = scalars.where(scalars.less(x, start), value, values[k] + slope * (x - start))
    value = scalars.where(scalars.less(x, points[-1]), value, values[-1])
    return value if right is None else scalars.where(scalars.less(points[-1], x), right, value)


def _norm(x: Any, order: Any = None, axis: Any = None, keepdims: bool = False, **named: Any) -> Any:
    """Return norms of vectors, and those of matrices that need no singular values."""
    a, order = object_array(x), named.pop("ord", order)
    if axis is None and (order is None or (order == 2 and a.ndim == 1) or (order == "fro" and a.ndim == 2)):
        norm = scalars.sqrt(a.ravel().dot(a.ravel()))
        return object_array(norm).reshape((1,) * a.ndim) if keepdims else norm
    axes: tuple[int, ...] = tuple(range(a.ndim)) if axis is None else tuple(np.ravel(axis).tolist())
    if len(axes) > 2:
        raise ValueError("Improper number of dimensions to norm.")
    return (_matrix_norm if len(axes) == 2 else _vector_norm)(a, order, axes, keepdims)


def _vector_norm(a: ScalarArray, order: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    sizes = ELEMENTWISE["absolute"](a)
    if order in (math.inf, -math.inf):
        return _extreme(order).reduce(sizes, axis=axes, keepdims=keepdims)
    if order == 1:
        return _sum(sizes, axes, keepdims)
    if order in (None, 2):
        return ELEMENTWISE["sqrt"](_sum(a * a, axes, keepdims))
    if isinstance(order, str):
        raise ValueError(f"Invalid norm order {order!r} for vectors")  # as NumPy does
    if not scalars.is_float(order) or order == 0:
        refuse_function("numpy.count_nonzero", a)
    return ELEMENTWISE["power"](_sum(ELEMENTWISE["power"](sizes, order), axes, keepdims), 1 / order)


def _matrix_norm(a: ScalarArray, order: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if order in (None, "fro"):
        return ELEMENTWISE["sqrt"](_sum(a * a, axes, keepdims))
    if order not in (1, -1, math.inf, -math.inf):
        refuse_function("numpy.linalg.svd", a)
    moved = np.moveaxis(ELEMENTWISE["absolute"](a), axes, (-2, -1))
    norms = _extreme(order).reduce(_sum(moved, (-2 if abs(order) == 1 else -1,), False), axis=-1)
    return np.expand_dims(norms, tuple(axis % a.ndim for axis in axes)) if keepdims else norms


def _sum(a: Any, axes: tuple[int, ...], keepdims: bool) -> ScalarArray:
    """Return the sum over axes as an array, also of one entry."""
    return object_array(np.sum(a, axis=axes, keepdims=keepdims))


def _extreme(order: float) -> Any:
    return ELEMENTWISE["maximum" if order > 0 else "minimum"]


FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "numpy.where": _where,
    "numpy.select": _select,
    "numpy.clip": _clip,
    "numpy.interp": _interp,
    "numpy.linalg.norm": _norm,
}
"""Functions by their dotted names."""
