"""Plots of the shapes of a collision model, with discs at witness points.

Requires matplotlib (extra `plot`), which is imported by the functions.
"""

# Matplotlib's 3D axes have no type annotations:
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportMissingTypeStubs=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from rbd.arguments import require_kind
from rbd.contact import CollisionModel, Distance
from rbd.contact.geometry.shapes import Shape, is_ground
from rbd.errors import ArgumentError
from rbd.scalars.arrays import Array
from rbd.spatial.half_space import HalfSpace
from rbd.state import MechanismState
from rbd.viz.figures import matplotlib_module, set_limits, space_axes
from rbd.viz.forces import checked_distances
from rbd.viz.poses import transformed_points
from rbd.viz.shape_surfaces import PALETTE, largest_radius, surface_of
from rbd.viz.surfaces import AROUND, plane_axes

DISC, GROUND = "#c8102e", "#d8d8d8"
_LIGHT = np.array([0.3, -0.55, 0.78])
_CELLS = 6
"""Cells along each edge of a box."""


def plot_shapes(
    state: MechanismState,
    model: CollisionModel,
    *,
    distances: Sequence[Distance[float]] = (),
    colors: Mapping[str, str] | None = None,
    ax: Any = None,
) -> Any:
    """Plot the shapes of `model` at `state`, in the root frame; return matplotlib's 3D axes.

    `distances`, as returned by `model.distances(state)`, are drawn over the shapes: two red discs at the witness
    points, perpendicular to the normal, and a line between them. `colors` maps names of bodies to colours; other bodies
    get colours of a palette. `ax` are 3D axes to draw into; by default those of a new figure, the `.figure` of the
    result. Raises ArgumentError for the state of another mechanism and for a model without shapes, and
    MissingPackageError if matplotlib is not installed (`pip install 'rbd[plot]'`).

    >>> import rbd
    >>> from rbd.viz import plot_shapes
    >>> mechanism, model = rbd.robots.hand()
    >>> state = rbd.MechanismState(mechanism)
    >>> picture = plot_shapes(state, model, distances=model.distances(state))
    >>> picture.figure.savefig("hand.png")        # doctest: +SKIP
    """
    require_kind(model, CollisionModel, operation="plot_shapes", argument="model")
    model.require(state)
    near = checked_distances(distances)
    if not model.shapes:
        raise ArgumentError("the collision model has no shapes to draw", argument="model", value=model)
    drawn = space_axes(ax, "plot_shapes")
    placed = _placed(state, model)
    low, high = _extent(placed)
    _draw_shapes(drawn, placed, _colors(model, {} if colors is None else _checked_colors(colors)))
    _draw_distances(drawn, near, float(np.max(high - low)) / 45)
    set_limits(drawn, low, high)
    return drawn


def _draw_shapes(drawn: Any, placed: Sequence[tuple[Shape, Array]], palette: Mapping[int, str]) -> None:
    """Draw the polygons of shapes, shaded; `palette` has a colour per shape."""
    faces, paint = list[Array](), list[Array]()
    for shape, corners in placed:
        faces += list(corners)
        paint += list(_shaded(corners, palette[id(shape)]))
    drawn.add_collection3d(_polygons(faces, facecolors=np.array(paint), edgecolors="none", antialiaseds=False))


def _draw_distances(drawn: Any, distances: Sequence[Distance[float]], radius: float) -> None:
    """Draw discs at witness points, and lines between them."""
    discs = [disc(x.xyz, each.normal.xyz, radius) for each in distances for x in (each.witness_a, each.witness_b)]
    if discs:
        drawn.add_collection3d(_polygons(discs, facecolors=DISC, edgecolors="white", linewidths=0.4, zorder=11))
    for distance in distances:
        ends = np.array([distance.witness_a.xyz, distance.witness_b.xyz], dtype=np.float64).T
        drawn.plot(*ends, color=DISC, linewidth=1.1, zorder=10)


def _polygons(corners: list[Array], **style: object) -> Any:
    return matplotlib_module("mpl_toolkits.mplot3d.art3d").Poly3DCollection(corners, **style)


def _placed(state: MechanismState, model: CollisionModel) -> list[tuple[Shape, Array]]:
    """Return all shapes with the faces of their surfaces in the root frame, (faces, 4, 3)."""
    root = state.mechanism.root_frame
    reach = 2 * largest_radius(model)
    placed: list[tuple[Shape, Array]] = []
    for shape in model.shapes:
        tf = state.relative_transform(shape.frame, root)
        surface = surface_of(shape, reach, _CELLS)
        placed.append((shape, transformed_points(tf.matrix, surface.vertices)[surface.faces]))
    return placed


def _extent(placed: Sequence[tuple[Shape, Array]]) -> tuple[Array, Array]:
    """Return the corners of the bounding box: of all solids, or of the patches if there are no solids."""
    solids = [corners for shape, corners in placed if not isinstance(shape, HalfSpace)]
    points = np.concatenate([corners.reshape(-1, 3) for corners in solids or [corners for _, corners in placed]])
    return points.min(axis=0), points.max(axis=0)


def _colors(model: CollisionModel, chosen: Mapping[str, str]) -> dict[int, str]:
    """Return a colour per shape, by body."""
    names = list(dict.fromkeys(model.body(shape).name for shape in model.shapes))
    default = {name: PALETTE[k % len(PALETTE)] for k, name in enumerate(names)}
    return {
        id(shape): GROUND if is_ground(shape) else {**default, **chosen}[model.body(shape).name]
        for shape in model.shapes
    }


def _checked_colors(colors: object) -> Mapping[str, str]:
    """Raise ArgumentError for anything but a mapping from names to what matplotlib takes for colours."""
    require_kind(colors, Mapping, operation="plot_shapes", argument="colors")
    chosen = cast("Mapping[str, str]", colors)
    known = matplotlib_module("matplotlib.colors").is_color_like
    for name, color in chosen.items():
        if not known(color):
            message = f"colors[{name!r}] is no colour; write one such as '#d9a066'"
            raise ArgumentError(message, argument="colors", value=color, allowed="a colour of matplotlib")
    return chosen


def _shaded(corners: Array, color: str) -> Array:
    """Return a shaded colour per face, brighter towards the light."""
    normals = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    lengths = np.linalg.norm(normals, axis=1)
    bright = (normals @ _LIGHT) / np.where(lengths > 0, lengths, 1.0)
    rgb = np.array(matplotlib_module("matplotlib.colors").to_rgb(color), dtype=np.float64)
    share = np.clip(0.62 + 0.38 * bright, 0.25, 1.0)[:, None]
    return np.asarray(np.clip(rgb * share + 0.12 * np.clip(bright, 0, 1)[:, None] ** 8, 0, 1), dtype=np.float64)


def disc(center: Array, normal: Array, radius: float) -> Array:
    """Return a disc perpendicular to a normal as one polygon."""
    first, second = plane_axes(normal)
    turns = np.linspace(0, 2 * np.pi, AROUND, endpoint=False)[:, None]
    return np.asarray(center + radius * (np.cos(turns) * first + np.sin(turns) * second), dtype=np.float64)
