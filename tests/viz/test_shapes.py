"""Plots of shapes: polygons on surfaces, discs at witness points, files."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

import rbd
from rbd.contact import Box, Capsule, CollisionModel, HalfSpace, HeightField, Sphere
from rbd.errors import ArgumentError, MissingPackageError
from rbd.scalars.arrays import Array
from rbd.viz import plot_shapes
from rbd.viz.shape_surfaces import surface_of
from rbd.viz.shapes import disc

FRAME = rbd.Frame("shape")


def _outside(shape: Capsule | Sphere | Box | HalfSpace, points: Array) -> Array:
    """Return how far points are from the surface of a shape, zero on it."""
    if isinstance(shape, HalfSpace):
        return np.asarray((points - shape.point.xyz) @ shape.normal.xyz)
    if isinstance(shape, Box):
        return np.abs(np.max(np.abs(points) - np.array(shape.size) / 2, axis=-1))
    length = shape.length if isinstance(shape, Capsule) else 0.0
    core = points * [0, 0, 1]
    core[..., 2] = np.clip(core[..., 2], -length / 2, length / 2)
    return np.asarray(np.linalg.norm(points - core, axis=-1) - shape.radius)


@pytest.mark.parametrize(
    "shape",
    [
        Capsule(FRAME, 0.4, 0.1),
        Capsule(FRAME, 0.0, 0.1),
        Sphere(FRAME, 0.3),
        Box(FRAME, (0.4, 0.2, 0.1)),
        HalfSpace(rbd.Point(FRAME, (1, 2, 3)), rbd.FreeVector(FRAME, (1, 1, 0))),
    ],
    ids=lambda shape: type(shape).__name__,
)
def test_corners_of_faces_lie_on_the_surface(shape: Capsule | Sphere | Box | HalfSpace) -> None:
    surface = surface_of(shape, 0.5, cells=6)
    corners = surface.vertices[surface.faces]
    assert corners.shape[1:] == (4, 3)
    np.testing.assert_allclose(_outside(shape, corners), 0, rtol=0, atol=1e-15)
    spread = np.ptp(corners.reshape(-1, 3), axis=0)
    if isinstance(shape, Capsule):
        np.testing.assert_allclose(spread, [0.2, 0.2, shape.length + 0.2], rtol=0.02)
    if isinstance(shape, Box):
        np.testing.assert_allclose(spread, shape.size, rtol=1e-14)


def test_discs_are_perpendicular_to_their_normal() -> None:
    center, normal = np.array([1.0, 2.0, 3.0]), np.array([0.6, 0.0, 0.8])
    points = disc(center, normal, 0.05) - center
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 0.05, rtol=1e-12)
    np.testing.assert_allclose(points @ normal, 0, rtol=0, atol=1e-15)


def test_plot_has_shapes_and_discs(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    mechanism, model = rbd.robots.hand()
    state = rbd.MechanismState(mechanism)
    plain = plot_shapes(state, model)
    marked = plot_shapes(state, model, distances=model.distances(state), colors={"palm": "red"})
    assert len(plain.collections) == 1
    assert len(marked.collections) == 2
    assert len(marked.lines) == 4
    for name, axes in (("plain", plain), ("marked", marked)):
        axes.figure.savefig(tmp_path / f"{name}.png", dpi=50)
    pixels = importlib.import_module("matplotlib.image").imread(tmp_path / "marked.png")[..., :3]
    red = (pixels[..., 0] > 0.7) & (pixels[..., 1] < 0.2)
    assert red.sum() > 20
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 100


def test_given_axes_are_used() -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = figure.add_subplot(projection="3d")
    mechanism = rbd.robots.double_pendulum()
    model, root = CollisionModel(mechanism), mechanism.root_frame
    model.add("world", HalfSpace(rbd.Point(root, (0, 0, -2)), rbd.FreeVector(root, (0, 0, 1))))
    link = mechanism.bodies[-1]
    model.add(link, Capsule(link.default_frame, 0.4, 0.05))
    assert plot_shapes(rbd.MechanismState(mechanism), model, ax=axes) is axes
    assert len(axes.collections) == 1


def test_invalid_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, model = rbd.robots.hand()
    with pytest.raises(ArgumentError, match="another mechanism"):
        plot_shapes(rbd.MechanismState(rbd.robots.arm7()), model)
    with pytest.raises(ArgumentError, match="no shapes"):
        plot_shapes(rbd.MechanismState(mechanism), CollisionModel(mechanism))

    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr("rbd.viz.figures.importlib.import_module", missing)
    with pytest.raises(MissingPackageError, match=r"plots need matplotlib: pip install 'rbd\[plot\]'"):
        plot_shapes(rbd.MechanismState(mechanism), model)


def test_ground_is_lit_from_above() -> None:
    """A plane and a level height field below a ball have the same colour, that of the ground in full light."""
    mechanism = rbd.Mechanism()
    root, state = mechanism.root_frame, rbd.MechanismState(mechanism)
    colors = []
    for ground in (
        HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))),
        HeightField(root, (1.0, 1.0), np.zeros((2, 2))),
    ):
        model = CollisionModel(mechanism)
        model.add("world", ground)
        model.add("world", Sphere(root, 0.1))
        [faces] = plot_shapes(state, model).collections
        shown = np.asarray(faces.get_facecolor())[:, :3]
        colors.append(shown[np.ptp(shown, axis=1) < 1e-9])
        assert len(colors[-1]) > 0
    np.testing.assert_allclose(np.vstack(colors), np.full((len(colors[0]) + len(colors[1]), 3), colors[0][0, 0]))
    assert colors[0].min() > 0.6
