"""Base of recorded and counted values: asking for a value raises an error that names the line."""

from __future__ import annotations

import inspect
import linecache
import re
from types import FrameType
from typing import Final, NoReturn

from typing_extensions import override

from rbd.errors import RecordingError

_MATH: Final = re.compile(r"\bmath\.(sin|cos|tan|asin|acos|atan2|sqrt|exp|log|tanh)\b")
_PYTHON: Final = re.compile(r"(?<![\w.])(max|min)\(")
_NUMPY: Final = re.compile(r"\b(?:np|numpy)\.[\w.]+(?=\()")
_BRANCH: Final = re.compile(r"^\s*(if|elif|while|assert)\b|\b(if|and|or|not)\b")
_STORE: Final = re.compile(r"^\s*[\w.]+\[.*\]\s*[-+*/@]?=(?!=)|\.astype\(|\bdtype=")
LIKE_ADVICE: Final = (
    "make the array with like=, such as numpy.zeros(3, like=state.q) or numpy.array([x, y], like=state.q): it holds"
    " recorded values, and floats for a live state"
)
"""Advice on arrays on which NumPy's functions run in recordings."""
_WHERE_ADVICE: Final = "choose with numpy.where(condition, a, b) or rbd.scalars.where"


def caller_line() -> str:
    """Return "file:line" of the innermost caller outside NumPy and the packages of recorded numbers."""
    frame = _caller()
    return "an unknown line" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _caller() -> FrameType | None:
    frame = inspect.currentframe()
    while frame is not None and _is_own(frame):
        frame = frame.f_back
    return frame


def _advice(action: str) -> str:
    """Return advice on the replacement of the line that failed."""
    frame = _caller()
    line = "" if frame is None else linecache.getline(frame.f_code.co_filename, frame.f_lineno, frame.f_globals)
    if match := _MATH.search(line):
        return f"write rbd.scalars.{match[1]} instead of {match[0]}: it takes numbers of any kind"
    if match := _PYTHON.search(line):
        return f"write rbd.scalars.{match[1]}imum instead of {match[1]}"
    if action.startswith("comparing"):
        return f"compare with < and <=, and {_WHERE_ADVICE}"
    if action.startswith("branching") and _BRANCH.search(line):
        return _WHERE_ADVICE
    if action.startswith("taking") and _STORE.search(line):
        return f"an array of floats cannot hold it; {LIKE_ADVICE}"
    if match := _NUMPY.search(line):
        return f"{match[0]} got a plain array or list of recorded values; {LIKE_ADVICE}"
    if action.startswith(("taking", "indexing", "iterating")):
        return (
            "it has no value before the recording runs; write rbd.scalars.sin, rbd.scalars.sqrt, ... instead of math's "
            f"functions, and {_WHERE_ADVICE}"
        )
    return _WHERE_ADVICE


_OWN_PACKAGES: Final = ("scalars", "intrinsics", "solvers", "recorded_arrays", "program")
_OWN_MODULES: Final = ("numpy.", *(f"rbd.{layer}." for layer in _OWN_PACKAGES))


def _is_own(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", "")) + "."
    return module.startswith(_OWN_MODULES)


def refuse_value_access(action: str, value: object) -> NoReturn:
    """Raise the RecordingError that names what was tried and on which line."""
    where = caller_line()
    raise RecordingError(
        f"{where}: {action} a recorded value; {_advice(action)}",
        where=where,
        scalar=value,
    )


class OpaqueValue:
    """A recorded or counted value or condition: asking for its truth, order, hash or number raises RecordingError."""

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        refuse_value_access("branching on", self)

    @override
    def __eq__(self, other: object) -> NoReturn:
        refuse_value_access("comparing (==)", self)

    @override
    def __ne__(self, other: object) -> NoReturn:
        refuse_value_access("comparing (!=)", self)

    @override
    def __hash__(self) -> NoReturn:
        refuse_value_access("hashing", self)

    def __lt__(self, other: object) -> NoReturn:
        refuse_value_access("comparing (<)", self)

    def __le__(self, other: object) -> NoReturn:
        refuse_value_access("comparing (<=)", self)

    def __gt__(self, other: object) -> NoReturn:
        refuse_value_access("comparing (>)", self)

    def __ge__(self, other: object) -> NoReturn:
        refuse_value_access("comparing (>=)", self)

    def __float__(self) -> NoReturn:
        refuse_value_access("taking the float of", self)

    def __int__(self) -> NoReturn:
        refuse_value_access("taking the integer of", self)

    def __complex__(self) -> NoReturn:
        refuse_value_access("taking the complex number of", self)

    def __index__(self) -> NoReturn:
        refuse_value_access("indexing with", self)
