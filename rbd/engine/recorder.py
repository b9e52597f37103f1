"""Recorder: runs a function of a state on recorded scalars and returns the program.

Compiled robots, live states and functions of users share this recorder, so that the same algorithm with the same
options is the same program.
"""

from __future__ import annotations

import gc
import os
import re
import threading
import traceback
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

from rbd.errors import RecordingError
from rbd.indexing.parameters import ParameterName, ParameterValues, parameter_shape
from rbd.kinematics.scalar_state import ScalarState
from rbd.mechanism import Mechanism
from rbd.program.graph import Graph, Nested
from rbd.program.program import Program
from rbd.scalars.opaque import LIKE

P = ParamSpec("P")
R = TypeVar("R")
_pausing: Final[set[int]] = set()
"""Threads that have paused the garbage collector."""
Arguments = Callable[[Graph], tuple[tuple[Any, ...], Mapping[str, Any]]]
"""Adds inputs for the arguments of a function to a graph; returns arguments by position and by name."""


def gc_paused(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function that makes many long-lived objects: the garbage collector is paused.

    A collection during a recording traverses all objects of the process and frees none.
    """

    @wraps(function)
    def call(*args: P.args, **named: P.kwargs) -> R:
        collects, thread = gc.isenabled(), threading.get_ident()
        try:
            if collects:
                _pausing.add(thread)
                gc.disable()
            return function(*args, **named)
        finally:
            if collects:
                gc.enable()
                _pausing.discard(thread)

    return call


def _in_child() -> None:
    """Resume the garbage collector in a forked process, where the thread that paused it does not exist."""
    if _pausing - {threading.get_ident()}:
        gc.enable()
    _pausing.intersection_update({threading.get_ident()})


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


@gc_paused
def record_program(
    function: Callable[..., Any],
    mechanism: Mechanism,
    name: str,
    arguments: Arguments,
    outputs: Callable[[Any], Mapping[str, Nested]],
    *,
    parameters: Iterable[ParameterName] = (),
    regroup: bool = False,
    with_velocity: bool = True,
) -> Program:
    """Return the program of `function`; `outputs` converts its result to named outputs.

    The inputs are q, v (without velocity, v is structural zeros), the arguments, then `parameters`; all other
    parameters are constants with their current values. `regroup` as in `ScalarState`.
    """
    graph = Graph()
    q = graph.input("q", (mechanism.nq,))
    v = graph.input("v", (mechanism.nv,)) if with_velocity else (0,) * mechanism.nv
    args, named = arguments(graph)
    values: dict[str, Nested] = {each: graph.input(each, parameter_shape(mechanism, each)) for each in parameters}
    given = ParameterValues(mechanism, values) if values else None
    state = ScalarState(mechanism, q, v, parameters=given, regroup=regroup)
    try:
        outcome = function(state, *args, **named)
    except TypeError as error:
        advice = _numpy_object_error(error)
        if advice is None:
            raise
        raise advice from error
    return Program.of(graph, name, outputs(outcome))


_REFUSES_OBJECTS: Final = re.compile(
    r"^loop of ufunc does not support|^Cannot cast ufunc|^ufunc '\w+' not supported|array type object is unsupported"
)
"""How NumPy says that a function does not run on objects."""


def _numpy_object_error(error: TypeError) -> RecordingError | None:
    """Return the error of a function of NumPy that got a plain array of recorded values; None for other errors."""
    if not _REFUSES_OBJECTS.search(str(error)):
        return None
    frames = traceback.extract_tb(error.__traceback__)
    line = next(frame for frame in reversed(frames) if "numpy" not in Path(frame.filename).parts)
    where = f"{line.filename}:{line.lineno}"
    return RecordingError(f"{where}: NumPy got a plain array of recorded values ({error}); {LIKE}", where=where)
