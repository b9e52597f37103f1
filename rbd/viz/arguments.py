"""Checks of the arguments of a viewer."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

from rbd.arguments import name_sequence, require_callable, require_choice, require_kind, sequence, whole_number
from rbd.errors import ArgumentError
from rbd.scalars.number_checks import above_zero
from rbd.viz.layers import LAYERS
from rbd.viz.pictures import Size

_RATIOS: Final = (0.1, 4.0)


def layer_names(layers: Iterable[str]) -> Collection[str]:
    """Return names of layers; raise ArgumentError for anything else."""
    names = name_sequence(layers, "layers")
    for name in names:
        require_choice(name, LAYERS, "layers", "layer")
    return names


def checked_pixel_ratio(value: object) -> float | None:
    """Return the number of pixels per pixel of the window, None for as many as the screen has."""
    if value is None:
        return None
    ratio, (least, most) = above_zero(value, "pixel_ratio"), _RATIOS
    if not least <= ratio <= most:
        message = f"pixel_ratio is {ratio:g}, must be a number from {least:g} to {most:g}"
        raise ArgumentError(message, argument="pixel_ratio", value=value, allowed=_RATIOS)
    return ratio


def checked_path(path: object) -> Path:
    """Return the path of a picture or film."""
    require_kind(path, str, os.PathLike, operation="Viewer", argument="path")
    return Path(path)  # type: ignore[arg-type]  # checked in the line above


def checked_size(size: object) -> Size:
    """Return the width and height of a picture."""
    numbers = sequence(size, "size", "numbers")
    if len(numbers) != 2:
        raise ArgumentError("size must be (width, height) in pixels", argument="size", value=size)
    width, height = (whole_number(number, "size", 16, 8192) for number in numbers)
    return width, height


def check_forces(forces: object) -> None:
    """Raise ArgumentError for anything but a function, or None."""
    if forces is not None:
        require_callable(forces, "forces", "a function of time and state")
