"""Edited parameters of a mechanism: inputs of recordings instead of constants.

Parameters are constants of recordings, which makes programs short. After the first edit of one kind of parameter, such
as gravity, this kind is an input of all later recordings: further edits copy numbers, without a new recording.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast, final

import numpy as np

from rbd.errors import ScalarError
from rbd.indexing.layout import layout_of
from rbd.mechanism import Mechanism
from rbd.scalar_states.parameter_arrays import PARAMETER_NAMES, ParameterName, parameter_array
from rbd.scalars.arrays import Array


@final
class ParameterEdits:
    """The parameters of one mechanism in a cache of kernels."""

    def __init__(self) -> None:
        """Initialise without parameters."""
        self.version = -1
        self.varying: tuple[ParameterName, ...] = ()
        """Kinds of parameters that are inputs of recordings."""
        self.arrays: dict[str, Array] = {}
        """Their current values, written in place: machine code holds their addresses."""
        self.are_floats = True
        """Whether all parameters are real numbers."""
        self.generation = 0
        """Number of edits that invalidate all recordings."""
        self._known: dict[ParameterName, Array] = {}
        self._rest: tuple[object, ...] = ()

    def update(self, mechanism: Mechanism) -> None:
        """Update to the parameters of the mechanism, whose version has changed."""
        rest = tuple(_constants(mechanism))
        if self._known and not _same(rest, self._rest):
            self.generation += 1
        now = _numbers(mechanism)
        self.are_floats = now is not None
        if now is not None:
            self._store(now)
        self._rest, self.version = rest, mechanism.parameter_version

    def _store(self, values: dict[ParameterName, Array]) -> None:
        known = self._known
        edited = {name for name in PARAMETER_NAMES if known and not np.array_equal(known[name], values[name])}
        self.varying = tuple(name for name in PARAMETER_NAMES if name in edited or name in self.varying)
        for name in self.varying:
            self.arrays.setdefault(name, np.empty_like(values[name]))[...] = values[name]
        self._known = values


def _numbers(mechanism: Mechanism) -> dict[ParameterName, Array] | None:
    """Return all parameters as arrays; None unless all are real numbers."""
    found: dict[ParameterName, Array] = {}
    try:
        for name in PARAMETER_NAMES:
            found[name] = parameter_array(mechanism, name)
    except ScalarError:
        return None
    return found


def _constants(mechanism: Mechanism) -> Iterator[object]:
    """Yield the constants of recordings that are never inputs: bounds, placements of loops, contacts."""
    for joint in mechanism.joints:
        yield joint.position_bounds
    for loop in layout_of(mechanism).loops:
        for end in (mechanism.placement(loop.joint), mechanism.successor_placement(loop.joint)):
            yield end.rotation_components, end.translation_components
    for body in mechanism.bodies:
        yield from body.contact_points
    yield from mechanism.half_spaces


def _same(a: tuple[object, ...], b: tuple[object, ...]) -> bool:
    return len(a) == len(b) and all(x is y or _equal(x, y) for x, y in zip(a, b, strict=True))


def _equal(x: object, y: object) -> bool:
    """Return whether tuples of numbers are equal; other values are compared by identity."""
    return isinstance(x, tuple) and isinstance(y, tuple) and cast("tuple[object, ...]", x) == y
