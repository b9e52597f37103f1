"""Recorder: runs a function of a state on recorded scalars and returns the program.

Compiled robots, live states and functions of users share this recorder, so that the same algorithm with the same
options is the same program.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from rbd.errors import RecordingError
from rbd.indexing.parameter_arrays import ParameterName, ParameterValues, parameter_shape
from rbd.mechanism import Mechanism
from rbd.program.graph import Graph, Nested
from rbd.program.program import Program
from rbd.program.recording import recording
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars.opaque import LIKE

Arguments = Callable[[Graph], tuple[tuple[Any, ...], Mapping[str, Any]]]
"""Adds inputs for the arguments of a function to a graph; returns arguments by position and by name."""


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
    with recording() as graph:
        q = graph.input("q", (mechanism.nq,))
        v = graph.input("v", (mechanism.nv,)) if with_velocity else (0,) * mechanism.nv
        args, named = arguments(graph)
        values: dict[str, Nested] = {each: graph.input(each, parameter_shape(mechanism, each)) for each in parameters}
        given = ParameterValues(mechanism, values) if values else None
        state = ScalarState(mechanism, q, v, parameters=given, regroup=regroup)
        with _advice_on_numpy():
            outcome = function(state, *args, **named)
        return Program.of(graph, name, outputs(outcome))


@contextmanager
def _advice_on_numpy() -> Generator[None]:
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
"""NumPy's messages for functions that do not run on objects."""


def _numpy_object_error(error: TypeError) -> RecordingError | None:
    """Return the error of a function of NumPy that got a plain array of recorded values; None for other errors."""
    if not _REFUSES_OBJECTS.search(str(error)):
        return None
    frames = traceback.extract_tb(error.__traceback__)
    line = next(frame for frame in reversed(frames) if "numpy" not in Path(frame.filename).parts)
    where = f"{line.filename}:{line.lineno}"
    return RecordingError(f"{where}: NumPy got a plain array of recorded values ({error}); {LIKE}", where=where)
