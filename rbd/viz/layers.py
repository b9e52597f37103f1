"""Layers of a viewer's scene: groups of objects that are shown and hidden together."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

Layer: TypeAlias = Literal[
    "shapes", "collisions", "inertias", "skeleton", "frames", "names", "loops", "contacts", "forces", "ground",
    "shadows",
]  # fmt: skip
LAYERS: Final[tuple[Layer, ...]] = get_args(Layer)
