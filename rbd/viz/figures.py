"""Figures of matplotlib (extra `plot`), which are not registered with pyplot."""

# Matplotlib's 3D axes have no type annotations:
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportMissingTypeStubs=false

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from rbd.extras import names_extra
from rbd.scalars.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def new_space() -> Any:
    """Return the 3D axes of a new figure."""
    figure = matplotlib_module("matplotlib.figure").Figure(figsize=(6.4, 4.8), layout="constrained")
    return figure.add_subplot(projection="3d", computed_zorder=False)


def new_chart() -> Axes:
    """Return the axes of a new figure, for curves."""
    figure = matplotlib_module("matplotlib.figure").Figure(figsize=(7.2, 3.6), layout="constrained")
    axes: Axes = figure.add_subplot()
    return axes


@names_extra("plots")
def matplotlib_module(module: str) -> Any:
    """Import a module of matplotlib; raise MissingPackageError."""
    importlib.import_module("mpl_toolkits.mplot3d")
    return importlib.import_module(module)


def set_limits(axes: Any, low: Array, high: Array) -> None:
    """Set the limits of 3D axes, with a margin and equal scales."""
    middle, half = (low + high) / 2, (high - low) / 2 * 1.04
    axes.set(xlim=(middle[0] - half[0], middle[0] + half[0]), ylim=(middle[1] - half[1], middle[1] + half[1]))
    axes.set(zlim=(middle[2] - half[2], middle[2] + half[2]), xlabel="x (m)", ylabel="y (m)", zlabel="z (m)")
    axes.set_box_aspect(half, zoom=0.88)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_major_locator(matplotlib_module("matplotlib.ticker").MaxNLocator(4))
        axis.pane.set_facecolor("#f7f7f7")
