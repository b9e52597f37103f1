"""Figures of matplotlib (extra `plot`), which are not registered with pyplot."""

# Matplotlib's 3D axes have no type annotations:
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportMissingTypeStubs=false

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, cast

from rbd.arguments import require_kind
from rbd.extras import requires_extra
from rbd.scalars.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def space_axes(ax: object, operation: str) -> Any:
    """Return 3D axes, with None those of a new figure; raise ArgumentError for anything else."""
    if ax is not None:
        kind = matplotlib_module("mpl_toolkits.mplot3d").Axes3D
        require_kind(ax, kind, operation=operation, argument="ax")
        return ax
    figure = matplotlib_module("matplotlib.figure").Figure(figsize=(6.4, 4.8), layout="constrained")
    return figure.add_subplot(projection="3d", computed_zorder=False)


def chart_axes(ax: object, operation: str) -> Axes:
    """Return axes for curves, with None those of a new figure; raise ArgumentError for anything else."""
    if ax is not None:
        require_kind(ax, matplotlib_module("matplotlib.axes").Axes, operation=operation, argument="ax")
        return cast("Axes", ax)
    figure = matplotlib_module("matplotlib.figure").Figure(figsize=(7.2, 3.6), layout="constrained")
    axes: Axes = figure.add_subplot()
    return axes


@requires_extra("plots")
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
