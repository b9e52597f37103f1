"""Friction of pairs of geoms: that of the geoms, or of a `<pair>`."""

from __future__ import annotations

from typing import final

import attrs


@final
@attrs.frozen
class PairFriction:
    """Friction of a geom, or of a pair of them.

    `dimensions` (`condim`) tells which kinds there are: 1 none, 3 sliding, 4 torsional friction too, 6 rolling friction
    too. Of two geoms, the one with the higher `priority` gives all; those of one priority give the largest of each.

    >>> PairFriction(dimensions=4, sliding=0.8).combined(PairFriction(torsional=0.02))
    PairFriction(dimensions=4, sliding=1.0, torsional=0.02, rolling=0.0001, priority=0)
    """

    dimensions: int = 3
    sliding: float = 1.0
    torsional: float = 0.005
    rolling: float = 0.0001
    priority: int = 0

    def combined(self, other: PairFriction) -> PairFriction:
        """Return the friction of a pair of geoms."""
        if self.priority != other.priority:
            return max(self, other, key=lambda friction: friction.priority)
        return PairFriction(*(max(each) for each in zip(attrs.astuple(self), attrs.astuple(other), strict=True)))

    @property
    def torsional_length(self) -> float:
        """Torque about the normal per normal force (m), zero where there is none."""
        return self.torsional if self.dimensions >= 4 else 0.0

    @property
    def rolling_length(self) -> float:
        """Torque against rolling per normal force (m), zero where there is none."""
        return self.rolling if self.dimensions >= 6 else 0.0
