"""Volumes and moments of shapes, by integration over slices; those of shells as differences of two solids."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from rbd.files.pose import FloatVec3
from rbd.mjcf.geom_inertias import geom_inertia

SIZE = (0.3, 0.5, 0.4)
HALF: dict[str, Callable[[float], tuple[float, float, float]]] = {
    "sphere": lambda z: (_root(0.3**2 - z**2), _root(0.3**2 - z**2), 0.3),
    "capsule": lambda z: (_cap(z), _cap(z), 0.8),
    "cylinder": lambda z: (0.3, 0.3, 0.5),
    "ellipsoid": lambda z: (0.3 * _root(1 - (z / 0.4) ** 2), 0.5 * _root(1 - (z / 0.4) ** 2), 0.4),
}
"""Half axes of the slice at a height, which is an ellipse, and half the height."""


def _root(x: float) -> float:
    return float(np.sqrt(max(x, 0.0)))


def _cap(z: float) -> float:
    return _root(0.3**2 - max(abs(z) - 0.5, 0.0) ** 2)


def _quadrature(parts: int) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and weights from -1 to 1: five of Gauss and Legendre in each part; a capsule's ends begin at 5/8."""
    nodes, weights = np.polynomial.legendre.leggauss(5)
    middles = (2 * np.arange(parts) + 1) / parts - 1
    return (middles[:, None] + nodes / parts).ravel(), np.tile(weights / parts, parts)


@pytest.mark.parametrize("shape", HALF)
def test_solids(shape: str) -> None:
    height = HALF[shape](0.0)[2]
    volume, moments = 0.0, np.zeros(3)
    for z, w in zip(*(height * each for each in _quadrature(400)), strict=True):
        a, b, _ = HALF[shape](z)
        area = np.pi * a * b * w
        volume += area
        moments += area * np.array([b * b / 4 + z * z, a * a / 4 + z * z, (a * a + b * b) / 4])
    found, unit = geom_inertia(shape, SIZE, shell=False)
    assert found == pytest.approx(volume, rel=1e-6)
    np.testing.assert_allclose(unit, moments / volume, rtol=1e-6)


def test_solid_boxes() -> None:
    a, b, c = SIZE
    volume, moments = geom_inertia("box", SIZE, shell=False)
    assert volume == pytest.approx(8 * a * b * c)
    np.testing.assert_allclose(moments, [(b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3])


def _grown(shape: str, by: float) -> FloatVec3:
    """Return the size of a shape whose surface is moved outwards; the half length of a capsule stays."""
    a, b, c = SIZE
    return (a + by, b if shape == "capsule" else b + by, c + by)


@pytest.mark.parametrize("shape", ["sphere", "capsule", "cylinder", "box", "ellipsoid"])
def test_shells_are_thin_layers(shape: str) -> None:
    """An ellipsoid's layer is thinner along its shorter axes, as MuJoCo has it, and its area is approximate."""
    thin = 1e-5
    volumes, moments = zip(*(geom_inertia(shape, _grown(shape, by), shell=False) for by in (-thin, thin)), strict=True)
    layer = volumes[1] - volumes[0]
    expected = (volumes[1] * np.array(moments[1]) - volumes[0] * np.array(moments[0])) / layer
    area, found = geom_inertia(shape, SIZE, shell=True)
    assert area == pytest.approx(layer / (2 * thin), rel=0.02 if shape == "ellipsoid" else 1e-8)
    np.testing.assert_allclose(found, expected, rtol=1e-5 if shape == "ellipsoid" else 1e-8)


@pytest.mark.parametrize("shell", [False, True])
def test_planes_have_no_mass(shell: bool) -> None:
    assert geom_inertia("plane", SIZE, shell=shell) == (0.0, (0.0, 0.0, 0.0))


@pytest.mark.parametrize("shell", [False, True])
@pytest.mark.parametrize("shape", ["sphere", "capsule", "cylinder", "ellipsoid", "box"])
def test_sizes_at_extremes_have_finite_moments(shape: str, shell: bool) -> None:
    tiny = [(1e-320, 0.2, 0.3), (5e-324, 5e-324, 5e-324), (1e-200, 1e-200, 1e-200), (0.1, 1e-320, 1e-320)]
    for size in [*tiny, (1e11, 1e11, 1e11), (1e29, 1e29, 1e29), (1e-20, 1e29, 1.0)]:
        found = geom_inertia(shape, size, shell=shell)
        assert np.isfinite([found.volume, *found.moments]).all()
        assert min(found.volume, *found.moments) >= 0
