"""Creation of arrays that can hold recorded scalars: `numpy.zeros(3, like=x)`.

NumPy calls these for `like=`. The entries of zeros, ones and eye are integers: structural zeros and ones, which cost no
operation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from rbd.scalars.protocol import ScalarArray


def object_array(x: Any) -> ScalarArray:
    """Return an array of objects, without the protocol of recorded ones."""
    return np.asarray(x, dtype=np.object_)


def _with_object_dtype(create: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes arrays of objects in the place of arrays of floats."""

    def make(*args: Any, dtype: Any = None, **options: Any) -> Any:
        return create(*args, dtype=_object_dtype(dtype), **options)

    return make


def _object_dtype(dtype: Any) -> Any:
    """Return the dtype of objects for that of floats, or for none; others unchanged."""
    return np.object_ if dtype is None or np.dtype(dtype).kind == "f" else dtype


def _empty_like(prototype: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None) -> Any:
    """Return zeros instead: empty arrays of objects hold None."""
    del subok
    lengths = np.shape(prototype) if shape is None else shape
    return np.zeros(lengths, dtype=_object_dtype(dtype), order="F" if order == "F" else "C")


def _full_like(
    prototype: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None
) -> Any:
    made = _empty_like(prototype, dtype, order, subok, shape)
    made[...] = fill_value
    return made


def _filled_like(value: int) -> Callable[..., Any]:
    def make(prototype: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None) -> Any:
        return _full_like(prototype, value, dtype, order, subok, shape)

    return make


_CREATE: Final = ("zeros", "ones", "eye", "identity", "full", "arange", "array", "asarray", "asanyarray")
CREATION: Final[Mapping[str, Callable[..., Any]]] = {
    **{f"numpy.{name}": _with_object_dtype(getattr(np, name)) for name in _CREATE},
    "numpy.empty": _with_object_dtype(np.zeros),
    "numpy.empty_like": _empty_like,
    "numpy.zeros_like": _filled_like(0),
    "numpy.ones_like": _filled_like(1),
    "numpy.full_like": _full_like,
}
"""Functions by their dotted names."""
