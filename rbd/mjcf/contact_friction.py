"""Friction of contacts: `condim`, `friction` and `priority` of a geom or of a `<pair>`."""

from __future__ import annotations

from typing import final

import attrs

from rbd.mjcf.element import MjcfElement


@final
@attrs.frozen
class ContactFriction:
    """Friction of a geom, or of a pair of them.

    `dimensions` (`condim`) tells which kinds there are: 1 none, 3 sliding, 4 torsional friction too, 6 rolling friction
    too. Of two geoms, the one with the higher `priority` gives all; those of one priority give the largest of each.

    >>> ContactFriction(dimensions=4, sliding=0.8).combined(ContactFriction(torsional=0.02))
    ContactFriction(dimensions=4, sliding=1.0, torsional=0.02, rolling=0.0001, priority=0)
    """

    dimensions: int = 3
    sliding: float = 1.0
    torsional: float = 0.005
    rolling: float = 0.0001
    priority: int = 0

    def combined(self, other: ContactFriction) -> ContactFriction:
        """Return the friction of a pair of geoms."""
        if self.priority != other.priority:
            return max(self, other, key=lambda friction: friction.priority)
        return ContactFriction(*(max(each) for each in zip(attrs.astuple(self), attrs.astuple(other), strict=True)))

    @property
    def torsional_length(self) -> float:
        """Torque about the normal per normal force (m), zero where there is none."""
        return self.torsional if self.dimensions >= 4 else 0.0

    @property
    def rolling_length(self) -> float:
        """Torque against rolling per normal force (m), zero where there is none."""
        return self.rolling if self.dimensions >= 6 else 0.0


def read_geom_friction(element: MjcfElement) -> ContactFriction:
    """Return the friction of a geom; raise MjcfValueError for negative coefficients."""
    sliding, torsional, rolling = _coefficients(element, (1.0, 0.005, 0.0001))
    return ContactFriction(_dimensions(element), sliding, torsional, rolling, element.integer("priority", 0))


def read_pair_friction(element: MjcfElement) -> ContactFriction:
    """Return the friction of a `<pair>`, whatever that of its geoms; raise MjcfValueError for negative coefficients."""
    sliding, _, torsional, rolling, _ = _coefficients(element, (1.0, 1.0, 0.005, 0.0001, 0.0001))
    return ContactFriction(_dimensions(element), sliding, torsional, rolling)


def _coefficients(element: MjcfElement, default: tuple[float, ...]) -> tuple[float, ...]:
    coefficients = element.vector("friction", default, 1)
    for value in coefficients:
        if value < 0.0:
            raise element.error("friction", f"friction {value:.9g} is negative")
    return coefficients


def _dimensions(element: MjcfElement) -> int:
    return int(element.choice("condim", ("1", "3", "4", "6"), "3"))
