"""What recorded values have in common: they cannot be looked into, and say where somebody tried."""

from __future__ import annotations

import inspect
from types import FrameType
from typing import NoReturn

from typing_extensions import override

from rbd.errors import RecordingError


def caller_line() -> str:
    """Return "file:line" of the innermost caller outside `rbd.scalars` and NumPy."""
    frame = inspect.currentframe()
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    return "an unknown line" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _is_ours(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", "")) + "."
    return module.startswith(("rbd.scalars.", "rbd.program.", "rbd.intrinsics.", "rbd.solvers.", "numpy."))


def refuse(action: str, value: object) -> NoReturn:
    """Raise the RecordingError that names what was tried and on which line."""
    where = caller_line()
    raise RecordingError(
        f"{where}: {action} a recorded value; compare with rbd.scalars.less and choose with rbd.scalars.where",
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
