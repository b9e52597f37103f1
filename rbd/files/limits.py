"""Limits of robot files, which are untrusted."""

from __future__ import annotations

import attrs

from rbd.errors import ArgumentError


@attrs.frozen
class FileLimits:
    """Limits of a robot file; a file that exceeds them is refused while it is read."""

    bytes: int = 16_000_000
    depth: int = 32
    elements: int = 200_000
    attributes: int = 64
    name_length: int = 255
    magnitude: float = 1e30
    """Largest length, mass or moment of inertia; beyond it products overflow."""

    def __attrs_post_init__(self) -> None:
        """Raise ArgumentError unless every limit is a positive number; all but `magnitude` are whole, such as 1e9."""
        for name, value in attrs.asdict(self).items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
                raise self._refused(name, value, "a positive number")
            if name != "magnitude" and isinstance(value, float):
                if not value.is_integer():
                    raise self._refused(name, value, "a whole number")
                object.__setattr__(self, name, int(value))

    def _refused(self, name: str, value: object, wanted: str) -> ArgumentError:
        message = f"{type(self).__name__}: {name} must be {wanted}, not {value!r}"
        return ArgumentError(message, argument=name, value=value, allowed="> 0")
