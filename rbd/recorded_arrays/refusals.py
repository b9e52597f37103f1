"""Errors of NumPy's functions on recorded values: the line, and the function to write instead."""

from __future__ import annotations

import re
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NoReturn

from rbd.errors import RecordingError
from rbd.scalars.opaque import LIKE_ADVICE, caller_line

_WRAP = "to wrap an angle write numpy.arctan2(numpy.sin(x), numpy.cos(x))"
_EQUAL = "compare with numpy.abs(a - b) <= tolerance"
_SELECT = "compute all branches and choose with numpy.where(condition, a, b)"
_ORDER = "the order is unknown before the program runs; for extremes write numpy.max(x) and numpy.min(x)"
_SPECTRUM = "singular values and eigenvalues are not recorded; compute them outside of the recorded function"
_LEAST_SQUARES = (
    "write numpy.linalg.pinv(A) @ b, or rbd.solvers.minimum_norm_solve(A, b), which costs one factorisation"
)
_NEVER_NAN = "leave nan away, as in numpy.sum: recorded values are never NaN"
_FINITE = "leave it out: a program checks its inputs and outputs and raises NotFiniteError"

_INSTEAD: Final = {
    **dict.fromkeys(("floor", "ceil", "rint", "trunc", "remainder", "fmod", "floor_divide", "modf", "unwrap"), _WRAP),
    **dict.fromkeys(("round", "around", "fix"), "rounding has no derivative and is not recorded; round results"),
    **dict.fromkeys(("equal", "not_equal", "isclose", "allclose", "array_equal", "array_equiv"), _EQUAL),
    **dict.fromkeys(("nonzero", "flatnonzero", "argwhere", "count_nonzero", "extract", "compress"), _SELECT),
    **dict.fromkeys(("piecewise", "place", "putmask"), _SELECT),
    **dict.fromkeys(("sort", "argsort", "argmax", "argmin", "median", "percentile", "quantile", "unique"), _ORDER),
    **dict.fromkeys(("partition", "argpartition", "searchsorted", "digitize", "nanargmax", "nanargmin"), _ORDER),
    **dict.fromkeys(("isfinite", "isnan", "isinf", "nan_to_num"), _FINITE),
    **dict.fromkeys(("nansum", "nanmean", "nanmax", "nanmin", "nanstd", "nanvar", "nanprod"), _NEVER_NAN),
    "sinc": "write numpy.sin(numpy.pi * x) / (numpy.pi * x), with a series near zero",
    "log1p": "write numpy.log(1 + x)",
    "cbrt": "write numpy.sign(x) * numpy.abs(x) ** (1 / 3)",
    "arcsinh": "write numpy.where(x < 0, -1, 1) * numpy.log(abs(x) + numpy.sqrt(x * x + 1))",
    "arccosh": "write numpy.log(x + numpy.sqrt(x * x - 1))",
    "arctanh": "write numpy.log((1 + x) / (1 - x)) / 2",
    "linalg.lstsq": _LEAST_SQUARES,
    "linalg.slogdet": "write numpy.log(numpy.abs(numpy.linalg.det(A)))",
    "linalg.qr": "for equations write numpy.linalg.solve or numpy.linalg.pinv; a Cholesky factor is recorded, too",
    **dict.fromkeys(("linalg.eig", "linalg.eigvals", "linalg.eigh", "linalg.eigvalsh", "linalg.svd"), _SPECTRUM),
    **dict.fromkeys(("linalg.svdvals", "linalg.cond", "linalg.matrix_rank"), _SPECTRUM),
}
REFUSED: Final = {f"numpy.{name}": advice for name, advice in _INSTEAD.items()}
"""Replacements to advise for functions, by their dotted names."""

_GENERAL: Final = (
    "write it with numpy.where and the functions of numpy that run on recorded arrays (guide/recording.md), or of"
    " rbd.scalars"
)


def refuse_function(name: str, value: object, cause: Exception | None = None) -> NoReturn:
    """Raise the error of a function that does not run on recorded values."""
    where = caller_line()
    message = f"{where}: {name} does not run on recorded values; {REFUSED.get(name, _GENERAL)}"
    raise RecordingError(message, where=where, scalar=value, function=name) from cause


def refuse_store(value: object) -> NoReturn:
    """Raise the error of recorded values that are written to an array of floats."""
    where = caller_line()
    raise RecordingError(
        f"{where}: storing recorded values in an array of floats; {LIKE_ADVICE}", where=where, scalar=value
    )


def refuse_mask(value: object) -> NoReturn:
    """Raise the error of an array that is indexed with recorded conditions."""
    where = caller_line()
    message = f"{where}: indexing with recorded conditions; write numpy.where(condition, a, b)"
    raise RecordingError(message, where=where, scalar=value)


def refuse_number(value: object) -> NoReturn:
    """Raise the error of a recorded number that is used as a condition."""
    where = caller_line()
    message = f"{where}: a recorded number where a condition is needed; compare it, as in x > 0"
    raise RecordingError(message, where=where, scalar=value)


_OF_OBJECTS: Final = ("object", "ufunc", "unsupported operand", "dtype('O')", "callable")


def is_about_objects(error: Exception) -> bool:
    """Return whether NumPy refuses the dtype, not the way a function was called, in a call that rbd makes."""
    words = ("object_",) if isinstance(error, ValueError) else _OF_OBJECTS
    return any(word in str(error) for word in words)


@contextmanager
def advice_on_numpy() -> Generator[None]:
    """Raise RecordingError for a TypeError of a function of NumPy that got a plain array of recorded values."""
    try:
        yield
    except TypeError as error:
        advice = _numpy_object_error(error)
        if advice is None:
            raise
        raise advice from error


_REFUSES_OBJECTS: Final = re.compile(
    r"^loop of ufunc does not support|^Cannot cast ufunc|^ufunc '\w+' not supported|array type object is unsupported"
)
"""NumPy's messages for functions that do not run on objects; stricter, since the code is the user's."""


def _numpy_object_error(error: TypeError) -> RecordingError | None:
    """Return the error of a function of NumPy that got a plain array of recorded values; None for other errors."""
    if not _REFUSES_OBJECTS.search(str(error)):
        return None
    frames = traceback.extract_tb(error.__traceback__)
    line = next(frame for frame in reversed(frames) if "numpy" not in Path(frame.filename).parts)
    where = f"{line.filename}:{line.lineno}"
    return RecordingError(f"{where}: NumPy got a plain array of recorded values ({error}); {LIKE_ADVICE}", where=where)
