"""Settings of a model: `<compiler>` and `<option>`, the conventions of the rest of the file."""

from __future__ import annotations

import math
from typing import Final, Literal, final

import attrs

from rbd.files.pose import ZERO, FloatVec3

_DEGREE: Final = math.pi / 180
_GROUPS: Final = {
    **dict.fromkeys(("equality", "frictionloss", "limit", "contact"), "constraint"),
    **dict.fromkeys(("spring", "damper"), "passive"),
}
"""Groups of flags: the flag of a group disables all of them."""


@final
@attrs.frozen
class Settings:
    """Settings of `<compiler>` and `<option>`, with the defaults of the format."""

    angle: Literal["degree", "radian"] = "degree"
    euler_sequence: str = "xyz"
    auto_limits: bool = True
    inertia_from_geoms: Literal["true", "false", "auto"] = "auto"
    inertia_groups: tuple[float, float] = (0, 5)
    """First and last of the groups of geoms that have mass."""
    balance_inertia: bool = False
    min_mass: float = 0.0
    min_moment: float = 0.0
    total_mass: float = -1.0
    fit_boxes: bool = False
    align_free: bool = False
    strip_path: bool = False
    mesh_directory: str = ""
    acceleration: FloatVec3 = (0.0, 0.0, -9.81)
    time_step: float = 0.002
    disabled: frozenset[str] = frozenset()
    disabled_groups: frozenset[int] = frozenset()
    """Groups of actuators that do nothing."""

    @property
    def angle_unit(self) -> float:
        """The unit of angles in radians."""
        return _DEGREE if self.angle == "degree" else 1.0

    @property
    def gravity(self) -> FloatVec3:
        """The acceleration of gravity."""
        return ZERO if self.is_disabled("gravity") else self.acceleration

    def is_disabled(self, flag: str) -> bool:
        """Return whether a flag is disabled, by itself or with its group."""
        return flag in self.disabled or _GROUPS.get(flag) in self.disabled
