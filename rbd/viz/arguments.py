"""Checks of the arguments of a viewer."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final, cast

from rbd.arguments import file_path, name_sequence, require_callable, require_choice, sequence, whole_number
from rbd.errors import ArgumentError
from rbd.scalars.number_checks import above_zero
from rbd.viz.layers import LAYERS, Layer
from rbd.viz.pictures import Size

_RATIOS: Final = (0.1, 4.0)


def layer_names(layers: Iterable[str]) -> tuple[Layer, ...]:
    """Return names of layers in the order of `LAYERS`; raise ArgumentError for anything else."""
    names = [layer_name(name, "layers") for name in name_sequence(layers, "layers")]
    return tuple(layer for layer in LAYERS if layer in names)


def layer_name(name: str, argument: str) -> Layer:
    """Return the name of a layer; raise ArgumentError naming the argument for anything else."""
    require_choice(name, LAYERS, argument, "layer")
    return cast("Layer", name)


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
    return file_path(path, operation="Viewer", argument="path")


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
