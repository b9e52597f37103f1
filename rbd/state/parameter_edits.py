"""Which parameters of a mechanism have been edited since algorithms were recorded, and what they are now.

Parameters are baked into recordings: structural zeros and constants make programs short. After the first edit of one
kind of parameter, say gravity, that kind becomes an input of everything recorded from then on: further edits cost a
copy of numbers, no recording.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast, final

import numpy as np

from rbd.errors import ScalarError
from rbd.mechanism import Mechanism
from rbd.scalars.arrays import Array, to_float_array
from rbd.state.layout import layout_of
from rbd.state.parameters import PARAMETERS, ParameterName, current_values, parameter_shape


@final
class ParameterEdits:
    """The parameters of one mechanism as a table of kernels knows them."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self.version = -1
        self.varying: tuple[ParameterName, ...] = ()
        """Kinds of parameters that are inputs of recordings."""
        self.arrays: dict[str, Array] = {}
        """What they are now; written in place, so that machine code may keep their addresses."""
        self.are_floats = True
        """Whether all parameters are real numbers."""
        self.generation = 0
        """Counts edits after which everything must be recorded again."""
        self._known: dict[ParameterName, Array] = {}
        self._rest: tuple[object, ...] = ()

    def update(self, mechanism: Mechanism) -> None:
        """Read the parameters if they may have changed."""
        version = mechanism.parameter_version
        if version == self.version:
            return
        rest = tuple(_baked(mechanism))
        if self._known and not _same(rest, self._rest):
            self.generation += 1
        now = _numbers(mechanism)
        self.are_floats = now is not None
        if now is not None:
            self._take(now)
        self._rest, self.version = rest, version

    def _take(self, now: dict[ParameterName, Array]) -> None:
        known = self._known
        edited = {name for name in PARAMETERS if known and not np.array_equal(known[name], now[name])}
        self.varying = tuple(name for name in PARAMETERS if name in edited or name in self.varying)
        for name in self.varying:
            self.arrays.setdefault(name, np.empty_like(now[name]))[...] = now[name]
        self._known = now


def _numbers(mechanism: Mechanism) -> dict[ParameterName, Array] | None:
    """Return all parameters as arrays; None when some are no real numbers."""
    found: dict[ParameterName, Array] = {}
    try:
        for name in PARAMETERS:
            found[name] = to_float_array(current_values(mechanism, name)).reshape(parameter_shape(mechanism, name))
    except ScalarError:
        return None
    return found


def _baked(mechanism: Mechanism) -> Iterator[object]:
    """Yield what recordings read that is never an input: bounds, ends of loops, contacts. Values never change."""
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
    """Return whether tuples of numbers are equal; everything else is the same object or has changed."""
    return isinstance(x, tuple) and isinstance(y, tuple) and cast("tuple[object, ...]", x) == y
