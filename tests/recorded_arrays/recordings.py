"""Functions of arrays, recorded and interpreted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars import where
from rbd.scalars.arrays import pack


def recorded(function: Callable[..., Any], shapes: Sequence[tuple[int, ...]]) -> Program:
    """Record a function of arrays x0, x1 ..., with one output y; conditions become ones and zeros."""
    graph = Graph()
    found = function(*(pack(graph.input(f"x{k}", shape)).reshape(shape) for k, shape in enumerate(shapes)))
    return Program.of(graph, "function", {"y": _outputs(found)})


def interpreted(function: Callable[..., Any], arrays: Sequence[Any]) -> Any:
    """Return the value of a recorded function."""
    program = recorded(function, [np.shape(each) for each in arrays])
    return program.interpret(**{f"x{k}": each for k, each in enumerate(arrays)})["y"]


def _outputs(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _outputs(value.tolist())
    if isinstance(value, (tuple, list)):
        return tuple(map(_outputs, value))
    kind = type(value).__name__
    return where(value, 1.0, 0.0) if kind in ("RecordedCondition", "bool", "bool_") else value
