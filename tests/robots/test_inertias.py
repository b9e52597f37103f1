"""Inertias of capsules agree with numerical integration."""

from __future__ import annotations

import numpy as np
import pytest

from rbd.robots._inertias import capsule_inertia
from rbd.spatial import Frame

NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)


def solid_of_revolution(segments: list[tuple[float, float]], radius_at) -> tuple[float, float, float]:
    """Return volume, axial and transverse second moments of a solid around z, centred at its middle, density one."""
    volume = axial = transverse = 0.0
    for low, high in segments:
        z = (high + low) / 2 + (high - low) / 2 * NODES
        area = np.pi * radius_at(z) ** 2
        dz = WEIGHTS * (high - low) / 2
        volume += dz @ area
        axial += dz @ (area * radius_at(z) ** 2 / 2)
        transverse += dz @ (area * (radius_at(z) ** 2 / 4 + z**2))
    return volume, axial, transverse


def capsule_radius(z: np.ndarray, radius: float, length: float) -> np.ndarray:
    beyond = np.maximum(np.abs(z) - length / 2, 0)
    return np.sqrt(radius**2 - beyond**2)


@pytest.mark.parametrize(("radius", "length"), [(0.3, 0.8), (0.5, 0.1), (0.2, 0.0)])
def test_capsule_inertia_equals_numerical_integration(radius: float, length: float) -> None:
    h = length / 2
    segments = [(-h - radius, -h), (-h, h), (h, h + radius)]
    volume, axial, transverse = solid_of_revolution(segments, lambda z: capsule_radius(z, radius, length))
    inertia = capsule_inertia(Frame("f"), mass=volume, radius=radius, length=length)
    assert np.allclose(inertia.moment, np.diag([transverse, transverse, axial]), rtol=1e-12, atol=0)


def test_zeros_stay_exact() -> None:
    inertia = capsule_inertia(Frame("f"), mass=1.0, radius=0.1, length=0.5, center=(0, 0, 0.3))
    assert np.count_nonzero(inertia.matrix[:3, :3]) == 3
