"""Specification of a recording: a function of a state with its arguments and options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, Literal, final

import attrs

Coordinates = Literal["q", "qv"]
InputKind = Literal["scalar", "q", "v", "s", "wrench"]
"""A number; a vector with an entry per coordinate, velocity or contact state; or the six components of a wrench."""
Inputs = Mapping[str, InputKind]
_NO_INPUTS: Final = MappingProxyType[str, InputKind]({})


@final
@attrs.frozen(eq=False)
class RecordingSpec:
    """Specification of a recording: a function of a state, its other arguments, and options."""

    function: Callable[..., object]
    coordinates: Coordinates
    """Whether it depends on q only or also on v."""
    inputs: Inputs = _NO_INPUTS
    """Its other arguments in their order, by name."""
    regroup: bool = False
    """Whether it returns joint torques, mass matrices and joint accelerations only: inertias may be regrouped."""

    def shapes(self, nq: int, nv: int, ns: int) -> Mapping[str, tuple[int, ...]]:
        """Return the shapes of the other arguments, for the numbers of coordinates, velocities and contact states.

        >>> RecordingSpec(print, "q", {"start": "q", "dt": "scalar"}).shapes(7, 6, 0)
        {'start': (7,), 'dt': ()}
        """
        shapes = {"scalar": (), "q": (nq,), "v": (nv,), "s": (ns,), "wrench": (6,)}
        return {name: shapes[kind] for name, kind in self.inputs.items()}
