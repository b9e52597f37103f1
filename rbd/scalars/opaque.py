"""Base of recorded values: asking for a value raises an error that names the line."""

from __future__ import annotations

import inspect
import linecache
import re
from types import FrameType
from typing import Final, NoReturn

from typing_extensions import override

from rbd.errors import RecordingError

_MATH: Final = re.compile(r"\bmath\.(sin|cos|tan|asin|acos|atan2|sqrt|exp|log|tanh)\b")
_NUMPY: Final = {
    "clip": "rbd.scalars.minimum(rbd.scalars.maximum(x, low), high)",
    "maximum": "rbd.scalars.maximum",
    "minimum": "rbd.scalars.minimum",
    "max": "rbd.scalars.maximum",
    "min": "rbd.scalars.minimum",
    "where": "rbd.scalars.where",
    "sign": "rbd.scalars.where(rbd.scalars.less(x, 0), -1, 1)",
}
"""What to write instead of functions that compare, NumPy's and Python's own."""
_COMPARES: Final = re.compile(rf"\b(?:(?:np|numpy)\.)?({'|'.join(_NUMPY)})\(")


def caller_line() -> str:
    """Return "file:line" of the innermost caller outside `rbd.scalars` and NumPy."""
    frame = _caller()
    return "an unknown line" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _caller() -> FrameType | None:
    frame = inspect.currentframe()
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    return frame


def _advice(action: str) -> str:
    """Return what to write instead, going by the line that failed."""
    frame = _caller()
    line = "" if frame is None else linecache.getline(frame.f_code.co_filename, frame.f_lineno, frame.f_globals)
    if found := _MATH.search(line):
        return f"write rbd.scalars.{found[1]} instead of {found[0]}: it takes numbers of any kind"
    if found := _COMPARES.search(line):
        return f"write {_NUMPY[found[1]]} instead of {found[0].rstrip('(')}"
    if action.startswith(("taking", "indexing", "iterating")):
        return (
            "it has no value before the recording runs; write rbd.scalars.sin, rbd.scalars.sqrt, ... instead of math's "
            "functions, choose with rbd.scalars.where, and make arrays of dtype object"
        )
    return "compare with rbd.scalars.less and choose with rbd.scalars.where"


def _is_ours(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", "")) + "."
    return module.startswith(("rbd.scalars.", "rbd.program.", "rbd.intrinsics.", "rbd.solvers.", "numpy."))


def refuse(action: str, value: object) -> NoReturn:
    """Raise the RecordingError that names what was tried and on which line."""
    where = caller_line()
    raise RecordingError(
        f"{where}: {action} a recorded value; {_advice(action)}",
        where=where,
        scalar=value,
    )


class Opaque:
    """A value or condition of a recording: asking for its truth, order, hash or number raises RecordingError."""

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        refuse("branching on", self)

    @override
    def __eq__(self, other: object) -> NoReturn:
        refuse("comparing (==)", self)

    @override
    def __ne__(self, other: object) -> NoReturn:
        refuse("comparing (!=)", self)

    @override
    def __hash__(self) -> NoReturn:
        refuse("hashing", self)

    def __lt__(self, other: object) -> NoReturn:
        refuse("comparing (<)", self)

    def __le__(self, other: object) -> NoReturn:
        refuse("comparing (<=)", self)

    def __gt__(self, other: object) -> NoReturn:
        refuse("comparing (>)", self)

    def __ge__(self, other: object) -> NoReturn:
        refuse("comparing (>=)", self)

    def __float__(self) -> NoReturn:
        refuse("taking the float of", self)

    def __int__(self) -> NoReturn:
        refuse("taking the integer of", self)

    def __complex__(self) -> NoReturn:
        refuse("taking the complex number of", self)

    def __index__(self) -> NoReturn:
        refuse("indexing with", self)
