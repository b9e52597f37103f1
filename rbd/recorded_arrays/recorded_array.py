"""Arrays of recorded scalars, and the protocol by which NumPy calls back for them.

NumPy looks for `__array_ufunc__` and `__array_function__` on the arguments of its functions (NEP 13 and 18). Universal
functions are applied to every entry; functions of `REPLACEMENTS` have an implementation here; all others run NumPy's
own Python code, which comes down to these. What needs numbers raises RecordingError that names the line and what to
write instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, cast, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from rbd.recorded_arrays.creation import CREATION
from rbd.recorded_arrays.elementwise import ARITHMETIC, ELEMENTWISE
from rbd.recorded_arrays.functions import FUNCTIONS
from rbd.recorded_arrays.linear_algebra import LINEAR_ALGEBRA
from rbd.recorded_arrays.refusals import REFUSED, is_about_objects, refuse_function, refuse_mask, refuse_store
from rbd.scalars.registry import ARRAYS

REPLACEMENTS: Final[Mapping[str, Callable[..., Any]]] = {**FUNCTIONS, **LINEAR_ALGEBRA, **CREATION}
"""Functions that are not NumPy's own code, by their dotted names."""
_PLAIN_ARRAY: Final = np.empty(0, dtype=np.object_)


class NumpyProtocol:
    """Protocol by which NumPy calls its functions on recorded arrays, scalars and conditions."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Apply a universal function."""
        function = ufunc if ufunc.__name__ in ARITHMETIC else ELEMENTWISE.get(ufunc.__name__)
        if function is None:
            refuse_function(f"numpy.{ufunc.__name__}", self)
        out: Iterable[Any] = options.get("out", ())
        if any(each is not None and each.dtype != np.object_ for each in out) or _stores_into_floats(method, inputs):
            refuse_store(self)
        if "out" in options:
            options["out"] = tuple(_without_protocol(each) for each in out)
        try:
            return _recorded(getattr(function, method)(*map(_without_protocol, inputs), **options))
        except (TypeError, AttributeError, ValueError) as error:
            if not is_about_objects(error):
                raise
            refuse_function(f"numpy.{ufunc.__name__}", self, error)

    def __array_function__(
        self,
        function: Callable[..., Any],
        types: Iterable[type],
        args: Iterable[Any],
        named: Mapping[str, Any],
    ) -> Any:
        """Run a function of NumPy."""
        name = f"{function.__module__}.{function.__name__}"
        if name in REFUSED:
            refuse_function(name, self)
        replacement = REPLACEMENTS.get(name)
        try:
            if replacement is not None:
                return _recorded(replacement(*args, **named))
            return _recorded(_PLAIN_ARRAY.__array_function__(function, (), args, named))
        except (TypeError, AttributeError, ValueError) as error:
            if not is_about_objects(error):
                raise
            refuse_function(name, self, error)


@final
class RecordedArray(NumpyProtocol, np.ndarray[Any, np.dtype[np.object_]]):
    """An array of recorded scalars, conditions and numbers: dtype object, with NumPy's functions.

    >>> from rbd.program.graph import Graph
    >>> from rbd.scalars.arrays import pack
    >>> x = pack(Graph().input("x", (2,)))
    >>> type(x).__name__, x, 0 * x
    ('RecordedArray', RecordedArray([x[0], x[1]], dtype=object), RecordedArray([0, 0], dtype=object))
    """

    @override
    def __getitem__(self, key: Any) -> Any:
        if _is_mask(key):
            refuse_mask(self)
        return super().__getitem__(key)

    @override
    def __setitem__(self, key: Any, value: Any) -> None:
        if _is_mask(key):
            refuse_mask(self)
        super().__setitem__(key, value)


def _is_mask(key: object) -> bool:
    """Return whether an index contains recorded conditions."""
    if isinstance(key, tuple):
        return any(map(_is_mask, cast("tuple[object, ...]", key)))
    return isinstance(key, NumpyProtocol)


def _without_protocol(x: Any) -> Any:
    """Return an operand of a universal function without the protocol."""
    if not isinstance(x, NumpyProtocol):
        return x
    if isinstance(x, RecordedArray):
        return x.view(np.ndarray)
    box: NDArray[np.object_] = np.empty((), dtype=np.object_)
    box[()] = x
    return box


def _recorded(value: Any) -> Any:
    """Return the result of a function of NumPy, with arrays of objects as recorded arrays."""
    if isinstance(value, (tuple, list)):
        parts = [_recorded(part) for part in cast("Iterable[Any]", value)]
        kind: Any = type(cast("object", value))
        return kind(*parts) if hasattr(kind, "_fields") else kind(parts)
    if type(value) in ARRAYS and value.dtype == np.object_:
        return value.view(RecordedArray)
    return value


def _stores_into_floats(method: str, inputs: tuple[Any, ...]) -> bool:
    """Return whether `ufunc.at` writes to an array of floats."""
    return method == "at" and np.asarray(inputs[0]).dtype != np.object_
