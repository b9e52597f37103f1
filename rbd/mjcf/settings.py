"""Settings of a model: `<compiler>` and `<option>`, the conventions of the rest of the file."""

from __future__ import annotations

import math
from typing import Final, Literal, final

import attrs

from rbd.files.pose import ZERO, Triple

_DEGREE: Final = math.pi / 180
_PARTS: Final = {
    **dict.fromkeys(("equality", "frictionloss", "limit", "contact"), "constraint"),
    **dict.fromkeys(("spring", "damper"), "passive"),
}
"""Flags that another flag switches off too."""


@final
@attrs.define
class Settings:
    """Settings of `<compiler>` and `<option>`, with the defaults of the format."""

    degree: bool = True
    euler: str = "xyz"
    limits_by_range: bool = True
    from_geoms: Literal["true", "false", "auto"] = "auto"
    groups: tuple[float, float] = (0, 5)
    balance: bool = False
    least_mass: float = 0.0
    least_moment: float = 0.0
    total_mass: float = -1.0
    fit_boxes: bool = False
    align_free: bool = False
    strip_path: bool = False
    mesh_directory: str = ""
    acceleration: Triple = (0.0, 0.0, -9.81)
    time_step: float = 0.002
    disabled: frozenset[str] = frozenset()
    disabled_groups: frozenset[int] = frozenset()
    """Groups of actuators that do nothing."""

    @property
    def angle(self) -> float:
        """The unit of angles in radians."""
        return _DEGREE if self.degree else 1.0

    @property
    def gravity(self) -> Triple:
        """The acceleration of gravity."""
        return ZERO if self.off("gravity") else self.acceleration

    def off(self, flag: str) -> bool:
        """Return whether a flag disables something, itself or with others."""
        return flag in self.disabled or _PARTS.get(flag) in self.disabled
