"""`Compliance`: spring and damper of a pair of shapes."""

from __future__ import annotations

from typing import final

import attrs

from rbd.scalars.number_checks import above_zero, at_least_zero

_set = object.__setattr__


@final
@attrs.frozen(init=False)
class Compliance:
    """Spring and damper of each contact point of a pair in time steps, in place of a hard contact.

    A point pushes with `stiffness` (N/m) times its depth, plus `damping` (N s/m) times the speed at which the depth
    grows; it never pulls. Depth and speed are those at the end of the step, so that no stiffness is too large for a
    step. Points that are apart have no damper. Raises ArgumentError and NotFiniteError.

    >>> import rbd
    >>> rbd.contact.Compliance(stiffness=2e4, damping=100.0)
    Compliance(stiffness=20000.0, damping=100.0)
    """

    stiffness: float
    damping: float

    def __init__(self, stiffness: float, damping: float = 0.0) -> None:
        _set(self, "stiffness", above_zero(stiffness, "stiffness"))
        _set(self, "damping", at_least_zero(damping, "damping"))
